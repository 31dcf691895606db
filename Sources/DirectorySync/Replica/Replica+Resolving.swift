internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The reason why a decision did not apply.
public enum PassedOver: Sendable, Hashable {
    /// The conflict is gone: an edit of the store decided it.
    case decided
    /// The values in conflict are not those that the person chose from.
    case changed
    /// The store would reject the record, with the reason.
    case refused(String)
}

extension Replica {
    /// Decides conflicts by ordinary edits of this device, which reach the stores of all devices.
    ///
    /// - Throws: `sync.not-found` where there is no such conflict or choice, `store.rejected` where the store rejects
    ///   the choice; nothing was decided then.
    public func resolve(_ decisions: [ConflictDecision]) throws -> SyncOutcome {
        try edit { session in
            var edits = try DecidedEdits(self, session)
            let passed = try edits.takeStanding(decisions)
            for (index, decision) in decisions.enumerated() {
                if let passed = passed[index] { throw Self.passed(passed, decision, storePath) }
            }
            return try edits.make()
        }
    }

    /// Decides the conflicts that remain after the store's edits; a decision that fails does not stop the others.
    ///
    /// - Returns: The result of the sync, and the decisions that did not apply, by their index.
    /// - Throws: `sync.not-found` where a conflict has no such choice; nothing was decided then.
    public func resolveStanding(
        _ decisions: [ConflictDecision]
    ) throws -> (outcome: SyncOutcome, passed: [Int: PassedOver]) {
        var passed: [Int: PassedOver] = [:]
        var undoMoment: Int?
        var outcome = try edit { session in
            var edits = try DecidedEdits(self, session)
            passed = try edits.takeStanding(decisions)
            try session.makeRoomForUndo()
            let changes = try edits.make()
            undoMoment = changes.last.map { SyncSession.undoMoment(of: $0) }
            return changes
        }
        outcome.undoMoment = undoMoment
        return (outcome, passed)
    }

    /// Returns the decisions that ``resolveStanding(_:)`` would not apply, and changes nothing.
    ///
    /// - Throws: `sync.not-found` where a conflict has no such choice; the errors of ``preview(_:)``.
    public func previewResolving(_ decisions: [ConflictDecision]) throws -> [Int: PassedOver] {
        try withState { state in
            let session = SyncSession(self, state)
            var passed: [Int: PassedOver] = [:]
            try session.dryRunDetection {
                var edits = try DecidedEdits(self, session)
                passed = try edits.takeStanding(decisions)
            }
            return passed
        }
    }

    private static func passed(_ passed: PassedOver, _ decision: ConflictDecision, _ store: String) -> any Error {
        let place = DecidedEdits.place(decision)
        switch passed {
        case .decided:
            let end = decision.seen == nil ? "" : " any more: an edit of the store decided it"
            return SyncError(.notFound, "there is no conflict at \(place)\(end)", path: store)
        case .changed:
            let message = "other values stand at \(place) now than those that were chosen from; look at them again"
            return SyncError(.notFound, message, path: store)
        case .refused(let reason): return StoreError(.rejected, "\(reason) (at \(place))", path: store)
        }
    }
}

extension Replica {
    /// Deletes a rejected record on all devices, as no app shows it and could delete it.
    ///
    /// - Parameters:
    ///   - isDryRun: Whether only to report, and change nothing.
    ///   - isNamed: Returns whether a record is the one to delete.
    /// - Throws: `sync.not-found` unless exactly one rejected record is meant that the store has nothing of.
    public func forget(isDryRun: Bool, _ isNamed: (RecordName) -> Bool) throws -> SyncOutcome {
        func find(_ state: ReplicaState) throws -> RecordSet {
            var found = RecordSet()
            for key in try state.refused().keys {
                guard let held = try state.held(key), held.place == .absent, let record = held.record else { continue }
                let object = info.schema.resolved(key, record).object
                let name = RecordName(key, title: info.title(key, object))
                if isNamed(name) { found.objects[key] = object }
            }
            guard found.objects.count == 1 else {
                let count = found.objects.isEmpty ? "no record" : "more than one record"
                let message = "the store rejects \(count) of that name and has nothing of it; see foldersync status"
                throw SyncError(.notFound, message, path: storePath)
            }
            return found
        }
        func words(_ found: RecordSet) -> [String] {
            let word = isDryRun ? "would delete" : "deleted"
            return found.objects.keys.map { "\(word) \($0.collection)/\($0.key) on all devices" }
        }
        guard !isDryRun else { return try preview { $0.outcome.notes += words(try find($0.state)) } }
        return try edit { session in
            let found = try find(session.state)
            session.outcome.notes += words(found)
            return try session.writer.makeChange(from: found, to: RecordSet()).map { [$0] } ?? []
        }
    }
}

