internal import ArgumentParser
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Find: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Find a task or habit in backups and the database.",
            discussion: """
                Looks into the database, its safety copies, and the backups of --in, of any version and in archives: \
                slate-backup find passport --in ~/Backups/Slate. For each record it lists the newest file of each version. \
                slate-backup restore brings one back.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var output: FormatOption

        @Option(
            name: .customLong("in"),
            parsing: .upToNextOption,
            help: ArgumentHelp("Look into these backups, and the backups of these folders.", valueName: "file|folder"),
            completion: .file()
        )
        var places: [String] = []

        @Argument(help: "A text that the title or the notes have in them.")
        var text: String

        func run() throws {
            guard !NameText.folded(text).isEmpty else { throw CommandFailure(.usage, "there is nothing to search for") }
            let path = try database.resolvedPath()
            try output.reporting(on: path) { try find(path) }
        }

        private func find(_ path: String) throws {
            var search = RecordSearch(text: text)
            let hasDatabase = try database.readingIfPresent() != nil
            guard hasDatabase || !places.isEmpty else { _ = try database.reading(); return }
            if hasDatabase {
                try RecordSource.open(path, excluding: database.excluded, output) {
                    try search.add($0, isDatabase: true)
                }
            }
            let copies = SlateSafetyBackups.copies(of: path).map(\.path)
            let (files, isChosen) = try files()
            var skipped: [Diagnostic] = []
            for file in copies + files {
                do {
                    try RecordSource.open(file, excluding: database.excluded, isChosen.contains(file) ? output : nil) {
                        try search.add($0, isDatabase: false)
                    }
                } catch {
                    guard !isChosen.contains(file) else { throw error }
                    let message = "it cannot be read as a backup of Slate's, so it was passed over"
                    skipped.append(Diagnostic(.warning, code: "slate.unusable-backup", message: message, file: file))
                }
            }
            StandardError.write(DiagnosticRenderer().render(skipped))
            try output.print(search.report(database: hasDatabase ? path : nil), search.json(skipped))
            if !skipped.isEmpty { throw ExitStatus.findings.exitCode }
        }

        /// The files that were named, and the backups of the folders.
        private func files() throws(CommandFailure) -> (files: [String], chosen: Set<String>) {
            var files: [String] = []
            var chosen: Set<String> = []
            for place in places {
                guard FolderListing.isFolder(place) else {
                    files.append(place)
                    chosen.insert(place)
                    continue
                }
                let listing = try FolderListing(place)
                for file in listing.files where file.isOrdinary && Self.isBackup(file.name) {
                    files.append(listing.path(of: file.name))
                }
            }
            return (files, chosen)
        }

        private static let endings = [
            ".json", ".slatebackup", ".zip", ".gz", ".zst", ".xz", ".bz2", ".tar", ".tgz", ".db",
        ]

        private static func isBackup(_ name: String) -> Bool {
            !name.hasPrefix(".") && endings.contains { name.lowercased().hasSuffix($0) }
        }
    }
}
