internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The edits for a store, computed before the store is locked.
///
/// A few are in memory, the others in a temporary table.
final class ApplyQueue {
    private struct Edit {
        let key: RecordKey
        let edit: SyncEdit
        /// True if the record differs in the store; else the store only derives values again.
        let isChange: Bool
    }

    /// The number of edits in memory, and in one write.
    private static let most = 10_000
    private static let batch = 5_000

    private let state: ReplicaState
    private var edits: [Edit] = []
    private var isSpilled = false
    private var orders: [String: [String]] = [:]

    init(_ state: ReplicaState) { self.state = state }

    /// Adds edits, and the orders of ordered collections.
    func add(_ applied: [AppliedEdit], _ orders: [String: [String]]) throws {
        self.orders.merge(orders) { $1 }
        for edit in applied where edit.isChange || edit.isAnew {
            edits.append(Edit(key: edit.key, edit: edit.edit, isChange: edit.isChange))
        }
        if edits.count > Self.most { try spill() }
    }

    private func spill() throws {
        if !isSpilled {
            try state.execute("DROP TABLE IF EXISTS temp.plan")
            try state.execute(
                "CREATE TEMP TABLE plan (collection TEXT, key TEXT, id TEXT, is_change INTEGER, object TEXT)"
            )
        }
        isSpilled = true
        for edit in edits {
            try state.execute(
                "INSERT INTO temp.plan (collection, key, id, is_change, object) VALUES (?, ?, ?, ?, ?)",
                [
                    edit.key.collection, edit.key.key, edit.edit.key.key, edit.isChange,
                    edit.edit.object.map { JSONValue.object($0).text(.compact) },
                ]
            )
        }
        edits = []
    }

    /// Calls `body` with all edits, in the order in which they were added.
    private func forEachBatch(_ body: ([Edit]) throws -> Void) throws {
        var last = 0
        while isSpilled {
            let sql =
                "SELECT rowid, collection, key, id, is_change, object FROM temp.plan WHERE rowid > ? LIMIT \(Self.batch)"
            let batch = try state.rows(sql, [last]) { row in
                last = row.integer(0)
                let key = RecordKey(row.text(1) ?? "", row.text(2) ?? "")
                let object = try row.text(5).map { text in
                    guard let object = try JSONDocument(parsing: text).root.value.object else {
                        throw state.damaged("plan", key.key)
                    }
                    return object
                }
                let inStore = StoreRecordKey(key.collection, row.text(3) ?? "")
                return Edit(key: key, edit: SyncEdit(inStore, object), isChange: row.integer(4) != 0)
            }
            if batch.isEmpty { break }
            try body(batch)
        }
        if !edits.isEmpty { try body(edits) }
    }

    /// Writes the store.
    ///
    /// - Parameters:
    ///   - isFitting: Whether to leave out records that the store rejects.
    ///   - journal: Records to leave unchanged.
    /// - Returns: The reasons why the store rejects the records that were left out.
    /// - Throws: `store.rejected` where the store rejects a record that may not be left out.
    func write(
        _ writer: any SyncWriter,
        fitting isFitting: Bool,
        except journal: Set<StoreRecordKey> = []
    ) throws -> [RecordKey: String] {
        var left: [Edit] = []
        var reasons: [StoreRecordKey: String] = [:]
        try forEachBatch { batch in
            let batch = journal.isEmpty ? batch : batch.filter { !journal.notes($0.edit.key) }
            guard isFitting else { return try writer.apply(batch.map(\.edit), orders: [:]) }
            let found = try writer.applyFitting(batch.map(\.edit), orders: [:])
            left += batch.filter { $0.isChange && found[$0.edit.key] != nil }
            reasons.merge(found) { $1 }
        }
        let orders = orders.filter { !journal.notes(StoreRecordKey($0.key, "")) }
        if !orders.isEmpty { try writer.apply([], orders: orders) }
        // A rejected record may fit once all others are written.
        while !left.isEmpty {
            let found = try writer.applyFitting(left.map(\.edit), orders: [:])
            let others = left.filter { found[$0.edit.key] != nil }
            reasons.merge(found) { $1 }
            if others.count == left.count { break }
            left = others
        }
        return Dictionary(left.map { ($0.key, reasons[$0.edit.key] ?? "") }) { $1 }
    }
}

extension Set<StoreRecordKey> {
    /// Returns whether a journal's keys name a record, or its whole collection.
    func notes(_ key: StoreRecordKey) -> Bool { contains(key) || contains(StoreRecordKey(key.collection, "")) }
}
