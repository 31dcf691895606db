internal import RecordMerge
internal import StrictJSON

/// The actual effects on the records of a store, for reports.
struct WrittenRecords {
    /// The most records; more are not kept, so that a first sync uses constant memory.
    private static let most = 10_000

    private enum Effect {
        case added, deleted
        /// A record that was changed, with the members that differ.
        case changed(Set<String>)
    }

    private var effects: [RecordKey: Effect]? = [:]

    /// Notes a written or removed record.
    mutating func note(_ edit: AppliedEdit) {
        guard let count = effects?.count, count < Self.most else { return effects = nil }
        switch (edit.old, edit.object) {
        case (nil, _?): effects?[edit.key] = .added
        case (_?, nil): effects?[edit.key] = .deleted
        case (let old?, let object?):
            effects?[edit.key] = .changed(Set((old.names + object.names).filter { old[$0] != object[$0] }))
        case (nil, nil): break
        }
    }

    /// Returns the effects of changes in the store; a change with more records than reports name stays unchanged.
    func effects(of received: [SyncedChange], _ state: ReplicaState, _ schema: MergeSchema) throws -> [SyncedChange] {
        guard let effects else { return received }
        // A record of several changes was added once, by the first of them.
        var added: Set<RecordKey> = []
        return try received.map { change in
            guard change.records.count == change.recordCount else { return change }
            let records = try change.records.compactMap { touched -> SyncedChange.RecordChange? in
                let key = RecordKey(touched.name.collection, touched.name.key)
                let effect = effects[key]
                if case .added? = effect, !added.insert(key).inserted { return nil }
                return try Self.effect(of: touched, effect, key, state, schema)
            }
            var counts: [String: [SyncedChange.Action: Int]] = [:]
            for record in records { counts[record.name.collection, default: [:]][record.action, default: 0] += 1 }
            return SyncedChange(
                device: change.device,
                dot: change.dot,
                milliseconds: change.milliseconds,
                records: records,
                counts: counts.sorted { $0.key < $1.key }.flatMap { collection, actions in
                    SyncedChange.Action.allCases.compactMap { action in
                        actions[action].map { SyncedChange.Count(collection: collection, action: action, count: $0) }
                    }
                }
            )
        }
    }

    /// Returns the effect of a change on a record; nil where the store shows nothing of it.
    private static func effect(
        of touched: SyncedChange.RecordChange,
        _ effect: Effect?,
        _ key: RecordKey,
        _ state: ReplicaState,
        _ schema: MergeSchema
    ) throws -> SyncedChange.RecordChange? {
        func result(_ action: SyncedChange.Action, _ members: [String] = []) -> SyncedChange.RecordChange {
            let values = touched.values.filter { members.contains($0.name) }
            var result = SyncedChange.RecordChange(name: touched.name, action: action, members: members, values: values)
            result.owner = touched.owner
            return result
        }
        switch (effect, touched.action) {
        case (.added, .added), (.deleted, .deleted): return touched
        case (.added, .changed): return result(.added)
        case (.changed(let members), .added): return result(.changed, members.sorted())
        case (.changed(let members), .changed):
            let shown = touched.members.filter(members.contains)
            if !shown.isEmpty { return result(.changed, shown) }
        default: break
        }
        // In a conflict, the store keeps it.
        guard let held = try state.held(key), held.record != nil, held.conflicts > 0 else { return nil }
        // Name the record as the store shows it, not as the change does.
        let title = state.info.title(key, held.inStore(key, schema))
        let name = RecordName(key, title: title ?? touched.name.title)
        let isDeleted = touched.action == .deleted
        let shown = held.inStore(key, schema) ?? [:]
        // Leave out what the store has already as the change has it.
        let values = touched.values.filter { $0.new != shown[$0.name] }
        let members = touched.members.filter { name in
            values.contains { $0.name == name } || !touched.values.contains { $0.name == name }
        }
        guard isDeleted || !members.isEmpty else { return nil }
        var kept = SyncedChange.RecordChange(name: name, action: .kept, members: members, values: values)
        kept.isDeletedElsewhere = isDeleted
        return kept
    }
}
