public import AppFormats
internal import GRDB

/// A habit, as far as statistics ask.
public struct SlateHabit: Sendable, Hashable {
    /// The primary key.
    public let id: String
    /// The title.
    public let title: String
    /// Whether it takes part in today.
    public let isActive: Bool
}

/// How many tasks there are of which kind; each task counts once.
public struct SlateTaskCounts: Sendable, Hashable {
    /// Neither done nor archived.
    public let open: Int
    /// Done and not archived.
    public let done: Int
    /// Archived.
    public let archived: Int
}

extension SlateRecords {
    /// The habits, by title.
    public func habits() throws -> [SlateHabit] {
        try Row.fetchAll(database, sql: "SELECT id, title, active FROM habits ORDER BY title, id").map { row in
            SlateHabit(id: row[0], title: row[1], isActive: row[2])
        }
    }

    /// On which days which habits were completed.
    public func completions() throws -> SlateCompletions { try SlatePerfectDays(database).completions() }

    /// The planned days.
    public func plannedDays() throws -> [SlateDays.PlannedDay] { try SlatePerfectDays(database).plannedDays() }

    /// The tasks by kind.
    public func taskCounts() throws -> SlateTaskCounts {
        let sql = """
            SELECT coalesce(sum(archived = 0 AND is_done = 0), 0), coalesce(sum(archived = 0 AND is_done <> 0), 0),
                coalesce(sum(archived <> 0), 0)
            FROM tasks
            """
        guard let row = try Row.fetchOne(database, sql: sql) else {
            return SlateTaskCounts(open: 0, done: 0, archived: 0)
        }
        return SlateTaskCounts(open: row[0], done: row[1], archived: row[2])
    }
}
