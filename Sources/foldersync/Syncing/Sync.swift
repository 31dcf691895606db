internal import ArgumentParser
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
                inboxes are taken. Where most records of a store are gone at once it stops and ends with 5, and says how many. \
                On a terminal it asks for that number.

                Ends with 0, with 3 where there are conflicts or files that cannot be used yet, with 4 where the folder takes \
                nothing, with 75 where it is not there or somebody else is at work.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be published and written, and do nothing.")
        var dryRun = false

        @Option(help: ArgumentHelp("Delete or set back so many records on all devices.", valueName: "count"))
        var acceptMassChange: Int?

        @Flag(help: "Get back what a store has lost; drop its changes.")
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
            let file = try options.config.file()
            let registry = try file.read()
            let targets = try options.targets(of: registry)
            let pass = SyncPass(
                environment: try ThisDevice.environment(registry, now: clock.given()),
                file: file,
                decision: acceptMassChange.map { .accept($0) } ?? (discardLocal ? .discard : .none),
                isDryRun: dryRun,
                asks: output.format == .text && StandardInput.isTerminal && StandardError.isTerminal
            )
            let report = try pass.run(targets)
            StandardError.write(report.errors)
            try output.print(report.text(saysIdle: true), report.json)
            try report.status.finish()
        }
    }
}
