public import RecordMerge
public import StrictJSON

/// A record that a restored one refers to, and that the restore does not bring back.
public struct LostReference: Sendable, Hashable {
    /// The restored record.
    public let record: RecordName
    /// The member that refers.
    public let member: String
    /// The record that stays gone, with its title at that moment.
    public let target: RecordName
    /// True if the restored record waits for its target, and is not in the store before that comes back.
    public let isWaiting: Bool
}

/// A record as it was at a moment, and as it is now.
public struct PastRecord: Sendable, Hashable {
    /// The record, with its title at that moment, or its present one if it did not exist then.
    public let name: RecordName
    /// Its present title; nil where it has none, or does not exist now.
    public let presentTitle: String?
    /// The record at that moment; nil where it did not exist.
    public let then: JSONObject?
    /// The record now; nil where it does not exist.
    public let now: JSONObject?
    /// Its latest edit since that moment; nil where none is known.
    public let edit: SyncedChange.Edit?
    /// True if a restore would change it.
    public let differs: Bool
    /// True if its title is another record's, such as that of the session in an entry of the history.
    public let borrowsTitle: Bool
}

extension Replica {
    /// Returns the records that existed at a moment or exist now.
    ///
    /// Edits of the store that no sync has published yet count as made now.
    ///
    /// - Throws: `sync.history` where the folder's files do not reach back that far; `DirectoryError` where the folder
    ///   cannot be listed.
    public func pastRecords(at milliseconds: Int) throws -> [PastRecord] {
        try withStoreEdits { state in
            let later = try LaterEdits(self, state, after: milliseconds)
            let past = try ResolvedSet(later.past, info.schema, info.domain, beside: state.keptHere()).records
            let edits = try edits(to: past, keeping: later.columns, state)
            let keys = Set(past.objects.keys).union(edits.base.objects.keys).union(edits.ours.objects.keys)
                .union(edits.staying.keys)
            return keys.sorted().map { key in
                let differs = edits.base.objects[key] != edits.ours.objects[key]
                let then = differs ? edits.ours.objects[key] : past.objects[key] ?? edits.base.objects[key]
                let now = differs ? edits.base.objects[key] : edits.staying[key] ?? then
                let title = info.title(key, then ?? now)
                return PastRecord(
                    name: RecordName(key, title: title),
                    presentTitle: info.title(key, now),
                    then: then,
                    now: now,
                    edit: later[key]?.edit,
                    differs: differs,
                    borrowsTitle: info.borrowsTitle(key, then ?? now)
                )
            }
        }
    }

    /// Returns the changes that ``restore(at:of:)`` would make, record by record.
    ///
    /// Some values do not go back: entries of a log stay while what they belong to does, and so does the better value of a
    /// `max` or `min`.
    ///
    /// - Parameter key: The record to restore, with those that came or went with it; nil for all.
    /// - Throws: `sync.history` where the files of the folder do not reach back that far; `DirectoryError` where the
    ///   folder cannot be listed.
    public func differences(
        toMoment milliseconds: Int,
        of key: RecordKey? = nil
    ) throws -> [SyncedChange.RecordChange] {
        try withStoreEdits { state in
            let later = try LaterEdits(self, state, after: milliseconds)
            let (base, ours) = try edits(to: later, of: key, state)
            let writer = SyncSession(self, state).writer
            let change = try writer.change(from: base, to: ours)
            var titles = KnownTitles(others: ours.objects)
            let returning = try returning(with: base, ours, state).map { record in
                let name = RecordName(record.key, title: info.title(record.key, record.object))
                let owner = try writer.owner(of: record.key, record.object, among: ours.objects)
                return SyncedChange.RecordChange(name: name, action: .added, members: [], owner: owner)
            }
            return try returning
                + change.records.sorted { $0.key < $1.key }.map { changed in
                    let (now, then) = (base.objects[changed.key], ours.objects[changed.key])
                    var difference = self.difference(changed, change.stamp.dot, now, then)
                    difference.owner = try writer.owner(of: changed.key, now ?? then, among: ours.objects)
                    difference.edit = later[changed.key]?.edit
                    try addTitles(to: &difference, state, &titles)
                    return difference
                }
        }
    }

