internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// A goal: the time to study a subject in each day, week or month.
struct StudyGoal: Equatable {
    /// A stretch of days that a goal is for.
    enum Period: String, CaseIterable { case day, week, month }

    let subject: String
    let seconds: Int
    let period: Period

    /// Reads `10h/week`, `1 h 30 min/day` or `90m/day`.
    init?(_ subject: String, _ text: String) {
        let parts = text.lowercased().split(separator: "/")
        guard parts.count == 2, let period = Period(rawValue: parts[1].filter { !$0.isWhitespace }) else { return nil }
        var seconds = 0
        var rest = parts[0].filter { !$0.isWhitespace }[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard digits.count <= 4, let number = Int(digits), let factor = Self.units[String(unit)] else { return nil }
            seconds += number * factor
            rest = rest.dropFirst(digits.count + unit.count)
        }
        guard seconds > 0, seconds <= Self.longest(period) else { return nil }
        (self.subject, self.seconds, self.period) = (subject, seconds, period)
    }

    private static let units = [
        "h": 3600, "hour": 3600, "hours": 3600, "m": 60, "min": 60, "minute": 60, "minutes": 60,
    ]

    private static func longest(_ period: Period) -> Int {
        switch period {
        case .day: 86_400
        case .week: 7 * 86_400
        case .month: 31 * 86_400
        }
    }

    /// Returns whether it is the goal of a subject, by whatever letters and blanks it is written.
    func isOf(_ subject: String) -> Bool { SubjectKey(self.subject) == SubjectKey(subject) }

    /// The goal in words: `10 h a week`.
    var words: String { "\(Words.length(seconds)) a \(period.rawValue)" }

    init?(_ json: JSONValue) {
        guard let subject = json["subject"]?.string, let seconds = json["seconds"]?.int, seconds > 0,
            let period = json["per"]?.string.flatMap(Period.init)
        else { return nil }
        (self.subject, self.seconds, self.period) = (subject, seconds, period)
    }

    var json: JSONValue {
        ["subject": .string(subject), "seconds": .number(seconds), "per": .string(period.rawValue)]
    }
}

/// The goals of a store, in a file of this program beside it: Study Timer's own format has no place for them.
struct StudyGoals {
    private static let format = "satchel-study-goals"

    let path: String
    private(set) var goals: [StudyGoal] = []

    /// Reads the goals beside a store; where there is no file, there are none.
    ///
    /// - Throws: 65 where the file is damaged.
    init(besideStore store: String) throws(CommandFailure) {
        path = "\(store).goals.json"
        guard OutputFile(path).isTaken else { return }
        let bytes = try InputFile(reading: path, limit: 1 << 20).bytes
        guard let root = try? JSONDocument(parsing: bytes).root.value, root["format"]?.string == Self.format,
            root["version"]?.int == 1, let goals = root["goals"]?.array
        else {
            throw CommandFailure(.badData, Messages.damagedGoals(path))
        }
        self.goals = goals.compactMap { StudyGoal($0) }
    }

    /// Sets a goal in place of the subject's earlier one, or removes it.
    mutating func set(_ subject: String, _ goal: StudyGoal?) throws(CommandFailure) {
        goals.removeAll { $0.isOf(subject) }
        if let goal { goals.append(goal) }
        goals.sort { $0.subject < $1.subject }
        let json: JSONValue = [
            "format": .string(Self.format), "version": 1, "goals": .array(goals.map(\.json)),
        ]
        try OutputFile(path).write(json.encoded(.indented))
    }

    /// Returns the progress of each goal in the day, week or month that has a day.
    func progress(_ log: StudyLog, on day: CivilDay, clock: LocalClock, now: Timestamp) -> [StudyProgress] {
        goals.map { goal in
            let days: ClosedRange<CivilDay> =
                switch goal.period {
                case .day: day...day
                case .week: day.week
                case .month: day.month
                }
            let totals = log.summary(of: days, clock: clock, now: now).totals
            let done = totals.filter { goal.isOf($0.name) }
                .reduce(Duration.zero) { $0 + $1.duration }
            return StudyProgress(goal: goal, days: days, done: Int(done.components.seconds))
        }
    }
}

/// The progress of a goal.
struct StudyProgress {
    let goal: StudyGoal
    let days: ClosedRange<CivilDay>
    /// The seconds of study.
    let done: Int

    /// The seconds that are left; 0 where it is reached.
    var left: Int { max(0, goal.seconds - done) }

