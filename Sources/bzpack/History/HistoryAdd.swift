internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport

extension Bzpack.HistoryGroup {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Record that a session was completed.",
            discussion: "History that is older than the settings and the plan keep is removed afterwards."
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption

        @Argument(help: ArgumentHelp("The session.", valueName: "name|id"), completion: .sessions)
        var session: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("When it was completed, such as \"yesterday 18:30\" (default: now).", valueName: "time"),
            transform: TimeExpression.moment
        )
        var completedAt: TimeExpression?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("How long it took; by default the session's length.", valueName: "number"),
            transform: seconds
        )
        var seconds: Int?

        @Sendable private static func seconds(_ text: String) throws -> Int {
            guard let seconds = Int(text) else { throw ValidationError(Messages.secondsExpected) }
            return seconds
        }

        func run() throws {
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let completedAt = try completedAt?.moment(for: "--completed-at", now: now, clock: localClock, echo: .text)
            if let seconds, !(0...SessionHistoryEntry.longestDuration).contains(seconds) {
                throw CommandFailure(.usage, Messages.badSeconds(SessionHistoryEntry.longestDuration))
            }
            if let completedAt, completedAt > now {
                throw CommandFailure(.usage, Messages.future(localClock.words(of: completedAt)))
            }
            let (entry, removed, reason) = try store.writing(mustExist: true).write { records in
                let found = try Selection(records.sessions())(session)
                let entry = SessionHistoryEntry(
                    id: newIdentifier(),
                    sessionId: found.id,
                    sessionName: found.name,
                    completedAt: (completedAt ?? now).description,
                    totalDurationSeconds: seconds ?? found.totalSeconds ?? SessionHistoryEntry.longestDuration
                )
                try records.insert(entry)
                let removed = try Bzpack.HistoryGroup.expired(in: records, now: now)
                guard !removed.contains(where: { $0.id == entry.id }) else {
                    throw CommandFailure(.usage, Messages.beforeHistory(localClock.words(of: completedAt ?? now)))
                }
                try records.evictHistory(ids: removed.map(\.id))
                let settings = try records.settings()
                let ofPro = HistoryRetention.split(removed, settings.historyRetention, plan: .pro, now: now).removed
                let reason = try Messages.removedOlder(
                    removed.count,
                    settings,
                    store: store.resolvedPath(),
                    isPro: !ofPro.isEmpty,
                    isShared: records.isLinked
                )
                return (entry, removed, reason)
            }
            var text = "Added \"\(entry.sessionName)\", completed at \(localClock.words(of: completedAt ?? now))."
            if !removed.isEmpty { text += " \(reason)" }
            try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
        }
    }
}
