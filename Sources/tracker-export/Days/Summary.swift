internal import TimeTracker
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension TrackerTool {
    struct Summary: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "summary",
            abstract: "Show how a day, a week, a month or other days were spent.",
            discussion: """
                Activities are cut at the ends of the days, which may lie 23 or 25 hours apart; what is running counts until \
                now. Time with several activities counts once in what is tracked, so that tracked and unaccounted time add up \
                to the days, or to the part of them that is over. What lies ahead, as in a calendar, is told apart as planned: \
                it counts in no sum. Amounts count on the day on which an activity begins.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: DayOptions
        @OptionGroup var output: FormatOption

        @Flag(help: "List the stretches without an activity.")
        var gaps = false

        func run() throws {
            let report = try store.reading().read { records in
                let clock = try when.localClock(stored: try records.timeZone())
                let span = try when.span(clock, echo: output.format)
                let period = try records.summary(of: span.days, clock: clock, now: try when.now(clock))
                return SummaryReport(period: period, span: span, clock: clock, listsGaps: gaps)
            }
            try output.print(report.text, report.json)
        }
    }
}
