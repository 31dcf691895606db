internal import RecordMerge
internal import RecordStore
internal import StrictJSON

extension SyncSession {
    /// Records that are written in one go.
    private static let batch = 5_000
    private static let batchBytes = 4 << 20

    /// Works out what the store is to be given, and notes that it has it.
    ///
    /// That is what the records that were touched show now, with those that are shown otherwise because of them.
    /// What the store is known not to be able to hold is left out, and so is what its app could not read.
    ///
    /// - Parameters:
    ///   - some: The only records of those that were touched; nil for all.
    ///   - plan: Takes what is to be written; nil where the store is known to have everything already.
    ///   - journal: Records that the store has still to be given afterwards.
    /// - Returns: The number of records of the store that are written or removed.
    @discardableResult
    func apply(
        _ some: [RecordKey]? = nil,
        into plan: ApplyQueue? = nil,
        except journal: Set<StoreRecordKey> = []
    ) throws -> Int {
        let refused = try state.refused()
        // Those that refer to a record which the store lacks would refer to nothing.
        let tooLarge = try state.tooLarge()
        let missing = try Set(refused.keys.filter { try state.held($0)?.place == .absent })
        var written = 0
        var waiting: [RecordKey] = []
        var last: RecordKey?
        while true {
            let keys = try some ?? firstUnapplied(after: last)
            guard let end = keys.last else { break }
            last = end
            var (edits, orders) = try apply(keys, without: refused)
            if !refused.isEmpty { edits.removeAll { refused[$0.key] != nil } }
            if !tooLarge.isEmpty { edits.removeAll { tooLarge[$0.key] != nil } }
            if !missing.isEmpty { try holdBack(&edits, missing) }
            try holdBackUnreadable(&edits)
            if !journal.isEmpty {
                let noted = edits.filter { $0.isChange && journal.notes($0.edit.key) }.map(\.key)
                edits.removeAll { journal.notes($0.edit.key) }
                // With a reason they stay among those that were touched, with what the store has them from: who changes
                // one there has seen no more than that.
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
        // What is read has to be behind what was read, or this would never end.
        if let last, let end = keys.last, !(last < end) { throw state.damaged("touched", end.key) }
        return keys
    }

    // MARK: Batches

    /// The records that the store is given next, so that its app does not wait for long; nil where all are few enough.
    func nextBatch() throws -> [RecordKey]? {
        let most = pace.most
        guard try state.untriedCount(most + 1) > most else { return nil }
        return try untried(most)
    }

    /// The first records that the store has not been tried with: the same ones as long as none of them was.
    func untried(_ limit: Int) throws -> [RecordKey] {
        let first = replica.info.declaration?.ordered.map(\.name) ?? replica.info.domain.referredTo
        let keys = try state.untried(limit: min(limit, Self.batch), first: first)
        return try state.prefix(keys, bytes: Self.batchBytes)
    }

    /// Takes out records that refer to one which the store lacks, as it cannot hold it.
    private func holdBack(_ edits: inout [AppliedEdit], _ missing: Set<RecordKey>) throws {
        try edits.removeAll { edit in
            guard edit.isChange,
                let found = replica.info.domain.targets(edit.key, edit.object).first(where: missing.contains)
            else { return false }
            try state.setRefused(edit.key, try reason(found))
            return true
        }
    }

    /// Takes out records that the app's programs could not read.
    private func holdBackUnreadable(_ edits: inout [AppliedEdit]) throws {
        try edits.removeAll { edit in
            guard edit.isChange, let object = edit.object,
                let reason = store.fault(of: object, in: edit.key.collection)
            else { return false }
            try state.setRefused(edit.key, reason)
            return true
        }
    }

    /// Why a record is not written that refers to another.
    private func reason(_ key: RecordKey) throws -> String {
        let record = try state.record(key)
        let object = record.map { ResolvedRecord(key, $0, state.schema.record(in: key.collection)).object }
        let name = replica.info.title(key, object) ?? key.key
        return "it refers to \"\(name)\" of \(key.collection), which the store cannot hold"
    }

    /// Checks that the store can hold records, before they are published; it is left as it is.
    ///
    /// - Throws: `store.rejected`.
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
            _ = try store.write(expecting: journal.revision, link: link(generation: state.integer("generation"))) {
                writer in
                try writer.apply(edits, orders: [:])
                throw TakenBack()
            }
        } catch is TakenBack {}
    }

    /// A record that was touched, as it is by itself.
    private struct Unapplied {
        let key: RecordKey
        let held: ReplicaRecord?
        let shown: ResolvedRecord?
        let links: RecordLinks
        /// Its links when the store was last written.
        let before: RecordLinks
    }

