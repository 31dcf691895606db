internal import CivilTime
internal import GymPulse
internal import Pages
internal import TimeTracker

/// The tables of a report: totals, groups, gaps and entries.
struct ReportTables {
    /// The days whose entries are listed.
    let days: [DaySummary]
    /// The days as a period, for sums by client and the like; nil for a single day, whose entries say it.
    let period: PeriodSummary?
    let clock: LocalClock
    let series: ReportSeries
    let noun: String

    // MARK: Totals

    func totals(_ totals: [DaySummary.Total], _ unaccounted: Duration, _ length: Duration) -> String {
        let whole = max(length.seconds, 1)
        let percents = Self.percents(totals.map(\.duration.seconds) + [unaccounted.seconds], of: whole)
        var rows = zip(totals, percents).map { total, percent in
            let entry = series[total.name]
            let icon = entry?.icon.map { "<span class=\"emoji\">\(HTMLPage.escaped($0))</span> " } ?? ""
            let count = total.count > 1 ? " <small>× \(total.count)</small>" : ""
            let name = icon + HTMLPage.escaped(total.name) + count
            return row(series.number(of: total.name), name, total.duration, whole, percent)
        }
        rows.append(row(nil, "Not accounted for", unaccounted, whole, percents.last ?? 0))
        let heading = noun.prefix(1).uppercased() + noun.dropFirst()
        return """
            <table class="totals">
            <caption>By \(noun)</caption>
            <thead><tr><th scope="col">\(heading)</th><th scope="col">Time</th><th scope="col">Share</th></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>

            """
    }

    /// Shares in whole per cent whose sum is what the parts are of the whole: the largest rests are rounded up.
    private static func percents(_ parts: [Double], of whole: Double) -> [Int] {
        let exact = parts.map { $0 / whole * 100 }
        var percents = exact.map { Int($0.rounded(.down)) }
        let sum = Int(exact.reduce(0, +).rounded())
        let order = exact.indices.sorted { left, right in
            let rests = (exact[left] - exact[left].rounded(.down), exact[right] - exact[right].rounded(.down))
            return rests.0 == rests.1 ? left < right : rests.0 > rests.1
        }
        for index in order.prefix(max(0, sum - percents.reduce(0, +))) { percents[index] += 1 }
        return percents
    }

    private func row(_ number: Int?, _ name: String, _ duration: Duration, _ whole: Double, _ percent: Int) -> String {
        let share = duration.seconds / whole * 100
        let percent = share > 0 && percent == 0 ? "&lt; 1 %" : "\(percent) %"
        return "<tr><th scope=\"row\">\(series.key(number))\(name)\(series.meter(number, share))</th>"
            + "<td>\(ReportText.length(duration))</td><td>\(percent)</td></tr>\n"
    }

    // MARK: Groups

    /// The sums by client, project, task and tag, as far as activities have them.
    var groups: String {
        guard let period else { return "" }
        return [Grouping.client, .project, .task, .tags].map { grouping in
            let totals = period.totals(by: grouping)
            guard !totals.isEmpty else { return "" }
            let (hasBillable, hasAmounts) = (
                totals.contains { $0.billable != nil }, totals.contains { !$0.amounts.isEmpty }
            )
            let headings = ["Time"] + (hasBillable ? ["Billable"] : []) + (hasAmounts ? ["Amount"] : [])
            let rows = totals.map { total in
                var cells = [ReportText.length(total.duration)]
                if hasBillable { cells.append(total.billable.map(ReportText.length) ?? "") }
                if hasAmounts { cells.append(HTMLPage.escaped(total.amounts.text)) }
                let name = total.name.map { HTMLPage.escaped($0) } ?? "<small>none</small>"
                return "<tr><th scope=\"row\">\(name)</th>\(cells.map { "<td>\($0)</td>" }.joined())</tr>\n"
            }
            let title = grouping.rawValue.prefix(1).uppercased() + grouping.rawValue.dropFirst()
            return """
                <section>
                <table class="totals">
                <caption>By \(grouping == .tags ? "tag" : grouping.rawValue)</caption>
                <thead><tr><th scope="col">\(title)</th>\
                \(headings.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
                <tbody>
                \(rows.joined())</tbody>
                </table>
                </section>

                """
        }.joined()
    }

