internal import RecordMerge
internal import RecordStore

/// The reason for comparing the whole store.
enum FullComparison: String {
    /// The replica is new.
    case fresh
    /// The app, or another program, removed the triggers.
    case journal
    /// The store is another one: it was replaced, or made again.
    case replaced
    /// The store is another one, and a person wants it to continue in its place.
    case rejoined
    /// The store is an older copy of itself.
    case setBack = "set-back"
    /// The replica's state is an older copy: the store was synced since.
    case behind
    /// The store is an export, which has no journal.
    case export

    /// True if the store never held the synced records: a missing record was not deleted in it.
    var isOtherStore: Bool { self == .replaced || self == .rejoined }
}

/// The journal, and what it depends on.
private struct SeenJournal {
    let journal: SyncJournal
    let mark: JournalMark
    let schema: Int

    init(_ records: any SyncRecords) throws {
        (journal, mark, schema) = (try records.journal, try records.mark, try records.schema)
    }
}

extension SyncSession {
    /// Detects the store's changes, and makes segments of them, which wait to be published.
    ///
    /// - Returns: The journal as it was read: it must be the same when the store is written.
    func detectChanges() throws -> SyncJournal {
        let (comparison, seen) = try fullComparison()
        if comparison == .fresh || comparison == .journal { try separateReused() }
        if comparison == .fresh { try separateIdentifiers() }
        try noteFormerForms(comparison)
        if comparison == nil, let journal = try detectChangesUnlocked(seen) { return journal }
        let journal = try state.transaction {
            try store.read { records in
                let journal = try records.journal
                guard comparison != nil || !journal.keys.isEmpty else { return journal }
                let detection = try StoreChangeDetection(self, records, comparison)
                if comparison == nil { try detection.compare(journal.keys) } else { try detection.compareAll() }
                hasComparedAll = hasComparedAll || comparison != nil
                try detection.finish()
                if comparison != .replaced { try state.setProperty(.full, nil) }
                try state.setProperty(.fresh, nil)
                return journal
            }
        }
        if comparison == .replaced, !isDryRun {
            // It is the store of this replica from now on. If the app wrote meanwhile, it is compared once more.
            let own = try link(generation: state.integer(.generation))
            let isOwn = try store.write(expecting: journal.revision, link: own) { _ in }
            if isOwn { try state.transaction { try state.setProperty(.full, nil) } }
        }
        return journal
    }

    /// Gives rows that got the integer of a deleted row, while no trigger noted that, keys of their own.
    private func separateReused() throws {
        guard !isDryRun, store.declaration?.tables.contains(where: \.mayReuse) == true else { return }
        try store.separateReused { key in
            let key = RecordKey(key)
            guard let held = try state.held(key) else { return nil }
            let rules = replica.info.schema.record(in: key.collection)
            let shown = held.record.map { ResolvedRecord(key, $0, rules).object }
            return held.inStore(key, replica.info.schema) ?? shown
        }
    }

    /// Detects the changes that the journal notes, without keeping the app from writing.
    ///
    /// - Parameter seen: The journal as it was read just now.
    /// - Returns: The journal; nil where the app wrote meanwhile, as the read records may not belong together then.
    private func detectChangesUnlocked(_ seen: SeenJournal) throws -> SyncJournal? {
        struct AppWrote: Error {}
        func hasWritten() throws -> Bool { try store.read { try $0.mark != seen.mark || $0.schema != seen.schema } }
        let journal = seen.journal
        guard !journal.keys.isEmpty else { return journal }
        let published = outcome.published
        do {
            try state.transaction {
                try store.readUnlocked { records in
                    let detection = try StoreChangeDetection(self, records, nil)
                    try detection.compare(journal.keys)
                    try detection.finish()
                }
                if try hasWritten() { throw AppWrote() }
            }
            return journal
        } catch {
            outcome.published = published
            guard try hasWritten() else { throw error }
            return nil
        }
    }

    /// Detects the changes that the journal notes, within a transaction that writes the store.
    ///
    /// - Returns: False where the journal is unreliable.
    func detectJournalChanges(of records: any SyncRecords) throws -> Bool {
        let journal = try records.journal
        guard journal.isIntact else { return false }
        guard !journal.keys.isEmpty else { return true }
        try state.transaction {
            let detection = try StoreChangeDetection(self, records, nil)
            try detection.compare(journal.keys)
            try detection.finish()
        }
        return true
    }

    /// Tells whether the replica's state is an older copy, as the store was synced since.
    ///
    /// It is so until the whole store is compared.
    func isBehind() throws -> Bool {
        if store is DocumentStore { return false }
        if try state.property(.full) == FullComparison.behind.rawValue { return true }
        let expected = try link(generation: state.integer(.generation))
        guard let link = try store.read({ try $0.link }) else { return false }
        return link.space == expected.space && link.replica == expected.replica && link.generation > expected.generation
    }

    /// Returns the reason for a full comparison, if there is one, and restores the store's tables and triggers.
    ///
    /// It keeps the reason until the comparison is done, as the store no longer shows it afterwards.
    ///
    /// - Returns: The reason, and the journal as it was before.
    private func fullComparison() throws -> (FullComparison?, SeenJournal) {
        let (link, seen) = try store.read { (try $0.link, try SeenJournal($0)) }
        return (try fullComparison(link, isIntact: seen.journal.isIntact), seen)
    }

    private func fullComparison(_ link: SyncLink?, isIntact: Bool) throws -> FullComparison? {
        if store is DocumentStore { return try !state.isFresh ? .export : .fresh }
        let expected = try self.link(generation: state.integer(.generation))
        let isFresh = try state.isFresh
        let isOwn = link?.space == expected.space && link?.replica == expected.replica
        // Marks another store, which nobody decided about, so that the one that belongs here is known when it is back.
        let undecided = try self.link(generation: -1)
        let isBack = link.map { isOwn && $0 != undecided } ?? false
        // A store due for comparison may have been replaced since by one that never held the records.
        if let kept = isFresh ? .fresh : try state.property(.full).flatMap(FullComparison.init),
            isOwn || kept.isOtherStore || isFresh, kept != .replaced || !isBack
        {
            let own = kept == .replaced ? undecided : expected
            if !isDryRun, link != own || !isIntact { try store.setLink(own) }
            return kept
        }
        let comparison: FullComparison
        if link == expected {
            guard !isIntact else { return nil }
            comparison = .journal
        } else if let link, link.replica == expected.replica, link.generation < expected.generation {
            comparison = .setBack
        } else if try isBehind() {
            comparison = .behind
        } else {
            comparison = .replaced
        }
        guard !isDryRun else { return comparison }
        try state.transaction { try state.setProperty(.full, comparison.rawValue) }
        try store.setLink(comparison == .replaced ? undecided : expected)
        return comparison
    }
}
