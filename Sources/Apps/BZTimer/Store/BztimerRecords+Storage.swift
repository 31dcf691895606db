extension BztimerRecords {
    /// Returns the store's part in an import of a phone's storage.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func storageImportState() throws -> StorageImportPlan.Store {
        StorageImportPlan.Store(
            isNew: try isEmpty(),
            settings: try settings(),
            sessions: try sessions(),
            activities: try activities(),
            history: try history(),
            taken: try takenIds()
        )
    }

    /// Carries the import of a phone's storage out.
    ///
    /// - Throws: `store.conflict` where the store has a record with the same id; SQLite's other errors.
    public func apply(_ plan: StorageImportPlan) throws {
        if let settings = plan.settings { try save(settings) }
        try apply(plan.content)
        for entry in plan.history { try insert(entry) }
        try evictHistory(ids: plan.removedHistory)
    }
}
