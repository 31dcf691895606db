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
    /// Open tasks in the plans of earlier days, and in none of this day or a later one: what a rollover takes, in order.
    public let leftOver: [SlateTask]

    /// Sorts tasks and habits by what the day asks for.
    public init(
        day: CivilDay,
        tasks: [SlateTask],
        plans: SlatePlans,
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
        leftOver = open.filter { task in
            let days = plans.days(of: task.id)
            return !days.isEmpty && days.allSatisfy { $0 < day }
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
