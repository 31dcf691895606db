internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// Records that others deleted together with one that stays, as somebody changed that meanwhile.
extension SyncSession {
    /// The number of records in one change.
    private static let most = 5_000

    /// Restores the records that the store still has, and that others deleted with one that stays.
    ///
    /// The next synchronisation does it where this one ends before: until the store is written, the state tells what
    /// the store has.
    ///
    /// - Returns: Whether there is a change to publish.
    @discardableResult
    func restoreDependents() throws -> Bool {
        guard !state.domain.dependents.isEmpty else { return false }
        return try state.transaction {
            let published = outcome.published.count
            try removeOrphans()
            var deleted: [RecordKey: (object: JSONObject, record: RecordState)] = [:]
            for key in try state.deletedByOthers(in: state.domain.dependents) {
                guard case .earlier(let record?, _) = try state.applied(key),
                    let object = try state.held(key)?.inStore(key, state.schema)
                else { continue }
                deleted[key] = (object, record)
            }
            let staying = try state.domain.staying(deleted.mapValues(\.object), fate).sorted()
            for start in stride(from: 0, to: staying.count, by: Self.most) {
                var records: [RecordKey: RecordState] = [:]
                for key in staying[start..<min(start + Self.most, staying.count)] {
                    guard let (object, record) = deleted[key] else { continue }
                    records[key] = record
                    try state.noteRestored(key, with: state.domain.owners(key, object))
                }
                if let change = try writer.makeChange(restoring: records) { outcome.published.append(change) }
            }
            try noteKept(staying.compactMap { key in deleted[key].map { (key, $0.object) } })
            try noteUntold()
            return outcome.published.count > published
        }
    }

    /// Notes which records were restored.
    private func noteKept(_ restored: [(key: RecordKey, object: JSONObject)]) throws {
        guard let names = try ownerNames(of: restored) else { return }
        let count = restored.count == 1 ? "1 record" : "\(restored.count) records"
        outcome.notes.append("kept \(count) that others deleted together with \(names), as what they belong to stays")
    }

    /// Notes which records go although what they belong to stays, as only a checkpoint tells of their deletion.
    private func noteUntold() throws {
        var deleted: [RecordKey: JSONObject] = [:]
        for key in try state.deletedByOthers(in: state.domain.dependents, how: .untold) {
            deleted[key] = try state.held(key)?.inStore(key, state.schema)
        }
        let staying = try state.domain.staying(deleted, fate)
        let gone = staying.sorted().compactMap { key in deleted[key].map { (key: key, object: $0) } }
        guard let names = try ownerNames(of: gone) else { return }
        let (count, were) = gone.count == 1 ? ("1 record", "it was") : ("\(gone.count) records", "they were")
        let note =
            "removed \(count) of \(names), as others did: a checkpoint does not tell whether \(were) deleted together"
            + " with \(names) or alone"
        if !outcome.notes.contains(note) { outcome.notes.append(note) }
    }

    /// Returns the names of what some records make no sense without; nil where that is gone.
    private func ownerNames(of records: [(key: RecordKey, object: JSONObject)]) throws -> String? {
        let owners = try Set(records.flatMap { state.domain.owners($0.key, $0.object) }).sorted().compactMap { key in
            try state.held(key)?.record.map { record in
                let object = state.schema.resolved(key, record).object
                return "\"\(replica.info.title(key, object) ?? key.key)\""
            }
        }
        guard let first = owners.first else { return nil }
        return owners.count == 1 ? first : "\(first) and \(owners.count - 1) more"
    }

    /// Returns what became of a record that others may have deleted.
    private func fate(_ key: RecordKey) throws -> MergeDomain.Fate {
        guard try state.held(key)?.record != nil else { return .gone }
        return try state.isContestedSinceApplied(key) ? .stays : .untouched
    }

    /// Deletes what this device restored with a record that is gone after all.
    ///
    /// The deletion may come from a device that did not know of the restored records.
    private func removeOrphans() throws {
        var orphans = RecordSet()
        for (key, owner) in try state.restoredWithDirty() where try state.held(owner)?.record == nil {
            try state.forgetRestored(key)
            guard let record = try state.record(key), record.isRestored else { continue }
            orphans.objects[key] = state.schema.resolved(key, record).object
        }
        guard !orphans.objects.isEmpty else { return }
        if let change = try writer.makeChange(from: orphans, to: RecordSet()) { outcome.published.append(change) }
    }
}

/// The deletions of one change, which tell what was deleted alone.
struct ChangeDeletions {
    /// A synchronisation may make several changes, and another one may come between an app's statements.
    private static let window = 60_000
    private let state: ReplicaState
    private let milliseconds: Int
    private let dependents: Set<String>
    private var deleted: Set<RecordKey> = []
    private var found: [(key: RecordKey, owners: [RecordKey], wasThere: Bool)] = []

    /// - Parameter milliseconds: The time of the change, since 1970.
    init(_ state: ReplicaState, at milliseconds: Int) {
        self.state = state
        self.milliseconds = milliseconds
        dependents = state.domain.dependents
    }

