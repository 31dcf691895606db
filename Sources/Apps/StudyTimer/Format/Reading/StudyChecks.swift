import CivilTime
import FormatKit
import StrictJSON
import TimeTracker

/// The checks of a log that a schema cannot make: identifiers, references, and whether times and sums follow from the
/// events.
///
/// With repair errors are mended and become warnings, and sums are computed anew.
struct StudyChecks {
    private(set) var findings: CheckFindings
    /// The sessions of the document, as far as they were repaired.
    private(set) var sessions: [StudySession] = []
    private(set) var events: [StudyEvent] = []

    private var sessionNodes: [JSONNode] = []
    private var eventNodes: [JSONNode] = []

    /// Checks a document that is valid by its schema.
    init(_ outline: StudyOutline, repair: Bool) throws(AppFormatError) {
        findings = CheckFindings(repair: repair)
        var sessionIDs = Identifiers(what: "session")
        for node in outline.sessions {
            var session = try StudySession(json: node.value, at: node.pointer)
            guard keep(node, &session.id, &sessionIDs, outline.sessions) else { continue }
            checkTimes(&session, node)
            sessions.append(session)
            sessionNodes.append(node)
        }
        var eventIDs = Identifiers(what: "event")
        for node in outline.events {
            var event = try StudyEvent(json: node.value, at: node.pointer)
            guard keep(node, &event.id, &eventIDs, outline.events) else { continue }
            events.append(event)
            eventNodes.append(node)
        }
        checkEvents(sessionIDs, hasSessions: !outline.sessions.isEmpty)
        checkClocks()
        if sessions.isEmpty, events.isEmpty {
            add(.note, "study.empty", "the file holds neither sessions nor events", outline.root)
        }
    }

    // MARK: Findings

    private mutating func add(_ severity: Diagnostic.Severity, _ code: String, _ message: String, _ node: JSONNode) {
        findings.add(severity, code, message, at: node.pointer)
    }

    private mutating func addFixable(_ code: String, _ message: String, fix: String, _ node: JSONNode) {
        findings.addFixable(code, message, fix: fix, at: node.pointer)
    }

    // MARK: Identifiers

    private struct Identifiers {
        let what: String
        var first: [ScalarKey: JSONNode] = [:]
        var fresh = FreshIDs()
    }

    /// Reports a record whose id another one has, and tells whether the record stays.
    private mutating func keep(
        _ node: JSONNode,
        _ id: inout String,
        _ ids: inout Identifiers,
        _ all: [JSONNode]
    ) -> Bool {
        guard let first = ids.first[ScalarKey(id)] else {
            ids.first[ScalarKey(id)] = node
            return true
        }
        let isSame = first.value == node.value
        let message = "the \(ids.what) id \"\(id)\" is used twice, first at \(first.pointer)"
        var fix = "this one is the same, and left out"
        if !isSame {
            id = ids.fresh.next(for: id) { Set(all.compactMap { $0["id"]?.string.map(ScalarKey.init) }) }
            fix = "the second gets the id \"\(id)\""
        }
        addFixable("study.duplicate-id", message, fix: fix, node["id"] ?? node)
        return !isSame
    }

    // MARK: Sessions

    private mutating func checkTimes(_ session: inout StudySession, _ node: JSONNode) {
        let place = node["end_time"] ?? node
        if let end = session.end, end.moment < session.start.moment {
            let message = "\"\(session.title)\" ends at \(end), before its start \(session.start)"
            addFixable("study.end-before-start", message, fix: "start and end are exchanged", place)
            (session.start, session.end) = (end, session.start)
        }
        switch (session.status, session.end) {
        case (.completed, nil):
            add(.warning, "study.status", "the session is completed and has no \"end_time\"", node)
        case (.active, .some), (.paused, .some):
            add(.warning, "study.status", "the session is \(session.status) and has an \"end_time\"", place)
        default: break
        }
    }

    // MARK: Events

    private mutating func checkEvents(_ sessions: Identifiers, hasSessions: Bool) {
        for (event, node) in zip(events, eventNodes) {
            if event.kind == nil {
                let message =
                    "the app writes no events of the type \"\(event.type)\"; it is kept, and says nothing about time"
                add(.note, "study.unknown-event", message, node["event_type"] ?? node)
            }
            // A list of events alone has no sessions to refer to.
            guard hasSessions, sessions.first[ScalarKey(event.sessionID)] == nil else { continue }
            let message = "no session of the file has the id \"\(event.sessionID)\"; the event is kept"
            add(.warning, "study.dangling-event", message, node["session_id"] ?? node)
        }
    }

    private mutating func checkClocks() {
        var positions: [ScalarKey: [Int]] = [:]
        for (position, event) in events.enumerated() {
            positions[ScalarKey(event.sessionID), default: []].append(position)
        }
        for index in sessions.indices {
            let session = sessions[index]
            let own = positions[ScalarKey(session.id)] ?? []
            let happened = own.map { events[$0] }
            let clock = StudyClock(happened)
            for oddity in clock.oddities {
                let position = own[oddity.position]
                let event = events[position]
                let message = "\"\(event.type)\" at \(event.createdAt) does not follow: \(oddity.reason)"
                add(.warning, "study.event-order", message, eventNodes[position])
            }
            check(index, clock, happened)
        }
    }

    private mutating func check(_ index: Int, _ clock: StudyClock, _ events: [StudyEvent]) {
        let (session, node) = (sessions[index], sessionNodes[index])
        guard let status = clock.status else { return }
        if status != session.status {
            let message = "the session is \(session.status), and by its events it is \(status)"
            add(.warning, "study.status", message, node["status"] ?? node)
        }
        let counted = StudyClock(events, of: session)
        // Where no event lies in the session, its own seconds count.
        guard !counted.stretches.isEmpty, !counted.agrees(with: session.accumulatedSeconds) else { return }
        let seconds = session.settledSeconds(events, counted)
        guard seconds != session.accumulatedSeconds else { return }
        let sum =
            seconds == clock.seconds
            ? "its events add up to \(seconds)"
            : "from its start to its end, without the pauses of its events, it lasts \(seconds), which count"
        let message = "the session has \(session.accumulatedSeconds) seconds, and \(sum)"
        let place = node["accumulated_seconds"] ?? node
        let fix = "the events count"
        findings.addFixable("study.accumulated", message, fix: fix, at: place.pointer, unrepaired: .warning)
        guard findings.repair else { return }
        sessions[index].accumulatedSeconds = seconds
    }
}
