internal import ArgumentParser
internal import CommandSupport

@main
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
            CommandGroup(name: "Looking back", subcommands: [Summary.self, Report.self]),
            CommandGroup(name: "Files", subcommands: [Validate.self, Verify.self, Migrate.self, Merge.self]),
        ]
    )

    static func main() { Program.run(Self.self, failure: failure) }
}