    /// Notes a record of the change, before it is applied.
    mutating func note(_ changed: ChangedRecord) throws {
        guard changed.version == nil, !dependents.isEmpty else { return }
        let key = changed.key
        deleted.insert(key)
        guard dependents.contains(key.collection), let held = try state.held(key) else { return }
        let shown = held.resolved(key, state.schema)
        guard let object = shown ?? held.inStore(key, state.schema) else { return }
        found.append((key, state.domain.owners(key, object), held.record != nil))
    }

    /// Marks the records that were deleted without those that they make no sense without.
    ///
    /// - Parameter others: The earlier deletions of the same writer; those that are not much earlier stay there.
    func mark(beside others: inout [ChangeDeletions]) throws {
        others.removeAll { abs($0.milliseconds - milliseconds) > Self.window }
        guard !deleted.isEmpty else { return }
        others.append(self)
        let all = others.reduce(into: Set<RecordKey>()) { $0.formUnion($1.deleted) }
        for other in others.dropLast() {
            for (key, owners, wasThere) in other.found where wasThere && owners.contains(where: deleted.contains) {
                // A deletion that only a checkpoint tells of stays untold.
                try state.setDeletion(of: key, .together, from: .alone)
            }
        }
        for (key, owners, wasThere) in found {
            let isAlone = !owners.contains(where: all.contains)
            if isAlone || wasThere { try state.setDeletion(of: key, isAlone ? .alone : .together) }
        }
    }
}

/// How others deleted a record that makes no sense without another one; the column `touched.is_alone` has the number.
enum DependentDeletion: Int {
    /// Each change that deleted it deleted the other record, too.
    case together = 0
    /// Somebody deleted it without the other record.
    case alone = 1
    /// Only a checkpoint tells that it is gone, and so not which of these it was.
    case untold = 2
}

extension ReplicaState {
    /// Returns the records of some collections that the store still has, and that others deleted.
    func deletedByOthers(
        in collections: Set<String>,
        how: DependentDeletion = .together
    ) throws -> [RecordKey] {
        let places = collections.map { _ in "?" }.joined(separator: ", ")
        return try keys(
            """
            SELECT t.collection, t.key FROM touched t JOIN record r ON r.collection = t.collection AND r.key = t.key
            WHERE t.collection IN (\(places)) AND t.unseen = 1 AND t.is_alone = ? AND t.line IS NOT NULL
                AND r.line IS NULL
            """,
            collections.sorted() + [how.rawValue]
        )
    }

    /// Notes how others deleted a record.
    ///
    /// - Parameter earlier: What has to be noted of it so far; nil for anything.
    fileprivate func setDeletion(
        of key: RecordKey,
        _ deletion: DependentDeletion,
        from earlier: DependentDeletion? = nil
    ) throws {
        try execute(
            "UPDATE touched SET is_alone = ?1 WHERE collection = ?2 AND key = ?3 AND is_alone = coalesce(?4, is_alone)",
            [deletion.rawValue, key.collection, key.key, earlier?.rawValue]
        )
    }

    /// Notes that nothing tells how those records were deleted that a merged checkpoint knew and no longer has.
    ///
    /// A checkpoint has no deletions. Where it has the owner of such a record, somebody may have deleted the record alone.
    /// Where it lacks the owner, the record went with it.
    ///
    /// - Parameters:
    ///   - seen: All changes of the checkpoint.
    ///   - isListed: Returns whether the checkpoint has a record.
    func noteUntoldDeletions(seen: VersionVector, _ isListed: (RecordKey) throws -> Bool) throws {
        for key in try deletedByOthers(in: domain.dependents) where try !isListed(key) {
            guard case .earlier(let record?, _) = try applied(key),
                record.versions.contains(where: { seen.covers($0.stamp.dot) }),
                try domain.owners(key, schema.resolved(key, record).object).contains(where: isListed)
            else { continue }
            try setDeletion(of: key, .untold)
        }
    }

    /// Returns whether a dirty record stayed, though somebody deleted it, since the store got it.
    fileprivate func isContestedSinceApplied(_ key: RecordKey) throws -> Bool {
        let sql = "SELECT count(*) FROM touched WHERE collection = ? AND key = ? AND is_contested"
        return try count(sql, [key.collection, key.key]) > 0
    }

    /// Notes that this device restored a record.
    fileprivate func noteRestored(_ key: RecordKey, with owners: [RecordKey]) throws {
        for owner in owners {
            try execute(
                "INSERT OR IGNORE INTO restored (collection, key, owner_collection, owner) VALUES (?, ?, ?, ?)",
                [key.collection, key.key, owner.collection, owner.key]
            )
        }
    }

    /// Forgets that this device restored a record.
    fileprivate func forgetRestored(_ key: RecordKey) throws {
        try execute("DELETE FROM restored WHERE collection = ? AND key = ?", [key.collection, key.key])
    }

    /// Returns the records that this device restored with dirty ones.
    fileprivate func restoredWithDirty() throws -> [(key: RecordKey, owner: RecordKey)] {
        let sql = """
            SELECT r.collection, r.key, r.owner_collection, r.owner FROM restored r
            JOIN touched t ON t.collection = r.owner_collection AND t.key = r.owner
            """
        return try rows(sql) {
            (RecordKey($0.text(0) ?? "", $0.text(1) ?? ""), RecordKey($0.text(2) ?? "", $0.text(3) ?? ""))
        }
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
                    let object = schema.resolved(key, record).object
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
