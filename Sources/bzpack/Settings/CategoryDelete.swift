internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit

extension Bzpack.CategoryGroup {
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete a custom category (Pro).",
            discussion: "Where activities or blocks have it, --to names the category that they get instead."
        )

        @OptionGroup var store: StoreOption
        @Argument(help: "The category.") var name: String

        @Option(help: ArgumentHelp("What has it gets this category.", valueName: "category"))
        var to: String?

        func run() throws {
            let result = try store.writing(mustExist: true).write { try delete($0) }
            var text = "Deleted \"\(result.name)\"."
            if let replacement = result.replacement {
                text += " \"\(replacement)\" took its place \(Words.count(result.uses, "time"))."
            }
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
        }

        private struct Result {
            let name: String
            let uses: Int
            let replacement: String?
        }

        private func delete(_ records: BztimerRecords) throws -> Result {
            var settings = try records.settings()
            let category = try CustomCategory(name, in: settings, records)
            if let position = category.position { settings.customCategories.remove(at: position) }
            let target = try target(in: settings)
            try records.save(settings, setting: "customCategories")
            let uses = try category.uses(in: records)
            guard uses > 0 else { return Result(name: category.name, uses: 0, replacement: nil) }
            guard let target else {
                throw CommandFailure(
                    .usage,
                    "\"\(category.name)\" is used \(Words.count(uses, "time")): "
                        + "say with --to which category takes its place; nothing was changed"
                )
            }
            try category.reassign(to: target, in: records)
            return Result(name: category.name, uses: uses, replacement: target)
        }

        /// Returns the category that `--to` names, in its own spelling.
        private func target(in settings: TimerSettings) throws(CommandFailure) -> String? {
            guard let to else { return nil }
            if let builtIn = Categories.builtIn(matching: to) { return builtIn }
            guard let custom = settings.customCategories.first(where: { Categories.areSame($0, to) }) else {
                throw CommandFailure(.usage, Messages.noOtherCategory(to))
            }
            return custom
        }
    }
}
