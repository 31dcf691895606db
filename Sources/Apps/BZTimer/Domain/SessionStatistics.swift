import FormatKit
public import CivilTime

/// The content of the app's home screen: streaks, this week, quick start and recent activity.
public struct SessionStatistics: Sendable, Hashable {
    /// The reasons why sessions are offered for a quick start.
    public enum QuickStartReason: String, Sendable, Hashable {
        /// They are scheduled for today's weekday.
        case scheduledToday
        /// It is the session that was completed last and still exists.
        case lastUsed
        /// There is none to offer.
        case none
    }

    /// A session that is offered for a quick start.
    public struct QuickStart: Sendable, Hashable {
        /// The session's identifier.
        public var sessionId: String
        /// The session's name now.
        public var name: String
    }

    /// A recent history entry with its local day.
    public struct Recent: Sendable, Hashable {
        /// The entry.
        public var entry: SessionHistoryEntry
        /// The local day on which it ended.
        public var day: CivilDay
        /// The number of days since then: 0 for today, 1 for yesterday.
        public var daysAgo: Int
        /// Its length in whole minutes, rounded down.
        public var minutes: Int
    }

    /// The local day that counts as today.
    public var today: CivilDay
    /// Consecutive days up to and including today with a completed session; 0 without one today.
    public var currentStreak: Int
    /// The most consecutive days with a completed session.
    public var longestStreak: Int
    /// Completed sessions from this week's Monday to its Sunday.
    public var weekCount: Int
    /// The length of those sessions in seconds.
    public var weekSeconds: Int
    /// The sessions to offer.
    public var quickStart: [QuickStart]
    /// The reason why they are offered.
    public var quickStartReason: QuickStartReason
    /// The five entries that ended last, the latest first.
    public var recent: [Recent]

    /// The length of this week's sessions in whole minutes, rounded down after adding them up.
    public var weekMinutes: Int { weekSeconds / 60 }

    /// Makes the statistics of a history.
    ///
    /// - Parameters:
    ///   - history: The entries in any order; those whose time cannot be read are left out.
    ///   - sessions: The sessions that exist.
    ///   - plan: On the Free plan only the last 30 days count.
    ///   - now: The present moment.
    ///   - clock: The person's time zone.
    public init(
        history: [SessionHistoryEntry],
        sessions: [SessionTemplate],
        plan: Plan,
        now: Timestamp,
        clock: LocalClock
    ) {
        let cutoff = HistoryRetention.cutoff(.unlimited, plan: plan, now: now)
        let runs = Run.latestFirst(history, clock: clock).filter { run in cutoff.map { run.completed >= $0 } ?? true }
        let today = clock.day(of: now)
        self.today = today
        let days = Set(runs.map(\.day))
        currentStreak = Streak.current(days, today: today)
        longestStreak = Streak.longest(days)
        let week = today.monday...CivilDay(number: today.monday.number + 6)
        let thisWeek = runs.filter { week.contains($0.day) }
        weekCount = thisWeek.count
        weekSeconds = thisWeek.reduce(0) { Self.saturatingSum($0, $1.entry.totalDurationSeconds) }
        (quickStart, quickStartReason) = Self.quickStart(sessions, runs, weekday: today.weekday)
        recent = runs.prefix(5).map { run in
            Recent(
                entry: run.entry,
                day: run.day,
                daysAgo: today.number - run.day.number,
                minutes: run.entry.totalDurationSeconds / 60
            )
        }
    }

    private static func saturatingSum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? Int.max : sum
    }

    private static func quickStart(
        _ sessions: [SessionTemplate],
        _ runs: [Run],
        weekday: Int
    ) -> ([QuickStart], QuickStartReason) {
        let scheduled = sessions.filter { $0.scheduledDaysOfWeek?.contains(weekday) ?? false }
        if !scheduled.isEmpty {
            let sorted = scheduled.sorted { left, right in
                let keys = (AlphabeticalKey(left.name), AlphabeticalKey(right.name))
                return keys.0 == keys.1 ? left.id < right.id : keys.0 < keys.1
            }
            return (sorted.map { QuickStart(sessionId: $0.id, name: $0.name) }, .scheduledToday)
        }
        let names = Dictionary(sessions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        for run in runs {
            if let id = run.entry.sessionId, let name = names[id] {
                return ([QuickStart(sessionId: id, name: name)], .lastUsed)
            }
        }
        return ([], .none)
    }
}

/// A history entry with its moment and local day.
private struct Run {
    let entry: SessionHistoryEntry
    let completed: Timestamp
    let day: CivilDay

    static func latestFirst(_ entries: [SessionHistoryEntry], clock: LocalClock) -> [Run] {
        SessionHistoryEntry.latestFirst(entries).compactMap { entry in
            entry.completed.map { Run(entry: entry, completed: $0, day: clock.day(of: $0)) }
        }
    }
}

/// Alphabetical order without a locale: case folded first, then as written.
private struct AlphabeticalKey: Comparable {
    let folded: String
    let name: String

    init(_ name: String) {
        folded = CategoryKey(name).folded
        self.name = name
    }

    static func < (left: AlphabeticalKey, right: AlphabeticalKey) -> Bool {
        left.folded == right.folded ? left.name < right.name : left.folded < right.folded
    }
}
