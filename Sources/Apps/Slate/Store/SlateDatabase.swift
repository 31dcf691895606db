public import RecordStore
internal import SQLiteDatabase

/// A database of Slate's: the app's own SQLite file.
///
/// ```swift
/// let database = try SlateDatabase(path: "slate.db", for: .reading)
/// print(try database.read { try $0.count(.tasks) })
/// ```
public final class SlateDatabase {
    /// The purposes for which a database is opened.
    public enum Purpose: Sendable, Hashable {
        /// Reading; the file is not changed.
        case reading
        /// Reading and writing. Where there is none, one is made unless it must exist; an older one is upgraded on the
        /// first writing where that is agreed, else it is refused.
        case writing(mustExist: Bool, upgrading: Bool)
    }

    /// The path of the file.
    public var path: String { file.path }
    /// The version of the tables as they are read.
    public let version: Int

    let file: SlateFile
    let queue: DatabaseQueue
    /// True if the file existed before it was opened.
    private let wasThere: Bool

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - purpose: What it is opened for.
    ///   - excluded: Tables, and columns as `table.column`, that may be there and are neither read nor exported.
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`, `store.older-version`,
    ///   `store.newer-version`, `store.hot-wal`, `store.hot-journal`, `store.corrupt`, `store.read-only`, `store.busy`,
    ///   `store.io`, `slate.unknown-column`.
    public convenience init(
        path: String,
        for purpose: Purpose,
        excluding excluded: Set<String> = []
    ) throws(StoreError) {
        try self.init(SlateFile(path: path, excluded: excluded), for: purpose)
    }

    init(_ file: SlateFile, for purpose: Purpose) throws(StoreError) {
        self.file = file
        wasThere = StorePath.exists(file.path)
        switch purpose {
        case .reading: (queue, version) = try file.openForReading()
        case .writing(let mustExist, let upgrading):
            queue = try file.openForWriting(mustExist: mustExist, upgrading: upgrading)
            version = SlateSchema.version
        }
    }

    /// Reads, all from the same state of the database.
    ///
    /// - Throws: `StoreError` where the database cannot be read, and the error of `body`.
    public func read<Result>(_ body: (SlateRecords) throws -> Result) throws -> Result {
        try translating {
            try queue.read { database in
                try body(SlateRecords(database, version: version, path: path, excluded: file.excluded))
            }
        }
    }

    /// Removes a file that opening made and that nothing was written to.
    func removeIfUnused() {
        guard !wasThere, (try? StorePath.size(of: path)) == 0 else { return }
        try? queue.close()
        StorePath.remove(path)
        StoreLocation.removeUnusedFolders(of: path)
    }

    /// Makes the tables where the file is new, and upgrades older ones.
    ///
    /// - Throws: `StoreError` where the database cannot be written, or is no longer a Slate database.
    public func makeTables() throws {
        try translating {
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    try file.makeTables(database)
                    return .commit
                }
            }
        }
    }

    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        try StorePath.rethrowing(path, body)
    }
}
