internal import FileSystem
internal import FormatKit
internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Compares a store with the records that sync last applied.
final class StoreChangeDetection {
    private let session: SyncSession
    private let records: any SyncRecords
    private let comparison: FullComparison?
    private let state: ReplicaState
    private let info: ReplicaApp
    /// The applied and the present records that differ.
    private var base = RecordSet()
    private var ours = RecordSet()
    /// The records of `ours` that the store has with more.
    private var whole: [RecordKey: JSONObject] = [:]
    /// Records that nobody else ever had, in order; they are plain but for few.
    @exclusivity(unchecked) private var new: [NewRecord] = []
    @exclusivity(unchecked) private var differing = 0
    /// The differing records that the store lacks.
    private var deleting = 0
    /// The records with unreadable rows.
    private var unreadable: Set<RecordKey> = []
    /// The records that stayed on this device alone before.
    private let keptBefore: Set<RecordKey>
    /// The records of these that could not be published.
    private let faultyBefore: Set<RecordKey>
    /// The records that others deleted, and that were corrected here to what they were.
    private var corrected: Set<RecordKey> = []
    /// The records whose facts follow from differing records, and that are not written yet.
    private var facts: Set<RecordKey> = []
    /// The store's records whose reference the store cleared, as its target was deleted; nobody edited that.
    private var cleared: [RecordKey: JSONObject] = [:]
    private var openFacts: Set<RecordKey> = []
    /// The folder's records of a collection where two may have the same identifier, for a device that joins.
    private var identifiers: JoiningIdentifiers?
    /// The collections whose records have a state that only goes forward.
    private let ranked: Set<String>
    private var gone: [RecordKey] = []
    /// The names of a few gone records; those that a person gave come first.
    private var goneNames: (named: [String], others: [String]) = ([], [])

    /// The counters of a joining store that are added to those of the folder: the first few in words, and the number.
    private var sums: (named: [String], count: Int) = ([], 0)

    @exclusivity(unchecked) private var differingBytes = 0
    /// True if a collection must be in one change, because of its order.
    private var isOrdering = false

    /// The most records of a change; larger changes are cut into several, so that memory stays constant.
    private static let mostRecords = 10_000
    private static let mostDeletions = 50_000
    private static let mostBytes = 4 << 20
    /// The number of records from which one look at a whole table is faster than one for each record.
    private static let many = 1_000
    /// The number of records that are read together, while the app cannot write.
    private static let mostTogether = 200
    /// The least missing records for a mass change; fewer count as a person's deletions.
    static let fewestGone = 20

    init(_ session: SyncSession, _ records: any SyncRecords, _ comparison: FullComparison?) throws {
        self.session = session
        self.records = records
        self.comparison = comparison
        state = session.state
        info = session.replica.info
        ranked = info.schema.rankedCollections
        keptBefore = try state.keptHere()
        faultyBefore = try keptBefore.isEmpty ? [] : Set(state.tooLarge().keys)
    }

    // MARK: Comparing

    /// Compares dirty records.
    func compare(_ keys: JournalKeys) throws {
        let whole = Set(keys.collections).intersection(session.store.wholeCollections)
        for collection in whole.sorted() { try compareWhole(collection) }
        if let least = state.packed.limits.leastRows, keys.count >= least { try takeNew() }
        var some: [StoreRecordKey] = []
        func compareSome() throws {
            for (key, object) in zip(some, try records.records(some)) {
                switch object {
                case .success(let object): try compareDirty(RecordKey(key), object)
                case .failure(let row): try leaveAlone(row)
                }
            }
            some.removeAll(keepingCapacity: true)
        }
        for key in keys where !whole.contains(key.collection) {
            some.append(key)
            if some.count == Self.mostTogether { try compareSome() }
        }
        try compareSome()
    }

    /// Compares a record that the journal notes.
    private func compareDirty(_ key: RecordKey, _ object: JSONObject?) throws {
        let hasDerived = object != nil && info.hasDerived(key.collection)
        if !hasDerived, let object, try isNew(key), try addNew(key, object) { return }
        try compare(key, object, try state.held(key))
        // Somebody may have edited derived members.
        guard hasDerived else { return }
        session.anew.insert(key)
        try state.markOwn(key)
    }

    /// Compares all records.
    func compareAll() throws {
        try state.forgetTooLarge()
        try takeNew()
        for collection in session.store.collections {
            if session.store.wholeCollections.contains(collection) {
                try compareWhole(collection)
            } else {
                try compareEach(collection)
            }
        }
    }

