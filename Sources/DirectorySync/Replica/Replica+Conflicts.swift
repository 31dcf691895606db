internal import AppStores
internal import RecordMerge
internal import StrictJSON

extension Replica {
    /// What conflicts, ordered by record.
    public func conflicts() throws -> [RecordConflict] {
        try withState { state in
            var removals = Removals(self, state)
            return try state.conflictKeys().flatMap { key in
                let shown = try shown(key, state)
                let title = ReplicaApp.title(key, shown.records.objects[key])
                return try shown.conflicts.filter { $0.key == key }.map { found in
                    var conflict = try conflict(found, title, state)
                    conflict.sides = try removals.sides(of: found)
                    return conflict
                }
            }
        }
    }

    /// A record with all that it is shown by.
    func shown(_ key: RecordKey, _ state: ReplicaState) throws -> ShownSet {
        var records: [RecordKey: RecordState] = [:]
        for near in try state.domain.shownTogether([key: RecordLinks()], in: state).union([key]) {
            records[near] = try state.record(near)
        }
        return ShownSet(records, state.schema, state.domain)
    }

    private func conflict(_ conflict: Conflict, _ title: String?, _ state: ReplicaState) throws -> RecordConflict {
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
        return RecordConflict(
            name: RecordName(collection: conflict.key.collection, key: conflict.key.key, title: title),
            kind: conflict.kind,
            path: conflict.path,
            choices: choices,
            explanation: conflict.explanation
        )
    }

    /// Who wrote the values that stand at a place.
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

    /// Decides conflicts, as ordinary edits of this device: the stores of all devices get what was decided.
    ///
    /// - Throws: `sync.not-found` where there is no such conflict or choice; then nothing was decided.
    public func resolve(_ decisions: [ConflictDecision]) throws -> SyncOutcome {
        try edit { session in
            var base = RecordSet()
            var ours = RecordSet()
            var decided: [RecordKey: Set<[String]>] = [:]
            var removed: Set<RecordKey> = []
            for decision in decisions {
                let key = decision.key
                let shown = try shown(key, session.state)
                let conflicts = shown.conflicts.filter { $0.key == key && $0.path == decision.path }
                guard let object = shown.records.objects[key], let first = conflicts.first else {
                    throw notFound("conflict", key, decision.path)
                }
                let seen = decision.seen?.map(\.value)
                let conflict = try conflicts.first { conflict in
                    try seen == nil || self.conflict(conflict, nil, session.state).choices.map(\.value) == seen
                }
                guard let conflict = seen == nil ? first : conflict else { throw changed(key, decision.path) }
                var before = base.objects[key] ?? object
                if decision.value == .shown, conflicts.contains(where: { $0.kind == .repaired }) {
                    // What is shown is not what stands there: taking it is to write it.
                    before = before.setting(decision.path, try standing(key, session.state).value(at: decision.path))
                }
                base.objects[key] = before
                var changed = ours.objects[key] ?? object
                decided[key, default: []].insert(decision.path)
                switch decision.value {
                case .shown: break
                case .value(let value): changed = changed.setting(decision.path, value)
                case .choice(let number):
                    guard (0...conflict.others.count).contains(number) else {
                        throw notFound("choice \(number)", key, decision.path)
                    }
                    let value = number == 0 ? conflict.shown : conflict.others[number - 1].value
                    if conflict.kind == .value { changed = changed.setting(decision.path, value) }
                case .removed where decision.path.isEmpty: removed.insert(key)
                case .removed: changed = changed.setting(decision.path, nil)
                }
                ours.objects[key] = changed
            }
            // Whatever was decided of its members: a record that goes has none.
            for key in removed { (ours.objects[key], decided[key]) = (nil, nil) }
            try session.checkStore(takes: ours)
            return try session.writer.makeChange(from: base, to: ours, decided: decided).map { [$0] } ?? []
        }
    }

    /// A record by itself, not mended.
    private func standing(_ key: RecordKey, _ state: ReplicaState) throws -> JSONObject {
        try state.record(key).map { ShownRecord(key, $0, info.schema.record(in: key.collection)).object } ?? [:]
    }

    private func changed(_ key: RecordKey, _ path: [String]) -> SyncError {
        let message =
            "other values stand at \(place(key, path)) now than those that were chosen from; look at them again"
        return SyncError(.notFound, message, path: storePath)
    }

    private func place(_ key: RecordKey, _ path: [String]) -> String {
        ([key.collection, key.key] + path).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func notFound(_ what: String, _ key: RecordKey, _ path: [String]) -> SyncError {
        let place = place(key, path)
        return SyncError(.notFound, "there is no \(what) at \(place)", path: storePath)
    }

    /// Makes edits, publishes them, and synchronises.
    ///
    /// They come before anything is read of others, as what is not known yet was not seen by who makes them.
    func edit(_ body: (SyncSession) throws -> [SyncedChange]) throws -> SyncOutcome {
        try directory.check(space)
        return try withState { state in
            let session = SyncSession(self, state)
            try session.prepare()
            _ = try session.capture()
            try state.transaction { session.outcome.published += try body(session) }
            try session.finish()
            return session.outcome
        }
    }
}

extension JSONObject {
    /// What is at a place, as ``setting(_:_:)`` names it.
    fileprivate func value(at path: [String]) -> JSONValue? {
        guard let member = path.first else { return .object(self) }
        guard path.count > 1, let elements = self[member]?.array else { return self[member] }
        let element = elements.first { $0.object?["id"]?.string == path[1] }
        return path.count == 2 ? element : element?.object?.value(at: Array(path.dropFirst(2)))
    }

    /// The object with a value at a place: a member, or a member of an element of a list by the element's key.
    fileprivate func setting(_ path: [String], _ value: JSONValue?) -> JSONObject {
        guard let member = path.first else { return value?.object ?? self }
        var changed = self
        guard path.count > 1, let elements = changed[member]?.array else {
            changed[member] = value
            return changed
        }
        let index = elements.firstIndex { $0.object?["id"]?.string == path[1] }
        guard let index else { return self }
        var array = elements
        if path.count == 2 {
            if let value { array[index] = value } else { array.remove(at: index) }
        } else if let element = array[index].object {
            array[index] = .object(element.setting(Array(path.dropFirst(2)), value))
        }
        changed[member] = .array(array)
        return changed
    }
}
