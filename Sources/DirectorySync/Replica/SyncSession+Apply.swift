internal import RecordMerge
internal import RecordStore
internal import StrictJSON

extension SyncSession {
    /// The number of records in one write.
    private static let batch = 5_000
    private static let batchBytes = 4 << 20

    /// Computes the edits for the store, and notes them as applied.
    ///
    /// These are the dirty records in resolved form, and the records that change with them. It leaves out records that
    /// the store rejects or that its app could not read.
    ///
    /// - Parameters:
    ///   - some: The dirty records to write; nil for all.
    ///   - plan: Takes the edits; nil where the store already has everything.
    ///   - journal: Records that the store gets afterwards.
    /// - Returns: The number of records to write or remove in the store.
    @discardableResult
    func apply(
        _ some: [RecordKey]? = nil,
        into plan: ApplyQueue? = nil,
        except journal: Set<StoreRecordKey> = []
    ) throws -> Int {
        let refused = try state.refused()
        // Records that refer to one that the store lacks would refer to nothing.
        let kept = try state.keptHere()
        let missing = try Set(refused.keys.filter { try state.held($0)?.place == .absent })
        var written = 0
        var waiting: [RecordKey] = []
        var last: RecordKey?
        while true {
            let keys = try some ?? firstUnapplied(after: last)
            guard let end = keys.last else { break }
            last = end
            var (edits, orders) = try apply(keys, without: refused, beside: kept)
            if !refused.isEmpty { edits.removeAll { refused[$0.key] != nil } }
            if !kept.isEmpty { try holdBack(&edits, staying: kept) }
            if !missing.isEmpty { try holdBack(&edits, missing) }
            try holdBackUnreadable(&edits)
            if !journal.isEmpty {
                let noted = edits.filter { $0.isChange && journal.notes($0.edit.key) }.map(\.key)
                edits.removeAll { journal.notes($0.edit.key) }
                // With a reason they stay dirty, with the state that the store has them from. Whoever edits one there
                // has seen no more than that.
                let left = Set(keys.filter { journal.notes($0.inStore) }).union(noted)
                for key in left { try state.setRefused(key, "") }
                waiting += left
            }
            for edit in edits {
                if !edit.isNoted { try state.setInStore(edit.key, edit.object, shown: edit.alone) }
                guard edit.isChange else { continue }
                written += 1
                self.written.note(edit)
            }
            try plan?.add(edits, orders)
            if some != nil {
                try state.markTried(keys)
                break
            }
            try state.markApplied(through: end)
        }
        for key in waiting { try state.setRefused(key, nil) }
        return written
    }

    private func firstUnapplied(after last: RecordKey?) throws -> [RecordKey] {
        let keys = try state.prefix(state.unapplied(after: last, limit: Self.batch), bytes: Self.batchBytes)
        // Each batch must come after the last one, or the loop would never end.
        if let last, let end = keys.last, !(last < end) { throw state.damaged("touched", end.key) }
        return keys
    }

    // MARK: Batches

    /// Returns the next batch of records, so that the app waits briefly; nil where all are few enough.
    func nextBatch() throws -> [RecordKey]? {
        let most = pace.most
        guard try state.untriedCount(most + 1) > most else { return nil }
        return try untried(most)
    }

    /// Returns the first records not yet tried in the store; they stay the same until one is tried.
    func untried(_ limit: Int) throws -> [RecordKey] {
        let first = replica.info.declaration?.ordered.map(\.name) ?? replica.info.domain.referredTo
        let keys = try state.untried(limit: min(limit, Self.batch), first: first)
        return try state.prefix(keys, bytes: Self.batchBytes)
    }

    /// Blocks records that refer to one that the store rejects.
    private func holdBack(_ edits: inout [AppliedEdit], _ missing: Set<RecordKey>) throws {
        try edits.removeAll { edit in
            guard edit.isChange,
                let found = replica.info.domain.targets(edit.key, edit.object).first(where: missing.contains)
            else { return false }
            try state.setRefused(edit.key, try reason(found))
            return true
        }
    }

    /// Leaves out records that stay on this device; what others deleted together with one of them waits with it.
    private func holdBack(_ edits: inout [AppliedEdit], staying kept: Set<RecordKey>) throws {
        let tooLarge = try state.tooLarge()
        try edits.removeAll { edit in
            guard kept.contains(edit.key) else { return false }
            // Its owner is named.
            if tooLarge[edit.key] == nil { try state.setRefused(edit.key, "") }
            return true
        }
    }

    /// Leaves out records that the app's programs could not read.
    private func holdBackUnreadable(_ edits: inout [AppliedEdit]) throws {
        try edits.removeAll { edit in
            guard edit.isChange, let object = edit.object,
                let reason = store.fault(of: object, in: edit.key.collection)
            else { return false }
            try state.setRefused(edit.key, reason)
            return true
        }
    }

