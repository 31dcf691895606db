internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Find: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "find",
            abstract: "Find a task or habit in backups and the database.",
            discussion: """
                Looks into the database, its safety backups, and the backups of --in, of any version and in archives: \
                slate-backup find passport --in ~/Backups/Slate. For each record it lists the newest file of each version. \
                slate-backup restore brings one back.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var options: FindOptions
        @OptionGroup var keys: DecryptionOptions

        @Argument(help: "A text that the title or the notes have in them.")
        var text: String

        func run() throws {
            try options.check(text)
            let path = try database.resolvedPath()
            try options.output.reporting(on: path) { try find(path) }
        }

        private func find(_ path: String) throws {
            var search = RecordSearch<FoundRecord>(text: text, way: Messages.restoreOne)
            let hasDatabase = try database.readingIfPresent() != nil
            guard hasDatabase || !options.places.isEmpty else { _ = try database.reading(); return }
            func look(_ file: String, _ output: FormatOption?, isStore: Bool) throws {
                try RecordSource.open(file, excluding: database.excluded, output) { source in
                    search.add(try source.found(), of: file, asOf: source.asOf, isStore: isStore)
                }
            }
            if hasDatabase { try look(path, options.output, isStore: true) }
            let places = try SearchedFiles(options.places)
            let copies = SlateSafetyBackups.copies(of: path).map(\.path)
            let files = SearchedFiles(files: copies + places.files, chosen: places.chosen)
            let skipped = try files.forEach(
                besides: hasDatabase ? path : nil,
                code: "slate.unusable-backup",
                app: "Slate's"
            ) { file, isChosen in
                try look(file, isChosen ? options.output : nil, isStore: false)
            }
            try options.report(search, store: hasDatabase ? path : nil, skipped, place: "inDatabase")
        }
    }
}
