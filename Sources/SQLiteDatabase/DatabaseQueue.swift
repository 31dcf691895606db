internal import Dispatch

/// A connection to a database that one closure uses at a time, from any thread.
///
/// A closure must not use its own queue again: the connection is taken.
public final class DatabaseQueue: @unchecked Sendable {
    /// The file's path; `:memory:` for a database in memory.
    public let path: String
    /// The options with which the connection was opened.
    public let configuration: Configuration
    private let database: Database
    private let turns: DispatchQueue

    /// Opens a file; one that is missing is created, if the configuration allows writing.
    ///
    /// - Throws: ``DatabaseError`` where the file cannot be opened, or is no database; what a preparation throws.
    public init(path: String, configuration: Configuration = Configuration()) throws {
        self.path = path
        self.configuration = configuration
        database = try Database(path: path, configuration)
        turns = DispatchQueue(label: configuration.label ?? "SQLiteDatabase")
    }

    /// Opens a new database in memory.
    ///
    /// - Throws: What a preparation throws.
    public convenience init(configuration: Configuration = Configuration()) throws {
        try self.init(path: ":memory:", configuration: configuration)
    }

    /// Closes the connection; closing it twice is no error.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` while a statement or a cursor is left.
    public func close() throws { try withConnection { database in try database.close() } }

    /// Hands out the connection, and rolls back a transaction that is left open.
    private func withConnection<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        try turns.sync {
            defer { try? database.leave() }
            let result = try body(database)
            assert(!database.isInsideTransaction, "a closure left a transaction open")
            return result
        }
    }

    // MARK: Reading

    /// Runs a body that reads in one transaction, in which each write fails with `SQLITE_READONLY`.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the transaction cannot begin or end.
    public func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withConnection { database in try database.isolated(readOnly: true) { try body(database) } }
    }

    /// Runs a body that reads without a transaction.
    ///
    /// - Throws: What the body throws.
    public func unsafeRead<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        try withConnection(body)
    }

    // MARK: Writing

    /// Runs a body in an immediate transaction, which rolls back where the body throws.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the transaction cannot begin or end.
    public func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withConnection { database in try database.isolated(readOnly: false) { try body(database) } }
    }

    /// Runs a body that makes its own transactions.
    ///
    /// - Throws: What the body throws.
    public func writeWithoutTransaction<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        try withConnection(body)
    }

    /// Runs a body that makes its own transactions.
    ///
    /// - Throws: What the body throws.
    public func inDatabase<Result>(_ body: (Database) throws -> Result) rethrows -> Result {
        try withConnection(body)
    }

    /// Copies the whole database to another one, in one transaction.
    ///
    /// - Throws: ``DatabaseError`` where reading or writing fails; the other database is as before then.
    public func backup(to other: DatabaseQueue) throws {
        try other.withConnection { target in try read { try $0.backup(to: target) } }
    }

    // MARK: From tasks

    /// Runs a body as ``read(_:)-(_)`` does, while the task waits.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the transaction cannot begin or end.
    public func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        try await waiting { queue in try queue.read(body) }
    }

    /// Runs a body in an immediate transaction, while the task waits.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the transaction cannot begin or end.
    public func write<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result
    {
        try await waiting { queue in try queue.write(body) }
    }

    /// Runs a body that makes its own transactions, while the task waits.
    ///
    /// - Throws: What the body throws.
    public func writeWithoutTransaction<Result: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await waiting { queue in try queue.writeWithoutTransaction(body) }
    }

    /// Runs a body on a thread that may wait for its turn and for a lock; those of tasks may not.
    private func waiting<Result: Sendable>(
        _ body: @escaping @Sendable (DatabaseQueue) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }
}
