public import RecordMerge
internal import RecordStore
internal import StrictJSON

extension Replica {
    /// Returns the open conflicts, ordered by record.
    ///
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func conflicts() throws -> [RecordConflict] { try withState { try conflicts($0.conflictKeys(), $0) } }

    /// Returns the open conflicts of some of the records that have any.
    ///
    /// - Parameter rows: The records, by their numbers in the order of the conflicts, from 0 on; those that are too
    ///   great are left out.
    /// - Returns: The conflicts, and the number of all records with conflicts.
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func conflicts(ofRecords rows: Range<Int>) throws -> (conflicts: [RecordConflict], records: Int) {
        try withState { state in
            (try conflicts(state.conflictKeys(rows), state), try state.conflictingCount())
        }
    }

    /// Returns the open conflicts of a record.
    ///
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func conflicts(of key: RecordKey) throws -> [RecordConflict] {
        try withState { state in
            guard let held = try state.held(key), held.conflicts > 0 else { return [] }
            return try conflicts([key], state)
        }
    }

    private func conflicts(_ keys: [RecordKey], _ state: ReplicaState) throws -> [RecordConflict] {
        var removals = Removals(self, state, of: keys)
        var earlier = EarlierValues(self, state, of: keys)
        let kept = try state.keptHere()
        return try keys.flatMap { key in
            let shown = try shown(key, state, beside: kept)
            // A record that is held back is not shown.
            let object = try shown.records.objects[key] ?? standing(key, state)
            let (own, owner) = (info.title(key, object), try SegmentMaker(self, state).owner(of: key, object))
            let title = own ?? owner
            return try shown.conflicts.filter { $0.key == key }.map { found in
                var conflict = try conflict(found, title, state)
                conflict.owner = own == nil ? nil : owner
                if found.kind == .value { conflict.question = info.domain.question(key, object, at: found.path) }
                if shown.records.objects[key] == nil { conflict.waitsFor = try missingTargets(key, object, state) }
                conflict.element = self.element(found, shown.records.objects[key])
                conflict.sides = try removals.sides(of: found)
                conflict.values =
                    found.kind == .repaired
                    ? try mended(found, state) : try earlier.changes(of: found, info.schema)
                if let write = try earlier.value(of: found) {
                    conflict.old = try choice(write.value, write.stamp, isShown: false, state)
                }
                conflict.titles = try titles(key, conflict, object, state)
                return conflict
            }
        }
    }

    /// Returns the titles of the records to which the values in conflict refer.
    private func titles(
        _ key: RecordKey,
        _ conflict: RecordConflict,
        _ object: JSONObject,
        _ state: ReplicaState
    ) throws -> [JSONValue: String] {
        guard conflict.path.count == 1 else { return [:] }
        let values = (conflict.choices + [conflict.old].compactMap(\.self)).compactMap(\.value)
        var known = KnownTitles()
        return try titles(of: values, as: conflict.path[0], key, object, state, &known)
    }

    /// Adds the titles of the records to which the values of a change's members refer.
    func addTitles(to change: inout SyncedChange, _ state: ReplicaState, _ known: inout KnownTitles) throws {
        for index in change.records.indices { try addTitles(to: &change.records[index], state, &known) }
    }

    /// Adds the titles of the records to which the values of changed members refer.
    func addTitles(
        to change: inout SyncedChange.RecordChange,
        _ state: ReplicaState,
        _ known: inout KnownTitles
    ) throws {
        guard info.declaration == nil else { return }
        let key = RecordKey(change.name.collection, change.name.key)
        for index in change.values.indices {
            let value = change.values[index]
            let values = [value.old, value.new].compactMap(\.self) + value.losing
            change.values[index].titles = try titles(of: values, as: value.name, key, [:], state, &known)
        }
    }

    /// Returns the titles of the records to which values of a member refer; with their keys where two share one.
    ///
    /// The words for values of a declared app have them already.
    private func titles(
        of values: [JSONValue],
        as member: String,
        _ key: RecordKey,
        _ object: JSONObject,
        _ state: ReplicaState,
        _ known: inout KnownTitles
    ) throws -> [JSONValue: String] {
        guard info.declaration == nil else { return [:] }
        var found: [JSONValue: (title: String, key: String)] = [:]
        for value in values {
            guard let target = info.domain.target(of: key, object, having: value, as: member) else { continue }
            if known.titles[target] == nil {
                let now = try state.record(target).map { info.schema.resolved(target, $0).object }
                known.titles[target] = .some(info.title(target, now ?? known.others[target]))
            }
            if let title = known.titles[target] ?? nil { found[value] = (title, target.key) }
        }
        return found.mapValues { one in
            let text = JSONValue.string(one.title).text(.compact)
            return found.values.count { $0.title == one.title } > 1 ? "\(text) (\(one.key))" : text
        }
    }

