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
        let rows = try Row.fetchAll(self, sql: "PRAGMA table_xinfo(\(table.quotedName))")
        guard !rows.isEmpty else { throw DatabaseError(message: "no such table: \(table)") }
        return rows.filter { $0["hidden"] != 1 }.map { ColumnInfo(name: $0["name"]) }
    }
}

extension String {
    /// The text as a quoted name in SQL.
    package var quotedName: String { enclosed(in: "\"") }

    /// The text as a literal in SQL.
    package var literal: String { enclosed(in: "'") }

    /// Returns the text in quotes, with those in it doubled, also one that is one character with the accent after it.
    private func enclosed(in quote: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([quote])
        for scalar in unicodeScalars {
            if scalar == quote { result.append(quote) }
            result.append(scalar)
        }
        result.append(quote)
        return String(result)
    }
}
