/// A row of a query.
///
/// Values are converted as SQLite converts them: an integer has a text, and NULL is 0 or empty where the type is not
/// optional. Use ``DatabaseValue`` to see what is stored.
public final class Row: Sequence, CustomStringConvertible {
    private enum Content {
        /// The row on which a statement is.
        case statement(Statement)
        case values([DatabaseValue], names: [String])
    }

    private let content: Content

    /// Makes the row of a cursor, which is another one after each step.
    init(_ statement: Statement) { content = .statement(statement) }

    /// Makes a copy of the row on which a statement is.
    init(copying statement: Statement) {
        let names = statement.columnNames
        let handle = statement.sqliteStatement
        content = .values(names.indices.map { DatabaseValue(handle, Int32(truncatingIfNeeded: $0)) }, names: names)
    }

    /// The names of the columns.
    public var columnNames: [String] {
        switch content {
        case .statement(let statement): statement.columnNames
        case .values(_, let names): names
        }
    }

    /// The values of all columns.
    public var databaseValues: [DatabaseValue] { columnNames.indices.map(value) }

    /// Returns the value of a column; NULL for one that the query lacks.
    private func value(_ index: Int) -> DatabaseValue {
        switch content {
        case .statement(let statement): DatabaseValue(statement.sqliteStatement, Int32(truncatingIfNeeded: index))
        case .values(let values, _): values.indices.contains(index) ? values[index] : .null
        }
    }

    private func value(_ name: String) -> DatabaseValue {
        let names = columnNames
        // SQL ignores the case of names.
        let index = names.firstIndex(of: name) ?? names.firstIndex { $0.lowercased() == name.lowercased() }
        return index.map(value) ?? .null
    }

    /// The value of a column by its number.
    public subscript<Value: DatabaseValueConvertible>(_ index: Int) -> Value { Value.converting(value(index)) }

    /// The value of a column by its name, the leftmost of several.
    public subscript<Value: DatabaseValueConvertible>(_ name: String) -> Value { Value.converting(value(name)) }

    /// The value of a column by its number, of the type that is stored; nil for NULL.
    public subscript(_ index: Int) -> (any DatabaseValueConvertible)? { Self.stored(value(index)) }

    /// The value of a column by its name, of the type that is stored; nil for NULL.
    public subscript(_ name: String) -> (any DatabaseValueConvertible)? { Self.stored(value(name)) }

    private static func stored(_ value: DatabaseValue) -> (any DatabaseValueConvertible)? {
        switch value.storage {
        case .null: nil
        case .int64(let number): number
        case .double(let number): number
        case .string(let text): text
        case .blob(let bytes): bytes
        }
    }

    /// Goes through the columns: name and value.
    public func makeIterator() -> some IteratorProtocol<(String, DatabaseValue)> {
        zip(columnNames, databaseValues).makeIterator()
    }

    /// Names and values in one line.
    public var description: String { "[" + map { "\($0):\($1)" }.joined(separator: " ") + "]" }
}

/// A row stays with its connection.
@available(*, unavailable)
extension Row: Sendable {}
