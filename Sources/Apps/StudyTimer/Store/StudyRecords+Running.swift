public import CivilTime
internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase

extension StudyRecords {
    /// The changes to sessions.
    public struct Change: Sendable, Hashable {
        /// The sessions that were stopped, as another one began: more than one only where devices or programs that did not
        /// know of each other each started one.
        public var stopped: [StudySession] = []
        /// The session that was started, paused, resumed or stopped.
        public var session: StudySession
    }

    /// Returns the session that is not over; of several the one that began last.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func current() throws -> StudySession? { try open().last }

    /// Returns the events of a session, as they happened.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func events(of session: StudySession) throws -> [StudyEvent] { try events(ofSession: session.id) }

    /// Returns the sessions that are not over, the one that began last at the end.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func open() throws -> [StudySession] {
        var log = StudyLog()
        try forEachSession { if $0.status != .completed { log.sessions.append($0) } }
        return log.sorted.sessions
    }

    /// Starts a session; one that is not over is stopped at that moment.
    ///
    /// - Parameters:
    ///   - title: What is studied. A subject of earlier sessions keeps its spelling.
    ///   - moment: When it begins.
    ///   - identifier: Makes new identifiers.
    /// - Throws: `study.state` where the same subject runs already, or the last event is later; `store.record`.
    public func start(
        _ title: String,
        at moment: ZonedTimestamp,
        identifier: () -> String
    ) throws -> Change {
        let open = try open()
        if let same = open.last, same.status == .active, SubjectKey(same.subject) == SubjectKey(title) {
            throw AppFormatError(.studyState, "\"\(same.subject)\" is running already, since \(same.start)")
        }
        let stopped = try open.map { try change($0, .stopped, at: moment, identifier) }
        let session = StudySession(
            id: identifier(),
            deviceID: try deviceID(identifier),
            title: try spelling(of: title),
            status: .active,
            start: moment,
            accumulatedSeconds: 0
        )
        try save(session)
        try note(.started, session, at: moment, identifier)
        return Change(stopped: stopped, session: session)
    }

    /// Pauses, resumes or stops the session that is not over.
    ///
    /// - Parameter kind: `paused`, `resumed` or `stopped`.
    /// - Throws: `study.state` where no session is in a state for that, or its last event is later; `store.record`.
    public func change(
        to kind: StudyEvent.Kind,
        at moment: ZonedTimestamp,
        identifier: () -> String
    ) throws -> Change {
        guard let session = try current() else { throw AppFormatError(.studyState, "no session is running") }
        switch (kind, session.status) {
        case (.paused, .paused): throw AppFormatError(.studyState, "\"\(session.subject)\" is paused already")
        case (.resumed, .active): throw AppFormatError(.studyState, "\"\(session.subject)\" is running already")
        default: return Change(session: try change(session, kind, at: moment, identifier))
        }
    }

    private func change(
        _ session: StudySession,
        _ kind: StudyEvent.Kind,
        at moment: ZonedTimestamp,
        _ identifier: () -> String
    ) throws -> StudySession {
        var events = try events(of: session)
        let last = max(events.last?.createdAt.moment ?? session.start.moment, session.start.moment)
        guard last <= moment.moment else {
            let since = ZonedTimestamp(last, offsetMinutes: session.start.offsetMinutes)
            throw AppFormatError(
                .studyState,
                "the last event of \"\(session.subject)\" is of \(since), which is after \(moment); check the clock"
            )
        }
        if !events.contains(where: { $0.kind?.tellsTime == true }) {
            events += try noteBeginning(of: session, before: moment, identifier)
        }
        // Where it is paused and its events say that it runs, its pause is noted: else all time until now would count.
        if session.status == .paused, let running = StudyClock(events, of: session).stretches.last, running.end == nil {
            let end = session.stretches(events).last?.end ?? running.start
            let pause = ZonedTimestamp(min(end.moment, moment.moment), offsetMinutes: end.offsetMinutes)
            events.append(try note(.paused, session, at: pause, identifier))
        }
        // Without events nothing told when it went on: it is paused already then.
        let isPaused = kind == .paused && StudyClock(events).status == .paused
        var session = session
        session.accumulatedSeconds = min(session.seconds(events, until: moment.moment), StudyClock.longest)
        session.status = kind == .paused ? .paused : kind == .stopped ? .completed : .active
        if kind == .stopped { session.end = moment }
        try save(session)
        if !isPaused { try note(kind, session, at: moment, identifier) }
        return session
    }

    /// Notes how a session began that came without events, as with one table of the cloud: they tell its seconds.
    private func noteBeginning(
        of session: StudySession,
        before moment: ZonedTimestamp,
        _ identifier: () -> String
    ) throws -> [StudyEvent] {
        let started = try note(.started, session, at: session.start, identifier)
        guard session.status == .paused || session.accumulatedSeconds > 0 else { return [started] }
        let last = min(session.start.moment.adding(seconds: session.accumulatedSeconds), moment.moment)
        let pause = ZonedTimestamp(last, offsetMinutes: session.start.offsetMinutes)
        return [started, try note(.paused, session, at: pause, identifier)]
    }

    @discardableResult
    private func note(
        _ kind: StudyEvent.Kind,
        _ session: StudySession,
        at moment: ZonedTimestamp,
        _ identifier: () -> String
    ) throws -> StudyEvent {
        let event = StudyEvent(id: identifier(), sessionID: session.id, type: kind.rawValue, createdAt: moment)
        try save(event)
        return event
    }

    /// Returns the subject as the latest session of that name spells it.
    private func spelling(of title: String) throws -> String {
        let key = SubjectKey(title)
        var latest: StudySession?
        try forEachSession { session in
            guard SubjectKey(session.subject) == key else { return }
            if latest.map({ $0.start.moment < session.start.moment }) ?? true { latest = session }
        }
        return latest?.subject ?? StudySession.trimmed(title)
    }

    /// Returns the other sessions that run at the same time as one does, in the order of their starts.
    ///
    /// - Parameter now: The present moment, when what is running ends.
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func overlaps(with session: StudySession, now: Timestamp) throws -> [StudySession] {
        func ranges(_ session: StudySession, _ events: [StudyEvent]) -> [Range<Timestamp>] {
            session.stretches(events).compactMap { stretch in
                let (start, end) = (stretch.start.moment, stretch.end?.moment ?? now)
                return start < end ? start..<end : nil
            }
        }
        let own = ranges(session, try events(of: session))
        guard let first = own.first, let last = own.last else { return [] }
        let log = try log(touching: first.lowerBound..<last.upperBound)
        let events = log.eventsBySession()
        return log.sessions.filter { other in
            other.id != session.id
                && ranges(other, events[other.id] ?? []).contains { range in own.contains { $0.overlaps(range) } }
        }
    }

    /// Returns the device that this store's sessions name, made when it is needed first.
    private func deviceID(_ identifier: () -> String) throws -> String {
        var found: String?
        try database.forEachRow("SELECT value FROM property WHERE name = 'device_id'") { found = $0.string(0) }
        if let found { return found }
        let new = identifier()
        let statement = try StoreStatement(database, "INSERT OR REPLACE INTO property VALUES ('device_id', ?)")
        try statement.bind(1, copying: new.utf8)
        try statement.run()
        return new
    }
}
