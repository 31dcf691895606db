public import CivilTime
public import StrictJSON

/// The habits that decide which days are perfect: those that existed on a day.
///
/// A day's snapshot says which habits were active on it. Of days without one, a habit counts from the local day on
/// which it was created, as long as it is active: the app does not record since when it is. A habit that was changed
/// after a day may have been paused or woken since.
public struct SlateHabits: Sendable {
    private struct Habit {
        let id: String
        /// The first local day; nil where it is not known.
        let created: CivilDay?
        /// The local day of the last change; nil where it is not known.
        let changed: CivilDay?

        /// Tells whether the habit may have been paused or woken after a day.
        func isChanged(after day: CivilDay) -> Bool { changed.map { day < $0 } ?? false }
    }

    private let dayStart: SlateDayStart
    private var active: [Habit] = []
    private var paused: [Habit] = []
    private var snapshots: [CivilDay: [Habit]] = [:]

    /// Makes an empty set of habits.
    ///
    /// - Parameter dayStart: The time at which the person's day begins, for the days on which habits were created.
    public init(dayStart: SlateDayStart) { self.dayStart = dayStart }

    /// Adds a habit.
    ///
    /// - Parameters:
    ///   - createdAt: The moment of its creation, as RFC 3339 writes it, in its own offset.
    ///   - updatedAt: The moment of its last change, likewise.
    ///   - isActive: False for one that is paused.
    public mutating func insert(
        _ id: String,
        createdAt: String?,
        updatedAt: String? = nil,
        isActive: Bool = true
    ) {
        let habit = Habit(id: id, created: createdAt.flatMap(day), changed: updatedAt.flatMap(day))
        if isActive { active.append(habit) } else { paused.append(habit) }
    }

    /// Adds a row of `habits`.
    public mutating func insert(_ habit: JSONObject) {
        guard let id = habit["id"]?.string else { return }
        insert(
            id,
            createdAt: habit["created_at"]?.string,
            updatedAt: habit["updated_at"]?.string,
            isActive: habit["active"]?.bool ?? (habit["active"]?.int != 0)
        )
    }

    /// Adds the list `habits` of a day's snapshot: copies of the habits, or their identifiers.
    public mutating func insert(snapshot list: JSONValue?, of day: CivilDay) {
        if let habits = self.habits(list) { snapshots[day] = habits }
    }

    /// Tells whether a snapshot says which habits were active on a day.
    func hasSnapshot(of day: CivilDay) -> Bool { snapshots[day] != nil }

    private func habits(_ list: JSONValue?) -> [Habit]? {
        let list = list?.string.flatMap { try? JSONDocument(parsing: $0).root.value } ?? list
        return list?.array?.compactMap { element in
            guard let id = element.string ?? element["id"]?.string else { return nil }
            return Habit(id: id, created: element["created_at"]?.string.flatMap(day), changed: nil)
        }
    }

    /// Returns the identifiers of the habits that were active on a day, as far as that is known.
    ///
    /// An app that takes the snapshot later, when it is opened again, puts habits into it that were made meanwhile.
    public func existing(on day: CivilDay) -> [String] {
        exist(snapshots[day] ?? active, on: day)
    }

    /// Counts the habits of a day, as it is shown: how many were done, of how many that existed.
    ///
    /// A habit that was paused after the day existed on it, and so did one that was done on it and is gone since.
    public func counts(on day: CivilDay, completions: SlateCompletions) -> (done: Int, habits: Int) {
        let done = completions.habits(on: day)
        return (done.count, done.union(possible(on: day).map(ScalarKey.init)).count)
    }

    /// Returns the identifiers of all habits that may have been active on a day.
    ///
    /// - Parameter others: Other lists of habits in snapshots of the day, which count as well; a habit may occur again.
    func possible(on day: CivilDay, others: [JSONValue] = []) -> [String] {
        let lists = listed(on: day, others)
        guard lists.isEmpty else { return lists.flatMap { $0 } }
        return exist(active + paused.filter { $0.isChanged(after: day) }, on: day)
    }

    /// Returns the lists of habits any of which may be that of a day: those of its snapshots, else the active habits.
    ///
    /// - Parameters:
    ///   - others: Other lists of habits in snapshots of the day.
    ///   - isCertain: Whether to leave out active habits that may have been woken after the day.
    func lists(on day: CivilDay, others: [JSONValue] = [], isCertain: Bool) -> [[String]] {
        let lists = listed(on: day, others)
        guard lists.isEmpty else { return lists }
        return [exist(isCertain ? active.filter { !$0.isChanged(after: day) } : active, on: day)]
    }

    private func listed(on day: CivilDay, _ others: [JSONValue]) -> [[String]] {
        ((snapshots[day].map { [$0] } ?? []) + others.compactMap(habits)).map { exist($0, on: day) }
    }

    /// Returns the identifiers of those habits that were made by the end of a day.
    private func exist(_ habits: [Habit], on day: CivilDay) -> [String] {
        habits.filter { $0.created.map { $0 <= day } ?? true }.map(\.id)
    }

    /// Returns the local day of a moment in its own offset.
    private func day(of text: String) -> CivilDay? { SlateDays.writtenDay(of: text, dayStart: dayStart) }
}
