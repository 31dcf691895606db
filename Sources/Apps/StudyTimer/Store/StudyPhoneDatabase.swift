internal import CivilTime
public import RecordStore
internal import SQLiteDatabase
public import StrictJSON

/// The database that Study Timer itself keeps on a phone: the cloud's tables `sessions` and `session_history`.
public enum StudyPhoneDatabase {
    /// The tables.
    private static let tables = ["sessions", "session_history"]
    /// The columns that hold a moment.
    private static let moments: Set<String> = ["start_time", "end_time", "created_at"]

    /// Reads the tables from a copy, so that nothing beside the file is changed either.
    ///
    /// - Parameter path: A SQLite database.
    /// - Returns: The rows of each table as Supabase's JSON has them; nil where the database has neither table.
    /// - Throws: `storage.unreadable`, `storage.limit`, `store.not-a-database`, `store.corrupt`, `store.io`.
    public static func read(_ path: String) throws(StoreError) -> [String: [JSONValue]]? {
        let copy = try ScratchCopy(of: path)
        return try StorePath.translating(path) {
            let queue = try DatabaseQueue(path: copy.path, configuration: AsyncStorageDatabase.configuration)
            return try queue.inDatabase { database -> [String: [JSONValue]]? in
                let there = Set(try database.names(ofType: "table"))
                guard tables.contains(where: there.contains) else { return nil }
                var found: [String: [JSONValue]] = [:]
                for table in tables where there.contains(table) { found[table] = try rows(of: table, database, path) }
                return found
            }
        }
    }

    private static func rows(of table: String, _ database: Database, _ path: String) throws -> [JSONValue] {
        var rows: [JSONValue] = []
        let cursor = try Row.fetchCursor(database, sql: "SELECT * FROM \(table)")
        while let row = try cursor.next() {
            guard rows.count < AsyncStorage.mostKeys else {
                throw StoreError(.limit, "\(table) has more than \(AsyncStorage.mostKeys) rows, the limit", path: path)
            }
            var object = JSONObject()
            for (column, value) in row { object[column] = try json(value, column, of: table, path) }
            rows.append(.object(object))
        }
        return rows
    }

    private static func json(
        _ value: DatabaseValue,
        _ column: String,
        of table: String,
        _ path: String
    ) throws(StoreError) -> JSONValue {
        switch value.storage {
        case .null: return .null
        case .int64(let number):
            // JavaScript's milliseconds.
            if moments.contains(column), let moment = Timestamp(milliseconds: Int(number)) {
                return .string(ZonedTimestamp(moment).description)
            }
            return .number(Int(number))
        case .string(let text):
            // SQLite's own functions write UTC.
            let isPlain = moments.contains(column) && text.utf8.count == 19 && text.dropFirst(10).first == " "
            return .string(isPlain ? text.replacing(" ", with: "T") + "Z" : text)
        case .double(let number):
            if let number = JSONNumber(number) { return .number(number) }
        case .blob: break
        }
        throw StoreError(.unreadable, "\(table) has a value in \(column) that is no text or number", path: path)
    }
}
