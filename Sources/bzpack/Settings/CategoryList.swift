internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

extension Bzpack.CategoryGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the built-in and the custom categories."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let (settings, unlisted) = try store.reading().read { records in
                let settings = try records.settings()
                return (settings, try CustomCategory.unlisted(settings, records))
            }
            let json: JSONValue = [
                "plan": .string(settings.plan.rawValue),
                "builtIn": .array(Categories.builtIn.map(JSONValue.string)),
                "custom": .array(settings.customCategories.map(JSONValue.string)),
                "unlisted": .array(unlisted.map(JSONValue.string)),
            ]
            try output.print(Self.text(settings, unlisted), json)
        }

        static func text(_ settings: TimerSettings, _ unlisted: [String]) -> String {
            var lines = Categories.builtIn
            let custom = settings.customCategories.sorted(by: NaturalOrder.precedes).map { "\($0) (custom)" }
            let others = unlisted.sorted(by: NaturalOrder.precedes).map {
                "\($0) (custom, in use but not in the settings)"
            }
            if !custom.isEmpty || !others.isEmpty { lines += [""] + custom + others }
            if settings.plan == .free { lines += ["", Plan.categoryMessage] }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }
    }
}
