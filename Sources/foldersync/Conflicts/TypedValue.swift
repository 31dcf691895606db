internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

/// Reads the value that a person types for a member in conflict, and checks it by the schema of the app's records.
struct TypedValue {
    /// A typed value that the member cannot have.
    struct Fault: Error {
        /// The expected and the found value.
        let message: String
    }

    private let app: AppID
    private let schema: RecordSchema?
    private let clock: LocalClock
    private let now: Timestamp
    /// The rows to which references of a declared app lead.
    private let references: DeclaredReferences?

    /// Makes a reader for the records of an app.
    ///
    /// - Parameters:
    ///   - clock: The clock of local times.
    ///   - now: The present moment.
    ///   - store: The path of the store, for the titles of its rows; nil for none.
    init(_ app: AppID, _ clock: LocalClock, now: Timestamp, store: String? = nil) {
        (self.app, self.schema, self.clock, self.now) = (app, RecordSchema(app), clock, now)
        references = schema == nil ? store.map { DeclaredReferences($0) } : nil
    }

    /// Reads a text: by what the member holds, else as JSON.
    ///
    /// - Throws: ``Fault`` where the member cannot have it.
    func read(_ text: String, for conflict: RecordConflict) throws(Fault) -> JSONValue {
        let value = try parse(text, conflict)
        try check(value, for: conflict)
        return value
    }

    /// Checks a value by the schema; one of members that change together, each of them.
    ///
    /// - Throws: ``Fault`` where the member cannot have it.
    func check(_ value: JSONValue, for conflict: RecordConflict) throws(Fault) {
        if let table = target(conflict), let key = references?.key(of: value, in: table),
            references?.keys(key, of: table) != [key]
        {
            throw unexpected(value.string ?? value.text(.compact), conflict)
        }
        guard let schema else { return try checkWhole(value, conflict) }
        let collection = conflict.name.collection
        func check(_ value: JSONValue, _ path: [String]) throws(Fault) {
            if let text = value.string, Words.isBlank(text), Self.names[app]?.contains([collection] + path) == true {
                throw Fault(message: "\(path[0]): found \"\(text)\", expected a text that is not blank")
            }
            guard let member = schema.member(collection, path), let fault = schema.fault(of: value, member) else {
                return
            }
            let note = member.description.map { " (\($0.hasSuffix(".") ? String($0.dropLast()) : $0))" } ?? ""
            throw Fault(message: "\(member.name): \(fault)\(note)")
        }
        guard !conflict.members.isEmpty, let object = value.object else { return try check(value, conflict.path) }
        for member in object { try check(member.value, conflict.path.dropLast() + [member.name]) }
    }

    /// Checks that a column of whole numbers gets no fraction, unless one of the values in conflict has one.
    private func checkWhole(_ value: JSONValue, _ conflict: RecordConflict) throws(Fault) {
        let known = conflict.choices.compactMap(\.value) + [conflict.old?.value].compactMap(\.self)
        func members(_ value: JSONValue) -> [(name: String, value: JSONValue)] {
            guard conflict.members.isEmpty else { return value.object.map { $0.map { ($0.name, $0.value) } } ?? [] }
            return conflict.path.count == 1 ? [(conflict.path[0], value)] : []
        }
        func isFraction(_ value: JSONValue) -> Bool { value.number != nil && value.int == nil }
        for (name, value) in members(value) where isFraction(value) {
            guard references?.kind(of: name, in: conflict.name.collection) == .integer,
                !known.contains(where: { members($0).contains { $0.name == name && isFraction($0.value) } })
            else { continue }
            throw Fault(message: "\(name): expected a whole number, found \(value.text(.compact))")
        }
    }

    /// The members that name a record, and that no program of the app lets be blank.
    private static let names: [AppID: Set<[String]>] = [
        .slate: [["tasks", "title"], ["habits", "title"]], .bztimer: [["sessions", "name"], ["activities", "label"]],
    ]

    /// Returns the expected kind of value, for a question.
    func expectation(_ conflict: RecordConflict) -> String {
        guard conflict.members.isEmpty else {
            return "a JSON object with \(conflict.members.joined(separator: ", "))"
        }
        if let table = target(conflict) { return "the title or number of a row of \(table), or none" }
        let member = member(conflict)
        let none = member?.isNullable == true ? ", or none" : ""
        switch kind(conflict) {
        case .text: return "a text"
        case .day: return "a day such as 2026-11-21 or friday\(none)"
        case .moment: return "a moment such as 2026-11-21T14:30:00+01:00 or \"yesterday 14:30\"\(none)"
        case .flag: return "yes or no"
        case .integer: return "a whole number\(range(member))\(none)"
        case .number: return "a number\(range(member))\(none)"
        case .seconds: return "a length such as \"4 h 55 min\", or seconds\(range(member))\(none)"
        case .choice(let values):
            return "one of \(values.map { $0.string ?? $0.text(.compact) }.joined(separator: ", "))"
        case .other: return "a value as JSON"
        }
    }

    private func range(_ member: RecordSchema.Member?) -> String {
        guard let least = member?.bounds.least else { return "" }
        return member?.bounds.most.map { " from \(least) to \($0)" } ?? " from \(least) on"
    }

    /// Returns the table to which the member in conflict refers; nil for any other.
    private func target(_ conflict: RecordConflict) -> String? {
        guard let references, conflict.members.isEmpty, conflict.path.count == 1 else { return nil }
        return references.target(of: conflict.path[0], in: conflict.name.collection)
    }

