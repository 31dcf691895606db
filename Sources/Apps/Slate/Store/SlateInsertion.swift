internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes rows of a document into a table of the database.
struct SlateInsertion {
    private let columns: [SlateColumn]
    private let statement: StoreStatement
    private let extras: SlateExtras
    private let table: SlateTable

    /// Makes an insertion into a table, which updates a row with the same key.
    ///
    /// - Parameter unsaid: The columns in which an updated row keeps its value where the document has null.
    init(
        into table: SlateTable,
        of database: Database,
        extras: SlateExtras,
        unsaid: [SlateColumn] = []
    ) throws {
        self.table = table
        self.extras = extras
        columns = table.columns
        let names = columns.map { "\"\($0.text)\"" }
        var sql = "INSERT INTO \(table.name) (\(names.joined(separator: ", ")))"
        sql += " VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
        let kept = Set(unsaid.map { "\"\($0.text)\"" })
        let updates = names.dropFirst().map { name in
            let value = "excluded.\(name)"
            return "\(name) = " + (kept.contains(name) ? "coalesce(\(value), \(table.name).\(name))" : value)
        }
        sql += " ON CONFLICT (\(names[0])) DO UPDATE SET \(updates.joined(separator: ", "))"
        statement = try StoreStatement(database, sql)
    }

    /// Writes the row that a cursor stands on.
    func insert(_ row: SlateCursor) throws {
        for index in columns.indices {
            let position = Int32(truncatingIfNeeded: index + 1)
            switch row.cell(index) {
            case .null: try statement.bindNull(position)
            case .text(let text), .json(let text): try statement.bind(position, text)
            case .flag(let flag): try statement.bind(position, flag)
            }
        }
        try statement.run()
        try extras.set(row.hasUnknownMembers ? row.unknownMembers : JSONObject(), table: table.name, key: row.key)
    }
}

/// All rows of a document for a table that is empty.
final class SlateFilling: RowSource {
    private let cursor: SlateCursor
    private let visit: () -> Void
    /// The positions of rows with members that the table has no place for.
    private var positions: [Int] = []

    private init(_ cursor: SlateCursor, visit: @escaping () -> Void) {
        self.cursor = cursor
        self.visit = visit
    }

    /// Fills the table of a cursor.
    ///
    /// - Parameter visit: Called with each row.
    static func fill(
        _ database: Database,
        from cursor: SlateCursor,
        extras: SlateExtras,
        visit: @escaping () -> Void
    ) throws {
        let (filling, table) = (SlateFilling(cursor, visit: visit), cursor.table)
        try database.insert(filling, into: table.name, columns: table.columns.map { "\"\($0.text)\"" })
        for position in filling.positions where cursor.go(to: position) {
            try extras.set(cursor.unknownMembers, table: table.name, key: cursor.key)
        }
    }

    func next(_ row: UnsafeMutableBufferPointer<InsertedValue>) -> Bool {
        guard cursor.next() else { return false }
        if cursor.hasUnknownMembers { positions.append(cursor.position) }
        visit()
        for column in row.indices {
            row[column] =
                switch cursor.cell(column) {
                case .null: .null
                case .text(let text), .json(let text): .text(text)
                case .flag(let flag): .integer(flag ? 1 : 0)
                }
        }
        return true
    }
}
