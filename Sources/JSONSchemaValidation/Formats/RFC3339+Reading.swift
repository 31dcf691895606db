/// The fixed-position reads behind `RFC3339`, eight bytes at a time: these run once per record of a large document.
extension RFC3339 {
    /// Bytes of `YYYY-MM-DD`.
    static let dateLength = 10
    /// Bytes of `HH:MM:SSZ`.
    static let shortestTime = 9
    /// Bytes of a date, `T`, and the shortest time.
    static let shortestDateTime = 20

    /// Reads `YYYY-MM-DD` from exactly ten readable bytes.
    @inline(__always)
    static func readDate(_ base: UnsafePointer<UInt8>) -> FullDate? {
        // "0000-00-", byte by byte from the lowest; a dash may differ by nothing, a digit by 0 to 9.
        guard
            let pairs = digitPairs(
                EightBytes.load(base),
                pattern: 0x2D30_302D_3030_3030,
                slack: 0x7F76_767F_7676_7676
            )
        else { return nil }
        let tens = base[8] &- UInt8(ascii: "0")
        let ones = base[9] &- UInt8(ascii: "0")
        guard tens < 10, ones < 10 else { return nil }
        let century = Int(truncatingIfNeeded: pairs & 0xFF)
        let yearOfCentury = Int(truncatingIfNeeded: pairs >> 16 & 0xFF)
        let year = century &* 100 &+ yearOfCentury
        let month = Int(truncatingIfNeeded: pairs >> 40 & 0xFF)
        let day = Int(tens) &* 10 &+ Int(ones)
        guard month >= 1, month <= 12, day >= 1, day <= 28 || day <= lastDay(ofMonth: month, year: year) else {
            return nil
        }
        return FullDate(year: year, month: month, day: day)
    }

    /// Reads `HH:MM:SS[.fraction]` and its offset from all of `count` bytes, which are at least `shortestTime`.
    @inline(__always)
    static func readTime(_ base: UnsafePointer<UInt8>, count: Int) -> FullTime? {
        // "00:00:00"
        guard
            let pairs = digitPairs(
                EightBytes.load(base),
                pattern: 0x3030_3A30_303A_3030,
                slack: 0x7676_7F76_767F_7676
            )
        else { return nil }
        let hour = Int(truncatingIfNeeded: pairs & 0xFF)
        let minute = Int(truncatingIfNeeded: pairs >> 24 & 0xFF)
        let second = Int(truncatingIfNeeded: pairs >> 48 & 0xFF)
        guard hour <= 23, minute <= 59, second <= 60 else { return nil }
        var index = 8
        var nanoseconds = 0
        if base[index] == UInt8(ascii: ".") {
            guard let fraction = readFraction(base, from: index + 1, count: count) else { return nil }
            index = fraction.end
            nanoseconds = fraction.nanoseconds
        }
        guard let offset = readOffset(base, from: index, count: count) else { return nil }
        if second == 60 {
            // Both terms are within a day of nothing, so one added day keeps the remainder positive.
            let utcMinute = (hour * 60 + minute - offset.minutes + 1440) % 1440
            guard utcMinute == 1439 else { return nil }
        }
        return FullTime(
            hour: hour,
            minute: minute,
            second: second,
            nanoseconds: nanoseconds,
            offsetMinutes: offset.minutes,
            isOffsetUnknown: offset.isUnknown
        )
    }

    /// Reads one digit or more from `start`; gives nil without a digit or when they run to the end.
    @inline(__always)
    private static func readFraction(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int
    ) -> (nanoseconds: Int, end: Int)? {
        var nanoseconds = 0
        var unit = 100_000_000
        var index = start
        while index < count {
            let digit = base[index] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // The unit is 0 from the tenth digit on, which cuts the rest off.
            nanoseconds &+= Int(digit) &* unit
            unit /= 10
            index &+= 1
        }
        return index > start && index < count ? (nanoseconds, index) : nil
    }

    /// Reads `Z` or `±HH:MM` that must fill the bytes from `start` to `count`; seven bytes or more stand before it.
    @inline(__always)
    private static func readOffset(
        _ base: UnsafePointer<UInt8>,
        from start: Int,
        count: Int
    ) -> (minutes: Int, isUnknown: Bool)? {
        let sign = base[start]
        if sign | 0x20 == UInt8(ascii: "z") { return start + 1 == count ? (0, false) : nil }
        guard start + 6 == count, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        // The last five bytes, with three that were read before shifted out, against "00:00".
        let last = EightBytes.load(base + (count - 8)) >> 24
        guard let pairs = digitPairs(last, pattern: 0x30_303A_3030, slack: 0x76_767F_7676) else { return nil }
        let hour = Int(truncatingIfNeeded: pairs & 0xFF)
        let minute = Int(truncatingIfNeeded: pairs >> 24 & 0xFF)
        guard hour <= 23, minute <= 59 else { return nil }
        let minutes = hour &* 60 &+ minute
        return sign == UInt8(ascii: "-") ? (-minutes, minutes == 0) : (minutes, false)
    }

    /// Checks bytes against a pattern of `0` for a digit and literal bytes, and joins each digit with the next.
    ///
    /// - Parameters:
    ///   - slack: per byte, what overflows into the top bit when the byte differs by too much from the pattern:
    ///     0x76 (128 - 10) for a digit, 0x7F for a literal.
    /// - Returns: at the place of the first digit of a pair, the number of the pair; the other places mean nothing.
    @inline(__always)
    private static func digitPairs(_ bytes: UInt64, pattern: UInt64, slack: UInt64) -> UInt64? {
        let digits = bytes ^ pattern
        // A byte of 0x80 or more may carry into its neighbour, but its own top bit already refuses the whole.
        guard (digits &+ slack | digits) & EightBytes.topBits == 0 else { return nil }
        return digits &* 10 &+ (digits >> 8)
    }

    /// Returns the number of days of a month of the proleptic Gregorian calendar.
    package static func lastDay(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Tells whether 23:59:60 UTC falls on the last day of a month, given the local day and offset of such a second.
    static func canHoldLeapSecond(_ date: FullDate, offsetMinutes: Int) -> Bool {
        // East of Greenwich the local day has already turned when the second comes.
        offsetMinutes > 0 ? date.day == 1 : date.day == lastDay(ofMonth: date.month, year: date.year)
    }
}
