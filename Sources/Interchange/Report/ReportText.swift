internal import CivilTime
internal import TimeTracker

/// Numbers, lengths and days as a report shows them.
enum ReportText {
    /// Returns a number with at most two decimals, as SVG takes it.
    static func number(_ value: Double) -> String {
        let hundredths = Int((value.isFinite ? value * 100 : 0).rounded())
        let (whole, rest) = (abs(hundredths) / 100, abs(hundredths) % 100)
        let sign = hundredths < 0 ? "-" : ""
        if rest == 0 { return "\(sign)\(whole)" }
        return rest % 10 == 0 ? "\(sign)\(whole).\(rest / 10)" : "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// Returns a length as `h:mm`, rounded to minutes; in seconds below half a minute, where `0:00` would say nothing.
    static func length(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        let rounded = Int(seconds) + (rest >= 500_000_000_000_000_000 ? 1 : 0)
        if rounded < 30 { return rounded == 0 ? "0:00" : "\(rounded) s" }
        let minutes = (rounded + 30) / 60
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60)"
    }

    /// Returns the approximate width of a name in the drawing's bold 13-pixel type.
    static func width(_ name: String) -> Double {
        name.unicodeScalars.reduce(0) {
            $0 + ($1.value < 0x300 ? ("ijlftrI.,:;'!| ".unicodeScalars.contains($1) ? 5 : 8.4) : 14)
        }
    }

    /// Returns the time that a clock shows, as `hh:mm`.
    static func time(_ moment: Timestamp, _ clock: LocalClock) -> String {
        String(decoding: clock.text(of: moment).utf8.dropFirst(11).prefix(5), as: UTF8.self)
    }

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns a day such as `Saturday, 21 November 2026`.
    static func date(_ day: CivilDay) -> String {
        let (year, month, date) = parts(day)
        return "\(weekdays[day.weekday - 1]), \(date) \(month) \(year)"
    }

    /// Returns days such as `November 2026`, `Week of 16 – 22 November 2026`, `1 November – 4 December 2026`.
    static func days(_ days: [CivilDay]) -> String {
        guard let first = days.first, let last = days.last else { return "" }
        let (from, to) = (parts(first), parts(last))
        if first.month == first...last { return "\(from.month) \(from.year)" }
        let end = "\(to.day) \(to.month) \(to.year)"
        let start =
            from.year != to.year
            ? "\(from.day) \(from.month) \(from.year)"
            : from.month != to.month ? "\(from.day) \(from.month)" : "\(from.day)"
        if first == last { return date(first) }
        return first.week == first...last ? "Week of \(start) – \(end)" : "\(start) – \(end)"
    }

    /// Returns a day in two parts such as `Sat` and `21 Nov`.
    static func shortDate(_ day: CivilDay) -> (weekday: String, date: String) {
        let (_, month, date) = parts(day)
        return (String(weekdays[day.weekday - 1].prefix(3)), "\(date) \(month.prefix(3))")
    }

    private static func parts(_ day: CivilDay) -> (year: Int, month: String, day: Int) {
        let numbers = day.description.split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 3, months.indices.contains(numbers[1] - 1) else { return (0, "", 0) }
        return (numbers[0], months[numbers[1] - 1], numbers[2])
    }
}

extension Duration {
    /// The length in seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
