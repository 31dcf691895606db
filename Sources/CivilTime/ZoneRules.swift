/// The offsets of a time zone, as its file has them (RFC 9636).
struct ZoneRules: Sendable {
    /// The moments at which the offset changes, in seconds after 1970-01-01T00:00:00Z.
    private let moments: [Int]
    /// The offset from each of these moments on.
    private let offsets: [Int]
    /// The offset before the first moment.
    private let early: Int
    /// The rule for the time after the last moment.
    private let later: YearlyOffsets?

    /// Reads a file; nil where it is none, or counts leap seconds.
    init?(_ bytes: [UInt8]) {
        guard var header = Header(bytes, at: 0) else { return nil }
        var (start, width) = (Header.size, 4)
        if header.version >= UInt8(ascii: "2") {
            // The first block has 32 bits for a moment, for programs that know no other.
            let second = start + header.length(width)
            guard let next = Header(bytes, at: second) else { return nil }
            (header, start, width) = (next, second + Header.size, 8)
        }
        let end = start + header.length(width)
        guard header.leapSeconds == 0, header.types > 0, end <= bytes.count else { return nil }

        let indexes = start + header.moments * width
        let types = indexes + header.moments
        let offset = (0..<header.types).map { Self.integer(bytes, at: types + 6 * $0, width: 4) }
        moments = (0..<header.moments).map { Self.integer(bytes, at: start + width * $0, width: width) }
        let places = bytes[indexes..<types].map { Int($0) }
        guard places.allSatisfy({ $0 < offset.count }) else { return nil }
        offsets = places.map { offset[$0] }
        early = offset[0]
        later = width == 8 ? YearlyOffsets(bytes[end...]) : nil
    }

    private struct Header {
        static let size = 44
        let version: UInt8
        let (leapSeconds, moments, types): (Int, Int, Int)
        private let others: Int

        init?(_ bytes: [UInt8], at start: Int) {
            guard bytes.count >= start + Self.size, bytes[start..<start + 4].elementsEqual("TZif".utf8) else {
                return nil
            }
            version = bytes[start + 4]
            let counts = (0..<6).map { ZoneRules.integer(bytes, at: start + 20 + 4 * $0, width: 4) }
            guard counts.allSatisfy({ (0...1 << 16).contains($0) }) else { return nil }
            (leapSeconds, moments, types) = (counts[2], counts[3], counts[4])
            others = counts[0] + counts[1] + counts[5]
        }

        /// Returns the number of bytes of the block behind the header.
        func length(_ width: Int) -> Int { moments * (width + 1) + types * 6 + leapSeconds * (width + 4) + others }
    }

    private static func integer(_ bytes: [UInt8], at start: Int, width: Int) -> Int {
        let bits = bytes[start..<start + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return width == 4 ? Int(Int32(truncatingIfNeeded: bits)) : Int(truncatingIfNeeded: bits)
    }

    /// Returns the seconds by which the zone is ahead of UTC.
    func offset(at seconds: Int) -> Int {
        var range = moments.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = moments[middle] <= seconds ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        let count = range.lowerBound
        if count == moments.count, let later { return later.offset(at: seconds) }
        return count == 0 ? early : offsets[count - 1]
    }
}

/// The same changes each year, as POSIX writes them in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
private struct YearlyOffsets: Sendable {
    /// A day of each year, and the time on it.
    private struct Change: Sendable {
        enum Day: Sendable {
            /// The week of a month, 5 for its last, and the day of the week from Sunday.
            case week(month: Int, week: Int, day: Int)
            /// The day of the year from 1, without 29 February.
            case julian(Int)
            /// The day of the year from 0.
            case number(Int)
        }

        let day: Day
        let seconds: Int

        /// Returns the local time of the change, in seconds after 1970-01-01T00:00.
        func moment(in year: Int) -> Int {
            let number: Int
            switch day {
            case .number(let count): number = Self.days(year, 1, 1) + count
            case .julian(let count):
                let isLeap = Self.days(year + 1, 1, 1) - Self.days(year, 1, 1) == 366
                number = Self.days(year, 1, 1) + count - 1 + (isLeap && count >= 60 ? 1 : 0)
            case .week(let month, let week, let day):
                let first = Self.days(year, month, 1)
                let next = month == 12 ? Self.days(year + 1, 1, 1) : Self.days(year, month + 1, 1)
                // 1970-01-01 was a Thursday.
                let weekday = ((first + 4) % 7 + 7) % 7
                let found = first + (day - weekday + 7) % 7 + 7 * (week - 1)
                number = found < next ? found : found - 7
            }
            return number * CivilDay.seconds + seconds
        }

        private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
            CivilDay(year: year, month: month, day: day)?.number ?? 0
        }
    }

    private let standard: Int
    private let summer: (offset: Int, begin: Change, end: Change)?

    /// Reads the line at the end of a file; nil where there is none.
    init?(_ bytes: ArraySlice<UInt8>) {
        var text = PosixText(bytes.dropFirst().prefix { $0 != 0x0A })
        guard text.skipName(), let standard = text.offset() else { return nil }
        self.standard = -standard
        guard text.skipName() else {
            summer = nil
            return
        }
        let offset = text.isAt(",") ? standard - 3600 : text.offset()
        guard let offset, text.skip(","), let begin = Self.change(&text), text.skip(","),
            let end = Self.change(&text)
        else { return nil }
        summer = (-offset, begin, end)
    }

    private static func change(_ text: inout PosixText) -> Change? {
        let day: Change.Day
        if text.skip("M") {
            guard let month = text.number(), (1...12).contains(month), text.skip("."), let week = text.number(),
                (1...5).contains(week), text.skip("."), let weekday = text.number(), (0...6).contains(weekday)
            else { return nil }
            day = .week(month: month, week: week, day: weekday)
        } else if text.skip("J") {
            guard let number = text.number(), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else {
            guard let number = text.number(), (0...365).contains(number) else { return nil }
            day = .number(number)
        }
        guard text.skip("/") else { return Change(day: day, seconds: 2 * 3600) }
        return text.offset().map { Change(day: day, seconds: $0) }
    }

    func offset(at seconds: Int) -> Int {
        guard let (offset, begin, end) = summer else { return standard }
        let year = CivilDay(containing: seconds + standard).yearAndMonth.year
        let (first, last) = (begin.moment(in: year) - standard, end.moment(in: year) - offset)
        // South of the equator summer goes on over the new year.
        let isSummer = first < last ? first <= seconds && seconds < last : seconds < last || first <= seconds
        return isSummer ? offset : standard
    }
}

/// Reads the pieces of a POSIX time zone.
private struct PosixText {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    func isAt(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Goes behind a name, `CET` or `<+0330>`; returns whether there is one.
    mutating func skipName() -> Bool {
        if skip("<") {
            rest = rest.drop { $0 != UInt8(ascii: ">") }
            return skip(">")
        }
        let name = rest.prefix { (0x41...0x5A).contains($0 & 0xDF) }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    mutating func number() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...4).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Hours, and perhaps minutes and seconds, with a sign: `-3:30`.
    mutating func offset() -> Int? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard var seconds = number().map({ $0 * 3600 }) else { return nil }
        for unit in [60, 1] where skip(":") {
            guard let number = number(), number < 60 else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }
}
