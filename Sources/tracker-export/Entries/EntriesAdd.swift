internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import TimeTracker

extension TrackerTool {
    struct EntriesAdd: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add an entry that was not tracked.",
            discussion: "tracker-export entries add Work --start 09:00 --end 12:30 --note \"Offer\""
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: EntryClock
        @OptionGroup var details: EntryDetails
        @OptionGroup var output: FormatOption

        @Option(parsing: .unconditional, help: "When it began.", transform: TimeExpression.moment)
        var start: TimeExpression

        @Option(parsing: .unconditional, help: "When it ended, on the start's day.", transform: TimeExpression.moment)
        var end: TimeExpression

        @Argument(help: "The name of the button, or a part of it.", completion: .buttons)
        var name: String

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let clock = try when.clock(stored: try records.timeZone())
                let button = try records.trackedButton(named: name)
                let began = try start.moment("--start", near: nil, clock, output)
                var entry = TrackerActivity(
                    id: newIdentifier(),
                    name: button.name,
                    buttonID: button.id,
                    start: clock.local.zoned(began),
                    color: button.color
                )
                entry.end = clock.local.zoned(try end.moment("--end", near: began, isAfter: true, clock, output))
                details.apply(to: &entry)
                return try EntryChange.make("add", [(nil, entry)], records, clock)
            }
            try report.print(output)
        }
    }

    struct EntriesDelete: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete an entry.")

        @OptionGroup var store: StoreOption
        @OptionGroup var when: EntryClock
        @OptionGroup var output: FormatOption

        @Argument(help: EntryArgument.help)
        var entry: String

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let clock = try when.clock(stored: try records.timeZone())
                let found = try EntryArgument.find(entry, records)
                return try EntryChange.make("delete", [(found, nil)], records, clock)
            }
            try report.print(output)
        }
    }
}
