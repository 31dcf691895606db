/// A moment as RFC 3339 writes it, or a day, for comparisons.
package struct Moment: Comparable {
    /// Seconds since year 0, from the first day.
    package let seconds: Int
    /// The digits of the fraction, without zeros at the end.
    package let fraction: String

    /// Reads a text `YYYY-MM-DD`, or that with `T`, a time and an offset; nil for anything else.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = Self.number(bytes[0..<4]), let month = Self.number(bytes[5..<7]),
            let day = Self.number(bytes[8..<10]), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let start = Self.days(year, month, day) * 86_400
        if bytes.count == 10 {
            seconds = start
            fraction = ""
            return
        }
        guard bytes.count >= 20, bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"), let hour = Self.number(bytes[11..<13]),
            let minute = Self.number(bytes[14..<16]), let second = Self.number(bytes[17..<19]),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var rest = bytes[19...]
        var digits: [UInt8] = []
        if rest.first == UInt8(ascii: ".") {
            digits = Array(rest.dropFirst().prefix { (48...57).contains($0) })
            if digits.isEmpty { return nil }
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let offset = Self.offset(rest) else { return nil }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        seconds = start + hour * 3600 + minute * 60 + second - offset
        fraction = String(decoding: digits, as: UTF8.self)
    }

    package static func < (left: Moment, right: Moment) -> Bool {
        left.seconds == right.seconds ? precedes(left.fraction, right.fraction) : left.seconds < right.seconds
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }

    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        let text = Array(text)
        if text.count == 1, text[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        guard text.count == 6, text[0] == UInt8(ascii: "+") || text[0] == UInt8(ascii: "-"),
            text[3] == UInt8(ascii: ":"), let hours = number(text[1..<3]), let minutes = number(text[4..<6])
        else { return nil }
        return (text[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// Returns the days since 1 March of year 0 (proleptic Gregorian).
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let month = (month + 9) % 12
        let era = year >= 0 ? year / 400 : (year - 399) / 400
        let ofEra = year - era * 400
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + (153 * month + 2) / 5 + day - 1
    }
}
