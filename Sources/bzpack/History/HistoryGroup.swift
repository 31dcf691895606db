internal import ArgumentParser
internal import BZTimer
internal import CivilTime

extension Bzpack {
    struct HistoryGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "List, add, export, import, prune or clear the history.",
            subcommands: [List.self, Add.self, Export.self, Import.self, Prune.self, Clear.self],
            defaultSubcommand: List.self
        )

        /// Returns the local time at which an entry was completed, in words.
        static func completed(_ entry: SessionHistoryEntry, _ clock: LocalClock) -> String {
            entry.completed.map(clock.words) ?? entry.completedAt
        }

        /// Returns the entries that the settings no longer keep.
        static func expired(in records: BztimerRecords, now: Timestamp) throws -> [SessionHistoryEntry] {
            let settings = try records.settings()
            return HistoryRetention.split(
                try records.history(),
                settings.historyRetention,
                plan: settings.plan,
                now: now
            ).removed
        }
    }
}
