internal import FormatKit
internal import StrictJSON
public import TimeTracker

/// A change of sessions and their events that can be taken back.
public struct StudyChange: Sendable, Hashable {
    /// Names the person's action in a word: `edit`.
    public var what: String
    /// The sessions that changed.
    public var sessions: [TrackerChange.Step<StudySession>]
    /// The events that changed.
    public var events: [TrackerChange.Step<StudyEvent>]

    /// Makes the difference between two states of a store.
    init(_ what: String, from before: StudyLog, to after: StudyLog) {
        self.what = what
        sessions = Self.steps(before.sessions, after.sessions, id: \.id)
        events = Self.steps(before.events, after.events, id: \.id)
    }

    private init(
        _ what: String,
        _ sessions: [TrackerChange.Step<StudySession>],
        _ events: [TrackerChange.Step<StudyEvent>]
    ) {
        (self.what, self.sessions, self.events) = (what, sessions, events)
    }

    /// The change that takes this one back.
    public var reversed: StudyChange {
        StudyChange(
            what,
            sessions.map { TrackerChange.Step(before: $0.after, after: $0.before) },
            events.map { TrackerChange.Step(before: $0.after, after: $0.before) }
        )
    }

    /// True if nothing changed.
    var isEmpty: Bool { sessions.isEmpty && events.isEmpty }

    private static func steps<Record: Hashable & Sendable>(
        _ before: [Record],
        _ after: [Record],
        id: (Record) -> String
    ) -> [TrackerChange.Step<Record>] {
        let old = Dictionary(before.map { (id($0), $0) }) { first, _ in first }
        let new = Dictionary(after.map { (id($0), $0) }) { first, _ in first }
        let written = after.filter { old[id($0)] != $0 }.map { TrackerChange.Step(before: old[id($0)], after: $0) }
        let removed = before.filter { new[id($0)] == nil }.map { TrackerChange.Step<Record>(before: $0) }
        return written + removed
    }
}

// MARK: - JSON

extension StudyChange {
    init(json: JSONValue) throws(AppFormatError) {
        var sessions: [TrackerChange.Step<StudySession>] = []
        for step in json["sessions"]?.array ?? [] {
            sessions.append(
                TrackerChange.Step(
                    before: try step["before"].map { value throws(AppFormatError) in try StudySession(json: value) },
                    after: try step["after"].map { value throws(AppFormatError) in try StudySession(json: value) }
                )
            )
        }
        var events: [TrackerChange.Step<StudyEvent>] = []
        for step in json["events"]?.array ?? [] {
            events.append(
                TrackerChange.Step(
                    before: try step["before"].map { value throws(AppFormatError) in try StudyEvent(json: value) },
                    after: try step["after"].map { value throws(AppFormatError) in try StudyEvent(json: value) }
                )
            )
        }
        self.init(json["what"]?.string ?? "", sessions, events)
    }

    var json: JSONValue {
        func step(_ before: JSONValue?, _ after: JSONValue?) -> JSONValue {
            var object = JSONObject()
            object["before"] = before
            object["after"] = after
            return .object(object)
        }
        return [
            "what": .string(what),
            "sessions": .array(sessions.map { step($0.before?.json, $0.after?.json) }),
            "events": .array(events.map { step($0.before?.json, $0.after?.json) }),
        ]
    }
}
