internal import GRDB
internal import RecordMerge

/// Records of the store that cannot be published, as no reader would take them: they stay on this device as they are.
extension ReplicaState {
    /// What is known of such a record.
    struct TooLarge {
        var reason: String
        var title: String?
    }

    /// The records that cannot be published.
    func tooLarge() throws -> [RecordKey: TooLarge] {
        let sql = "SELECT collection, key, reason, title FROM too_large"
        var found: [RecordKey: TooLarge] = [:]
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql))
        while let row = try rows.next() {
            found[RecordKey(row[0], row[1])] = TooLarge(reason: row[2], title: row[3])
        }
        return found
    }

    func setTooLarge(_ key: RecordKey, _ reason: String, title: String?) throws {
        try execute(
            "INSERT OR REPLACE INTO too_large (collection, key, reason, title) VALUES (?, ?, ?, ?)",
            [key.collection, key.key, reason, title]
        )
    }

    /// Forgets that a record could not be published, as it is looked at again.
    func forgetTooLarge(_ key: RecordKey) throws {
        try execute("DELETE FROM too_large WHERE collection = ? AND key = ?", [key.collection, key.key])
    }

    func forgetTooLarge(in collection: String? = nil) throws {
        guard let collection else { return try execute("DELETE FROM too_large") }
        try execute("DELETE FROM too_large WHERE collection = ?", [collection])
    }
}
