import CivilTime
public import FormatKit
public import StrictJSON
import TimeTracker

/// The members of each object in schema order.
enum StudyLayout {
    static let session = ["id", "device_id", "title", "status", "start_time", "end_time", "accumulated_seconds"]
    static let event = ["id", "session_id", "event_type", "created_at"]

    /// The members of the top level of a version that is an object.
    static func top(_ version: Int) -> [String] {
        version == 1 ? ["sessions", "session_history"] : ["format", "version", "exportedAt", "sessions", "events"]
    }

    /// A document of a version with its known members in schema order, then the unknown ones, then `x-preserved`.
    static func ordered(_ document: JSONValue, version: Int) -> JSONValue {
        if let list = document.array { return .array(list.map { ordered($0, isEvent($0) ? event : session) }) }
        guard var object = document.object?.ordered(top(version)) else { return document }
        for (list, names) in [("sessions", session), (version == 1 ? "session_history" : "events", event)] {
            guard let elements = object[list]?.array else { continue }
            object[list] = .array(elements.map { ordered($0, names) })
        }
        return .object(object)
    }

    /// Whether an element of a list without a name is an event.
    static func isEvent(_ value: JSONValue) -> Bool { value["event_type"] != nil }

    private static func ordered(_ value: JSONValue, _ names: [String]) -> JSONValue {
        value.object.map { .object($0.ordered(names)) } ?? value
    }
}

extension StudySession {
    /// A session from its form in a log of any version.
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
            "accumulated_seconds": .number(JSONNumber(accumulatedSeconds)),
        ]
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }
}

extension StudyEvent {
    /// An event from its form in a log of any version.
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
    /// The version 2 document, members in schema order and unknown ones after them at every level.
    public var json: JSONValue {
        var object: JSONObject = ["format": .string(Self.format), "version": .number(JSONNumber(Self.currentVersion))]
        object["exportedAt"] = exportedAt.map(JSONValue.string)
        object["sessions"] = .array(sessions.map(\.json))
        object["events"] = .array(events.map(\.json))
        for member in unknownMembers.ordered([]) { object[member.name] = member.value }
        return .object(object)
    }

    /// The bytes of a file: the same content gives the same bytes.
    ///
    /// - Parameters:
    ///   - version: The version to write; 1 is an object with both tables.
    ///   - style: `.indented` for files, `.canonical` for RFC 8785.
    /// - Returns: The bytes, and what a reader of the version will not see.
    /// - Throws: `version.newer`, `version.invalid`.
    public func encoded(
        version: Int = StudyLog.currentVersion,
        style: JSONStyle = .indented
    ) throws(AppFormatError) -> (bytes: [UInt8], losses: [MigrationLoss], notes: [MigrationLoss]) {
        let migrated = try StudyMigrations.migrate(json, from: Self.currentVersion, to: version)
        return (migrated.value.encoded(style), migrated.losses, migrated.notes)
    }
}
