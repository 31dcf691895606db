extension Database {
    /// A column of a table.
    public struct ColumnInfo: Sendable {
        /// The column's name.
        public let name: String
    }

    /// Tells whether the database has a table of a name, also a temporary one; upper and lower case are the same.
    ///
    /// - Throws: ``DatabaseError`` where the schema cannot be read.
    public func tableExists(_ name: String) throws -> Bool {
        let sql = """
            SELECT 1 FROM (SELECT type, name FROM temp.sqlite_master UNION ALL SELECT type, name FROM main.sqlite_master)
            WHERE type = 'table' AND name = ? COLLATE NOCASE
            """
        return try Int.fetchOne(cachedStatement(sql: sql), arguments: [name]) != nil
    }

    /// Returns the columns of a table or view, as `SELECT *` gives them.
    ///
    /// - Throws: ``DatabaseError`` where there is no such table, or the schema cannot be read.
    public func columns(in table: String) throws -> [ColumnInfo] {
        let name = table.replacing("\"", with: "\"\"")
        let rows = try Row.fetchAll(self, sql: "PRAGMA table_xinfo(\"\(name)\")")
        guard !rows.isEmpty else { throw DatabaseError(message: "no such table: \(table)") }
        return rows.filter { $0["hidden"] != 1 }.map { ColumnInfo(name: $0["name"]) }
    }
}
