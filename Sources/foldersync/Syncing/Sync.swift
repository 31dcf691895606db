internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Sync: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync",
            abstract: "Bring this device's stores and the shared folders in step, once.",
            discussion: """
                What was changed here is published, what other devices changed is written into the stores, and exports in the \
                inboxes are taken. Where most records of a store are gone at once, or this device was copied or restored with \
                changes that were not synced, it stops and ends with 5, and says how many. On a terminal it asks for that number.

                Ends with 0, with 3 where there are conflicts or files that cannot be used yet, with 4 where the folder takes \
                nothing, with 75 where it is not there or somebody else is at work.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be published and written, and do nothing.")
        var dryRun = false

        @Option(help: ArgumentHelp("Delete, set back or publish so many records on all devices.", valueName: "count"))
        var acceptMassChange: Int?

        @Flag(help: "Get back what a store has lost; drop its changes, or those of all stores without --app.")
        var discardLocal = false

        func validate() throws {
            if let acceptMassChange, acceptMassChange < 1 {
                throw ValidationError(Messages.badCount(acceptMassChange))
            }
            guard acceptMassChange == nil || !discardLocal else {
                throw ValidationError(Messages.contradictingDecisions)
            }
        }

        func run() throws {
            let report = try Self.report(
                options.config.file(),
                now: clock.given(),
                decision: acceptMassChange.map { .accept($0) } ?? (discardLocal ? .discard : .none),
                isDryRun: dryRun,
                mayAsk: output.format == .text,
                targets: options.targets(of:)
            )
            try output.print(report.text(saysIdle: true), report.json)
            try report.status.finish()
        }

        /// Gives the work of `sync` or `sync --config FILE`, which timers and hooks run, mostly where nothing has changed.
        ///
        /// - Returns: Nil for all other arguments: the parser takes them.
        static func unparsed(_ arguments: [String]) -> (() throws -> Void)? {
            guard arguments.first == "sync" else { return nil }
            let file = arguments.count == 3 ? arguments[2] : nil
            let hasFile = file.map { arguments[1] == "--config" && !$0.hasPrefix("-") } ?? false
            guard arguments.count == 1 || hasFile else { return nil }
            return {
                let report = try report(ConfigOption.file(file)) { registry throws(CommandFailure) in
                    try TargetOptions.targets(registry.folders(named: nil), nil)
                }
                try StandardOutput.shared.report(report.text(saysIdle: true))
                try report.status.finish()
            }
        }

        private static func report(
            _ file: RegistryFile,
            now: Timestamp? = nil,
            decision: SyncDecision = .none,
            isDryRun: Bool = false,
            mayAsk: Bool = true,
            targets: (Registry) throws(CommandFailure) -> [Target]
        ) throws -> SyncPass.Report {
            let registry = try file.read()
            let targets = try targets(registry)
            let pass = SyncPass(
                environment: try ThisDevice.environment(registry, now: now),
                file: file,
                decision: decision,
                isDryRun: isDryRun,
                asks: mayAsk && StandardInput.isTerminal && StandardError.isTerminal
            )
            let report = try pass.run(targets)
            StandardError.write(report.errors)
            if Printing.current.leavesOutReports { StandardError.write(report.outboxes) }
            return report
        }
    }
}
