internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes records into a BZ Timer store; members that this version does not know are kept as they are.
final class BztimerSyncWriter: StoreWriter {
    /// Settings of this device alone, which are never sent.
    private static let local = ["enableSounds", "enableVibration", "keepScreenAwakeDuringSession", "isProUser"]

    private let database: Database
    private let path: String
    private let source: BztimerSource
    /// The ids of each ordered collection, in their final order.
    private var orders: [String: [String]] = [:]

    init(_ database: Database, path: String) {
        self.database = database
        self.path = path
        source = BztimerSource(database, path: path)
    }

    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        for edit in edits {
            try edit.naming {
                guard let layout = BztimerStoreAdapter.layout(edit.key.collection) else {
                    throw RejectedRecord(RejectedRecord.noPlace)
                }
                if let object = edit.object {
                    try save(object, edit.key, layout)
                } else {
                    try remove(edit.key, layout)
                }
            }
        }
        self.orders.merge(orders) { $1 }
    }

    /// Positions follow from the order, where it is another one.
    func finish() throws {
        for (collection, order) in orders {
            guard let table = BztimerStoreAdapter.layout(collection)?.table else { continue }
            let ids = try String.fetchAll(database, sql: "SELECT id FROM \(table) ORDER BY position, id")
            let sorted = SyncOrder(order).sorted(ids) { $0 }
            guard zip(ids, sorted).contains(where: { !$0.hasSameScalars(as: $1) }) else { continue }
            for (index, id) in sorted.enumerated() {
                try execute(
                    "UPDATE \(table) SET position = ? WHERE id = ?",
                    [(index + 1).databaseValue, id.databaseValue]
                )
            }
        }
    }

    private func remove(_ key: StoreRecordKey, _ layout: RecordLayout) throws {
        guard key.collection != BztimerStoreAdapter.settings else { return try execute("DELETE FROM settings", []) }
        let id = key.key.databaseValue
        try execute("DELETE FROM \(layout.table) WHERE id = ?", [id])
        // As the program does; its blocks go with it.
        if key.collection == BztimerStoreAdapter.sessions {
            try execute("UPDATE history SET session_id = NULL WHERE session_id = ?", [id])
        }
    }

    private func save(_ object: JSONObject, _ key: StoreRecordKey, _ layout: RecordLayout) throws {
        let stored = try source.record(key)
        var object = object
        if key.collection == BztimerStoreAdapter.settings {
            addLocal(to: &object, from: stored)
        } else {
            guard let id = object["id"]?.string, id.hasSameScalars(as: key.key), !id.utf8.contains(0) else {
                throw RejectedRecord("its id is not its key, or contains U+0000")
            }
        }
        guard object != stored else { return }
        let whole = object
        let items =
            try key.collection == BztimerStoreAdapter.sessions ? self.items(object.removeValue(forName: "items")) : nil
        try Self.checkReadable(whole, key.collection)
        try saveRow(layout, object, key, isNew: stored == nil)
        if let items, .array(items) != stored?["items"] { try replaceBlocks(of: key.key, with: items) }
    }

    /// Checks that the programs can read a record once it is written: of what a column cannot hold the row keeps a copy that
    /// only synchronisation reads.
    static func checkReadable(_ object: JSONObject, _ collection: String) throws(RejectedRecord) {
        let value = JSONValue.object(object)
        try RejectedRecord.translating { () throws(AppFormatError) in
            switch collection {
            case BztimerStoreAdapter.sessions: _ = try SessionTemplate(json: value)
            case "activities": _ = try BlockTemplate(json: value)
            case "history": _ = try SessionHistoryEntry(json: value)
            case BztimerStoreAdapter.settings: _ = try TimerSettings(json: value)
            default: _ = try Preset(json: value)
            }
        }
    }

    /// Settings that are never sent are as the store has them, or as the app has them at first.
    private func addLocal(to object: inout JSONObject, from stored: JSONObject?) {
        let defaults = TimerSettings()
        for name in Self.local { object[name] = stored == nil ? defaults[name] : stored?[name] }
    }

    private func items(_ value: JSONValue?) throws -> [JSONValue] {
        guard let items = value?.array, items.allSatisfy({ $0.object != nil }) else {
            throw RejectedRecord("items", value, expected: "an array of objects")
        }
        return items
    }

    private func saveRow(_ layout: RecordLayout, _ object: JSONObject, _ key: StoreRecordKey, isNew: Bool) throws {
        let table = layout.table
        let isSettings = key.collection == BztimerStoreAdapter.settings
        let values = layout.values(of: object)
        guard isNew else {
            let terms = (layout.columns.map(\.name) + ["extra"]).map { "\($0) = ?" }.joined(separator: ", ")
            let id = isSettings ? 1.databaseValue : key.key.databaseValue
            return try execute("UPDATE \(table) SET \(terms) WHERE id = ?", values + [id])
        }
        if isSettings {
            let sql = "INSERT INTO settings (id, \(layout.names)) VALUES (\(layout.places(before: 1)))"
            try execute(sql, [1.databaseValue] + values)
        } else if key.collection == BztimerStoreAdapter.history {
            try execute("INSERT INTO history (\(layout.names)) VALUES (\(layout.places()))", values)
        } else {
            let position = try Int.fetchOne(database, sql: "SELECT coalesce(max(position), 0) + 1 FROM \(table)") ?? 1
            try execute(
                "INSERT INTO \(table) (position, \(layout.names)) VALUES (\(layout.places(before: 1)))",
                [position.databaseValue] + values
            )
        }
    }

    private func replaceBlocks(of session: String, with items: [JSONValue]) throws {
        let layout = BztimerSchema.block
        try execute("DELETE FROM block WHERE session_id = ?", [session.databaseValue])
        for (index, item) in items.enumerated() {
            try execute(
                "INSERT INTO block (session_id, position, \(layout.names)) VALUES (\(layout.places(before: 2)))",
                [session.databaseValue, index.databaseValue] + layout.values(of: item.object ?? [:])
            )
        }
    }

    private func execute(_ sql: String, _ values: [DatabaseValue]) throws {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }
}