    /// Compares the records of a large collection one by one.
    private func compareEach(_ collection: String) throws {
        var found = 0
        var looked = 0
        let total = try records.count(collection)
        var hasNameless = false
        // The loop itself makes records known, so that only those from before it can be missing.
        let mayMiss = try state.inStoreCount(in: collection) > 0
        try records.forEachRecord(in: collection, by: .key) { key, object in
            let key = RecordKey(key)
            if looked.isMultiple(of: 1_000) { try session.report(.detecting, looked, of: total) }
            looked += 1
            if try isNew(key), try addNew(key, object) { return }
            let held = try state.held(key)
            if held?.isInStore == true { found += 1 }
            try compare(key, object, held)
        } unreadable: { row in
            try leaveAlone(row)
            hasNameless = hasNameless || row.key == nil
        }
        // A row without a key may be any record: nothing counts as deleted then.
        guard mayMiss, !hasNameless else { return }
        guard try state.inStoreCount(in: collection) > found, session.store.isWhole else { return }
        var missing: [(RecordKey, ReplicaRecord)] = []
        try state.forEachRecord(in: collection) { key, held in
            guard held.isInStore, unreadable.contains(key) == false,
                try records.record(key.inStore) == nil
            else { return }
            missing.append((key, held))
        }
        for (key, held) in missing { try compare(key, nil, held) }
    }

    // MARK: New records

    /// True if records that nobody else ever had may be taken as they are.
    private var takesNew = false
    /// The collection under comparison, and the last key that is known or was looked at.
    @exclusivity(unchecked) private var front: (collection: String, last: String?)?

    /// Finds out whether records that nobody else ever had may be taken as they are.
    private func takeNew() throws {
        let isPlain = comparison == nil || comparison == .fresh || comparison == .journal
        takesNew =
            try isPlain && session.decision != .discard && state.takesShortcuts
            && !(session.store is DocumentStore) && !state.hasDirty() && state.tooLarge().isEmpty
        front = nil
        if takesNew { try state.lookForReferences() }
    }

    /// Returns whether a record's key comes behind all that are known or were looked at.
    private func isNew(_ key: RecordKey) throws -> Bool {
        guard takesNew, !isOrdering else { return false }
        if front?.collection.hasSameScalars(as: key.collection) != true {
            front = (key.collection, try state.lastKey(in: key.collection))
        }
        if let last = front?.last, !precedes(last, key.key) { return false }
        front?.last = key.key
        return true
    }

    /// Takes a record that nobody else ever had; returns false where it needs a closer look.
    private func addNew(_ key: RecordKey, _ object: JSONObject) throws -> Bool {
        let object = info.sent(key, object)
        guard !object.isEmpty, unreadable.isEmpty || !unreadable.contains(key), !facts.contains(key),
            session.store.fault(of: object, in: key.collection) == nil
        else { return false }
        if let fact = info.domain.facts(of: key, object) {
            facts.insert(fact)
            openFacts.insert(fact)
        }
        new.append(NewRecord(key: key, object: object))
        differing += 1
        differingBytes += object.roughSize
        try flushIfMany()
        return true
    }

    private func flushIfMany() throws {
        let isMany = differing - deleting >= Self.mostRecords || deleting >= Self.mostDeletions
        if !isOrdering, isMany || differingBytes >= Self.mostBytes { try flush() }
    }

    /// Makes ordinary differences of new records, which need a closer look.
    private func lookCloser(at keys: Set<RecordKey>) {
        for record in new where keys.contains(record.key) { ours.objects[record.key] = record.object }
        new.removeAll { keys.contains($0.key) }
    }

