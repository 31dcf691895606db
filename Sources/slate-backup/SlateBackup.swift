package import ArgumentParser
internal import CommandSupport

struct SlateBackup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slate-backup",
        abstract: "Back up a Slate database as JSON, and bring it back.",
        discussion: """
            A backup is Slate-YYYYMMDD.json or, with a manifest of sizes and SHA-256, Slate-YYYYMMDD.slatebackup. The \
            database is $XDG_DATA_HOME/satchel/slate.db, by default ~/.local/share/satchel/slate.db, or what --store names: \
            the app's own SQLite file will do.

            Results go to the standard output, diagnostics to the standard error stream. Exit codes: 0 done; 3 done, \
            with findings; 64 usage; 65 bad data; 66 no input; 73 cannot create; 74 I/O.
            """,
        version: "slate-backup \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Tasks and habits",
                subcommands: [
                    Today.self, Add.self, Done.self, Undone.self, Plan.self, Unplan.self, Rollover.self, Habit.self,
                    Search.self,
                ]
            ),
            CommandGroup(name: "One record", subcommands: [Find.self, Restore.self]),
            CommandGroup(
                name: "Database",
                subcommands: [Export.self, Import.self, Undo.self, Stats.self, Calendar.self, Init.self]
            ),
            CommandGroup(name: "Files", subcommands: [Verify.self, Inspect.self, Diff.self, Merge.self]),
            CommandGroup(name: "Folders of backups", subcommands: [List.self, Prune.self]),
        ]
    )
}

/// The program as `satchel` and its links run it.
package enum SlateProgram {
    /// The commands, by what they are for.
    package static var groups: [CommandGroup] { SlateBackup.configuration.groupedSubcommands }

    /// Runs the program and ends the process.
    ///
    /// - Parameter root: The command that the arguments begin under; nil for the program by its own name.
    package static func run(_ root: (any ParsableCommand.Type)? = nil) -> Never {
        Program.run(root ?? SlateBackup.self, failure: failure)
    }

}
