public import CivilTime
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

extension SlateDatabase {
    /// Changes records in one transaction, as the app does; an older database keeps its version.
    ///
    /// - Parameters:
    ///   - now: The present moment.
    ///   - clock: The person's clock.
    ///   - newID: Gives a new identifier at each call.
    ///   - body: Makes the changes; what it throws takes all of them back.
    /// - Throws: What the body, opening and SQLite throw.
    public func editing<Result>(
        now: Timestamp,
        clock: LocalClock,
        newID: @escaping () -> String,
        _ body: (SlateEditor) throws -> Result
    ) throws -> Result {
        try changing(.beforeImport, moment: now) { database, _ in
            let before = database.totalChangesCount
            let result = try body(try editor(database, now, clock, newID))
            return (result, database.totalChangesCount > before)
        }.result
    }

    /// Plans the unfinished tasks of the last plan for today, in one transaction; the database is copied before.
    ///
    /// `last_open_date` stays, so that the app still takes its snapshots when it is opened, and carries over what it
    /// would have. Version 1 has no log: a second rollover there plans again what was taken out of today's plan.
    ///
    /// - Parameters:
    ///   - now: The present moment.
    ///   - clock: The person's clock.
    ///   - newID: Gives a new identifier at each call.
    ///   - confirm: Called with today and the tasks; what it throws stops the rollover with nothing changed.
    /// - Returns: Today, the tasks, and the copy of the database as it was; nil where nothing had to be changed.
    /// - Throws: What `confirm`, opening and SQLite throw.
    public func rollover(
        now: Timestamp,
        clock: LocalClock,
        newID: @escaping () -> String,
        confirm: (CivilDay, [SlateTask]) throws -> Void
    ) throws -> (today: CivilDay, tasks: [SlateTask], safetyBackup: SlateSafetyBackup?) {
        let (result, copy) = try changing(.beforeRollover, moment: now) { database, keepCopy in
            let editor = try editor(database, now, clock, newID)
            let tasks = try editor.records.agenda(today: editor.today).leftOver
            try confirm(editor.today, tasks)
            let rollover = SlateDays.rollover(
                lastOpen: editor.today.adding(days: -1),
                today: editor.today,
                autoCarryover: true,
                planned: tasks.map { SlateDays.PlannedTask(id: $0.id, isDone: $0.isDone) },
                alreadyPlanned: try editor.records.plans().tasks(on: editor.today),
                newID: newID
            )
            guard let rollover, !rollover.items.isEmpty else { return ((editor.today, tasks), false) }
            try keepCopy()
            try editor.write(rollover)
            return ((editor.today, tasks), true)
        }
        return (result.0, result.1, copy)
    }

    private func editor(
        _ database: Database,
        _ now: Timestamp,
        _ clock: LocalClock,
        _ newID: @escaping () -> String
    ) throws -> SlateEditor {
        guard case .slate(let version) = try file.state(of: database) else {
            throw StoreError(.notFound, "the database has no tables of Slate's", path: path)
        }
        let records = try SlateRecords(database, version: version, path: path, excluded: file.excluded)
        let today = SlateDays.localToday(dayStart: try records.dayStart(), now: now, clock: clock)
        return SlateEditor(records: records, today: today, now: clock.text(of: now), newID: newID)
    }
}

/// The result of marking a habit on a day.
public struct SlateTick: Sendable, Hashable {
    /// True if the mark is new.
    public let isMarked: Bool
    /// True if the day was marked as perfect before.
    public let wasPerfect: Bool
    /// True if the day is marked as perfect now.
    public let isPerfect: Bool
    /// True if the opposite mark alone restores the day; else the person has to name the flag.
    public let restoresDay: Bool

    /// True if the store changed.
    public var isChanged: Bool { isMarked || isPerfect != wasPerfect }
}

/// Changes tasks and habits within a transaction; what is so already is left as it is.
public struct SlateEditor {
    /// The records as they are.
    public let records: SlateRecords
    /// The present day, which begins at the person's `day_start`.
    public let today: CivilDay
    /// The present moment, RFC 3339 with its offset.
    let now: String
    let newID: () -> String

    private var database: Database { records.database }