    /// Compares a collection that has an order, or keys that depend on known records.
    private func compareWhole(_ collection: String) throws {
        try state.forgetTooLarge(in: collection)
        isOrdering = true
        defer { isOrdering = false }
        var held: [RecordKey: ReplicaRecord] = [:]
        var known = RecordSet()
        let given = try state.applied(in: collection)
        let keys = try keys(of: collection, given)
        for key in keys {
            guard let record = try state.held(key) else { continue }
            held[key] = record
            known[key] = record.inStore(key, info.schema)
        }
        var objects: [JSONObject] = []
        var hasNameless = false
        try records.forEachRecord(in: collection) {
            objects.append($1)
        } unreadable: { row in
            // The unreadable row stands for the applied record.
            let given = known.objects.first { $0.key.key.isEmpty || $0.value["id"]?.string == row.key }
            try leaveAlone(row, as: given?.key)
            if let given { objects.append(given.value) } else { hasNameless = true }
        }
        let joins = comparison == .fresh || comparison == .export
        identifiers = try joins ? JoiningIdentifiers(collection, state) : nil
        defer { identifiers = nil }
        var now = try info.records(
            of: collection,
            objects,
            known: identifiers?.known(objects).overlaid(with: known) ?? known
        )
        let isOrdered = info.schema.collection(collection)?.rule == .list
        if isOrdered {
            // A joining store or a partial export lists others' records in its own order: nobody moved them.
            let isPart = comparison == .fresh || isOtherStore || !session.store.isWhole
            if isPart { now.order[collection] = ListOrder.arranged(now.order[collection] ?? [], like: keys.map(\.key)) }
            ours.order[collection] = now.order[collection] ?? []
            // The order of another store does not come from known records.
            let isKnown = { (key: String) in known.objects[RecordKey(collection, key)] != nil }
            base.order[collection] =
                (isOtherStore ? now.order[collection]?.filter(isKnown) : known.order[collection]) ?? []
        }
        for (key, object) in now.objects { try compare(key, object, held[key] ?? state.held(key)) }
        for key in known.objects.keys where now.objects[key] == nil && session.store.isWhole && !hasNameless {
            try compare(key, nil, held[key])
        }
        let isMoved = isOrdered && !hasNameless && base.order[collection] != ours.order[collection]
        guard isMoved, session.decision != .discard, !isOtherStore else { return }
        // The comparison of the order needs records that only moved.
        for (key, object) in now.objects where ours.objects[key] == nil && !unreadable.contains(key) {
            let sent = info.sent(key, object)
            let arranged = try inOthersOrder(key, sent, known.objects[key], held[key] ?? state.held(key))
            ours.objects[key] = arranged
            if arranged != sent { whole[key] = sent }
            base.objects[key] = known.objects[key]
        }
        differing += 1
    }

    /// Returns the keys of a collection's records, in the applied order.
    private func keys(of collection: String, _ given: [RecordKey: AppliedRecord]) throws -> [RecordKey] {
        var records: [RecordKey: RecordState] = [:]
        var deleted: [RecordKey] = []
        try state.forEachRecord(in: collection) { key, held in
            var record = held.record
            if case .earlier(let earlier?, _) = given[key] { record = earlier }
            if let record { records[key] = record } else { deleted.append(key) }
        }
        let order = ResolvedSet(records, info.schema).records.order[collection] ?? []
        return order.map { RecordKey(collection, $0) } + deleted
    }

    /// Compares a record with the applied one.
    private func compare(_ key: RecordKey, _ object: JSONObject?, _ held: ReplicaRecord?) throws {
        var now = object.map { info.sent(key, $0) }
        let before = held?.inStore(key, info.schema).map { info.sent(key, $0) }
        // A store without a column never removes what others have in it.
        now = now.map { info.completed(key, $0, from: before) }
        if let before, let object = now, let lost = info.domain.lostReference(of: key, from: before, to: object),
            before != object, case .success(nil)? = try records.records([lost.target.inStore]).first
        {
            now?[lost.member] = before[lost.member]
            cleared[key] = object
        }
        if !unreadable.contains(key) { try state.forgetTooLarge(key) }
        let isCorrected = faultyBefore.contains(key) && !unreadable.contains(key)
        if now != nil, now == before, isCorrected, held?.record == nil, !isOtherStore {
            // A correction is an edit, and keeps the record, whatever it was before.
            corrected.insert(key)
        } else if now == before {
            return try noteCleared(key)
        }
        if !ranked.isEmpty, try stays(key, object, before, held) {
            try state.setInStore(key, object, shown: held?.resolved(key, info.schema))
            return try state.markOwn(key)
        }
        let arranged = now.map { inOthersOrder(key, $0, before, held) }
        if !facts.contains(key), try isKnown(key, arranged, inStore: now, held) { return try noteCleared(key) }
        // A new store's record with only local members adds nothing.
        if comparison == .fresh, now?.isEmpty == true, held?.record != nil { return try discard(key, now, held) }
        if let now, let reason = session.store.fault(of: now, in: key.collection) {
            return try leaveAlone(key, reason)
        }
        if session.decision == .discard, comparison != .fresh {
            session.dropped.append(
                DroppedRecord(key: key, title: info.title(key, now ?? before), here: now, before: before)
            )
            try discard(key, now, held)
            return
        }
        if isOtherStore, held != nil {
            guard now != nil else {
                if let before { noteGone(key, before) }
                return try discard(key, now, held)
            }
            try state.markUnknown(key)
        }
        if let object = now ?? before, let fact = info.domain.facts(of: key, object) {
            facts.insert(fact)
            openFacts.insert(fact)
        }
        var removal: LogRemoval?
        if now == nil, let before, info.schema.collection(key.collection)?.rule == .log {
            removal = try records.removal(of: key.inStore, before, now: session.replica.environment.now())
            guard removal != .evicted else {
                let shown = held?.resolved(key, info.schema)
                return try state.setInStore(key, nil, shown: shown, evicted: true)
            }
        }
        if comparison == .export { try state.keepOffered(key, before) }
        // The sets' subscripts would also put the key into the order.
        if let now, let arranged {
            ours.objects[key] = uncounted(key, arranged, held)
            if ours.objects[key] == arranged { noteSums(key, now, held) }
            if ours.objects[key] != now { whole[key] = now }
        }
        if let before {
            base.objects[key] = before
            // A person decided what a command deleted.
            if now == nil, removal == nil { noteGone(key, before) }
        }
        differing += 1
        if let now {
            differingBytes += now.roughSize + (before?.roughSize ?? 0)
        } else {
            // One change has all deletions of an app's statement, so that others can tell what went together.
            deleting += 1
            differingBytes += key.key.utf8.count
        }
        try flushIfMany()
    }

