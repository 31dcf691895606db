package import ArgumentParser
internal import CommandSupport

struct FolderSyncTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foldersync",
        abstract: "Keep stores of several devices in step through a shared directory.",
        discussion: """
            No server and no account: whatever carries files carries the directory, such as Syncthing, a network drive or a cloud \
            drive. Stores are those of bzpack and tracker-export, and databases of Slate. What this device has joined is kept \
            in $SATCHEL_FOLDERSYNC, by default ~/.local/state/satchel/foldersync.json.

            Results go to the standard output, diagnostics to the standard error stream. Exit codes: 0 done; 3 done, with \
            findings; 4 the folder takes nothing, what is to be published is kept; 5 stopped before a mass change; 64 usage; 65 \
            bad data; 66 no input; 73 cannot create; 74 I/O; 75 not now, try again; 77 a key is missing or wrong.
            """,
        version: "foldersync \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(name: "Folders", subcommands: [Init.self, Join.self, Leave.self, Encrypt.self, Declare.self]),
            CommandGroup(name: "Synchronising", subcommands: [Sync.self, Watch.self, Status.self]),
            CommandGroup(name: "Conflicts", subcommands: [Conflicts.self, Resolve.self]),
            CommandGroup(name: "The past", subcommands: [Log.self, Show.self, Restore.self]),
            CommandGroup(name: "Pages", subcommands: [Open.self]),
            CommandGroup(name: "Devices", subcommands: [DevicesGroup.self, KeyGroup.self, InboxGroup.self]),
            CommandGroup(
                name: "Care",
                subcommands: [Verify.self, Repair.self, Compact.self, Forget.self, MergeSpaces.self, Dump.self]
            ),
        ]
    )
}

/// The program as `satchel` and its links run it.
package enum SyncProgram {
    /// The commands, by what they are for.
    package static var groups: [CommandGroup] { FolderSyncTool.configuration.groupedSubcommands }

    /// The program as this process was started.
    static var name: String {
        CommandLine.arguments.first?.split(separator: "/").last == "satchel" ? "satchel sync" : "foldersync"
    }

    /// The command that syncs once.
    package static var sync: any ParsableCommand.Type { FolderSyncTool.Sync.self }

    /// Runs the program and ends the process.
    ///
    /// - Parameter root: The command that the arguments begin under; nil for the program by its own name.
    package static func run(_ root: (any ParsableCommand.Type)? = nil) -> Never {
        Program.run(root ?? FolderSyncTool.self, unparsed: FolderSyncTool.Sync.unparsed, failure: failure)
    }
}
