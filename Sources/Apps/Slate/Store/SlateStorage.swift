internal import FileSystem
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The app's settings: the table of expo-sqlite's kv-store, a text for each key.
///
/// It lies in the app's own database, or in the file `ExpoSQLiteStorage` beside it, which is attached then. An export holds the
/// settings as the member `storage` of its top level, an object of texts.
struct SlateStorage {
    /// The name of the table, and of the member.
    static let name = "storage"
    /// The name of expo-sqlite's own file.
    static let fileName = "ExpoSQLiteStorage"
    /// The name under which that file is attached.
    static let attached = "settings"

    private let database: Database
    private let path: String
    /// The database that holds the table.
    private let schema: String
    /// Tells that the database has the table, and not another one of that name.
    let isThere: Bool

    /// - Throws: `slate.settings` where both files hold settings and neither is left out.
    init(_ database: Database, path: String, excluded: Set<String> = []) throws {
        self.database = database
        self.path = path
        let isOwn = try !excluded.contains(Self.name) && Self.isThere(in: database)
        let isBeside = try !excluded.contains(Self.fileName) && Self.isThere(in: database, Self.attached)
        isThere = isOwn || isBeside
        guard isOwn, isBeside else {
            schema = isBeside ? Self.attached : "main"
            return
        }
        let counts = try ["main", Self.attached].map { schema in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM \(schema).\(Self.name)") ?? 0
        }
        guard counts.contains(0) else {
            let message =
                "both the table \(Self.name) and the file \(Self.fileName) beside the database hold the app's settings; leave "
                + "the older ones out with --exclude \(Self.name) or --exclude \(Self.fileName)"
            throw StoreError(.settings, message, path: path)
        }
        schema = counts[1] == 0 && counts[0] > 0 ? "main" : Self.attached
    }

    static func isThere(in database: Database, _ schema: String = "main") throws -> Bool {
        var columns: Set<String> = []
        let sql =
            "SELECT c.name FROM pragma_table_list AS t, pragma_table_xinfo(t.name, t.schema) AS c "
            + "WHERE t.schema = ? AND t.name = ? COLLATE NOCASE AND t.type = 'table'"
        try database.forEachRow(sql, [Array(schema.utf8), Array(name.utf8)]) { columns.insert($0.string(0) ?? "") }
        return columns == ["key", "value"]
    }

    /// Finds expo-sqlite's own file beside a database, or what a safety copy kept of it; nil where there is none.
    static func file(beside path: String) throws(StoreError) -> String? {
        let path = StorePath.resolved(path)
        let isCopy = Files.folder(of: path).hasSuffix(".safety")
        let name = isCopy ? "\(Files.name(of: path).prefix { $0 != "-" }).storage" : fileName
        let file = Files.folderPrefix(of: path) + name
        // A file that SQLite has made and nothing was written to holds nothing.
        return try StorePath.size(of: file) ?? 0 > 0 ? file : nil
    }

    /// Returns the path of the settings' own file beside a database.
    static func place(beside path: String) -> String {
        Files.folderPrefix(of: path) + fileName
    }

    /// Returns the settings, in the order of their keys.
    func values() throws -> JSONObject {
        var values = JSONObject()
        try database.forEachRow("SELECT key, value FROM \(schema).\(Self.name) ORDER BY key") { row in
            guard let key = row.string(0) else {
                throw StoreError(.value, "a row of \(Self.name) has no text in UTF-8 as its key", path: path)
            }
            if let text = row.string(1) {
                values[key] = .string(text)
            } else if case .null = row.value(1) {
                values[key] = .null
            } else {
                let message = "the row \(quoted(key)) of \(Self.name) has no text in UTF-8 as its value"
                throw StoreError(.value, message, path: path)
            }
        }
        return values
    }

    /// Tells whether a member of the top level can be the settings: an object of texts, or null.
    static func fits(_ value: JSONValue) -> Bool {
        value.object?.allSatisfy { $0.value.string != nil || $0.value.isNull } ?? false
    }

    /// Makes the settings those of an object that fits; the table is made as the app makes it.
    func replace(with values: JSONObject) throws {
        let table = "\(schema).\(Self.name)"
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(table) (key TEXT PRIMARY KEY NOT NULL, value TEXT);
                DELETE FROM \(table);
                """
        )
        let insertion = try StoreStatement(database, "INSERT INTO \(table) (key, value) VALUES (?, ?)")
        for member in values {
            try insertion.bind([Array(member.name.utf8)])
            if let text = member.value.string { try insertion.bind(2, text: text) } else { try insertion.bindNull(2) }
            try insertion.run()
        }
    }
}
