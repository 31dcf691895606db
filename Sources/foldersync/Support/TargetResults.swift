internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// The results of work on several stores: where one fails, the others are worked on all the same.
struct TargetResults<Value> {
    /// The result for one store.
    struct Entry {
        let target: Target
        let result: Result<Value, CommandFailure>
    }

    private(set) var entries: [Entry] = []

    /// Works on one store after the other.
    ///
    /// - Throws: Only what is no error of a library, as that is a fault of the program.
    init(_ targets: [Target], _ work: (Target) throws -> Value) throws {
        for target in targets {
            StandardError.detail(Messages.workingOn(target.store.path, target.app.title, target.folder.path))
            do {
                entries.append(Entry(target: target, result: .success(try work(target))))
            } catch {
                guard var failure = foldersync.failure(error) else { throw error }
                if failure.diagnostics.first?.code == "store.not-found" { failure.message = target.creation }
                entries.append(Entry(target: target, result: .failure(failure)))
            }
        }
    }

    /// The failures as lines for the standard error stream; what several stores fail on, as the folder, is named once.
    var errors: String {
        var told: Set<String> = []
        return entries.map { entry in
            guard case .failure(let failure) = entry.result else { return "" }
            let line = failure.message.map { "\(entry.target.store.path): \(TerminalText.safe($0))\n" } ?? ""
            let text = DiagnosticRenderer().render(failure.diagnostics)
            return (told.insert(text).inserted ? text : "") + line
        }.joined()
    }

    /// Returns the results as JSON: a value as `body` makes it, or the failure; the other is null.
    func json(_ body: (Value) -> JSONObject) -> JSONValue {
        .array(
            entries.map { entry in
                var object = entry.target.json
                switch entry.result {
                case .success(let value):
                    for member in body(value) { object[member.name] = member.value }
                    object["failure"] = .null
                case .failure(let failure): object["failure"] = failure.json
                }
                return .object(object)
            }
        )
    }

    /// Returns the exit status of the command.
    func status(_ body: (Value) -> ExitStatus) -> ExitStatus {
        ExitStatus.mostSevere(
            entries.map { entry in
                switch entry.result {
                case .success(let value): body(value)
                case .failure(let failure): failure.status
                }
            }
        )
    }

    /// The first failure.
    var firstFailure: CommandFailure? {
        entries.lazy.compactMap { if case .failure(let failure) = $0.result { failure } else { nil } }.first
    }

    /// The values with their stores.
    var values: [(target: Target, value: Value)] {
        entries.compactMap { entry in (try? entry.result.get()).map { (entry.target, $0) } }
    }
}
