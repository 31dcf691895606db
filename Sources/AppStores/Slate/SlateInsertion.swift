internal import AppFormats
internal import GRDB
internal import StrictJSON

/// Writes rows of a document into a table of the database.
struct SlateInsertion {
    private let columns: [SlateColumn]
    private let statement: SlateStatement
    private let extras: SlateExtras
    private let table: SlateTable
    private let json = JSONText()

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
        statement = try SlateStatement(database, sql)
    }

    /// Writes the row that a cursor stands on.
    func insert(_ row: SlateCursor) throws {
        for index in columns.indices {
            let position = Int32(truncatingIfNeeded: index + 1)
            switch row.cell(index) {
            case .null: try statement.bindNull(position)
            case .text(let text): try statement.bind(position, text)
            case .flag(let flag): try statement.bind(position, flag)
            case .json(let node): try statement.bind(position, copying: json.compact(node))
            }
        }
        try statement.run()
        try extras.set(row.hasUnknownMembers ? row.unknownMembers : JSONObject(), table: table.name, key: row.key)
    }
}

/// Compact JSON, made again and again in the same memory.
private final class JSONText {
    private final class Buffer {
        var bytes: [UInt8] = []
    }

    private let buffer = Buffer()
    private var writer: JSONWriter

    init() { writer = JSONWriter(style: .compact) { [buffer] in buffer.bytes.append(contentsOf: $0) } }

    func compact(_ node: JSONNode) -> [UInt8] {
        buffer.bytes.removeAll(keepingCapacity: true)
        writer.node(node)
        writer.beginNextText()
        return buffer.bytes
    }
}

/// The side table of unknown members.
final class SlateExtras {
    private let database: Database
    private(set) var isThere: Bool
    private var insertion: SlateStatement?
    private var deletion: SlateStatement?

    init(_ database: Database) throws {
        self.database = database
        isThere = try database.names(ofType: "table").contains(SlateSchema.extraTable)
    }

    /// Keeps members, or removes what is kept where there are none.
    func set(_ members: JSONObject, table: String, key: UnsafeBufferPointer<UInt8>) throws {
        if members.isEmpty { return isThere ? try remove(table, key) : () }
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
            ?? SlateStatement(
                database,
                "INSERT OR REPLACE INTO \(SlateSchema.extraTable) (table_name, row_key, members) VALUES (?, ?, ?)"
            )
        insertion = statement
        try statement.bind(1, copying: table.utf8)
        try statement.bind(2, copying: key)
        try statement.bind(3, copying: value.encoded(.compact))
        try statement.run()
    }

    private func remove(_ table: String, _ key: UnsafeBufferPointer<UInt8>) throws {
        let statement =
            try deletion
            ?? SlateStatement(
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

    /// What is kept for a table, by key.
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
