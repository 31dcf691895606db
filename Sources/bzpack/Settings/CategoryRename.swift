internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit

extension Bzpack.CategoryGroup {
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a custom category (Pro).",
            discussion: "Activities and blocks that have it follow."
        )

        @OptionGroup var store: StoreOption
        @Argument(help: "The category.") var name: String
        @Argument(help: "Its new name.") var newName: String

        func run() throws {
            let (old, uses) = try store.writing(mustExist: true).write { records in
                var settings = try records.settings()
                let category = try CustomCategory(name, in: settings)
                var others = settings.customCategories
                others.remove(at: category.position)
                try Categories.check(new: newName, existing: others, plan: settings.plan)
                settings.customCategories[category.position] = newName
                try records.save(settings, setting: "customCategories")
                let uses = try category.uses(in: records)
                try category.reassign(to: newName, in: records)
                return (category.name, uses)
            }
            let text = "Renamed \"\(old)\" to \"\(newName)\" in the settings and in \(Words.count(uses, "use"))."
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
        }
    }
}
