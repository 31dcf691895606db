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
    public typealias Purpose = StorePurpose

    /// The path of the file.
    public var path: String { store.path }
    private let store: OpenStore

    /// Opens a store.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.newer-version`,
    ///   `store.corrupt`, `store.read-only`, `store.busy`, `store.io`.
    public init(path: String, for purpose: Purpose) throws(StoreError) {
        store = try OpenStore(path: path, TrackerSchema.identity, for: purpose)
    }

    /// Makes the tables of a new store, which any other writing makes as well.
    ///
    /// - Throws: `StoreError` where the database cannot be written.
    public func makeTables() throws { try write { _ in } }

    /// Reads, all from the same state of the store.
    ///
    /// - Throws: `StoreError` where the database cannot be read, and the error of `body`.
    public func read<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try store.read { try body(records($0)) }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    ///
    /// - Throws: `StoreError` where the database cannot be written, and the error of `body`; nothing was changed then.
    public func write<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try store.write { try body(records($0)) }
    }

    /// Tells that opening made the file.
    var isNew: Bool { store.isNew }

    /// Changes the store in one transaction, which is given up where `body` throws or says so.
    func change<Result>(_ body: (TrackerRecords) throws -> (Result, isKept: Bool)) throws -> Result {
        try store.change { try body(records($0)) }
    }

    /// Reads with statements that write to temporary tables only.
    func dryRun<Result>(_ body: (TrackerRecords) throws -> Result) throws -> Result {
        try store.dryRun { try body(records($0)) }
    }

    private func records(_ database: Database) -> TrackerRecords { TrackerRecords(database: database, path: path) }
}
