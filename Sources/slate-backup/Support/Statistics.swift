internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

/// The content of `stats`.
struct Statistics {
    /// The length of a habit's streak.
    struct Streak {
        let habit: SlateHabit
        let current: Int
        let longest: Int
        let days: Int
    }

    private let counts: [(table: String, rows: Int)]
    let tasks: SlateTaskCounts
    private let dayStart: SlateDayStart
    /// The value of `day_start` where it is no time of the day.
    let invalidDayStart: String?
    let today: CivilDay
    let streaks: [Streak]
    let perfectDays: Int
    let isPerfect: Bool
    private let inactiveHabits: Int

    init(_ records: SlateRecords, now: Timestamp, clock: LocalClock) throws {
        counts = try SlateTable.allCases.map { ($0.name, try records.count($0)) }
        tasks = try records.taskCounts()
        let text = try records.metaTexts()["day_start"]
        let parsed = text.flatMap { SlateDayStart($0) }
        dayStart = parsed ?? .standard
        invalidDayStart = parsed == nil ? text : nil
        let today = SlateDays.localToday(dayStart: dayStart, now: now, clock: clock)
        let completions = try records.completions()
        let habits = try records.habits()
        let active = habits.filter(\.isActive)
        inactiveHabits = habits.count - active.count
        streaks = active.map { habit in
            let days = completions.days(of: habit.id)
            return Streak(
                habit: habit,
                current: SlateDays.streak(completedDays: days, today: today),
                longest: SlateDays.longestStreak(completedDays: days),
                days: days.count
            )
        }
        let perfect = try records.perfectDays(today: today)
        (isPerfect, perfectDays) = (perfect.contains(today), perfect.count)
        self.today = today
    }

    func warnings(file: String) -> [Diagnostic] {
        guard let invalidDayStart else { return [] }
        let message = Messages.badDayStart("\(invalidDayStart)")
        return [Diagnostic(.warning, code: "slate.day-start", message: message, file: file)]
    }

    var text: String {
        var table = TextTable([.left("TABLE"), .right("ROWS")])
        for count in counts { table.add([count.table, "\(count.rows)"]) }
        var habits = TextTable([.left("HABIT"), .right("STREAK"), .right("LONGEST"), .right("DAYS")])
        for streak in streaks {
            let title = TerminalText.cut(streak.habit.title, to: Words.nameColumns)
            habits.add([title, "\(streak.current)", "\(streak.longest)", "\(streak.days)"])
        }
        let lines = [
            "Today: \(today) (the day starts at \(dayStart))",
            "Tasks: \(tasks.open) open, \(tasks.done) done, \(tasks.archived) archived",
            "Perfect days: \(perfectDays)\(isPerfect ? "; today is one" : "")",
        ]
        let rest = inactiveHabits == 0 ? "" : "\(Words.count(inactiveHabits, "inactive habit")) not shown.\n"
        let sections = [
            lines.map { $0 + "\n" }.joined(),
            (streaks.isEmpty ? "No active habits.\n" : habits.render()) + rest, table.render(),
        ]
        return sections.joined(separator: "\n")
    }

    var json: JSONObject {
        [
            "today": .string(today.description),
            "dayStart": .string(dayStart.description),
            "tasks": ["open": .number(tasks.open), "done": .number(tasks.done), "archived": .number(tasks.archived)],
            "habits": .array(
                streaks.map { streak in
                    [
                        "id": .string(streak.habit.id),
                        "title": .string(streak.habit.title),
                        "currentStreak": .number(streak.current),
                        "longestStreak": .number(streak.longest),
                        "days": .number(streak.days),
                    ]
                }
            ),
            "inactiveHabits": .number(inactiveHabits),
            "perfectDays": .number(perfectDays),
            "todayIsPerfect": .bool(isPerfect),
            "counts": counts.json,
        ]
    }
}