    /// Tells whether a record of the store is an earlier state of one that only goes forward, such as a session that runs
    /// again, or was deleted from such a one: the store gets it back whole, as half of it cannot go back.
    private func stays(
        _ key: RecordKey,
        _ object: JSONObject?,
        _ before: JSONObject?,
        _ held: ReplicaRecord?
    ) throws -> Bool {
        guard comparison != .export else { return false }
        if let object {
            return isBehind(key, object, held?.inStore(key, info.schema) ?? held?.resolved(key, info.schema))
        }
        return try before.map { info.domain.owners(key, $0) }?.contains { owner in
            guard case .success(let object?)? = try records.records([owner.inStore]).first else { return false }
            return isBehind(owner, object, try state.held(owner)?.resolved(owner, info.schema))
        } ?? false
    }

    private func isBehind(_ key: RecordKey, _ object: JSONObject, _ earlier: JSONObject?) -> Bool {
        guard ranked.contains(key.collection), let earlier else { return false }
        return info.schema.record(in: key.collection).isAhead(earlier, of: object)
    }

    /// Returns a record that the store did not get from others with the elements of its lists in their order.
    ///
    /// A joining store lists others' elements in its own order: nobody moved them. A store that is ahead of the replica's
    /// file may have got them in the others' order before.
    private func inOthersOrder(
        _ key: RecordKey,
        _ now: JSONObject,
        _ before: JSONObject?,
        _ held: ReplicaRecord?
    ) -> JSONObject {
        guard before == nil && comparison != .behind || isOtherStore, let record = held?.record else { return now }
        if let written = identifiers?.written(key, now), let member = identifiers?.member {
            var now = now
            now[member] = written
            return now
        }
        let rules = info.schema.record(in: key.collection)
        return rules.hasLists ? rules.arranged(now, like: ResolvedRecord(key, record, rules).object) : now
    }

    /// Returns a joining store's record with what its counters have more than the known record, which counts the rest already.
    ///
    /// A record with a key of its own has one origin, so its store left the folder, or is a copy.
    private func uncounted(_ key: RecordKey, _ now: JSONObject, _ held: ReplicaRecord?) -> JSONObject {
        guard comparison == .fresh, let record = held?.record,
            let table = info.declaration?.table(key.collection), table.isMapped, table.naturalKey.isEmpty
        else { return now }
        let rules = info.schema.record(in: key.collection)
        let shown = ResolvedRecord(key, record, rules).object
        var uncounted = now
        for member in now where rules[member.name]?.rule == .counter {
            guard let here = member.value.int, let there = shown[member.name]?.int else { continue }
            uncounted[member.name] = here > there ? .number(here - there) : nil
        }
        return uncounted
    }

    /// Notes the counters of a joining store's record that are added to those of the known record.
    private func noteSums(_ key: RecordKey, _ now: JSONObject, _ held: ReplicaRecord?) {
        guard comparison == .fresh, let record = held?.record else { return }
        let rules = info.schema.record(in: key.collection)
        let shown = ResolvedRecord(key, record, rules).object
        for member in now where rules[member.name]?.rule == .counter {
            guard let here = member.value.int, let there = shown[member.name]?.int, here != 0, there != 0 else {
                continue
            }
            sums.count += 1
            guard sums.named.count < 5 else { continue }
            let title = info.title(key, now) ?? key.key
            sums.named.append("\(key.collection) \"\(title)\" \(member.name) \(here) to \(there)")
        }
    }

    /// The note on the counters that were added; nil where there are none.
    private var sumsNote: String? {
        guard sums.count > 0 else { return nil }
        let more = sums.count > sums.named.count ? " and \(sums.count - sums.named.count) more" : ""
        let list = sums.named.joined(separator: ", ") + more
        return "added this store's counters to the folder's: \(list); correct them if this device took part before"
    }

