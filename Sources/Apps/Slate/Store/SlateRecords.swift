internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
package import StrictJSON

/// The records of a Slate database within one reading or one transaction.
public struct SlateRecords {
    let database: Database
    let path: String
    /// The version of the tables.
    let version: Int
    let extras: SlateExtras
    /// The app's settings, where the database has them and they are not left out.
    let storage: SlateStorage?
    /// Tables whose rows lie in the order of their keys, so that they are read as they lie.
    private let sorted: Set<SlateTable>
    private let holders = SlateHolders()

    /// - Parameter excluded: Tables that nobody asks for.
    init(
        _ database: Database,
        version: Int,
        path: String,
        sorted: Set<SlateTable> = [],
        excluded: Set<String> = []
    ) throws {
        self.database = database
        self.path = path
        self.version = version
        self.sorted = sorted
        extras = try SlateExtras(database)
        let storage = try SlateStorage(database, path: path, excluded: excluded)
        self.storage = storage.isThere ? storage : nil
    }

    /// Returns the number of rows of a table; counted in the table itself, whatever its indexes say.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func count(_ table: SlateTable) throws -> Int {
        guard table.firstVersion <= version else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name) NOT INDEXED") ?? 0
    }

    /// Plans an import without carrying it out.
    ///
    /// - Throws: `slate.value` where a row holds a value that its column cannot; `store.corrupt`; SQLite's error.
    public func plan(
        _ content: SlateContent,
        mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        progress: @escaping (Int) -> Void = { _ in }
    ) throws -> SlateImportPlan {
        try SlateImportPlanner.plan(content, into: self, mode: mode, parts: parts, progress: progress).plan
    }

    /// Returns the tasks and habits by which the database is told from others.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func identity() throws -> SlateIdentity {
        var keys: Set<String> = []
        try database.forEachRow("SELECT id FROM tasks UNION ALL SELECT id FROM habits") { row in
            if let key = row.string(0) { keys.insert(key) }
        }
        return SlateIdentity(keys)
    }

    /// Returns the keys of `meta` with text as their value.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func metaTexts() throws -> [String: String] {
        var texts: [String: String] = [:]
        try database.forEachRow("SELECT key, value FROM meta") { row in
            if let key = row.string(0), let value = row.string(1) { texts[key] = value }
        }
        return texts
    }
}

extension SlateRecords: SlateImportTarget {
    /// The keys and values of the app.
    package var meta: JSONObject {
        get throws {
            var meta = JSONObject()
            try database.forEachRow("SELECT key, value FROM meta") { row in
                guard let name = row.string(0) else {
                    throw StoreError(.value, "a row of meta has no text in UTF-8 as its key", path: path)
                }
                if let text = row.string(1) {
                    meta[name] = .string(text)
                } else if case .null = row.value(1) {
                    meta[name] = .null
                } else {
                    let message = "the row \(quoted(name)) of meta has no text in UTF-8 as its value"
                    throw StoreError(.value, message, path: path)
                }
            }
            // An export is in the current version, whatever the tables are in.
            meta[SlateMember.version] = .string(String(SlateFormat.currentVersion))
            for extra in try extras.values(SlateMember.meta, path: path) where meta[extra.key] == nil {
                meta[extra.key] = extra.value
            }
            return meta
        }
    }

    /// Members of the top level that the format does not know, the app's settings among them.
    package var unknownMembers: JSONObject {
        get throws {
            var members = try extras.values("", path: path).first?.value.object ?? JSONObject()
            if let storage { members[SlateStorage.name] = .object(try storage.values()) }
            return members
        }
    }

    /// Returns the rows of a table.
    package func rows(of table: SlateTable) throws -> any SlateRowStream { try storedRows(of: table) }

    /// Tells whether rows that stay must not be written anew.
    ///
    /// A trigger would fire for them, as those that record changes for sync, and a column that is left out would lose
    /// its value.
    package func mustKeepRows(of table: SlateTable) throws -> Bool {
        guard table.firstVersion <= version else { return false }
        let known = Set(SlateSchema.columns(table, version))
        if try database.columns(in: table.name).contains(where: { !known.contains($0.name) }) { return true }
        let sql = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE"
        return try Int.fetchOne(database, sql: sql, arguments: [table.name]) ?? 0 > 0
    }

    /// Returns the rows of a table.
    package func storedRows(of table: SlateTable) throws -> any SlateStoredRows {
        try SlateTableRows(
            table,
            of: database,
            version: version,
            hasExtras: extras.isThere,
            isSorted: sorted.contains(table),
            path: path
        )
    }

    /// Returns the key of another row that has the values which no two rows of the table may share.
    package func holder(_ table: SlateTable, of row: SlateCursor) throws -> [UInt8]? {
        let columns = table.columns
        let indices = columns.indices.filter { table.unique.contains(columns[$0].text) }
        guard !indices.isEmpty else { return nil }
        let conditions = indices.map { "\"\(columns[$0].text)\" = ?" } + ["\"\(columns[0].text)\" <> ?"]
        let condition = conditions.joined(separator: " AND ")
        let statement = try holders.statement(
            table,
            database,
            "SELECT \"\(columns[0].text)\" FROM \(table.name) WHERE \(condition) LIMIT 1"
        )
        defer { statement.reset() }
        for (place, index) in (indices + [0]).enumerated() {
            guard case .text(let text) = row.cell(index) else { return nil }
            try statement.bind(Int32(truncatingIfNeeded: place + 1), text)
        }
        guard try statement.step(), case .text(let key) = statement.value(0) else { return nil }
        return Array(key)
    }
}

/// The statements by which rows with the same values are found.
final class SlateHolders {
    private var statements: [SlateTable: StoreStatement] = [:]

    func statement(_ table: SlateTable, _ database: Database, _ sql: String) throws -> StoreStatement {
        if let statement = statements[table] { return statement }
        let statement = try StoreStatement(database, sql)
        statements[table] = statement
        return statement
    }
}