    /// Returns the blocked records that come back with those that a restore brings back.
    private func returning(
        with base: RecordSet,
        _ ours: RecordSet,
        _ state: ReplicaState
    ) throws -> [(key: RecordKey, object: JSONObject)] {
        var coming = Set(ours.objects.keys.filter { base.objects[$0] == nil })
        guard !coming.isEmpty else { return [] }
        var found: [(key: RecordKey, object: JSONObject)] = []
        var blocked = try heldBack(state).filter { ours.objects[$0.key] == nil }
        func isThere(_ target: RecordKey) throws -> Bool {
            if coming.contains(target) { return true }
            let isGoing = base.objects[target] != nil && ours.objects[target] == nil
            return try !isGoing && state.held(target)?.inStore(target, info.schema) != nil
        }
        // One may wait for another that comes back.
        while let index = try blocked.firstIndex(where: { record in
            try info.domain.targets(record.key, record.object).allSatisfy(isThere)
        }) {
            let record = blocked.remove(at: index)
            coming.insert(record.key)
            found.append(record)
        }
        return found.sorted { $0.key < $1.key }
    }

    /// Returns what ``restore(at:of:)`` does not bring back of that to which its records refer.
    ///
    /// - Parameter key: The record to restore, with those that came or went with it.
    /// - Throws: The errors of ``differences(toMoment:of:)``.
    public func lostReferences(toMoment milliseconds: Int, of key: RecordKey) throws -> [LostReference] {
        try withStoreEdits { state in
            let later = try LaterEdits(self, state, after: milliseconds)
            let past = try ResolvedSet(later.past, info.schema, info.domain, beside: state.keptHere()).records
            let all = try edits(to: past, keeping: later.columns, state)
            let restored = try edits(to: later, of: key, state).ours
            func isThere(_ target: RecordKey) -> Bool {
                if restored.objects[target] != nil || all.base.objects[target] != nil { return true }
                return all.ours.objects[target] == nil && past.objects[target] != nil
            }
            func name(_ key: RecordKey) -> RecordName {
                RecordName(key, title: info.title(key, restored.objects[key] ?? past.objects[key]))
            }
            return restored.objects.sorted { $0.key < $1.key }.flatMap { record, object in
                info.domain.references(record, object).filter { $0.loss != .kept && !isThere($0.target) }.map {
                    target,
                    loss in
                    let member = object.first { $0.value.string == target.key }?.name ?? target.collection
                    return LostReference(
                        record: name(record),
                        member: member,
                        target: name(target),
                        isWaiting: loss == .waits
                    )
                }
            }
        }
    }

    /// Returns the records that ``restore(at:of:)`` leaves as they are, as their state only goes forward: a session that is
    /// over is not half of one that runs.
    ///
    /// Of an entry that has ended since only the end stays.
    ///
    /// - Parameter key: The record to restore; nil for all.
    /// - Throws: The errors of ``differences(toMoment:of:)``.
    public func staying(toMoment milliseconds: Int, of key: RecordKey? = nil) throws -> [RecordName] {
        guard !info.schema.rankedCollections.isEmpty || info.domain.running != nil else { return [] }
        return try withStoreEdits { state in
            let staying = try edits(to: try shown(at: milliseconds, state).records, state).staying.keys
            return try staying.filter { key == nil || $0 == key }.sorted().map { try name($0, state) }
        }
    }

