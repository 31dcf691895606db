internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate

extension SlateBackup {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a task.",
            discussion: "The words of the title need no quotes: slate-backup add Buy milk --due friday"
        )

        @OptionGroup var options: EditOptions

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The day by which it is due, such as 2026-11-21.", valueName: "day"),
            transform: TimeExpression.day
        )
        var due: TimeExpression?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Put it into the plan of this day, such as today.", valueName: "day"),
            transform: TimeExpression.day
        )
        var plan: TimeExpression?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Schedule it for this day.", valueName: "day"),
            transform: TimeExpression.day
        )
        var scheduled: TimeExpression?

        @Option(help: ArgumentHelp("Let it wait for this task.", valueName: "task"))
        var after: String?

        @Option(help: ArgumentHelp("Keep these notes with it.", valueName: "text"))
        var notes: String?

        @Argument(help: "The title.")
        var title: [String]

        func run() throws {
            let title = title.joined(separator: " ")
            guard !Words.isBlank(title) else { throw CommandFailure(.usage, "a task needs a title") }
            try options.run {
                let (task, day) = try options.editing { editor in
                    let day = try options.day(plan, "--plan", editor.today)
                    let id = try editor.addTask(
                        title: title,
                        notes: notes,
                        due: try options.day(due, "--due", editor.today),
                        scheduled: try options.day(scheduled, "--scheduled", editor.today),
                        dependsOn: try after.map { try editor.records.task($0).id }
                    )
                    if let day { _ = try editor.plan(id, on: day) }
                    return (try editor.records.task(id: id), day)
                }
                var text = "Added \"\(title)\""
                if let due = task?.due { text += ", due \(due.words)" }
                if let day { text += ", planned for \(day.words)" }
                try ChangeReport(action: "add", isChanged: true, text: text + ".", task: task, day: day)
                    .print(options.output)
            }
        }
    }
}
