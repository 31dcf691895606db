import CivilTime
public import FormatKit
public import StrictJSON
import TimeTracker

/// The members of each object in schema order.
enum StudyLayout {
    private static let session = MemberLayout([
        "id", "device_id", "title", "status", "start_time", "end_time", "accumulated_seconds",
    ])
    private static let event = MemberLayout(["id", "session_id", "event_type", "created_at"])
    private static let one = MemberLayout(
        ["sessions", "session_history"],
        [("sessions", session), ("session_history", event)],
        elements: [("event_type", event), ("accumulated_seconds", session)]
    )
    private static let two = MemberLayout(
        ["format", "version", "exportedAt", "sessions", "events"],
        [("sessions", session), ("events", event)]
    )

    /// Returns the layout of a version; a list without a name, of version 1, is of sessions or of events.
    static func version(_ version: Int) -> MemberLayout { version == 1 ? one : two }

    /// Tells whether an element of a list without a name is an event.
    static func isEvent(_ value: JSONValue) -> Bool { value["event_type"] != nil }
}

extension StudySession {
    /// Makes a session from its form in a log of any version.
    ///
    /// - Throws: `tracker.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = TrackerMembers(value, at: pointer)
        id = try members.required("id", "a string") { $0.string }
        deviceID = try members.required("device_id", "a string") { $0.string }
        title = try members.required("title", "a string") { $0.string }
        status = try members.required("status", "active, paused or completed") { $0.string.flatMap(Status.init) }
        start = try members.required("start_time", "a time as RFC 3339 has it") {
            $0.string.flatMap(ZonedTimestamp.init)
        }
        end = try members.optional("end_time", "a time as RFC 3339 has it") { $0.string.flatMap(ZonedTimestamp.init) }
        accumulatedSeconds = try members.required("accumulated_seconds", "an integer") { $0.int }
        unknownMembers = members.rest
    }

    /// The session as a log of any version holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "device_id": .string(deviceID), "title": .string(title),
            "status": .string(status.rawValue), "start_time": .string(start.description),
            "end_time": end.map { .string($0.description) } ?? .null,
            "accumulated_seconds": .number(accumulatedSeconds),
        ]
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }
}

extension StudyEvent {
    /// Makes an event from its form in a log of any version.
    ///
    /// - Throws: `tracker.member` with the place where a known member is missing or cannot be used.
    public init(json value: JSONValue, at pointer: JSONPointer = .root) throws(AppFormatError) {
        var members = TrackerMembers(value, at: pointer)
        id = try members.required("id", "a string") { $0.string }
        sessionID = try members.required("session_id", "a string") { $0.string }
        type = try members.required("event_type", "a string") { $0.string }
        createdAt = try members.required("created_at", "a time as RFC 3339 has it") {
            $0.string.flatMap(ZonedTimestamp.init)
        }
        unknownMembers = members.rest
    }

    /// The event as a log of any version holds it, members in schema order and unknown ones after them.
    public var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "session_id": .string(sessionID), "event_type": .string(type),
            "created_at": .string(createdAt.description),
        ]
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }
}

extension StudyLog {
    /// The document of the current version, members in schema order and unknown ones after them at every level.
    public var json: JSONValue {
        var object: JSONObject = [
            "format": .string(StudyFormat.name), "version": .number(StudyFormat.currentVersion),
        ]
        object["exportedAt"] = exportedAt.map(JSONValue.string)
        object["sessions"] = .array(sessions.map(\.json))
        object["events"] = .array(events.map(\.json))
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }
}
