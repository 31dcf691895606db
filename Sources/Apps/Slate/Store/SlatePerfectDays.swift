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
    /// Only days that the file calls perfect, or has completions of that were added; none stops being perfect.
    ///
    /// - Returns: The days whose flags were changed, with the new ones.
    func merge(_ content: SlateContent, _ job: SlateImport) throws -> [SlateDays.PlannedDay] {
        func day(_ cell: SlateCursor.Cell) -> CivilDay? {
            guard case .text(let text) = cell else { return nil }
            return CivilDay(String(decoding: text, as: UTF8.self))
        }
        var claimed: Set<CivilDay> = []
        let plans = content.cursor(.dayPlan)
        while plans.next() {
            if case .flag(true) = plans.cell(1), let day = day(plans.cell(0)) { claimed.insert(day) }
        }
        var days = claimed
        let rows = content.cursor(.habitCompletions)
        for position in job.writes[.habitCompletions] ?? [] where rows.go(to: position) {
            if let day = day(rows.cell(2)) { days.insert(day) }
        }
        let candidates = try plannedDays().filter { !$0.isPerfect && days.contains($0.day) }
        guard !candidates.isEmpty else { return [] }
        let (habits, completions) = (try habits(), try completions())
        let perfect = candidates.filter { row in
            SlateDays.isPerfectDay(
                row.day,
                activeHabits: habits.existing(on: row.day),
                completions: completions,
                isClaimed: claimed.contains(row.day)
            )
        }
        for row in perfect {
            let sql = "UPDATE day_plan SET perfect_day = 1 WHERE date = ?"
            try database.execute(sql: sql, arguments: [row.day.description])
        }
        return perfect.map { SlateDays.PlannedDay(day: $0.day, isPerfect: true) }
    }

    /// Returns the habits, with what snapshots tell of them.
    func habits() throws -> SlateHabits {
        var start: String?
        try database.forEachRow("SELECT value FROM meta WHERE key = 'day_start'") { start = $0.string(0) }
        var habits = SlateHabits(dayStart: start.flatMap(SlateDayStart.init) ?? .standard)
        try database.forEachRow("SELECT id, created_at FROM habits WHERE active = 1") { row in
            if let id = row.string(0) { habits.insert(id, createdAt: row.string(1)) }
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
