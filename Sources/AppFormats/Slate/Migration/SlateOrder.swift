import StrictJSON

/// The members of an export, and of each row, in schema order.
enum SlateOrder {
    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    ///
    /// The rows of a table stay in the order they have.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        guard var object = document.object else { return document }
        let tables = self.tables.filter { $0.firstVersion <= version }
        object = object.ordered(["schema_version", "exported_at", "meta"] + tables.map(\.name))
        if let meta = object["meta"]?.object { object["meta"] = .object(ordered(meta: meta)) }
        for table in tables {
            guard let rows = object[table.name]?.array else { continue }
            let columns = table.columns.filter { version > 1 || $0 != "depends_on_task_id" }
            object[table.name] = .array(rows.map { row in row.object.map { .object($0.ordered(columns)) } ?? row })
        }
        return .object(object)
    }

    /// The keys that the app is known to use first, the others by their bytes.
    private static func ordered(meta: JSONObject) -> JSONObject {
        let names = meta.names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var meta = meta
        meta.sort(first: ["schema_version", "last_open_date", "day_start", "installed_at"] + names)
        return meta
    }

    private static let tables: [(name: String, firstVersion: Int, columns: [String])] = [
        (
            "tasks", 1,
            [
                "id", "title", "notes", "due_date", "scheduled_for", "is_done", "done_at", "created_at", "updated_at",
                "archived", "depends_on_task_id",
            ]
        ),
        ("habits", 1, ["id", "title", "notes", "active", "reminder_time", "created_at", "updated_at"]),
        ("habit_completions", 1, ["id", "habit_id", "date", "completed_at"]),
        ("day_plan", 1, ["date", "perfect_day"]),
        ("day_plan_items", 1, ["id", "date", "entity_type", "entity_id"]),
        ("activity_log", 2, ["id", "timestamp", "entity_type", "entity_id", "action_type", "details"]),
        (
            "day_snapshots", 2,
            ["date", "day_plan_tasks", "slate_tasks", "habits", "completed_task_ids", "completed_habit_ids"]
        ),
    ]
}
