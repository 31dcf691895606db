internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import Slate
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The database, the present moment and the form of the result, for commands about tasks and habits.
struct EditOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOption
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption
    @OptionGroup var output: FormatOption

    /// Reads records; the present day is the person's, which begins at `day_start`.
    func reading<Result>(_ body: (SlateRecords, _ today: CivilDay) throws -> Result) throws -> Result {
        let localClock = try zone.clock()
        let now = try clock.moment(in: localClock)
        return try database.reading().read { records in
            let today = SlateDays.localToday(dayStart: try records.dayStart(), now: now, clock: localClock)
            return try body(records, today)
        }
    }

    /// Changes records in one transaction.
    func editing<Result>(_ body: (SlateEditor) throws -> Result) throws -> Result {
        let localClock = try zone.clock()
        let now = try clock.moment(in: localClock)
        let database = try database.writing(mustExist: true).database
        return try database.editing(now: now, clock: localClock, newID: Self.newID, body)
    }

    /// Runs a command; what fails is reported in JSON as well.
    ///
    /// - Throws: What the command throws; 3 where the day's beginning is no time of the day, which is said first.
    func run(_ command: () throws -> Void) throws {
        let path = try database.resolvedPath()
        let badStart = invalidDayStart()
        if let badStart {
            let warning = Diagnostic(
                .warning,
                code: "slate.day-start",
                message: Messages.badDayStart(badStart),
                file: path
            )
            StandardError.write(DiagnosticRenderer().render([warning]))
        }
        try output.reporting(on: path, command)
        if badStart != nil { throw ExitStatus.findings.exitCode }
    }

    /// Returns the value of `day_start` where it is no time of the day; nil where it is one, and where there is none.
    private func invalidDayStart() -> String? {
        let found = try? database.readingIfPresent()?.read { try $0.metaTexts()["day_start"].map { [$0] } ?? [] }
        return found?.first.flatMap { SlateDayStart($0) == nil ? $0 : nil }
    }

    /// Gives a new identifier, as the app makes them.
    static func newID() -> String { UUID().uuidString.lowercased() }

    /// Returns the day that an argument names.
    ///
    /// - Parameter isAhead: True for a day to come, so that `friday` is the next one.
    func day(
        _ expression: TimeExpression?,
        _ name: String,
        _ today: CivilDay,
        isAhead: Bool = true
    ) throws(CommandFailure) -> CivilDay? {
        guard let expression else { return nil }
        return try (isAhead ? expression.ahead : expression).day(name, today: today, echo: output.format)
    }
}

/// A day as an argument.
enum DayArgument {
    static let help = ArgumentHelp(
        "The day, such as tomorrow, friday or 2026-11-21 (default: today).",
        valueName: "day"
    )
}

/// The change of a command, or the state that it left.
struct ChangeReport {
    let action: String
    let isChanged: Bool
    /// The text for a person.
    let text: String
    var task: SlateTask?
    var habit: SlateHabit?
    var day: CivilDay?
    var isPerfect: Bool?

    func print(_ output: FormatOption) throws(CommandFailure) {
        try output.print(
            TerminalText.safe(text) + "\n",
            [
                "action": .string(action),
                "changed": .bool(isChanged),
                "task": task?.json ?? .null,
                "habit": habit?.json ?? .null,
                "day": day.map { .string($0.description) } ?? .null,
                "perfect": isPerfect.map { .bool($0) } ?? .null,
            ]
        )
    }
}

extension SlateTask {
    /// The task for programs.
    var json: JSONValue {
        [
            "id": .string(id), "title": .string(title), "notes": notes.map { .string($0) } ?? .null,
            "dueDate": due.map { .string($0.description) } ?? .null,
            "scheduledFor": scheduled.map { .string($0.description) } ?? .null, "done": .bool(isDone),
            "doneAt": doneAt.map { .string($0) } ?? .null, "archived": .bool(isArchived),
            "dependsOn": dependsOn.map { .string($0) } ?? .null,
        ]
    }

    /// The state in words: `open, due Sat 21 Nov 2026`.
    var state: String {
        var words = [isDone ? "done" : "open"]
        if isArchived { words.append("archived") }
        if let due, !isDone { words.append("due \(due.words)") }
        if let scheduled, !isDone { words.append("scheduled for \(scheduled.words)") }
        return words.joined(separator: ", ")
    }
}

extension SlateHabit {
    /// The habit for programs.
    var json: JSONValue {
        [
            "id": .string(id), "title": .string(title), "notes": notes.map { .string($0) } ?? .null,
            "active": .bool(isActive), "reminderTime": reminderTime.map { .string($0) } ?? .null,
        ]
    }
}

extension SlateRecords {
    /// Returns the task that a person means; open ones come first.
    ///
    /// - Parameter isDone: Whether those that are done come first instead.
    func task(_ name: String, preferDone isDone: Bool = false) throws -> SlateTask {
        let tasks = try tasks()
        let isFirst = { (task: SlateTask) in isDone ? task.isDone : task.isOpen }
        let choice = NameChoice("task", tasks.filter(isFirst), id: \.id, name: \.title)
        return try choice(name, else: tasks.filter { !isFirst($0) })
    }

    /// Returns the habit that a person means; active ones come first.
    func habit(_ name: String) throws -> SlateHabit {
        let habits = try habits()
        let choice = NameChoice("habit", habits.filter(\.isActive), id: \.id, name: \.title)
        return try choice(name, else: habits.filter { !$0.isActive })
    }

    /// Returns a task as an argument of a command: its title where that names it alone, else its identifier.
    ///
    /// - Parameter isDone: Whether the command means tasks first that are done.
    func argument(for task: SlateTask, preferDone isDone: Bool = false) -> String {
        Self.argument(task.title, task.id, isNamed: (try? self.task(task.title, preferDone: isDone))?.id == task.id)
    }

    /// Returns a habit as an argument of a command: its name where that names it alone, else its identifier.
    func argument(for habit: SlateHabit) -> String {
        Self.argument(habit.title, habit.id, isNamed: (try? self.habit(habit.title))?.id == habit.id)
    }

    private static func argument(_ title: String, _ id: String, isNamed: Bool) -> String {
        // By scalars: a quote and an accent behind it are one character. What is shown otherwise cannot be copied.
        let isPlain =
            !title.hasPrefix("-") && !title.unicodeScalars.contains { "\"$`\\!".unicodeScalars.contains($0) }
            && TerminalText.safe(title) == title
        return isNamed && isPlain ? "\"\(title)\"" : ShellText.quoted(id)
    }

    /// Returns the task with an identifier.
    func task(id: String) throws -> SlateTask? { try tasks().first { $0.id == id } }
}