    /// Restores records as they were at a moment, by ordinary edits of this device, which can be undone alike.
    ///
    /// - Parameter key: The record to restore, with those that came or went with it; nil for all.
    /// - Returns: The result of the sync; its ``SyncOutcome/undoMoment`` is nil where nothing was different.
    /// - Throws: `sync.history` where the folder's files do not reach back that far.
    public func restore(at milliseconds: Int, of key: RecordKey? = nil) throws -> SyncOutcome {
        var undoMoment: Int?
        var outcome = try edit { session in
            let later = try LaterEdits(self, session.state, after: milliseconds)
            var (base, ours) = try edits(to: later, of: key, session.state)
            for (key, object) in ours.objects where base.objects[key] == nil {
                ours.objects[key] = info.domain.returning(key, object, at: environment.now())
            }
            try addCrossedMembers(to: &base, ours, session.state)
            try session.makeRoomForUndo()
            let facts = try session.addSharedFacts(to: &base, &ours)
            // A record that waits for one that returns comes back with it: nobody has to decide whether it stays.
            let conflicts = Set(try session.state.conflictKeys())
            let returning = try returning(with: base, ours, session.state).filter { conflicts.contains($0.key) }
            for (key, object) in returning { (base.objects[key], ours.objects[key]) = (object, object) }
            let change = try session.writer.makeChange(
                from: base,
                to: ours,
                decided: Dictionary(uniqueKeysWithValues: returning.map { ($0.key, [[]]) }),
                facts: facts
            )
            guard let change else { return [] }
            undoMoment = SyncSession.undoMoment(of: change)
            return [change]
        }
        outcome.undoMoment = undoMoment
        return outcome
    }

    /// Restores a record as it was at a moment, with its conflicts of values: they are open again on all devices.
    ///
    /// A conflict between a deletion and a change does not come back.
    ///
    /// - Returns: The result of the sync; its ``SyncOutcome/undoMoment`` is nil where nothing was different.
    /// - Throws: `sync.history` where the folder's files do not reach back that far.
    public func reopen(at milliseconds: Int, of key: RecordKey) throws -> SyncOutcome {
        var undoMoment: Int?
        var outcome = try edit { session in
            let state = session.state
            let later = try LaterEdits(self, state, after: milliseconds)
            var (base, ours) = try edits(to: later, of: key, state)
            try addCrossedMembers(to: &base, ours, state)
            let (cells, paths) = try contested(key, at: milliseconds, state)
            if !paths.isEmpty, base.objects[key] == nil, ours.objects[key] == nil {
                // The value that is shown was decided for: only its conflict comes back.
                let shown = try shown(key, state, beside: state.keptHere())
                let object = try shown.records.objects[key] ?? standing(key, state)
                (base.objects[key], ours.objects[key]) = (object, object)
            }
            try session.makeRoomForUndo()
            let facts = try session.addSharedFacts(to: &base, &ours)
            let change = try session.writer.makeChange(
                from: base,
                to: ours,
                decided: [key: paths],
                reopening: [key: cells],
                facts: facts
            )
            guard let change else { return [] }
            undoMoment = SyncSession.undoMoment(of: change)
            return [change]
        }
        outcome.undoMoment = undoMoment
        return outcome
    }

    /// Adds what an invariant shows of the records that go back, so that they are as they were shown then.
    private func addCrossedMembers(to base: inout RecordSet, _ ours: RecordSet, _ state: ReplicaState) throws {
        for key in try state.conflictKeys() {
            guard let before = base.objects[key], let then = ours.objects[key], let record = try state.record(key)
            else { continue }
            base.objects[key] = info.base(before, of: key, record, changedTo: then)
        }
    }

    /// Returns the number of conflicts of values that a record had at a moment, has not now, and that
    /// ``reopen(at:of:)`` opens again.
    ///
    /// - Throws: `sync.history` where the folder's files do not reach back that far.
    public func reopenable(at milliseconds: Int, of key: RecordKey) throws -> Int {
        try withState { try contested(key, at: milliseconds, $0).paths.count }
    }

    /// Returns the cells of a record that were in conflict at a moment and are not now, with all their values.
    private func contested(
        _ key: RecordKey,
        at milliseconds: Int,
        _ state: ReplicaState
    ) throws -> (cells: [Cell], paths: Set<[String]>) {
        // A record that is gone comes back as it was shown.
        guard let present = try state.record(key) else { return ([], []) }
        let past = try past(at: milliseconds, state)
        let rules = info.schema.record(in: key.collection)
        let open = Set(ResolvedRecord(key, present, rules).conflicts.map(\.path))
        guard let record = past.record(key) else { return ([], []) }
        let conflicts = ResolvedRecord(key, record, rules).conflicts.filter {
            $0.kind == .value && $0.cell != nil && !open.contains($0.path)
        }
        let paths = Set(conflicts.compactMap(\.cell))
        let cells = record.remainingCells.filter { paths.contains($0.path) && $0.writes.count > 1 }
        return (cells, Set(conflicts.map(\.path)))
    }

