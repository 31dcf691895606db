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

        func run() throws {
            let running = try store.reading().read { try $0.running() }
            let now = try clock.moment()
            let text = running.map { RunningReport.line("Running", $0, until: now) } ?? Messages.nothingRuns
            try output.print(
                TerminalText.safe(text) + "\n",
                ["running": running.map { RunningReport.json($0, until: now) } ?? .null]
            )
        }
    }
}
