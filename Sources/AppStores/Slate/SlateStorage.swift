internal import GRDB
internal import StrictJSON

/// The app's settings in its own database: the table of expo-sqlite's kv-store, a text for each key.
///
/// An export holds them as the member `storage` of its top level, an object of texts.
struct SlateStorage {
    /// The name of the table, and of the member.
    static let name = "storage"

    private let database: Database
    private let path: String
    /// Tells that the database has the table, and not another one of that name.
    let isThere: Bool

    init(_ database: Database, path: String) throws {
        self.database = database
        self.path = path
        isThere = try Self.isThere(in: database)
    }

    static func isThere(in database: Database) throws -> Bool {
        guard try database.names(ofType: "table").contains(name) else { return false }
        var columns: Set<String> = []
        try database.forEachRow("PRAGMA table_xinfo(\(name))") { columns.insert($0.string(1) ?? "") }
        return columns == ["key", "value"]
    }

    /// The settings, in the order of their keys.
    func values() throws -> JSONObject {
        var values = JSONObject()
        try database.forEachRow("SELECT key, value FROM \(Self.name) ORDER BY key") { row in
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
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(Self.name) (key TEXT PRIMARY KEY NOT NULL, value TEXT);
                DELETE FROM \(Self.name);
                """
        )
        let insertion = try StoreStatement(database, "INSERT INTO \(Self.name) (key, value) VALUES (?, ?)")
        for member in values {
            try insertion.bind([Array(member.name.utf8)])
            if let text = member.value.string { try insertion.bind(2, text: text) } else { try insertion.bindNull(2) }
            try insertion.run()
        }
    }
}
