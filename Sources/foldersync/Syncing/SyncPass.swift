internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// One synchronisation of several stores, and of the inboxes that belong to them.
struct SyncPass {
    let environment: SyncEnvironment
    let file: RegistryFile
    var decision = SyncDecision.none
    var isDryRun = false

    /// What it came to.
    struct Report {
        let results: TargetResults<SyncReport>
        let isDryRun: Bool

        /// Lines for people.
        func text(saysIdle: Bool) -> String {
            results.values.map { $0.value.text($0.target, saysIdle: saysIdle) }.joined()
        }

        /// Lines for the standard error stream.
        var errors: String { results.errors }

        var status: ExitStatus { results.status(\.status) }

        /// Whether anything was published, taken or written.
        var didSomething: Bool { results.values.contains { $0.value.didSomething } }

        /// What keeps a store from being in step.
        var failure: CommandFailure? {
            for entry in results.entries { if case .failure(let failure) = entry.result { return failure } }
            return nil
        }

        /// Whether it should be tried again soon.
        var hasFailed: Bool {
            failure != nil || results.values.contains { $0.value.outcome.outbox != nil }
        }

        /// What stays to be said until it is over.
        var lasting: String { results.values.map { $0.value.lasting($0.target) }.joined() }

        var json: JSONValue {
            ["dryRun": .bool(isDryRun), "inboxes": [], "stores": results.json(\.json)]
        }
    }

    func run(_ targets: [Target]) throws -> Report {
        let results = try TargetResults(targets) { target in
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            let outcome = try isDryRun ? replica.preview(decision) : replica.sync(decision)
            return SyncReport(outcome, isDryRun: isDryRun)
        }
        return Report(results: results, isDryRun: isDryRun)
    }
}
