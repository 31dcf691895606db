package import ArgumentParser
internal import CommandSupport
package import Pages

struct Bzpack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bzpack",
        abstract: "Share the sessions of BZ Timer as .bztimer files, and many of them as a .bzpack.",
        discussion: """
            A trainer exports a session, a client imports it. Sessions, saved activities, settings and history lie in a \
            store: $XDG_DATA_HOME/satchel/bztimer.db, by default ~/.local/share/satchel/bztimer.db, or what --store names.

            Results go to the standard output, diagnostics to the standard error stream. Exit codes: 0 done; 3 done, \
            with findings; 64 usage; 65 bad data; 66 no input; 73 cannot create; 74 I/O; 77 needs Pro, or a \
            passphrase or identity.
            """,
        version: "bzpack \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(
                name: "Store",
                subcommands: [
                    Init.self, New.self, Edit.self, List.self, Show.self, TimelineCommand.self, Stats.self,
                ]
            ),
            CommandGroup(name: "Sharing", subcommands: [Export.self, Import.self, Page.self, Open.self]),
            CommandGroup(name: "Packs", subcommands: [Pack.self, Unpack.self]),
            CommandGroup(name: "Backups", subcommands: [Backup.self, Find.self, Restore.self]),
            CommandGroup(
                name: "Files",
                subcommands: [Validate.self, Inspect.self, Migrate.self, Convert.self, Merge.self, SchemaGroup.self]
            ),
            CommandGroup(
                name: "Keeping order",
                subcommands: [
                    SessionGroup.self, ActivityGroup.self, PresetGroup.self, CategoryGroup.self, HistoryGroup.self,
                    SettingsGroup.self,
                ]
            ),
        ]
    )
}

/// The program as `satchel` and its links run it.
package enum TimerProgram {
    /// The commands, by what they are for.
    package static var groups: [CommandGroup] { Bzpack.configuration.groupedSubcommands }

    /// The program as this process was started.
    static var name: String {
        CommandLine.arguments.first?.split(separator: "/").last == "satchel" ? "satchel timer" : "bzpack"
    }

    /// The command for schemas, which is about no app.
    package static var schema: any ParsableCommand.Type { Bzpack.SchemaGroup.self }

    /// Returns the pages of a store; none where there is no store.
    ///
    /// - Parameter store: The path of the store; nil for the usual one.
    /// - Throws: 64 where the usual place is not known.
    package static func pages(store: String? = nil) throws -> [any PageSource] {
        var option = StoreOption()
        option.path = store
        guard try store != nil || OutputFile(option.resolvedPath()).isTaken else { return [] }
        return [TimerPages(store: store)]
    }

    /// Runs the program and ends the process.
    ///
    /// - Parameter root: The command that the arguments begin under; nil for the program by its own name.
    package static func run(_ root: (any ParsableCommand.Type)? = nil) -> Never {
        Program.run(root ?? Bzpack.self, failure: CommandFailure.init(library:), atEnd: FaultReport.finish)
    }

}
