internal import RecordStore
internal import RecordMerge
internal import StrictJSON

/// Records of the store that cannot be published, as no reader would take them: they stay on this device as they are.
extension ReplicaState {
    /// The facts about such a record.
    struct TooLarge {
        var reason: String
        var title: String?
        /// True if the store's row is unreadable; else it is too large.
        var isUnreadable = false
    }

    /// Returns the records that cannot be published.
    func tooLarge() throws -> [RecordKey: TooLarge] {
        let sql = "SELECT collection, key, reason, title, is_unreadable FROM too_large"
        let found = try rows(sql) { row in
            (
                RecordKey(row.text(0) ?? "", row.text(1) ?? ""),
                TooLarge(reason: row.text(2) ?? "", title: row.text(3), isUnreadable: row.integer(4) != 0)
            )
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Returns the keys of the records that the store keeps beside the known ones: those that cannot be published, and
    /// what others deleted together with one of these.
    ///
    /// References to these records stay valid. Correcting the faulty record keeps all of them.
    func keptHere() throws -> Set<RecordKey> {
        let kept = try Set(tooLarge().keys)
        guard !kept.isEmpty, !domain.dependents.isEmpty else { return kept }
        var deleted: [RecordKey: JSONObject] = [:]
        // A kept record stays, whatever became of what it belongs to.
        for key in try deletedByOthers(in: domain.dependents) where !kept.contains(key) {
            deleted[key] = try held(key)?.inStore(key, schema)
        }
        return try kept.union(
            domain.staying(deleted) { owner in
                guard try record(owner) == nil else { return .untouched }
                return kept.contains(owner) ? .stays : .gone
            }
        )
    }

    func setTooLarge(_ key: RecordKey, _ reason: String, title: String?, isUnreadable: Bool = false) throws {
        try unpack(key)
        try execute(
            "INSERT OR REPLACE INTO too_large (collection, key, reason, title, is_unreadable) VALUES (?, ?, ?, ?, ?)",
            [key.collection, key.key, reason, title, isUnreadable]
        )
    }

    /// Forgets that a record could not be published, because it is read again.
    func forgetTooLarge(_ key: RecordKey) throws {
        try execute("DELETE FROM too_large WHERE collection = ? AND key = ?", [key.collection, key.key])
    }

    func forgetTooLarge(in collection: String? = nil) throws {
        guard let collection else { return try execute("DELETE FROM too_large") }
        try execute("DELETE FROM too_large WHERE collection = ?", [collection])
    }
}
