/// Goes through the rows of a query.
///
/// ``next()`` gives the same ``Row`` each time; it has the values of the present row.
public final class RowCursor {
    private let statement: Statement
    private let row: Row
    private var isDone = false

    init(_ statement: Statement, _ arguments: StatementArguments) throws {
        self.statement = statement
        row = Row(statement)
        try statement.start(arguments.values[...])
    }

    deinit { if !isDone { statement.reset() } }

    /// Goes to the next row; nil at the end.
    ///
    /// - Throws: ``DatabaseError`` where reading fails.
    public func next() throws -> Row? {
        guard !isDone else { return nil }
        // A statement that has ended or failed begins anew with another step.
        isDone = true
        guard try statement.step() else { return nil }
        isDone = false
        return row
    }
}

/// Goes through the values in the first column of a query.
public final class ValueCursor<Value: DatabaseValueConvertible> {
    private let rows: RowCursor
    private let statement: Statement

    init(_ statement: Statement, _ arguments: StatementArguments) throws {
        self.statement = statement
        rows = try RowCursor(statement, arguments)
    }

    /// Goes to the next value; nil at the end.
    ///
    /// - Throws: ``DatabaseError`` where reading fails, and for NULL.
    public func next() throws -> Value? {
        guard let row = try rows.next() else { return nil }
        let value: DatabaseValue = row[0]
        guard !value.isNull else {
            let message = "found NULL, expected a value of the type \(Value.self)"
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: message, sql: statement.sql)
        }
        return Value.converting(value)
    }
}

/// A cursor stays with its connection.
@available(*, unavailable)
extension RowCursor: Sendable {}

/// A cursor stays with its connection.
@available(*, unavailable)
extension ValueCursor: Sendable {}

extension Row {
    /// Returns a cursor over the rows of a query.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL or a wrong number of arguments.
    public static func fetchCursor(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> RowCursor {
        try RowCursor(database.makeStatement(sql: sql), arguments)
    }

    /// Returns the rows of a statement.
    ///
    /// - Throws: ``DatabaseError`` for a wrong number of arguments, and where reading fails.
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        let cursor = try RowCursor(statement, arguments)
        var rows: [Row] = []
        while try cursor.next() != nil { rows.append(Row(copying: statement)) }
        return rows
    }

    /// Returns the rows of a query.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, a wrong number of arguments, and where reading fails.
    public static func fetchAll(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Row] {
        try fetchAll(database.makeStatement(sql: sql), arguments: arguments)
    }

    /// Returns the first row of a statement; nil for none.
    ///
    /// - Throws: ``DatabaseError`` for a wrong number of arguments, and where reading fails.
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        let cursor = try RowCursor(statement, arguments)
        return try cursor.next() == nil ? nil : Row(copying: statement)
    }

    /// Returns the first row of a query; nil for none.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, a wrong number of arguments, and where reading fails.
    public static func fetchOne(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Row? {
        try fetchOne(database.makeStatement(sql: sql), arguments: arguments)
    }
}

extension DatabaseValueConvertible {
    /// Returns a cursor over the values in the first column of a query.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL or a wrong number of arguments.
    public static func fetchCursor(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> ValueCursor<Self> {
        try ValueCursor(database.makeStatement(sql: sql), arguments)
    }

    /// Returns the values in the first column of a statement's rows.
    ///
    /// - Throws: ``DatabaseError`` for a wrong number of arguments, where reading fails, and for NULL.
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        let cursor = try ValueCursor<Self>(statement, arguments)
        var values: [Self] = []
        while let value = try cursor.next() { values.append(value) }
        return values
    }

    /// Returns the values in the first column of a query's rows.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, a wrong number of arguments, where reading fails, and for
    ///   NULL.
    public static func fetchAll(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> [Self] {
        try fetchAll(database.makeStatement(sql: sql), arguments: arguments)
    }

    /// Returns the value in the first column of a statement's first row; nil for no row and for NULL.
    ///
    /// - Throws: ``DatabaseError`` for a wrong number of arguments, and where reading fails.
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        let cursor = try RowCursor(statement, arguments)
        guard let row = try cursor.next() else { return nil }
        return row[0] as Self?
    }

    /// Returns the value in the first column of a query's first row; nil for no row and for NULL.
    ///
    /// - Throws: ``DatabaseError`` for a fault in the SQL, a wrong number of arguments, and where reading fails.
    public static func fetchOne(
        _ database: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments()
    ) throws -> Self? {
        try fetchOne(database.makeStatement(sql: sql), arguments: arguments)
    }
}
