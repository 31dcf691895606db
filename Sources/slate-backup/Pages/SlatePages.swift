internal import CivilTime
internal import CommandSupport
internal import Pages
internal import Slate

/// The page of a Slate database: today, tasks by due date, streaks, and ten years of habits.
struct SlatePages: PageSource {
    private let database: SlateDatabasePath

    /// - Parameter store: The path of the database; nil for the usual one.
    init(store: String?) { database = SlateDatabasePath(store) }

    private static let path = "/slate"

    let links = [PageLink("Slate", Self.path)]

    var places: LocalPlaces {
        LocalPlaces(files: [database.path, try? database.resolvedPath()].compactMap(\.self))
    }

    func response(to request: PageRequest) throws -> PageResponse {
        guard request.path == Self.path else { return .missing }
        return try database.reading().read { records in
            let dayStart = try records.dayStart()
            let today = SlateDays.localToday(dayStart: dayStart, now: request.now, clock: request.clock)
            let statistics = try Statistics(records, now: request.now, clock: request.clock)
            let all = try records.tasks()
            let agenda = SlateAgenda(
                day: today,
                tasks: all,
                plans: try records.plans(),
                rollovers: try records.rollovers(),
                habits: try records.habits(),
                completions: try records.completions()
            )
            let tasks = SlateTaskList(all, today: today)
            return .page(
                Page(
                    "Slate",
                    summary: Self.summary(agenda, statistics),
                    body: Self.today(agenda) + tasks.section(request, path: Self.path)
                        + Self.streaks(statistics)
                        + "<h2>Habits and perfect days</h2>" + (try HabitMap(records, today: today)).html
                )
            )
        }
    }

    private static func summary(_ agenda: SlateAgenda, _ statistics: Statistics) -> HTML {
        let done = agenda.habits.count(where: \.isDone)
        let habits = agenda.habits.isEmpty ? "" : " \(done) of \(Words.count(agenda.habits.count, "habit")) done today."
        let tasks = "\(Words.count(statistics.tasks.open, "open task")), \(statistics.tasks.done) done"
        return "\(agenda.day.words).\(habits) \(tasks). \(Words.count(statistics.perfectDays, "perfect day")) so far."
    }

    // MARK: Today

    /// The most tasks of each list of today.
    private static let mostTasks = 20

    private static func today(_ agenda: SlateAgenda) -> HTML {
        let perfect: HTML = agenda.isPerfect ? "<p class=\"state good\"><strong>A perfect day.</strong></p>" : ""
        let lists = [
            ("Planned", agenda.planned), ("Overdue", agenda.overdue), ("Due today", agenda.due),
            ("Scheduled", agenda.scheduled),
        ]
        let parts = lists.filter { !$0.1.isEmpty }.map { title, tasks -> HTML in
            let items = tasks.prefix(mostTasks).map { task -> HTML in
                let due = task.due.flatMap { task.isDone || $0 == agenda.day ? nil : " (due \($0.words))" } ?? ""
                return item(task.title, task.isDone, due)
            }
            let more: HTML? =
                tasks.count > mostTasks
                ? "<p class=\"muted\">and \(tasks.count - mostTasks) more, in the list of tasks below</p>" : nil
            return "<div class=\"side\"><h3>\(title)</h3><ul class=\"ticks\">\(items)</ul>\(more)</div>"
        }
        let habits = agenda.habits.map { item($0.habit.title, $0.isDone, ", streak \($0.streak)") }
        let list: HTML = "<div class=\"side\"><h3>Habits</h3><ul class=\"ticks\">\(habits)</ul></div>"
        let none: HTML = "<p>No tasks and no habits for today.</p>"
        let sides = parts + (habits.isEmpty ? [] : [list])
        return """
            <h2>Today</h2>
            \(perfect)
            \(sides.isEmpty ? none : "<div class=\"sides\">\(sides)</div>")
            """
    }

    private static func item(_ title: String, _ isDone: Bool, _ note: String) -> HTML {
        let mark: HTML = isDone ? "<span aria-hidden=\"true\">✓</span>" : "<span aria-hidden=\"true\">○</span>"
        let word: HTML = isDone ? "done: " : "open: "
        return
            "<li>\(mark) <span class=\"visually-hidden\">\(word)</span>\(title)<span class=\"muted\">\(note)</span></li>"
    }

    // MARK: Streaks

    private static func streaks(_ statistics: Statistics) -> HTML {
        guard !statistics.streaks.isEmpty else { return "<h2>Streaks</h2><p>No active habits.</p>" }
        let rows = statistics.streaks.map { streak -> HTML in
            """
            <tr><th scope="row">\(streak.habit.title)</th><td class="number">\(streak.current)</td>\
            <td class="number">\(streak.longest)</td><td class="number">\(streak.days)</td></tr>
            """
        }
        return """
            <h2>Streaks</h2>
            <div class="table"><table>
            <caption>Consecutive days, up to today</caption>
            <thead><tr><th scope="col">Habit</th><th scope="col" class="number">Streak</th>\
            <th scope="col" class="number">Longest</th><th scope="col" class="number">Days</th></tr></thead>
            <tbody>
            \(rows)
            </tbody>
            </table></div>
            """
    }
}

/// Open tasks by the day on which they are due.
struct SlateTaskList {
    private let tasks: [SlateTask]
    private let today: CivilDay

    init(_ tasks: [SlateTask], today: CivilDay) {
        self.today = today
        let open = tasks.enumerated().filter(\.element.isOpen)
        self.tasks = open.sorted { left, right in
            guard let due = left.element.due, let other = right.element.due else {
                return left.element.due != nil || right.element.due == nil && left.offset < right.offset
            }
            return (due, left.offset) < (other, right.offset)
        }
        .map(\.element)
    }

    /// Returns the heading that a task is listed under.
    private func group(_ task: SlateTask) -> String {
        guard let due = task.due else { return "Without a due date" }
        if due < today { return "Overdue" }
        if due == today { return "Today" }
        if due.number - today.number <= 7 { return "Within a week" }
        let (year, month) = due.yearAndMonth
        return "\(Self.months[month - 1]) \(year)"
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns the section with a page of the tasks.
    func section(_ request: PageRequest, path: String) -> HTML {
        guard !tasks.isEmpty else { return "<h2>Tasks by due date</h2><p>No open tasks.</p>" }
        let paging = Paging(request, count: tasks.count)
        var groups: [(title: String, rows: [HTML])] = []
        for task in tasks[paging.rows] {
            let title = group(task)
            if groups.last?.title != title { groups.append((title, [])) }
            groups[groups.count - 1].rows.append(row(task))
        }
        let bodies = groups.map { group -> HTML in
            """
            <tbody>
            <tr class="group"><th colspan="3" scope="rowgroup">\(group.title)</th></tr>
            \(group.rows)
            </tbody>
            """
        }
        return """
            <h2>Tasks by due date</h2>
            <div class="table"><table class="stack">
            <caption>\(Words.count(tasks.count, "open task"))</caption>
            <thead><tr><th scope="col">Task</th><th scope="col">Due</th><th scope="col">Notes</th></tr></thead>
            \(bodies)
            </table></div>
            \(paging.links { request.address(path, ["page": "\($0)"]) })
            """
    }

    private func row(_ task: SlateTask) -> HTML {
        let due = task.due?.words ?? ""
        return "<tr><th scope=\"row\">\(task.title)</th><td>\(due)</td><td>\(lines: task.notes ?? "")</td></tr>"
    }
}
