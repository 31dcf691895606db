/// Days and moments of the simulated calendar, in UTC.
enum Calendar {
    static let day = 86_400_000
    static let hour = 3_600_000
    static let minute = 60_000
    /// 1 January 2026, 00:00.
    static let start = 1_767_225_600_000

    /// The civil day of a moment, such as `2026-01-31`.
    static func date(_ milliseconds: Int) -> String {
        let (year, month, day) = civil(milliseconds / day)
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// The day that an app counts a moment to whose days begin at four in the morning.
    static func appDay(_ milliseconds: Int) -> String { date(milliseconds - 4 * hour) }

    /// A moment as the apps write it.
    static func text(_ milliseconds: Int) -> String {
        let seconds = milliseconds / 1000 % 86_400
        return "\(date(milliseconds))T\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))Z"
    }

    /// A moment as BZ Timer and the browser's clock write it, with milliseconds.
    static func preciseText(_ milliseconds: Int) -> String {
        let rest = String(1000 + milliseconds % 1000).dropFirst()
        return "\(text(milliseconds).dropLast()).\(rest)Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The civil date of a number of days since 1970, by Howard Hinnant's method.
    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (yearOfEra + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
    }
}
