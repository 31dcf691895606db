import JSONSchemaValidation

/// A day of the Gregorian calendar, without time and zone.
public struct CivilDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The length of a day in seconds, for arithmetic on UTC.
    package static let seconds = 86_400

    /// Days since 1970-01-01.
    public let number: Int

    /// Makes the day so many days after 1970-01-01, held within ten million days of it.
    public init(number: Int) { self.number = min(max(number, -10_000_000), 10_000_000) }

    /// Makes the UTC day that holds the moment so many seconds after 1970-01-01T00:00:00Z.
    package init(containing seconds: Int) {
        number = (seconds - (seconds % Self.seconds + Self.seconds) % Self.seconds) / Self.seconds
    }

    /// Makes a day from year, month (1 to 12) and day of the month; nil if that day does not exist.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= RFC3339.lastDay(ofMonth: month, year: year)
        else { return nil }
        number = Self.number(year: year, month: month, day: day)
    }

    /// Makes the day that a text names as `YYYY-MM-DD`; nil for any other text and for a day that does not exist.
    ///
    /// ```swift
    /// CivilDay("2026-02-28")?.adding(days: 1).description  // 2026-03-01
    /// ```
    public init?(_ text: String) {
        var text = text
        guard let date = text.withUTF8({ RFC3339.parseDate($0) }) else { return nil }
        self.init(year: date.year, month: date.month, day: date.day)
    }

    /// The ISO weekday: 1 is Monday, 7 is Sunday.
    public var weekday: Int { ((number + 3) % 7 + 7) % 7 + 1 }

    /// The Monday of the day's week.
    public var monday: CivilDay { CivilDay(number: number - weekday + 1) }

    /// The year and the month, from 1.
    package var yearAndMonth: (year: Int, month: Int) {
        let (year, month, _) = components
        return (year, month)
    }

    /// The ISO 8601 week with the year that it belongs to, which is that of its Thursday: 2027-01-03 is in 2026-W53.
    package var isoWeek: (year: Int, week: Int) {
        let thursday = CivilDay(number: monday.number + 3)
        let year = thursday.components.year
        return (year, (thursday.number - Self.number(year: year, month: 1, day: 1)) / 7 + 1)
    }

    /// The date as `YYYY-MM-DD`.
    public var description: String {
        let (year, month, day) = components
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// Tells whether one day is before another.
    public static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }

    /// Returns the day so many days later, or earlier where they are negative.
    public func adding(days: Int) -> CivilDay {
        let (sum, overflow) = number.addingReportingOverflow(days)
        return CivilDay(number: overflow ? (days > 0 ? Int.max : Int.min) : sum)
    }

    /// Returns the day so many calendar months earlier; where that month is too short, its last day.
    package func subtracting(months: Int) -> CivilDay {
        let (year, month, day) = components
        let total = year * 12 + month - 1 - min(max(months, 0), 120_000)
        let newYear = (total - (total % 12 + 12) % 12) / 12
        let newMonth = total - newYear * 12 + 1
        let newDay = min(day, RFC3339.lastDay(ofMonth: newMonth, year: newYear))
        return CivilDay(number: Self.number(year: newYear, month: newMonth, day: newDay))
    }

    /// Returns the day's number by Howard Hinnant's days_from_civil: years begin in March, so that the leap day is the
    /// last.
    private static func number(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Hinnant's civil_from_days, the inverse.
    package var components: (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

extension CivilDay {
    /// The week of the day, Monday to Sunday.
    public var week: ClosedRange<CivilDay> { monday...monday.adding(days: 6) }

    /// The calendar month of the day.
    public var month: ClosedRange<CivilDay> {
        let first = adding(days: 1 - components.day)
        // The 32nd day of a month is in the next one.
        let next = first.adding(days: 31)
        return first...next.adding(days: -next.components.day)
    }
}