    /// Runs `body` on the state with the store's unpublished edits, and takes these back.
    ///
    /// If they cannot be detected, as the store is gone or lost most of its records, it runs on the state alone.
    private func withStoreEdits<Value>(_ body: (ReplicaState) throws -> Value) throws -> Value {
        try withState { state in
            var found: Result<Value, any Error>?
            do {
                try SyncSession(self, state).dryRunDetection { found = Result { try body(state) } }
            } catch {
                guard found == nil else { throw error }
                return try body(state)
            }
            return try found?.get() ?? body(state)
        }
    }

    /// Returns a record's difference, with the members that go back.
    private func difference(
        _ changed: ChangedRecord,
        _ dot: Dot,
        _ now: JSONObject?,
        _ then: JSONObject?
    ) -> SyncedChange.RecordChange {
        let key = changed.key
        let written = changed.version?.cells.filter { cell in cell.writes.contains { $0.stamp.dot == dot } }
        let fields = Set(written?.flatMap(\.members) ?? [])
        let rules = info.schema.record(in: key.collection)
        let isWhole = now == nil || then == nil
        let members = Set((now?.names ?? []) + (then?.names ?? [])).filter { name in
            let keeps: [MergeRule?] = [.max, .min, .log]
            return now?[name] != then?[name] && (isWhole || fields.contains(name) || !keeps.contains(rules[name]?.rule))
        }.sorted()
        let values = members.map { name in
            SyncedChange.MemberChange(
                name: name,
                old: now?[name],
                new: then?[name],
                isOldKnown: true,
                isDetail: rules.isDetail(name)
            )
        }
        return SyncedChange.RecordChange(
            name: RecordName(key, title: info.title(key, now ?? then)),
            action: now == nil ? .added : then == nil ? .deleted : .changed,
            members: isWhole ? [] : members,
            values: values
        )
    }

    /// Returns the records that differ between now and a moment, in both forms: all, or those that go with one.
    private func edits(
        to later: LaterEdits,
        of key: RecordKey?,
        _ state: ReplicaState
    ) throws -> (base: RecordSet, ours: RecordSet) {
        let past = try ResolvedSet(later.past, info.schema, info.domain, beside: state.keptHere()).records
        let all = try edits(to: past, keeping: later.columns, state)
        let blocked = try heldBack(state)
        guard let key else {
            var (base, ours) = (all.base, all.ours)
            for record in blocked where base.objects[record.key] == nil {
                guard let then = ours.objects[record.key] else { continue }
                // It comes back by itself, and may have changed since.
                base.objects[record.key] = then == record.object ? nil : record.object
                if then == record.object { ours.objects[record.key] = nil }
            }
            return (base, ours)
        }
        // Those that wait for the record come back with it as they are now.
        let waiting = Set(blocked.map(\.key)).subtracting([key])
        var (base, ours) = (RecordSet(), RecordSet())
        for belonging in belongings(of: key, all.base.objects, all.ours.objects, later)
        where !waiting.contains(belonging) {
            base.objects[belonging] = all.base.objects[belonging]
            ours.objects[belonging] = all.ours.objects[belonging]
        }
        for member in info.schema.document.members where member.rule == .list {
            let coming = ours.objects.keys.filter { $0.collection == member.name && base.objects[$0] == nil }
            guard !coming.isEmpty else { continue }
            let names = Set(coming.map(\.key))
            ours.order[member.name] = try order(of: member.name, inserting: names, as: past, state)
        }
        return (base, ours)
    }

    /// Returns a record and, where it comes back or goes away, those that do so with it.
    ///
    /// These refer to it and wait for it. A record that the app keeps without its target belongs to it if one change
    /// removed both. A record that stayed, though somebody deleted it, brings back what that change removed with it.
    private func belongings(
        of key: RecordKey,
        _ now: [RecordKey: JSONObject],
        _ then: [RecordKey: JSONObject],
        _ later: LaterEdits
    ) -> Set<RecordKey> {
        var found: Set<RecordKey> = [key]
        let hasStayed = now[key] != nil && then[key] != nil
        if now[key] == nil, then[key] == nil { return found }
        let (gone, there) = now[key] == nil || hasStayed ? (now, then) : (then, now)
        var referring: [RecordKey: [RecordKey]] = [:]
        for (other, object) in there where gone[other] == nil {
            for (target, loss) in info.domain.references(other, object)
            where hasStayed
                ? loss != .cleared && later.wentTogether(other, target)
                : loss == .waits || loss == .kept && later.areTogether(other, target)
            {
                referring[target, default: []].append(other)
            }
        }
        var open = [key]
        while let target = open.popLast() {
            for other in referring[target] ?? [] where found.insert(other).inserted { open.append(other) }
        }
        return found
    }

