internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

extension BztimerRecords {
    /// Returns all history entries, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func history() throws -> [SessionHistoryEntry] {
        let layout = BztimerSchema.history
        let rows = try Row.fetchCursor(database, sql: "SELECT id, \(layout.names) FROM history ORDER BY rowid")
        var entries: [SessionHistoryEntry] = []
        while let row = try rows.next() {
            let entry = try make(.historyEntry, id: row[0], name: nil) {
                try SessionHistoryEntry(json: .object(layout.object(in: row, from: 1, path: path)))
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    /// Adds a history entry.
    ///
    /// - Throws: `store.conflict` where the store has an entry with that id.
    public func insert(_ entry: SessionHistoryEntry) throws {
        let layout = BztimerSchema.history
        var values = layout.values(of: entry.json.object ?? [:])
        values[0] = try key(entry.id, of: "history")
        try execute("INSERT INTO history (\(layout.names)) VALUES (\(layout.places()))", values)
    }

    /// Deletes all history for the person, also entries that cannot be read: on all devices that share it.
    ///
    /// - Returns: The number of entries.
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func clearHistory() throws -> Int {
        forget(.historyEntry, nil)
        if try isLinked {
            try execute(
                """
                INSERT OR REPLACE INTO \(SyncTables.removed) (collection, key, reason)
                SELECT '\(BztimerStoreAdapter.history)', CAST(id AS TEXT), '\(LogRemoval.deleted.rawValue)' FROM history
                """,
                []
            )
        }
        try execute("DELETE FROM history", [])
        return database.changesCount
    }

    /// Removes all history because other history takes its place, as in a restore.
    ///
    /// Nobody asked to delete these entries on other devices: where most records are gone then, sync asks a person.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    func makeRoomForHistory() throws {
        forget(.historyEntry, nil)
        if try isLinked {
            try execute(
                """
                DELETE FROM \(SyncTables.removed) WHERE collection = ? AND reason = ?
                AND key IN (SELECT CAST(id AS TEXT) FROM history)
                """,
                [BztimerStoreAdapter.history.databaseValue, LogRemoval.deleted.rawValue.databaseValue]
            )
        }
        try execute("DELETE FROM history", [])
    }

    /// Removes history entries that the settings and the plan no longer keep: from this store only.
    ///
    /// - Throws: `store.record` where an id contains U+0000; SQLite's error.
    public func evictHistory(ids: [String]) throws {
        let isLinked = try isLinked
        for id in ids {
            let key = try key(id, of: "history")
            if isLinked {
                try execute(
                    "INSERT OR REPLACE INTO \(SyncTables.removed) (collection, key, reason) VALUES (?, ?, ?)",
                    [BztimerStoreAdapter.history.databaseValue, key, LogRemoval.evicted.rawValue.databaseValue]
                )
            }
            try execute("DELETE FROM history WHERE id = ?", [key])
        }
    }

    /// True if other devices share the store, and have to know why entries are gone.
    package var isLinked: Bool {
        get throws { try database.names(ofType: "table").contains(SyncTables.removed) }
    }
}
