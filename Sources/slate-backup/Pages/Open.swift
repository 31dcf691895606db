internal import ArgumentParser
internal import CommandSupport

extension SlateBackup {
    struct Open: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Show tasks, habits and backups in the browser.",
            discussion: OpenOptions.discussion
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

        func run() throws {
            _ = try database.reading()
            let sources = try SlateProgram.pages(store: database.resolvedPath(), backups: backups)
            try pages.show("Slate", sources, failure: failure)
        }
    }
}
