/// A time of the day as a table has it: `9:05`, `21:05:30`, `9:05:30 PM`.
struct WrittenTime {
    /// Seconds since 00:00.
    let seconds: Int
    let nanoseconds: Int
    /// True if the seconds are written.
    let hasSeconds: Bool

    init?(_ text: some StringProtocol) {
        let words = String(text.lowercased()).filter { !$0.isWhitespace && $0 != "\u{202F}" }
        var clock = Substring(words)
        var isAfternoon: Bool?
        for (suffix, afternoon) in [("a.m.", false), ("p.m.", true), ("am", false), ("pm", true)] {
            guard isAfternoon == nil, clock.hasSuffix(suffix) else { continue }
            clock = clock.dropLast(suffix.count)
            isAfternoon = afternoon
        }
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3 else { return nil }
        let last = parts.count == 3 ? parts[2].split(separator: ".", omittingEmptySubsequences: false) : ["00"]
        guard last.count <= 2, parts[0].utf8.count <= 2, parts[1].utf8.count == 2, last[0].utf8.count == 2,
            var hour = decimal(parts[0].utf8), let minute = decimal(parts[1].utf8), let second = decimal(last[0].utf8),
            minute < 60, second < 60, hour < 24
        else { return nil }
        if let isAfternoon {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        }
        var fraction = 0
        if last.count == 2 {
            guard let digits = decimal(last[1].utf8) else { return nil }
            fraction = (0..<(9 - last[1].utf8.count)).reduce(digits) { number, _ in number * 10 }
        }
        seconds = hour * 3600 + minute * 60 + second
        nanoseconds = fraction
        hasSeconds = parts.count == 3
    }
}

/// A length of time as a table has it: `1:30:00`, `100:00:01`, or hours as a decimal, `1.50`.
struct WrittenLength {
    /// Seconds, rounded.
    let seconds: Int
    /// The number of seconds by which the text may differ from the truth, as it is rounded.
    let tolerance: Int
    /// The number that stands alone, taken for hours: it may also be one of seconds or minutes.
    private(set) var bareNumber: Int?

    /// The lengths that a number alone can mean beside hours: seconds and minutes.
    var alternatives: [WrittenLength] {
        guard let bareNumber else { return [] }
        return [
            WrittenLength(seconds: bareNumber, tolerance: 1), WrittenLength(seconds: bareNumber * 60, tolerance: 60),
        ]
    }

    private init(seconds: Int, tolerance: Int) { (self.seconds, self.tolerance) = (seconds, tolerance) }

    init?(_ text: some StringProtocol) {
        let text = String(text).filter { !$0.isWhitespace }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 2 || parts.count == 3 {
            let numbers = parts.compactMap { decimal($0.utf8) }
            guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
            seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
            tolerance = numbers.count == 3 ? 1 : 60
        } else {
            let plain = text.replacing(",", with: ".")
            guard let hours = Double(plain), hours >= 0, hours < 1e6, !plain.isEmpty,
                plain.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E })
            else { return nil }
            seconds = Int((hours * 3600).rounded())
            tolerance = 36
            bareNumber = decimal(plain.utf8)
        }
    }
}

/// Tells from all rows of a table whether a number alone is a length in hours.
struct LengthEvidence {
    private var showsHours = false
    private var showsOther = false

    /// True if a row has a decimal or fits in hours, and none fits in minutes or seconds.
    var areHours: Bool { showsHours && !showsOther }

    /// Takes note of the length of a row, held against its times.
    mutating func add(_ row: CSVRow, _ columns: EntryColumns) {
        func text(_ column: Int?) -> String {
            column.map { $0 < row.fields.count ? row.fields[$0].text.trimmed : "" } ?? ""
        }
        let written = text(columns.length)
        guard !written.contains(":"), let length = WrittenLength(written) else { return }
        guard let number = length.bareNumber else {
            // Only hours have decimals.
            showsHours = true
            return
        }
        guard number > 0, let start = WrittenTime(text(columns.start.time)),
            let end = WrittenTime(text(columns.end?.time))
        else { return }
        let took = (end.seconds - start.seconds + 86_400) % 86_400
        if number <= 24, abs(length.seconds % 86_400 - took) <= length.tolerance { showsHours = true }
        if length.alternatives.contains(where: { abs($0.seconds - took) <= $0.tolerance }) { showsOther = true }
    }
}