    /// Returns the key of the row that a text names, or null.
    private func reference(_ text: String, to table: String, _ conflict: RecordConflict) throws(Fault) -> JSONValue {
        let keys = references?.keys(text, of: table) ?? []
        guard keys.count < 2 else {
            let member = conflict.path.last ?? ""
            let fault = "\(keys.count) rows of \(table) are called \"\(text)\"; give the number of one"
            throw Fault(message: "\(member): \(fault)")
        }
        if let key = keys.first { return references?.value(ofKey: key, in: table) ?? .string(key) }
        guard ["none", "null"].contains(text.lowercased()) else { throw unexpected(text, conflict) }
        return .null
    }

    private func member(_ conflict: RecordConflict) -> RecordSchema.Member? {
        schema?.member(conflict.name.collection, conflict.path)
    }

    /// Returns the kind of the member: by the schema, or by the values in conflict.
    private func kind(_ conflict: RecordConflict) -> RecordSchema.Member.Kind {
        guard conflict.members.isEmpty else { return .other }
        if let kind = member(conflict)?.kind { return kind }
        let values = conflict.choices.compactMap(\.value) + [conflict.old?.value].compactMap(\.self)
        let telling = values.filter { !$0.isNull }
        guard !telling.isEmpty else { return .other }
        if telling.allSatisfy({ $0.string != nil }) { return .text }
        if telling.allSatisfy({ $0.int != nil }) {
            let name = conflict.path.count == 1 ? conflict.path[0] : ""
            let column = references?.kind(of: name, in: conflict.name.collection)
            return column == .real || column == .any ? .number : .integer
        }
        return telling.allSatisfy { $0.number != nil } ? .number : .other
    }

    private func parse(_ text: String, _ conflict: RecordConflict) throws(Fault) -> JSONValue {
        let json = try? JSONDocument(parsing: text).root.value
        if let table = target(conflict) { return try reference(json?.string ?? text, to: table, conflict) }
        let kind = kind(conflict)
        if json?.isNull == true || text.lowercased() == "none" && kind != .text {
            // Of an app without a schema, its database decides.
            if member(conflict)?.isNullable ?? (kind != .text) { return .null }
        }
        let plain = json?.string ?? text
        switch kind {
        case .text: return .string(plain)
        case .day:
            let name = conflict.path.last ?? ""
            let isAhead = ["due", "scheduled", "deadline"].contains { name.lowercased().contains($0) }
            let day = try time(plain, conflict) { expression in
                try (isAhead ? expression.ahead : expression).day(now: now, clock: clock).description
            }
            return .string(day ?? plain)
        case .moment:
            if Timestamp(plain) != nil { return .string(plain) }
            return .string(try time(plain, conflict) { clock.text(of: try $0.moment(now: now, clock: clock)) } ?? plain)
        case .flag: return try flag(plain, conflict)
        case .integer:
            guard let number = json?.number, let whole = number.int else { throw unexpected(text, conflict) }
            return .number(whole)
        case .number:
            guard let number = json, number.number != nil else { throw unexpected(text, conflict) }
            return number
        case .seconds:
            if let json, json.number != nil { return json }
            guard let seconds = Self.seconds(plain) else { throw unexpected(text, conflict) }
            return .number(seconds)
        case .choice(let values):
            if let value = values.first(where: { ($0.string ?? $0.text(.compact)) == plain }) { return value }
            throw unexpected(text, conflict)
        case .other:
            guard let json else { throw unexpected(text, conflict) }
            return json
        }
    }

    /// Returns a day or moment as people write it.
    private func time(
        _ text: String,
        _ conflict: RecordConflict,
        _ read: (TimeExpression) throws -> String
    ) throws(Fault) -> String? {
        do {
            return try read(TimeExpression(text))
        } catch let error as TimeExpressionError {
            let expected = error.message(expectsDay: kind(conflict) == .day)
            throw Fault(message: "\(conflict.path.last ?? ""): \(expected); found \"\(text)\"")
        } catch {
            return nil
        }
    }

    /// Yes or no, as the values in conflict have it: as a Boolean, or as 1 and 0.
    private func flag(_ text: String, _ conflict: RecordConflict) throws(Fault) -> JSONValue {
        let isYes: Bool
        switch text.lowercased() {
        case "yes", "true", "1", "y": isYes = true
        case "no", "false", "0", "n": isYes = false
        default: throw unexpected(text, conflict)
        }
        let isNumber = conflict.choices.contains { $0.value?.int != nil }
        return isNumber ? .number(isYes ? 1 : 0) : .bool(isYes)
    }

    /// Returns a length such as `4 h 55 min` in seconds.
    private static func seconds(_ text: String) -> Int? {
        let units = ["h": 3600, "hour": 3600, "hours": 3600, "min": 60, "m": 60, "minutes": 60, "s": 1, "sec": 1]
        var total = 0
        var rest = text.lowercased()[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count).drop { $0 == " " }
            let unit = rest.prefix { $0.isLetter }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            guard digits.count < 8, let number = Int(digits), let factor = units[String(unit)] else { return nil }
            total += number * factor
        }
        return text.isEmpty ? nil : total
    }

    private func unexpected(_ text: String, _ conflict: RecordConflict) -> Fault {
        Fault(message: "\(conflict.path.last ?? ""): expected \(expectation(conflict)), found \"\(text)\"")
    }
}
