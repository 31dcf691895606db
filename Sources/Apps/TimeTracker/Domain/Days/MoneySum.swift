/// Sums of amounts as reports write them, such as `111.11 EUR`: exact, and one for each currency.
public struct MoneySum: Sendable, Hashable {
    /// Ten-thousandths by the currency's code; the empty text is none.
    private var sums: [String: Int] = [:]
    /// The currencies as the amounts spell them, by their codes; where they differ, the code itself.
    private var spellings: [String: String] = [:]
    /// The number of amounts that cannot be read, such as `1,234` of which nobody knows whether it is one or a thousand.
    public private(set) var unreadable = 0

    /// Makes a sum of no amounts.
    public init() {}

    /// True if there are no amounts.
    public var isEmpty: Bool { sums.isEmpty && unreadable == 0 }

    /// The sums, by currency in alphabetical order: `111.11` and `EUR`.
    public var values: [(amount: String, currency: String)] {
        sums.sorted { $0.key < $1.key }.map { (Self.text($0.value), spellings[$0.key] ?? $0.key) }
    }

    /// The sums as one text, `111.11 EUR, 20.00 USD`, with the number of amounts that they lack; empty without amounts.
    public var text: String {
        let sums = values.map { $0.currency.isEmpty ? $0.amount : "\($0.amount) \($0.currency)" }
        let lacking = unreadable > 0 ? "\(unreadable) unreadable amount\(unreadable == 1 ? "" : "s")" : nil
        let readable = sums.isEmpty ? nil : sums.joined(separator: ", ")
        return [readable, lacking].compactMap(\.self).joined(separator: " and ")
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
        for (code, value) in other.sums where !add(value, other.spellings[code] ?? code) { unreadable += 1 }
    }

    private mutating func add(_ value: Int, _ currency: String) -> Bool {
        let code = ActivityDetail.currencyCode(currency)
        let (sum, overflow) = (sums[code] ?? 0).addingReportingOverflow(value)
        guard !overflow else { return false }
        sums[code] = sum
        let isCode = currency.uppercased() == code
        spellings[code] = isCode || spellings[code] ?? currency != currency ? code : currency
        return true
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
        let text = text.replacing("\u{2212}", with: "-")
        func isOfNumber(_ character: Character) -> Bool { character.isASCII && character.isNumber }
        guard let first = text.firstIndex(where: isOfNumber), let last = text.lastIndex(where: isOfNumber) else {
            return nil
        }
        var (before, digits) = (text[..<first], text[first...last])
        // Of `.5` the mark belongs to the number, of `Fr.5` to the currency.
        if let mark = before.last, mark == "." || mark == ",", before.dropLast().last?.isLetter != true {
            (before, digits) = (before.dropLast(), text[before.index(before: first)...last])
        }
        var sign = before.filter { !$0.isWhitespace }
        var isNegative = sign.hasSuffix("-") || sign.hasPrefix("-")
        if isNegative || sign.hasSuffix("+") || sign.hasPrefix("+") { sign.removeAll { $0 == "-" || $0 == "+" } }
        var rest = text[text.index(after: last)...]
        // Bookkeeping programs write 25.00- for a credit. A whole amount such as 5- may be 5.- as well.
        if !isNegative, rest.first == "-", digits.contains(where: { $0 == "." || $0 == "," }) {
            (isNegative, rest) = (true, rest.dropFirst())
        }
        let currency = sign + String(ending(rest.filter { !$0.isWhitespace }))
        guard sign.isEmpty || currency == sign, !currency.hasPrefix("-"), !currency.hasSuffix("-"),
            let value = number(digits),
            currency.isEmpty || currency.contains(where: { $0.isLetter || $0.isCurrencySymbol }),
            !currency.contains("%")
        else { return nil }
        return (currency, isNegative ? -value : value)
    }

    /// Returns what stands behind a number without the `.-` or `,` that ends whole amounts, as in `100.-`.
    private static func ending(_ text: String) -> Substring {
        guard let mark = text.first, mark == "." || mark == "," else { return text[...] }
        return text.dropFirst().drop { "-\u{2013}\u{2014}".contains($0) }
    }

    /// Tells whether two texts are the same amount: `240 EUR` and `240.00 €`.
    static func areEqual(_ left: String, _ right: String) -> Bool {
        guard let left = read(left), let right = read(right) else { return false }
        return left.value == right.value
            && ActivityDetail.currencyCode(left.currency) == ActivityDetail.currencyCode(right.currency)
    }

    /// Tells whether a text that cannot be read is an amount that nobody can tell, such as `1,234 EUR`.
    package static func isAmbiguous(_ text: String) -> Bool {
        read(text) == nil && read(text.replacing(/[.,](?=[0-9]{3}(?![0-9.,]))/, with: "")) != nil
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
            case 2 where parts[1].count != 3 || marks.count > 1 || parts[0].isEmpty:
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
