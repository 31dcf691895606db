internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import RecordStore
internal import StrictJSON

extension Bzpack.SettingsGroup {
    struct Show: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the settings, or one of them."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Argument(help: ArgumentHelp("Show the value of this setting alone.", valueName: "setting"))
        var name: String?

        func run() throws {
            let settings = try store.reading().read { try $0.settings() }
            guard let name else { return try output.print(Self.text(settings), settings.json) }
            guard let value = settings[name] else {
                let names = TimerSettings.names.joined(separator: ", ")
                throw CommandFailure(.usage, Messages.noSetting(name, names))
            }
            try output.print(Self.text(value) + "\n", [name: value])
        }

        static func text(_ settings: TimerSettings) -> String {
            var table = TextTable([.fixed("SETTING"), .left("VALUE")])
            for name in TimerSettings.names { table.add([name, text(settings[name] ?? .null)]) }
            let unknown = settings.extra.isEmpty ? "" : "\nunknown members, kept: \(settings.extra.count)\n"
            return table.render() + unknown
        }

        private static func text(_ value: JSONValue) -> String {
            switch value {
            case .string(let string): TerminalText.safe(string)
            case .array(let values): values.map(text).joined(separator: ", ")
            default: value.text(.compact)
            }
        }
    }
}
