public import CivilTime
public import StrictJSON

/// The habits that decide which days are perfect: those that existed on a day.
///
/// A day's snapshot says which habits were active on it. Of days without one, a habit counts from the local day on which
/// it was created, as long as it is active: the app does not record since when it is.
public struct SlateHabits: Sendable {
    private struct Habit {
        let id: String
        /// The first local day; nil where it is not known.
        let created: CivilDay?
    }

    private let dayStart: SlateDayStart
    private var active: [Habit] = []
    private var snapshots: [CivilDay: [Habit]] = [:]

    /// Makes an empty set of habits.
    ///
    /// - Parameter dayStart: The time at which the person's day begins, for the days on which habits were created.
    public init(dayStart: SlateDayStart) { self.dayStart = dayStart }

    /// Adds a habit that is active.
    ///
    /// - Parameter createdAt: The moment of its creation, as RFC 3339 writes it, in its own offset.
    public mutating func insert(_ id: String, createdAt: String?) {
        active.append(Habit(id: id, created: createdAt.flatMap(day)))
    }

    /// Adds a row of `habits`, if it is active.
    public mutating func insert(_ habit: JSONObject) {
        guard let id = habit["id"]?.string, habit["active"]?.bool ?? (habit["active"]?.int != 0) else { return }
        insert(id, createdAt: habit["created_at"]?.string)
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
            return Habit(id: id, created: element["created_at"]?.string.flatMap(day))
        }
    }

    /// Returns the identifiers of the habits that were active on a day, as far as that is known.
    ///
    /// An app that takes the snapshot later, when it is opened again, puts habits into it that were made meanwhile.
    ///
    /// - Parameter others: Other lists of habits in snapshots of the day, which count as well; a habit may occur again.
    public func existing(on day: CivilDay, others: [JSONValue] = []) -> [String] {
        let lists = [snapshots[day] ?? active] + others.compactMap(habits)
        return lists.joined().filter { $0.created.map { $0 <= day } ?? true }.map(\.id)
    }

    /// Returns the local day of a moment in its own offset.
    private func day(of text: String) -> CivilDay? {
        guard let day = CivilDay(String(text.prefix(10))) else { return nil }
        let time = text.dropFirst(11).prefix(5)
        guard let start = SlateDayStart(String(time)) else { return day }
        return start.minutes >= dayStart.minutes ? day : day.adding(days: -1)
    }
}
