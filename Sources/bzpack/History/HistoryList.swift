internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import StrictJSON

extension Bzpack.HistoryGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the completed sessions, the latest first."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("List this many at most.", valueName: "number"))
        var limit: Int?

        func run() throws {
            if let limit, limit < 0 { throw CommandFailure(.usage, Messages.negativeLimit) }
            let all = try SessionHistoryEntry.latestFirst(store.reading().read { try $0.history() })
            let entries = Array(all.prefix(limit ?? all.count))
            let text = Self.text(entries, of: all.count, try zone.clock())
            try output.print(text, ["entries": .array(entries.map(\.json))])
        }

        /// - Parameter count: The number of all entries.
        private static func text(_ entries: [SessionHistoryEntry], of count: Int, _ clock: LocalClock) -> String {
            guard count > 0 else { return "No sessions completed yet.\n" }
            guard !entries.isEmpty else { return "Listed none of \(Words.count(count, "history entry")).\n" }
            var table = TextTable([.fixed("COMPLETED"), .left("SESSION"), .right("LENGTH"), .fixed("ID")])
            for entry in entries {
                let name = entry.sessionId == nil ? "\(entry.sessionName) (deleted)" : entry.sessionName
                let completed = Bzpack.HistoryGroup.completed(entry, clock)
                table.add([completed, name, Words.length(entry.totalDurationSeconds), entry.id])
            }
            return table.render()
        }
    }
}
