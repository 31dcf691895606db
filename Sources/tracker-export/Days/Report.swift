internal import TimeTracker
internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Interchange

extension TrackerTool {
    struct Report: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "report",
            abstract: "Write a page about a day and its week, or about other days.",
            discussion: """
                One HTML file that loads nothing and runs no script, for light and dark, for a telephone and for paper. \
                Only the time until now counts; a note says what lies ahead. Without --output it gets the name of the days, \
                such as report-2026-W10.html, and a page of that name is replaced.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: DayOptions
        @OptionGroup var page: PageOptions
        @OptionGroup var confirmation: ConfirmationOption

        func run() throws {
            let (report, span, planned) = try store.reading().read { records in
                let zone = try records.timeZone()
                let clock = try when.localClock(stored: zone)
                let span = try when.span(clock, echo: .text)
                let now = try when.now(clock)
                let day = span.kind == .day ? span.days.lowerBound : nil
                let period = try records.summary(of: day?.week ?? span.days, clock: clock, now: now)
                let report = TimeReport(
                    day: try day.map { try records.summary(of: $0, clock: clock, now: now) },
                    period: period,
                    clock: clock,
                    timeZone: when.zoneName(stored: zone),
                    buttons: try records.buttons(),
                    listsGaps: page.gaps
                )
                return (report, span, period.plannedCount > 0 ? Messages.plannedApart(period) : nil)
            }
            if let planned { StandardError.note(planned + "\n") }
            try page.write(report, named: "report-\(span.fileName).html", confirmation)
        }
    }
}
