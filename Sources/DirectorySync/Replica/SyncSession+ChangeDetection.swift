internal import RecordStore

/// Why a store is compared as a whole.
enum FullComparison: String {
    /// The replica is new.
    case fresh
    /// The app, or another program, took the triggers away.
    case journal
    /// The store is another one than before: it was replaced, or made anew.
    case replaced
    /// The store is another one than before, and a person wants it to go on in its place.
    case rejoined
    /// The store is an older copy of itself.
    case setBack = "set-back"
    /// It is an export, which has no journal.
    case export

    /// Whether the store never held what was synchronised: what it lacks was not deleted in it.
    var isOtherStore: Bool { self == .replaced || self == .rejoined }
}

extension SyncSession {
    /// Finds what a person changed in the store, and makes segments of it, which wait to be published.
    ///
    /// - Returns: The journal as it was read: it must be the same when the store is written.
    func detectChanges() throws -> SyncJournal {
        let comparison = try fullComparison()
        if comparison == nil, let journal = try detectChangesUnlocked() { return journal }
        return try state.transaction {
            try store.read { records in
                let journal = try records.journal
                guard comparison != nil || !journal.keys.isEmpty else { return journal }
                let detection = StoreChangeDetection(self, records, comparison)
                if comparison == nil { try detection.compare(journal.keys) } else { try detection.compareAll() }
                hasComparedAll = hasComparedAll || comparison != nil
                try detection.finish()
                try state.setProperty("full", nil)
                try state.setProperty("fresh", nil)
                return journal
            }
        }
    }

    /// Finds what the journal says was changed, without keeping the app from writing.
    ///
    /// - Returns: The journal; nil where the app wrote meanwhile, as what was read need not belong together then.
    private func detectChangesUnlocked() throws -> SyncJournal? {
        struct AppWrote: Error {}
        func look() throws -> (journal: SyncJournal, schema: Int) {
            try store.read { (try $0.journal, try $0.schema) }
        }
        let before = try look()
        guard !before.journal.keys.isEmpty else { return before.journal }
        let published = outcome.published
        do {
            try state.transaction {
                try store.readUnlocked { records in
                    let detection = StoreChangeDetection(self, records, nil)
                    try detection.compare(before.journal.keys)
                    try detection.finish()
                }
                guard try look() == before else { throw AppWrote() }
            }
            return before.journal
        } catch {
            outcome.published = published
            guard try look() != before else { throw error }
            return nil
        }
    }

    /// Finds what the journal says was changed, of records that are read within a transaction that writes the store.
    ///
    /// - Returns: False where the journal cannot be relied on.
    func detectJournalChanges(of records: any SyncRecords) throws -> Bool {
        let journal = try records.journal
        guard journal.isIntact else { return false }
        guard !journal.keys.isEmpty else { return true }
        try state.transaction {
            let detection = StoreChangeDetection(self, records, nil)
            try detection.compare(journal.keys)
            try detection.finish()
        }
        return true
    }

    /// Whether the journal cannot be relied on, and why; what is missing in the store is made anew.
    ///
    /// It is kept until the comparison is done, as afterwards the store does not show it any more.
    private func fullComparison() throws -> FullComparison? {
        if store is DocumentStore { return try state.property("fresh") == nil ? .export : .fresh }
        let expected = try link(generation: state.integer("generation"))
        let (link, isIntact) = try store.read { (try $0.link, try $0.journal.isIntact) }
        let isFresh = try state.property("fresh") != nil
        let isOwn = link?.space == expected.space && link?.replica == expected.replica
        // What was to be compared as this store may have been replaced since by one that never held the records.
        if let kept = isFresh ? .fresh : try state.property("full").flatMap(FullComparison.init),
            isOwn || kept.isOtherStore || isFresh
        {
            if !isDryRun, link != expected || !isIntact { try store.setLink(expected) }
            return kept
        }
        let comparison: FullComparison
        if link == expected {
            guard !isIntact else { return nil }
            comparison = .journal
        } else if let link, link.replica == expected.replica, link.generation < expected.generation {
            comparison = .setBack
        } else {
            comparison = .replaced
        }
        guard !isDryRun else { return comparison }
        try state.transaction { try state.setProperty("full", comparison.rawValue) }
        try store.setLink(expected)
        return comparison
    }
}
