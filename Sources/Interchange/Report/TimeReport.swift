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
    private let parts: TimeSections
    private let timeZone: String
    /// True if the page lists the stretches without an activity.
    private let listsGaps: Bool

    /// Makes a report.
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
        let series = ReportSeries((day?.totals ?? []) + period.totals, buttons)
        parts = TimeSections(day: day, period: period, clock: clock, series: series, noun: noun)
        (self.timeZone, self.listsGaps) = (timeZone, listsGaps)
    }

    /// The page.
    public var html: String {
        let title = parts.title
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
            <p>\(HTMLPage.escaped(parts.summary))</p>
            \(parts.planned)</header>
            <main>
            \(sections)</main>
            <footer>\(HTMLPage.escaped("Times of \(timeZone). Lengths are hours and minutes."))</footer>
            </body>
            </html>

            """
    }

    private var sections: String {
        let gaps = listsGaps ? parts.gaps : ""
        guard let dial = parts.dial else {
            return parts.bars + "<section>\n\(parts.totals)</section>\n" + parts.groups + gaps + parts.entries()
        }
        return """
            <section class="day" aria-label="The day">
            \(dial)\
            \(parts.totals)</section>
            \(parts.bars)\(gaps)\(parts.entries())
            """
    }

    private var style: String {
        let series = parts.series
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
