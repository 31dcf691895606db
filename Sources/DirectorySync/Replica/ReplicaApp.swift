internal import BZTimer
internal import GymPulse
internal import RecordMerge
internal import RecordStore
internal import Slate
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// What synchronisation knows of an app: its rules, and what its records are called.
struct ReplicaApp: Sendable {
    let app: SyncApp
    let schema: MergeSchema
    let domain: MergeDomain
    /// The version of the app's format, as segments name it.
    let schemaVersion: Int

    /// An app.
    ///
    /// - Throws: Where its schema is wrong, which is a fault of the program.
    init(_ app: SyncApp) throws {
        self.app = app
        let texts: [[UInt8]?]
        switch app {
        case .bztimer:
            texts = [BztimerSchemas.store, BztimerSchemas.text(3), PresetSchemas.text(2)]
            (domain, schemaVersion) = (.bztimer, 1)
        case .slate: (texts, domain, schemaVersion) = ([SlateSchemas.text(2)], .slate, 2)
        case .tracker: (texts, domain, schemaVersion) = ([TrackerSchemas.text(2)], .tracker, 2)
        case .study: (texts, domain, schemaVersion) = ([StudySchemas.text(2)], .study, 2)
        }
        let schemas = try texts.compactMap(\.self).map { try JSONDocument(parsing: $0).root.value }
        guard let first = schemas.first else {
            throw SyncError(.state, "the program has no schema of \(app.rawValue)", path: "")
        }
        schema = try MergeSchema(reading: first, others: Array(schemas.dropFirst()))
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
