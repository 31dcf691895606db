internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

/// The options `--week`, `--month`, `--from` and `--to`.
struct PeriodOptions: ParsableArguments {
    @Flag(help: "Show this week as well, from Monday to today, and its trend.")
    var week = false

    @Flag(help: "Show this month as well, up to today, and its trend.")
    var month = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show the days from this one on as well, such as -30d.", valueName: "day"),
        transform: TimeExpression.day
    )
    var from: TimeExpression?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The last of those days (default: today).", valueName: "day"),
        transform: TimeExpression.day
    )
    var to: TimeExpression?

    func validate() throws {
        if [week, month, from != nil].count(where: \.self) > 1 {
            throw ValidationError(Messages.onePeriod)
        }
        if to != nil, from == nil { throw ValidationError(Messages.toNeedsFrom) }
    }

    /// Returns the first and the last day; nil where no period was asked for.
    func days(today: CivilDay, echo output: OutputFormat) throws(CommandFailure) -> (from: CivilDay, to: CivilDay)? {
        if week { return (today.monday, today) }
        if month { return (CivilDay("\(today.description.prefix(7))-01") ?? today, today) }
        guard let from else { return nil }
        let first = try from.day("--from", today: today, echo: output)
        var last = today
        if let to { last = try to.day("--to", today: today, echo: output) }
        guard first <= last else { throw CommandFailure(.usage, Messages.fromAfterTo(first.words, last.words)) }
        return (first, last)
    }
}

/// The work done in a period, and in the one before.
struct PeriodReport {
    let period: SlatePeriod
    let previous: SlatePeriod

    init(
        _ records: SlateRecords,
        _ days: (from: CivilDay, to: CivilDay),
        today: CivilDay,
        _ clock: LocalClock
    ) throws {
        period = try records.period(from: days.from, to: days.to, today: today, clock: clock)
        let earlier = period.previous
        previous = try records.period(from: earlier.from, to: earlier.to, today: today, clock: clock)
    }

    var text: String {
        let before = Words.count(period.length, "day")
        var lines = "\(period.from.words) to \(period.to.words), against the \(before) before:\n"
        lines += "Tasks done:   \(period.tasksDone) (\(Self.signed(period.tasksDone - previous.tasksDone)))\n"
        lines += "Perfect days: \(period.perfectDays) (\(Self.signed(period.perfectDays - previous.perfectDays)))\n"
        var table = TextTable([.left("HABIT"), .right("DAYS"), .right("RATE"), .right("TREND")])
        for (habit, earlier) in zip(period.habits, previous.habits) {
            let title = TerminalText.cut(habit.habit.title, to: Words.nameColumns)
            let rate = habit.possible == 0 ? "" : "\(habit.days * 100 / habit.possible) %"
            let trend = Self.signed(habit.days - earlier.days)
            table.add([title, "\(habit.days)/\(habit.possible)", rate, trend])
        }
        return lines + (table.isEmpty ? "" : "\n" + table.render())
    }

    var json: JSONValue {
        [
            "from": .string(period.from.description),
            "to": .string(period.to.description),
            "days": .number(period.length),
            "tasksDone": Self.json(period.tasksDone, previous.tasksDone),
            "perfectDays": Self.json(period.perfectDays, previous.perfectDays),
            "habits": .array(
                zip(period.habits, previous.habits).map { habit, earlier in
                    [
                        "id": .string(habit.habit.id), "title": .string(habit.habit.title),
                        "days": Self.json(habit.days, earlier.days), "possible": .number(habit.possible),
                    ]
                }
            ),
        ]
    }

    private static func json(_ now: Int, _ before: Int) -> JSONValue {
        ["count": .number(now), "before": .number(before)]
    }

    private static func signed(_ difference: Int) -> String { difference > 0 ? "+\(difference)" : "\(difference)" }
}