    /// Notes that the store cleared a reference of a record; it gets the reference again if the target comes back.
    private func noteCleared(_ key: RecordKey) throws {
        guard let object = cleared.removeValue(forKey: key) else { return }
        let record = try state.record(key)
        let shown = record.map { info.schema.resolved(key, $0).object }
        try state.setInStore(key, object, shown: shown)
        try state.markOwn(key)
    }

    /// Returns whether other devices already agreed on the store's record: then nobody changed it here.
    ///
    /// - Parameters:
    ///   - now: The record with its lists in their order.
    ///   - stored: The record as the store has it.
    private func isKnown(
        _ key: RecordKey,
        _ now: JSONObject?,
        inStore stored: JSONObject?,
        _ held: ReplicaRecord?
    ) throws -> Bool {
        let mayBeKnown =
            comparison == .fresh && held?.place == .absent || comparison == .export || comparison == .behind
            || isOtherStore
        guard mayBeKnown, let held else { return false }
        let shown = held.resolved(key, info.schema)
        guard try shown == now || isMended(key, shown, now) else { return false }
        if comparison == .export {
            // Two devices can make equal records by themselves, but not with equal identifiers.
            guard now?["id"]?.string != nil else { return false }
            try state.setInStore(key, stored, shown: shown)
            // The store has the resolved one of several values, and need not have seen the others.
            if held.record?.versions.count == 1, stored == now { try state.markApplied([key]) }
        } else {
            try state.setInStore(key, stored, shown: shown)
            try state.setSeen(key)
            // The store gets the others' order.
            if stored != now { try state.markOwn(key) }
        }
        return true
    }

    /// Returns whether the store's record only lacks a reference to a deleted record, as invariants ask.
    private func isMended(_ key: RecordKey, _ shown: JSONObject?, _ now: JSONObject?) throws -> Bool {
        guard let shown, var now, let lost = info.domain.lostReference(of: key, from: shown, to: now),
            try state.record(lost.target) == nil
        else { return false }
        now[lost.member] = shown[lost.member]
        return now == shown
    }

    private var isOtherStore: Bool { comparison?.isOtherStore ?? false }

    /// Leaves an unreadable row alone: sync neither publishes nor writes it until it changes.
    private func leaveAlone(_ row: UnreadableRow, as known: RecordKey? = nil) throws {
        try leaveAlone(known ?? RecordKey(row.collection, row.key ?? ""), row.reason)
    }

    private func leaveAlone(_ key: RecordKey, _ reason: String) throws {
        unreadable.insert(key)
        let title = info.title(key, try state.held(key)?.inStore(key, info.schema))
        try state.setTooLarge(key, reason, title: title, isUnreadable: true)
    }

    /// Marks the records that depend on one that stays on this device alone since now, or no longer does.
    private func markReferring() throws {
        guard !(session.store is DocumentStore) else { return }
        let changed = try state.keptHere().symmetricDifference(keptBefore)
        guard !changed.isEmpty else { return }
        // An unknown record has no links; its key alone tells which records refer to it.
        let links = try Dictionary(
            uniqueKeysWithValues: changed.map { key in
                let isKnown = try state.links(key) != nil
                return (key, isKnown ? RecordLinks() : state.domain.links(key, ResolvedRecord(plain: [:])))
            }
        )
        for key in try state.domain.resolvedTogether(links, in: state) where links[key] == nil {
            try state.markOwn(key)
        }
    }

    private func noteGone(_ key: RecordKey, _ before: JSONObject) {
        gone.append(key)
        guard goneNames.named.count < 3 else { return }
        if let name = info.ownTitle(key, before) {
            goneNames.named.append(name)
        } else if goneNames.others.count < 3 {
            goneNames.others.append(info.title(key, before) ?? key.key)
        }
    }

    /// Notes the store's record, so that it gets what the devices agreed on.
    private func discard(_ key: RecordKey, _ now: JSONObject?, _ held: ReplicaRecord?) throws {
        if held == nil { try state.insertDeleted(key) }
        let shown = held?.resolved(key, info.schema)
        try state.setInStore(key, now, shown: shown)
        try state.markUnknown(key)
    }

    // MARK: Making changes

