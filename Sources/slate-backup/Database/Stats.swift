internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Stats: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show rows, tasks, streaks and perfect days.",
            discussion: """
                Days are local days that begin at day_start, by default 04:00. A streak counts back from today, and is 0 \
                until the habit is done today. Perfect days are those before today that are marked so, and today where all \
                active habits are done. --week, --month and --from add what was done in a period, and how that compares with \
                the same number of days before. Ends with 3 where day_start is no time of the day.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var period: PeriodOptions
        @OptionGroup var output: FormatOption

        @Argument(help: "A backup to show instead of the database.", completion: .file())
        var file: String?

        func run() throws {
            let path = try file ?? database.resolvedPath()
            try output.reporting(on: path) { try show(path) }
        }

        private func show(_ path: String) throws {
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let (statistics, report) = try reading { records in
                let statistics = try Statistics(records, now: now, clock: localClock)
                let days = try period.days(today: statistics.today, echo: output.format)
                return (statistics, try days.map { try PeriodReport(records, $0, localClock) })
            }
            StandardError.write(DiagnosticRenderer().render(statistics.warnings(file: path)))
            var json = statistics.json
            json["period"] = report?.json ?? .null
            try output.print((report.map { $0.text + "\n" } ?? "") + statistics.text, .object(json))
            if statistics.invalidDayStart != nil { throw ExitStatus.findings.exitCode }
        }

        /// Reads the database, or a backup in a database of its own.
        private func reading<Result>(_ body: (SlateRecords) throws -> Result) throws -> Result {
            guard let file else { return try database.reading().read(body) }
            let excluded = Set(database.excluded)
            if RecordSource.isDatabase(file) {
                return try SlateDatabase(path: file, for: .reading, excluding: excluded).read(body)
            }
            let content = try SlateInput.require(file, output).content
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let purpose = SlateDatabase.Purpose.writing(mustExist: false, upgrading: false)
            let scratch = try SlateDatabase(path: "\(folder.path)/slate.db", for: purpose)
            let day = CivilDay(number: 0)
            _ = try scratch.importing(content, SlateImportOptions(today: day, moment: Timestamp(seconds: 0)))
            return try scratch.read(body)
        }
    }
}

/// What `stats` shows.
private struct Statistics {
    private struct Streak {
        let habit: SlateHabit
        let current: Int
        let longest: Int
        let days: Int
    }

    private let counts: [(table: String, rows: Int)]
    private let tasks: SlateTaskCounts
    private let dayStart: SlateDayStart
    /// What `day_start` holds where it is no time of the day.
    let invalidDayStart: String?
    let today: CivilDay
    private let streaks: [Streak]
    private let perfectDays: Int
    private let isPerfect: Bool
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
        isPerfect = SlateDays.isPerfectDay(today, activeHabits: active.map(\.id), completions: completions)
        perfectDays = try records.plannedDays().count { $0.isPerfect && $0.day < today } + (isPerfect ? 1 : 0)
        self.today = today
    }

    func warnings(file: String) -> [Diagnostic] {
        guard let invalidDayStart else { return [] }
        let message = "meta.day_start is \"\(invalidDayStart)\", expected a time such as 04:30; 04:00 was taken"
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
            "tasks": ["open": number(tasks.open), "done": number(tasks.done), "archived": number(tasks.archived)],
            "habits": .array(
                streaks.map { streak in
                    [
                        "id": .string(streak.habit.id),
                        "title": .string(streak.habit.title),
                        "currentStreak": number(streak.current),
                        "longestStreak": number(streak.longest),
                        "days": number(streak.days),
                    ]
                }
            ),
            "inactiveHabits": number(inactiveHabits),
            "perfectDays": number(perfectDays),
            "todayIsPerfect": .bool(isPerfect),
            "counts": counts.json,
        ]
    }

    private func number(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}
