internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The side table of unknown members.
final class SlateExtras {
    private let database: Database
    private(set) var isThere: Bool
    private var insertion: StoreStatement?
    private var deletion: StoreStatement?

    init(_ database: Database) throws {
        self.database = database
        isThere = try database.names(ofType: "table").contains(SlateSchema.extraTable)
    }

    /// Keeps members, or removes what is kept where there are none.
    func set(_ members: JSONObject, table: String, key: UnsafeBufferPointer<UInt8>) throws {
        if members.isEmpty { return try remove(table, key) }
        try set(JSONValue.object(members), table: table, key: key)
    }

    /// Keeps a value.
    func set(_ value: JSONValue, table: String, key: some Sequence<UInt8>) throws {
        if !isThere {
            try database.execute(sql: SlateSchema.makeExtraTable)
            isThere = true
        }
        let statement =
            try insertion
            ?? StoreStatement(
                database,
                "INSERT OR REPLACE INTO \(SlateSchema.extraTable) (table_name, row_key, members) VALUES (?, ?, ?)"
            )
        insertion = statement
        try statement.bind(1, copying: table.utf8)
        try statement.bind(2, copying: key)
        try statement.bind(3, copying: value.encoded(.compact))
        try statement.run()
    }

    /// Removes what is kept.
    func remove(_ table: String, _ key: UnsafeBufferPointer<UInt8>) throws {
        guard isThere else { return }
        let statement =
            try deletion
            ?? StoreStatement(
                database,
                "DELETE FROM \(SlateSchema.extraTable) WHERE table_name = ? AND row_key = ?"
            )
        deletion = statement
        try statement.bind(1, copying: table.utf8)
        try statement.bind(2, key)
        try statement.run()
    }

    /// Removes all that is kept for a table.
    func removeAll(_ table: String) throws {
        guard isThere else { return }
        try database.execute(
            sql: "DELETE FROM \(SlateSchema.extraTable) WHERE table_name = ?",
            arguments: [table]
        )
    }

    /// Returns the values that are kept for a table, by key.
    func values(_ table: String, path: String) throws -> [(key: String, value: JSONValue)] {
        guard isThere else { return [] }
        var values: [(key: String, value: JSONValue)] = []
        let sql = "SELECT row_key, members FROM \(SlateSchema.extraTable) WHERE table_name = ? ORDER BY row_key"
        try database.forEachRow(sql, [Array(table.utf8)]) { row in
            guard let key = row.string(0), let text = row.string(1),
                let value = try? JSONDocument(parsing: text).root.value
            else {
                let message =
                    "the table \(SlateSchema.extraTable) holds no JSON for \(quoted(table)), \(quoted(row.string(0) ?? ""))"
                throw StoreError(.value, message, path: path)
            }
            values.append((key, value))
        }
        return values
    }
}
