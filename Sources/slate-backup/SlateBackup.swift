package import ArgumentParser
package import CommandSupport
package import Pages

struct SlateBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slate-backup",
        abstract: "Back up a Slate database, and bring it back.",
        discussion: """
            A backup is Slate-YYYYMMDD.slatebackup, compressed and with a manifest of sizes and SHA-256, or plain \
            Slate-YYYYMMDD.json. The database is $XDG_DATA_HOME/satchel/slate.db, by default ~/.local/share/satchel/slate.db, or what --store names: \
            the app's own SQLite file will do.

            Results go to the standard output, diagnostics to the standard error stream. Exit codes: 0 done; 3 done, \
            with findings; 64 usage; 65 bad data; 66 no input; 73 cannot create; 74 I/O; 77 passphrase or \
            identity missing or wrong.
            """,
        version: "slate-backup \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Tasks and habits",
                subcommands: [
                    Today.self, Add.self, Done.self, Undone.self, Plan.self, Unplan.self, Rollover.self, Habit.self,
                    Search.self, Open.self,
                ]
            ),
            CommandGroup(name: "One record", subcommands: [Find.self, Restore.self]),
            CommandGroup(
                name: "Database",
                subcommands: [Export.self, Import.self, Undo.self, Stats.self, Calendar.self, Init.self]
            ),
            CommandGroup(name: "Files", subcommands: [Verify.self, Inspect.self, Diff.self, Merge.self]),
            CommandGroup(name: "Folders of backups", subcommands: [BackupGroup.self, List.self, Prune.self]),
        ]
    )
}

/// The program as `satchel` and its links run it.
package enum SlateProgram {
    /// The commands, by what they are for.
    package static var groups: [CommandGroup] { SlateBackup.configuration.groupedSubcommands }

    /// Returns the last good backup of a database; nil where none was ever noted.
    ///
    /// - Parameter isThorough: Whether the backup is read, not only looked at.
    package static func lastBackup(of store: String, isThorough: Bool) throws -> BackupHealth? {
        guard let backups = try BackupNotes()?.backups(of: store), !backups.backups.isEmpty else { return nil }
        return BackupHealth(backups, now: NowOption.present, isThorough: isThorough)
    }

    /// Returns the pages of a database and of its backups; none where there is no database.
    ///
    /// - Parameters:
    ///   - store: The path of the database; nil for the usual one.
    ///   - folder: The folder of the backups; nil for that of the schedule, else the usual one.
    ///   - files: The only backups to show, also where there is no database; none for all that are known.
    /// - Throws: 64 where the usual place is not known.
    package static func pages(
        store: String? = nil,
        backups folder: String? = nil,
        files: [String] = []
    ) throws -> [any PageSource] {
        let path = SlateDatabasePath(store)
        if !files.isEmpty {
            let backups = BackupPages(store: store, files: files)
            return try path.readingIfPresent() == nil ? [backups] : [backups, SlatePages(store: store)]
        }
        guard try store != nil || OutputFile(path.resolvedPath()).isTaken else { return [] }
        return [BackupPages(store: store, folder: folder), SlatePages(store: store)]
    }

    /// Runs the program and ends the process.
    ///
    /// - Parameter root: The command that the arguments begin under; nil for the program by its own name.
    package static func run(_ root: (any ParsableCommand.Type)? = nil) -> Never {
        Program.run(root ?? SlateBackup.self, failure: failure)
    }

}
