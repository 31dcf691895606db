internal import AppList
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// What synchronisation knows of an app: its rules, and what its records are called.
struct ReplicaApp: Sendable {
    let app: SyncApp
    let schema: MergeSchema
    let domain: MergeDomain
    /// The version of the app's format, as segments name it.
    let schemaVersion: Int
    /// Whether the app's own import replaces all that it has.
    let importReplaces: Bool

    /// An app.
    ///
    /// - Throws: Where its schema is wrong, which is a fault of the program.
    init(_ app: SyncApp) throws {
        self.app = app
        guard let definition = apps.first(where: { $0.id == app }), let first = definition.schemas.first else {
            throw SyncError(.state, "the program has no schema of \(app.rawValue)", path: "")
        }
        (domain, schemaVersion) = (definition.domain, definition.schemaVersion)
        importReplaces = definition.importReplaces
        let others = try definition.schemas.dropFirst().map { try JSONDocument(parsing: $0).root.value }
        schema = try MergeSchema(reading: JSONDocument(parsing: first).root.value, others: others)
    }

    /// What a person knows a record by.
    static func title(_ key: RecordKey, _ object: JSONObject?) -> String? {
        guard let object else { return nil }
        for member in ["title", "name", "label", "sessionName", "date", "event_type"] {
            if let text = object[member]?.string, !text.isEmpty { return text }
        }
        return nil
    }

    /// Whether records of a collection have members that follow from others.
    func hasDerived(_ collection: String) -> Bool {
        schema.record(in: collection).members.contains { $0.rule == .derived }
    }

    /// A record without the members that are never sent, as a record shows them.
    func sent(_ key: RecordKey, _ object: JSONObject) -> JSONObject {
        let rules = schema.record(in: key.collection)
        guard rules.members.contains(where: { $0.rule == .derived || $0.rule == .local }) else { return object }
        var sent = JSONObject()
        for member in object {
            let rule = rules[member.name]?.rule
            if rule != .derived, rule != .local { sent[member.name] = member.value }
        }
        return sent
    }
}

extension RecordKey {
    init(_ key: StoreRecordKey) { self.init(key.collection, key.key) }
    var inStore: StoreRecordKey { StoreRecordKey(collection, key) }
}
