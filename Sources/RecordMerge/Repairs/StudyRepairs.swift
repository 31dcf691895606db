internal import CivilTime
internal import StudyTimer
internal import StrictJSON

/// Study Timer: how long a session took of which several devices wrote that.
enum StudyRepairs {
    private static let seconds = "accumulated_seconds"
    /// What the names of a session's events begin with.
    private static let events = "events/"

    /// Works out the time from the session's events, where several devices wrote it, or events of it, without knowing of
    /// each other.
    static func mend(_ set: inout ShownSet) {
        let keys = set.keys("sessions").filter { set.shown[$0].map(isOpen) ?? false }
        guard !keys.isEmpty else { return }
        var events: [ScalarKey: [StudyEvent]] = [:]
        for key in set.keys("events") {
            guard let object = set.records.objects[key], let event = try? StudyEvent(json: .object(object)) else {
                continue
            }
            events[ScalarKey(event.sessionID), default: []].append(event)
        }
        for key in keys {
            guard let object = set.records.objects[key], let session = try? StudySession(json: .object(object)) else {
                continue
            }
            let sorted = (events[ScalarKey(key.key)] ?? []).enumerated().sorted {
                ($0.element.createdAt.moment, $0.offset) < ($1.element.createdAt.moment, $1.offset)
            }
            let clock = StudyClock(sorted.map(\.element))
            let worked = clock.corrected(session.accumulatedSeconds, from: session.start, to: session.end)
            set.records.objects[key]?[seconds] = .number(JSONNumber(worked))
        }
    }

    private static func isOpen(_ session: ShownRecord) -> Bool { session.aliases[ScalarKey(seconds)] != nil }

    /// A session whose time has to be worked out sees its events.
    static func links(_ key: RecordKey, _ shown: ShownRecord) -> RecordLinks {
        switch key.collection {
        case "events":
            let seen = "\(shown.object["event_type"]?.string ?? "") \(shown.object["created_at"]?.string ?? "")"
            let session = shown.object["session_id"]?.string
            return RecordLinks(names: session.map { [RecordLinks.Name(events + $0, seen: seen)] } ?? [])
        case "sessions": return RecordLinks(references: isOpen(shown) ? [events + key.key] : [])
        default: return RecordLinks()
        }
    }
}
