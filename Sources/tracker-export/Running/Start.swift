internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import TimeTracker

extension TrackerTool {
    struct Start: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Start an activity; the one that is running ends at that moment.",
            discussion: """
                The activity is named by its button: any part of the name that fits one will do, case and emoji aside. --new \
                adds a button of that name.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Add a button where there is none of that name.")
        var new = false

        @Argument(help: "The name of the button, or a part of it.", completion: .buttons)
        var name: String

        func run() throws {
            let change = try store.writing(mustExist: true).write { records in
                let now = try zone.zoned(clock, stored: try records.timeZone())
                let (button, isNew) = try button(records)
                return try records.start(button, id: newIdentifier(), at: now, adding: isNew)
            }
            try RunningReport(change).print(output)
        }

        private func button(_ records: TrackerRecords) throws -> (button: ActivityButton, isNew: Bool) {
            if try !new || records.button(named: name) != nil {
                return (try records.trackedButton(named: name, way: "--new adds one"), false)
            }
            guard !Words.isBlank(name) else { throw CommandFailure(.usage, Messages.buttonNeedsName) }
            return (try records.addButton(named: name), true)
        }
    }
}
