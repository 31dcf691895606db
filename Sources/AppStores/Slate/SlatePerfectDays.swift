internal import AppFormats
internal import GRDB

/// Computes the flags `perfect_day` of a database anew.
struct SlatePerfectDays {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// The rows of `day_plan` whose flag is to be changed, with the new flag.
    func changes(_ scope: SlateDays.Recomputation, today: CivilDay) throws -> [SlateDays.PlannedDay] {
        guard scope != .asProvided else { return [] }
        var active: [String] = []
        try database.forEachRow("SELECT id FROM habits WHERE active = 1") { row in
            if let id = row.string(0) { active.append(id) }
        }
        return SlateDays.recomputePerfectDays(
            scope,
            of: try plannedDays(),
            activeHabits: active,
            completions: try completions(),
            today: today
        )
    }

    /// - Returns: How many flags were changed.
    func recompute(_ scope: SlateDays.Recomputation, today: CivilDay) throws -> Int {
        let changed = try changes(scope, today: today)
        for day in changed {
            try database.execute(
                sql: "UPDATE day_plan SET perfect_day = ? WHERE date = ?",
                arguments: [day.isPerfect, day.day.description]
            )
        }
        return changed.count
    }

    /// Computes the flags of some days, asking for no others.
    func recompute(_ dates: some Sequence<String>) throws {
        let isPerfect = """
            EXISTS (SELECT 1 FROM habits WHERE active = 1)
                AND NOT EXISTS (
                    SELECT 1 FROM habits h WHERE h.active = 1 AND NOT EXISTS (
                        SELECT 1 FROM habit_completions c WHERE c.habit_id = h.id AND c.date = day_plan.date
                    )
                )
            """
        let statement = try StoreStatement(
            database,
            "UPDATE day_plan SET perfect_day = (\(isPerfect)) WHERE date = ? AND perfect_day <> (\(isPerfect))"
        )
        for date in dates {
            try statement.bind([Array(date.utf8)])
            try statement.run()
        }
    }

    /// The rows of `day_plan` whose date is one.
    func plannedDays() throws -> [SlateDays.PlannedDay] {
        var days: [SlateDays.PlannedDay] = []
        try database.forEachRow("SELECT date, perfect_day FROM day_plan ORDER BY date") { row in
            guard let day = row.string(0).flatMap(CivilDay.init), case .integer(let flag) = row.value(1) else { return }
            days.append(SlateDays.PlannedDay(day: day, isPerfect: flag != 0))
        }
        return days
    }

    /// All completions.
    func completions() throws -> SlateCompletions {
        var completions = SlateCompletions()
        try database.forEachRow("SELECT habit_id, date FROM habit_completions") { row in
            guard let habit = row.string(0), let day = row.string(1).flatMap(CivilDay.init) else { return }
            completions.insert(habit, on: day)
        }
        return completions
    }
}