    // MARK: Gaps

    func gaps(_ gaps: [DaySummary.Gap]) -> String {
        let rows = gaps.map { gap in
            let (first, last) = (clock.day(of: gap.start), clock.day(of: gap.end))
            let day = period == nil ? "" : day(first) + " "
            let (start, end) = (ReportText.time(gap.start, clock), ReportText.time(gap.end, clock))
            let isMidnight = end == "00:00" && last == first.adding(days: 1)
            let until = isMidnight ? "24:00" : last == first ? end : "\(self.day(last)) \(end)"
            let length = ReportText.length(.nanoseconds(gap.end.nanoseconds(since: gap.start)))
            return "<tr><th scope=\"row\">\(day)\(start) – \(until)</th><td>\(length)</td></tr>\n"
        }
        return """
            <section aria-label="Gaps">
            <table class="totals">
            <caption>Not accounted for</caption>
            <thead><tr><th scope="col">From – to</th><th scope="col">Time</th></tr></thead>
            <tbody>
            \(rows.joined())</tbody>
            </table>
            </section>

            """
    }

    private func day(_ day: CivilDay) -> String {
        let (weekday, date) = ReportText.shortDate(day)
        return "\(weekday) \(date)"
    }

    // MARK: Entries

    /// The number of rows: entries that go on over midnight have one on each day.
    var rowCount: Int { days.reduce(0) { $0 + $1.pieces.count } }

    /// The number of entries; one that goes on over midnight is one.
    private var entryCount: Int { period?.activities.count ?? rowCount }

    /// Returns the section of the entries.
    ///
    /// - Parameter range: The numbers of the rows that are listed; nil for all of them.
    func entries(_ range: Range<Int>? = nil) -> String {
        let count = entryCount
        guard count > 0 else {
            return "<section><h2>Entries</h2>\n<p>Nothing was tracked.</p></section>\n"
        }
        let details = ActivityDetail.allCases.filter { detail in days.contains { $0.details.contains(detail) } }
        let headings = details.map { "<th scope=\"col\">\($0.title)</th>" }.joined()
        var first = 0
        let bodies = days.compactMap { day -> String? in
            let own = first..<first + day.pieces.count
            first = own.upperBound
            let listed = range.map(own.clamped) ?? own
            guard !listed.isEmpty else { return nil }
            let rows = listed.map { row(day.pieces[$0 - own.lowerBound], details) }.joined()
            let heading =
                period == nil
                ? ""
                : "<tr class=\"date\"><th scope=\"rowgroup\" colspan=\"\(4 + details.count)\">\(ReportText.date(day.day)) "
                    + "<small>\(ReportText.length(day.tracked))</small></th></tr>\n"
            return "<tbody>\n\(heading)\(rows)</tbody>\n"
        }
        return """
            <section class="entries" aria-label="Entries">
            <h2>Entries <small>\(count)</small></h2>
            <table>
            <thead><tr><th scope="col">From – to</th><th scope="col">\(noun.prefix(1).uppercased())\(noun.dropFirst())</th>\
            <th scope="col">Time</th>\(headings)<td></td></tr></thead>
            \(bodies.joined())</table>
            </section>

            """
    }

    private func row(_ piece: DaySummary.Piece, _ details: [ActivityDetail]) -> String {
        let number = series.number(of: piece.activity.name)
        let texts = details.map { detail in
            let text = HTMLPage.escaped(piece.detail(detail) ?? "")
            return "<td class=\"detail\" data-label=\"\(detail.title)\">\(text)</td>"
        }
        return "<tr><td class=\"span\">\(ReportWords.span(piece, clock))</td>"
            + "<th scope=\"row\">\(series.key(number))\(HTMLPage.escaped(piece.activity.name))</th>"
            + "<td class=\"time\">\(ReportText.length(piece.duration))</td>\(texts.joined())"
            + "<td class=\"note\">\(ReportWords.notes(piece))</td></tr>\n"
    }
}