    /// Makes changes of the differences so far.
    private func flush() throws {
        defer {
            base = RecordSet()
            ours = RecordSet()
            whole = [:]
            new = []
            differing = 0
            deleting = 0
            differingBytes = 0
            openFacts = []
        }
        guard differing > 0 else { return }
        try addFacts()
        try addEndedTimers()
        try addCrossedMembers()
        let parts = try takeOutApplied()
        let isExport = session.store is DocumentStore
        var noted: Set<RecordKey> = []
        var isMade = false
        while !isMade {
            switch try session.writer.makeChange(
                from: base,
                to: ours,
                facts: openFacts,
                admitting: !isExport,
                new: new
            ) {
            case .notPlain(let keys): lookCloser(at: keys)
            case .made(let change, let found):
                if let change { session.outcome.published.append(change) }
                (noted, isMade) = (found, true)
            }
        }
        let touched = Array(ours.objects.keys) + base.objects.keys.filter { ours.objects[$0] == nil }
        try note(touched.filter { !noted.contains($0) }, ours)
        for key in touched { try noteCleared(key) }
        // A store gets other records that change because of these; an export does not.
        if isExport { try state.markApplied(touched) }
        for part in parts { try flush(part) }
    }

    /// Adds the records whose facts follow from differing records; they are written again, as the store has them.
    ///
    /// So a person's earned facts stay as computed, whatever becomes of the records that they follow from.
    private func addFacts() throws {
        if let (collection, text) = info.domain.sharedSource,
            ours.objects.keys.contains(where: { $0.collection == collection })
                || base.objects.keys.contains(where: { $0.collection == collection })
                || new.contains(where: { $0.key.collection == collection })
        {
            for key in try keys(referringTo: text) {
                if case .current = try state.applied(key) { openFacts.insert(key) }
            }
        }
        let created = openFacts.isEmpty ? [] : Set(new.map(\.key))
        for key in openFacts
        where ours.objects[key] == nil && base.objects[key] == nil && !created.contains(key) {
            // An unreadable row is left alone.
            guard !unreadable.contains(key), let object = try? records.record(key.inStore),
                session.store.fault(of: info.sent(key, object), in: key.collection) == nil
            else { continue }
            ours.objects[key] = info.sent(key, object)
            if isOtherStore {
                try state.markUnknown(key)
            } else {
                base.objects[key] = try state.held(key)?.inStore(key, info.schema)
            }
        }
    }

    /// Returns the records that refer to a text; the replica of an exporting device has no links.
    private func keys(referringTo text: String) throws -> [RecordKey] {
        guard comparison == .export else { return try state.keys(referringTo: text) }
        var found: [RecordKey] = []
        for collection in session.store.collections {
            try state.forEachRecord(in: collection) { key, held in
                guard let record = held.record, record.versions.count > 1 else { return }
                let shown = info.schema.resolved(key, record)
                if info.domain.links(key, shown).references.contains(text) { found.append(key) }
            }
        }
        return found
    }

    /// Adds the ends that an invariant gave to timers, if somebody ended or deleted the timer that replaced them.
    ///
    /// That person saw the others ended. Without a change of their own, they would run again from their start.
    private func addEndedTimers() throws {
        guard let (collection, end) = state.domain.running else { return }
        func isRunning(_ activity: JSONObject?) -> Bool { activity.map { $0[end]?.isNull ?? true } ?? false }
        let isEnded = base.objects.contains { key, before in
            key.collection == collection && isRunning(before) && !isRunning(ours.objects[key])
        }
        guard isEnded else { return }
        for key in try state.conflictKeys() where key.collection == collection && ours.objects[key] == nil {
            // A deleted one stays deleted.
            guard base.objects[key] == nil else { continue }
            guard let held = try state.held(key), held.place == .explicit, let record = held.record,
                let stored = held.base, !isRunning(stored)
            else { continue }
            let alone = info.schema.resolved(key, record).object
            guard isRunning(alone) else { continue }
            base.objects[key] = info.sent(key, alone)
            ours.objects[key] = stored
        }
    }

    /// Adds what an invariant shows of a record, if somebody changed a member that does not go with the others as they
    /// stand, such as the start of an entry whose end was before it.
    ///
    /// That person saw them together. Without a change of its own, the other would be shown otherwise than it was seen.
    private func addCrossedMembers() throws {
        guard !base.objects.isEmpty, !ours.objects.isEmpty else { return }
        for key in try state.conflictKeys() {
            guard let now = ours.objects[key], let before = base.objects[key] else { continue }
            let record: RecordState? =
                switch try state.applied(key) {
                case .current: try state.record(key)
                case .earlier(let earlier, _): earlier
                case .unknown: nil
                }
            base.objects[key] = record.map { info.base(before, of: key, $0, changedTo: now) } ?? before
        }
    }

    /// The records that the store has from one earlier state.
    private struct Part {
        var base = RecordSet()
        var ours = RecordSet()
        var given: AppliedStorage
        /// True if the earlier state is unknown.
        var isUnknown = false
    }

