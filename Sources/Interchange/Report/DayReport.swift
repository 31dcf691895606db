public import CivilTime
internal import GymPulse
public import TimeTracker

/// A day and its week as one self-contained HTML page: the 24 hours as a dial, totals, the week's columns, and all entries.
///
/// Nothing is loaded from anywhere, and there is no script. Colours are those of the scheme that the reader prefers, on paper
/// those of the light one, changed as little as legibility needs; what the drawings say, tables say with words.
public struct DayReport {
    /// What tells such a page from others, near its beginning.
    public static let mark = "<meta name=\"generator\" content=\"Satchel\">"

    private let day: DaySummary
    private let week: WeekSummary
    private let clock: LocalClock
    private let timeZone: String
    private let series: ReportSeries

    /// A report.
    ///
    /// - Parameters:
    ///   - day: The day.
    ///   - week: The week that it is in.
    ///   - clock: The zone that both were summed up in.
    ///   - timeZone: Its name, as it is shown.
    ///   - buttons: Their colours and icons go with the names of activities.
    public init(day: DaySummary, week: WeekSummary, clock: LocalClock, timeZone: String, buttons: [ActivityButton]) {
        self.day = day
        self.week = week
        self.clock = clock
        self.timeZone = timeZone
        series = ReportSeries(day.totals + week.totals, buttons)
    }

    /// The page.
    public var html: String {
        let title = ReportText.date(day.day)
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            \(Self.mark)
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
            <p>\(ReportText.escaped(summary))</p>
            </header>
            <main>
            <section class="day" aria-label="The day">
            \(DayDial(day: day, clock: clock, series: series).svg)\(totals)</section>
            \(weekSection)\(entries)</main>
            <footer>\(ReportText.escaped("Times of \(timeZone). Lengths are hours and minutes."))</footer>
            </body>
            </html>

            """
    }

    private var summary: String {
        var parts = [
            "\(ReportText.length(day.tracked)) tracked", "\(ReportText.length(day.unaccounted)) not accounted for",
        ]
        parts.append(day.isToday ? "as of \(ReportText.time(day.until, clock))" : "of \(ReportText.length(day.length))")
        if day.overlapping > .zero {
            parts.append("\(ReportText.length(day.overlapping)) counted more than once, in overlaps")
        }
        if let billable = day.billable { parts.append("\(ReportText.length(billable)) billable") }
        return parts.joined(separator: " · ")
    }

    // MARK: Totals

    private var totals: String {
        let whole = max(day.length.seconds, 1)
        var rows = day.totals.map { total in
            let entry = series[total.name]
            let icon = entry?.icon.map { "<span class=\"emoji\">\(ReportText.escaped($0))</span> " } ?? ""
            let count = total.count > 1 ? " <small>× \(total.count)</small>" : ""
            return row(
                "s\(series.number(of: total.name))",
                icon + ReportText.escaped(total.name) + count,
                total.duration,
                whole
            )
        }
        rows.append(row("unaccounted", "Not accounted for", day.unaccounted, whole))
        return """
            <table class="totals">
            <caption>By activity</caption>
            <thead><tr><th scope="col">Activity</th><th scope="col">Time</th><th scope="col">Share</th></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>

            """
    }

    private func row(_ kind: String, _ name: String, _ duration: Duration, _ whole: Double) -> String {
        let share = duration.seconds / whole * 100
        let percent = share > 0 && share < 0.5 ? "&lt; 1 %" : "\(Int(share.rounded())) %"
        return "<tr><th scope=\"row\"><span class=\"key \(kind)\"></span>\(name)"
            + "<span class=\"meter\"><span class=\"\(kind)\" style=\"width:\(ReportText.number(min(share, 100)))%\"></span></span></th>"
            + "<td>\(ReportText.length(duration))</td><td>\(percent)</td></tr>\n"
    }

    // MARK: The week

    private var weekSection: String {
        let days = week.days.map(\.day)
        guard let first = days.first, let last = days.last else { return "" }
        let span = "\(ReportText.shortDate(first).date) – \(ReportText.shortDate(last).date)"
        let legend = series.entries.enumerated().filter { _, entry in week.totals.contains { $0.name == entry.name } }
            .map { number, entry in
                let length = week.totals.first { $0.name == entry.name }.map { ReportText.length($0.duration) } ?? ""
                return
                    "<li><span class=\"key s\(number)\"></span>\(ReportText.escaped(entry.name)) <b>\(length)</b></li>\n"
            }
        return """
            <section class="weekly" aria-label="The week">
            <h2>Week of \(span) <small>\(ReportText.length(week.tracked)) tracked</small></h2>
            \(WeekBars(week: week, day: day.day, clock: clock, series: series).svg)<ul class="legend">
            \(legend.joined())</ul>
            </section>

            """
    }

    // MARK: Entries

    private var entries: String {
        guard !day.pieces.isEmpty else {
            return "<section><h2>Entries</h2>\n<p>Nothing was tracked on this day.</p></section>\n"
        }
        let details = day.details
        let headings = details.map { "<th scope=\"col\">\($0.title)</th>" }.joined()
        let rows = day.pieces.map { piece in
            let number = series.number(of: piece.activity.name)
            let texts = details.map { "<td>\(ReportText.escaped(piece.activity.detail($0) ?? ""))</td>" }
            return "<tr><td>\(ReportWords.span(piece, clock))</td>"
                + "<th scope=\"row\"><span class=\"key s\(number)\"></span>\(ReportText.escaped(piece.activity.name))</th>"
                + "<td>\(ReportText.length(piece.duration))</td>\(texts.joined())<td>\(ReportWords.notes(piece))</td></tr>\n"
        }
        return """
            <section class="entries" aria-label="Entries">
            <h2>Entries <small>\(day.pieces.count)</small></h2>
            <table>
            <thead><tr><th scope="col">From – to</th><th scope="col">Activity</th><th scope="col">Time</th>\
            \(headings)<th scope="col"></th></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>
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
