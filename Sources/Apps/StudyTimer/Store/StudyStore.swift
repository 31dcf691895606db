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
    public let path: String
    private let file: StoreFile
    private let queue: DatabaseQueue
    /// Tells that opening made the file.
    private let isNew: Bool

    /// Opens a store.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.newer-version`,
    ///   `store.corrupt`, `store.read-only`, `store.busy`, `store.io`.
    public init(path: String, for purpose: TrackerStore.Purpose) throws(StoreError) {
        self.path = path
        file = StoreFile(path: path, identity: StudySchema.identity)
        var isNew = false
        switch purpose {
        case .reading: queue = try file.openForReading()
        case .writing(let mustExist):
            isNew = !StorePath.exists(path)
            queue = try file.openForWriting(mustExist: mustExist)
        case .nothing: queue = try file.openInMemory()
        }
        self.isNew = isNew
    }

    deinit { if isNew { file.removeIfUnused(queue) } }

    /// Makes the tables of a new store, which any other writing makes as well.
    ///
    /// - Throws: `StoreError` where the database cannot be written.
    public func makeTables() throws { try write { _ in } }

    /// Reads, all from the same state of the store.
    ///
    /// - Throws: `StoreError` where the database cannot be read, and the error of `body`.
    public func read<Result>(_ body: (StudyRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) { try queue.read { try body(StudyRecords(database: $0, path: path)) } }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    ///
    /// - Throws: `StoreError` where the database cannot be written, and the error of `body`; nothing was changed then.
    public func write<Result>(_ body: (StudyRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.write { database in
                try file.makeTables(database)
                return try body(StudyRecords(database: database, path: path))
            }
        }
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
        return try StorePath.rethrowing(path) {
            var result: TrackerImportResult?
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    try file.makeTables(database)
                    let plan = try StudyImporter(StudyRecords(database: database, path: path), options).run(log)
                    let isKept = try !plan.isEmpty && options.confirm(plan)
                    result = TrackerImportResult(plan: plan, isApplied: isKept)
                    return isKept ? .commit : .rollback
                }
            }
            guard let result else { throw StoreError(.inputOutput, "the transaction gave no result", path: path) }
            return result
        }
    }
}
