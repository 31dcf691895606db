public import AppFormats
internal import GRDB
public import StrictJSON

/// The records of a BZ Timer store within one reading or one transaction.
public struct BztimerRecords {
    let database: Database
    let path: String

    /// A record with the unknown members of the file that it came in.
    public struct Enveloped<Record> {
        /// The record.
        public var record: Record
        /// Unknown members of the top level of the file that the record came in.
        public var envelope: JSONObject
    }

    /// Makes a typed record of an object, or says which record cannot be made.
    func make<Record>(_ table: String, _ object: JSONObject, _ read: (JSONValue) throws -> Record) throws -> Record {
        do {
            return try read(.object(object))
        } catch let error as AppFormatError {
            let id = object["id"]?.string.map { " with the id \"\($0)\"" } ?? ""
            let place = error.pointer.map { " (at \($0))" } ?? ""
            throw StoreError(.record, "a record of the table \(table)\(id): \(error.message)\(place)", path: path)
        }
    }

    /// The value of a key column; its text must be one that SQLite can hold.
    func key(_ id: String, of table: String) throws -> DatabaseValue {
        guard !id.utf8.contains(0) else {
            throw StoreError(.record, "an id of the table \(table) contains U+0000", path: path)
        }
        return id.databaseValue
    }

    /// The last position in a table and one more.
    func nextPosition(in table: String) throws -> DatabaseValue {
        (try Int.fetchOne(database, sql: "SELECT coalesce(max(position), 0) + 1 FROM \(table)") ?? 1).databaseValue
    }

    /// The value of the column that holds an object without known members.
    static func json(_ object: JSONObject) -> DatabaseValue {
        object.isEmpty ? .null : RecordLayout.text(of: .object(object)).databaseValue
    }

    /// Runs a statement, which is prepared once.
    func execute(_ sql: String, _ values: [DatabaseValue]) throws {
        try database.cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }
}

extension BztimerRecords {
    /// The settings; the app's defaults where none were stored.
    public func settings() throws -> TimerSettings {
        let layout = BztimerSchema.settings
        guard let row = try Row.fetchOne(database, sql: "SELECT \(layout.names) FROM settings WHERE id = 1") else {
            return TimerSettings()
        }
        return try make("settings", layout.object(in: row, path: path)) { try TimerSettings(json: $0) }
    }

    /// Stores the settings.
    public func save(_ settings: TimerSettings) throws {
        let layout = BztimerSchema.settings
        try execute(
            "INSERT OR REPLACE INTO settings (id, \(layout.names)) VALUES (\(layout.places(before: 1)))",
            [1.databaseValue] + layout.values(of: settings.json.object ?? [:])
        )
    }
}
