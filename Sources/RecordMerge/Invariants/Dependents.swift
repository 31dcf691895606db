package import StrictJSON

/// Records that make no sense without their targets, such as the completions of a habit; an app deletes them with it.
///
/// Where one device deletes a habit with its completions and another changes the habit meanwhile, the habit stays.
/// A device that still has the completions then writes them anew, so that they stay with it.
extension MergeDomain {
    /// The effect of all changes on a record that somebody deleted.
    package enum Fate { case stays, untouched, gone }

    /// The collections of records that make no sense without their targets.
    package var dependents: Set<String> {
        Set(invariants.references.filter { $0.loss == .waits }.map(\.collection))
    }

    /// The collections of records that others make no sense without.
    package var owners: Set<String> {
        Set(invariants.references.filter { $0.loss == .waits }.flatMap(\.targets))
    }

    /// Returns the targets that a record makes no sense without.
    package func owners(_ key: RecordKey, _ object: JSONObject) -> [RecordKey] {
        references(key, object).filter { $0.loss == .waits }.map(\.target)
    }

    /// Returns the deleted records whose targets stay.
    ///
    /// - Parameters:
    ///   - deleted: Deleted records as they were.
    ///   - fate: Returns what became of a target.
    package func staying(
        _ deleted: [RecordKey: JSONObject],
        _ fate: (RecordKey) throws -> Fate
    ) rethrows -> Set<RecordKey> {
        var fates: [RecordKey: Fate] = [:]
        var open = deleted.mapValues { _ in Fate.gone }
        var hasMore = true
        while hasMore {
            hasMore = false
            for (key, object) in deleted where open[key] == .gone {
                let found = try owners(key, object).map { owner in
                    if let known = open[owner] ?? fates[owner] { return known }
                    let found = try fate(owner)
                    fates[owner] = found
                    return found
                }
                guard found.contains(.stays), !found.contains(.gone) else { continue }
                open[key] = .stays
                hasMore = true
            }
        }
        return Set(open.filter { $0.value == .stays }.keys)
    }

    /// Returns the change that restores what one document deleted with a record that the other changed; nil for none.
    ///
    /// - Parameters:
    ///   - state: The state with the changes of both documents.
    ///   - start: The state of their base.
    ///   - base: The records of their base.
    func restored(in state: MergeState, from start: MergeState, _ base: RecordSet, _ stamp: Stamp) -> Change? {
        let dependents = dependents
        let deleted = base.objects.filter { dependents.contains($0.key.collection) && state.record($0.key) == nil }
        let keys = staying(deleted) { key in
            guard let record = state.record(key) else { return .gone }
            return record.isContested ? .stays : .untouched
        }
        guard !keys.isEmpty else { return nil }
        let records = start.records.filter { keys.contains($0.key) }
        return Change(restoring: records, stamp, base: state.seen)
    }
}

extension RecordState {
    /// True if the record was restored after a deletion, and nobody changed it since.
    package var isRestored: Bool {
        versions.allSatisfy { $0.origins.map(\.dot) == [$0.stamp.dot] && $0.changeCount == 0 }
    }
}

extension Change {
    /// Makes a change that restores deleted records as they were.
    ///
    /// Each value keeps the change that wrote it, so that several devices may restore a record. It counts as created
    /// anew, so that nothing contests the earlier deletion.
    package init(restoring records: [RecordKey: RecordState], _ stamp: Stamp, base: VersionVector) {
        let restored = records.map { key, record in
            let cells = record.survivors().cells
            return ChangedRecord(
                key,
                RecordVersion(stamp, seen: record.seen, origins: [Origin(stamp.dot)], cells: cells)
            )
        }
        self.init(stamp, base: base, records: restored)
    }
}
