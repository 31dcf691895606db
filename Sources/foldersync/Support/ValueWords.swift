internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// A value in words, by what differs from another: a list by its elements, an object by its members.
enum ValueWords {
    /// The most elements of a list that are named.
    private static let most = 8

    /// A value.
    ///
    /// - Parameter old: What it is compared with, where it is a list or an object; nil where there is nothing to compare.
    static func text(_ value: JSONValue?, from old: JSONValue? = nil) -> String {
        guard let value else { return "(removed)" }
        if let elements = value.array { return list(elements, old?.array) }
        if let object = value.object { return members(object, old?.object) }
        return TerminalText.cut(value.text(.compact), to: Words.nameColumns)
    }

    /// A member with what became of it: `title "Buy" → "Buy milk"`, `tags: added "new"`.
    static func change(_ value: SyncedChange.MemberChange) -> String {
        let name = TerminalText.cut(value.name, to: 30)
        guard value.isOldKnown else { return "\(name) \(text(value.new))" }
        let (old, new) = (value.old, value.new)
        if new?.array != nil && old?.array != nil || new?.object != nil && old?.object != nil {
            return "\(name): \(text(new, from: old))"
        }
        return "\(name) \(old.map { text($0) } ?? "(none)") → \(text(new))"
    }

    private static func list(_ elements: [JSONValue], _ old: [JSONValue]?) -> String {
        guard let old else {
            guard !elements.isEmpty else { return "(empty)" }
            return "\(Words.count(elements.count, "element")): \(names(elements))"
        }
        let (now, before) = (Dictionary(keyed(elements)) { $1 }, Dictionary(keyed(old)) { $1 })
        let added = keyed(elements).filter { before[$0.key] == nil }.map(\.value)
        let removed = keyed(old).filter { now[$0.key] == nil }.map(\.value)
        let changed = keyed(elements).filter { entry in before[entry.key].map { $0 != entry.value } ?? false }.map(
            \.value
        )
        let (kept, order) = (keyed(elements).map(\.key).filter { before[$0] != nil }, keyed(old).map(\.key))
        let moved = moved(kept, from: order.filter { now[$0] != nil }).compactMap { now[$0] }
        let parts = [("added", added), ("removed", removed), ("moved", moved), ("changed", changed)]
        var words = parts.dropLast().filter { !$0.1.isEmpty }.map { "\($0.0) \(names($0.1))" }
        // Of an element that was changed its members.
        if !changed.isEmpty {
            let texts = keyed(elements).compactMap { entry -> String? in
                guard let old = before[entry.key], old != entry.value else { return nil }
                guard let new = entry.value.object, let old = old.object else { return short(entry.value) }
                return "\(short(entry.value)) (\(differences(new, old)))"
            }
            let more = texts.count > most ? ", \(texts.count - most) more" : ""
            words.append("changed \(texts.prefix(most).joined(separator: ", "))\(more)")
        }
        return words.isEmpty ? "as before" : words.joined(separator: "; ")
    }

    /// The keys that are not in the longest run that kept its order.
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

    private static func members(_ object: JSONObject, _ old: JSONObject?) -> String {
        let names = object.names.filter { old == nil || object[$0] != old?[$0] }
        let removed = (old?.names ?? []).filter { object[$0] == nil }
        var parts = names.prefix(most).map { "\(TerminalText.cut($0, to: 20)) \(short(object[$0]))" }
        parts += removed.prefix(most).map { "\(TerminalText.cut($0, to: 20)) (removed)" }
        let more = max(0, names.count - most) + max(0, removed.count - most)
        if more > 0 { parts.append("\(more) more") }
        return parts.isEmpty ? (old == nil ? "(empty)" : "as before") : parts.joined(separator: ", ")
    }

    /// The members that differ, from what to what.
    private static func differences(_ object: JSONObject, _ old: JSONObject) -> String {
        let names = object.names + old.names.filter { object[$0] == nil }
        let differing = names.filter { object[$0] != old[$0] }
        let texts = differing.prefix(most).map { name in
            "\(TerminalText.cut(name, to: 20)) \(old[name] == nil ? "(none)" : short(old[name])) → \(short(object[name]))"
        }
        return (texts + (differing.count > most ? ["\(differing.count - most) more"] : [])).joined(separator: ", ")
    }

    private static func names(_ elements: [JSONValue]) -> String {
        let names = elements.prefix(most).map(short).joined(separator: ", ")
        return elements.count > most ? "\(names), \(elements.count - most) more" : names
    }

    /// An element by what a person knows it by.
    private static func short(_ value: JSONValue?) -> String {
        guard let value else { return "(removed)" }
        if let object = value.object {
            for name in ["title", "name", "label", "id", "key"] {
                if let text = object[name]?.string { return "\"\(TerminalText.cut(text, to: 30))\"" }
            }
            return Words.count(object.names.count, "member")
        }
        if let array = value.array { return Words.count(array.count, "element") }
        return TerminalText.cut(value.text(.compact), to: 30)
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
