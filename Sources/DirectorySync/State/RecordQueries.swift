internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

/// The statements for single records, each prepared once, as a first sync runs them for all records.
final class RecordQueries {
    private let database: Database
    private var prepared: [StoreStatement?] = Array(repeating: nil, count: Query.allCases.count)

    /// True if a record was written.
    private(set) var hasWritten = false

    /// The statements; their first parameters are the collection and the key, or a text.
    enum Query: Int, CaseIterable {
        case held, hasRow, insert, insertPacked, setLine, setPlace, setConflicts, rename, delete, setGone, deleteRow,
            isThere
        case markNew, markOwn, markApplied, setSeen, isGiven, isOwn
        case links, insertLink, deleteLinks, isReferredTo, isName

        fileprivate var sql: String {
            switch self {
            case .held:
                "SELECT line, place, base, conflicts, \(RecordQueries.isSound) FROM record WHERE collection = ? AND key = ?"
            case .insert:
                """
                INSERT INTO record (collection, key, line, place, base, sum)
                VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?1, ?2, ?3, ?4, ?5, 0))
                ON CONFLICT DO UPDATE SET line = excluded.line, place = excluded.place, base = excluded.base,
                    conflicts = 0, sum = excluded.sum WHERE place = 4
                """
            case .insertPacked:
                """
                INSERT INTO record (collection, key, line, place, is_packed, sum)
                VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?1, ?2, ?3, ?4, NULL, 0))
                """
            case .setLine:
                RecordQueries.update("line = ?3, place = ?4, base = ?5", sum: "?3, ?4, ?5, conflicts")
            case .setPlace: RecordQueries.update("place = ?3, base = ?4", sum: "line, ?3, ?4, conflicts")
            case .setConflicts: RecordQueries.update("conflicts = ?3", sum: "line, place, base, ?3")
            case .rename: RecordQueries.update("line = ?3", sum: "?3, place, base, conflicts")
            case .delete: "DELETE FROM record WHERE collection = ? AND key = ? AND NOT is_packed"
            case .setGone:
                """
                UPDATE record SET line = NULL, place = 4, base = NULL, conflicts = 0,
                    sum = row_sum(collection, key, NULL, 4, NULL, 0)
                WHERE collection = ?1 AND key = ?2 AND is_packed
                """
            case .deleteRow: "DELETE FROM record WHERE collection = ? AND key = ?"
            case .hasRow: "SELECT 1 FROM record WHERE collection = ? AND key = ?"
            case .isThere: "SELECT 1 FROM record WHERE collection = ? AND key = ? AND line IS NOT NULL"
            case .markNew:
                "INSERT INTO touched (collection, key, unseen) VALUES (?, ?, 1) \(RecordQueries.touchedAgain)"
            case .markOwn:
                """
                INSERT INTO touched (collection, key, unseen) VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET reason = NULL
                """
            case .markApplied: "DELETE FROM touched WHERE collection = ? AND key = ?"
            case .setSeen: "UPDATE touched SET unseen = 0, line = NULL, vector = NULL WHERE collection = ? AND key = ?"
            case .isGiven: "SELECT 1 FROM touched WHERE collection = ? AND key = ? AND unseen > 0"
            case .isOwn: "SELECT 1 FROM touched WHERE collection = ? AND key = ? AND unseen = 0"
            case .links:
                """
                SELECT is_name, target, seen, sum = row_sum(collection, key, is_name, target, seen) FROM link
                WHERE collection = ? AND key = ?
                """
            case .insertLink:
                """
                INSERT OR REPLACE INTO link (collection, key, is_name, target, seen, sum)
                VALUES (?1, ?2, ?3, ?4, ?5, row_sum(?1, ?2, ?3, ?4, ?5))
                """
            case .deleteLinks: "DELETE FROM link WHERE collection = ? AND key = ?"
            case .isReferredTo: "SELECT 1 FROM link WHERE target = ? AND is_name = 0 LIMIT 1"
            case .isName: "SELECT 1 FROM link WHERE target = ? AND is_name = 1 LIMIT 1"
            }
        }
    }

    /// The condition that a row of `record` is undamaged.
    static let isSound = "sum = row_sum(collection, key, line, place, base, conflicts)"

    /// Returns an update of a row; a damaged one stays damaged.
    private static func update(_ columns: String, sum: String) -> String {
        """
        UPDATE record SET \(columns), sum = iif(\(isSound), row_sum(collection, key, \(sum)), NULL)
        WHERE collection = ?1 AND key = ?2
        """
    }

    /// An update for a further change by others: the state that the store has the record from stays.
    static let touchedAgain = """
        ON CONFLICT DO UPDATE SET unseen = max(unseen, 1), line = iif(unseen = 0, excluded.line, line),
            vector = iif(unseen = 0, excluded.vector, vector), reason = NULL
        """

    init(_ database: Database) { self.database = database }

    /// Runs a statement without rows for a record.
    func run(_ query: Query, _ key: RecordKey, _ bind: (StoreStatement) throws -> Void = { _ in }) throws {
        let statement = try statement(query, key)
        try bind(statement)
        try statement.run()
        hasWritten = hasWritten || query == .insert || query == .setLine || query == .setPlace
    }

    /// Reads the rows of a statement for a record.
    func read<Result>(_ query: Query, _ key: RecordKey, _ body: (StoreStatement) throws -> Result) throws -> Result {
        let statement = try statement(query, key)
        defer { statement.reset() }
        return try body(statement)
    }

    /// Returns whether a statement for a record has a row.
    func exists(_ query: Query, _ key: RecordKey) throws -> Bool { try read(query, key) { try $0.step() } }

    /// Returns whether a statement for a text has a row.
    func exists(_ query: Query, _ text: String) throws -> Bool {
        let statement = try statement(query)
        defer { statement.reset() }
        try statement.bind(1, text: text)
        return try statement.step()
    }

    private func statement(_ query: Query, _ key: RecordKey) throws -> StoreStatement {
        let statement = try statement(query)
        try statement.bind(1, text: key.collection)
        try statement.bind(2, text: key.key)
        return statement
    }

    private func statement(_ query: Query) throws -> StoreStatement {
        if let statement = prepared[query.rawValue] { return statement }
        let statement = try StoreStatement(database, query.sql)
        prepared[query.rawValue] = statement
        return statement
    }
}

extension StoreStatement {
    /// Binds a text, or NULL.
    func bind(_ index: Int32, optional text: String?) throws {
        if let text { try bind(index, text: text) } else { try bindNull(index) }
    }

    /// Binds bytes, or NULL.
    func bind(_ index: Int32, optional bytes: [UInt8]?) throws {
        if let bytes { try bind(index, blob: bytes) } else { try bindNull(index) }
    }
}
