package import SQLiteDatabase

/// Opens an SQLite file as a store: checks it before writing, and gives clear errors.
///
/// The journal is SQLite's rollback journal with `synchronous = EXTRA`: when a commit returns, it is on the disk, with
/// journal and folder. A store is one file that can be copied. An interrupted writer leaves a journal, from which the
/// next opening restores the state before.
package struct StoreFile: Sendable {
    /// The marks by which a kind of store is recognised.
    package struct Identity: Sendable {
        package let name: String
        package let applicationID: Int
        /// The SQL of each step from an empty file on; `PRAGMA user_version` counts the steps done.
        package let steps: [String]
        /// The page size of a new file in bytes, if it is not SQLite's 4,096.
        package var pageSize: Int?

        package init(name: String, applicationID: Int, steps: [String], pageSize: Int? = nil) {
            self.name = name
            self.applicationID = applicationID
            self.steps = steps
            self.pageSize = pageSize
        }

        package var version: Int { steps.count }
    }

    /// The state of a file before a step.
    private enum State {
        /// The file has no tables yet.
        case empty
        case store(version: Int)
    }

    package let path: String
    package let identity: Identity

    package init(path: String, identity: Identity) {
        self.path = path
        self.identity = identity
    }

    /// Opens for reading only.
    package func openForReading() throws(StoreError) -> DatabaseQueue {
        guard try StorePath.size(of: path) ?? 0 > 0 else { throw notFound }
        do {
            return try openExisting(readOnly: true)
        } catch  where error.code == .readOnly || error.code == .cannotOpen {
            // An interrupted writer left a journal, which only a writer can roll back.
            _ = try openExisting(readOnly: false)
            return try openExisting(readOnly: true)
        }
    }

    /// Opens for writing and upgrades an older store; a new file stays empty until ``makeTables(_:)``.
    package func openForWriting(mustExist: Bool) throws(StoreError) -> DatabaseQueue {
        let size = try StorePath.size(of: path)
        guard !mustExist || size ?? 0 > 0 else { throw notFound }
        let (queue, state) = try open(readOnly: false)
        if case .store(identity.version) = state { return queue }
        if case .empty = state {
            if mustExist { throw notFound }
            try setPageSize(queue)
            return queue
        }
        try StorePath.translating(path) {
            try queue.writeWithoutTransaction { database in try immediately(database) { try takeSteps(database) } }
        }
        return queue
    }

    /// Makes the tables of a new file, in the transaction of the first write; if that fails, there is no store.
    package func makeTables(_ database: Database) throws {
        guard case .empty = try state(of: database) else { return }
        // While this process waited, the process that made the file failed and removed it.
        guard StorePath.exists(path) else {
            throw StoreError(.busy, "another program made a store here and removed it again; try again", path: path)
        }
        try takeSteps(database)
    }

    /// Removes a file that opening made and that nobody wrote to, with the folders made for it.
    ///
    /// The lock keeps out others that have opened it, and ``makeTables(_:)`` notices that it is gone.
    package func removeIfUnused(_ queue: DatabaseQueue) {
        guard (try? StorePath.size(of: path)) == 0 else { return }
        try? queue.writeWithoutTransaction { database in
            try database.inTransaction(.exclusive) {
                if try StorePath.size(of: path) == 0 { StorePath.remove(path) }
                return .rollback
            }
        }
        StoreLocation.removeUnusedFolders(of: path)
    }

    private func immediately(_ database: Database, _ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
            try body()
            return .commit
        }
    }

    /// Sets the page size; SQLite ignores it if another process has made the store meanwhile.
    private func setPageSize(_ queue: DatabaseQueue) throws(StoreError) {
        guard let pageSize = identity.pageSize else { return }
        try StorePath.translating(path) {
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA page_size = \(pageSize)") }
        }
    }

    /// Opens an empty store in memory.
    package func openInMemory() throws(StoreError) -> DatabaseQueue {
        try StorePath.translating(path) {
            let queue = try DatabaseQueue()
            try queue.writeWithoutTransaction { database in try immediately(database) { try takeSteps(database) } }
            return queue
        }
    }

    /// Does the remaining steps in one transaction.
    ///
    /// So a file is empty or a store of some version, whenever the process ends. Of two processes that make the same
    /// store, the second waits and finds it made.
    private func takeSteps(_ database: Database) throws {
        var taken = 0
        switch try state(of: database) {
        case .empty: try database.execute(sql: "DROP TABLE IF EXISTS \(Self.earlyTable)")
        case .store(let version): taken = version
        }
        for step in identity.steps.dropFirst(taken) { try database.execute(sql: step) }
        try database.execute(
            sql: "PRAGMA application_id = \(identity.applicationID); PRAGMA user_version = \(identity.version)"
        )
    }

    /// A table that version 0.1.0 made first; alone and without rows it is the rest of an interrupted first opening.
    private static let earlyTable = "grdb_migrations"

    private var notFound: StoreError {
        StoreError(.notFound, "there is no \(identity.name) at this path; make one with init or import", path: path)
    }

    /// Opens an existing store.
    private func openExisting(readOnly: Bool) throws(StoreError) -> DatabaseQueue {
        let (queue, state) = try open(readOnly: readOnly)
        guard case .store = state else { throw notFound }
        return queue
    }

    private func open(readOnly: Bool) throws(StoreError) -> (queue: DatabaseQueue, state: State) {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(10)
        configuration.label = identity.name
        if !readOnly {
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON")
            }
        }
        return try StorePath.translating(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            return (queue, try queue.read { try state(of: $0) })
        }
    }

    /// Returns the version of the store, read in a transaction: another program may have changed it since it was
    /// opened.
    ///
    /// - Throws: `store.foreign`, `store.newer-version`.
    package func version(of database: Database) throws -> Int {
        guard case .store(let version) = try state(of: database) else { throw notFound }
        return version
    }

    /// Returns the state of the file; throws for a file that is not a store of this kind and version.
    ///
    /// It runs several queries, so the caller opens a transaction: another process may make the store between them.
    private func state(of database: Database) throws -> State {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if application == 0, version == 0, try isBlank(database) { return .empty }
        guard application == identity.applicationID else {
            throw StoreError(.foreign, "the file is a database of another program, not a \(identity.name)", path: path)
        }
        guard version <= identity.version else {
            throw StoreError(
                .newerVersion,
                "the store has version \(version) and this program knows versions up to \(identity.version); "
                    + "update the program",
                path: path
            )
        }
        return .store(version: version)
    }

    private func isBlank(_ database: Database) throws -> Bool {
        let names = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type <> 'index'")
        guard names == [Self.earlyTable] else { return names.isEmpty }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(Self.earlyTable)") == 0
    }
}