    /// Returns the records that are gone and that a blocked one makes no sense without, with their last titles.
    private func missingTargets(_ key: RecordKey, _ object: JSONObject, _ state: ReplicaState) throws -> [RecordName] {
        try info.domain.targets(key, object).filter { try state.held($0)?.place ?? .absent == .absent }.map { target in
            if try state.record(target) != nil { return try name(target, state) }
            var reader = RecordReader(self, state, of: [target])
            let rules = info.schema.record(in: target.collection)
            // Its title is in the last change that wrote it.
            for segment in try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC LIMIT 500") {
                guard let version = try reader.records(of: segment)?.records[target]?.version else { continue }
                let title = info.title(target, ResolvedRecord(target, RecordState(version), rules).object)
                return RecordName(target, title: title)
            }
            return RecordName(target, title: nil)
        }
    }

    /// Returns the blocked records, which belong to others that are gone: no store has them.
    func heldBack(_ state: ReplicaState) throws -> [(key: RecordKey, object: JSONObject)] {
        try state.keysHeldBack().compactMap { key in
            let object = try standing(key, state)
            let isBlocked = try info.domain.targets(key, object).contains { target in
                try state.held(target)?.place ?? .absent == .absent
            }
            return isBlocked ? (key, object) : nil
        }
    }

    /// Returns a record as it is by itself, without enforced invariants.
    func standing(_ key: RecordKey, _ state: ReplicaState) throws -> JSONObject {
        try state.record(key).map { info.schema.resolved(key, $0).object } ?? [:]
    }

    /// Returns the label of the element in conflict, with its number where several have that label.
    private func element(_ conflict: Conflict, _ object: JSONObject?) -> String? {
        guard conflict.path.count > 1, let elements = object?[conflict.path[0]]?.array else { return nil }
        let titles = elements.map { info.title(conflict.key, $0.object) }
        guard let index = elements.firstIndex(where: { $0["id"]?.string == conflict.path[1] }),
            let title = titles[index]
        else { return nil }
        return titles.count { $0 == title } == 1 ? title : "\(title) (\(index + 1))"
    }

    /// Returns the correction by an invariant: the member as devices wrote it, and its resolved value.
    private func mended(_ conflict: Conflict, _ state: ReplicaState) throws -> [SyncedChange.MemberChange] {
        guard let name = conflict.path.first, let record = try state.record(conflict.key) else { return [] }
        let written = info.schema.resolved(conflict.key, record).object
        let old = conflict.path.dropFirst().isEmpty ? written[name] : nil
        return [
            SyncedChange.MemberChange(name: name, old: old, new: conflict.shown, isOldKnown: conflict.path.count == 1)
        ]
    }

    /// Returns a resolved record with all records that it depends on.
    ///
    /// - Parameter kept: The records that the store keeps beside the known ones.
    func shown(_ key: RecordKey, _ state: ReplicaState, beside kept: Set<RecordKey>) throws -> ResolvedSet {
        var records: [RecordKey: RecordState] = [:]
        for near in try state.domain.resolvedTogether([key: RecordLinks()], in: state).union([key]) {
            records[near] = try state.record(near)
        }
        return ResolvedSet(records, state.schema, state.domain, beside: kept)
    }

    func conflict(_ conflict: Conflict, _ title: String?, _ state: ReplicaState) throws -> RecordConflict {
        var choices: [RecordConflict.Choice] = []
        if conflict.kind == .value {
            let stamps = try stamps(conflict, state)
            let shown = stamps.first { $0.value == conflict.shown }?.stamp
            choices.append(try choice(conflict.shown, shown, isShown: true, state))
            for other in conflict.others {
                choices.append(try choice(other.value, other.stamp, isShown: false, state))
            }
        } else if conflict.kind == .moved {
            for other in conflict.others { choices.append(try choice(nil, other.stamp, isShown: false, state)) }
        }
        let isGroup = conflict.cell?.kind == .group || conflict.cell?.kind == .itemGroup
        let members = isGroup ? Set(choices.flatMap { $0.value?.object?.names ?? [] }).sorted() : []
        return RecordConflict(
            name: RecordName(conflict.key, title: title),
            kind: conflict.kind,
            path: conflict.path,
            choices: choices,
            explanation: conflict.explanation,
            members: members
        )
    }

    /// Returns the values of a field path with their writers.
    private func stamps(_ conflict: Conflict, _ state: ReplicaState) throws -> [(value: JSONValue?, stamp: Stamp)] {
        guard let record = try state.record(conflict.key) else { return [] }
        let names = conflict.path
        return record.versions.flatMap(\.cells).filter { $0.path.names == names }.flatMap { cell in
            cell.writes.map { ($0.value, $0.stamp) }
        }
    }

    private func choice(
        _ value: JSONValue?,
        _ stamp: Stamp?,
        isShown: Bool,
        _ state: ReplicaState
    ) throws -> RecordConflict.Choice {
        RecordConflict.Choice(
            value: value,
            device: try stamp.flatMap { try state.device(of: $0.dot) },
            milliseconds: stamp?.clock.milliseconds ?? 0,
            isShown: isShown
        )
    }

    /// Makes edits, publishes them, and syncs.
    ///
    /// They come before reading other devices' changes, which their author has not seen.
    ///
    /// - Parameter takingOwnPast: Whether to take in first what other devices have of this device's own lost changes.
    func edit(takingOwnPast: Bool = false, _ body: (SyncSession) throws -> [SyncedChange]) throws -> SyncOutcome {
        try directory.check(space)
        try completeTakeOver()
        return try withState { state in
            let session = SyncSession(self, state)
            try session.prepare()
            if takingOwnPast { try session.takeOwnPast() }
            _ = try session.detectChanges()
            try session.endRestoring()
            try state.transaction { session.outcome.published += try body(session) }
            try session.finish()
            return session.outcome
        }
    }
}

/// The titles of records that were looked up.
struct KnownTitles {
    /// Records that are not there now, and that a restore brings back.
    var others: [RecordKey: JSONObject] = [:]
    /// The titles by key; an inner nil stands for none.
    fileprivate var titles: [RecordKey: String?] = [:]

    init(others: [RecordKey: JSONObject] = [:]) { self.others = others }
}
