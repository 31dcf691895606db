/// Sums of amounts as reports write them, such as `111.11 EUR`: exact, and one for each currency.
public struct MoneySum: Sendable, Hashable {
    /// Ten-thousandths by currency; the empty text is none.
    private var sums: [String: Int] = [:]
    /// The number of amounts that cannot be read, such as `1,234` of which nobody knows whether it is one or a thousand.
    public private(set) var unreadable = 0

    /// Makes a sum of no amounts.
    public init() {}

    /// True if there are no amounts.
    public var isEmpty: Bool { sums.isEmpty && unreadable == 0 }

    /// The sums, by currency in alphabetical order: `111.11` and `EUR`.
    public var values: [(amount: String, currency: String)] {
        sums.sorted { $0.key < $1.key }.map { (Self.text($0.value), $0.key) }
    }

    /// The sums as one text: `111.11 EUR, 20.00 USD`.
    public var text: String {
        values.map { $0.currency.isEmpty ? $0.amount : "\($0.amount) \($0.currency)" }.joined(separator: ", ")
    }

    /// Adds an amount, such as `1.234,56 €` or `USD 12`.
    public mutating func add(_ text: String) {
        guard let (currency, value) = Self.read(text), add(value, currency) else {
            unreadable += 1
            return
        }
    }

    /// Adds other sums.
    public mutating func add(_ other: MoneySum) {
        unreadable += other.unreadable
        for (currency, value) in other.sums where !add(value, currency) { unreadable += 1 }
    }

    private mutating func add(_ value: Int, _ currency: String) -> Bool {
        let (sum, overflow) = (sums[currency] ?? 0).addingReportingOverflow(value)
        if !overflow { sums[currency] = sum }
        return !overflow
    }

    // MARK: Texts

    private static let scale = 10_000

    /// Returns the amount with two decimals, or up to four where it has more.
    private static func text(_ value: Int) -> String {
        let (whole, rest) = (value.magnitude / UInt(scale), value.magnitude % UInt(scale))
        var decimals = String(String(rest + UInt(scale)).dropFirst())
        while decimals.count > 2, decimals.hasSuffix("0") { decimals.removeLast() }
        return "\(value < 0 ? "-" : "")\(whole).\(decimals)"
    }

    private static func read(_ text: String) -> (currency: String, value: Int)? {
        func isOfNumber(_ character: Character) -> Bool { character.isASCII && character.isNumber }
        guard let first = text.firstIndex(where: isOfNumber), let last = text.lastIndex(where: isOfNumber) else {
            return nil
        }
        var before = text[..<first].filter { !$0.isWhitespace }
        let after = text[text.index(after: last)...].filter { !$0.isWhitespace }
        let isNegative = before.hasSuffix("-") || before.hasPrefix("-")
        if isNegative { before = before.filter { $0 != "-" } }
        guard before.isEmpty || after.isEmpty, let value = number(text[first...last]) else { return nil }
        return (String(before + after), isNegative ? -value : value)
    }

    /// Returns the number in ten-thousandths, with decimals behind a point or a comma, and thousands set apart by the
    /// other one.
    private static func number(_ text: Substring) -> Int? {
        let marks = text.filter { !$0.isNumber }
        var decimals = ""
        var whole = String(text)
        if let mark = marks.last, mark == "." || mark == "," {
            let parts = text.split(separator: mark, omittingEmptySubsequences: false)
            switch parts.count {
            case 2 where parts[1].count != 3 || marks.count > 1:
                (whole, decimals) = (String(parts[0]), String(parts[1]))
            // Nobody knows what 1.234 is, where nothing else tells the thousands.
            case 2: return nil
            default: guard marks.allSatisfy({ $0 == mark }) else { return nil }
            }
        }
        let groups = whole.split(omittingEmptySubsequences: false) { !$0.isNumber }
        guard groups.count == 1 || groups.dropFirst().allSatisfy({ $0.count == 3 }), decimals.count <= 4,
            Set(whole.filter { !$0.isNumber }).count <= 1,
            let value = Int(groups.joined() + decimals + String(repeating: "0", count: 4 - decimals.count))
        else { return nil }
        return value
    }
}
