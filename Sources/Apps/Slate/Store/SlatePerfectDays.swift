internal import CivilTime
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Computes the flags `perfect_day` of a database anew.
struct SlatePerfectDays {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// Returns the rows of `day_plan` whose flag must change, with the new flag.
    func changes(_ scope: SlateDays.Recomputation, today: CivilDay) throws -> [SlateDays.PlannedDay] {
        guard scope != .asProvided else { return [] }
        return SlateDays.recomputePerfectDays(
            scope,
            of: try plannedDays(),
            habits: try habits(),
            completions: try completions(),
            today: today
        )
    }

    /// Computes the flags anew, and returns the days whose flags were changed, with the new ones.
    func recompute(_ scope: SlateDays.Recomputation, today: CivilDay) throws -> [SlateDays.PlannedDay] {
        let changed = try changes(scope, today: today)
        for day in changed {
            try database.execute(
                sql: "UPDATE day_plan SET perfect_day = ? WHERE date = ?",
                arguments: [day.isPerfect, day.day.description]
            )
        }
        return changed
    }

    /// Marks days as perfect that are so by the completions of the database and of a file merged into it.
    ///
    /// Those are days that the file calls perfect, or has completions of that were added; none stops being perfect.
    /// Where the file has all completions of a day and calls it not perfect, it stays so.
    ///
    /// - Parameters:
    ///   - content: The file, which was merged.
    ///   - before: The completions of the database before; nil to mark only days that the file calls perfect.
    /// - Returns: The days whose flags were changed, with the new ones.
    func merge(_ content: SlateContent, after before: SlateCompletions?) throws -> [SlateDays.PlannedDay] {
        let completions = try completions()
        let (claimed, denied) = content.flaggedDays()
        let days = claimed.union(before.map(completions.days(beyond:)) ?? [])
        let candidates = try plannedDays().filter { !$0.isPerfect && days.contains($0.day) }
        guard !candidates.isEmpty else { return [] }
        let (habits, snapshots) = (try habits(), content.habitLists())
        let known = content.completions()
        let perfect = candidates.map(\.day).filter { day in
            let others = snapshots[day].map { [$0] } ?? []
            if claimed.contains(day) {
                let lists = habits.lists(on: day, others: others, isCertain: true)
                return SlateDays.staysPerfect(day, lists: lists, completions: completions)
            }
            if denied.contains(day), completions.isCovered(by: known, on: day) { return false }
            let possible = habits.possible(on: day, others: others)
            return SlateDays.isPerfectDay(day, activeHabits: possible, completions: completions)
        }
        for day in perfect {
            let sql = "UPDATE day_plan SET perfect_day = 1 WHERE date = ?"
            try database.execute(sql: sql, arguments: [day.description])
        }
        return perfect.map { SlateDays.PlannedDay(day: $0, isPerfect: true) }
    }

    /// Returns the habits, with what snapshots tell of them.
    func habits() throws -> SlateHabits {
        var start: String?
        try database.forEachRow("SELECT value FROM meta WHERE key = 'day_start'") { start = $0.string(0) }
        var habits = SlateHabits(dayStart: start.flatMap(SlateDayStart.init) ?? .standard)
        try database.forEachRow("SELECT id, created_at, updated_at, active = 1 FROM habits") { row in
            guard let id = row.string(0), case .integer(let active) = row.value(3) else { return }
            habits.insert(id, createdAt: row.string(1), updatedAt: row.string(2), isActive: active != 0)
        }
        guard try database.names(ofType: "table").contains(SlateTable.daySnapshots.name) else { return habits }
        try database.forEachRow("SELECT date, habits FROM day_snapshots") { row in
            guard let day = row.string(0).flatMap(CivilDay.init), let list = row.string(1) else { return }
            habits.insert(snapshot: .string(list), of: day)
        }
        return habits
    }

    /// Returns the rows of `day_plan` whose date is valid.
    func plannedDays() throws -> [SlateDays.PlannedDay] {
        var days: [SlateDays.PlannedDay] = []
        try database.forEachRow("SELECT date, perfect_day FROM day_plan ORDER BY date") { row in
            guard let day = row.string(0).flatMap(CivilDay.init), case .integer(let flag) = row.value(1) else { return }
            days.append(SlateDays.PlannedDay(day: day, isPerfect: flag != 0))
        }
        return days
    }

    /// Returns all completions.
    func completions() throws -> SlateCompletions {
        var completions = SlateCompletions()
        try database.forEachRow("SELECT habit_id, date FROM habit_completions") { row in
            guard let habit = row.string(0), let day = row.string(1).flatMap(CivilDay.init) else { return }
            completions.insert(habit, on: day)
        }
        return completions
    }
}

extension SlateContent {
    /// Returns the days that are marked as perfect, and those that are marked as not perfect.
    fileprivate func flaggedDays() -> (claimed: Set<CivilDay>, denied: Set<CivilDay>) {
        var (claimed, denied): (Set<CivilDay>, Set<CivilDay>) = ([], [])
        let rows = cursor(.dayPlan)
        while rows.next() {
            guard let day = rows.day(0), case .flag(let flag) = rows.cell(1) else { continue }
            if flag { claimed.insert(day) } else { denied.insert(day) }
        }
        return (claimed, denied)
    }

    /// Returns all completions.
    fileprivate func completions() -> SlateCompletions {
        var completions = SlateCompletions()
        let rows = cursor(.habitCompletions)
        while rows.next() {
            guard let habit = rows.text(1), let day = rows.day(2) else { continue }
            completions.insert(habit, on: day)
        }
        return completions
    }

    /// Returns the habits of the snapshots.
    fileprivate func habitLists() -> [CivilDay: JSONValue] {
        var lists: [CivilDay: JSONValue] = [:]
        let rows = cursor(.daySnapshots)
        while rows.next() {
            guard let day = rows.day(0) else { continue }
            if case .json(let text) = rows.cell(3) {
                lists[day] = try? JSONDocument(parsing: Array(text)).root.value
            } else {
                lists[day] = rows.text(3).map { .string($0) }
            }
        }
        return lists
    }
}

extension SlateCursor {
    fileprivate func text(_ column: Int) -> String? {
        guard case .text(let text) = cell(column) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    fileprivate func day(_ column: Int) -> CivilDay? { text(column).flatMap(CivilDay.init) }
}