    /// Adds a task.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - notes: The notes.
    ///   - due: The day by which it is due.
    ///   - scheduled: The day that it is scheduled for.
    ///   - dependsOn: The identifier of the task that it waits for.
    /// - Returns: The identifier.
    /// - Throws: `store.older-version` for a task that waits in a database of version 1, which has no place for it; what
    ///   SQLite throws.
    public func addTask(
        title: String,
        notes: String? = nil,
        due: CivilDay? = nil,
        scheduled: CivilDay? = nil,
        dependsOn: String? = nil
    ) throws -> String {
        guard dependsOn == nil || records.version >= 2 else {
            let message =
                "version \(records.version) of Slate's tables, which the database has, cannot hold what a task waits "
                + "for; nothing was changed; an update of the app, or an import that changes something, upgrades it to "
                + "version \(SlateSchema.version)"
            throw StoreError(.olderVersion, message, path: records.path)
        }
        let id = newID()
        try database.execute(
            sql: """
                INSERT INTO tasks (id, title, notes, due_date, scheduled_for, is_done, created_at, updated_at, archived)
                VALUES (?, ?, ?, ?, ?, 0, ?, ?, 0)
                """,
            arguments: [id, title, notes, due?.description, scheduled?.description, now, now]
        )
        if let dependsOn {
            try database.execute(
                sql: "UPDATE tasks SET depends_on_task_id = ? WHERE id = ?",
                arguments: [dependsOn, id]
            )
        }
        try log("task", id, "created")
        return id
    }

    /// Puts a task into the plan of a day.
    ///
    /// - Returns: Whether it was not there yet.
    /// - Throws: What SQLite throws.
    public func plan(_ taskID: String, on day: CivilDay) throws -> Bool {
        try makePlan(day)
        guard try addItem(newID(), taskID, day) else { return false }
        try log("task", taskID, "planned", "{\"date\":\"\(day)\"}")
        return true
    }

    /// Takes a task out of the plan of a day.
    ///
    /// - Returns: Whether it was there.
    /// - Throws: What SQLite throws.
    public func unplan(_ taskID: String, on day: CivilDay) throws -> Bool {
        let condition = "date = ? AND entity_type = 'task' AND entity_id = ?"
        guard try remove(.dayPlanItems, where: condition, [day.description, taskID]) else { return false }
        try log("task", taskID, "unplanned", "{\"date\":\"\(day)\"}")
        return true
    }

    /// Marks a task as done, or as not done.
    ///
    /// - Parameter moment: The moment at which it was done, RFC 3339 with its offset; nil for the present one.
    /// - Returns: Whether it was not so already.
    /// - Throws: What SQLite throws.
    public func complete(_ taskID: String, _ isDone: Bool, at moment: String? = nil) throws -> Bool {
        try database.execute(
            sql: "UPDATE tasks SET is_done = ?, done_at = ?, updated_at = ? WHERE id = ? AND is_done <> ?",
            arguments: [isDone, isDone ? moment ?? now : nil, now, taskID, isDone]
        )
        guard database.changesCount > 0 else { return false }
        let dayStart = try records.dayStart()
        let day = moment.flatMap { SlateDays.writtenDay(of: $0, dayStart: dayStart) } ?? today
        try log("task", taskID, isDone ? "completed" : "reopened", "{\"date\":\"\(day)\"}")
        return true
    }

