public import FormatKit
import RecordStore
public import StrictJSON

extension TimerSettings {
    /// The settings' names, in the order of the app's document.
    public static let names = [
        "preCountdownSeconds", "warningSecondsBeforeEnd", "enableSounds", "enableVibration",
        "keepScreenAwakeDuringSession", "historyRetention", "customCategories", "isProUser",
    ]

    /// The values that `preCountdownSeconds` may have.
    public static let preCountdownChoices = [0, 3, 5]
    /// The range of `warningSecondsBeforeEnd`.
    public static let warningRange = 0...3600

    /// Settings from their JSON form: what is missing has the app's default.
    ///
    /// - Throws: `bztimer.setting` with the member that has a value it cannot have, `bztimer.member` where the value is
    ///   no object.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        self.init()
        var members = try MemberReader(value, at: pointer)
        for name in Self.names {
            guard let value = try members.optional(name, "a value", { $0 }) else { continue }
            do throws(AppFormatError) {
                try set(name, to: value)
            } catch {
                throw AppFormatError(error.code, error.message, at: pointer.appending(name))
            }
        }
        extra = members.rest
    }

    /// The settings as JSON, members in the order of the app's document and unknown ones after them.
    public var json: JSONValue {
        var members = MemberWriter()
        for name in Self.names { members.add(name, self[name] ?? .null) }
        return members.finish(extra)
    }

    /// The value of a setting by its name, or nil where there is no such setting.
    public subscript(name: String) -> JSONValue? {
        switch name {
        case "preCountdownSeconds": .number(preCountdownSeconds)
        case "warningSecondsBeforeEnd": .number(warningSecondsBeforeEnd)
        case "enableSounds": .bool(enableSounds)
        case "enableVibration": .bool(enableVibration)
        case "keepScreenAwakeDuringSession": .bool(keepScreenAwakeDuringSession)
        case "historyRetention": .string(historyRetention.rawValue)
        case "customCategories": .array(customCategories.map(JSONValue.string))
        case "isProUser": .bool(isProUser)
        default: nil
        }
    }

    /// Sets a setting by its name.
    ///
    /// The plan is not asked: whether a person may change custom categories is for ``Categories/check(new:existing:plan:)``.
    ///
    /// - Throws: `bztimer.setting` where there is no such setting or it cannot have that value.
    public mutating func set(_ name: String, to value: JSONValue) throws(AppFormatError) {
        switch name {
        case "preCountdownSeconds":
            preCountdownSeconds = try Self.read(name, value, "0, 3 or 5", value.int) {
                Self.preCountdownChoices.contains($0)
            }
        case "warningSecondsBeforeEnd":
            let range = Self.warningRange
            let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
            warningSecondsBeforeEnd = try Self.read(name, value, expected, value.int, range.contains)
        case "enableSounds": enableSounds = try Self.read(name, value, "true or false", value.bool)
        case "enableVibration": enableVibration = try Self.read(name, value, "true or false", value.bool)
        case "keepScreenAwakeDuringSession":
            keepScreenAwakeDuringSession = try Self.read(name, value, "true or false", value.bool)
        case "historyRetention":
            let choices = Retention.allCases.map(\.rawValue).joined(separator: ", ")
            historyRetention = try Self.read(name, value, "one of \(choices)", value.string.flatMap(Retention.init))
        case "customCategories":
            customCategories = try Self.read(name, value, Self.expectedCategories, value.array) { Self.areCustom($0) }
                .compactMap(\.string)
        case "isProUser": isProUser = try Self.read(name, value, "true or false", value.bool)
        default:
            throw AppFormatError(.setting, "there is no setting \"\(name)\"; there are \(Self.list(Self.names))")
        }
    }

    /// Sets a setting by its name from what a person typed: `true`, `3`, `6months`, and for custom categories the names
    /// with commas between them.
    ///
    /// - Throws: `bztimer.setting` where there is no such setting or it cannot have that value.
    public mutating func set(_ name: String, toText text: String) throws(AppFormatError) {
        let value: JSONValue =
            switch self[name] {
            case .number: Int(text).map { .number($0) } ?? .string(text)
            case .bool: text == "true" ? true : text == "false" ? false : .string(text)
            case .array: .array(text.split(separator: ",").map { .string(Self.trimmed($0)) })
            default: .string(text)
            }
        try set(name, to: value)
    }

    private static let expectedCategories = "distinct names, none of them blank or a built-in category"

    private static func areCustom(_ values: [JSONValue]) -> Bool {
        let names = values.compactMap(\.string)
        guard names.count == values.count, Categories.custom(among: names).count == names.count else { return false }
        return names.allSatisfy { !$0.isBlank }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.unicodeScalars.drop(while: \.properties.isWhitespace)
        let reversed = start.reversed().drop(while: \.properties.isWhitespace)
        return reversed.reversed().reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }

    private static func read<Value>(
        _ name: String,
        _ found: JSONValue,
        _ expected: String,
        _ value: Value?,
        _ isAllowed: (Value) -> Bool = { _ in true }
    ) throws(AppFormatError) -> Value {
        guard let value, isAllowed(value) else {
            let text = String(decoding: found.encoded(.compact), as: UTF8.self)
            let shown = text.count > 60 ? "\(text.prefix(60))…" : text
            throw AppFormatError(.setting, "found \(shown) for \"\(name)\", expected \(expected)")
        }
        return value
    }
}
