internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import TimeTracker

extension TrackerTool {
    struct EntriesEdit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "edit",
            abstract: "Change the times, the button or the note of an entry.",
            discussion: """
                tracker-export entries edit last --end 17:30 --note "Offer for Big Company"

                A time without a day is one of the day on which the entry begins; an end before the start is one of the next \
                day. An empty text, as in --note "", removes what the entry has.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: EntryClock
        @OptionGroup var details: EntryDetails
        @OptionGroup var output: FormatOption

        @Option(parsing: .unconditional, help: "When it began.", transform: TimeExpression.moment)
        var start: TimeExpression?

        @Option(parsing: .unconditional, help: "When it ended.", transform: TimeExpression.moment)
        var end: TimeExpression?

        @Flag(help: "Remove its end, so that it runs.")
        var running = false

        @Option(help: ArgumentHelp("The button that it belongs to.", valueName: "name"), completion: .buttons)
        var button: String?

        @Argument(help: EntryArgument.help)
        var entry: String

        func validate() throws {
            guard start != nil || end != nil || running || button != nil || details.isGiven else {
                throw ValidationError(Messages.sayWhatToChange)
            }
            if end != nil, running { throw ValidationError(Messages.endAndRunning) }
        }

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let clock = try when.clock(stored: try records.timeZone())
                let before = try EntryArgument.find(entry, records)
                var after = before
                if let start {
                    after.start = clock.local.zoned(
                        try start.moment("--start", near: before.start.moment, clock, output)
                    )
                }
                if running { after.end = nil }
                if let end {
                    after.end = clock.local.zoned(
                        try end.moment("--end", near: after.start.moment, isAfter: true, clock, output)
                    )
                }
                if let button {
                    let button = try records.trackedButton(named: button)
                    (after.name, after.buttonID, after.color) = (button.name, button.id, button.color)
                }
                details.apply(to: &after)
                return try EntryChange.make("edit", [(before, after)], records, clock)
            }
            try report.print(output)
        }
    }

    struct EntriesSplit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "split",
            abstract: "Divide an entry in two at a time.",
            discussion: """
                tracker-export entries split last 12:00 --button Meal

                Both parts have the button and the details; an amount stays with the first. --button, --note and the others \
                are for the second part.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: EntryClock
        @OptionGroup var details: EntryDetails
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("The button of the second part.", valueName: "name"), completion: .buttons)
        var button: String?

        @Argument(help: EntryArgument.help)
        var entry: String

        @Argument(help: "When the second part begins.", transform: TimeExpression.moment)
        var at: TimeExpression

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let clock = try when.clock(stored: try records.timeZone())
                let before = try EntryArgument.find(entry, records)
                let moment = try at.moment("at", near: before.start.moment, isAfter: true, clock, output)
                guard before.start.moment < moment, moment < before.end?.moment ?? clock.now else {
                    let time = clock.local.zoned(moment)
                    throw CommandFailure(
                        .usage,
                        Messages.notWithin("\(time)", EntryWords.span(before, clock.local))
                    )
                }
                var (first, second) = before.split(at: clock.local.zoned(moment), id: newIdentifier())
                if let button {
                    let button = try records.trackedButton(named: button)
                    (second.name, second.buttonID, second.color) = (button.name, button.id, button.color)
                }
                details.apply(to: &second)
                return try EntryChange.make("split", [(before, first), (nil, second)], records, clock)
            }
            try report.print(output)
        }
    }
}
