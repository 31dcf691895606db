public import StrictJSON

/// The records of a state as they are shown: all of them, or some that are shown together.
public struct ResolvedSet: Sendable {
    /// The records as objects, without derived and local members; collections with an order in that order, others by
    /// key.
    public var records: RecordSet
    /// What conflicts, ordered by record.
    public var conflicts: [Conflict]
    /// The latest change of each member of each record.
    package let shown: [RecordKey: ResolvedRecord]

    /// Shows the records of a state.
    ///
    /// - Parameter domain: What has to be mended where changes of several devices do not go together.
    public init(_ state: MergeState, _ schema: MergeSchema, _ domain: MergeDomain = .none) {
        self.init(state.records, schema, domain)
    }

    /// Shows some records of a state.
    ///
    /// They are shown as all are shown together where all are there that they have to do with: see
    /// ``MergeDomain/shownTogether(_:in:)``.
    public init(_ states: [RecordKey: RecordState], _ schema: MergeSchema, _ domain: MergeDomain = .none) {
        var shown: [RecordKey: ResolvedRecord] = [:]
        var byCollection: [String: [RecordKey]] = [:]
        for (key, record) in states {
            shown[key] = ResolvedRecord(key, record, schema.record(in: key.collection))
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

    /// The latest change of a member that is shown.
    public func stamp(_ key: RecordKey, _ member: String) -> Stamp? { shown[key]?.stamp(member) }

    /// The keys of a collection's records, in order.
    public func keys(_ collection: String) -> [RecordKey] {
        (records.order[collection] ?? []).map { RecordKey(collection, $0) }
    }

    /// Notes what was enforced, for a person to see beside the conflicts.
    ///
    /// - Parameter shown: The value that stands now.
    public mutating func note(_ key: RecordKey, _ path: [String], shown: JSONValue?, _ explanation: String) {
        conflicts.append(Conflict(key, .repaired, path: path, shown: shown, explanation: explanation))
    }
}
