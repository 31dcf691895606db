internal import RecordStore
internal import StrictJSON

/// The sessions and activities that a device imported, which its app gave identifiers of its own.
///
/// The names have for each identifier of the device the one that devices share, and those of the blocks:
/// `{"sessions": {"A": {"id": "B", "blocks": {"a": "b"}}}}`. A session that the device has beside a newer one of the same
/// import is a copy: it has its content instead, and counts as none while it stays like that.
struct ImportedNames {
    private var names: JSONValue
    private let known: KnownExports

    init(_ known: KnownExports) { (names, self.known) = (known.names, known) }

    /// Returns an export with the shared identifiers, and the names for the next one.
    mutating func recognise(_ document: JSONValue) -> (document: JSONValue, names: JSONValue) {
        var document = document
        // Blocks refer to activities.
        for collection in ["activities", "sessions"] {
            guard let rows = document[collection]?.array else { continue }
            document[collection] = .array(recognise(rows, collection))
        }
        return (document, names)
    }

    private mutating func recognise(_ rows: [JSONValue], _ collection: String) -> [JSONValue] {
        let had = known.had[collection] ?? [:]
        var found = rows.map { row -> JSONValue? in
            guard let id = row["id"]?.string, let name = names[collection]?[id] else { return row }
            guard let copy = name["copy"]?.string else { return renamed(row, name, from: had) }
            if copy == Self.content(row) { return nil }
            // A copy that was edited is a session of its own, and the shared identifier is another one's.
            let own: JSONValue = ["id": .string("\(id)-copy")]
            set(own, for: id, collection)
            return renamed(row, own, from: had)
        }
        var free = (known.delivered[collection] ?? []).map { (object: $0, content: Self.content(.object($0))) }
        let delivered = Set(free.compactMap { $0.object["id"]?.string })
        for (index, row) in rows.enumerated() {
            guard let id = row["id"]?.string, had[id] == nil, !delivered.contains(id), names[collection]?[id] == nil
            else { continue }
            let content = Self.content(row)
            guard let object = free.first(where: { $0.content == content })?.object, let shared = object["id"]?.string
            else { continue }
            // The device may have the record from before beside what it imported.
            if let old = found.firstIndex(where: { $0?["id"]?.string == shared }) {
                guard let before = had[shared], let key = rows[old]["id"]?.string,
                    Self.content(rows[old]) == Self.content(.object(before))
                else { continue }
                found[old] = nil
                set(["copy": .string(Self.content(rows[old]))], for: key, collection)
            }
            var blocks = JSONObject()
            for (own, other) in zip(row["items"]?.array ?? [], object["items"]?.array ?? []) {
                if let name = own["id"]?.string, let other = other["id"], blocks[name] == nil { blocks[name] = other }
            }
            set(["id": .string(shared), "blocks": .object(blocks)], for: id, collection)
            found[index] = .object(object)
            free.removeAll { $0.object["id"]?.string == shared }
        }
        return found.compactMap(\.self)
    }

    private mutating func set(_ name: JSONValue, for id: String, _ collection: String) {
        var all = names[collection]?.object ?? [:]
        all[id] = name
        names[collection] = .object(all)
    }

    private func renamed(_ row: JSONValue, _ name: JSONValue, from had: [String: JSONObject]) -> JSONValue {
        var row = row
        row["id"] = name["id"]
        guard let items = row["items"]?.array else { return row }
        let before = name["id"]?.string.flatMap { had[$0]?["items"]?.array } ?? []
        var taken: Set<String> = []
        row["items"] = .array(
            items.map { item in
                var item = item
                let own = item["id"]?.string ?? ""
                if let id = name["blocks"]?[own]?.string, taken.insert(id).inserted { item["id"] = .string(id) }
                if let activity = item["templateId"]?.string {
                    item["templateId"] = names["activities"]?[activity]?["id"] ?? .string(activity)
                } else if let link = before.first(where: { $0["id"] == item["id"] })?["templateId"] {
                    // The import lost the link.
                    item["templateId"] = link
                }
                return item
            }
        )
        return row
    }

    /// The content of a session or an activity without identifiers.
    private static func content(_ value: JSONValue) -> String {
        func stripped(_ value: JSONValue) -> JSONValue {
            var value = value
            for name in ["id", "templateId"] { value[name] = nil }
            return value
        }
        var content = stripped(value)
        for name in ["tags", "scheduledDaysOfWeek"] {
            let words = (content[name]?.array ?? []).map { $0.text(.canonical) }.sorted()
            content[name] = words.isEmpty ? nil : .array(words.map { .string($0) })
        }
        if let items = content["items"]?.array { content["items"] = .array(items.map(stripped)) }
        return content.text(.canonical)
    }
}
