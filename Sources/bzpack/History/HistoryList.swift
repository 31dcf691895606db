internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import StrictJSON

extension Bzpack.HistoryGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the completed sessions, the latest first."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("List this many at most.", valueName: "number"))
        var limit: Int?

        func run() throws {
            if let limit, limit < 0 { throw CommandFailure(.usage, Messages.negativeLimit) }
            let all = try Bzpack.HistoryGroup.latestFirst(store.reading().read { try $0.history() })
            let entries = Array(all.prefix(limit ?? all.count))
            try output.print(Self.text(entries), ["entries": .array(entries.map(\.json))])
        }

        static func text(_ entries: [SessionHistoryEntry]) -> String {
            guard !entries.isEmpty else { return "No sessions completed yet.\n" }
            var table = TextTable([.fixed("COMPLETED"), .left("SESSION"), .right("LENGTH"), .fixed("ID")])
            for entry in entries {
                let name = entry.sessionId == nil ? "\(entry.sessionName) (deleted)" : entry.sessionName
                table.add([entry.completedAt, name, Words.length(entry.totalDurationSeconds), entry.id])
            }
            return table.render()
        }
    }
}
