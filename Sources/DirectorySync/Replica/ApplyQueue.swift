internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The records that a store is to be given, worked out before the store is locked.
///
/// Those that do not fit into a little memory lie in a temporary table.
final class ApplyQueue {
    private struct Edit {
        let key: RecordKey
        let edit: SyncEdit
        /// Whether the store has it otherwise; else it only works something out anew.
        let isChange: Bool
    }

    /// Edits that are kept in memory, and that are written in one go.
    private static let most = 10_000
    private static let batch = 5_000

    private let state: ReplicaState
    private var edits: [Edit] = []
    private var isSpilled = false
    private var orders: [String: [String]] = [:]

    init(_ state: ReplicaState) { self.state = state }

    /// Adds records, and the orders of collections that have one.
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

    /// Takes it all, in the order in which it was added.
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
    ///   - isFitting: Whether what the store cannot hold is left out.
    ///   - journal: Records that are left as they are.
    /// - Returns: Why the store cannot hold the records that were left out.
    /// - Throws: `store.rejected` where the store cannot hold a record, and it is not to be left out.
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
        // What did not fit may fit when all others are written.
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
    /// Whether the keys of a journal name a record, or the whole collection that it is in.
    func notes(_ key: StoreRecordKey) -> Bool { contains(key) || contains(StoreRecordKey(key.collection, "")) }
}
