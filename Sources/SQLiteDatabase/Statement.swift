internal import CSQLite

/// A prepared statement.
public final class Statement {
    /// SQLite's statement.
    public let sqliteStatement: OpaquePointer
    // A statement stays in the closure that has the connection, so the connection outlives it.
    unowned let database: Database
    /// The columns, as they were when SQLite had prepared the statement so many times again.
    private var columns: (names: [String], preparations: Int32)?

    init(_ database: Database, _ handle: OpaquePointer) {
        self.database = database
        sqliteStatement = handle
    }

    deinit { sqlite3_finalize(sqliteStatement) }

    /// The SQL, without the white space and the semicolons around it.
    public var sql: String { sqlite3_sql(sqliteStatement).map { String(cString: $0).trimmedSQL } ?? "" }

    /// The names of the columns; SQLite prepares a statement again when tables have changed.
    var columnNames: [String] {
        let preparations = sqlite3_stmt_status(sqliteStatement, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let columns, columns.preparations == preparations { return columns.names }
        let names = (0..<sqlite3_column_count(sqliteStatement)).map { index in
            sqlite3_column_name(sqliteStatement, index).map { String(cString: $0) } ?? ""
        }
        columns = (names, preparations)
        return names
    }

    /// Runs the statement to its end.
    ///
    /// - Throws: ``DatabaseError`` for a wrong number of arguments, and where the statement fails.
    public func execute(arguments: StatementArguments = StatementArguments()) throws {
        try start(arguments.values[...])
        try finish()
    }

    // MARK: Running

    var parameterCount: Int { Int(sqlite3_bind_parameter_count(sqliteStatement)) }

    func wrongCount(_ count: Int) -> DatabaseError {
        let message = "wrong number of statement arguments: \(count)"
        return DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }

    /// Makes the statement ready for its first row, with copies of the arguments.
    func start(_ arguments: ArraySlice<DatabaseValue>) throws {
        reset()
        guard arguments.count == parameterCount else { throw wrongCount(arguments.count) }
        for (index, value) in arguments.enumerated() {
            let code = value.bind(to: sqliteStatement, Int32(truncatingIfNeeded: index + 1))
            guard code == SQLITE_OK else { throw database.error(code, sql: sql) }
        }
        try database.checkNotAborted(sql: sql)
    }

    /// Goes to the next row; returns false at the end, where it makes the statement ready again.
    func step() throws -> Bool {
        switch sqlite3_step(sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        case let code:
            let error = database.error(code, sql: sql)
            reset()
            throw error
        }
    }

    /// Goes through all rows, which may do something, and lets go of the arguments.
    func finish() throws {
        defer { sqlite3_clear_bindings(sqliteStatement) }
        while try step() {}
    }

    /// Ends the statement; SQLite's code is that of a failed step, which has been reported.
    func reset() { sqlite3_reset(sqliteStatement) }
}

/// A statement stays with its connection.
@available(*, unavailable)
extension Statement: Sendable {}
