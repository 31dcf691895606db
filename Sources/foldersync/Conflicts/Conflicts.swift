internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Conflicts: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "conflicts",
            abstract: "List what several devices changed without knowing of each other.",
            discussion: """
                All devices show the same value, and none is lost: foldersync resolve chooses, and so does anyone who writes the \
                record anew. Ends with 3 where there are conflicts.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let registry = try options.config.file().read()
            let targets = try options.targets(of: registry)
            let environment = try ThisDevice.environment(registry)
            let clock = try zone.clock()
            let results = try TargetResults(targets) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                let words = ValueWords(target, clock)
                return try replica.conflicts().map { ConflictReport($0, words) }
            }
            StandardError.write(results.errors)
            let lines = results.values.flatMap { target, conflicts in
                conflicts.flatMap { $0.lines(clock) }.map { "\(target.app.title): \($0)" }
            }
            let isKnown = results.values.count == results.entries.count
            try output.print(
                lines.isEmpty && isKnown ? Messages.noConflicts : lines.map { TerminalText.safe($0) + "\n" }.joined(),
                ["stores": results.json { ["conflicts": .array($0.map(\.json))] }]
            )
            try results.status { $0.isEmpty ? .success : .findings }.finish()
        }
    }
}
