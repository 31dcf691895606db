internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import TimeTracker

extension TrackerTool {
    struct Entries: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "entries",
            abstract: "List and correct what was tracked.",
            discussion: """
                An entry is named by its short name in the list, by its id, or as last or running. Times are those of the \
                entry's day: --start 09:15, or --end "yesterday 18:00". Each change is made at once or not at all, and undo \
                takes it back.
                """,
            subcommands: [EntriesList.self, EntriesAdd.self, EntriesEdit.self, EntriesSplit.self, EntriesDelete.self],
            defaultSubcommand: EntriesList.self
        )
    }

    struct EntriesList: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the entries of today or of other days.",
            discussion: "An entry is listed whole where a part of it lies in the days."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var when: DayOptions
        @OptionGroup var output: FormatOption

        func run() throws {
            let report = try store.reading().read { records in
                let clock = try when.localClock(stored: try records.timeZone())
                let span = try when.span(clock, echo: output.format)
                let (moments, now) = (span.moments(clock), try when.now(clock))
                let entries = try records.activities(from: moments.lowerBound, to: moments.upperBound).filter { entry in
                    entry.start.moment < moments.upperBound
                        && (moments.contains(entry.start.moment) || entry.end?.moment ?? now > moments.lowerBound)
                }
                let handles = try records.handles()
                return EntryListReport(entries: entries, handles: handles, span: span, clock: clock, now: now)
            }
            try output.print(report.text, report.json)
        }
    }
}
