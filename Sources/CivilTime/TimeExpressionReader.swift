/// English names, in lower case.
enum CalendarNames {
    static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// Returns the number, from 1, of the name that a word of three letters or more begins.
    static func number(_ word: String, in names: [String]) -> Int? {
        guard word.count >= 3 else { return nil }
        return names.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }
}

/// Reads the words of a ``TimeExpression``.
struct TimeExpressionReader {
    let text: String
    /// The words of the text, in lower case.
    let words: [String]

    func form() throws(TimeExpressionError) -> TimeExpression.Form {
        guard let first = words.first, let last = words.last else { throw TimeExpressionError(text, .unknown) }
        if words.count == 1 {
            if first == "now" { return .now }
            if let count = try count(first) { return count }
            if let parts = dateAndTime(first) {
                return .time(try requireDay([parts.date]), seconds: try requireTime(parts.time))
            }
        }
        guard last.contains(":") else { return .day(try requireDay(words)) }
        let seconds = try requireTime(last)
        guard words.count > 1 else { return .time(.fromToday(0), seconds: seconds) }
        if words.count == 2, case .count(let days)? = try count(first) {
            return .time(.fromToday(days), seconds: seconds)
        }
        return .time(try requireDay(words.dropLast()), seconds: seconds)
    }

    /// Returns the form of a count such as `-7d`, `+2w`, `-2h` or `-30m`; nil for any other word.
    private func count(_ word: String) throws(TimeExpressionError) -> TimeExpression.Form? {
        guard let sign = word.first, sign == "-" || sign == "+", let unit = word.last else { return nil }
        let digits = word.dropFirst().dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy(Self.isDigit), "dwhm".contains(unit) else { return nil }
        guard digits.count <= 7, let number = Int(digits) else { throw TimeExpressionError(text, .outOfRange) }
        let signed = sign == "-" ? -number : number
        switch unit {
        case "d": return .count(days: signed)
        case "w": return .count(days: 7 * signed)
        case "h": return .shift(seconds: 3600 * signed)
        default: return .shift(seconds: 60 * signed)
        }
    }

    /// Returns the two parts of `2026-11-21T14:30` without an offset; nil for any other word.
    private func dateAndTime(_ word: String) -> (date: String, time: String)? {
        let parts = word.split(separator: "t", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].contains("-"), parts[0].first.map(\.isNumber) == true else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    private func requireDay(_ words: some Collection<String>) throws(TimeExpressionError) -> TimeExpression.Day {
        let words = Array(words)
        switch words.count {
        case 1:
            if let day = ["yesterday": -1, "today": 0, "tomorrow": 1][words[0]] { return .fromToday(day) }
            if let weekday = CalendarNames.number(words[0], in: CalendarNames.weekdays) {
                return .weekday(weekday, .latest)
            }
            if let date = CivilDay(words[0]) { return .date(date) }
            throw TimeExpressionError(text, isDate(words[0]) ? .noSuchDate : .unknown)
        case 2, 3:
            if words.count == 2, let direction = ["last": TimeExpression.Direction.last, "next": .next][words[0]],
                let weekday = CalendarNames.number(words[1], in: CalendarNames.weekdays)
            {
                return .weekday(weekday, direction)
            }
            return try dayOfMonth(words)
        default: throw TimeExpressionError(text, .unknown)
        }
    }

    /// Returns the day of `21 Nov` or `Nov 21`, with or without a year after it.
    private func dayOfMonth(_ words: [String]) throws(TimeExpressionError) -> TimeExpression.Day {
        let (left, right) = (words[0], words[1])
        let named = CalendarNames.number(left, in: CalendarNames.months)
        guard let month = named ?? CalendarNames.number(right, in: CalendarNames.months),
            let day = number(named == nil ? left : right, digits: 1...2)
        else { throw TimeExpressionError(text, .unknown) }
        // A leap year: without a year, the 29th of February is for the present year to decide.
        var year = 2000
        if words.count == 3 {
            guard let given = number(words[2], digits: 4...4) else { throw TimeExpressionError(text, .unknown) }
            year = given
        }
        guard let date = CivilDay(year: year, month: month, day: day) else {
            throw TimeExpressionError(text, .noSuchDate)
        }
        return words.count == 3 ? .date(date) : .ofYear(month: month, day: day)
    }

    /// Returns the seconds since 00:00 of `14:30` or `14:30:05`.
    private func requireTime(_ word: String) throws(TimeExpressionError) -> Int {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3, let hour = number(parts[0], digits: 1...2),
            let minute = number(parts[1], digits: 2...2),
            let second = parts.count == 3 ? number(parts[2], digits: 2...2) : 0
        else { throw TimeExpressionError(text, .unknown) }
        guard hour < 24, minute < 60, second < 60 else { throw TimeExpressionError(text, .noSuchTime) }
        return hour * 3600 + minute * 60 + second
    }

    private func number(_ word: String, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(word.utf8.count), word.utf8.allSatisfy(Self.isDigit) else { return nil }
        return Int(word)
    }

    /// Tells whether a word is written as a date.
    private func isDate(_ word: String) -> Bool {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 3 && number(parts[0], digits: 4...4) != nil && number(parts[1], digits: 2...2) != nil
            && number(parts[2], digits: 2...2) != nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
