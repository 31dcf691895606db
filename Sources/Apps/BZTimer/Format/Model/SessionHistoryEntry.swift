public import CivilTime
public import StrictJSON

/// A session that was run to its end: the app's SessionHistoryEntry.
public struct SessionHistoryEntry: Sendable, Hashable {
    /// Identifies the entry.
    public var id: String
    /// The session that was run, or nil where it was deleted since.
    public var sessionId: String?
    /// The session's name at that time.
    public var sessionName: String
    /// The time at which the last block ended: RFC 3339 in UTC, kept as written.
    public var completedAt: String
    /// The length of the run, in seconds.
    public var totalDurationSeconds: Int
    /// Members that this version does not know, in their order.
    public var extra: JSONObject

    /// Makes an entry.
    public init(
        id: String,
        sessionId: String?,
        sessionName: String,
        completedAt: String,
        totalDurationSeconds: Int,
        extra: JSONObject = [:]
    ) {
        self.id = id
        self.sessionId = sessionId
        self.sessionName = sessionName
        self.completedAt = completedAt
        self.totalDurationSeconds = totalDurationSeconds
        self.extra = extra
    }

    /// The moment that ``completedAt`` names, or nil where it names none.
    public var completed: Timestamp? { Timestamp(completedAt) }

    /// Returns entries by the moment at which they were completed, then by id, the latest first.
    ///
    /// So all devices have one order. Entries that name no moment come last.
    public static func latestFirst(_ entries: [SessionHistoryEntry]) -> [SessionHistoryEntry] {
        entries.map { (entry: $0, moment: $0.completed ?? Timestamp(seconds: Int.min)) }
            .sorted { left, right in
                left.moment == right.moment
                    ? right.entry.id.utf8.lexicographicallyPrecedes(left.entry.id.utf8) : left.moment > right.moment
            }
            .map(\.entry)
    }

    /// The members that make two entries the same run of a session, whatever their identifiers.
    private struct Run: Hashable {
        let name: String
        let moment: Timestamp?
        /// The text that names no moment.
        let unreadable: String?
        let seconds: Int
    }

    private var run: Run {
        let moment = completed
        return Run(
            name: sessionName,
            moment: moment,
            unreadable: moment == nil ? completedAt : nil,
            seconds: totalDurationSeconds
        )
    }

    /// The entries of a store, which stand for those of a file that are the same runs under other identifiers.
    ///
    /// Each stands for one: a run that a file has twice is there twice.
    package struct Runs {
        private let ids: [String: Run]
        private var counts: [Run: Int] = [:]

        /// Counts the entries of a store that a file does not have by their identifiers.
        package init(of stored: [SessionHistoryEntry], besides file: [SessionHistoryEntry]) {
            ids = Dictionary(stored.map { ($0.id, $0.run) }) { first, _ in first }
            let named = Dictionary(file.map { ($0.id, $0.run) }) { first, _ in first }
            for entry in stored where named[entry.id] != entry.run { counts[entry.run, default: 0] += 1 }
        }

        /// Tells whether the store has an entry of the file, under any identifier; it stands for no other one then.
        package mutating func take(_ entry: SessionHistoryEntry) -> Bool {
            let run = entry.run
            if ids[entry.id] == run { return true }
            guard let count = counts[run], count > 0 else { return false }
            counts[run] = count - 1
            return true
        }
    }
}
