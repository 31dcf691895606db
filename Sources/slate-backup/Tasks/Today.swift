internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Today: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "today",
            abstract: "Show today's tasks and habits.",
            discussion: """
                Shows today's plan, what is due, overdue and scheduled, the habits with their streaks, and whether the day \
                is perfect. The day begins at day_start, by default 04:00.
                """
        )

        @OptionGroup var options: EditOptions

        func run() throws {
            try options.run {
                let report = AgendaReport(agenda: try options.reading { try $0.agenda(today: $1) })
                try options.output.print(report.text, report.json)
            }
        }
    }
}

/// The content of `today`.
private struct AgendaReport {
    let agenda: SlateAgenda

    var text: String {
        var sections = [heading]
        sections += section("Planned", agenda.planned)
        sections += section("Overdue", agenda.overdue)
        sections += section("Due today", agenda.due)
        sections += section("Scheduled", agenda.scheduled)
        if !agenda.habits.isEmpty {
            let lines = agenda.habits.map { line($0.habit.title, $0.isDone, "streak \($0.streak)") }
            sections.append("Habits\n" + lines.joined())
        }
        let count = agenda.leftOver.count
        if count > 0 {
            sections.append(ProgramNames.asCalled(Messages.leftOver(count)))
        }
        return sections.joined(separator: "\n")
    }

    private var heading: String {
        let done = agenda.habits.count(where: \.isDone)
        let habits = "\(done) of \(Words.count(agenda.habits.count, "habit")) done"
        let state = agenda.habits.isEmpty ? "" : agenda.isPerfect ? ": a perfect day, \(habits)" : ": \(habits)"
        let isEmpty = agenda.planned.isEmpty && agenda.overdue.isEmpty && agenda.due.isEmpty && agenda.scheduled.isEmpty
        return "\(agenda.day.words)\(state).\n" + (isEmpty ? Messages.noTasksToday : "")
    }

    private func section(_ title: String, _ tasks: [SlateTask]) -> [String] {
        guard !tasks.isEmpty else { return [] }
        let lines = tasks.map { task in
            line(
                task.title,
                task.isDone,
                task.due.flatMap { task.isDone || $0 == agenda.day ? nil : "due \($0.words)" }
            )
        }
        return ["\(title)\n" + lines.joined()]
    }

    private func line(_ title: String, _ isDone: Bool, _ note: String?) -> String {
        let title = TerminalText.cut(title, to: Words.nameColumns)
        return "  [\(isDone ? "x" : " ")] \(title)\(note.map { "  (\($0))" } ?? "")\n"
    }

    var json: JSONValue {
        let tasks = { (tasks: [SlateTask]) in JSONValue.array(tasks.map(\.json)) }
        return [
            "today": .string(agenda.day.description),
            "planned": tasks(agenda.planned),
            "overdue": tasks(agenda.overdue),
            "due": tasks(agenda.due),
            "scheduled": tasks(agenda.scheduled),
            "leftOver": tasks(agenda.leftOver),
            "habits": .array(agenda.habits.map(\.json)),
            "perfect": .bool(agenda.isPerfect),
        ]
    }
}

extension SlateAgenda.Habit {
    /// The habit as it stands on a day, for programs.
    var json: JSONValue {
        var object = habit.json.object ?? JSONObject()
        object["done"] = .bool(isDone)
        object["streak"] = .number(streak)
        return .object(object)
    }
}
