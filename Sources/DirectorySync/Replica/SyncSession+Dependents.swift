internal import RecordMerge
internal import StrictJSON

/// Records that others deleted together with a target that stays, as somebody changed that meanwhile.
extension SyncSession {
    /// The number of records in one change.
    private static let most = 5_000

    /// Restores the records that the store still has, and that others deleted with a target that stays.
    ///
    /// The next synchronisation does it where this one ends before: until the store is written, the state tells what
    /// the store has.
    ///
    /// - Returns: Whether there is a change to publish.
    @discardableResult
    func restoreDependents() throws -> Bool {
        let dependents = state.domain.dependents
        guard !dependents.isEmpty else { return false }
        return try state.transaction {
            var deleted: [RecordKey: (object: JSONObject, record: RecordState)] = [:]
            for key in try state.deletedByOthers(in: dependents) {
                guard case .earlier(let record?, _) = try state.given(key), let held = try state.held(key),
                    let object = held.inStore(key, state.schema)
                else { continue }
                deleted[key] = (object, record)
            }
            guard !deleted.isEmpty else { return false }
            let staying = try state.domain.staying(deleted.mapValues(\.object), fate).sorted()
            for start in stride(from: 0, to: staying.count, by: Self.most) {
                let keys = staying[start..<min(start + Self.most, staying.count)]
                let records = Dictionary(
                    uniqueKeysWithValues: keys.compactMap { key in
                        deleted[key].map { (key, $0.record) }
                    }
                )
                if let change = try writer.makeChange(restoring: records) { outcome.published.append(change) }
            }
            return !staying.isEmpty
        }
    }

    /// Returns what became of a target; it stays if others deleted it and changed it since the store was written.
    private func fate(_ key: RecordKey) throws -> MergeDomain.Fate {
        guard let record = try state.held(key)?.record else { return .gone }
        guard record.isContested, case .earlier(let earlier?, _) = try state.given(key), !earlier.isContested else {
            return .untouched
        }
        return .stays
    }
}

extension ReplicaState {
    /// Returns the records of some collections that others deleted and that the store still has.
    fileprivate func deletedByOthers(in collections: Set<String>) throws -> [RecordKey] {
        let places = collections.map { _ in "?" }.joined(separator: ", ")
        return try keys(
            """
            SELECT t.collection, t.key FROM touched t JOIN record r ON r.collection = t.collection AND r.key = t.key
            WHERE t.collection IN (\(places)) AND t.unseen = 1 AND t.line IS NOT NULL AND r.line IS NULL
            """,
            collections.sorted()
        )
    }

    /// Returns the records that were restored with some others, each as it is shown.
    func restored(with owners: Set<RecordKey>) throws -> [RecordKey: JSONObject] {
        var found: [RecordKey: JSONObject] = [:]
        var open = owners
        while !open.isEmpty {
            var next: Set<RecordKey> = []
            for collection in domain.dependents.sorted() {
                try forEachRecord(in: collection) { key, held in
                    guard found[key] == nil, let record = held.record, record.isRestored else { return }
                    let object = ResolvedRecord(key, record, schema.record(in: collection)).object
                    guard domain.owners(key, object).contains(where: open.contains) else { return }
                    found[key] = object
                    next.insert(key)
                }
            }
            open = next
        }
        return found
    }
}
