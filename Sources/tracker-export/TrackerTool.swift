package import ArgumentParser
internal import CommandSupport
package import Pages
internal import StudyTimer
internal import Synchronization
internal import TimeTracker

struct TrackerTool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tracker-export",
        abstract: "Take time logs out of Time Tracker and Study Timer, and into them, in the formats that others use.",
        discussion: """
            A log lies in a store: $XDG_DATA_HOME/satchel/tracker.db for Time Tracker, timer.db beside it for Study Timer, by \
            default under ~/.local/share, or what --store names. Which app a file or a store belongs to is told by its \
            content.

            Results go to the standard output, diagnostics to the standard error stream. Exit codes: 0 done; 3 done, \
            with findings; 64 usage; 65 bad data; 66 no input; 73 cannot create; 74 I/O.
            """,
        version: "tracker-export \(SatchelVersion.current)",
        groupedSubcommands: [
            CommandGroup(name: "Store", subcommands: [Init.self, Export.self, Import.self]),
            CommandGroup(name: "Tracking", subcommands: [Start.self, Stop.self, Status.self]),
            CommandGroup(name: "Correcting", subcommands: [Entries.self, Buttons.self, Undo.self]),
            CommandGroup(name: "Looking back", subcommands: [Summary.self, Report.self, Open.self]),
            CommandGroup(name: "One activity", subcommands: [Find.self, Restore.self]),
            CommandGroup(name: "Files", subcommands: [Validate.self, Verify.self, Migrate.self, Merge.self]),
            CommandGroup(name: "Study Timer", subcommands: [StudyGroup.self]),
        ]
    )
}

/// The program as `satchel` and its links run it.
package enum TimeProgram {
    /// The commands, by what they are for.
    package static var groups: [CommandGroup] {
        TrackerTool.configuration.groupedSubcommands.filter { $0.name != "Study Timer" }
    }

    /// The commands of Study Timer, by what they are for.
    package static var studyGroups: [CommandGroup] { StudyGroup.configuration.groupedSubcommands }

    /// Returns the pages of the stores of Time Tracker and Study Timer, as far as there are such stores.
    ///
    /// - Parameters:
    ///   - tracker: The path of the store of Time Tracker; nil for the usual one.
    ///   - study: The path of the store of Study Timer; nil for the usual one.
    /// - Throws: 64 where the usual place is not known.
    package static func pages(tracker: String? = nil, study: String? = nil) throws -> [any PageSource] {
        var sources: [any PageSource] = []
        func isThere(_ path: String?, _ name: String) throws -> Bool {
            try path != nil || OutputFile(StoreArgument.path(nil, option: "--store", default: name)).isTaken
        }
        if try isThere(tracker, TrackerStore.fileName) { sources.append(TimePages(store: tracker)) }
        if try isThere(study, StudyStore.fileName) { sources.append(StudyPages(store: study)) }
        return sources
    }

    /// Says how to take a change back.
    static var undoHint: String {
        let program = CommandLine.arguments.first?.split(separator: "/").last
        return "To undo: \(program == "satchel" ? "satchel time" : "tracker-export") undo\(StoreArgument.repeated)"
    }

    /// Takes Study Timer's store where nothing else says which is meant.
    package static func useStudyTimer() { AnyStoreOption.assumed.withLock { $0 = .study } }

    /// Runs the program and ends the process.
    ///
    /// - Parameter root: The command that the arguments begin under; nil for the program by its own name.
    package static func run(_ root: (any ParsableCommand.Type)? = nil) -> Never {
        if root == nil, Program.arguments.first == "study" { useStudyTimer() }
        Program.run(root ?? TrackerTool.self, failure: failure)
    }

}
