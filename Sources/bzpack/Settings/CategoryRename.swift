internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit

extension Bzpack.CategoryGroup {
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Rename a custom category (Pro).",
            discussion: """
                Activities and blocks that have it follow. One that only these have, and the settings lack, may be renamed to a \
                category that there is.
                """
        )

        @OptionGroup var store: StoreOption
        @Argument(help: "The category.") var name: String
        @Argument(help: "Its new name.") var newName: String

        func run() throws {
            let (old, new, uses) = try store.writing(mustExist: true).write { records in
                var settings = try records.settings()
                let category = try CustomCategory(name, in: settings, records)
                var others = settings.customCategories
                if let position = category.position { others.remove(at: position) }
                // Blocks whose category was renamed on another device get the name that it has now.
                let builtIn = Categories.builtIn(matching: newName)
                if category.position != nil, let builtIn {
                    throw CommandFailure(.usage, Messages.renamedToBuiltIn(category.name, builtIn))
                }
                let known = builtIn ?? others.first { Categories.areSame($0, newName) }
                let listed = category.position == nil ? known : nil
                if listed == nil { try Categories.check(new: newName, existing: others, plan: settings.plan) }
                if let position = category.position {
                    settings.customCategories[position] = newName
                } else if listed == nil {
                    settings.customCategories.append(newName)
                }
                try records.save(settings, setting: "customCategories")
                let uses = try category.uses(in: records)
                try category.reassign(to: listed ?? newName, in: records)
                return (category.name, listed ?? newName, uses)
            }
            let text = "Renamed \"\(old)\" to \"\(new)\" in the settings and in \(Words.count(uses, "use"))."
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
        }
    }
}
