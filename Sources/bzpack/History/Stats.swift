internal import ArgumentParser
internal import BZTimer
internal import CommandSupport

extension Bzpack {
    struct Stats: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Show quick start, streaks, this week and recent sessions.",
            discussion: "Days are local days; weeks begin on Monday. On the Free plan the last 30 days count."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let localClock = try zone.clock()
            let (statistics, hasSessions) = try store.reading().read { records in
                let sessions = try records.sessions()
                let statistics = try SessionStatistics(
                    history: try records.history(),
                    sessions: sessions,
                    plan: try records.settings().plan,
                    now: clock.moment(in: localClock),
                    clock: localClock
                )
                return (statistics, !sessions.isEmpty)
            }
            try output.print(StatsReport.text(statistics, hasSessions: hasSessions), StatsReport.json(statistics))
        }
    }
}