/// The edits that follow from decisions.
private struct DecidedEdits {
    private let replica: Replica
    private let session: SyncSession
    private var base = RecordSet()
    private var ours = RecordSet()
    private var decided: [RecordKey: Set<[String]>] = [:]
    private var choices: [RecordKey: PlaceChoices] = [:]
    private var removed: Set<RecordKey> = []
    /// Records that the store does not have, as what they belong to is not there.
    private var held: Set<RecordKey> = []
    /// The records that the store keeps beside the known ones.
    private let kept: Set<RecordKey>

    init(_ replica: Replica, _ session: SyncSession) throws {
        self.replica = replica
        self.session = session
        kept = try session.state.keptHere()
    }

    /// Applies decisions on open conflicts, except those after which the store would reject the record.
    mutating func takeStanding(_ decisions: [ConflictDecision]) throws -> [Int: PassedOver] {
        var passed: [Int: PassedOver] = [:]
        var left = Array(decisions.indices)
        var hasProgress = true
        // A decision may only work together with a later one.
        while hasProgress, !left.isEmpty {
            hasProgress = false
            for index in left {
                var edits = self
                do {
                    passed[index] = try edits.take(decisions[index])
                    if passed[index] == nil { try edits.check(decisions[index].key) }
                } catch let error as StoreError where error.code == .rejected {
                    passed[index] = .refused(error.message)
                    continue
                }
                self = edits
                left.removeAll { $0 == index }
                hasProgress = true
            }
        }
        return passed
    }

    /// Checks that the store accepts a record after the decisions so far.
    private func check(_ key: RecordKey) throws {
        guard !removed.contains(key), !held.contains(key), let object = ours.objects[key] else { return }
        var (before, after) = (RecordSet(), RecordSet())
        before.objects[key] = base.objects[key]
        after.objects[key] = object
        let change = try session.writer.change(
            from: before,
            to: after,
            decided: decided.filter { $0.key == key },
            choices: choices.filter { $0.key == key }
        )
        var records = RecordSet()
        for record in change.records {
            guard let state = record.version.map({ RecordState($0) }) else { continue }
            records.objects[record.key] = try fitting(record.key, state)
        }
        try session.checkStore(takes: records)
    }

    /// Returns a record as the store gets it, without references to missing records.
    private func fitting(_ key: RecordKey, _ record: RecordState) throws -> JSONObject {
        let state = session.state
        let alone = state.schema.resolved(key, record)
        var records = [key: record]
        for near in try state.domain.resolvedTogether([key: state.domain.links(key, alone)], in: state)
        where near != key { records[near] = try state.record(near) }
        let shown = ResolvedSet(records, state.schema, state.domain, beside: kept)
        return shown.records.objects[key] ?? alone.object
    }

