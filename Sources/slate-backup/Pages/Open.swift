internal import ArgumentParser
internal import CommandSupport

extension SlateBackup {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show tasks, habits and backups in the browser.",
            discussion: """
                With files, the page Backups shows these alone: to look into, to search, to compare, and to restore one \
                record or all, with the plan first. \(OpenOptions.discussion)
                """
        )

        @OptionGroup var database: LocationOption
        @OptionGroup var pages: OpenOptions

        @Option(
            help: ArgumentHelp(
                "The folder of the backups (default: that of the schedule, else ~/Backups/Slate).",
                valueName: "folder"
            ),
            completion: .directory
        )
        var backups: String?

        @Argument(
            help: "The backups to show; without any, those of the folder.",
            completion: .file(extensions: ["slatebackup", "json"])
        )
        var files: [String] = []

        func validate() throws {
            guard files.isEmpty || backups == nil else { throw ValidationError(Messages.filesOrFolder) }
        }

        func run() throws {
            if files.isEmpty {
                _ = try database.reading()
            } else {
                try BackupShelf.check(files)
            }
            let sources = try SlateProgram.pages(store: database.resolvedPath(), backups: backups, files: files)
            try pages.show("Slate", sources, failure: failure)
        }
    }
}
