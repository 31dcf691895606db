internal import SQLiteDatabase

extension SlateRecords {
    /// Returns the primary key of the row that an export has at a position, so that a fault in the export can be found
    /// here.
    ///
    /// - Returns: Nil where there is no such row, or its key is no text.
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func key(_ table: SlateTable, at position: Int) throws -> String? {
        guard table.firstVersion <= version, position >= 0, let column = table.columns.first?.text else { return nil }
        let value = try DatabaseValue.fetchOne(
            database,
            sql: "SELECT \(column) FROM \(table.name) ORDER BY \(column) COLLATE BINARY LIMIT 1 OFFSET ?",
            arguments: [position]
        )
        return value.flatMap { String.fromDatabaseValue($0) }
    }
}
