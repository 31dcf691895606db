internal import AppFormats
internal import GRDB

/// Computes the flags `perfect_day` of a database anew.
struct SlatePerfectDays {
    private let database: Database

    init(_ database: Database) { self.database = database }

    /// - Returns: How many flags were changed.
    func recompute(_ scope: SlateDays.Recomputation, today: CivilDay) throws -> Int {
        guard scope != .asProvided else { return 0 }
        let active = try String.fetchAll(database, sql: "SELECT id FROM habits WHERE active = 1")
        let changed = SlateDays.recomputePerfectDays(
            scope,
            of: try plannedDays(),
            activeHabits: active,
            completions: try completions(),
            today: today
        )
        for day in changed {
            try database.execute(
                sql: "UPDATE day_plan SET perfect_day = ? WHERE date = ?",
                arguments: [day.isPerfect, day.day.description]
            )
        }
        return changed.count
    }

    /// The rows of `day_plan` whose date is one.
    func plannedDays() throws -> [SlateDays.PlannedDay] {
        try Row.fetchAll(database, sql: "SELECT date, perfect_day FROM day_plan ORDER BY date").compactMap { row in
            CivilDay(row[0] as String).map { SlateDays.PlannedDay(day: $0, isPerfect: row[1]) }
        }
    }

    /// All completions.
    func completions() throws -> SlateCompletions {
        var completions = SlateCompletions()
        let rows = try Row.fetchCursor(database, sql: "SELECT habit_id, date FROM habit_completions")
        while let row = try rows.next() {
            if let day = CivilDay(row[1] as String) { completions.insert(row[0], on: day) }
        }
        return completions
    }
}
