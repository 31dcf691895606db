public import AppFormats
internal import GRDB
internal import StrictJSON

extension BztimerRecords {
    /// All history entries, in the order in which they were added.
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

    /// Removes all history, also entries that cannot be read.
    ///
    /// - Returns: The number of entries.
    public func clearHistory() throws -> Int {
        forget(.historyEntry, nil)
        try execute("DELETE FROM history", [])
        return database.changesCount
    }

    /// Removes history entries.
    public func deleteHistory(ids: [String]) throws {
        for id in ids { try execute("DELETE FROM history WHERE id = ?", [try key(id, of: "history")]) }
    }
}
