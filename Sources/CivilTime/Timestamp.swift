import JSONSchemaValidation

/// A moment on the UTC time line, read strictly from RFC 3339.
///
/// Foundation's ISO 8601 strategies are not used on purpose: they turn 2026-02-30 into 2 March and accept `+24:00`.
///
/// ```swift
/// Timestamp("2026-03-01T07:30:00+01:00")?.description  // 2026-03-01T06:30:00Z
/// ```
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public let seconds: Int
    /// Nanoseconds after that second, 0 to 999,999,999.
    public let nanoseconds: Int

    /// Makes the moment so many seconds after 1970-01-01T00:00:00Z, held within the years 0000 to 9999.
    public init(seconds: Int, nanoseconds: Int = 0) {
        self.seconds = min(max(seconds, Self.earliest), Self.latest)
        self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
    }

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let earliest = -62_167_219_200
    private static let latest = 253_402_300_799

    /// Tells whether one moment is before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// Returns the moment so many seconds later, or earlier where they are negative.
    public func adding(seconds more: Int) -> Timestamp {
        let (sum, overflow) = seconds.addingReportingOverflow(more)
        return Timestamp(seconds: overflow ? (more > 0 ? Int.max : Int.min) : sum, nanoseconds: nanoseconds)
    }

    /// Returns the same time of the UTC day so many calendar months earlier.
    ///
    /// Where that month is too short, it is on its last day: 31 May less three months is 28 February, or 29 in a leap
    /// year.
    public func subtracting(months: Int) -> Timestamp {
        let day = CivilDay(containing: seconds)
        let time = seconds - day.number * CivilDay.seconds
        return Timestamp(
            seconds: day.subtracting(months: months).number * CivilDay.seconds + time,
            nanoseconds: nanoseconds
        )
    }
}

extension Timestamp: CustomStringConvertible {
    /// The moment in UTC as RFC 3339, with milliseconds only where they are not zero: `2026-03-01T06:30:00Z`.
    public var description: String {
        let day = CivilDay(containing: seconds)
        let time = seconds - day.number * CivilDay.seconds
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, 2) }.joined(separator: ":")
        let milliseconds = nanoseconds / 1_000_000
        return "\(day)T\(clock)\(milliseconds == 0 ? "" : "." + padded(milliseconds, 3))Z"
    }
}

extension Timestamp {
    /// Makes the moment that an RFC 3339 text names; nil for any other text.
    ///
    /// It is read as the schemas' format `date-time` is: date, time and offset must exist, so there is no 30 February, no
    /// hour 24 and no offset of 24 hours. A leap second means the second after it. Digits beyond nanoseconds are dropped.
    public init?(_ text: String) {
        guard let parsed = RFC3339.parse(text),
            let day = CivilDay(year: parsed.year, month: parsed.month, day: parsed.day)
        else { return nil }
        let local = day.number * CivilDay.seconds + parsed.hour * 3600 + parsed.minute * 60 + parsed.second
        self.init(
            seconds: local - parsed.offsetMinutes * 60,
            nanoseconds: parsed.second == 60 ? 0 : parsed.nanoseconds
        )
    }
}

/// Returns a number in digits with leading zeros.
package func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
