internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import StudyTimer

/// The sessions of one subject.
struct StudySubject {
    let title: String
    var sessions: [StudySession] = []

    /// Returns the subjects of a log, by title.
    static func all(_ log: StudyLog) -> [StudySubject] {
        let names = log.subjectNames
        var order: [String] = []
        var found: [String: StudySubject] = [:]
        for session in log.sessions {
            let name = names[session.subject] ?? session.subject
            if found[name] == nil { order.append(name) }
            found[name, default: StudySubject(title: name)].sessions.append(session)
        }
        return order.compactMap { found[$0] }
    }

    /// Returns the subject in a search.
    func record(_ clock: LocalClock, _ lengths: SessionLengths) -> FoundLogRecord {
        let days = sessions.map { clock.day(of: $0.start.moment) }
        let seconds = sessions.reduce(0) { $0 + lengths.seconds(of: $1) }
        let span = days.min().flatMap { first in days.max().map { ", \(first) to \($0)" } } ?? ""
        return FoundLogRecord(
            kind: "subject",
            id: title,
            title: title,
            state: "\(Words.count(sessions.count, "session")), \(Words.length(seconds))\(span)",
            json: [
                "sessions": .number(sessions.count), "seconds": .number(seconds),
                "from": days.min().map { .string($0.description) } ?? .null,
                "to": days.max().map { .string($0.description) } ?? .null,
            ]
        )
    }
}

/// The lengths of a log's sessions.
struct SessionLengths {
    private let events: [String: [StudyEvent]]
    private let moment: Timestamp?

    /// - Parameter moment: The end of a stretch that runs; nil to leave it out.
    init(_ log: StudyLog, until moment: Timestamp?) {
        events = log.eventsBySession()
        self.moment = moment
    }

    func seconds(of session: StudySession) -> Int { session.seconds(events[session.id] ?? [], until: moment) }
}

extension StudySession {
    /// Returns the session in a search.
    func record(_ clock: LocalClock, _ lengths: SessionLengths) -> FoundLogRecord {
        let state = "\(clock.words(of: start.moment)), \(Words.length(lengths.seconds(of: self))), \(id)"
        return FoundLogRecord(kind: "session", id: id, title: subject, state: state, json: json)
    }
}

/// The sessions to restore, which the store lacks or has otherwise, with their events.
struct StudyRestoration {
    /// The sessions that are written, and whether the store has another version of each.
    private(set) var sessions: [(session: StudySession, isUpdate: Bool)] = []
    /// Their events that are written.
    private(set) var events: [StudyEvent] = []
    /// The store's events of these sessions that tell time and that the backup lacks, which are removed.
    private(set) var removed: [StudyEvent] = []
    /// Sessions that the store has as they are.
    private(set) var same = 0
    /// Sessions that were going on in the backup and are over in the store, which are left out.
    private(set) var leftOut = 0

    /// Plans what is to be done.
    ///
    /// - Parameters:
    ///   - wanted: The sessions that are brought back.
    ///   - log: The backup.
    ///   - store: What the store holds.
    ///   - isEverything: Whether the backup takes the place of the whole store, and nothing is left out.
    init(_ wanted: [StudySession], of log: StudyLog, into store: StudyLog, isEverything: Bool) {
        let stored = Dictionary(store.sessions.map { ($0.id, $0) }) { first, _ in first }
        let known = Dictionary(store.events.map { ($0.id, $0) }) { first, _ in first }
        let (byID, storedByID) = (log.eventsBySession(), store.eventsBySession())
        for session in wanted {
            let own = byID[session.id] ?? []
            let missing = own.filter { known[$0.id]?.json != $0.json }
            let before = stored[session.id]
            if !isEverything, before?.status == .completed, session.status != .completed {
                leftOut += 1
                continue
            }
            // The times of a session come from one side.
            let ids = Set(own.map(\.id))
            let others = own.contains { $0.kind?.tellsTime == true } ? storedByID[session.id] ?? [] : []
            let surplus = others.filter { $0.kind?.tellsTime == true && !ids.contains($0.id) }
            guard before?.json != session.json || !missing.isEmpty || !surplus.isEmpty else {
                same += 1
                continue
            }
            removed += surplus
            sessions.append((session, before != nil))
            events += missing
        }
    }

    /// True if the store has everything as it was.
    var isEmpty: Bool { sessions.isEmpty }

    /// Writes the sessions and their events.
    func apply(to records: StudyRecords) throws {
        for (session, _) in sessions { try records.save(session) }
        for event in removed { try records.delete(event) }
        for event in events { try records.save(event) }
    }

    /// Returns the plan for people.
    func lines(_ clock: LocalClock, _ lengths: SessionLengths) -> [String] {
        var lines = sessions.prefix(10).map { session, isUpdate in
            let start = clock.words(of: session.start.moment)
            let length = Words.length(lengths.seconds(of: session))
            return "  \(isUpdate ? "update" : "create") session \"\(session.subject)\", \(start), \(length)"
        }
        if sessions.count > 10 { lines.append("  … and \(sessions.count - 10) more sessions") }
        if !removed.isEmpty {
            lines.append("  remove \(Words.count(removed.count, "event")) that the backup does not have")
        }
        if leftOut > 0 {
            let count = Words.count(leftOut, "session")
            lines.append("  leave out \(count) that went on in the backup and is over in the store")
        }
        if same > 0 { lines.append("  keep \(Words.count(same, "session")) that the store has") }
        return lines
    }
}
