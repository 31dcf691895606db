internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes records into a Time Tracker store.
final class TrackerSyncWriter: StoreWriter {
    private let records: TrackerRecords
    private let statements: SyncStatements
    private let insertion: TrackerInsertion
    private let update: TrackerUpdate
    /// The key of the activity that was added last.
    private var lastKey: Int
    /// The ids of the buttons as they are to lie.
    private var order: [String] = []

    init(_ records: TrackerRecords) throws {
        self.records = records
        statements = SyncStatements(records.database)
        insertion = try TrackerInsertion(records.database)
        update = try TrackerUpdate(records.database)
        lastKey = try Int.fetchOne(records.database, sql: "SELECT max(key) FROM activity") ?? 0
    }

    /// Removes first: what takes the place of something may have its id.
    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        for edit in edits where edit.object == nil { try edit.naming { try remove(edit.key) } }
        var buttons: [SyncEdit] = []
        for edit in edits {
            guard let object = edit.object else { continue }
            switch edit.key.collection {
            case TrackerStoreAdapter.activities: try edit.naming { try saveActivity(object, edit.key.key) }
            case TrackerStoreAdapter.buttons: buttons.append(edit)
            default: try records.setUnknownMembers(Self.unknownMembers(object))
            }
        }
        if !buttons.isEmpty { try saveButtons(buttons) }
        if let order = orders[TrackerStoreAdapter.buttons] { self.order = order }
    }

    /// Positions follow from the order, where it is another one.
    func finish() throws {
        guard !order.isEmpty else { return }
        let buttons = try records.buttons()
        let sorted = SyncOrder(order).sorted(buttons, by: \.id)
        guard zip(buttons, sorted).contains(where: { !$0.id.hasSameScalars(as: $1.id) }) else { return }
        for (position, button) in sorted.enumerated() where button.position != position {
            var button = button
            button.position = position
            try records.save(button)
        }
    }

    private func remove(_ key: StoreRecordKey) throws {
        switch key.collection {
        case TrackerStoreAdapter.activities: try statements.run("DELETE FROM activity WHERE id = ?", [key.key])
        case TrackerStoreAdapter.buttons: try statements.run("DELETE FROM button WHERE id = ?", [key.key])
        default: try records.setUnknownMembers(JSONObject())
        }
    }

    private func saveActivity(_ object: JSONObject, _ id: String) throws {
        let activity = try RejectedRecord.translating { () throws(AppFormatError) in
            try TrackerActivity(json: .object(object))
        }
        guard activity.id.hasSameScalars(as: id) else { throw RejectedRecord("its id is not its key") }
        if let key = try statements.integer("SELECT key FROM activity WHERE id = ?", [id]) {
            try update.update(activity, key: key)
        } else {
            lastKey += 1
            try activity.withRow { try insertion.insert($0, key: lastKey) }
        }
    }

    // MARK: Buttons

    /// Saves buttons, whose ids may have come to be others: those that change are out of the way before one is written.
    private func saveButtons(_ edits: [SyncEdit]) throws {
        var keys: [Int?] = []
        for edit in edits {
            let key = try statements.integer("SELECT key FROM button WHERE id = ?", [edit.key.key])
            keys.append(key)
            guard let key, edit.object?["id"]?.string?.hasSameScalars(as: edit.key.key) != true else { continue }
            try statements.run("UPDATE button SET id = ? WHERE key = \(key)", ["\u{1}\(key)"])
            try records.forgetChanges()
        }
        for (edit, key) in zip(edits, keys) {
            try edit.naming { try save(edit.object ?? JSONObject(), key, edit.key.key) }
        }
    }

    /// - Parameters:
    ///   - key: The key of the row, nil for a new one.
    ///   - id: The button's id until now.
    private func save(_ object: JSONObject, _ key: Int?, _ id: String) throws {
        var object = object
        let position = try key.flatMap { try statements.integer("SELECT position FROM button WHERE key = \($0)", []) }
        let next = try position ?? ActivityButton.position(after: records.buttons())
        object["position"] = .number(next)
        var button = try RejectedRecord.translating { () throws(AppFormatError) in
            try ActivityButton(json: .object(object))
        }
        if let key { try statements.run("UPDATE button SET id = ? WHERE key = \(key)", ["\u{1}\(key)"]) }
        // Merging gives no id twice; what only this store has may have it.
        let free = try statements.free(button.id, in: "button", column: "id")
        let isTaken = !free.hasSameScalars(as: button.id)
        button.id = try key != nil && isTaken ? statements.free(id, in: "button", column: "id") : free
        if let key { try statements.run("UPDATE button SET id = ? WHERE key = \(key)", [button.id]) }
        try records.save(button)
    }

    /// Returns the members of the top level that an export does not know.
    private static func unknownMembers(_ object: JSONObject) -> JSONObject {
        let known: Set = [
            "format", "version", "exportedAt", "timeZone", TrackerStoreAdapter.buttons, TrackerStoreAdapter.activities,
        ]
        return JSONObject.members(of: object) { !known.contains($0) }
    }
}
