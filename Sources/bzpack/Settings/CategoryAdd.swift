internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack.CategoryGroup {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "add", abstract: "Add custom categories (Pro).")

        @OptionGroup var store: StoreOption
        @Argument(help: "The names.") var names: [String]

        func run() throws {
            try store.writing(mustExist: true).write { records in
                var settings = try records.settings()
                for name in names {
                    try Categories.check(new: name, existing: settings.customCategories, plan: settings.plan)
                    settings.customCategories.append(name)
                }
                try records.save(settings, setting: "customCategories")
            }
            let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
            try StandardOutput.shared.report(TerminalText.safe(Messages.added(list)) + "\n")
        }
    }
}
