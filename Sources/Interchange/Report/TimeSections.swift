package import CivilTime
internal import GymPulse
internal import Pages
package import TimeTracker

/// The parts of a report about a day, or about other days, as markup.
package struct TimeSections {
    private let day: DaySummary?
    private let period: PeriodSummary
    private let clock: LocalClock
    let series: ReportSeries
    private let noun: String

    /// Makes the parts of a report.
    ///
    /// - Parameters: As those of ``TimeReport``.
    init(day: DaySummary?, period: PeriodSummary, clock: LocalClock, series: ReportSeries, noun: String) {
        (self.day, self.period, self.clock, self.series, self.noun) = (day, period, clock, series, noun)
    }

    /// Makes the parts for a page whose policy allows its own style sheet alone: colours are attributes of shapes.
    ///
    /// - Parameters:
    ///   - day: The day in question; nil for a report of all days alike.
    ///   - period: The week that it is in, or the days of the report.
    ///   - clock: The zone that they were summed up in.
    ///   - buttons: Their colours and icons go with the names of activities.
    ///   - noun: What is tracked, in one word.
    package init(
        day: DaySummary?,
        period: PeriodSummary,
        clock: LocalClock,
        buttons: [ActivityButton],
        noun: String = "activity"
    ) {
        let series = ReportSeries((day?.totals ?? []) + period.totals, buttons, .attributes)
        self.init(day: day, period: period, clock: clock, series: series, noun: noun)
    }

    /// The days in words, without markup.
    package var title: String { day.map { ReportText.date($0.day) } ?? ReportText.days(period.days.map(\.day)) }

    /// The number of rows of the entries: those that go on over midnight have one on each day.
    package var rowCount: Int { tables.rowCount }

    /// The 24 hours of the day as a circle; nil where the report is of no single day.
    package var dial: String? { day.map { DayDial(day: $0, clock: clock, series: series).svg } }

    /// The sums by name, as a table.
    package var totals: String {
        day.map { tables.totals($0.totals, $0.unaccounted, $0.length) }
            ?? tables.totals(period.totals, period.unaccounted, period.length)
    }

    /// The sums by client, project, task and tag, as tables in sections; empty for a day.
    var groups: String { tables.groups }

    /// Returns the sums of some days by client, project, task and tag, as tables in sections.
    package func groups(of days: PeriodSummary) -> String {
        ReportTables(days: days.days, period: days, clock: clock, series: series, noun: noun).groups
    }

    /// The stretches without an activity, as a section.
    package var gaps: String { tables.gaps(day?.gaps ?? period.gaps) }

    /// Returns the entries, as a section.
    ///
    /// - Parameter range: The numbers of the rows that are listed; nil for all of them.
    package func entries(_ range: Range<Int>? = nil) -> String { tables.entries(range) }

    private var tables: ReportTables {
        ReportTables(
            days: day.map { [$0] } ?? period.days,
            period: day == nil ? period : nil,
            clock: clock,
            series: series,
            noun: noun
        )
    }

    /// The time that was tracked, billed and left, in a line without markup.
    package var summary: String {
        let (tracked, unaccounted, length) =
            day.map { ($0.tracked, $0.unaccounted, $0.length) } ?? (period.tracked, period.unaccounted, period.length)
        var parts = ["\(ReportText.length(tracked)) tracked", "\(ReportText.length(unaccounted)) not accounted for"]
        let today = day ?? period.days.first(where: \.isToday)
        if length == .zero, today?.isToday != true {
            parts = [day == nil ? "These days are ahead of now" : "This day is ahead of now"]
        } else if let today, today.isToday {
            parts.append("as of \(ReportText.time(today.until, clock))")
        } else {
            parts.append("of \(ReportText.length(length))")
        }
        let overlapping = day?.overlapping ?? period.overlapping
        if overlapping > .zero {
            parts.append("\(ReportText.length(overlapping)) counted more than once, in overlaps")
        }
        if let billable = day.map(\.billable) ?? period.billable {
            let note = billable > tracked ? " (more than was tracked: time that entries share is billed in each)" : ""
            parts.append("\(ReportText.length(billable)) billable\(note)")
        }
        let amounts = day?.amounts ?? period.amounts
        if !amounts.isEmpty { parts.append(amounts.text) }
        return parts.joined(separator: " · ")
    }

    /// A line on what lies ahead of now, which the sums do not have; empty where nothing does.
    package var planned: String {
        let (length, isEmpty) =
            day.map { ($0.plannedLength, $0.planned.isEmpty) } ?? (period.plannedLength, period.plannedCount == 0)
        guard !isEmpty else { return "" }
        let words = DurationText.words(seconds: Int(length.components.seconds))
        return "<p>\(words) planned ahead of now, which no sum here has.</p>\n"
    }

    /// The days, weeks or months as columns, as a section.
    package var bars: String {
        let days = period.days.map(\.day)
        guard let first = days.first, let last = days.last else { return "" }
        let span = "\(ReportText.shortDate(first).date) – \(ReportText.shortDate(last).date)"
        let legend = series.entries.enumerated().filter { _, entry in period.totals.contains { $0.name == entry.name } }
            .map { number, entry in
                let length = period.totals.first { $0.name == entry.name }.map { ReportText.length($0.duration) } ?? ""
                return
                    "<li>\(series.key(number))\(HTMLPage.escaped(entry.name)) <b>\(length)</b></li>\n"
            }
        let heading = day == nil ? span : "Week of \(span)"
        return """
            <section class="columns" aria-label="Day by day">
            <h2>\(heading) <small>\(ReportText.length(period.tracked)) tracked</small></h2>
            \(PeriodBars(period, chosen: day?.day, series: series).svg)<ul class="legend">
            \(legend.joined())</ul>
            </section>

            """
    }
}
