public import RecordStore
internal import SQLiteDatabase
internal import Synchronization

/// The store of BZ Timer: sessions, saved activities, settings and history in one SQLite file.
///
/// All changes of one call to ``write(_:)`` are one transaction: either all of them are in the store or none, also where
/// the process ends half-way. Unknown members of everything stored are kept, in order and with number tokens as written.
///
/// ```swift
/// let store = try BztimerStore(path: path, for: .writing(mustExist: false))
/// try store.write { try $0.insert(session) }
/// ```
public final class BztimerStore: Sendable {
    /// The purposes for which a store is opened.
    public typealias Purpose = StorePurpose

    /// The path of the file.
    public var path: String { store.path }

    private let store: OpenStore
    private let found = Mutex<[StoreFault]>([])

    /// The records that could not be read so far, each once; they are left out and stay in the store as they are.
    public var faults: [StoreFault] { found.withLock { $0 } }

    /// Opens a store.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.newer-version`,
    ///   `store.corrupt`, `store.read-only`, `store.busy`, `store.io`.
    public init(path: String, for purpose: Purpose) throws(StoreError) {
        store = try OpenStore(path: path, BztimerSchema.identity, for: purpose)
    }

    /// Makes the tables of a new store, which any other writing makes as well.
    ///
    /// - Throws: `StoreError` where the database cannot be written.
    public func makeTables() throws { try write { _ in } }

    /// Reads, all from the same state of the store.
    ///
    /// - Throws: `StoreError` where the database cannot be read, and the error of `body`.
    public func read<Result>(_ body: (BztimerRecords) throws -> Result) throws -> Result {
        try store.read { try body(records($0)) }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    ///
    /// - Throws: `StoreError` where the database cannot be written, and the error of `body`; nothing was changed then.
    public func write<Result>(_ body: (BztimerRecords) throws -> Result) throws -> Result {
        try store.write { try body(records($0)) }
    }

    /// Copies the whole store to a new file, also what cannot be read as records.
    ///
    /// Within a transaction of this store, what the transaction has changed so far is not in the copy.
    ///
    /// - Throws: `StoreError` where the store cannot be read or the file cannot be written; there is no file then.
    public func copy(to path: String) throws(StoreError) { try store.copy(to: path) }

    private func records(_ database: Database) -> BztimerRecords {
        BztimerRecords(
            database: database,
            path: path,
            report: { [self] fault in found.withLock { if !$0.contains(fault) { $0.append(fault) } } },
            forget: { [self] kind, id in
                found.withLock { $0.removeAll { $0.kind == kind && (id == nil || $0.id == id) } }
            }
        )
    }
}