    /// Marks a habit as done on a day, or as not done; the flag `perfect_day` follows.
    ///
    /// Of today and of a day with a snapshot it is known which habits count. On another day the flag changes only where the
    /// change completes the active habits that existed then, or no longer does: the day may have been perfect by others.
    ///
    /// As in the app, a day that is marked has a row in `day_plan`, be it perfect or not: sync compares the flags of devices
    /// that marked one day without knowing of each other, and a day without a row has none.
    ///
    /// - Parameters:
    ///   - habitID: The habit.
    ///   - day: The day.
    ///   - isDone: Whether it is done.
    ///   - flag: What the day is marked as, whatever its habits are; nil to let the flag follow them.
    /// - Returns: What was changed.
    /// - Throws: What SQLite throws.
    public func tick(
        _ habitID: String,
        on day: CivilDay,
        _ isDone: Bool,
        marking flag: Bool? = nil
    ) throws -> SlateTick {
        let known = try SlatePerfectDays(database).habits()
        let rule = PerfectDayRule(
            isKnown: day == today || known.hasSnapshot(of: day),
            habits: try day == today ? records.habits().filter(\.isActive).map(\.id) : known.existing(on: day)
        )
        let wasPerfect = try records.plannedDays().contains { $0.day == day && $0.isPerfect }
        let wasComplete = rule.isComplete(day, try records.completions())
        let isMarked =
            try isDone
            ? addCompletion(habitID, day)
            : remove(.habitCompletions, where: "habit_id = ? AND date = ?", [habitID, day.description])
        let completions = try records.completions()
        let isComplete = rule.isComplete(day, completions)
        var isPerfect = wasPerfect
        if isMarked { isPerfect = rule.flag(wasPerfect, isDone: isDone, from: wasComplete, to: isComplete) }
        if let flag { isPerfect = flag }
        if isMarked || isPerfect { try makePlan(day) }
        if isPerfect != wasPerfect { try setPerfect(day, isPerfect) }
        var restored = isPerfect
        if isMarked {
            restored = rule.flag(isPerfect, isDone: !isDone, from: isComplete, to: wasComplete)
            let streak = SlateDays.streak(completedDays: completions.days(of: habitID), today: day)
            let details = "{\"date\":\"\(day)\"\(isDone ? ",\"streak\":\(streak)" : "")}"
            try log("habit", habitID, isDone ? "completed" : "reopened", details)
        }
        return SlateTick(
            isMarked: isMarked,
            wasPerfect: wasPerfect,
            isPerfect: isPerfect,
            restoresDay: restored == wasPerfect
        )
    }

    /// The rule for how the flag `perfect_day` follows a habit that is marked.
    private struct PerfectDayRule {
        /// True if the store tells which habits count.
        let isKnown: Bool
        let habits: [String]

        func isComplete(_ day: CivilDay, _ completions: SlateCompletions) -> Bool {
            SlateDays.isPerfectDay(day, activeHabits: habits, completions: completions)
        }

        /// Returns the flag once a habit is marked as done or not done, which makes the day complete, or not.
        func flag(_ flag: Bool, isDone: Bool, from wasComplete: Bool, to isComplete: Bool) -> Bool {
            guard isKnown || wasComplete != isComplete else { return flag }
            return isDone ? flag || isComplete : flag && (isComplete || habits.isEmpty)
        }
    }

    func write(_ rollover: SlateDays.Rollover) throws {
        if rollover.needsDayPlan { try makePlan(rollover.today) }
        for item in rollover.items where try addItem(item.id, item.taskID, rollover.today) {
            try log("task", item.taskID, "carried_over", "{\"date\":\"\(rollover.today)\"}")
        }
    }

    private func addCompletion(_ habitID: String, _ day: CivilDay) throws -> Bool {
        try database.execute(
            sql: "INSERT OR IGNORE INTO habit_completions (id, habit_id, date, completed_at) VALUES (?, ?, ?, ?)",
            arguments: [newID(), habitID, day.description, now]
        )
        return database.changesCount > 0
    }

    private func addItem(_ id: String, _ taskID: String, _ day: CivilDay) throws -> Bool {
        try database.execute(
            sql: "INSERT OR IGNORE INTO day_plan_items (id, date, entity_type, entity_id) VALUES (?, ?, 'task', ?)",
            arguments: [id, day.description, taskID]
        )
        return database.changesCount > 0
    }

    private func makePlan(_ day: CivilDay) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO day_plan (date, perfect_day) VALUES (?, 0)",
            arguments: [day.description]
        )
    }

    private func setPerfect(_ day: CivilDay, _ isPerfect: Bool) throws {
        try database.execute(
            sql: "UPDATE day_plan SET perfect_day = ? WHERE date = ? AND perfect_day <> ?",
            arguments: [isPerfect, day.description, isPerfect]
        )
    }

    /// Removes rows, with the members that the side table keeps for them.
    private func remove(_ table: SlateTable, where condition: String, _ values: StatementArguments) throws -> Bool {
        let sql = "SELECT id FROM \(table.name) WHERE \(condition)"
        let keys = try String.fetchAll(database, sql: sql, arguments: values)
        for key in keys {
            try database.execute(sql: "DELETE FROM \(table.name) WHERE id = ?", arguments: [key])
            guard records.extras.isThere else { continue }
            try Array(key.utf8).withUnsafeBufferPointer { bytes in
                try records.extras.set([:], table: table.name, key: bytes)
            }
        }
        return !keys.isEmpty
    }

    /// Notes in the app's log what was done; version 1 has none.
    private func log(_ kind: String, _ id: String, _ action: String, _ details: String? = nil) throws {
        guard records.version >= 2 else { return }
        try database.execute(
            sql: """
                INSERT INTO activity_log (id, timestamp, entity_type, entity_id, action_type, details)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [newID(), now, kind, id, action, details]
        )
    }
}
