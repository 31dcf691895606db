public import CivilTime

/// The work done in a period: tasks, perfect days, and each habit.
public struct SlatePeriod: Sendable {
    /// The number of days in the period on which a habit was done.
    public struct Habit: Sendable, Hashable {
        /// The habit.
        public let habit: SlateHabit
        /// The days.
        public let days: Int
        /// The days of the period on which it could be done.
        ///
        /// They begin with its creation, or an earlier day on which it was done, and end with today.
        public let possible: Int
    }

    /// The first day.
    public let from: CivilDay
    /// The last day.
    public let to: CivilDay
    /// The number of tasks that were done.
    public let tasksDone: Int
    /// The number of days that are marked as perfect.
    public let perfectDays: Int
    /// The active habits.
    public let habits: [Habit]

    /// The number of days.
    public var length: Int { to.number - from.number + 1 }
    /// The period of the same length that ends before this one.
    public var previous: (from: CivilDay, to: CivilDay) { (from.adding(days: -length), from.adding(days: -1)) }

    /// Counts what was done from one day to another.
    ///
    /// - Parameters:
    ///   - from: The first day.
    ///   - to: The last day.
    ///   - doneDays: For each task that is done the day on which it was.
    ///   - plannedDays: The rows of `day_plan`.
    ///   - habits: The habits; the active ones count.
    ///   - completions: All completions.
    ///   - dayStart: The time at which the person's day begins, for the days on which habits were created.
    ///   - today: The present day.
    public init(
        from: CivilDay,
        to: CivilDay,
        doneDays: [CivilDay],
        plannedDays: [SlateDays.PlannedDay],
        habits: [SlateHabit],
        completions: SlateCompletions,
        dayStart: SlateDayStart,
        today: CivilDay
    ) {
        self.from = from
        self.to = max(from, to)
        let range = from...max(from, to)
        tasksDone = doneDays.count(where: range.contains)
        perfectDays = plannedDays.count { $0.isPerfect && range.contains($0.day) }
        self.habits = habits.filter(\.isActive).map { habit in
            let all = completions.days(of: habit.id)
            let days = all.filter(range.contains)
            let created = SlateDays.writtenDay(of: habit.createdAt, dayStart: dayStart) ?? from
            let first = max(from, min(created, all.min() ?? created))
            let last = min(range.upperBound, max(today, days.max() ?? today))
            return Habit(habit: habit, days: days.count, possible: max(0, last.number - first.number + 1))
        }
    }
}

extension SlateRecords {
    /// Returns the work done from one day to another.
    ///
    /// - Parameters:
    ///   - today: The present day.
    ///   - clock: The clock by which moments belong to days that were written without an offset, in UTC.
    /// - Throws: `slate.value` for a row that cannot be read; what SQLite throws.
    public func period(from: CivilDay, to: CivilDay, today: CivilDay, clock: LocalClock) throws -> SlatePeriod {
        let dayStart = try dayStart()
        let doneDays = try tasks().filter(\.isDone).compactMap { task in
            task.doneAt.flatMap { SlateDays.day(of: $0, dayStart: dayStart, clock: clock) }
        }
        return SlatePeriod(
            from: from,
            to: to,
            doneDays: doneDays,
            plannedDays: try plannedDays(),
            habits: try habits(),
            completions: try completions(),
            dayStart: dayStart,
            today: today
        )
    }
}

extension SlateDays {
    /// Returns the local day of a moment: where it was, by its offset; where it has none but `Z`, by a clock.
    fileprivate static func day(of moment: String, dayStart: SlateDayStart, clock: LocalClock) -> CivilDay? {
        guard let instant = Timestamp(moment) else { return nil }
        return moment.uppercased().hasSuffix("Z")
            ? localToday(dayStart: dayStart, now: instant, clock: clock) : writtenDay(of: moment, dayStart: dayStart)
    }
}