    var json: JSONValue {
        var object = goal.json.object ?? JSONObject()
        object["from"] = .string(days.lowerBound.description)
        object["to"] = .string(days.upperBound.description)
        object["doneSeconds"] = .number(done)
        object["leftSeconds"] = .number(left)
        object["reached"] = .bool(left == 0)
        return .object(object)
    }

    static func table(_ progress: [StudyProgress]) -> String {
        if progress.isEmpty { return Messages.noGoals }
        var table = TextTable([.left("GOAL"), .left("PER"), .right("WANTED"), .right("DONE"), .right("LEFT")])
        for entry in progress {
            let left = entry.left == 0 ? "reached" : Words.length(entry.left)
            table.add([
                TerminalText.cut(entry.goal.subject, to: 40), entry.goal.period.rawValue,
                Words.length(entry.goal.seconds), Words.length(entry.done), left,
            ])
        }
        return table.render()
    }
}

struct StudyGoalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "goal",
        abstract: "Set how long you want to study a subject, and show how far you are.",
        discussion: """
            study goal Maths 10h/week; also 45min/day and 40h/month. Without an amount it shows the goals, and so does \
            "study summary". A subject that no session and no goal has is refused, unless --new says that it is one, with its \
            whole name. Study Timer itself knows no goals: they stay on this device, in a file beside the store, \
            timer.db.goals.json. No sync and no export takes them along.
            """
    )

    @OptionGroup var store: StudyStoreOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var output: FormatOption

    @Flag(help: "Remove the goal.")
    var off = false

    @Flag(help: "Set a goal for a subject that has no session yet.")
    var new = false

    @Argument(help: "The subject.", completion: .subjects)
    var subject: String?

    @Argument(help: ArgumentHelp("How long, such as 10h/week.", valueName: "amount"))
    var amount: String?

    func validate() throws {
        if off, subject == nil || amount != nil { throw ValidationError(Messages.offNeedsSubject) }
    }

    func run() throws {
        let local = try zone.clock()
        let now = try clock.moment(in: local)
        var goals = try StudyGoals(besideStore: try store.path())
        let log = try store.reading().read { try $0.log() }
        var line: String?
        var replaced: StudyGoal?
        if let subject {
            let known = Self.known(goals, log)
            let title = try title(subject, known)
            if let amount {
                guard let goal = StudyGoal(title, amount) else {
                    throw CommandFailure(.usage, Messages.badGoal(amount))
                }
                replaced = goals.goals.first { $0.isOf(title) && $0.words != goal.words }
                try goals.set(title, goal)
                line = Messages.goal(title, goal.words, before: replaced?.words)
            } else if off {
                guard goals.goals.contains(where: { $0.isOf(title) }) else {
                    throw CommandFailure(.noInput, Messages.noGoal(title))
                }
                try goals.set(title, nil)
                line = Messages.noGoalAnyMore(title)
            }
        }
        let progress = goals.progress(log, on: local.day(of: now), clock: local, now: now)
        let wanted = line == nil ? subject : nil
        let shown = progress.filter { entry in wanted.map { NameText.contains(entry.goal.subject, $0) } ?? true }
        try output.print(
            line.map { TerminalText.safe($0) + "\n" } ?? StudyProgress.table(shown),
            [
                "file": .string(goals.path), "goals": .array(progress.map(\.json)), "replaced": replaced?.json ?? .null,
            ]
        )
    }

    /// Returns the subjects of goals and sessions, each once.
    private static func known(_ goals: StudyGoals, _ log: StudyLog) -> [String] {
        let names = log.subjectNames
        var seen: Set<SubjectKey> = []
        let all = goals.goals.map { StudySession.trimmed($0.subject) } + log.sessions.map { names[$0.subject] ?? "" }
        return all.filter { seen.insert(SubjectKey($0)).inserted }
    }

    /// Returns the subject that is meant, with `--new` the text where no whole name is the same.
    private func title(_ text: String, _ known: [String]) throws(CommandFailure) -> String {
        guard !Words.isBlank(text) else { throw CommandFailure(.usage, Messages.goalNeedsSubject) }
        let text = StudySession.trimmed(text)
        if let same = known.first(where: { SubjectKey($0) == SubjectKey(text) }) { return same }
        if new, amount != nil { return text }
        // Where there is nothing to take it for, it cannot be a mistake.
        if known.isEmpty { return text }
        do throws(CommandFailure) {
            return try NameChoice("subject", known, id: { $0 }, name: { $0 })(text)
        } catch {
            guard error.status == .noInput, amount != nil else { throw error }
            throw CommandFailure(.noInput, Messages.newGoal(error.message ?? ""))
        }
    }
}