    /// Removes the records that have changed since sync applied them.
    ///
    /// Whoever edited one has seen no more than the applied one.
    private func takeOutApplied() throws -> [Part] {
        var parts: [String: Part] = [:]
        let keys = Set(ours.objects.keys).union(base.objects.keys)
        // For many records, reading the table once is cheaper than looking each of them up.
        if keys.count >= Self.many, try !state.hasApplied() { return [] }
        for key in keys.sorted() {
            let (name, record): (String, RecordState?)
            switch try state.applied(key) {
            case .current: continue
            case .earlier(let earlier, let heads): (name, record) = (heads, earlier)
            case .unknown: (name, record) = ("", nil)
            }
            let heads = name.isEmpty ? [] : ReplicaState.heads(name)
            guard let heads else { throw state.damaged("touched", key.key) }
            var part = parts[name] ?? Part(given: AppliedStorage(state, heads: heads), isUnknown: name.isEmpty)
            part.given.setRecord(key, record)
            if let object = ours.objects.removeValue(forKey: key) { part.ours.objects[key] = object }
            // An unknown record stays as it is, and never counts as deleted.
            if let object = base.objects.removeValue(forKey: key), !part.isUnknown { part.base.objects[key] = object }
            parts[name] = part
        }
        return parts.sorted { $0.key < $1.key }.map { _, part in
            var part = part
            (part.base.order, part.ours.order) = (part.isUnknown ? [:] : base.order, ours.order)
            return part
        }
    }

    private func flush(_ part: Part) throws {
        var given = part.given
        let change = try session.writer.makeChange(
            from: part.base,
            to: part.ours,
            writing: corrected,
            facts: openFacts,
            given: &given
        )
        if let change { session.outcome.published.append(change) }
        try note(given.records.keys.filter { !part.isUnknown || part.ours.objects[$0] != nil }, part.ours)
        let heads = ReplicaState.text(given.heads)
        for (key, record) in given.records {
            try noteCleared(key)
            try state.setApplied(key, record, heads: heads)
        }
    }

    /// Notes the store's present records as applied.
    private func note(_ keys: [RecordKey], _ ours: RecordSet) throws {
        let tooLarge = try state.tooLarge()
        for key in keys where tooLarge[key] == nil {
            let record = try state.record(key)
            let shown = record.map { info.schema.resolved(key, $0).object }
            let object = whole[key] ?? ours.objects[key]
            try state.setInStore(key, object, shown: shown)
            // The store gets the record if a rule kept the earlier value, such as the later moment, or if the record is
            // blocked.
            if let object, object != shown { try state.markOwn(key) }
        }
    }

    /// Makes the last changes; stops at a mass change that needs a person's decision.
    func finish() throws {
        try flush()
        try markReferring()
        if let sumsNote { session.outcome.notes.append(sumsNote) }
        try session.keepDropped()
        guard session.decision != .discard, comparison != .fresh, comparison != .rejoined else { return }
        let isOlderCopy = comparison == .setBack || comparison == .behind
        let isRestored = try !isOlderCopy && comparison != .replaced && state.property(.restored) != nil
        // All changes of such a store wait.
        let isSetBack = (isOlderCopy || isRestored || comparison == .replaced) && !session.outcome.published.isEmpty
        guard gone.count >= Self.fewestGone || isSetBack else { return }
        let total = try state.inStoreCount() + gone.count
        let isMass = gone.count >= Self.fewestGone && gone.count * 2 > total
        guard isSetBack || isMass else { return }
        let path = session.replica.storePath
        guard comparison != .replaced || !isMass else {
            let message =
                "\(Self.replaced), and lacks \(gone.count) of \(total) "
                + "records; nothing was published or written. Bring both together: foldersync join "
                + "\(ShellText.quoted(session.replica.folder)) --store \(ShellText.quoted(path)). "
                + "Drop what only this store has: \(discarding)"
            throw SyncError(.massChange, message, path: path)
        }
        let count = isSetBack ? session.outcome.published.reduce(0) { $0 + $1.recordCount } : gone.count
        if session.decision == .accept(count) { return }
        let message = message(isSetBack ? nil : total, count, isRestored: isRestored && isSetBack)
        var error = SyncError(.massChange, message, path: path)
        error.massChange = count
        throw error
    }

    private static let replaced = "this is not the store that was synced here: it was replaced or made anew"

