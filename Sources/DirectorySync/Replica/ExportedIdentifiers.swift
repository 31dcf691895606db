internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The folder's identifiers of records that an exporting device has with those of other records.
///
/// Nothing can be written on that device. So its exports are read with the folder's identifiers in place of its own,
/// until one shows that it imported them. The state keeps them, as a record's name may change.
struct ExportedIdentifiers {
    private let state: ReplicaState

    init(_ state: ReplicaState) { self.state = state }

    /// Replaces the identifiers that are known from earlier exports.
    func replaceKnown(in document: inout JSONValue) throws {
        for (collection, var names) in try kept() {
            guard let identifiers = try JoiningIdentifiers(collection, state), let rows = rows(collection, document)
            else { continue }
            let count = names.count
            for (own, name) in names where identifiers.isImported(name, insteadOf: own.string, rows) {
                names[own] = nil
            }
            if names.count != count { try keep(names, of: collection) }
            try replace(names, identifiers, in: &document)
        }
    }

    /// Replaces the identifiers of new records that other records of the folder have, and keeps what replaces them.
    ///
    /// - Returns: Whether there are any.
    func replaceNew(in document: inout JSONValue) throws -> Bool {
        var isChanged = false
        for collection in state.schema.document.members.map(\.name) {
            guard let identifiers = try JoiningIdentifiers(collection, state), let rows = rows(collection, document)
            else { continue }
            var known = identifiers.known(rows)
            try state.forEachRecord(in: collection) { key, held in
                if let object = held.inStore(key, state.schema) { known[key] = object }
            }
            let names = try identifiers.names(of: rows, known: known)
            guard !names.isEmpty else { continue }
            try keep(kept()[collection, default: [:]].merging(names) { $1 }, of: collection)
            try replace(names, identifiers, in: &document)
            isChanged = true
        }
        return isChanged
    }

    private func rows(_ collection: String, _ document: JSONValue) -> [JSONObject]? {
        document[collection]?.array?.compactMap(\.object)
    }

    private func replace(
        _ names: JoiningIdentifiers.Names,
        _ identifiers: JoiningIdentifiers,
        in document: inout JSONValue
    ) throws {
        guard !names.isEmpty else { return }
        func change(_ collection: String, _ change: (JSONObject) throws -> JSONObject?) throws {
            guard let elements = document[collection]?.array else { return }
            document[collection] = .array(
                try elements.map { element in try element.object.flatMap(change).map { .object($0) } ?? element }
            )
        }
        try change(identifiers.collection) { row in
            guard let name = row[identifiers.member]?.string.flatMap({ names[ScalarKey($0)] }) else { return nil }
            var row = row
            row[identifiers.member] = .string(name)
            return row
        }
        for (collection, member) in identifiers.references {
            guard let rule = state.schema.collection(collection)?.elements?.key else { continue }
            try change(collection) { object in
                let key = rule.name(of: .object(object)).map { RecordKey(collection, $0) }
                return try key.flatMap { try identifiers.renamed($0, object, member, by: names) }
            }
        }
    }

    private func kept() throws -> [String: JoiningIdentifiers.Names] {
        guard let text = try state.property(.exportedIdentifiers) else { return [:] }
        guard let kept = try? JSONDocument(parsing: text).root.value.object else {
            throw state.damaged("property", StateProperty.exportedIdentifiers.name)
        }
        return kept.reduce(into: [:]) { all, collection in
            all[collection.name] = (collection.value.object ?? [:]).reduce(into: [:]) { names, member in
                names[ScalarKey(member.name)] = member.value.string
            }
        }
    }

    private func keep(_ names: JoiningIdentifiers.Names, of collection: String) throws {
        var all = try kept()
        all[collection] = names.isEmpty ? nil : names
        var object = JSONObject()
        for (collection, names) in all {
            var members = JSONObject()
            for (own, name) in names { members[own.string] = .string(name) }
            object[collection] = .object(members)
        }
        try state.setProperty(.exportedIdentifiers, object.isEmpty ? nil : JSONValue.object(object).text(.canonical))
    }
}
