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
        let resolved = try resolve(blocks)
        try resolveNext(after: blocks)
        let count = try endWaiting(blocks, resolved, into: plan)
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
    /// - Parameter blocks: The resolved records; nil to resolve them now.
    /// - Returns: The number of records to write in the store.
    func endWaiting(_ numbers: [Int], _ blocks: [WaitingBlock]? = nil, into plan: ApplyQueue? = nil) throws -> Int {
        var edits: [AppliedEdit] = []
        let blocks = try blocks ?? state.waitingBlocks(numbers, for: store)
        try state.endWaiting(numbers, blocks) { key, shown, object in
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
        }
        try plan?.add(edits, [:])
        return edits.count
    }

    // MARK: The next blocks

    /// The blocks that another thread resolves while the store gets those before them.
    struct NextBlocks {
        let stored: [PackedRecords.StoredBlock]
        /// The resolved records; nil where a block is damaged.
        let resolved: Ahead<[WaitingBlock]?>
    }

    /// The most blocks that are resolved ahead: some megabytes, as long as no record is larger than a block.
    private static let mostAhead = 128

    /// Returns the resolved records of blocks.
    private func resolve(_ numbers: [Int]) throws -> [WaitingBlock] {
        var blocks: [WaitingBlock] = []
        if let next = nextBlocks, let resolved = next.resolved.take() ?? nil {
            let same = try zip(next.stored, numbers).prefix { try $0.number == $1 && state.packed.isStill($0) }
            blocks = Array(resolved.prefix(same.count))
        }
        nextBlocks = nil
        return blocks + (try state.waitingBlocks(Array(numbers.dropFirst(blocks.count)), for: store))
    }

    /// Begins to resolve the records of the blocks behind others.
    private func resolveNext(after numbers: [Int]) throws {
        guard let last = numbers.last else { return }
        let next = try state.packed.waitingBlocks(pace.most, after: last).prefix(Self.mostAhead)
        guard !next.isEmpty else { return }
        let stored: [PackedRecords.StoredBlock]
        do {
            stored = try next.map(state.packed.waitingBlock)
        } catch is PackedRecords.Damaged {
            // It is reported when its turn comes. An error of the disk has ended the transaction.
            return
        }
        let resolved = Ahead { [info = replica.info, store] in
            try? WaitingBlock.resolving(stored, info, for: store)
        }
        nextBlocks = NextBlocks(stored: stored, resolved: resolved)
    }
}
