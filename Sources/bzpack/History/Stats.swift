internal import AppFormats
internal import AppStores
internal import ArgumentParser
internal import CommandSupport

extension Bzpack {
    struct Stats: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show quick start, streaks, this week and recent sessions.",
            discussion: "Days are local days; weeks begin on Monday. On the Free plan the last 30 days count."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let localClock = try zone.clock()
            let statistics = try store.reading().read { records in
                SessionStatistics(
                    history: try records.history(),
                    sessions: try records.sessions(),
                    plan: try records.settings().plan,
                    now: clock.moment,
                    clock: localClock
                )
            }
            try output.print(StatsReport.text(statistics), StatsReport.json(statistics))
        }
    }
}
