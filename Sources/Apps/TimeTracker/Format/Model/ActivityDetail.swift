public import CivilTime
import FormatKit
package import StrictJSON

/// A preserved member of an activity that people look for: tables have a column for it where an activity has it.
public enum ActivityDetail: String, Sendable, Hashable, CaseIterable {
    case project, client, task, description, tags, billable, amount

    /// The details that say what was done, as texts.
    public static let words: [ActivityDetail] = [.project, .client, .task, .description]

    /// Names the detail in the heading of a table: `Client`.
    public var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    /// Returns a value as a cell shows it; nil where it is none of this detail's.
    package func text(of value: JSONValue) -> String? {
        switch self {
        case .tags:
            guard let tags = value.array?.map({ $0.string ?? "" }), !tags.contains("") else { return nil }
            return tags.joined(separator: ", ")
        case .billable: return value.bool.map { $0 ? "yes" : "no" } ?? value.string
        default: return value.string
        }
    }

    /// Returns what a cell stands for.
    package func value(of text: String) -> JSONValue {
        switch self {
        case .tags:
            let tags = text.split(separator: ",")
                .map { String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()) }
                .filter { !$0.isEmpty }
            return .array(tags.map(JSONValue.string))
        case .billable:
            switch text.lowercased() {
            case "yes", "true", "1": return true
            case "no", "false", "0": return false
            default: return .string(text)
            }
        default: return .string(text)
        }
    }

    /// Returns the amount among the other columns of a report: `111.11 EUR` of `Billable Amount (EUR)`.
    package static func amount(inColumnsOf members: JSONObject) -> String? { amounts(inColumnsOf: members).first }

    /// Returns the amounts among the other columns of a report that are not zero; where all are zero, the first of them.
    ///
    /// The currency is that of the heading, as in `Amount (EUR)`, or of a column `Currency`. Kimai's `Total price`, `Price` and
    /// `Rate` count beside such a column only: elsewhere they may be anything.
    package static func amounts(inColumnsOf members: JSONObject) -> [String] {
        let (columns, currency) = amountColumns(of: members)
        return columns.map { $0.amount(currency) }
    }

    /// Returns the currency of the heading, or of the column `Currency`, where the amount that counts names another.
    package static func otherCurrency(inColumnsOf members: JSONObject) -> String? {
        let (columns, currency) = amountColumns(of: members)
        return columns.first.flatMap { $0.contradicted(currency) }
    }

    /// Returns the text of a column of amounts that holds no number, such as `n/a`, where no column has an amount.
    package static func amountWithoutNumber(inColumnsOf members: JSONObject) -> String? {
        guard amountColumns(of: members).columns.isEmpty else { return nil }
        return (members["columns"]?.object ?? JSONObject()).compactMap(ReportColumn.init)
            .first { $0.isAmountAlone && $0.namesCurrency }?.text
    }

    /// Returns the code of a currency that a text spells: `EUR` of `€` and `eur`; the text where it may mean several.
    static func currencyCode(_ text: String) -> String {
        if text.utf8.count == 3, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) { return text }
        let codes = ReportColumn.codes(of: text)
        return codes.count == 1 ? codes.first ?? text : text
    }

    /// Returns the columns of a report with the amounts that count, and what its column `Currency` says.
    private static func amountColumns(of members: JSONObject) -> (columns: [ReportColumn], currency: String?) {
        let columns = (members["columns"]?.object ?? JSONObject()).compactMap(ReportColumn.init)
        let names = columns.map(\.name)
        let currency = columns.first { $0.name == "currency" }?.currency
        var kinds: [(String) -> Bool] = [{ $0.hasPrefix("billable amount") }, { $0.hasPrefix("amount") }]
        if currency != nil {
            let hasRates = names.contains("hourly rate") || names.contains("fixed rate")
            kinds.append { $0 == "total price" || $0 == "price" || hasRates && $0 == "rate" }
        }
        var found: [ReportColumn] = []
        for isAmount in kinds { found += columns.filter { $0.hasNumber && isAmount($0.name) } }
        let others = found.filter { !$0.isZero }
        return (others.isEmpty ? Array(found.prefix(1)) : others, currency)
    }
}

/// A column of a report that an activity keeps, and its text.
private struct ReportColumn {
    private let heading: String
    let text: String
    /// The heading in lower case.
    let name: String

    init?(_ member: JSONObject.Member) {
        guard let text = member.value.string, !text.isBlank else { return nil }
        (heading, self.text, name) = (member.name, text, member.name.lowercased())
    }

    var hasNumber: Bool { text.contains(where: \.isNumber) }
    var isZero: Bool { text.allSatisfy { !$0.isNumber || $0.wholeNumberValue == 0 } }

