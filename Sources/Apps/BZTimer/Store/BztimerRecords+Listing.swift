internal import RecordStore
internal import SQLiteDatabase

/// A session or a preset in a list, as far as it is known before it is read.
public struct ListedTimer: Sendable, Hashable {
    /// True for a preset, false for a session.
    public let isPreset: Bool
    /// Identifies it among those of its kind.
    public let id: String
    /// The name; empty where the store has none.
    public let name: String
}

extension BztimerRecords {
    /// Returns the number of sessions and presets, with those that cannot be read.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func listedCount() throws -> Int {
        let presets = try hasPresets ? " + (SELECT count(*) FROM preset)" : ""
        return try Int.fetchOne(database, sql: "SELECT (SELECT count(*) FROM session)\(presets)") ?? 0
    }

    /// Returns a part of the sessions and presets by name, without regard to the case of ASCII letters.
    ///
    /// - Parameter rows: Their numbers in that order, from 0 on.
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func listed(_ rows: Range<Int>) throws -> [ListedTimer] {
        let presets = try hasPresets ? "UNION ALL SELECT 1, id, coalesce(name, '') FROM preset" : ""
        let sql = """
            SELECT 0 AS kind, id, coalesce(name, '') AS name FROM session \(presets)
            ORDER BY name COLLATE NOCASE, name, kind, id LIMIT \(rows.count) OFFSET \(max(0, rows.lowerBound))
            """
        var found: [ListedTimer] = []
        try database.forEachRow(sql) { row in
            guard let id = row.string(1) else { return }
            found.append(ListedTimer(isPreset: row.integer(0) == 1, id: id, name: row.string(2) ?? ""))
        }
        return found
    }

    /// Returns the identifiers of all records, also of those that cannot be read.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func takenIds() throws -> TakenIds {
        func ids(_ layout: RecordLayout) throws -> Set<String> {
            var ids: Set<String> = []
            try database.forEachRow("SELECT id FROM \(layout.table)") { row in
                if let id = row.string(0) { ids.insert(id) }
            }
            return ids
        }
        return TakenIds(
            sessions: try ids(BztimerSchema.session),
            activities: try ids(BztimerSchema.template),
            presets: try hasPresets ? ids(BztimerSchema.preset) : [],
            history: try ids(BztimerSchema.history)
        )
    }

    /// A store of version 1 that is opened for reading has no presets, and gets no table for them.
    private var hasPresets: Bool { get throws { try database.tableExists(BztimerSchema.preset.table) } }

    /// Returns the argument of a statement that may read one record alone.
    static func arguments(_ id: String?) -> StatementArguments {
        StatementArguments([id].compactMap { $0?.databaseValue })
    }
}
