internal import CivilTime
internal import RecordMerge
internal import StrictJSON

/// Study Timer: how long a session took of which several devices wrote that.
struct StudyInvariants: MergeInvariants {
    let references = [Reference("events", "session_id", to: "sessions")]
    private static let seconds = "accumulated_seconds"
    /// The beginning of the names of a session's events.
    private static let events = "events/"

    /// Works out the time from the session's events, where several devices wrote it, or events of it, without knowing of
    /// each other; an end that lies before the start is the start.
    func enforce(_ set: inout ResolvedSet) {
        let keys = set.keys("sessions").filter { set.shown[$0].map(Self.followsFromEvents) ?? false }
        guard !keys.isEmpty else { return }
        var events: [ScalarKey: [StudyEvent]] = [:]
        var origins: [ScalarKey: [[Dot]]] = [:]
        for key in set.keys("events") {
            guard let object = set.records.objects[key], let event = try? StudyEvent(json: .object(object)) else {
                continue
            }
            events[ScalarKey(event.sessionID), default: []].append(event)
            origins[ScalarKey(event.sessionID), default: []].append(set.shown[key]?.origins ?? [])
        }
        for key in keys {
            guard let shown = set.shown[key] else { continue }
            let end = Self.endBesideNone(shown)
            let isCrossed = Self.endsBeforeStart(shown)
            if let value = isCrossed ? shown.object["start_time"] : end {
                set.choose(key, "end_time", value, dropping: end.map { _ in .null })
            }
            if isCrossed {
                let told = "it was before the start, which another device moved"
                set.note(key, ["end_time"], shown: shown.object["start_time"], told)
            } else if Self.isAgreed(shown, origins[ScalarKey(key.key)] ?? []) {
                continue
            }
            guard let object = set.records.objects[key], let session = try? StudySession(json: .object(object)) else {
                continue
            }
            let own = events[ScalarKey(key.key)] ?? []
            let worked = session.correctedSeconds(own)
            set.records.objects[key]?[Self.seconds] = .number(worked)
            let late = Self.secondsAfterEnd(of: session, own)
            guard late > 0 else { continue }
            let words = DurationText.words(seconds: late)
            set.note(key, [Self.seconds], shown: .number(worked), "after its end another device counted \(words) more")
        }
    }

    /// Returns the seconds that ran after the session's end, on a device that did not know of it; 0 where that device
    /// stopped it as well, as then the end is a conflict.
    private static func secondsAfterEnd(of session: StudySession, _ events: [StudyEvent]) -> Int {
        guard session.status == .completed, let end = session.end else { return 0 }
        let late = events.filter { $0.kind?.tellsTime == true && $0.createdAt.moment > end.moment }
        guard let last = late.max(by: { $0.createdAt.moment < $1.createdAt.moment }),
            !late.contains(where: { $0.kind == .stopped })
        else { return 0 }
        var longer = session
        longer.end = last.createdAt
        return max(longer.seconds(events, until: nil) - session.seconds(events, until: nil), 0)
    }

    /// Tells whether devices that had the session before they knew of each other counted the same.
    ///
    /// - Parameter events: The changes that made each of its events.
    private static func isAgreed(_ session: ResolvedRecord, _ events: [[Dot]]) -> Bool {
        let values = session.authoredValues(seconds)
        guard Set(values.map(\.value)).count == 1 else { return false }
        // A decision about the start or the end decides the time.
        for member in ["start_time", "end_time"] {
            guard Set(session.authoredValues(member).map(\.value)).count < 2,
                session.stamp(member).map({ stamp in values.contains { $0.knows(stamp.dot) } }) ?? true
            else { return false }
        }
        let isFirst = { (value: AuthoredValue) in session.origins.contains(value.dot) }
        // A device that joined with the same session, and added no event, counted the same time as the others.
        let others = values.filter { value in !isFirst(value) || events.contains { $0.contains(where: value.knows) } }
        return others.count < 2
            || others.allSatisfy { value in isFirst(value) && events.allSatisfy { $0.contains(where: value.knows) } }
    }

    private static func followsFromEvents(_ session: ResolvedRecord) -> Bool {
        session.aliases[ScalarKey(seconds)] != nil || endsBeforeStart(session) || endBesideNone(session) != nil
    }

    /// Returns the latest end of a completed session beside which no end stands; nil where there is none.
    ///
    /// A device that was set back to when the session ran makes it anew, without an end. Nobody said that it has none.
    private static func endBesideNone(_ session: ResolvedRecord) -> JSONValue? {
        guard session.object["status"]?.string == StudySession.Status.completed.rawValue else { return nil }
        let ends = session.authoredValues("end_time").map(\.value)
        return ends.contains(.null) ? ends.last { !$0.isNull } : nil
    }

    /// Tells whether two devices set a start and an end that do not go together, which no app reads.
    private static func endsBeforeStart(_ session: ResolvedRecord) -> Bool {
        guard let start = session.object["start_time"]?.string.flatMap(Timestamp.init),
            let end = (endBesideNone(session) ?? session.object["end_time"])?.string.flatMap(Timestamp.init)
        else { return false }
        return end < start
    }

    func crossed(_ key: RecordKey, _ alone: ResolvedRecord) -> [String] {
        key.collection == "sessions" && Self.endsBeforeStart(alone) ? ["start_time", "end_time"] : []
    }

    /// Returns the links of a record: a session whose time has to be computed sees its events.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        switch key.collection {
        case "events":
            var seen = "\(shown.object["event_type"]?.string ?? "") \(shown.object["created_at"]?.string ?? "")"
            if shown.origins.count > 1 { seen += shown.origins.map { " \($0.writer) \($0.sequence)" }.joined() }
            let session = shown.object["session_id"]?.string
            return RecordLinks(names: session.map { [RecordLinks.Name(Self.events + $0, seen: seen)] } ?? [])
        case "sessions": return RecordLinks(references: Self.followsFromEvents(shown) ? [Self.events + key.key] : [])
        default: return RecordLinks()
        }
    }

    /// Names the start or the end of a session, which is also the moment of an event.
    func question(_ key: RecordKey, _ object: JSONObject, at path: [String]) -> String? {
        switch (key.collection, path) {
        case ("sessions", ["start_time"]): "started \(key.key)"
        case ("sessions", ["end_time"]): "stopped \(key.key)"
        case ("events", ["created_at"]):
            "\(object["event_type"]?.string ?? "") \(object["session_id"]?.string ?? "")"
        default: nil
        }
    }

    func facts(of key: RecordKey, _ object: JSONObject) -> RecordKey? {
        guard key.collection == "events" else { return nil }
        return object["session_id"]?.string.map { RecordKey("sessions", $0) }
    }
}
