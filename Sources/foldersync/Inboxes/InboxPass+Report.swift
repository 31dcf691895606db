internal import RecordStore
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension InboxPass {
    /// Lines for people.
    var text: String {
        var lines = taken.map(line)
        lines += written.map { Messages.importable("\(inbox.path)/\($0.file)", $0.app.title) }
        return lines.map(named).joined()
    }

    /// The state that stays until something changes, as lines for the standard error stream.
    var lasting: String {
        let warnings = taken.flatMap(\.warnings)
        return held.map { named("\($0.words): \($0.message)") }.joined()
            + undecided.map { named(Messages.notTaken($0.file, CommandFailure($0.error).description)) }.joined()
            + DiagnosticRenderer().render(warnings)
    }

    /// A failure as lines for the standard error stream.
    var errors: String { commandFailure.map { named($0.description) } ?? "" }

    /// The failure as the person gets it.
    var commandFailure: CommandFailure? {
        failure.map { foldersync.failure($0) ?? CommandFailure(.internalError, "\($0)") }
    }

    /// True if anything was taken or written.
    var didSomething: Bool { !written.isEmpty || taken.contains { $0.outcome == .taken } }

    var status: ExitStatus {
        if let commandFailure { return commandFailure.status }
        if !undecided.isEmpty { return .massChange }
        return held.isEmpty && taken.allSatisfy(\.warnings.isEmpty) ? .success : .findings
    }

    private func named(_ line: String) -> String { "\(TerminalText.safe("\(inbox.device.name): \(line)"))\n" }

    private func line(_ taken: Taken) -> String {
        switch taken.outcome {
        case .taken where taken.records == 0: Messages.wouldTake(taken.file)
        case .taken: Messages.tookExport(taken.file, taken.records)
        case .older: Messages.olderExport(taken.file)
        case .unchanged: Messages.nothingNew(taken.file)
        }
    }

    /// The inbox for programs.
    var json: JSONValue {
        var object: JSONObject = [
            "folder": .string(folder.path), "inbox": .string(inbox.path), "device": .object(inbox.device.json),
        ]
        object["files"] = .array(
            taken.map { taken in
                [
                    "file": .string(taken.file), "app": .string(taken.store.app.rawValue),
                    "store": .string(taken.store.path), "outcome": .string(taken.outcome.rawValue),
                    "records": .number(taken.records),
                ]
            }
        )
        object["held"] = .array(held.map(InboxReport.json))
        object["written"] = .array(
            written.map { ["file": .string($0.file), "app": .string($0.app.rawValue)] }
        )
        object["failure"] = (commandFailure ?? undecided.first.map { CommandFailure($0.error) })?.json ?? .null
        return .object(object)
    }
}