    /// Returns the present order of a collection with records that come back, each behind the one that it followed.
    private func order(
        of collection: String,
        inserting names: Set<String>,
        as past: RecordSet,
        _ state: ReplicaState
    ) throws -> [String] {
        var records: [RecordKey: RecordState] = [:]
        try state.forEachRecord(in: collection) { key, held in records[key] = held.record }
        var order = ResolvedSet(records, info.schema).records.order[collection] ?? []
        let then = past.order[collection] ?? []
        for (index, name) in then.enumerated() where names.contains(name) && !order.contains(name) {
            let place = then[..<index].reversed().lazy.compactMap { order.firstIndex(of: $0) }.first
            order.insert(name, at: place.map { $0 + 1 } ?? 0)
        }
        return order
    }

    /// Returns the records that differ between now and the past, in both forms, and those that stay as they are.
    ///
    /// - Parameter columns: The columns that did not exist then: they stay as they are.
    private func edits(
        to past: RecordSet,
        keeping columns: [String: Set<String>] = [:],
        _ state: ReplicaState
    ) throws -> (base: RecordSet, ours: RecordSet, staying: [RecordKey: JSONObject]) {
        var target = past
        var base = RecordSet()
        var ours = RecordSet()
        var entries: [RecordKey: JSONObject] = [:]
        var staying: [RecordKey: JSONObject] = [:]
        let refused = try state.refused()
        for key in try state.keys() {
            guard var held = try state.held(key) else { continue }
            // A record that the store rejects still exists.
            if refused[key] != nil { held.place = .shown }
            let object = held.inStore(key, info.schema).map { info.sent(key, $0) }
            var then = target.objects.removeValue(forKey: key).map { info.sent(key, $0) }
            if let object, then != nil {
                for name in columns[key.collection] ?? [] { then?[name] = object[name] }
            }
            guard object != then else { continue }
            if let object, let end = ended(key, object, since: then) {
                // To run again, it would have been running all the time since.
                staying[key] = object
                then?[end.member] = end.value
                let names = Set(object.names).union(then?.names ?? [])
                if names.allSatisfy({ object[$0] == then?[$0] }) { continue }
            }
            if then == nil, let object, info.schema.collection(key.collection)?.rule == .log {
                entries[key] = object
                continue
            }
            if let object, let then, info.schema.record(in: key.collection).isAhead(object, of: then) {
                staying[key] = object
                continue
            }
            base.objects[key] = object
            ours.objects[key] = then
        }
        // Entries of a log go back only with what they make no sense without.
        for (key, object) in entries
        where info.domain.owners(key, object).contains(where: { base.objects[$0] != nil && ours.objects[$0] == nil }) {
            base.objects[key] = object
        }
        for (key, object) in target.objects { ours.objects[key] = info.sent(key, object) }
        for member in info.schema.document.members where member.rule == .list {
            guard let order = target.order[member.name] else { continue }
            ours.order[member.name] = order
            for key in order.map({ RecordKey(member.name, $0) }) where ours.objects[key] == nil {
                guard let object = try state.held(key)?.inStore(key, info.schema) else { continue }
                base.objects[key] = object
                ours.objects[key] = object
            }
        }
        return (base, ours, staying)
    }
}

extension Replica {
    /// Returns the end of an entry that was running at an earlier time; nil for any other record.
    private func ended(
        _ key: RecordKey,
        _ object: JSONObject,
        since then: JSONObject?
    ) -> (member: String, value: JSONValue)? {
        guard let then, let running = info.domain.running, running.collection == key.collection,
            then[running.end]?.isNull ?? true, let value = object[running.end], !value.isNull
        else { return nil }
        return (running.end, value)
    }
}

