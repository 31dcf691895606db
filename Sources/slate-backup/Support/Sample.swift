internal import CivilTime
internal import GymPulse
internal import Slate
internal import StrictJSON

/// The content that `init --sample` puts into a database: tasks, habits, and two weeks of what was done.
///
/// The same moment gives the same sample.
struct Sample {
    private let now: Timestamp
    private let clock: LocalClock
    private let today: CivilDay

    init(now: Timestamp, clock: LocalClock) {
        self.now = now
        self.clock = clock
        today = SlateDays.localToday(dayStart: .standard, now: now, clock: clock)
    }

    /// The sample as an export.
    var json: JSONValue {
        [
            "schema_version": 2,
            "exported_at": .string(time(0)),
            "meta": [
                "last_open_date": .string(day(0)), "day_start": .string(SlateDayStart.standard.description),
                "installed_at": .string(time(-Self.days)),
            ],
            "tasks": .array(tasks),
            "habits": .array(Self.habits.enumerated().map(habit)),
            "habit_completions": .array(completions),
            "day_plan": .array((0..<Self.days).map(plan)),
            "day_plan_items": [item("task-2", 0), item("task-3", 0), item("task-1", -1)],
            "activity_log": [
                [
                    "id": "log-1", "timestamp": .string(time(-1)), "entity_type": "task", "entity_id": "task-1",
                    "action_type": "completed", "details": ["title": "Call the dentist"],
                ]
            ],
            "day_snapshots": [
                [
                    "date": .string(day(-1)), "day_plan_tasks": [task(0)], "slate_tasks": [task(3)],
                    "habits": .array(Self.habits.enumerated().map(habit)), "completed_task_ids": ["task-1"],
                    "completed_habit_ids": ["habit-1", "habit-2", "habit-3"],
                ]
            ],
        ]
    }

    private static let days = 14
    private static let titles = [
        "Call the dentist", "Buy paint", "Paint the fence", "Renew the passport", "Old receipts",
    ]
    /// Each habit, and on which of the days before today it was left out.
    private static let habits: [(title: String, time: String?, missed: Set<Int>)] = [
        ("Stretch", "07:30", []), ("Read ten pages", nil, [5]), ("Water the plants", "08:00", [0, 6, 7]),
    ]

    private func day(_ offset: Int) -> String { CivilDay(number: today.number + offset).description }
    private func time(_ offset: Int) -> String { clock.text(of: now.adding(seconds: offset * 86_400)) }

    private var tasks: [JSONValue] { Self.titles.indices.map(task) }

    private func task(_ index: Int) -> JSONValue {
        let isDone = index == 0
        return [
            "id": .string("task-\(index + 1)"), "title": .string(Self.titles[index]),
            "notes": index == 1 ? "white, two litres" : .null, "due_date": index == 3 ? .string(day(21)) : .null,
            "scheduled_for": index == 1 ? .string(day(0)) : .null, "is_done": .bool(isDone),
            "done_at": isDone ? .string(time(-1)) : .null, "created_at": .string(time(-7)),
            "updated_at": .string(time(isDone ? -1 : -7)), "archived": .bool(index == 4),
            "depends_on_task_id": index == 2 ? "task-2" : .null,
        ]
    }

    private func habit(_ index: Int, _ habit: (title: String, time: String?, missed: Set<Int>)) -> JSONValue {
        [
            "id": .string("habit-\(index + 1)"), "title": .string(habit.title), "notes": .null, "active": true,
            "reminder_time": habit.time.map { .string($0) } ?? .null, "created_at": .string(time(-Self.days)),
            "updated_at": .string(time(-Self.days)),
        ]
    }

    private var completions: [JSONValue] {
        Self.habits.enumerated().flatMap { index, habit in
            (0..<Self.days).filter { !habit.missed.contains($0) }.map { ago in
                [
                    "id": .string("done-\(index + 1)-\(day(-ago))"), "habit_id": .string("habit-\(index + 1)"),
                    "date": .string(day(-ago)), "completed_at": .string(time(-ago)),
                ]
            }
        }
    }

    private func plan(_ ago: Int) -> JSONValue {
        let isPerfect = Self.habits.allSatisfy { !$0.missed.contains(ago) }
        return ["date": .string(day(-ago)), "perfect_day": isPerfect ? 1 : 0]
    }

    private func item(_ task: String, _ offset: Int) -> JSONValue {
        [
            "id": .string("plan-\(task)"), "date": .string(day(offset)), "entity_type": "task",
            "entity_id": .string(task),
        ]
    }
}