    /// - Parameters:
    ///   - total: The number of earlier records; nil where all changes of the store wait.
    ///   - isRestored: Whether they wait because the device was copied or restored.
    private func message(_ total: Int?, _ count: Int, isRestored: Bool) -> String {
        let isChanged = isRestored || comparison == .replaced
        let names = (isChanged ? changedNames : goneNames.named + goneNames.others).prefix(3).map { "\"\($0)\"" }
        let list = names.isEmpty ? "" : ", such as \(names.joined(separator: ", "))"
        let isExport = session.store is DocumentStore
        let what: String
        let way: String
        if isRestored {
            what =
                "this device was copied or restored, and \(isExport ? "the export" : "its store") has changes of \(count) "
                + "record\(count == 1 ? "" : "s")\(list): they may be published already, and others may have changed or "
                + "deleted them since"
            way = "Publish them now"
        } else if comparison == .replaced {
            what =
                "\(Self.replaced), or is a copy from before it joined, and differs in \(count) "
                + "record\(count == 1 ? "" : "s")\(list)"
            way = "Publish what it has"
        } else if comparison == .behind {
            what =
                "\(StateFile.path(ofStore: session.replica.storePath)) is an older copy of itself: the store was synced since, "
                + "and differs in \(count) record\(count == 1 ? "" : "s")"
            way = "Publish what the store has"
        } else if let total {
            what = "\(count) of \(total) records are gone\(list)"
            way = "Delete them on all devices"
        } else {
            what = "the store is an older copy of itself, which differs in \(count) record\(count == 1 ? "" : "s")"
            way = "Set all devices back to it"
        }
        var given = ""
        if case .accept(let number) = session.decision { given = " (found --accept-mass-change \(number))" }
        if isExport {
            return
                "\(what); nothing was published or written. \(way): \(command) --accept-mass-change \(count)\(given). "
                + "\(isRestored ? "Drop" : "Keep") them: remove the export, and import on the device what sync wrote for it"
                + (isRestored ? "" : besides)
        }
        return "\(what); nothing was published or written. \(way): \(command) --accept-mass-change \(count)\(given). "
            + "\(comparison == .behind || isChanged ? "Take what the devices have" : "Get everything back"): \(discarding)"
            + (isChanged ? ". See them all first: add --dry-run" : "")
    }

    /// Says which changes beside the deletions go with a held export.
    private var besides: String {
        let changes = session.outcome.published
        let count = changes.flatMap(\.counts).reduce(0) { $0 + ($1.action == .deleted ? 0 : $1.count) }
        guard count > 0 else { return "" }
        let names = names(changes.flatMap(\.records).filter { $0.action != .deleted }).prefix(3).map { "\"\($0)\"" }
        let list = names.isEmpty ? "" : ", such as \(names.joined(separator: ", "))"
        return ". What was added or changed there is gone then, and has to be entered again: \(count) "
            + "record\(count == 1 ? "" : "s")\(list)"
    }

    /// The names of the records that were changed, first those that a person gave.
    private var changedNames: [String] { names(session.outcome.published.flatMap(\.records)) }

    private func names(_ records: [SyncedChange.RecordChange]) -> [String] {
        // A title that is the key, such as a day's date, says less.
        let named = records.filter { $0.name.title != $0.name.key }
        var names: [String] = []
        for name in (named + records).compactMap({ $0.owner ?? $0.name.title }) where !names.contains(name) {
            names.append(name)
        }
        return names
    }

    /// The command that drops the changes of this store, and of no other one in the folder.
    private var discarding: String { "\(command) --discard-local" }

    private var command: String {
        "foldersync sync \(ShellText.quoted(session.replica.folder)) --app \(info.app.rawValue)"
    }
}

extension ReplicaApp {
    /// Returns the objects of a collection as records with keys.
    func records(of collection: String, _ objects: [JSONObject], known: RecordSet) throws -> RecordSet {
        var document = JSONObject()
        if collection.isEmpty {
            document = objects.first ?? [:]
        } else if schema.collection(collection)?.rule == .record {
            document[collection] = objects.first.map { .object($0) }
        } else {
            document[collection] = .array(objects.map { .object($0) })
        }
        return try schema.records(of: .object(document), known: known)
    }
}

extension JSONObject {
    /// The approximate size as text, in bytes.
    fileprivate var roughSize: Int { members.reduce(8) { $0 + $1.name.utf8.count + $1.value.roughSize } }
}

extension JSONValue {
    fileprivate var roughSize: Int {
        switch self {
        case .string(let string): string.utf8.count + 8
        case .array(let array): array.reduce(8) { $0 + $1.roughSize }
        case .object(let object): object.roughSize
        case .null, .bool, .number: 8
        }
    }
}

extension SyncStore {
    /// True if it is complete, so that a missing record was deleted.
    fileprivate var isWhole: Bool { (self as? DocumentStore)?.isWhole ?? true }
}
