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
            let settings = try store.reading().read { try $0.settings() }
            let json: JSONValue = [
                "plan": .string(settings.plan.rawValue),
                "builtIn": .array(Categories.builtIn.map(JSONValue.string)),
                "custom": .array(settings.customCategories.map(JSONValue.string)),
            ]
            try output.print(Self.text(settings), json)
        }

        static func text(_ settings: TimerSettings) -> String {
            var lines = Categories.builtIn
            if !settings.customCategories.isEmpty {
                lines += [""] + settings.customCategories.sorted(by: NaturalOrder.precedes).map { "\($0) (custom)" }
            }
            if settings.plan == .free { lines += ["", Plan.categoryMessage] }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }
    }
}