    /// Applies a decision.
    ///
    /// - Returns: The reason why it did not apply; nil where it did.
    mutating func take(_ decision: ConflictDecision) throws -> PassedOver? {
        let key = decision.key
        let shown = try replica.shown(key, session.state, beside: kept)
        let conflicts = shown.conflicts.filter { $0.key == key && $0.path == decision.path }
        guard let first = conflicts.first else { return .decided }
        if shown.records.objects[key] == nil { held.insert(key) }
        let object = try shown.records.objects[key] ?? replica.standing(key, session.state)
        let seen = decision.seen?.map(\.value)
        let same = try conflicts.first { conflict in
            try seen == nil || replica.conflict(conflict, nil, session.state).choices.map(\.value) == seen
        }
        guard let conflict = seen == nil ? first : same else { return .changed }
        var before = base.objects[key] ?? object
        let standing = try replica.standing(key, session.state)
        // An invariant may show another value than the latest.
        let isOther = conflict.kind == .value && conflict.shown != standing.value(at: decision.path)
        let isMended = isOther || conflicts.contains { $0.kind == .repaired }
        if decision.value == .shown, isMended {
            // The resolved value differs from the stored one: choosing it means writing it.
            before = before.setting(decision.path, standing.value(at: decision.path))
        }
        base.objects[key] = before
        if ours.objects[key] == nil { ours.objects[key] = object }
        decided[key, default: []].insert(decision.path)
        switch decision.value {
        case .shown: break
        case .value(let value): try choose(value, conflict)
        case .choice(let number):
            guard (0...conflict.others.count).contains(number) else {
                let message = "there is no choice \(number) at \(Self.place(decision))"
                throw SyncError(.notFound, message, path: replica.storePath)
            }
            let value = number == 0 ? conflict.shown : conflict.others[number - 1].value
            if conflict.kind == .value { try choose(value, conflict) }
        case .removed where decision.path.isEmpty: removed.insert(key)
        case .removed:
            guard conflict.kind == .removedElement, decision.path.count == 2 else {
                throw SyncError(
                    .notFound,
                    "there is nothing to remove at \(Self.place(decision))",
                    path: replica.storePath
                )
            }
            choices[key, default: PlaceChoices()].remove(decision.path[0], element: decision.path[1])
            decided[key]?.remove(decision.path)
        }
        return nil
    }

    /// Chooses a value for the field path in conflict.
    private mutating func choose(_ value: JSONValue?, _ conflict: Conflict) throws {
        guard let cell = conflict.cell, conflict.kind == .value else {
            throw SyncError(.notFound, "there is no value to choose", path: replica.storePath)
        }
        let isGroup = cell.kind == .group || cell.kind == .itemGroup
        if isGroup, let value, value.object == nil {
            let names = conflict.shown?.object?.names ?? []
            let found = String(value.text(.compact).prefix(100))
            throw StoreError(
                .rejected,
                "these members change together: expected an object with \(names.joined(separator: ", ")), found \(found)",
                path: replica.storePath
            )
        }
        choices[conflict.key, default: PlaceChoices()].choose(value, at: cell)
    }

    /// Makes the change of the applied decisions.
    mutating func make() throws -> [SyncedChange] {
        // Dependents that were restored with a record go with it.
        for (key, object) in try session.state.restored(with: removed) {
            if base.objects[key] == nil { base.objects[key] = object }
            removed.insert(key)
        }
        // A removed record has no members, whatever the decisions on them.
        for key in removed { (ours.objects[key], decided[key], choices[key]) = (nil, nil, nil) }
        let facts = try session.addSharedFacts(to: &base, &ours)
        let change = try session.writer.makeChange(
            from: base,
            to: ours,
            decided: decided,
            choices: choices,
            facts: facts
        )
        return change.map { [$0] } ?? []
    }

    static func place(_ decision: ConflictDecision) -> String {
        ([decision.key.collection, decision.key.key] + decision.path).filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension JSONObject {
    /// Returns the value at a path, as ``setting(_:_:)`` names it.
    fileprivate func value(at path: [String]) -> JSONValue? {
        guard let member = path.first else { return .object(self) }
        guard path.count > 1, let elements = self[member]?.array else { return self[member] }
        let element = elements.first { $0.object?["id"]?.string == path[1] }
        return path.count == 2 ? element : element?.object?.value(at: Array(path.dropFirst(2)))
    }

    /// Returns the object with a value at a path: a member, or a member of a list element by the element's key.
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
