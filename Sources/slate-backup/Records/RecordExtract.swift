internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

/// One task or habit with what belongs to it, as an export that holds nothing else.
struct RecordExtract {
    private let source: RecordSource
    private let record: FoundRecord
    /// The database's rows, by their identifiers.
    private var stored: [String: FoundRecord] = [:]

    /// - Parameters:
    ///   - record: The task or habit.
    ///   - source: Where it is from.
    ///   - database: What the database has.
    init(_ record: FoundRecord, of source: RecordSource, into database: [FoundRecord]) {
        self.record = record
        self.source = source
        for found in database where found.table == record.table { stored[found.id] = found }
    }

    /// Returns the export, and the keys of its rows that replace the database's.
    ///
    /// - Parameter now: The time of change of a record that the database has in another version. A later time that the
    ///   database has stays, so that no older version counts as the newer one.
    func export(now: String) throws -> (document: JSONValue, replacements: [SlateTable: Set<[UInt8]>]) {
        var tables: [SlateTable: [JSONObject]] = [:]
        var main = record.row
        if let known = stored[record.id], known.text != record.text {
            // Members that the file's version cannot hold stay as the database has them.
            for name in record.table.columnsUnknown(to: source.version).map(\.text) where main[name]?.isNull ?? true {
                main[name] = known.row[name]
            }
            if main != known.row { main["updated_at"] = .string(Self.later(now, known.row["updated_at"]?.string)) }
        }
        tables[record.table] = [main] + (record.table == .tasks ? try awaited(main) : [])
        // A task that the database has keeps its own plans and log.
        let ids = Set((tables[record.table] ?? []).compactMap { $0["id"]?.string })
            .filter { $0 == record.id || stored[$0] == nil }
        let belongs = { (row: JSONObject) in
            row["entity_type"]?.string == record.kind && row["entity_id"]?.string.map(ids.contains) ?? false
        }
        tables[.dayPlanItems] = try source.rows(.dayPlanItems, where: belongs)
        tables[.activityLog] = try source.rows(.activityLog, where: belongs)
        if record.table == .habits {
            tables[.habitCompletions] = try source.rows(.habitCompletions) { $0["habit_id"]?.string == record.id }
        }
        func dates(_ table: SlateTable) -> Set<String> {
            Set((tables[table] ?? []).compactMap { $0["date"]?.string })
        }
        let (planned, completed) = (dates(.dayPlanItems), dates(.habitCompletions))
        // A day that the completions helped to make perfect comes back with them.
        tables[.dayPlan] = try source.rows(.dayPlan) { row in
            guard let date = row["date"]?.string else { return false }
            return planned.contains(date) || completed.contains(date) && row["perfect_day"] == 1
        }
        var document: JSONObject = [
            "schema_version": .number(SlateFormat.currentVersion),
            "exported_at": .string(source.asOf ?? now), "meta": [:],
        ]
        for table in SlateTable.allCases { document[table.name] = .array((tables[table] ?? []).map { .object($0) }) }
        return (.object(document), tables.mapValues { Set($0.compactMap(replacedKey)) })
    }

    /// Returns the key of a row that comes back whatever the database has: the record's own, and those that name it.
    private func replacedKey(_ row: JSONObject) -> [UInt8]? {
        let id = row["id"]?.string
        let named = row["entity_id"]?.string ?? row["habit_id"]?.string ?? id
        return named == record.id ? id.map { Array($0.utf8) } : nil
    }

    private static func later(_ now: String, _ other: String?) -> String {
        guard let other, let time = Timestamp(other), let present = Timestamp(now) else { return now }
        return present < time ? other : now
    }

    /// Returns the tasks that the task waits for, one after the other; those that the database has as they are there.
    private func awaited(_ task: JSONObject) throws -> [JSONObject] {
        var rows: [String: JSONObject] = [:]
        try source.forEach(.tasks) { row, _ in if let id = row["id"]?.string { rows[id] = row } }
        for (id, found) in stored { rows[id] = found.row }
        var awaited: [JSONObject] = []
        var seen: Set<String> = [record.id]
        var next = task["depends_on_task_id"]?.string
        while let id = next, seen.insert(id).inserted, let row = rows[id] {
            awaited.append(row)
            next = row["depends_on_task_id"]?.string
        }
        return awaited
    }

    /// The tables that are written.
    static let parts: Set<SlatePart> = Set(
        [SlateTable.tasks, .habits, .habitCompletions, .dayPlan, .dayPlanItems, .activityLog].map(SlatePart.table)
    )
}