/// The latest edit of each record since a moment, as far as the folder's files tell.
private struct LaterEdits {
    private var edits: [RecordKey: (edit: SyncedChange.Edit, dot: Dot)] = [:]
    /// The changes that deleted a record.
    private var deletions: [RecordKey: Set<Dot>] = [:]
    /// The state at the moment.
    let past: MergeState
    /// The columns of a declared app that did not exist at the moment.
    let columns: [String: Set<String>]

    init(_ replica: Replica, _ state: ReplicaState, after milliseconds: Int) throws {
        var revision = 0
        past = try replica.past(at: milliseconds, state) { revision = max(revision, $0) }
        columns = replica.columns(newSince: revision)
        var sources = try SegmentSources(replica, state)
        let segments = try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC")
        let latest = ReplicaState.latest(replica.environment.now())
        // Leave out later dates of changes that somebody had seen by then: a clock was ahead.
        for segment in segments where segment.clock.milliseconds > milliseconds && !past.seen.covers(segment.dot) {
            guard let bytes = try sources.bytes(of: segment),
                let change = try? replica.directory.coder.decode(bytes).change
            else { continue }
            var edit = SyncedChange.Edit(device: segment.device, milliseconds: segment.clock.milliseconds)
            edit.isDatedAhead = segment.clock > latest
            for record in change.records {
                // A clock that is ahead does not make an edit later than one whose author knew of it.
                if edits[record.key].map({ change.base.covers($0.dot) }) ?? true {
                    edits[record.key] = (edit, segment.dot)
                }
                if record.version == nil { deletions[record.key, default: []].insert(segment.dot) }
            }
        }
    }

    subscript(key: RecordKey) -> (edit: SyncedChange.Edit, dot: Dot)? { edits[key] }

    /// Returns whether the same change deleted two records.
    func wentTogether(_ one: RecordKey, _ other: RecordKey) -> Bool {
        !(deletions[one] ?? []).isDisjoint(with: deletions[other] ?? [])
    }

    /// Returns whether the same change edited two records last.
    func areTogether(_ one: RecordKey, _ other: RecordKey) -> Bool {
        edits[one].map { $0.dot == edits[other]?.dot } ?? false
    }
}

extension SyncSession {
    /// Adds the records whose facts follow from a collection that a person's edits change, such as the days that were
    /// computed from habits; they are written again, as the store has them.
    ///
    /// - Returns: The records whose facts count as written.
    func addSharedFacts(to base: inout RecordSet, _ ours: inout RecordSet) throws -> Set<RecordKey> {
        let edited = Set(base.objects.keys).union(ours.objects.keys)
        guard let (collection, text) = replica.info.domain.sharedSource,
            edited.contains(where: { $0.collection == collection })
        else { return [] }
        var facts: Set<RecordKey> = []
        for key in try state.keys(referringTo: text) {
            guard case .current = try state.applied(key) else { continue }
            if !edited.contains(key) {
                guard let object = try state.held(key)?.inStore(key, replica.info.schema) else { continue }
                (base.objects[key], ours.objects[key]) = (object, object)
            }
            facts.insert(key)
        }
        return facts
    }

    /// The milliseconds between a change that can be taken back and those before it.
    static let undoRoom = 2

    /// Puts two milliseconds between the next change and those before it: one of them is within a second, and names the
    /// state before it also where a whole second stands for its end.
    func makeRoomForUndo() throws {
        try writer.leaveClockAhead()
        let clock = try max(state.clock(), state.lastClock(upTo: ReplicaState.latest(replica.environment.now())))
        try state.advance(HybridClock(milliseconds: clock.milliseconds + Self.undoRoom).previous)
    }

    /// Returns the moment before a change for which there is room, in milliseconds since 1970.
    static func undoMoment(of change: SyncedChange) -> Int {
        change.milliseconds - (change.milliseconds % 1_000 == 1 ? 2 : 1)
    }
}

extension HybridClock {
    /// The clock right before this one.
    fileprivate var previous: HybridClock { HybridClock(bits: bits == 0 ? 0 : bits - 1) }
}
