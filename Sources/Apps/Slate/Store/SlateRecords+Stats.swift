public import CivilTime
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase

/// A habit, as far as statistics ask.
public struct SlateHabit: Sendable, Hashable {
    /// The primary key.
    public let id: String
    /// The title.
    public let title: String
    /// True if the habit is active today.
    public let isActive: Bool
    /// The notes, if there are any.
    public let notes: String?
    /// The time of its reminder as `HH:mm`, if it has one.
    public let reminderTime: String?
    /// The time of creation, RFC 3339.
    public let createdAt: String
    /// The time of the last change, RFC 3339.
    public let updatedAt: String
}

/// The numbers of tasks by kind; each task counts once.
public struct SlateTaskCounts: Sendable, Hashable {
    /// Neither done nor archived.
    public let open: Int
    /// Done and not archived.
    public let done: Int
    /// Archived.
    public let archived: Int
}

extension SlateRecords {
    /// Returns the habits, in the natural order of their titles.
    ///
    /// - Throws: `slate.value` where a row has no text as its key; SQLite's error.
    public func habits() throws -> [SlateHabit] {
        var habits: [SlateHabit] = []
        let sql = """
            SELECT id, title, active, notes, reminder_time, created_at, updated_at FROM habits ORDER BY title, id
            """
        try database.forEachRow(sql) { row in
            guard let id = row.string(0), case .integer(let active) = row.value(2) else {
                let message = "a row of habits cannot be read; an export says what is wrong with it"
                throw StoreError(.value, message, path: path)
            }
            habits.append(
                SlateHabit(
                    id: id,
                    title: row.string(1) ?? "",
                    isActive: active != 0,
                    notes: row.string(3),
                    reminderTime: row.string(4),
                    createdAt: row.string(5) ?? "",
                    updatedAt: row.string(6) ?? ""
                )
            )
        }
        return habits.sorted { NaturalOrder.precedes($0.title, $1.title) }
    }

    /// Returns the days on which each habit was completed.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func completions() throws -> SlateCompletions { try SlatePerfectDays(database).completions() }

    /// Returns the planned days.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func plannedDays() throws -> [SlateDays.PlannedDay] { try SlatePerfectDays(database).plannedDays() }

    /// Returns the habits by the days on which they existed.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func existingHabits() throws -> SlateHabits { try SlatePerfectDays(database).habits() }

    /// Returns the perfect days: those before today by their flags, today by the habits that are active.
    ///
    /// - Throws: `slate.value` where a row has no text as its key; SQLite's error.
    public func perfectDays(today: CivilDay) throws -> Set<CivilDay> {
        var days = Set(try plannedDays().lazy.filter { $0.isPerfect && $0.day < today }.map(\.day))
        let active = try habits().filter(\.isActive).map(\.id)
        if SlateDays.isPerfectDay(today, activeHabits: active, completions: try completions()) { days.insert(today) }
        return days
    }

    /// Returns the tasks by kind.
    ///
    /// - Throws: SQLite's error; the database turns it into a `StoreError`.
    public func taskCounts() throws -> SlateTaskCounts {
        let sql = """
            SELECT coalesce(sum(archived = 0 AND is_done = 0), 0), coalesce(sum(archived = 0 AND is_done <> 0), 0),
                coalesce(sum(archived <> 0), 0)
            FROM tasks
            """
        var counts = SlateTaskCounts(open: 0, done: 0, archived: 0)
        try database.forEachRow(sql) { row in
            guard case .integer(let open) = row.value(0), case .integer(let done) = row.value(1),
                case .integer(let archived) = row.value(2)
            else { return }
            counts = SlateTaskCounts(open: open, done: done, archived: archived)
        }
        return counts
    }
}
