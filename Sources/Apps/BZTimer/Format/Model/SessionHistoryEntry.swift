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
}
