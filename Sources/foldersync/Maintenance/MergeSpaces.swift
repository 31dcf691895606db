internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FormatKit
internal import StrictJSON

extension FolderSyncTool {
    struct MergeSpaces: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge-spaces",
            abstract: "Let devices go on together that began apart in one folder.",
            discussion: """
                Two devices that ran init before the folder had arrived on both have made two spaces in it. One of them goes on, \
                the same whoever says so; what all devices have comes together there, and records that are the same are one. \
                Each device runs merge-spaces once.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say which space would go on and what this device would do, and do nothing.")
        var dryRun = false

        @Argument(help: "The shared folder.", completion: .directory)
        var folder: String?

        func run() throws {
            let file = try config.file()
            let registry = try file.read()
            let environment = try ThisDevice.environment(registry, now: clock.given())
            let joined = try registry.onlyFolder(named: folder)
            let targets = try TargetOptions.targets([joined], nil)
            var winner = joined.space
            let results = try TargetResults(targets) { target in
                if dryRun {
                    let replica = try Replica(folder: joined.path, store: target.store.path, environment)
                    let preview = try replica.previewMergingSpaces()
                    winner = preview.space
                    return SyncReport(preview.outcome, isDryRun: true)
                }
                let space = try Replica.mergeSpaces(folder: joined.path, store: target.store.path, environment)
                let replica = try Replica(folder: joined.path, store: target.store.path, environment)
                try file.update { registry in
                    guard let index = registry.folders.firstIndex(where: { $0.path == joined.path }) else { return }
                    registry.folders[index].space = space
                }
                return SyncReport(try replica.sync())
            }
            StandardError.write(results.errors)
            if !dryRun {
                winner = try file.read().folders.first { $0.path == joined.path }?.space ?? joined.space
            }
            let text = results.values.map { $0.value.text($0.target) }.joined()
            let heading = Messages.mergedSpaces(joined.path, winner, isDryRun: dryRun)
            // Where no store goes on, neither does the folder.
            let hasFailed = results.values.isEmpty && !results.entries.isEmpty
            try output.print(
                hasFailed ? "" : TerminalText.safe(heading) + "\n" + text,
                [
                    "folder": .string(joined.path), "space": .string(winner), "dryRun": .bool(dryRun),
                    "stores": results.json(\.json),
                ]
            )
            try results.status(\.status).finish()
        }
    }
}
