internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

/// Values in words: dates, lengths and flags as people write them, and of lists and objects what differs.
struct ValueWords {
    /// The known kind of the values; nil to recognise dates and moments by their form.
    private let schema: RecordSchema?
    /// The clock of local times.
    private let clock: LocalClock
    /// The rows to which references of a declared app lead.
    private let references: DeclaredReferences?

    /// Makes the words for values of a store.
    init(_ target: Target, _ clock: LocalClock) {
        let schema = RecordSchema(target.app)
        self.init(schema: schema, clock, schema == nil ? DeclaredReferences(target.store.path) : nil)
    }

    /// Makes the words for values of an app.
    init(_ app: AppID, _ clock: LocalClock) { self.init(schema: RecordSchema(app), clock) }

    /// Makes the words for values, by a schema where there is one.
    init(schema: RecordSchema?, _ clock: LocalClock, _ references: DeclaredReferences? = nil) {
        (self.schema, self.clock, self.references) = (schema, clock, references)
    }

    /// True if values are told whole: no text is cut, and no element left out.
    private var isWhole = false

    /// The most elements of a list that are named.
    private var most: Int { isWhole ? .max : 8 }

    /// The same words without a limit.
    var unlimited: ValueWords {
        var words = self
        words.isWhole = true
        return words
    }

    /// Returns a value of a member in words.
    ///
    /// - Parameters:
    ///   - collection: The collection of the record.
    ///   - path: The path to the member; of members that change together the path to the object that they are in.
    ///   - old: What it is compared with, where it is a list or an object; nil where there is nothing to compare.
    func text(
        _ value: JSONValue?,
        _ collection: String = "",
        _ path: [String] = [],
        from old: JSONValue? = nil
    ) -> String {
        guard let value = value ?? initialValue(collection, path) else { return "(removed)" }
        let place = Place(collection, path)
        if title(value, collection, path) != nil { return scalar(value, place, to: Words.nameColumns) }
        if let elements = value.array { return list(elements, old?.array, place) }
        if let object = value.object { return members(object, old?.object, place) }
        return scalar(value, place, to: Words.nameColumns)
    }

    /// Returns a value of a member in full: a text as it is, without quotes.
    func whole(
        _ value: JSONValue?,
        _ collection: String,
        _ path: [String],
        from old: JSONValue? = nil
    ) -> String {
        guard let text = value?.string else { return self.text(value, collection, path, from: old) }
        if let title = title(value, collection, path) { return title }
        let kind = schema?.member(collection, path)?.kind ?? (schema == nil ? value.map(guess) : nil)
        return kind == .day || kind == .moment ? self.text(value, collection, path) : text
    }

    /// Returns what a new row of a declared app has where a record lacks the member; nil for any other member.
    func initialValue(_ collection: String, _ path: [String]) -> JSONValue? {
        path.count == 1 ? references?.initialValue(of: path[0], in: collection) : nil
    }

    /// Returns the title of the row to which a reference leads; nil for any other value, and for a row without a title.
    func title(_ value: JSONValue?, _ collection: String, _ path: [String]) -> String? {
        guard let references, path.count == 1, let value,
            let table = references.target(of: path[0], in: collection), let key = references.key(of: value, in: table)
        else { return nil }
        return references.title(key, of: table)
    }

    /// Returns a member with its change: `title "Buy" → "Buy milk"`, `tags: added "new"`; of a conflict that the change
    /// decided also the values that it decided against: `title "Buy", not "Get"`.
    func change(_ value: SyncedChange.MemberChange, _ collection: String) -> String {
        let losing = value.losing.map { text($0, of: value, collection) }
        let words = value.isOldKnown && value.old == value.new ? same(value, collection) : became(value, collection)
        return losing.isEmpty ? words : "\(words), not \(losing.joined(separator: " or "))"
    }

    /// Returns a value of a changed member in words: the title of the record to which it refers.
    func text(_ value: JSONValue?, of change: SyncedChange.MemberChange, _ collection: String) -> String {
        if let title = value.flatMap({ change.titles[$0] }) { return cut(title, to: Words.nameColumns) }
        return text(value, collection, [change.name])
    }

    /// Returns the name of a member for people, cut where it is long.
    func shortName(_ member: String, _ collection: String) -> String {
        TerminalText.cut(name(member, collection), to: 30)
    }

    /// Returns a member that stayed what it was: the value that a decision kept.
    private func same(_ value: SyncedChange.MemberChange, _ collection: String) -> String {
        let name = shortName(value.name, collection)
        let isScalar = value.new?.array == nil && value.new?.object == nil
        if !value.losing.isEmpty { return "\(name) \(text(value.new, of: value, collection))" }
        return isScalar ? "\(name) stays \(text(value.new, of: value, collection))" : "\(name) stays as it was"
    }