    /// Returns why a record is not written that refers to another.
    private func reason(_ key: RecordKey) throws -> String {
        let record = try state.record(key)
        let object = record.map { state.schema.resolved(key, $0).object }
        let name = replica.info.title(key, object) ?? key.key
        return "it refers to \"\(name)\" of \(key.collection), which the store cannot hold"
    }

    /// Checks that the store accepts records, before they are published; it does not change the store.
    ///
    /// - Throws: `store.rejected` where the store rejects one of them.
    func checkStore(takes records: RecordSet) throws {
        struct TakenBack: Error {}
        for (key, object) in records.objects.sorted(by: { $0.key < $1.key }) {
            guard let reason = store.fault(of: replica.info.sent(key, object), in: key.collection) else { continue }
            throw StoreError(.rejected, "the app's programs could not read the record: \(reason)", path: store.path)
        }
        let journal = try store.read { try $0.journal }
        let edits = records.objects.sorted { $0.key < $1.key }.map { key, object in
            SyncEdit(storeKey(key, object), replica.info.sent(key, object))
        }
        do {
            _ = try store.write(expecting: journal.revision, link: link(generation: state.integer(.generation))) {
                writer in
                try writer.apply(edits, orders: [:])
                throw TakenBack()
            }
        } catch is TakenBack {}
    }

    /// A dirty record, resolved without others.
    private struct Unapplied {
        let key: RecordKey
        let held: ReplicaRecord?
        let shown: ResolvedRecord?
        let links: RecordLinks
        /// The links at the last write of the store.
        let before: RecordLinks
    }

    private func apply(
        _ keys: [RecordKey],
        without refused: [RecordKey: String],
        beside kept: Set<RecordKey>
    ) throws -> (edits: [AppliedEdit], orders: [String: [String]]) {
        var edits: [AppliedEdit] = []
        var entangled: [RecordKey: Unapplied] = [:]
        // All links must be kept before the dependent records can be found.
        for record in try keys.map(unapplied) {
            let isOrdered = state.schema.collection(record.key.collection)?.rule == .list
            if !isOrdered, try state.isAlone(record.links, before: record.before) {
                guard let held = record.held else { continue }
                let object = record.shown?.object
                try note(record.shown?.conflicts.count ?? 0, record.key, held)
                if let edit = edit(record.key, held, object, alone: object) { edits.append(edit) }
            } else {
                entangled[record.key] = record
            }
        }
        guard !entangled.isEmpty else { return (edits, [:]) }
        let together = try applyTogether(entangled, without: refused, beside: kept)
        // A record that others refer to may occur again.
        let applied = Set(together.edits.map(\.key))
        edits.removeAll { applied.contains($0.key) }
        edits += together.edits
        edits.sort { $0.key < $1.key }
        return (edits, together.orders)
    }

    /// Reads a dirty record and keeps its links.
    private func unapplied(_ key: RecordKey) throws -> Unapplied {
        let held = try state.held(key)
        let shown = held?.record.map { state.schema.resolved(key, $0) }
        let links = shown.map { state.domain.links(key, $0) } ?? RecordLinks()
        let before = try state.keptLinks(key)
        try state.setLinks(key, links, before: before)
        return Unapplied(key: key, held: held, shown: shown, links: links, before: before)
    }

    /// Applies dependent records together with those they depend on.
    private func applyTogether(
        _ touched: [RecordKey: Unapplied],
        without refused: [RecordKey: String],
        beside kept: Set<RecordKey>
    ) throws -> (edits: [AppliedEdit], orders: [String: [String]]) {
        let schema = state.schema
        var held = touched.compactMapValues(\.held)
        for key in try state.domain.resolvedTogether(touched.mapValues(\.before), in: state) where held[key] == nil {
            held[key] = try state.held(key)
        }
        let shown = ResolvedSet(held.compactMapValues(\.record), schema, state.domain, beside: kept)
        let conflicts = Dictionary(grouping: shown.conflicts, by: \.key)
        var edits: [AppliedEdit] = []
        for (key, record) in held {
            try note(conflicts[key]?.count ?? 0, key, record)
            let alone =
                touched[key]?.shown
                ?? record.record.map { schema.resolved(key, $0) }
            let edit = edit(key, record, shown.records.objects[key], alone: alone?.object)
            if let edit { edits.append(edit) }
        }
        Self.tellApart(&edits)
        return (edits, try orders(of: held.keys, without: refused))
    }

