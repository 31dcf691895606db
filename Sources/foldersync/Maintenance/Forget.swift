internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync

extension FolderSyncTool {
    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Delete a record that a store rejects, on all devices.",
            discussion: """
                For a record that no app can show, so that none can delete it, such as one of a made-up collection. Only a record \
                of which the store has nothing is deleted. Other devices' stores lose it, too; restore brings it back.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("The record: its key, collection/key or title.", valueName: "name"))
        var record: String

        @Flag(help: "Say what would be deleted, and do nothing.")
        var dryRun = false

        func run() throws {
            let (name, isDryRun) = (record, dryRun)
            try MaintenanceRun(options, clock, output, isDryRun) { replica in
                try replica.forget(isDryRun: isDryRun) { RecordWords.names($0).contains(name) }
            }
            .run()
        }
    }
}