    private func apply(
        _ keys: [RecordKey],
        without refused: [RecordKey: String]
    ) throws -> (edits: [AppliedEdit], orders: [String: [String]]) {
        var edits: [AppliedEdit] = []
        var entangled: [RecordKey: Unapplied] = [:]
        // Only when the links of all are kept can be told who has to do with others.
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
        let together = try applyTogether(entangled, without: refused)
        // One that others refer to may be among them once more.
        let applied = Set(together.edits.map(\.key))
        edits.removeAll { applied.contains($0.key) }
        edits += together.edits
        edits.sort { $0.key < $1.key }
        return (edits, together.orders)
    }

    /// Reads a record that was touched and keeps its links.
    private func unapplied(_ key: RecordKey) throws -> Unapplied {
        let held = try state.held(key)
        let shown = held?.record.map { ResolvedRecord(key, $0, state.schema.record(in: key.collection)) }
        let links = shown.map { state.domain.links(key, $0) } ?? RecordLinks()
        let before = try state.keptLinks(key)
        try state.setLinks(key, links, before: before)
        return Unapplied(key: key, held: held, shown: shown, links: links, before: before)
    }

    /// Settles records that have to do with others, and those others.
    private func applyTogether(
        _ touched: [RecordKey: Unapplied],
        without refused: [RecordKey: String]
    ) throws -> (edits: [AppliedEdit], orders: [String: [String]]) {
        let schema = state.schema
        var held = touched.compactMapValues(\.held)
        for key in try state.domain.resolvedTogether(touched.mapValues(\.before), in: state) where held[key] == nil {
            held[key] = try state.held(key)
        }
        let shown = ResolvedSet(held.compactMapValues(\.record), schema, state.domain)
        let conflicts = Dictionary(grouping: shown.conflicts, by: \.key)
        var edits: [AppliedEdit] = []
        for (key, record) in held {
            try note(conflicts[key]?.count ?? 0, key, record)
            let alone =
                touched[key]?.shown
                ?? record.record.map { ResolvedRecord(key, $0, schema.record(in: key.collection)) }
            let edit = edit(key, record, shown.records.objects[key], alone: alone?.object)
            if let edit { edits.append(edit) }
        }
        return (edits, try orders(of: held.keys, without: refused))
    }

    /// Keeps how many conflicts stand in a record.
    private func note(_ conflicts: Int, _ key: RecordKey, _ held: ReplicaRecord) throws {
        if conflicts != held.conflicts { try state.setConflicts(key, conflicts) }
    }

    /// A record as the store is to have it; nil where its app threw it out.
    ///
    /// - Parameters:
    ///   - object: What it shows; nil for nothing.
    ///   - alone: What it shows without repairs.
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
            outcome.keptBack.append(RecordName(collection: key.collection, key: key.key, title: title))
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

    /// By what the store knows a record: in a collection with an order its identifier there.
    private func storeKey(_ key: RecordKey, _ object: JSONObject?) -> StoreRecordKey {
        guard state.schema.collection(key.collection)?.rule == .list else { return key.inStore }
        return StoreRecordKey(key.collection, object?["id"]?.string ?? key.key)
    }

    /// The order of ordered collections of which records were shown anew.
    private func orders(
        of keys: some Collection<RecordKey>,
        without refused: [RecordKey: String]
    ) throws -> [String: [String]] {
        var orders: [String: [String]] = [:]
        for collection in Set(keys.map(\.collection)) where state.schema.collection(collection)?.rule == .list {
            var places: [RecordPlace] = []
            var identifiers: [RecordKey: String] = [:]
            let given = try refused.isEmpty ? [:] : state.given(in: collection)
            try state.forEachRecord(in: collection) { key, held in
                var record = held.record
                // What the store cannot hold as it is now stays where it is.
                if refused[key] != nil, case .earlier(let earlier, _) = given[key] { record = earlier }
                guard let record else { return }
                let one = ResolvedRecord(key, record, state.schema.record(in: collection))
                places.append(RecordPlace(key, one.place))
                identifiers[key] = one.object["id"]?.string
            }
            orders[collection] = places.sorted().compactMap { identifiers[$0.key] }
        }
        return orders
    }
}

/// A record as the store is to have it.
struct AppliedEdit {
    let key: RecordKey
    /// The record as the store had it; nil where it had none.
    let old: JSONObject?
    let edit: SyncEdit
    /// What the record shows without repairs; nil where it is deleted.
    let alone: JSONObject?
    /// Whether the store has it otherwise.
    let isChange: Bool
    /// Whether it is noted already that the store has just what the record shows.
    let isNoted: Bool
    /// Whether the store works out anew what follows from it.
    let isAnew: Bool

    var object: JSONObject? { edit.object }
}
