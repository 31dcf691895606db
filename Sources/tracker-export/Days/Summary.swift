internal import TimeTracker
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension TrackerTool {
    struct Summary: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show how a day was spent.",
            discussion: """
                Activities are cut at the day's ends, which may lie 23 or 25 hours apart; what is running counts until now. \
                Time with several activities counts once in what is tracked, so that tracked and unaccounted time add up to \
                the day, or to the part of today that is over.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: DayOptions
        @OptionGroup var output: FormatOption

        func run() throws {
            let summary = try store.reading().read { records in
                let clock = try when.localClock(stored: try records.timeZone())
                let now = try when.now(clock)
                let day = try when.day(clock, echo: output.format)
                return (try records.summary(of: day, clock: clock, now: now), clock)
            }
            let report = SummaryReport(summary: summary.0, clock: summary.1)
            try output.print(report.text, report.json)
        }
    }
}
