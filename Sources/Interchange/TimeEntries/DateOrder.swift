internal import CivilTime
internal import FormatKit
internal import StrictJSON

/// The orders in which a table writes day, month and year.
public enum DateOrder: String, Sendable, Hashable, CaseIterable {
    /// Month, day, year, as in the United States.
    case mdy
    /// Day, month, year, as in Europe.
    case dmy
    /// Year, month, day, as in ISO 8601.
    case ymd

    /// The order in words: `month/day/year`.
    var words: String {
        switch self {
        case .mdy: "month/day/year"
        case .dmy: "day/month/year"
        case .ymd: "year-month-day"
        }
    }
}

/// A date as a table has it: three numbers, of which the year has four digits.
struct WrittenDate {
    let year: Int
    /// The other two numbers, in their order.
    let first: Int
    let second: Int
    let isYearFirst: Bool

    /// Makes the date that a text spells with `-`, `/` or `.`; nil where it spells none in any order.
    init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(omittingEmptySubsequences: false) { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
        }
        guard parts.count == 3 else { return nil }
        let numbers = parts.compactMap { decimal($0) }
        guard numbers.count == 3 else { return nil }
        if parts[0].count == 4, parts[1].count <= 2, parts[2].count <= 2 {
            (year, first, second, isYearFirst) = (numbers[0], numbers[1], numbers[2], true)
        } else if parts[2].count == 4, parts[0].count <= 2, parts[1].count <= 2 {
            (year, first, second, isYearFirst) = (numbers[2], numbers[0], numbers[1], false)
        } else {
            return nil
        }
    }

    /// Returns the day that it means in an order; nil where there is no such day.
    func day(_ order: DateOrder?) -> CivilDay? {
        if isYearFirst { return CivilDay(year: year, month: first, day: second) }
        switch order {
        case .mdy: return CivilDay(year: year, month: first, day: second)
        case .dmy: return CivilDay(year: year, month: second, day: first)
        case .ymd: return nil
        case nil: return first == second ? CivilDay(year: year, month: first, day: first) : nil
        }
    }
}

/// The evidence in a table's dates for their order.
struct DateEvidence {
    /// A date that says something, and the row that has it.
    struct Witness {
        let text: String
        let row: Int
        let position: TextPosition
    }

    private var monthFirst: Witness?
    private var dayFirst: Witness?
    private var either: Witness?

    mutating func add(_ text: String, _ date: WrittenDate, row: Int, at position: TextPosition) {
        guard !date.isYearFirst, (1...31).contains(date.first), (1...31).contains(date.second) else { return }
        let witness = Witness(text: text, row: row, position: position)
        switch (date.first > 12, date.second > 12) {
        case (true, false): dayFirst = dayFirst ?? witness
        case (false, true): monthFirst = monthFirst ?? witness
        case (false, false) where date.first != date.second: either = either ?? witness
        default: break
        }
    }

    /// Returns the order of the column; nil where no date needs one.
    ///
    /// - Throws: `entries.date-order` where the dates contradict each other, or can be read in two ways.
    func order() throws(InterchangeError) -> DateOrder? {
        switch (monthFirst, dayFirst, either) {
        case (let month?, let day?, _):
            let message =
                "the dates contradict each other: \(quoted(month.text)) in row \(month.row) is month/day/year, "
                + "\(quoted(day.text)) in row \(day.row) is day/month/year; correct one, or name --date-order mdy or dmy "
                + "to leave the other rows out"
            throw InterchangeError(.dateOrder, message, at: max(month.position, day.position))
        case (.some, nil, _): return .mdy
        case (nil, .some, _): return .dmy
        case (nil, nil, let witness?):
            let message =
                "the date \(quoted(witness.text)) of row \(witness.row) can be read in two ways, and no other date of the "
                + "table decides it; name --date-order mdy or dmy"
            throw InterchangeError(.dateOrder, message, at: witness.position)
        case (nil, nil, nil): return nil
        }
    }
}

/// Returns the number that decimal digits spell; nil for anything else and for more than nine digits.
func decimal(_ digits: some Collection<UInt8>) -> Int? {
    guard (1...9).contains(digits.count) else { return nil }
    var number = 0
    for byte in digits {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + Int(byte - 0x30)
    }
    return number
}
