public import RecordStore
internal import SQLiteDatabase

/// The store of Time Tracker: buttons and activities in one SQLite file.
///
/// All changes of one call to ``write(_:)`` are one transaction: either all of them are in the store or none, also where
/// the process ends half-way. Unknown members of everything stored are kept, in order and with number tokens as written.
///
/// ```swift
/// let store = try TrackerStore(path: path, for: .writing(mustExist: false))
/// try store.write { try $0.start(button, id: newID, at: now) }
/// ```
public final class TrackerStore: Sendable {
    /// The name of the file where no other is named.
    public static let fileName = "tracker.db"

    /// The purposes for which a store is opened.
    public enum Purpose: Sendable, Hashable {
        /// Reading; the file is not changed, and may lie where nothing can be written.
        case reading
        /// Reading and writing; where there is no store, the first writing makes one unless it must exist.
        case writing(mustExist: Bool)
        /// A store in memory, which is gone with the object: what a dry run of an import without a store writes to.
        case nothing
    }

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
    public init(path: String, for purpose: Purpose) throws(StoreError) {
        self.path = path
        file = StoreFile(path: path, identity: TrackerSchema.identity)
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
    public func read<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) { try queue.read { try body(TrackerRecords(database: $0, path: path)) } }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    ///
    /// - Throws: `StoreError` where the database cannot be written, and the error of `body`; nothing was changed then.
    public func write<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.write { database in
                try file.makeTables(database)
                return try body(TrackerRecords(database: database, path: path))
            }
        }
    }

    /// Changes the store in one transaction, which is given up where `body` throws or says so.
    func change<Result>(_ body: (TrackerRecords) throws -> (Result, isKept: Bool)) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    try file.makeTables(database)
                    let (value, isKept) = try body(TrackerRecords(database: database, path: path))
                    result = value
                    return isKept ? .commit : .rollback
                }
                guard let result else { throw StoreError(.inputOutput, "the transaction gave no result", path: path) }
                return result
            }
        }
    }

    /// Reads with statements that write to temporary tables only.
    func dryRun<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.writeWithoutTransaction { try body(TrackerRecords(database: $0, path: path)) }
        }
    }
}
