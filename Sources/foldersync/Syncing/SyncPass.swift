internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// One synchronisation of several stores, and of the inboxes that belong to them.
struct SyncPass {
    let environment: SyncEnvironment
    let file: RegistryFile
    var decision = SyncDecision.none
    var isDryRun = false
    /// True if a person is there to accept a mass change.
    var asks = false

    /// The result of a pass.
    struct Report {
        let results: TargetResults<SyncReport>
        let inboxes: [InboxPass]
        let isDryRun: Bool

        /// Lines for people.
        func text(saysIdle: Bool) -> String {
            inboxes.map(\.text).joined()
                + reports.map { $0.report.text($0.target, saysIdle: saysIdle) }.joined()
        }

        /// Lines for people who watch: one for each store, with the time before it.
        func watched(at moment: String) -> String {
            let inboxes = inboxes.flatMap { $0.text.split(separator: "\n").map(String.init) }
            return (inboxes + reports.compactMap { $0.report.line($0.target) }).map { "\(moment)  \($0)\n" }.joined()
        }

        /// The report on each store; a file that several stores of a folder cannot use is named once.
        private var reports: [(target: Target, report: SyncReport)] {
            var told: [String: Set<String>] = [:]
            return results.values.map { entry in
                var report = entry.value
                report.toldBefore = told[entry.target.folder.path, default: []]
                let files = report.outcome.issues.filter { !$0.path.isEmpty }.map(IssueWords.line)
                told[entry.target.folder.path, default: []].formUnion(files)
                return (entry.target, report)
            }
        }

        /// Lines for the standard error stream.
        var errors: String { (inboxes.map { $0.errors + $0.lasting }).joined() + results.errors }

        /// Lines on what the folders do not take, which is an error also where reports are left out.
        var outboxes: String {
            results.values.map { entry in
                guard let (count, reason) = entry.value.outcome.outbox else { return "" }
                return "\(entry.target.app.title): \(TerminalText.safe(Messages.outbox(count, reason)))\n"
            }.joined()
        }

        var status: ExitStatus { ExitStatus.mostSevere([results.status(\.status)] + inboxes.map(\.status)) }

        /// True if anything was published, taken or written.
        var didSomething: Bool {
            results.values.contains { $0.value.didSomething } || inboxes.contains(where: \.didSomething)
        }

        /// The failure that keeps a store from being in step.
        var failure: CommandFailure? {
            for entry in results.entries { if case .failure(let failure) = entry.result { return failure } }
            return inboxes.lazy.compactMap(\.commandFailure).first
        }

        /// True if the pass should be tried again soon.
        var hasFailed: Bool {
            failure != nil || results.values.contains { $0.value.outcome.outbox != nil }
        }

        /// The state that is reported until it is over.
        var lasting: String {
            inboxes.map(\.lasting).joined() + reports.map { $0.report.lasting($0.target) }.joined()
        }

        var json: JSONValue {
            ["dryRun": .bool(isDryRun), "inboxes": .array(inboxes.map(\.json)), "stores": results.json(\.json)]
        }
    }

    /// Takes new exports, brings the stores in step, and writes what the devices that exported can import.
    func run(_ targets: [Target]) throws -> Report {
        let inboxes = try inboxes(of: targets)
        for inbox in inboxes { inbox.take(into: Self.stores(targets, inbox.folder)) }
        let results = try TargetResults(targets) { target in
            let outcome: SyncOutcome
            do {
                let replica = try replica(target)
                outcome = try isDryRun ? replica.preview(decision) : replica.sync(decision)
            } catch let error as SyncError where accepts(error) {
                outcome = try replica(target).sync(.accept(error.massChange ?? 0))
            }
            return SyncReport(outcome, isDryRun: isDryRun)
        }
        for inbox in inboxes {
            let values = results.values.filter { $0.target.folder.path == inbox.folder.path }
            inbox.writeForDevice(values.map { (store: $0.target.store, didSomething: $0.value.didSomething) })
        }
        return Report(results: results, inboxes: inboxes, isDryRun: isDryRun)
    }

    /// Tells whether a person accepts a mass change, by typing the number of its records.
    private func accepts(_ error: SyncError) -> Bool {
        guard asks, !isDryRun, decision == .none, let count = error.massChange else { return false }
        StandardError.write(TerminalText.safe("\(error.path): \(error.message)") + "\n")
        StandardError.write(Messages.acceptQuestion(count))
        return readLine()?.trimmed == String(count)
    }

    func replica(_ target: Target) throws -> Replica {
        try Replica(folder: target.folder.path, store: target.store.path, environment, opensStoreLate: true)
    }

    private static func stores(_ targets: [Target], _ folder: JoinedFolder) -> [JoinedStore] {
        targets.filter { $0.folder.path == folder.path }.map(\.store)
    }

    private func inboxes(of targets: [Target]) throws -> [InboxPass] {
        var folders: [JoinedFolder] = []
        for target in targets where !folders.contains(where: { $0.path == target.folder.path }) {
            folders.append(target.folder)
        }
        return folders.flatMap { folder in
            folder.inboxes.map {
                InboxPass(folder, $0, environment, registry: file, decision, isDryRun: isDryRun)
            }
        }
    }
}
