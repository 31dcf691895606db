public import CivilTime
internal import GymPulse
internal import Pages
public import TimeTracker

/// A day with its week, or other days, as one self-contained HTML page: the 24 hours as a dial, totals, columns, and all
/// entries.
///
/// Nothing is loaded from anywhere, and there is no script. Colours are those of the scheme that the reader prefers, on paper
/// those of the light one, changed as little as legibility needs; what the drawings say, tables say with words. The page fits
/// a telephone.
public struct TimeReport {
    private let day: DaySummary?
    private let period: PeriodSummary
    private let clock: LocalClock
    private let timeZone: String
    private let series: ReportSeries
    private let noun: String
    /// Whether the page lists the stretches without an activity.
    private let listsGaps: Bool

    /// A report.
    ///
    /// - Parameters:
    ///   - day: The day in question; nil for a report of all days alike.
    ///   - period: The week that it is in, or the days of the report.
    ///   - clock: The zone that they were summed up in.
    ///   - timeZone: Its name, as it is shown.
    ///   - buttons: Their colours and icons go with the names of activities.
    ///   - noun: What is tracked, in one word.
    ///   - listsGaps: Whether the page lists the stretches without an activity.
    public init(
        day: DaySummary?,
        period: PeriodSummary,
        clock: LocalClock,
        timeZone: String,
        buttons: [ActivityButton],
        noun: String = "activity",
        listsGaps: Bool = false
    ) {
        (self.day, self.period, self.clock, self.timeZone) = (day, period, clock, timeZone)
        (self.noun, self.listsGaps) = (noun, listsGaps)
        series = ReportSeries((day?.totals ?? []) + period.totals, buttons)
    }

    /// The page.
    public var html: String {
        let title = day.map { ReportText.date($0.day) } ?? ReportText.days(period.days.map(\.day))
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            \(HTMLPage.mark)
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(title)</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            <header>
            <h1>\(title)</h1>
            <p>\(HTMLPage.escaped(summary))</p>
            </header>
            <main>
            \(sections)</main>
            <footer>\(HTMLPage.escaped("Times of \(timeZone). Lengths are hours and minutes."))</footer>
            </body>
            </html>

            """
    }

    private var sections: String {
        let reported = ReportTables(
            days: day.map { [$0] } ?? period.days,
            period: day == nil ? period : nil,
            clock: clock,
            series: series,
            noun: noun
        )
        let gaps = listsGaps ? reported.gaps(day?.gaps ?? period.gaps) : ""
        guard let day else {
            return barsSection
                + "<section>\n\(reported.totals(period.totals, period.unaccounted, period.length))</section>\n"
                + reported.groups + gaps + reported.entries
        }
        return """
            <section class="day" aria-label="The day">
            \(DayDial(day: day, clock: clock, series: series).svg)\
            \(reported.totals(day.totals, day.unaccounted, day.length))</section>
            \(barsSection)\(gaps)\(reported.entries)
            """
    }

    private var summary: String {
        let (tracked, unaccounted, length) =
            day.map { ($0.tracked, $0.unaccounted, $0.length) } ?? (period.tracked, period.unaccounted, period.length)
        var parts = ["\(ReportText.length(tracked)) tracked", "\(ReportText.length(unaccounted)) not accounted for"]
        let today = day ?? period.days.first(where: \.isToday)
        if let today, today.isToday {
            parts.append("as of \(ReportText.time(today.until, clock))")
        } else {
            parts.append("of \(ReportText.length(length))")
        }
        let overlapping = day?.overlapping ?? period.overlapping
        if overlapping > .zero {
            parts.append("\(ReportText.length(overlapping)) counted more than once, in overlaps")
        }
        if let billable = day.map(\.billable) ?? period.billable {
            parts.append("\(ReportText.length(billable)) billable")
        }
        let amounts = day?.amounts ?? period.amounts
        if !amounts.values.isEmpty { parts.append(amounts.text) }
        return parts.joined(separator: " · ")
    }

    private var barsSection: String {
        let days = period.days.map(\.day)
        guard let first = days.first, let last = days.last else { return "" }
        let span = "\(ReportText.shortDate(first).date) – \(ReportText.shortDate(last).date)"
        let legend = series.entries.enumerated().filter { _, entry in period.totals.contains { $0.name == entry.name } }
            .map { number, entry in
                let length = period.totals.first { $0.name == entry.name }.map { ReportText.length($0.duration) } ?? ""
                return
                    "<li><span class=\"key s\(number)\"></span>\(HTMLPage.escaped(entry.name)) <b>\(length)</b></li>\n"
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

    private var style: String {
        let rules = series.entries.indices.map { number in
            ".s\(number){fill:var(--c\(number));background:var(--c\(number))}.i\(number){fill:var(--i\(number))}"
        }
        return """
            :root { \(ReportStyle.light) \(series.variables(on: ReportSeries.lightPaper)) }
            @media screen and (prefers-color-scheme: dark) {
            :root { \(ReportStyle.dark) \(series.variables(on: ReportSeries.darkPaper)) }
            }
            \(ReportStyle.rules)
            \(rules.joined(separator: "\n"))
            """
    }
}
