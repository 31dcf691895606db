internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes rows of a document into a table of the database.
struct SlateInsertion {
    private let columns: [SlateColumn]
    private let statement: StoreStatement
    private let extras: SlateExtras
    private let table: SlateTable
    private let json = CompactJSON()

    /// - Parameter replacing: Whether a row with the same key is updated; else it must not be there.
    init(into table: SlateTable, of database: Database, replacing: Bool, extras: SlateExtras) throws {
        self.table = table
        self.extras = extras
        columns = table.columns
        let names = columns.map { "\"\($0.text)\"" }
        var sql = "INSERT INTO \(table.name) (\(names.joined(separator: ", ")))"
        sql += " VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
        if replacing {
            let updates = names.dropFirst().map { "\($0) = excluded.\($0)" }
            sql += " ON CONFLICT (\(names[0])) DO UPDATE SET \(updates.joined(separator: ", "))"
        }
        statement = try StoreStatement(database, sql)
    }

    /// Writes the row that a cursor stands on.
    func insert(_ row: SlateCursor) throws {
        for index in columns.indices {
            let position = Int32(truncatingIfNeeded: index + 1)
            switch row.cell(index) {
            case .null: try statement.bindNull(position)
            case .text(let text): try statement.bind(position, text)
            case .flag(let flag): try statement.bind(position, flag)
            case .json(let node): try statement.bind(position, copying: json.text(of: node))
            }
        }
        try statement.run()
        try extras.set(row.hasUnknownMembers ? row.unknownMembers : JSONObject(), table: table.name, key: row.key)
    }
}
