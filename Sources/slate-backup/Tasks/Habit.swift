internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Habit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "habit",
            abstract: "List habits, and tick them off.",
            subcommands: [HabitList.self, Tick.self, Untick.self],
            defaultSubcommand: HabitList.self
        )
    }

    struct HabitList: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the habits with today's state and streaks."
        )

        @OptionGroup var options: EditOptions
        @Flag(help: "List inactive habits as well.") var all = false

        func run() throws { try options.run { try list() } }

        private func list() throws {
            let (habits, completions, today) = try options.reading { records, today in
                (try records.habits().filter { all || $0.isActive }, try records.completions(), today)
            }
            var table = TextTable([
                .left("HABIT"), .fixed("TODAY"), .right("STREAK"), .right("LONGEST"), .fixed("REMINDER"),
            ])
            var json: [JSONValue] = []
            for habit in habits {
                let days = completions.days(of: habit.id)
                let isDone = days.contains(today)
                let streaks = (
                    SlateDays.streak(completedDays: days, today: today), SlateDays.longestStreak(completedDays: days)
                )
                let state = habit.isActive ? (isDone ? "done" : "open") : "inactive"
                let title = TerminalText.cut(habit.title, to: Words.nameColumns)
                table.add([title, state, "\(streaks.0)", "\(streaks.1)", habit.reminderTime ?? ""])
                var object = habit.json.object ?? JSONObject()
                object["done"] = .bool(isDone)
                object["streak"] = .number(JSONNumber(streaks.0))
                object["longestStreak"] = .number(JSONNumber(streaks.1))
                json.append(.object(object))
            }
            try options.output.print(
                table.isEmpty ? Messages.habitsNone : table.render(),
                ["today": .string(today.description), "habits": .array(json)]
            )
        }
    }

    struct Tick: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tick",
            abstract: "Mark a habit as done on a day.",
            discussion: "Any part of its name that fits one habit will do. slate-backup habit untick takes it back."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The habit.", valueName: "name|id")) var habit: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws { try options.run { try Ticking(options: options, isDone: true).run(habit, day) } }
    }

    struct Untick: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "untick",
            abstract: "Mark a habit as not done on a day.",
            discussion: "Any part of its name that fits one habit will do."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The habit.", valueName: "name|id")) var habit: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws { try options.run { try Ticking(options: options, isDone: false).run(habit, day) } }
    }
}

/// Marks a habit.
private struct Ticking {
    let options: EditOptions
    let isDone: Bool

    func run(_ name: String, _ given: TimeExpression?) throws {
        let (habit, day, change) = try options.editing { editor in
            let habit = try editor.records.habit(name)
            let day = try options.day(given, "the day", editor.today, isAhead: false) ?? editor.today
            guard day <= editor.today || !isDone else {
                throw CommandFailure(.usage, Messages.futureDay(day.words))
            }
            return (habit, day, try editor.tick(habit.id, on: day, isDone))
        }
        let word = isDone ? "done" : "not done"
        let back = "slate-backup habit \(isDone ? "untick" : "tick") \"\(habit.title)\" \(day)"
        var text = "\"\(habit.title)\" is \(word)"
        text += change.isChanged ? " on \(day.words)." : " on \(day.words) already. Nothing was changed."
        if change.isChanged {
            if isDone, change.isPerfect { text += " The day is perfect." }
            text += " Take it back: \(back)"
        }
        try ChangeReport(
            action: isDone ? "tick" : "untick",
            isChanged: change.isChanged,
            text: text,
            habit: habit,
            day: day,
            isPerfect: change.isPerfect
        ).print(options.output)
    }
}