    /// The currency that the text names: `EUR` of `Euro - EUR`.
    var currency: String {
        let code = text.split(separator: "-").last ?? ""
        return code.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    var namesCurrency: Bool { text.contains(where: Self.isOfCurrency) }

    /// True for `Amount` and `Billable Amount`, with a currency or without; `Amount type` may hold anything.
    var isAmountAlone: Bool {
        let words = (name.split(separator: "(").first ?? "").split(whereSeparator: \.isWhitespace)
        return words == ["amount"] || words == ["billable", "amount"]
    }

    /// Returns the text with the currency of the heading, or another one.
    func amount(_ currency: String?) -> String {
        let unit = unit(currency)
        guard namesCurrency else { return unit.isEmpty ? text : "\(text) \(unit)" }
        guard text.filter(Self.isOfCurrency) != unit, !Self.codes(of: text).isDisjoint(with: Self.codes(of: unit))
        else { return text }
        let number = text.replacing(/\p{L}+\.?/, with: " ").filter { !$0.isCurrencySymbol }
        return "\(number.split(whereSeparator: \.isWhitespace).joined(separator: " ")) \(unit)"
    }

    /// Returns the currency that the heading names, or another one, where the text names a different one.
    func contradicted(_ currency: String?) -> String? {
        let unit = unit(currency)
        let isCurrency = unit.count == 3 && unit.allSatisfy(\.isUppercase) || unit.contains(where: \.isCurrencySymbol)
        guard isCurrency, namesCurrency else { return nil }
        return Self.codes(of: text).isDisjoint(with: Self.codes(of: unit)) ? unit : nil
    }

    /// The currency of the heading, `EUR` of `Amount (EUR)`, or another one.
    private func unit(_ currency: String?) -> String {
        let own = heading.split(separator: "(").dropFirst().first?.prefix { $0 != ")" } ?? ""
        return own.isEmpty ? currency ?? "" : String(own)
    }

    private static func isOfCurrency(_ character: Character) -> Bool {
        character.isLetter || character.isCurrencySymbol
    }

    /// Returns the codes that a text's sign or word for a currency stands for; a code stands for itself.
    static func codes(of text: String) -> Set<String> {
        let name = text.filter(isOfCurrency).uppercased()
        return name.isEmpty ? [] : signs[name] ?? [name]
    }

    private static let signs: [String: Set<String>] = [
        "€": ["EUR"], "EURO": ["EUR"], "ZŁ": ["PLN"], "£": ["GBP"], "¥": ["CNY", "JPY"], "FR": ["CHF"], "SFR": ["CHF"],
        "$": ["AUD", "CAD", "HKD", "MXN", "NZD", "SGD", "USD"], "US$": ["USD"], "KR": ["DKK", "NOK", "SEK"],
    ]
}

extension TrackerActivity {
    /// Returns the text of a detail; nil where the activity has none, an empty one, or a value of another kind.
    public func detail(_ detail: ActivityDetail) -> String? {
        let own = unknownMembers[detail.rawValue].flatMap(detail.text)
        let text = own ?? (detail == .amount ? ActivityDetail.amount(inColumnsOf: unknownMembers) : nil)
        guard let text, !text.isBlank else { return nil }
        return text
    }

    /// Sets a detail to what a text stands for; an empty text removes it.
    public mutating func set(_ detail: ActivityDetail, _ text: String) {
        guard text.isBlank else {
            unknownMembers[detail.rawValue] = detail.value(of: text)
            return
        }
        unknownMembers.removeValue(forName: detail.rawValue)
        // Else a column of the report would be the amount again.
        if self.detail(detail) != nil { unknownMembers[detail.rawValue] = .string("") }
    }

    /// Divides the activity in two; the amount, and whatever else is said of it, stays with the first part.
    ///
    /// - Parameters:
    ///   - moment: When the second part begins.
    ///   - id: The id of the second part.
    public func split(at moment: ZonedTimestamp, id: String) -> (first: TrackerActivity, second: TrackerActivity) {
        var (first, second) = (self, self)
        first.end = moment
        (second.id, second.start, second.unknownMembers) = (id, moment, JSONObject())
        for detail in ActivityDetail.allCases where detail != .amount {
            second.unknownMembers[detail.rawValue] = unknownMembers[detail.rawValue]
        }
        return (first, second)
    }

    /// True for billed time; nil where nothing says it.
    public var isBillable: Bool? { unknownMembers[ActivityDetail.billable.rawValue]?.bool }
}

extension DaySummary {
    /// The details that parts of the day have beside the names of their activities.
    public var details: [ActivityDetail] { Self.details(of: pieces) }

    /// The details that planned parts have beside the names of their activities.
    package var plannedDetails: [ActivityDetail] { Self.details(of: planned) }

    private static func details(of pieces: [Piece]) -> [ActivityDetail] {
        ActivityDetail.allCases.filter { detail in
            pieces.contains { $0.detail(detail).map { [name = $0.activity.name] in $0 != name } ?? false }
        }
    }

    /// The time that is billed; nil where no part of the day says whether it is.
    public var billable: Duration? {
        guard pieces.contains(where: { $0.activity.isBillable != nil }) else { return nil }
        return pieces.reduce(.zero) { $1.activity.isBillable == true ? $0 + $1.duration : $0 }
    }
}
