internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import Slate

extension SlateBackup {
    struct Done: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "done",
            abstract: "Mark a task as done.",
            discussion: "Any part of the title that fits one task will do. slate-backup undone takes it back."
        )

        @OptionGroup var options: EditOptions

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("When it was done, such as 14:30 or yesterday (default: now).", valueName: "time"),
            transform: TimeExpression.moment
        )
        var at: TimeExpression?

        @Argument(help: ArgumentHelp("The task.", valueName: "name|id")) var task: String

        func run() throws { try options.run { try Completion(options: options, isDone: true, at: at).run(task) } }
    }

    struct Undone: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undone",
            abstract: "Mark a task as not done.",
            discussion: "Any part of the title that fits one task will do."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The task.", valueName: "name|id")) var task: String

        func run() throws { try options.run { try Completion(options: options, isDone: false).run(task) } }
    }
}

/// Marks a task.
private struct Completion {
    let options: EditOptions
    let isDone: Bool
    /// The moment at which the task was done; nil for the present one.
    var at: TimeExpression?

    func run(_ name: String) throws {
        let (task, isChanged, name, doneAt) = try options.editing { editor in
            let moment = try at.map { try self.text($0, dayStart: editor.records.dayStart()) }
            let found = try editor.records.task(name, preferDone: !isDone)
            let isChanged = try editor.complete(found.id, isDone, at: moment)
            let task = try editor.records.task(id: found.id) ?? found
            return (task, isChanged, editor.records.argument(for: task, preferDone: isDone), found.doneAt)
        }
        let (word, command) = isDone ? ("done", "undone") : ("not done", "done")
        // The moment is lost with the mark, unless it is given back as it was written. One to come would be refused.
        let now = try options.clock.moment(in: options.zone.clock())
        let past = isDone ? nil : doneAt.flatMap { text in Timestamp(text).flatMap { $0 <= now ? text : nil } }
        let former = past.map { " --at \(ShellText.quoted($0))" }
        let text =
            isChanged
            ? Messages.done(task.title, word, Messages.back(command, name, former ?? ""))
            : Messages.doneAlready(task.title, word)
        try ChangeReport(action: isDone ? "done" : "undone", isChanged: isChanged, text: text, task: task)
            .print(options.output)
    }

    /// Returns a moment as it is stored: as it was written where it has an offset, else in local time.
    ///
    /// A day alone is the start of that day of the app, and a time alone is one of the app's present day.
    private func text(_ expression: TimeExpression, dayStart: SlateDayStart) throws -> String {
        let clock = try options.zone.clock()
        let now = try options.clock.moment(in: clock)
        let moment = try expression.moment(
            for: "--at",
            now: now,
            clock: clock,
            dayStart: dayStart.minutes * 60,
            echo: options.output.format
        )
        guard moment <= now else { throw CommandFailure(.usage, Messages.inFuture(clock.words(of: moment))) }
        return Timestamp(expression.text) == nil ? clock.text(of: moment) : expression.text.uppercased()
    }
}
