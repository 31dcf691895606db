public import CivilTime
public import StrictJSON

/// A stretch of study, with pauses.
public struct StudySession: Sendable, Hashable {
    /// The statuses of a session.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The clock runs.
        case active
        /// The clock stands.
        case paused
        /// It is over.
        case completed
    }

    /// Identifies the session.
    public var id: String
    /// Identifies the phone.
    public var deviceID: String
    /// The subject that was studied.
    public var title: String
    /// The status of the session.
    public var status: Status
    /// The time at which it began.
    public var start: ZonedTimestamp
    /// The time at which it was stopped; nil before.
    public var end: ZonedTimestamp?
    /// Seconds without the pauses, up to the last pause or stop.
    public var accumulatedSeconds: Int
    /// Members that the format does not know, in their order, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes a session.
    public init(
        id: String,
        deviceID: String,
        title: String,
        status: Status,
        start: ZonedTimestamp,
        end: ZonedTimestamp? = nil,
        accumulatedSeconds: Int,
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.id = id
        self.deviceID = deviceID
        self.title = title
        self.status = status
        self.start = start
        self.end = end
        self.accumulatedSeconds = accumulatedSeconds
        self.unknownMembers = unknownMembers
    }
}

/// Something that happened to a session.
public struct StudyEvent: Sendable, Hashable {
    /// The kinds that the app writes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The session began, or went on.
        case started, paused, resumed, stopped
        /// The phone's lock screen shows it, or no longer; that says nothing about time.
        case activityStarted = "activity_started"
        case activityEnded = "activity_ended"

        /// True if the clock of a session starts or stops with it.
        package var tellsTime: Bool { self != .activityStarted && self != .activityEnded }
    }

    /// Identifies the event.
    public var id: String
    /// The session that it happened to.
    public var sessionID: String
    /// The kind of the event, as it is written.
    public var type: String
    /// The time of the event.
    public var createdAt: ZonedTimestamp
    /// Members that the format does not know, in their order, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes an event.
    public init(
        id: String,
        sessionID: String,
        type: String,
        createdAt: ZonedTimestamp,
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.id = id
        self.sessionID = sessionID
        self.type = type
        self.createdAt = createdAt
        self.unknownMembers = unknownMembers
    }

    /// The kind of the event, where it is one that the app writes.
    public var kind: Kind? { Kind(rawValue: type) }
}

/// The content of a log of Study Timer.
public struct StudyLog: Sendable, Hashable {
    /// The moment of the export as RFC 3339, if it is known.
    public var exportedAt: String?
    /// The sessions, in the order of the file.
    public var sessions: [StudySession]
    /// The events of all sessions, in the order of the file.
    public var events: [StudyEvent]
    /// Members of the top level that the format does not know, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes the content of a log.
    public init(
        exportedAt: String? = nil,
        sessions: [StudySession] = [],
        events: [StudyEvent] = [],
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.exportedAt = exportedAt
        self.sessions = sessions
        self.events = events
        self.unknownMembers = unknownMembers
    }

    /// The log in the order in which it is written: sessions by start, events by moment, both then by id.
    ///
    /// Events of one session at one moment stand as they happened.
    public var sorted: StudyLog {
        var log = self
        log.sessions.sort { ($0.start.moment, ByteOrder($0.id)) < ($1.start.moment, ByteOrder($1.id)) }
        log.events.sort { ($0.createdAt.moment, ByteOrder($0.id)) < ($1.createdAt.moment, ByteOrder($1.id)) }
        log.events = StudyEventOrder.arranged(log.events)
        return log
    }
}

/// Orders texts by their bytes, as SQLite does.
struct ByteOrder: Comparable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ByteOrder, right: ByteOrder) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }
    static func < (left: ByteOrder, right: ByteOrder) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
