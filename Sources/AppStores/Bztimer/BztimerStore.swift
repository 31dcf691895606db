internal import GRDB

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
    /// What a store is opened for.
    public enum Purpose: Sendable, Hashable {
        /// Reading; the file is not changed, and may lie where nothing can be written.
        case reading
        /// Reading and writing; where there is no store, one is made unless it must exist.
        case writing(mustExist: Bool)
    }

    /// The path of the file.
    public var path: String { file.path }

    private let file: StoreFile
    private let queue: DatabaseQueue

    /// Opens a store.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.newer-version`,
    ///   `store.corrupt`, `store.read-only`, `store.busy`, `store.io`.
    public init(path: String, for purpose: Purpose) throws(StoreError) {
        file = StoreFile(
            path: path,
            identity: StoreFile.Identity(
                name: "BZ Timer store",
                applicationID: BztimerSchema.applicationID,
                version: BztimerSchema.version,
                migrator: BztimerSchema.migrator
            )
        )
        switch purpose {
        case .reading: queue = try file.openForReading()
        case .writing(let mustExist): queue = try file.openForWriting(mustExist: mustExist)
        }
    }

    /// Reads, all from the same state of the store.
    public func read<Result>(_ body: (BztimerRecords) throws -> Result) throws -> Result {
        try translating { try queue.read { try body(BztimerRecords(database: $0, path: path)) } }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    public func write<Result>(_ body: (BztimerRecords) throws -> Result) throws -> Result {
        try translating { try queue.write { try body(BztimerRecords(database: $0, path: path)) } }
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        }
    }
}
