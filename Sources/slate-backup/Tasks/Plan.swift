internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate

extension SlateBackup {
    struct Plan: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Put a task into the plan of a day.",
            discussion: """
                Any part of the title that fits one task will do. slate-backup unplan takes it out again. A day with a minus \
                goes after --: slate-backup plan passport -- -1d
                """
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The task.", valueName: "name|id")) var task: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws { try options.run { try Planning(options: options, isPlanned: true).run(task, day) } }
    }

    struct Unplan: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unplan",
            abstract: "Take a task out of the plan of a day.",
            discussion: "The task itself stays. Any part of the title that fits one task will do."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The task.", valueName: "name|id")) var task: String
        @Argument(help: DayArgument.help, transform: TimeExpression.day) var day: TimeExpression?

        func run() throws { try options.run { try Planning(options: options, isPlanned: false).run(task, day) } }
    }
}

/// Puts a task into a plan, or takes it out.
private struct Planning {
    let options: EditOptions
    let isPlanned: Bool

    func run(_ name: String, _ given: TimeExpression?) throws {
        let (task, day, isChanged, name) = try options.editing { editor in
            let task = try editor.records.task(name)
            let day = try options.day(given, "the day", editor.today) ?? editor.today
            let isChanged = try isPlanned ? editor.plan(task.id, on: day) : editor.unplan(task.id, on: day)
            return (task, day, isChanged, editor.records.argument(for: task))
        }
        let plan = "the plan of \(day.words)"
        let back = Messages.back(isPlanned ? "unplan" : "plan", name, " \(day)")
        let text =
            switch (isPlanned, isChanged) {
            case (true, true): "Put \"\(task.title)\" into \(plan). Take it back: \(back)"
            case (true, false): "\"\(task.title)\" is in \(plan) already. Nothing was changed."
            case (false, true): "Took \"\(task.title)\" out of \(plan). Take it back: \(back)"
            case (false, false): "\"\(task.title)\" is not in \(plan). Nothing was changed."
            }
        try ChangeReport(
            action: isPlanned ? "plan" : "unplan",
            isChanged: isChanged,
            text: text,
            task: task,
            day: day
        ).print(options.output)
    }
}
