internal import RecordStore
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension FolderSyncTool {
    struct Declare: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "declare",
            abstract: "Write a declaration of any app's SQLite database.",
            discussion: """
                A declaration says which tables take part, by which key, and how concurrent changes of each column come \
                together. Look through it, change what is not as you want it, and give it to foldersync init --app. What cannot \
                take part is named on the standard error stream. The database is only read.

                A database that has joined already keeps what its declaration says; new tables and columns are added, those \
                that are gone are left out, and the revision grows.
                """
        )

        @Option(
            help: ArgumentHelp("The app's identifier: a-z, 0-9 and -. By default the file's name.", valueName: "app")
        )
        var id: String?

        @Option(help: "What people call the app.")
        var title: String?

        @Argument(help: "The database.", completion: .file())
        var database: String

        func run() throws {
            if let id, AppID(rawValue: id) == nil || AppID.reserved.contains(where: { $0.rawValue == id }) {
                throw CommandFailure(
                    .usage,
                    Messages.noIdentifier(id, reserved: AppID.reserved.map(\.rawValue).joined(separator: ", "))
                )
            }
            let declaration = try DatabaseDeclarer.declare(ResolvedPath(database).text, app: id, title: title)
            for note in declaration.openNotes { StandardError.write(TerminalText.safe("note: \(note)") + "\n") }
            guard !declaration.tables.isEmpty else {
                throw CommandFailure(.badData, Messages.noTable(database))
            }
            let bytes = declaration.json.encoded(.indented)
            // What is written is read with the reader's own eyes first.
            _ = try AppDeclaration(reading: bytes, name: database)
            try StandardOutput.shared.write(bytes)
            try StandardOutput.shared.flush()
        }
    }
}
