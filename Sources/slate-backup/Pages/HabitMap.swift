internal import CivilTime
internal import CommandSupport
internal import Pages
internal import Slate

/// The number of habits done on each day of some years, as one drawing for each year.
///
/// Months are below each other, days beside each other.
struct HabitMap {
    /// A day, as far as its habits go.
    struct Day {
        let day: CivilDay
        /// The habits that were done.
        let done: Int
        /// The habits that existed, as far as that is known.
        let habits: Int
        let isPerfect: Bool

        /// The darkness of the day in the drawing, 0 to 4.
        var level: Int {
            // The flag is all that is known of a day whose habits and completions are gone.
            guard habits > 0 else { return isPerfect ? 4 : 0 }
            guard done > 0 else { return 0 }
            return done >= habits ? 4 : min(3, max(1, (done * 8 + habits) / (habits * 2)))
        }

        var words: String {
            let count = "\(done) of \(Words.count(habits, "habit"))"
            guard isPerfect else { return "\(day.words): \(count)" }
            return "\(day.words): a perfect day\(habits > 0 ? ", \(count)" : "")"
        }
    }

    /// A year, newest first among others.
    struct Year {
        let year: Int
        let months: [[Day]]

        var days: [Day] { months.flatMap(\.self) }
    }

    /// The most years that are shown.
    static let most = 10

    let years: [Year]

    /// Counts the days of the last ten years in which something was done.
    ///
    /// - Throws: What reading the database throws.
    init(_ records: SlateRecords, today: CivilDay) throws {
        let (existing, completions) = (try records.existingHabits(), try records.completions())
        let perfect = try records.perfectDays(today: today)
        let last = today.yearAndMonth.year
        let first = completions.days.union(perfect).min()?.yearAndMonth.year ?? last
        years = stride(from: last, through: max(min(first, last), last - Self.most + 1), by: -1).map { year in
            let months = (1...12).compactMap { CivilDay(year: year, month: $0, day: 1)?.month }
            return Year(
                year: year,
                months: months.map { month in
                    (month.lowerBound.number...month.upperBound.number).map { CivilDay(number: $0) }
                        .filter { $0 <= today }
                        .map { day in
                            let (done, habits) = existing.counts(on: day, completions: completions)
                            return Day(day: day, done: done, habits: habits, isPerfect: perfect.contains(day))
                        }
                }
            )
        }
    }

    /// All years, each in a section.
    var html: HTML {
        let legend: HTML = """
            <ul class="legend" aria-label="What the squares mean">
            <li>\(key("d0")) none</li><li>\(key("d1")) some</li><li>\(key("d2")) half</li><li>\(key("d3")) most</li>
            <li>\(key("d4")) all</li><li>\(key("d4", isPerfect: true)) a perfect day</li>
            </ul>
            """
        return legend + "<div class=\"years\">\(years.map(section))</div>"
    }

    private func key(_ kind: String, isPerfect: Bool = false) -> HTML {
        let dot: HTML = "<circle class=\"perfect\" cx=\"6\" cy=\"6\" r=\"2.5\"/>"
        return """
            <svg class="key" viewBox="0 0 12 12" aria-hidden="true"><rect class="\(kind)" width="12" height="12" rx="2"/>\
            \(isPerfect ? dot : HTML())</svg>
            """
    }

    // MARK: A year

    private static let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let (cell, left, top) = (13.0, 34.0, 18.0)

    private func section(_ year: Year) -> HTML {
        let days = year.days
        let (done, all) = (days.reduce(0) { $0 + $1.done }, days.reduce(0) { $0 + $1.habits })
        let perfect = days.count(where: \.isPerfect)
        let share = all > 0 ? ", \(done * 100 / all) % of all habits" : ""
        let text = "\(Words.count(perfect, "perfect day"))\(share)"
        return """
            <section class="panel" aria-labelledby="year-\(year.year)">
            <h3 id="year-\(year.year)">\(year.year)</h3>
            <p class="muted">\(text)</p>
            \(drawing(year, text))
            <details><summary>\(year.year) in numbers</summary>\(table(year))</details>
            </section>
            """
    }

    private func drawing(_ year: Year, _ text: String) -> HTML {
        let (cell, left, top) = (Self.cell, Self.left, Self.top)
        let headings = [1, 8, 15, 22, 29].map { day -> HTML in
            "<text class=\"label\" x=\"\(left + (Double(day) - 0.5) * cell)\" y=\"11\">\(day)</text>"
        }
        let rows = year.months.enumerated().map { number, days -> HTML in
            let y = top + Double(number) * cell
            let squares = days.enumerated().map { index, day -> HTML in
                let x = left + Double(index) * cell
                let dot: HTML = """
                    <circle class="perfect" cx="\(x + 5.5)" cy="\(y + 5.5)" r="2.2"/>
                    """
                return """
                    <g><title>\(day.words)</title><rect class="d\(day.level)" x="\(x)" y="\(y)" width="11" height="11" rx="2"/>\
                    \(day.isPerfect ? dot : HTML())</g>
                    """
            }
            // A telephone has no room for the name of each month.
            let name: HTML = """
                <text class="scale" x="\(left - 5)" y="\(y + 10)">\(Self.names[number])</text>
                """
            return (number.isMultiple(of: 3) ? name : HTML()) + HTML(squares)
        }
        let (width, height) = (left + 31 * cell, top + 12 * cell)
        return """
            <svg class="map" viewBox="0 0 \(width) \(height)" role="img" aria-labelledby="map-\(year.year)">
            <title id="map-\(year.year)">The habits of \(year.year), day by day: \(text)</title>
            \(headings)
            \(rows)
            </svg>
            """
    }

    private func table(_ year: Year) -> HTML {
        let rows = zip(Self.names, year.months).compactMap { name, days -> HTML? in
            guard !days.isEmpty else { return nil }
            let (done, all) = (days.reduce(0) { $0 + $1.done }, days.reduce(0) { $0 + $1.habits })
            return """
                <tr><th scope="row">\(name)</th><td class="number">\(days.count(where: \.isPerfect))</td>\
                <td class="number">\(done)</td><td class="number">\(all)</td></tr>
                """
        }
        return """
            <table>
            <thead><tr><th scope="col">Month</th><th scope="col" class="number">Perfect days</th>\
            <th scope="col" class="number">Habits done</th><th scope="col" class="number">Of</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table>
            """
    }
}
