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
        StudyChange(what, sessions.map(\.reversed), events.map(\.reversed))
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
        self.init(
            json["what"]?.string ?? "",
            try TrackerChange.Step.list(json["sessions"]) { value throws(AppFormatError) in
                try StudySession(json: value)
            },
            try TrackerChange.Step.list(json["events"]) { value throws(AppFormatError) in
                try StudyEvent(json: value)
            }
        )
    }

    var json: JSONValue {
        [
            "what": .string(what),
            "sessions": .array(sessions.map { $0.json(\.json) }),
            "events": .array(events.map { $0.json(\.json) }),
        ]
    }
}