    /// Returns a member with what it was and became.
    private func became(_ value: SyncedChange.MemberChange, _ collection: String) -> String {
        let name = shortName(value.name, collection)
        let (old, new) = (value.old ?? initialValue(collection, [value.name]), value.new)
        guard value.isOldKnown else { return "\(name) \(text(new, of: value, collection))" }
        if let (old, new) = differing(old?.string, new?.string), title(value.new, collection, [value.name]) == nil {
            return "\(name) \(old) → \(new)"
        }
        let hasTitle = title(new, collection, [value.name]) != nil
        if new?.array != nil && old?.array != nil || new?.object != nil && old?.object != nil && !hasTitle {
            return "\(name): \(text(new, collection, [value.name], from: old))"
        }
        return "\(name) \(old.map { text($0, of: value, collection) } ?? "(none)") → "
            + text(new, of: value, collection)
    }

    /// Returns two texts from where they begin to differ; nil where they differ in what is shown of them.
    private func differing(_ old: String?, _ new: String?) -> (old: String, new: String)? {
        guard !isWhole, let old, let new, old != new else { return nil }
        let texts = [old, new].map { TerminalText.safe(JSONValue.string($0).text(.compact)) }
        // Some of what is alike tells where in the text it is.
        let (context, columns) = (20, Words.nameColumns)
        let alike = zip(texts[0], texts[1]).prefix { $0 == $1 }.map(\.0)
        guard texts.contains(where: { TerminalText.width($0) > columns }),
            TerminalText.width(String(alike)) > columns - context
        else { return nil }
        let shown = texts.map { TerminalText.cut("…" + $0.dropFirst(alike.count - context), to: columns) }
        return (shown[0], shown[1])
    }

    /// Returns the first day or moment among a record's members: `start Sat 21 Nov 2026 14:30 +01:00`.
    func time(of object: JSONObject, _ collection: String) -> String? {
        for member in object where !member.value.isNull {
            let kind = schema?.member(collection, [member.name])?.kind ?? (schema == nil ? guess(member.value) : .other)
            guard kind == .day || kind == .moment else { continue }
            return "\(name(member.name, collection)) \(text(member.value, collection, [member.name]))"
        }
        return nil
    }

    /// Returns the name of a member for people.
    func name(_ member: String, _ collection: String) -> String {
        schema?.member(collection, [member])?.words ?? MemberName.words(member, nil)
    }

    /// Returns a moment as the clock has it.
    func moment(_ moment: Timestamp) -> String { clock.words(of: moment) }

    /// The names of the members from a record to a value.
    private struct Place {
        let collection: String
        let path: [String]

        init(_ collection: String, _ path: [String]) { (self.collection, self.path) = (collection, path) }

        /// Returns the place of a member of an object there, or of an element of the list there.
        func member(_ name: String) -> Place {
            switch path.count {
            case 0: Place(collection, [name])
            case 1: Place(collection, path + ["", name])
            default: Place(collection, path.prefix(2) + [name])
            }
        }
    }

    private func scalar(_ value: JSONValue, _ place: Place, to columns: Int) -> String {
        if value.isNull { return "(none)" }
        if let title = title(value, place.collection, place.path) {
            return cut(JSONValue.string(title).text(.compact), to: columns)
        }
        let kind = schema?.member(place.collection, place.path)?.kind ?? (schema == nil ? guess(value) : .other)
        switch kind {
        case .flag:
            if let flag = value.bool ?? value.int.map({ $0 != 0 }) { return flag ? "yes" : "no" }
        case .day: if let day = value.string.flatMap(CivilDay.init) { return day.words }
        case .moment: if let moment = value.string.flatMap({ Timestamp($0) }) { return self.moment(moment) }
        case .seconds: if let seconds = value.int { return Self.length(seconds) }
        default: break
        }
        return cut(value.text(.compact), to: columns)
    }

    /// Returns a text fit for a terminal, cut unless values are told whole.
    private func cut(_ text: String, to columns: Int) -> String {
        isWhole ? TerminalText.safe(text) : TerminalText.cut(text, to: columns)
    }

    /// Returns the kind that a value of an app without a schema seems to have.
    private func guess(_ value: JSONValue) -> RecordSchema.Member.Kind {
        guard let text = value.string else { return .other }
        return Timestamp(text) != nil ? .moment : CivilDay(text) != nil ? .day : .text
    }

