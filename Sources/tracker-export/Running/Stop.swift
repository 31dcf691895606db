internal import TimeTracker
internal import ArgumentParser
internal import CommandSupport

extension TrackerTool {
    struct Stop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop",
            abstract: "End the activity that is running."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let change = try store.writing(mustExist: true).write { records in
                try records.stop(at: try zone.zoned(clock, stored: try records.timeZone()))
            }
            try RunningReport(change).print(output)
        }
    }
}
