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
        return (others.isEmpty ? Array(found.prefix(1)) : others).map { $0.amount(currency) }
    }
}

/// A column of a report that an activity keeps, and its text.
private struct ReportColumn {
    private let heading: String
    private let text: String
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

    /// Returns the text with the currency of the heading, or another one.
    func amount(_ currency: String?) -> String {
        guard !text.contains(where: { $0.isLetter || $0.isCurrencySymbol }) else { return text }
        let own = heading.split(separator: "(").dropFirst().first?.prefix { $0 != ")" } ?? ""
        let unit = own.isEmpty ? currency ?? "" : String(own)
        return unit.isEmpty ? text : "\(text) \(unit)"
    }
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
        unknownMembers[detail.rawValue] = text.isBlank ? nil : detail.value(of: text)
        // Else a column of the report would be the amount again.
        if text.isBlank, self.detail(detail) != nil { unknownMembers[detail.rawValue] = .string("") }
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
    public var details: [ActivityDetail] {
        ActivityDetail.allCases.filter { detail in
            pieces.contains { $0.activity.detail(detail).map { [name = $0.activity.name] in $0 != name } ?? false }
        }
    }

    /// The time that is billed; nil where no part of the day says whether it is.
    public var billable: Duration? {
        guard pieces.contains(where: { $0.activity.isBillable != nil }) else { return nil }
        return pieces.reduce(.zero) { $1.activity.isBillable == true ? $0 + $1.duration : $0 }
    }
}
