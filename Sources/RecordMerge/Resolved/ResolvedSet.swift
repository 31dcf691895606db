public import StrictJSON

/// The resolved records of a state: all of them, or some that depend on each other.
public struct ResolvedSet: Sendable {
    /// The records as objects, without derived and local members; a collection with an order is in that order, others
    /// are by key.
    public var records: RecordSet
    /// The conflicts, ordered by record.
    public var conflicts: [Conflict]
    /// The latest change of each member of each record.
    package let shown: [RecordKey: ResolvedRecord]
    /// The records that a store has beside these.
    private let others: Set<RecordKey>

    /// Resolves the records of a state.
    ///
    /// - Parameters:
    ///   - domain: The invariants to enforce.
    ///   - others: The records that the store has beside these, as they cannot sync.
    public init(
        _ state: MergeState,
        _ schema: MergeSchema,
        _ domain: MergeDomain = .none,
        beside others: Set<RecordKey> = []
    ) {
        self.init(state.records, schema, domain, beside: others)
    }

    /// Resolves some records of a state.
    ///
    /// The result is that of all records together, if `states` has all records that these depend on: see
    /// ``MergeDomain/resolvedTogether(_:in:)``.
    ///
    /// - Parameters:
    ///   - domain: The invariants to enforce.
    ///   - others: The records that the store has beside these, as they cannot sync.
    public init(
        _ states: [RecordKey: RecordState],
        _ schema: MergeSchema,
        _ domain: MergeDomain = .none,
        beside others: Set<RecordKey> = []
    ) {
        self.others = others
        var shown: [RecordKey: ResolvedRecord] = [:]
        var byCollection: [String: [RecordKey]] = [:]
        for (key, record) in states {
            shown[key] = schema.resolved(key, record)
            byCollection[key.collection, default: []].append(key)
        }
        records = RecordSet()
        conflicts = []
        for (collection, keys) in byCollection {
            let isOrdered = schema.collection(collection)?.rule == .list
            guard isOrdered else {
                records.order[collection] = keys.sorted().map(\.key)
                continue
            }
            let places = keys.map { RecordPlace($0, shown[$0]?.position) }
            records.order[collection] = places.sorted().map(\.key.key)
        }
        for (key, record) in shown {
            records.objects[key] = record.object
            conflicts += record.conflicts
        }
        self.shown = shown
        domain.enforce(&self)
        conflicts.sort { left, right in
            if left.key != right.key { return left.key < right.key }
            return left.path.lexicographicallyPrecedes(right.path, by: precedes)
        }
    }

    /// Returns the latest change of a resolved member.
    public func stamp(_ key: RecordKey, _ member: String) -> Stamp? { shown[key]?.stamp(member) }

    /// Returns the keys of a collection's records, in order.
    public func keys(_ collection: String) -> [RecordKey] {
        (records.order[collection] ?? []).map { RecordKey(collection, $0) }
    }

    /// Returns whether a record exists, so that a reference to it leads somewhere.
    public func exists(_ key: RecordKey) -> Bool { records.objects[key] != nil || others.contains(key) }

    /// Shows another value of a member, because the latest one does not go with the rest of the record.
    ///
    /// A conflict of the member then has that value as the resolved one.
    ///
    /// - Parameter dropped: A value that is none beside the others, such as no end of a session that is over.
    package mutating func choose(
        _ key: RecordKey,
        _ member: String,
        _ value: JSONValue,
        dropping dropped: JSONValue? = nil
    ) {
        let latest = stamp(key, member).map { Conflict.Alternative(value: shown[key]?.object[member], stamp: $0) }
        records.objects[key]?[member] = value
        let index = conflicts.firstIndex { $0.key == key && $0.kind == .value && $0.path == [member] }
        guard let index else { return }
        let moment = value.string.flatMap(Moment.init)
        let others = ([latest].compactMap(\.self) + conflicts[index].others).filter {
            let isSame = $0.value == value || moment != nil && $0.value?.string.flatMap(Moment.init) == moment
            return !isSame && (dropped == nil || $0.value != dropped)
        }
        let cell = conflicts[index].cell
        conflicts[index] = Conflict(key, .value, path: [member], cell: cell, shown: value, others: others)
        if others.isEmpty { conflicts.remove(at: index) }
    }

    /// Notes an enforced invariant, which a person sees beside the conflicts.
    ///
    /// - Parameter shown: The resolved value after it.
    public mutating func note(_ key: RecordKey, _ path: [String], shown: JSONValue?, _ explanation: String) {
        conflicts.append(Conflict(key, .repaired, path: path, shown: shown, explanation: explanation))
    }
}