    /// Returns a length: `4 h 55 min`, `1 min 30 s`.
    static func length(_ seconds: Int) -> String {
        let sign = seconds < 0 ? "-" : ""
        let total = Int(min(seconds.magnitude, UInt(Int.max)))
        let parts = [(total / 3600, "h"), (total / 60 % 60, "min"), (total % 60, "s")].filter { $0.0 > 0 }
        return parts.isEmpty ? "0 s" : sign + parts.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    private func list(_ elements: [JSONValue], _ old: [JSONValue]?, _ place: Place) -> String {
        guard let old else {
            guard !elements.isEmpty else { return "(empty)" }
            return "\(Words.count(elements.count, "element")): \(names(elements, place))"
        }
        let (elements, earlier) = (Self.keyed(elements), Self.keyed(old))
        let (now, before) = (Dictionary(elements) { $1 }, Dictionary(earlier) { $1 })
        let added = elements.filter { before[$0.key] == nil }.map(\.value)
        let removed = earlier.filter { now[$0.key] == nil }.map(\.value)
        let changed = elements.filter { entry in before[entry.key].map { $0 != entry.value } ?? false }.map(\.value)
        let (kept, order) = (elements.map(\.key).filter { before[$0] != nil }, earlier.map(\.key))
        let moved = Self.moved(kept, from: order.filter { now[$0] != nil }).compactMap { now[$0] }
        let parts = [("added", added), ("removed", removed), ("moved", moved), ("changed", changed)]
        var words = parts.dropLast().filter { !$0.1.isEmpty }.map { "\($0.0) \(names($0.1, place))" }
        // Of an element that was changed its members.
        if !changed.isEmpty {
            let texts = elements.compactMap { entry -> String? in
                guard let old = before[entry.key], old != entry.value else { return nil }
                guard let new = entry.value.object, let old = old.object else { return short(entry.value, place) }
                return "\(short(entry.value, place)) (\(differences(new, old, place)))"
            }
            let more = texts.count > most ? ", \(texts.count - most) more" : ""
            words.append("changed \(texts.prefix(most).joined(separator: ", "))\(more)")
        }
        return words.isEmpty ? "as before" : words.joined(separator: "; ")
    }

    /// Returns the keys that are not in the longest run that kept its order.
    private static func moved(_ keys: [String], from old: [String]) -> [String] {
        let places = Dictionary(zip(old, old.indices)) { first, _ in first }
        // The longest rising run: for each of its lengths the key with the least place that ends one, and what came before it.
        var ends: [Int] = []
        var before: [Int: Int] = [:]
        let order = keys.map { places[$0] ?? 0 }
        for index in order.indices {
            let length = ends.firstIndex { order[$0] >= order[index] } ?? ends.count
            if length > 0 { before[index] = ends[length - 1] }
            if length == ends.count { ends.append(index) } else { ends[length] = index }
        }
        var kept: Set<Int> = []
        var next = ends.last
        while let index = next {
            kept.insert(index)
            next = before[index]
        }
        return keys.indices.filter { !kept.contains($0) }.map { keys[$0] }
    }

    private func members(_ object: JSONObject, _ old: JSONObject?, _ place: Place) -> String {
        let names = object.names.filter { old == nil || object[$0] != old?[$0] }
        let removed = (old?.names ?? []).filter { object[$0] == nil }
        var parts = names.prefix(most).map { "\(label($0, place)) \(short(object[$0], place.member($0)))" }
        parts += removed.prefix(most).map { "\(label($0, place)) (removed)" }
        let more = max(0, names.count - most) + max(0, removed.count - most)
        if more > 0 { parts.append("\(more) more") }
        return parts.isEmpty ? (old == nil ? "(empty)" : "as before") : parts.joined(separator: ", ")
    }

    /// Returns the members that differ, from their old to their new values.
    private func differences(_ object: JSONObject, _ old: JSONObject, _ place: Place) -> String {
        let names = object.names + old.names.filter { object[$0] == nil }
        let differing = names.filter { object[$0] != old[$0] }
        let texts = differing.prefix(most).map { name in
            let member = place.member(name)
            let before = old[name] == nil ? "(none)" : short(old[name], member)
            return "\(label(name, place)) \(before) → \(short(object[name], member))"
        }
        let more = differing.count > most ? ["\(differing.count - most) more"] : []
        return (texts + more).joined(separator: ", ")
    }

    private func names(_ elements: [JSONValue], _ place: Place) -> String {
        let names = elements.prefix(most).map { short($0, place) }.joined(separator: ", ")
        return elements.count > most ? "\(names), \(elements.count - most) more" : names
    }

    /// Returns the name of a member of an object for people.
    private func label(_ name: String, _ place: Place) -> String {
        let member = place.member(name)
        let words = schema?.member(member.collection, member.path)?.words ?? MemberName.words(name, nil)
        return TerminalText.cut(words, to: 20)
    }

    /// Returns an element as a person knows it.
    private func short(_ value: JSONValue?, _ place: Place) -> String {
        guard let value else { return "(removed)" }
        if let object = value.object {
            for name in ["title", "name", "label", "id", "key"] {
                if let text = object[name]?.string { return "\"\(cut(text, to: 30))\"" }
            }
            return Words.count(object.names.count, "member")
        }
        if let array = value.array { return Words.count(array.count, "element") }
        return scalar(value, place, to: 30)
    }

    /// Elements with what they are known by: an identifier, else all of their text; equal ones are counted.
    private static func keyed(_ elements: [JSONValue]) -> [(key: String, value: JSONValue)] {
        var counts: [String: Int] = [:]
        return elements.map { element in
            let name = element.object.flatMap { $0["id"] ?? $0["key"] } ?? element
            let text = name.text(.compact)
            counts[text, default: 0] += 1
            return ("\(counts[text] ?? 1) \(text)", element)
        }
    }
}
