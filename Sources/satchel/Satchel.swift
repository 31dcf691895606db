internal import ArgumentParser
internal import CommandSupport
internal import bzpack
internal import foldersync
internal import slate_backup
internal import tracker_export

/// All commands, by app.
struct Satchel: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "satchel",
        abstract: "Share, back up and sync what your timer, to-do and time-tracking apps keep.",
        discussion: """
            Without a command, satchel shows what is set up here and what to do next. The parts have names of their own as \
            well: bzpack (timer), slate-backup (slate), tracker-export (time, study) and foldersync (sync).

            Exit codes: 0 done; 3 done, with findings; 4 changes wait for a folder that takes nothing; 5 stopped before a \
            mass change; 64 usage; 65 bad data; 66 no input; 73 cannot create; 74 I/O; 75 try again later; \
            77 needs Pro, or a passphrase or identity.
            """,
        version: "satchel \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(name: "Apps", subcommands: [Timer.self, Slate.self, Time.self, Study.self]),
            CommandGroup(name: "All apps", subcommands: [Sync.self, TimerProgram.schema]),
            CommandGroup(name: "This device", subcommands: [Open.self, Status.self, Doctor.self, Key.self]),
        ],
        defaultSubcommand: Status.self
    )

    struct Timer: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "timer",
            abstract: "Write, share and keep sessions of BZ Timer.",
            groupedSubcommands: TimerProgram.groups
        )
    }

    struct Slate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "slate",
            abstract: "Back up and restore the tasks and habits of Slate.",
            groupedSubcommands: SlateProgram.groups
        )
    }

    struct Time: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "time",
            abstract: "Track time, and import, export and report time logs.",
            groupedSubcommands: TimeProgram.groups
        )
    }

    struct Study: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "study",
            abstract: "Track study sessions: as time does, for Study Timer.",
            groupedSubcommands: TimeProgram.studyGroups
        )
    }

    struct Sync: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync",
            abstract: "Sync stores through a shared folder; alone, sync everything now.",
            groupedSubcommands: SyncProgram.groups,
            defaultSubcommand: SyncProgram.sync
        )
    }
}
