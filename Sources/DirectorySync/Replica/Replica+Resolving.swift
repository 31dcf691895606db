internal import AppStores
internal import RecordMerge
internal import StrictJSON

/// Why a decision was passed over.
public enum PassedOver: Sendable, Hashable {
    /// There is no conflict there any more: an edit of the store decided it.
    case decided
    /// Other values stand there than those that were chosen from.
    case changed
}

extension Replica {
    /// Decides conflicts, as ordinary edits of this device: the stores of all devices get what was decided.
    ///
    /// - Throws: `sync.not-found` where there is no such conflict or choice; then nothing was decided.
    public func resolve(_ decisions: [ConflictDecision]) throws -> SyncOutcome {
        try edit { session in
            var edits = DecidedEdits(self, session)
            for decision in decisions {
                if let passed = try edits.take(decision) { throw Self.passed(passed, decision, storePath) }
            }
            return try edits.make()
        }
    }

    /// Decides those conflicts that stand when the store's edits are known.
    ///
    /// - Returns: What was synchronised, and which of the decisions were passed over, by their place in the list.
    /// - Throws: `sync.not-found` where a conflict has no such choice; then nothing was decided.
    public func resolveStanding(
        _ decisions: [ConflictDecision]
    ) throws -> (outcome: SyncOutcome, passed: [Int: PassedOver]) {
        var passed: [Int: PassedOver] = [:]
        let outcome = try edit { session in
            var edits = DecidedEdits(self, session)
            passed = try edits.takeStanding(decisions)
            return try edits.make()
        }
        return (outcome, passed)
    }

    /// Which decisions ``resolveStanding(_:)`` would pass over; nothing is changed.
    public func previewResolving(_ decisions: [ConflictDecision]) throws -> [Int: PassedOver] {
        try withState { state in
            let session = SyncSession(self, state)
            var passed: [Int: PassedOver] = [:]
            try session.rehearseCapture {
                var edits = DecidedEdits(self, session)
                passed = try edits.takeStanding(decisions)
            }
            return passed
        }
    }

    private static func passed(_ passed: PassedOver, _ decision: ConflictDecision, _ store: String) -> SyncError {
        let place = DecidedEdits.place(decision)
        switch passed {
        case .decided:
            let end = decision.seen == nil ? "" : " any more: an edit of the store decided it"
            return SyncError(.notFound, "there is no conflict at \(place)\(end)", path: store)
        case .changed:
            let message = "other values stand at \(place) now than those that were chosen from; look at them again"
            return SyncError(.notFound, message, path: store)
        }
    }
}

/// The edits that decisions come to.
private struct DecidedEdits {
    private let replica: Replica
    private let session: SyncSession
    private var base = RecordSet()
    private var ours = RecordSet()
    private var decided: [RecordKey: Set<[String]>] = [:]
    private var removed: Set<RecordKey> = []

    init(_ replica: Replica, _ session: SyncSession) {
        self.replica = replica
        self.session = session
    }

    /// Takes the decisions about what stands.
    mutating func takeStanding(_ decisions: [ConflictDecision]) throws -> [Int: PassedOver] {
        var passed: [Int: PassedOver] = [:]
        for (index, decision) in decisions.enumerated() { passed[index] = try take(decision) }
        return passed
    }

    /// Takes a decision.
    ///
    /// - Returns: Why it was passed over; nil where it was not.
    mutating func take(_ decision: ConflictDecision) throws -> PassedOver? {
        let key = decision.key
        let shown = try replica.shown(key, session.state)
        let conflicts = shown.conflicts.filter { $0.key == key && $0.path == decision.path }
        guard let object = shown.records.objects[key], let first = conflicts.first else { return .decided }
        let seen = decision.seen?.map(\.value)
        let same = try conflicts.first { conflict in
            try seen == nil || replica.conflict(conflict, nil, session.state).choices.map(\.value) == seen
        }
        guard let conflict = seen == nil ? first : same else { return .changed }
        var before = base.objects[key] ?? object
        if decision.value == .shown, conflicts.contains(where: { $0.kind == .repaired }) {
            // What is shown is not what stands there: taking it is to write it.
            before = before.setting(decision.path, try standing(key).value(at: decision.path))
        }
        base.objects[key] = before
        var changed = ours.objects[key] ?? object
        decided[key, default: []].insert(decision.path)
        switch decision.value {
        case .shown: break
        case .value(let value): changed = changed.setting(decision.path, value)
        case .choice(let number):
            guard (0...conflict.others.count).contains(number) else {
                let message = "there is no choice \(number) at \(Self.place(decision))"
                throw SyncError(.notFound, message, path: replica.storePath)
            }
            let value = number == 0 ? conflict.shown : conflict.others[number - 1].value
            if conflict.kind == .value { changed = changed.setting(decision.path, value) }
        case .removed where decision.path.isEmpty: removed.insert(key)
        case .removed: changed = changed.setting(decision.path, nil)
        }
        ours.objects[key] = changed
        return nil
    }

    /// Makes the change of what was taken.
    mutating func make() throws -> [SyncedChange] {
        // Whatever was decided of its members: a record that goes has none.
        for key in removed { (ours.objects[key], decided[key]) = (nil, nil) }
        try session.checkStore(takes: ours)
        return try session.writer.makeChange(from: base, to: ours, decided: decided).map { [$0] } ?? []
    }

    /// A record by itself, not mended.
    private func standing(_ key: RecordKey) throws -> JSONObject {
        let rules = replica.info.schema.record(in: key.collection)
        return try session.state.record(key).map { ShownRecord(key, $0, rules).object } ?? [:]
    }

    static func place(_ decision: ConflictDecision) -> String {
        ([decision.key.collection, decision.key.key] + decision.path).filter { !$0.isEmpty }.joined(separator: " ")
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