    /// Gives a new record another key in the store, where a record of the store has its identifier until now.
    ///
    /// Both edits would go by one key, and the new record would take the place of the other.
    private static func tellApart(_ edits: inout [AppliedEdit]) {
        let present = Set(edits.filter { $0.old != nil }.map(\.edit.key))
        for index in edits.indices where edits[index].old == nil && present.contains(edits[index].edit.key) {
            let key = edits[index].key
            let new = StoreRecordKey(key.collection, "\n\n\(key.key)")
            edits[index].edit = SyncEdit(new, edits[index].object)
        }
    }

    /// Notes what the store has of the records in conflict, where another version of the program resolved them.
    ///
    /// Its rules may be others: the store gets what today's rules resolve, and their conflicts are counted again. What
    /// the app wrote since is left to change detection, as is all of a store that is compared as a whole.
    func noteFormerForms(_ comparison: FullComparison?) throws {
        let (program, info) = (replica.environment.program, replica.info)
        guard try state.property(.resolvedBy) != program else { return }
        try state.transaction {
            try store.read { records in
                let edited = Set(try records.journal.keys)
                for key in try store is DocumentStore ? [] : state.conflictKeys() {
                    try state.markOwn(key)
                    guard comparison == nil, let held = try state.held(key), held.place == .shown,
                        let shown = held.resolved(key, info.schema), !edited.notes(storeKey(key, shown)),
                        case .success(let object?)? = try records.records([storeKey(key, shown)]).first
                    else { continue }
                    let former = info.completed(key, info.sent(key, object), from: info.sent(key, shown))
                    if former != info.sent(key, shown) { try state.setInStore(key, former, shown: shown) }
                }
            }
            try state.setProperty(.resolvedBy, program)
        }
    }

    /// Stores the number of open conflicts of a record.
    private func note(_ conflicts: Int, _ key: RecordKey, _ held: ReplicaRecord) throws {
        if conflicts != held.conflicts { try state.setConflicts(key, conflicts) }
    }

    /// Returns the edit of a record; nil where the app dropped it.
    ///
    /// - Parameters:
    ///   - object: The resolved record; nil for none.
    ///   - alone: The resolved record without invariants enforced.
    private func edit(
        _ key: RecordKey,
        _ held: ReplicaRecord,
        _ object: JSONObject?,
        alone: JSONObject?
    ) -> AppliedEdit? {
        guard held.place != .evicted else { return nil }
        let object = object.map { replica.info.sent(key, $0) }
        let old = held.inStore(key, state.schema)
        if let old, object == nil, held.record != nil {
            let title = replica.info.title(key, old)
            outcome.keptBack.append(RecordName(key, title: title))
        }
        return AppliedEdit(
            key: key,
            old: old,
            edit: SyncEdit(storeKey(key, old ?? object), object),
            alone: alone,
            isChange: old != object,
            isNoted: held.place == .shown && old == object,
            isAnew: object != nil && anew.contains(key)
        )
    }

    /// Returns the store's key of a record: in an ordered collection its identifier there.
    private func storeKey(_ key: RecordKey, _ object: JSONObject?) -> StoreRecordKey {
        guard state.schema.collection(key.collection)?.rule == .list else { return key.inStore }
        return StoreRecordKey(key.collection, object?["id"]?.string ?? key.key)
    }

    /// Returns the order of ordered collections with newly resolved records.
    private func orders(
        of keys: some Collection<RecordKey>,
        without refused: [RecordKey: String]
    ) throws -> [String: [String]] {
        var orders: [String: [String]] = [:]
        for collection in Set(keys.map(\.collection)) where state.schema.collection(collection)?.rule == .list {
            var places: [RecordPlace] = []
            var identifiers: [RecordKey: String] = [:]
            let given = try refused.isEmpty ? [:] : state.applied(in: collection)
            try state.forEachRecord(in: collection) { key, held in
                var record = held.record
                // A rejected record keeps its position.
                if refused[key] != nil, case .earlier(let earlier, _) = given[key] { record = earlier }
                guard let record else { return }
                let one = state.schema.resolved(key, record)
                places.append(RecordPlace(key, one.place))
                identifiers[key] = one.object["id"]?.string
            }
            orders[collection] = places.sorted().compactMap { identifiers[$0.key] }
        }
        return orders
    }
}

/// The edit of a record for the store.
struct AppliedEdit {
    let key: RecordKey
    /// The store's earlier record; nil where it had none.
    let old: JSONObject?
    var edit: SyncEdit
    /// The resolved record without invariants enforced; nil for a deleted one.
    let alone: JSONObject?
    /// True if the store's record differs.
    let isChange: Bool
    /// True if the store is already noted to have exactly the resolved record.
    let isNoted: Bool
    /// True if the store derives again what follows from it.
    let isAnew: Bool

    var object: JSONObject? { edit.object }
}
