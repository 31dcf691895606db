internal import ArgumentParser
internal import CommandSupport
internal import TimeTracker

extension TrackerTool {
    struct Undo: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo",
            abstract: "Undo the last change of entries or buttons.",
            discussion: """
                Takes back start, stop, and what entries and buttons changed, the last one first, up to 20 of them. What has \
                changed since, by an import or a sync, is left as it is.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let report = try store.writing(mustExist: true).write { records in
                let local = try zone.clock(stored: try records.timeZone())
                // The short names are those before, as some of the entries are gone afterwards.
                let change = try records.undo()
                return try EntryChange(undone: change, records, local)
            }
            try report.print(output, undone: true)
        }
    }
}
