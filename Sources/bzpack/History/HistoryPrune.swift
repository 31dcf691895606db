internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import StrictJSON

extension Bzpack.HistoryGroup {
    struct Prune: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Remove the history that the settings and the plan no longer keep.",
            discussion: "Pro keeps what historyRetention says, in calendar months; Free keeps 30 days."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption
        @Flag(help: "Say what would be removed, and remove nothing.") var dryRun = false

        func run() throws {
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let removed: [SessionHistoryEntry]
            if dryRun {
                removed = try store.reading().read { try Bzpack.HistoryGroup.expired(in: $0, now: now) }
            } else {
                removed = try store.writing(mustExist: true).write { records in
                    let removed = try Bzpack.HistoryGroup.expired(in: records, now: now)
                    try records.evictHistory(ids: removed.map(\.id))
                    return removed
                }
            }
            let lines = removed.map { entry in
                let completed = Bzpack.HistoryGroup.completed(entry, localClock)
                return TerminalText.safe("remove \"\(entry.sessionName)\", completed at \(completed)")
            }
            let verb = dryRun ? "Would remove" : "Removed"
            let summary = "\(verb) \(Words.count(removed.count, "history entry"))."
            try output.report(
                (lines + [summary]).map { $0 + "\n" }.joined(),
                ["dryRun": .bool(dryRun), "removed": .array(removed.map(\.json))],
                isDryRun: dryRun
            )
        }
    }
}
