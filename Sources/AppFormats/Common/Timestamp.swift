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

    /// The moment so many seconds after 1970-01-01T00:00:00Z, held within the years 0000 to 9999.
    public init(seconds: Int, nanoseconds: Int = 0) {
        self.seconds = min(max(seconds, Self.earliest), Self.latest)
        self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
    }

    /// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
    private static let earliest = -62_167_219_200
    private static let latest = 253_402_300_799

    /// Whether one moment is before another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// The moment so many seconds later, or earlier where they are negative.
    public func adding(seconds more: Int) -> Timestamp {
        let (sum, overflow) = seconds.addingReportingOverflow(more)
        return Timestamp(seconds: overflow ? (more > 0 ? Int.max : Int.min) : sum, nanoseconds: nanoseconds)
    }

    /// The same time of the UTC day so many calendar months earlier; where that month is too short, on its last day.
    ///
    /// 31 May less three months is 28 February, or 29 in a leap year.
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
    /// The moment that a text names as RFC 3339 has it, or nil where the text is anything else.
    ///
    /// Date, time and offset must exist: no 30 February, no hour 24, no offset of 24 hours. Second 60 is read where UTC
    /// may have a leap second and means the next second. Digits beyond nanoseconds are dropped.
    public init?(_ text: String) {
        var scanner = TimestampScanner(bytes: Array(text.utf8))
        guard let moment = scanner.timestamp() else { return nil }
        self = moment
    }
}

/// A number with leading zeros.
func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Reads RFC 3339 from bytes.
private struct TimestampScanner {
    let bytes: [UInt8]
    var position = 0

    mutating func timestamp() -> Timestamp? {
        guard let year = number(4), take("-"), let month = number(2), take("-"), let dayOfMonth = number(2),
            let day = CivilDay(year: year, month: month, day: dayOfMonth), take("T") || take("t"),
            let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
            let second = number(2), second <= 60, let fraction = fraction(), let offset = offset(),
            position == bytes.count
        else { return nil }
        let seconds = day.number * CivilDay.seconds + hour * 3600 + minute * 60 + second - offset
        if second == 60, seconds % CivilDay.seconds != 0 { return nil }
        return Timestamp(seconds: seconds, nanoseconds: second == 60 ? 0 : fraction)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, (48...57).contains(bytes[position]) else { return nil }
        position += 1
        return Int(bytes[position - 1]) - 48
    }

    private mutating func number(_ width: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func fraction() -> Int? {
        guard take(".") else { return 0 }
        guard var value = digit() else { return nil }
        var width = 1
        while let digit = digit() {
            if width < 9 {
                value = value * 10 + digit
                width += 1
            }
        }
        while width < 9 {
            value *= 10
            width += 1
        }
        return value
    }

    private mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), hours < 24, take(":"), let minutes = number(2), minutes < 60 else {
            return nil
        }
        return sign * (hours * 3600 + minutes * 60)
    }
}
