import FormatKit
import JSONSchemaValidation
import StrictJSON

/// Version 1 to version 2 (the tables activity_log and day_snapshots, dependencies between tasks).
enum SlateStep1To2 {
    static let step = MigrationStep(
        format: "slate",
        from: 1,
        to: 2,
        losses: ["what a task depends on", "the rows of activity_log and day_snapshots"],
        up: { value in Migrated(up(value)) },
        down: { value in down(value) },
        olderPointer: { pointer in
            if let table = pointer.tokens.first, tables.contains(table) {
                return JSONPointer(tokens: [Preserved.memberName, "2"] + pointer.tokens)
            }
            guard isDependency(pointer) else { return pointer }
            return JSONPointer(tokens: Array(pointer.tokens.prefix(2)) + [Preserved.memberName, "2", dependency])
        }
    )

    /// The tables and the column that version 2 added.
    private static let tables = ["activity_log", "day_snapshots"]
    private static let dependency = "depends_on_task_id"
    /// Parked for version 2 in a task that has no member of that name there, as the way up adds null.
    private static let absent: JSONValue = false

    private static let envelopeRules = PreservedRules(
        up: { name, value, _, _ in tables.contains(name) && isTable(name, value) },
        down: { name, _, _, _ in tables.contains(name) }
    )
    private static let taskRules = PreservedRules(
        up: { name, value, _, _ in
            name == dependency && (value == absent || value.string.map { !$0.isEmpty } ?? false)
        },
        down: { name, _, _, _ in name == dependency }
    )

    // MARK: Up

    private static func up(_ document: JSONValue) -> JSONValue {
        guard let envelope = document.object else { return document }
        let upgraded = envelope.passing(from: 1, to: 2, envelopeRules) { envelope, transfer in
            envelope["schema_version"] = 2
            for table in tables {
                if let foreign = envelope.removeValue(forName: table) { transfer.park(table, foreign) }
                envelope[table] = transfer.take(table) ?? []
            }
            envelope["tasks"] = envelope["tasks"].map { eachTask($0, upgrade) }
        }
        return .object(upgraded)
    }

    private static func upgrade(_ task: JSONObject) -> JSONObject {
        task.passing(from: 1, to: 2, taskRules) { task, transfer in
            if let foreign = task.removeValue(forName: dependency) { transfer.park(dependency, foreign) }
            let parked = transfer.take(dependency) ?? .null
            if parked != absent { task[dependency] = parked }
        }
    }

    // MARK: Down

    private static func down(_ document: JSONValue) -> Migrated {
        guard let envelope = document.object else { return Migrated(document) }
        let losses = losses(envelope)
        let downgraded = envelope.passing(from: 2, to: 1, envelopeRules) { envelope, transfer in
            envelope["schema_version"] = 1
            for table in tables {
                if let rows = envelope.removeValue(forName: table), rows != [] { transfer.park(table, rows) }
                envelope[table] = transfer.take(table)
            }
            envelope["tasks"] = envelope["tasks"].map { eachTask($0, downgrade) }
        }
        return Migrated(.object(downgraded), losses: losses)
    }

    private static func downgrade(_ task: JSONObject) -> JSONObject {
        task.passing(from: 2, to: 1, taskRules) { task, transfer in
            let value = task.removeValue(forName: dependency) ?? absent
            if !value.isNull { transfer.park(dependency, value) }
            task[dependency] = transfer.take(dependency)
        }
    }

    private static func losses(_ envelope: JSONObject) -> [MigrationLoss] {
        var losses: [MigrationLoss] = []
        let dependent = envelope["tasks"]?.array?.count { $0[dependency]?.string != nil } ?? 0
        if dependent > 0 {
            let tasks = dependent == 1 ? "1 task" : "\(dependent) tasks"
            let text =
                "cannot hold dependencies between tasks: those of \(tasks) are preserved, and an older app does not "
                + "show them"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: ["tasks"])))
        }
        for table in tables {
            guard let count = envelope[table]?.array?.count, count > 0 else { continue }
            let (rows, they, them) = count == 1 ? ("row", "it is", "it") : ("rows", "they are", "them")
            let text =
                "cannot hold \(count) \(rows) of \(table): \(they) preserved, and an older app does not "
                + "show \(them)"
            losses.append(MigrationLoss(text, at: JSONPointer(tokens: [table])))
        }
        return losses
    }

    // MARK: Parts

    /// Tells whether a value can be the table in version 2, as the schema has it.
    ///
    /// An empty table is never parked.
    private static func isTable(_ name: String, _ rows: JSONValue) -> Bool {
        guard rows.array?.isEmpty == false, let schema = try? SlateFormat.versions.schema(2) else { return false }
        var document: JSONObject = ["schema_version": 2, "exported_at": "2025-09-22T15:04:05-07:00", "meta": [:]]
        for table in ["tasks", "habits", "habit_completions", "day_plan", "day_plan_items"] + tables {
            document[table] = table == name ? rows : []
        }
        var options = JSONParseOptions()
        options.maximumDepth = .max
        let parsed = try? JSONDocument(parsing: JSONValue.object(document).encoded(.compact), options: options)
        return parsed.map(schema.isValid) ?? false
    }

    private static func isDependency(_ pointer: JSONPointer) -> Bool {
        pointer.tokens.count == 3 && pointer.tokens[0] == "tasks" && pointer.tokens[2] == dependency
    }

    private static func eachTask(_ value: JSONValue, _ change: (JSONObject) -> JSONObject) -> JSONValue {
        guard let tasks = value.array else { return value }
        return .array(tasks.map { task in task.object.map { .object(change($0)) } ?? task })
    }
}
