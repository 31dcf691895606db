internal import AppFormats
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
                inboxes are taken. Where most records of a store are gone at once it stops and ends with 5: --as-edits says that \
                this is meant, --discard that the records are to come back.

                Ends with 0, with 3 where there are conflicts or files that cannot be used yet, with 4 where the folder takes \
                nothing, with 75 where it is not there or somebody else is at work.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be published and written, and do nothing.")
        var dryRun = false

        @Flag(help: "What a store has lost, or has from an older time, is what is wanted.")
        var asEdits = false

        @Flag(help: "What a store has lost comes back; what was changed in it since is thrown away.")
        var discard = false

        func run() throws {
            guard !asEdits || !discard else {
                throw CommandFailure(.usage, "--as-edits and --discard contradict each other; nothing was changed")
            }
            let registry = try options.config.file().read()
            let targets = try options.targets(of: registry)
            let pass = SyncPass(
                environment: try ThisDevice.environment(registry, now: clock.now),
                file: try options.config.file(),
                decision: asEdits ? .asEdits : discard ? .discard : .none,
                isDryRun: dryRun
            )
            let report = try pass.run(targets)
            StandardError.write(report.errors)
            try output.print(report.text(saysIdle: true), report.json)
            try report.status.finish()
        }
    }
}
