internal import TimeTracker
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension TrackerTool {
    struct Status: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the activity that is running, and for how long."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        /// The most entries that are named, as they end in the future.
        private static let mostLater = 5

        func run() throws {
            let now = try clock.moment()
            let (running, later) = try store.reading().read { records in
                let later = try records.ended(after: now)
                let handles = later.isEmpty ? nil : try records.handles()
                let lines = later.prefix(Self.mostLater).map { entry in
                    Messages.endsLater(
                        entry.name,
                        entry.end.map { "\($0)" } ?? "",
                        handles?.handle(of: entry.id) ?? entry.id
                    )
                }
                return (try records.running(), lines.map { ProgramNames.asCalled($0) })
            }
            let text =
                running.map { ProgramNames.asCalled(RunningReport.line("Running", $0, until: now)) }
                ?? Messages.nothingRuns
            try output.print(
                ([text] + later).map { TerminalText.safe($0) + "\n" }.joined(),
                ["running": running.map { RunningReport.json($0, until: now) } ?? .null]
            )
        }
    }
}
