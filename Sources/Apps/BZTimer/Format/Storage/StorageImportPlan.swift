public import CivilTime

/// The steps of an import of a phone's storage, decided before anything is written.
public struct StorageImportPlan: Sendable {
    /// The sessions and activities.
    public var content: ImportPlan
    /// The settings, where they are taken over.
    public var settings: TimerSettings?
    /// The history entries to add, in their order.
    public var history: [SessionHistoryEntry] = []
    /// The number of entries that the store has already.
    public var skippedHistory = 0
    /// The number of entries that are older than the history that is kept.
    public var expiredHistory = 0
    /// The entries of the store that are no longer kept, once others were added.
    public var removedHistory: [String] = []

    /// The content of the store.
    public struct Store: Sendable {
        /// True if nothing was ever stored; only then the settings are imported.
        public var isNew: Bool
        /// The settings.
        public var settings: TimerSettings
        /// All sessions.
        public var sessions: [SessionTemplate]
        /// All saved activities.
        public var activities: [BlockTemplate]
        /// All history.
        public var history: [SessionHistoryEntry]
        /// The identifiers of all records, also of those that cannot be read.
        public var taken: TakenIds

        /// Makes the content of a store.
        public init(
            isNew: Bool,
            settings: TimerSettings,
            sessions: [SessionTemplate],
            activities: [BlockTemplate],
            history: [SessionHistoryEntry],
            taken: TakenIds = TakenIds()
        ) {
            self.isNew = isNew
            self.settings = settings
            self.sessions = sessions
            self.activities = activities
            self.history = history
            self.taken = taken
        }
    }

    /// Plans the import of a storage into a store.
    ///
    /// Sessions and activities follow the rules for files, see ``ImportPlan``, but like history they keep their
    /// identifiers where these are free: devices that share them know them by these. Entries follow their sessions to
    /// new identifiers. The settings, and with them the plan and the custom categories, are taken only into a store in
    /// which nothing was stored.
    ///
    /// - Parameters:
    ///   - reading: What the storage holds.
    ///   - store: What the store holds.
    ///   - allowsDuplicates: Whether sessions are added even where the store has the same.
    ///   - now: The present moment, for the history that is kept.
    ///   - newID: Gives a new identifier at each call.
    public init(
        importing reading: BztimerStorageReading,
        into store: Store,
        allowsDuplicates: Bool = false,
        now: Timestamp,
        newID: () -> String
    ) {
        settings = store.isNew ? reading.settings : nil
        let inForce = settings ?? store.settings
        var state = ImportState(
            settings: inForce,
            sessions: store.sessions,
            activities: store.activities,
            taken: store.taken
        )
        let file = BztimerFile(
            generator: nil,
            exportedAt: nil,
            categories: [],
            sessions: reading.sessions,
            activities: reading.activities
        )
        content = ImportPlan(
            importing: file,
            into: &state,
            allowsDuplicates: allowsDuplicates,
            keepsIds: true,
            newID: newID
        )
        planHistory(reading.history, store, inForce, now, newID)
    }

    private mutating func planHistory(
        _ entries: [SessionHistoryEntry],
        _ store: Store,
        _ settings: TimerSettings,
        _ now: Timestamp,
        _ newID: () -> String
    ) {
        var ids = store.taken.history.union(store.history.map(\.id))
        var known = SessionHistoryEntry.Runs(of: store.history, besides: entries)
        let stored = Set(store.sessions.map(\.id))
        let split = HistoryRetention.split(entries, settings.historyRetention, plan: settings.plan, now: now)
        expiredHistory = split.removed.count
        for var entry in split.kept {
            guard !known.take(entry) else {
                skippedHistory += 1
                continue
            }
            if !ids.insert(entry.id).inserted {
                entry.id = newID()
                ids.insert(entry.id)
            }
            entry.sessionId = entry.sessionId.flatMap { content.sessionIds[$0] ?? (stored.contains($0) ? $0 : nil) }
            history.append(entry)
        }
        guard !history.isEmpty else { return }
        removedHistory =
            HistoryRetention.split(store.history, settings.historyRetention, plan: settings.plan, now: now)
            .removed.map(\.id)
    }
}
