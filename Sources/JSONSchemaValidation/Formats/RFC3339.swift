/// Strict reading of RFC 3339 timestamps (section 5.6), shared by the format checks and by whoever needs the values.
///
/// Calendar days are real days of the proleptic Gregorian calendar, `T` and `Z` may be lower case, an offset runs from
/// -23:59 to +23:59, and a second of 60 stands only where section 5.7 allows one: at 23:59:60 UTC, and in a date-time
/// on the last day of a month.
///
/// ```swift
/// RFC3339.parse("2024-02-29T12:30:00.5+01:00")?.offsetMinutes  // 60
/// ```
package enum RFC3339 {
    /// A `full-date`.
    package struct FullDate: Hashable, Sendable {
        /// 0 to 9999.
        package let year: Int
        /// 1 to 12.
        package let month: Int
        /// 1 to 31, within the month.
        package let day: Int
    }

    /// A `full-time`.
    package struct FullTime: Hashable, Sendable {
        /// 0 to 23.
        package let hour: Int
        /// 0 to 59.
        package let minute: Int
        /// 0 to 60; 60 is a leap second.
        package let second: Int
        /// 0 to 999 999 999; digits of the fraction past the ninth are cut off, not rounded.
        package let nanoseconds: Int
        /// Minutes to subtract from the local time for UTC, -1439 to 1439.
        package let offsetMinutes: Int
        /// True for `-00:00`: the time is UTC and the local offset unknown (section 4.3).
        package let isOffsetUnknown: Bool
    }

    /// A `date-time`: the local date and time, and the offset from UTC.
    package struct DateTime: Hashable, Sendable {
        /// The local calendar day.
        package let date: FullDate
        /// The local time of day with its offset.
        package let time: FullTime

        /// 0 to 9999.
        package var year: Int { date.year }
        /// 1 to 12.
        package var month: Int { date.month }
        /// 1 to 31, within the month.
        package var day: Int { date.day }
        /// 0 to 23.
        package var hour: Int { time.hour }
        /// 0 to 59.
        package var minute: Int { time.minute }
        /// 0 to 60; 60 is a leap second.
        package var second: Int { time.second }
        /// 0 to 999 999 999.
        package var nanoseconds: Int { time.nanoseconds }
        /// Minutes to subtract from the local time for UTC, -1439 to 1439.
        package var offsetMinutes: Int { time.offsetMinutes }
    }

    /// Returns the date-time that the bytes spell from the first to the last; nil where they do not.
    @inline(__always)
    package static func parse(_ utf8: UnsafeBufferPointer<UInt8>) -> DateTime? {
        guard utf8.count >= shortestDateTime, let base = utf8.baseAddress,
            base[dateLength] | 0x20 == UInt8(ascii: "t"),
            let date = readDate(base),
            let time = readTime(base + (dateLength + 1), count: utf8.count - (dateLength + 1))
        else { return nil }
        if time.second == 60, !canHoldLeapSecond(date, offsetMinutes: time.offsetMinutes) { return nil }
        return DateTime(date: date, time: time)
    }

    /// Returns the full-date that the bytes spell from the first to the last; nil where they do not.
    @inline(__always)
    package static func parseDate(_ utf8: UnsafeBufferPointer<UInt8>) -> FullDate? {
        guard utf8.count == dateLength, let base = utf8.baseAddress else { return nil }
        return readDate(base)
    }

    /// Returns the full-time that the bytes spell from the first to the last; nil where they do not.
    @inline(__always)
    package static func parseTime(_ utf8: UnsafeBufferPointer<UInt8>) -> FullTime? {
        guard utf8.count >= shortestTime, let base = utf8.baseAddress else { return nil }
        return readTime(base, count: utf8.count)
    }

    /// Returns the date-time that the text spells; nil where it does not.
    package static func parse(_ text: String) -> DateTime? {
        var text = text
        return text.withUTF8 { parse($0) }
    }

    /// Tells whether the bytes are a date-time.
    static func isDateTime(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool { parse(utf8) != nil }

    /// Tells whether the bytes are a full-date.
    static func isDate(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool { parseDate(utf8) != nil }

    /// Tells whether the bytes are a full-time.
    static func isTime(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool { parseTime(utf8) != nil }
}
