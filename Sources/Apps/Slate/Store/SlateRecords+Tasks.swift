public import CivilTime
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// A task, as commands show it.
public struct SlateTask: Sendable, Hashable {
    /// The primary key.
    public let id: String
    /// The title.
    public let title: String
    /// The notes, if there are any.
    public let notes: String?
    /// The day by which it is due.
    public let due: CivilDay?
    /// The day that it is scheduled for.
    public let scheduled: CivilDay?
    /// True if the task is done.
    public let isDone: Bool
    /// The time at which it was done, RFC 3339.
    public let doneAt: String?
    /// True if the task is archived.
    public let isArchived: Bool
    /// The identifier of the task that it waits for.
    public let dependsOn: String?
    /// The time of the last change, RFC 3339.
    public let updatedAt: String

    /// True if the task is neither done nor archived.
    public var isOpen: Bool { !isDone && !isArchived }
}

extension SlateRecords {
    /// Returns the tasks, in the order of their creation.
    ///
    /// - Throws: `slate.value` for a row that cannot be read; what SQLite throws.
    public func tasks() throws -> [SlateTask] {
        var tasks: [SlateTask] = []
        let sql = """
            SELECT id, title, notes, due_date, scheduled_for, is_done, done_at, archived,
                \(version >= 2 ? "depends_on_task_id" : "NULL"), updated_at
            FROM tasks ORDER BY julianday(created_at), created_at, id
            """
        try database.forEachRow(sql) { row in
            guard let id = row.string(0), case .integer(let isDone) = row.value(5),
                case .integer(let isArchived) = row.value(7)
            else {
                let message = "a row of tasks cannot be read; an export says what is wrong with it"
                throw StoreError(.value, message, path: path)
            }
            tasks.append(
                SlateTask(
                    id: id,
                    title: row.string(1) ?? "",
                    notes: row.string(2),
                    due: row.string(3).flatMap(CivilDay.init),
                    scheduled: row.string(4).flatMap(CivilDay.init),
                    isDone: isDone != 0,
                    doneAt: row.string(6),
                    isArchived: isArchived != 0,
                    dependsOn: row.string(8),
                    updatedAt: row.string(9) ?? ""
                )
            )
        }
        return tasks
    }

    /// Returns the time at which the person's day begins.
    ///
    /// - Throws: What SQLite throws.
    public func dayStart() throws -> SlateDayStart {
        try metaTexts()["day_start"].flatMap(SlateDayStart.init) ?? .standard
    }

    /// Returns the days for whose plan each task was chosen.
    ///
    /// - Throws: What SQLite throws.
    public func plans() throws -> SlatePlans {
        var plans = SlatePlans()
        let sql = "SELECT date, entity_id FROM day_plan_items WHERE entity_type = 'task' ORDER BY date, id"
        try database.forEachRow(sql) { row in
            if let day = row.string(0).flatMap(CivilDay.init), let id = row.string(1) { plans.insert(id, on: day) }
        }
        return plans
    }

    /// Returns what tells from which plan a rollover takes its tasks.
    ///
    /// - Throws: What SQLite throws.
    public func rollovers() throws -> SlateRollovers {
        var rollovers = SlateRollovers(lastOpen: try metaTexts()["last_open_date"].flatMap(CivilDay.init))
        guard version >= 2 else { return rollovers }
        let sql = """
            SELECT entity_id, details, action_type FROM activity_log
            WHERE action_type IN ('carried_over', 'unplanned') AND entity_type = 'task'
            """
        try database.forEachRow(sql) { row in
            guard let id = row.string(0), let text = row.string(1),
                let day = (try? JSONDocument(parsing: text))?.root["date"]?.string.flatMap(CivilDay.init)
            else { return }
            rollovers.insert(id, on: day, isCarriedOver: row.string(2) == "carried_over")
        }
        return rollovers
    }

    /// Returns the content of a day.
    ///
    /// - Parameter today: The present day.
    /// - Throws: `slate.value` for a row that cannot be read; what SQLite throws.
    public func agenda(today: CivilDay) throws -> SlateAgenda {
        SlateAgenda(
            day: today,
            tasks: try tasks(),
            plans: try plans(),
            rollovers: try rollovers(),
            habits: try habits(),
            completions: try completions()
        )
    }
}
