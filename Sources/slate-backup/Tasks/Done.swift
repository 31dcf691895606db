internal import ArgumentParser
internal import CommandSupport
internal import Slate

extension SlateBackup {
    struct Done: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "done",
            abstract: "Mark a task as done.",
            discussion: "Any part of the title that fits one task will do. slate-backup undone takes it back."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: ArgumentHelp("The task.", valueName: "name|id")) var task: String

        func run() throws { try options.run { try Completion(options: options, isDone: true).run(task) } }
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

    func run(_ name: String) throws {
        let (task, isChanged, name) = try options.editing { editor in
            let found = try editor.records.task(name, preferDone: !isDone)
            let isChanged = try editor.complete(found.id, isDone)
            let task = try editor.records.task(id: found.id) ?? found
            return (task, isChanged, editor.records.argument(for: task, preferDone: isDone))
        }
        let (word, command) = isDone ? ("done", "undone") : ("not done", "done")
        let text =
            isChanged
            ? Messages.done(task.title, word, Messages.back(command, name))
            : Messages.doneAlready(task.title, word)
        try ChangeReport(action: isDone ? "done" : "undone", isChanged: isChanged, text: text, task: task)
            .print(options.output)
    }
}
