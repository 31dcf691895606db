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
                object["streak"] = .number(streaks.0)
                object["longestStreak"] = .number(streaks.1)
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
            discussion: """
                Any part of its name that fits one habit will do. The flag perfect_day of the day follows. The result has the \
                command that takes it back.
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var flag: PerfectDayOption
        @Argument(help: ArgumentHelp("The habit.", valueName: "name|id")) var habit: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws {
            try options.run { try Ticking(options: options, isDone: true, flag: flag.perfectDay).run(habit, day) }
        }
    }

    struct Untick: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "untick",
            abstract: "Mark a habit as not done on a day.",
            discussion: """
                Any part of its name that fits one habit will do. The flag perfect_day of the day follows. The result has the \
                command that takes it back.
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var flag: PerfectDayOption
        @Argument(help: ArgumentHelp("The habit.", valueName: "name|id")) var habit: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws {
            try options.run { try Ticking(options: options, isDone: false, flag: flag.perfectDay).run(habit, day) }
        }
    }
}

/// The options `--perfect-day` and `--no-perfect-day`.
struct PerfectDayOption: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Mark the day as perfect or not, whatever its habits are.")
    var perfectDay: Bool?
}

/// Marks a habit.
private struct Ticking {
    let options: EditOptions
    let isDone: Bool
    /// The flag that the person named for the day; nil for none.
    let flag: Bool?

    func run(_ name: String, _ given: TimeExpression?) throws {
        let (habit, day, change, name) = try options.editing { editor in
            let habit = try editor.records.habit(name)
            let day = try options.day(given, "the day", editor.today, isAhead: false) ?? editor.today
            guard day <= editor.today || !isDone else {
                throw CommandFailure(.usage, Messages.inFuture(day.words))
            }
            let change = try editor.tick(habit.id, on: day, isDone, marking: flag)
            return (habit, day, change, editor.records.argument(for: habit))
        }
        var text = Messages.marked(habit.title, day.words, isDone: isDone, isNew: change.isMarked)
        let back = wayBack(name, day, change)
        text += change.isChanged ? "\(state(change)) Take it back: \(back)" : Messages.nothingChanged
        try ChangeReport(
            action: isDone ? "tick" : "untick",
            isChanged: change.isChanged,
            text: text,
            habit: habit,
            day: day,
            isPerfect: change.isPerfect
        ).print(options.output)
    }

    /// Returns the words on the day's flag if the change concerns it; else an empty text.
    private func state(_ change: SlateTick) -> String {
        guard change.isPerfect else { return change.wasPerfect ? Messages.perfectNoMore : "" }
        return isDone || flag != nil ? Messages.perfect : Messages.staysPerfect
    }

    /// Returns the command that makes all of it what it was.
    private func wayBack(_ name: String, _ day: CivilDay, _ change: SlateTick) -> String {
        // A flag that was changed alone is changed back by the same command.
        let command = isDone == change.isMarked ? "untick" : "tick"
        let flag = change.restoresDay ? "" : change.wasPerfect ? " --perfect-day" : " --no-perfect-day"
        return Messages.back("habit \(command)", name, " \(day)\(flag)")
    }
}
