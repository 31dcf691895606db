internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The records of a new replica, which wait in blocks until its store gets them: so none of them needs a row.
extension SyncSession {
    /// The collections whose records may wait: those that the store compares one by one.
    var waitingCollections: Set<String> {
        guard !isDryRun, state.packed.limits.leastRows != nil, state.takesShortcuts, !(store is DocumentStore) else {
            return []
        }
        return Set(store.collections).subtracting(store.wholeCollections)
    }

    /// Writes the records of the first blocks that wait to the store.
    ///
    /// As in ``applyToStore(expecting:link:)``, the blocks are noted first; the store's generation shows that it was
    /// written.
    ///
    /// - Returns: Nil where none waits any more.
    func applyWaiting(expecting revision: Int) throws -> AppliedToStore? {
        guard try state.packed.isWaiting else { return nil }
        // Beside records that the store cannot hold, each needs a closer look.
        guard try state.refused().isEmpty, try state.tooLarge().isEmpty else {
            try state.unpackWaiting()
            return nil
        }
        let blocks = try state.packed.waitingBlocks(pace.most)
        try state.transaction {
            try state.setProperty(.givingBlocks, blocks.map(String.init).joined(separator: " "))
        }
        // Each batch commits a few times, for which a log waits for the disk less often.
        try state.useLog()
        let before = written
        let link = try link(generation: state.integer(.generation) + 1)
        defer { endApplying() }
        try state.mayLoseCommits(true)
        try state.database.beginTransaction(.immediate)
        let plan = ApplyQueue(state)
        let count = try endWaiting(blocks, into: plan)
        var taken = Duration.zero
        do {
            let isDone = try store.write(expecting: revision, link: link) { writer in
                taken = try ContinuousClock().measure { _ = try plan.write(writer, fitting: false) }
            }
            guard isDone else {
                written = before
                return AppliedToStore.none
            }
        } catch let error as StoreError where error.code == .rejected {
            // The usual way finds which of them the store rejects.
            written = before
            rollback()
            try state.unpackWaiting()
            return nil
        }
        outcome.written += count
        try state.setProperty(.generation, String(link.generation))
        try state.setProperty(.givingBlocks, nil)
        try state.database.commit()
        pace.note(taken)
        return .some
    }

    /// Returns the blocks that an earlier synchronisation was writing to the store when it ended.
    func blocksBeingApplied() throws -> [Int]? {
        try state.property(.givingBlocks)?.split(separator: " ").compactMap { Int($0) }
    }

    /// Computes the edits for the records of blocks, and notes them as applied.
    ///
    /// - Returns: The number of records to write in the store.
    func endWaiting(_ blocks: [Int], into plan: ApplyQueue? = nil) throws -> Int {
        var edits: [AppliedEdit] = []
        try state.endWaiting(blocks) { key, shown in
            let object = replica.info.sent(key, shown.object)
            // Members are only left out.
            guard object.count == shown.object.count, store.fault(of: object, in: key.collection) == nil else {
                return false
            }
            let edit = AppliedEdit(
                key: key,
                old: nil,
                edit: SyncEdit(key.inStore, object),
                alone: shown.object,
                isChange: true,
                isNoted: false,
                isAnew: false
            )
            edits.append(edit)
            written.note(edit)
            return true
        }
        try plan?.add(edits, [:])
        return edits.count
    }
}
