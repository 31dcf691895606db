internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Search: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "search",
            abstract: "Find tasks and habits by their titles and notes.",
            discussion: "Case and emoji do not matter. slate-backup find looks into backups as well."
        )

        @OptionGroup var options: EditOptions
        @Argument(help: "The text.") var text: String

        func run() throws {
            guard !NameText.folded(text).isEmpty else { throw CommandFailure(.usage, Messages.nothingToSearch) }
            try options.run {
                let (tasks, habits) = try options.reading { records, _ in
                    (
                        try records.tasks().filter { has($0.title, $0.notes) },
                        try records.habits().filter { has($0.title, $0.notes) }
                    )
                }
                var table = TextTable([.fixed("KIND"), .left("TITLE"), .left("STATE")])
                let named = tasks.sorted { NaturalOrder.precedes($0.title, $1.title) }
                let open = named.filter(\.isOpen) + named.filter { !$0.isOpen }
                for task in open {
                    table.add(["task", TerminalText.cut(task.title, to: Words.nameColumns), task.state])
                }
                for habit in habits {
                    let title = TerminalText.cut(habit.title, to: Words.nameColumns)
                    table.add(["habit", title, habit.isActive ? "active" : "inactive"])
                }
                try options.output.print(
                    table.isEmpty ? TerminalText.safe(Messages.noSearchResult(text)) + "\n" : table.render(),
                    ["tasks": .array(open.map(\.json)), "habits": .array(habits.map(\.json))]
                )
            }
        }

        private func has(_ title: String, _ notes: String?) -> Bool {
            NameText.contains(title, text) || notes.map { NameText.contains($0, text) } ?? false
        }
    }
}
