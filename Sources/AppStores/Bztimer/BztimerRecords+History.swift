public import AppFormats
internal import GRDB
internal import StrictJSON

extension BztimerRecords {
    /// All history entries, in the order in which they were added.
    public func history() throws -> [SessionHistoryEntry] {
        let layout = BztimerSchema.history
        let rows = try Row.fetchCursor(database, sql: "SELECT \(layout.names) FROM history ORDER BY rowid")
        var entries: [SessionHistoryEntry] = []
        while let row = try rows.next() {
            let object = try layout.object(in: row, path: path)
            entries.append(try make("history", object) { try SessionHistoryEntry(json: $0) })
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

    /// Removes history entries.
    public func deleteHistory(ids: [String]) throws {
        for id in ids { try execute("DELETE FROM history WHERE id = ?", [try key(id, of: "history")]) }
    }
}
