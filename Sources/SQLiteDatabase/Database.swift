internal import CSQLite

/// A connection to a database, for one thread at a time.
///
/// ``DatabaseQueue`` makes it, and hands it to closures that use it one after the other.
public final class Database {
    /// The behaviours of a connection while another one holds the file.
    public enum BusyMode: Sendable {
        /// A statement fails at once.
        case immediateError
        /// A statement tries again for so many seconds.
        case timeout(Double)
    }

    /// SQLite's connection; nil when it is closed.
    public private(set) var sqliteConnection: OpaquePointer?
    let configuration: Configuration
    /// By the bytes of their SQL: texts that differ in their normalisation alone are equal strings.
    private var statements: [SQLText: Statement] = [:]
    private var readOnlyDepth = 0
    /// True while a transaction of ``inTransaction(_:_:)`` or ``inSavepoint(_:)`` should be open.
    var isInsideTransactionBlock = false
    /// True if a call of SQLite failed since the file was known to be whole, also where a closure went on.
    var hasFailed = false

    /// Opens a file.
    ///
    /// - Throws: ``DatabaseError`` where the file cannot be opened, or is no database; what a preparation throws.
    init(path: String, _ configuration: Configuration) throws {
        self.configuration = configuration
        let access = configuration.readonly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = sqlite3_open_v2(path, &sqliteConnection, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let extended = sqliteConnection.map { sqlite3_extended_errcode($0) } ?? code
            sqlite3_close(sqliteConnection)
            sqliteConnection = nil
            throw DatabaseError(resultCode: ResultCode(rawValue: extended))
        }
        try setUp()
    }

    private func setUp() throws {
        sqlite3_extended_result_codes(sqliteConnection, 1)
        if case .timeout(let most) = configuration.busyMode {
            let seconds = min(most, Configuration.mostTimeout ?? most)
            sqlite3_busy_timeout(sqliteConnection, Int32(clamping: Int(max(0, min(seconds, 1e6)) * 1000)))
        }
        csqlite_refuse_double_quoted_strings(sqliteConnection)
        if configuration.foreignKeysEnabled { try execute(sql: "PRAGMA foreign_keys = ON") }
        try configuration.prepare(self)
        // SQLite opens any file. Reading tells that it is no database, or encrypted.
        try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
    }

    deinit {
        statements = [:]
        // Where statements are left, SQLite closes after the last of them.
        sqlite3_close_v2(sqliteConnection)
    }

    /// Closes the connection.
    ///
    /// - Throws: ``DatabaseError`` with `SQLITE_BUSY` while a statement is left; the connection stays open then.
    func close() throws {
        guard sqliteConnection != nil else { return }
        statements = [:]
        let code = sqlite3_close(sqliteConnection)
        guard code == SQLITE_OK else { throw error(code) }
        sqliteConnection = nil
    }

    /// Makes an error of SQLite's last message, and remembers that there was one.
    package func error(_ code: Int32, sql: String? = nil) -> DatabaseError {
        hasFailed = true
        let message = sqlite3_errmsg(sqliteConnection).map { String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: sql)
    }

    // MARK: Statements

    /// Prepares a statement.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, for none and for more than one statement.
    public func makeStatement(sql: String) throws -> Statement { try makeStatement(sql: sql, flags: 0) }

    /// Prepares a statement once for the connection, and returns the same at each later call.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, for none and for more than one statement.
    public func cachedStatement(sql: String) throws -> Statement {
        if let statement = statements[SQLText(sql)] { return statement }
        let statement = try makeStatement(sql: sql, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        statements[SQLText(sql)] = statement
        return statement
    }

    private func makeStatement(sql: String, flags: UInt32) throws -> Statement {
        var first: Statement?
        try forEachStatement(in: sql, flags: flags) { statement in
            guard first == nil else {
                let message = "found more than one statement, expected one; use execute(sql:) for several"
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
            }
            first = statement
        }
        guard let first else { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "empty statement", sql: sql) }
        return first
    }

    /// Prepares the statements of a text, each after the one before it was visited.
    private func forEachStatement(in sql: String, flags: UInt32, _ visit: (Statement) throws -> Void) throws {
        guard let connection = sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed", sql: sql)
        }
        try sql.withCString { start in
            var next: UnsafePointer<CChar>? = start
            while let text = next, text.pointee != 0 {
                var handle: OpaquePointer?
                let code = sqlite3_prepare_v3(connection, text, -1, flags, &handle, &next)
                guard code == SQLITE_OK else { throw error(code, sql: String(cString: text)) }
                // White space and comments are no statement.
                guard let handle else { return }
                try visit(Statement(self, handle))
            }
        }
    }

    /// Runs one statement or several; each takes its arguments from those that are left.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, a wrong number of arguments, and where a statement fails.
    public func execute(sql: String, arguments: StatementArguments = StatementArguments()) throws {
        var left = arguments.values[...]
        try forEachStatement(in: sql, flags: 0) { statement in
            let count = statement.parameterCount
            guard count <= left.count else { throw statement.wrongCount(arguments.values.count) }
            try statement.start(left.prefix(count))
            left = left.dropFirst(count)
            try statement.finish()
        }
        guard left.isEmpty else {
            let message = "wrong number of statement arguments: \(arguments.values.count)"
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
        }
    }

    // MARK: What SQLite tells

    /// The number of rows that the last statement changed.
    public var changesCount: Int { Int(sqlite3_changes(sqliteConnection)) }
    /// The number of rows changed since the connection was opened, also by triggers.
    public var totalChangesCount: Int { Int(sqlite3_total_changes(sqliteConnection)) }
    /// True if a transaction is open.
    public var isInsideTransaction: Bool {
        sqliteConnection != nil && sqlite3_get_autocommit(sqliteConnection) == 0
    }

    // MARK: Reading only

    var isReadOnly: Bool { configuration.readonly || readOnlyDepth > 0 }

    /// Runs a body in which each write fails with `SQLITE_READONLY`.
    func readOnly<Result>(_ body: () throws -> Result) throws -> Result {
        guard !configuration.readonly else { return try body() }
        if readOnlyDepth == 0 { try cachedStatement(sql: "PRAGMA query_only = 1").execute() }
        readOnlyDepth += 1
        let result = Swift.Result { try body() }
        readOnlyDepth -= 1
        if readOnlyDepth == 0 {
            do {
                try cachedStatement(sql: "PRAGMA query_only = 0").execute()
            } catch {
                // The body's error says what happened first.
                _ = try result.get()
                throw error
            }
        }
        return try result.get()
    }

    // MARK: Copies

    /// Copies the whole database to another one, in one transaction of the other.
    func backup(to other: Database) throws {
        guard let backup = sqlite3_backup_init(other.sqliteConnection, "main", sqliteConnection, "main") else {
            throw other.error(sqlite3_extended_errcode(other.sqliteConnection))
        }
        let code = sqlite3_backup_step(backup, -1)
        // Finishing may replace the message of the failed step.
        let failure = code == SQLITE_DONE ? nil : other.error(code)
        let end = sqlite3_backup_finish(backup)
        if let failure { throw failure }
        guard end == SQLITE_OK else { throw other.error(end) }
    }
}

/// A connection stays with the closure that ``DatabaseQueue`` hands it to.
@available(*, unavailable)
extension Database: Sendable {}

/// A statement's text, compared by its bytes.
private struct SQLText: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (one: SQLText, two: SQLText) -> Bool { one.text.hasSameBytes(as: two.text) }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension String {
    /// Returns whether two texts have the same bytes in UTF-8.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    /// Hashes the bytes in UTF-8.
    func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
