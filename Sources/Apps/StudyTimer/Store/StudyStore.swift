public import RecordStore
internal import SQLiteDatabase
public import TimeTracker

/// The store of Study Timer: sessions and their events in one SQLite file, in place of the cloud's tables.
///
/// All changes of one call to ``write(_:)`` are one transaction: either all of them are in the store or none, also where
/// the process ends half-way. Unknown members of everything stored are kept, in order and with number tokens as written.
public final class StudyStore: Sendable {
    /// The name of the file where no other is named.
    public static let fileName = "timer.db"

    /// The path of the file.
    public var path: String { store.path }
    private let store: OpenStore

    /// Opens a store.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.newer-version`,
    ///   `store.corrupt`, `store.read-only`, `store.busy`, `store.io`.
    public init(path: String, for purpose: StorePurpose) throws(StoreError) {
        store = try OpenStore(path: path, StudySchema.identity, for: purpose)
    }

    /// Makes the tables of a new store, which any other writing makes as well.
    ///
    /// - Throws: `StoreError` where the database cannot be written.
    public func makeTables() throws { try write { _ in } }

    /// Reads, all from the same state of the store.
    ///
    /// - Throws: `StoreError` where the database cannot be read, and the error of `body`.
    public func read<Result>(_ body: (StudyRecords) throws -> Result) throws -> Result {
        try store.read { try body(records($0)) }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    ///
    /// - Throws: `StoreError` where the database cannot be written, and the error of `body`; nothing was changed then.
    public func write<Result>(_ body: (StudyRecords) throws -> Result) throws -> Result {
        try store.write { try body(records($0)) }
    }

    /// Imports a log: all of it in one transaction, in which the plan is made as well, so that it is exact.
    ///
    /// Records are known by their ids. One with the same id and another content is a conflict: the store's is kept, or the
    /// file's taken (`update`). A session that was going on in the store and is completed in the file is updated.
    ///
    /// - Throws: `store.…`, and what the options' functions throw; nothing was changed then.
    public func importing(
        _ log: StudyLog,
        options: TrackerImportOptions = TrackerImportOptions()
    ) throws -> TrackerImportResult {
        if options.isDryRun {
            return TrackerImportResult(plan: try read { try StudyImporter($0, options).run(log) }, isApplied: false)
        }
        return try store.change { database in
            let plan = try StudyImporter(records(database), options).run(log)
            let isKept = try !plan.isEmpty && options.confirm(plan)
            // An empty log makes an empty store.
            return (TrackerImportResult(plan: plan, isApplied: isKept), isKept || plan.isEmpty && store.isNew)
        }
    }

    private func records(_ database: Database) -> StudyRecords { StudyRecords(database: database, path: path) }
}
