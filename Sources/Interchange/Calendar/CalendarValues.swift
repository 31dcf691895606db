internal import CivilTime

/// The time of an event's start or end, as a calendar has it (RFC 5545, sections 3.3.4 and 3.3.5).
enum CalendarMoment: Hashable {
    /// A time in UTC.
    case utc(Timestamp)
    /// A time of a zone's clock.
    case zoned(LocalTime, zone: String)
    /// A time of whatever clock is on the wall.
    case floating(LocalTime)
    /// A whole day.
    case day(CivilDay)

    /// Reads the value of `DTSTART`, `DTEND` or `RECURRENCE-ID`.
    ///
    /// - Parameter zone: The parameter `TZID`.
    init?(_ text: some StringProtocol, zone: String?) {
        let bytes = Array(text.utf8)
        guard let day = Self.day(bytes.prefix(8)) else { return nil }
        if bytes.count == 8 {
            self = .day(day)
            return
        }
        guard bytes.count == 15 || bytes.count == 16, bytes[8] | 0x20 == UInt8(ascii: "t"),
            let hour = decimal(bytes[9..<11]), let minute = decimal(bytes[11..<13]),
            let second = decimal(bytes[13..<15]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = hour * 3600 + minute * 60 + second
        if bytes.count == 16 {
            guard bytes[15] | 0x20 == UInt8(ascii: "z") else { return nil }
            self = .utc(Timestamp(seconds: day.number * 86_400 + seconds))
        } else if let zone, !zone.isEmpty {
            let isUTC = ["UTC", "Etc/UTC", "GMT", "Z"].contains(zone)
            let moment = Timestamp(seconds: day.number * 86_400 + seconds)
            self = isUTC ? .utc(moment) : .zoned(LocalTime(day: day, seconds: seconds), zone: zone)
        } else {
            self = .floating(LocalTime(day: day, seconds: seconds))
        }
    }

    /// Returns the day of a text such as `20260301`.
    static func day(_ bytes: ArraySlice<UInt8>) -> CivilDay? {
        let start = bytes.startIndex
        guard bytes.count == 8, let year = decimal(bytes[start..<start + 4]),
            let month = decimal(bytes[start + 4..<start + 6]), let day = decimal(bytes[start + 6..<start + 8])
        else { return nil }
        return CivilDay(year: year, month: month, day: day)
    }
}

/// A length of time as a calendar has it: `PT1H30M`, `P1D`, `P2W` (RFC 5545, section 3.3.6).
struct CalendarDuration: Hashable {
    /// Days, which have 23 or 25 hours where the clocks change.
    let days: Int
    /// Seconds besides.
    let seconds: Int

    /// Reads a duration; a negative one is none.
    init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var (days, seconds, isTime, count) = (0, 0, false, 0)
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: "T"), !isTime {
                isTime = true
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            guard digits.count <= 7, let number = decimal(digits), let unit = rest.popFirst() else { return nil }
            count += 1
            switch (unit, isTime) {
            case (UInt8(ascii: "W"), false): days += number * 7
            case (UInt8(ascii: "D"), false): days += number
            case (UInt8(ascii: "H"), true): seconds += number * 3600
            case (UInt8(ascii: "M"), true): seconds += number * 60
            case (UInt8(ascii: "S"), true): seconds += number
            default: return nil
            }
        }
        guard count > 0 else { return nil }
        (self.days, self.seconds) = (days, seconds)
    }
}

/// Returns an offset from UTC in seconds: `+0100`, `-053012` (RFC 5545, section 3.3.14).
func calendarOffset(_ text: some StringProtocol) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 5 || bytes.count == 7, bytes[0] == UInt8(ascii: "+") || bytes[0] == UInt8(ascii: "-"),
        let hours = decimal(bytes[1..<3]), let minutes = decimal(bytes[3..<5]), hours < 24, minutes < 60
    else { return nil }
    var seconds = hours * 3600 + minutes * 60
    if bytes.count == 7 {
        guard let rest = decimal(bytes[5..<7]), rest < 60 else { return nil }
        seconds += rest
    }
    return bytes[0] == UInt8(ascii: "-") ? -seconds : seconds
}
