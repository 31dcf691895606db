public import CivilTime
internal import StrictJSON

/// The days for which tasks were chosen.
public struct SlatePlans: Sendable {
    private var tasks: [CivilDay: [String]] = [:]
    private var days: [ScalarKey: [CivilDay]] = [:]

    /// Makes an empty set of plans.
    public init() {}

    /// Adds a task to the plan of a day.
    public mutating func insert(_ taskID: String, on day: CivilDay) {
        tasks[day, default: []].append(taskID)
        days[ScalarKey(taskID), default: []].append(day)
    }

    /// Returns the identifiers of the tasks in the plan of a day.
    public func tasks(on day: CivilDay) -> [String] { tasks[day] ?? [] }

    /// Returns the days whose plans have a task, in the order in which they were added.
    public func days(of taskID: String) -> [CivilDay] { days[ScalarKey(taskID)] ?? [] }

    /// The days with a task in their plan.
    var all: some Sequence<CivilDay> { tasks.keys }
}

/// The facts by which a rollover finds the plan that it takes its tasks from.
public struct SlateRollovers: Sendable {
    /// The day on which the app was last open, `meta.last_open_date`; nil where there is none.
    let lastOpen: CivilDay?
    /// The days to which tasks were carried over, as the log has it.
    private var carried: Set<CivilDay> = []
    /// The tasks that were carried over to each day, or taken out of its plan.
    private var moved: [CivilDay: Set<ScalarKey>] = [:]

    /// Makes the rollovers of an app that was last open on a day.
    public init(lastOpen: CivilDay?) { self.lastOpen = lastOpen }

    /// Adds a task that was carried over to a day, or else taken out of its plan.
    public mutating func insert(_ taskID: String, on day: CivilDay, isCarriedOver: Bool) {
        if isCarriedOver { carried.insert(day) }
        moved[day, default: []].insert(ScalarKey(taskID))
    }

    /// Tells whether a task was carried over to a day or taken out of its plan, be it in that plan now or not.
    func has(_ taskID: String, on day: CivilDay) -> Bool { moved[day]?.contains(ScalarKey(taskID)) ?? false }

    /// Returns the last day before another that had a plan; nil where there is none, or the app was opened since.
    func lastDay(before day: CivilDay, _ plans: SlatePlans) -> CivilDay? {
        guard lastOpen.map({ $0 < day }) ?? true else { return nil }
        return (Array(plans.all) + carried + [lastOpen].compactMap(\.self)).filter { $0 < day }.max()
    }
}

/// The content of the present day: its plan, the tasks that are due, and the habits.
public struct SlateAgenda: Sendable {
    /// A habit, as it stands on the day.
    public struct Habit: Sendable, Hashable {
        /// The habit.
        public let habit: SlateHabit
        /// True if it is done on the day.
        public let isDone: Bool
        /// The number of consecutive days up to and including this one.
        public let streak: Int
    }

    /// The day.
    public let day: CivilDay
    /// The tasks in the day's plan, the unfinished ones first.
    public let planned: [SlateTask]
    /// Open tasks that were due before the day, the earliest first; like the lists below without those in the plan.
    public let overdue: [SlateTask]
    /// Open tasks that are due on the day.
    public let due: [SlateTask]
    /// Other open tasks that are scheduled for the day or an earlier one.
    public let scheduled: [SlateTask]
    /// The active habits.
    public let habits: [Habit]
    /// True if all active habits are done, and there is at least one.
    public let isPerfect: Bool
    /// The tasks that a rollover takes, in the order of the plan that they come from.
    ///
    /// They are the open tasks of the last plan before the day, as in the app; but none that was put off to a later day,
    /// or taken out of this day's plan.
    public let leftOver: [SlateTask]

    /// Sorts tasks and habits by what the day asks for.
    public init(
        day: CivilDay,
        tasks: [SlateTask],
        plans: SlatePlans,
        rollovers: SlateRollovers,
        habits: [SlateHabit],
        completions: SlateCompletions
    ) {
        self.day = day
        let inPlan = Set(plans.tasks(on: day).map(ScalarKey.init))
        let inside = tasks.filter { inPlan.contains(ScalarKey($0.id)) && !$0.isArchived }
        planned = inside.filter { !$0.isDone } + inside.filter(\.isDone)
        let open = tasks.filter { $0.isOpen && !inPlan.contains(ScalarKey($0.id)) }
        overdue = open.filter { $0.due.map { $0 < day } ?? false }
            .enumerated().sorted { ($0.element.due ?? day, $0.offset) < ($1.element.due ?? day, $1.offset) }
            .map(\.element)
        due = open.filter { $0.due == day }
        scheduled = open.filter { task in
            guard let scheduled = task.scheduled, scheduled <= day else { return false }
            return task.due.map { $0 > day } ?? true
        }
        let last = rollovers.lastDay(before: day, plans).map(plans.tasks) ?? []
        let byID = Dictionary(open.map { (ScalarKey($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        leftOver = last.compactMap { byID[ScalarKey($0)] }
            .filter { task in
                let isPutOff = plans.days(of: task.id).contains { $0 > day } || task.scheduled.map { $0 > day } ?? false
                return !isPutOff && !rollovers.has(task.id, on: day)
            }
        let active = habits.filter(\.isActive)
        self.habits = active.map { habit in
            Habit(
                habit: habit,
                isDone: completions.contains(habit.id, on: day),
                streak: SlateDays.streak(completedDays: completions.days(of: habit.id), today: day)
            )
        }
        isPerfect = SlateDays.isPerfectDay(day, activeHabits: active.map(\.id), completions: completions)
    }
}
