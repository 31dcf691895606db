internal import CivilTime
internal import FormatKit
internal import StrictJSON
internal import TimeTracker

/// Plans the import of a log record by record and carries it out at once, within one transaction.
struct StudyImporter {
    private let records: StudyRecords
    private let options: TrackerImportOptions
    private let recorder: TrackerPlanRecorder

    init(_ records: StudyRecords, _ options: TrackerImportOptions) {
        self.records = records
        self.options = options
        recorder = TrackerPlanRecorder(options.visit)
    }

    func run(_ log: StudyLog) throws -> TrackerImportPlan {
        var open = try openSessions()
        let given = Dictionary(grouping: log.events) { ScalarKey($0.sessionID) }
        // The file's sessions that take the store's place, and those that the store has otherwise and keeps.
        var (taken, kept): (Set<ScalarKey>, Set<ScalarKey>) = ([], [])
        var silent: [StudySession] = []
        for (index, session) in log.sessions.enumerated() {
            var session = session
            let stored = try records.session(id: session.id)
            if let stored { session.unknownMembers.keep(stored.unknownMembers) }
            let (verb, reason) = plan(session, stored, given[ScalarKey(session.id)] ?? [])
            let place = JSONPointer(tokens: ["sessions", String(index)])
            try add(verb, .session, session.subject, session.id, session.start, reason, place) {
                try records.save(session)
            }
            let (key, isSame) = (ScalarKey(session.id), stored?.json == session.json)
            if verb == .update { taken.insert(key) } else if verb != .create, !isSame { kept.insert(key) }
            if let own = given[key], own.contains(where: { $0.kind?.tellsTime == true }),
                verb == .update || options.update && isSame
            {
                try removeEvents(of: session, except: own)
            }
            if verb == .create || verb == .update {
                if session.hasUnknownPauses, try !hasTimes(given[key] ?? [], of: session) { silent.append(session) }
                open[key] = session.status == .completed ? nil : session
            }
        }
        let fileSessions = Set(log.sessions.map { ScalarKey($0.id) })
        var otherwise: [ScalarKey: StudySession] = [:]
        for (index, event) in log.events.enumerated() {
            let key = ScalarKey(event.sessionID)
            var event = event
            let stored = try records.event(id: event.id)
            if let stored { event.unknownMembers.keep(stored.unknownMembers) }
            var (verb, reason) = plan(event, stored, isTaken: taken.contains(key))
            // The times of a session come from one side.
            if verb == .create, kept.contains(key), event.kind?.tellsTime == true {
                (verb, reason) = (.skip, "its session is kept as the store has it")
            }
            let place = JSONPointer(tokens: ["events", String(index)])
            try add(verb, .event, event.type, event.id, event.createdAt, reason, place) { try records.save(event) }
            if verb == .create, !fileSessions.contains(key), event.kind == .started || event.kind == .stopped,
                let session = try records.session(id: event.sessionID), Self.differs(event, from: session)
            {
                otherwise[key] = session
            }
            if index & 0xFFF == 0 { options.progress(index) }
        }
        try addMembers(StudyStep1To2.withoutListName(log.unknownMembers))
        if !recorder.plan.isEmpty { remark(open: Array(open.values)) }
        remark(silent: silent)
        remark(otherwise: Array(otherwise.values))
        return recorder.plan
    }

    /// Tells whether events of the file, or of the store, tell the time of a session.
    private func hasTimes(_ given: [StudyEvent], of session: StudySession) throws -> Bool {
        func tellTime(_ events: [StudyEvent]) -> Bool { events.contains { $0.kind?.tellsTime == true } }
        return try tellTime(given) || tellTime(records.events(ofSession: session.id))
    }

    /// Removes the events of a session that tell its time and that the file does not have: the file's take their place.
    private func removeEvents(of session: StudySession, except given: [StudyEvent]) throws {
        let kept = Set(given.map { ScalarKey($0.id) })
        for event in try records.events(ofSession: session.id) {
            guard event.kind?.tellsTime == true, !kept.contains(ScalarKey(event.id)) else { continue }
            try recorder.add(
                TrackerImportAction(
                    verb: .update,
                    subject: .event,
                    name: event.type,
                    id: event.id,
                    start: event.createdAt,
                    reason: "it is removed, as the file's events of \"\(session.subject)\" take its place",
                    place: .store
                )
            )
            if !options.isDryRun { try records.delete(event) }
        }
    }

    // MARK: Open sessions

    /// The most sessions that are named.
    private static let mostNamed = 10

    /// Returns the store's sessions that are not over, by id; rows that cannot be read are left out.
    private func openSessions() throws -> [ScalarKey: StudySession] {
        var open: [ScalarKey: StudySession] = [:]
        try records.forEachSession { session in
            if session.status != .completed { open[ScalarKey(session.id)] = session }
        } unreadable: { _, _ in
        }
        return open
    }

    /// Names the sessions that are open after the import, where there are several.
    private func remark(open: [StudySession]) {
        guard open.count > 1 else { return }
        recorder.remark(
            "the import leaves \(open.count) sessions open: \(Self.names(of: open)); "
                + "study stop ends the one that began last"
        )
    }

    /// Names the sessions whose pauses no event tells.
    private func remark(silent: [StudySession]) {
        guard !silent.isEmpty else { return }
        let count = silent.count == 1 ? "1 session has" : "\(silent.count) sessions have"
        recorder.remark(
            "\(count) pauses and no events: \(Self.names(of: silent)); the time counts from the start on; "
                + "give the table session_history in the same command to have it as it was"
        )
    }

    /// Tells whether a start or a stop is not that of its session, as where a person corrected the session before.
    private static func differs(_ event: StudyEvent, from session: StudySession) -> Bool {
        let own = event.kind == .started ? session.start : session.status == .completed ? session.end : nil
        // The app writes a moment later.
        return own.map { abs($0.moment.seconds - event.createdAt.moment.seconds) > 2 } ?? false
    }

    /// Names the sessions of the store that begin or end otherwise than the file's events say.
    private func remark(otherwise sessions: [StudySession]) {
        guard !sessions.isEmpty else { return }
        let count = sessions.count == 1 ? "1 session begins or ends" : "\(sessions.count) sessions begin or end"
        recorder.remark(
            "\(count) otherwise in the store than in the file's events: \(Self.names(of: sessions)); "
                + "the start and the end in the store count"
        )
    }

    private static func names(of sessions: [StudySession]) -> String {
        let names = StudyLog(sessions: sessions).sorted.sessions.prefix(mostNamed).map { session in
            "\"\(session.subject)\" (\(session.status), of \(session.start))"
        }
        let more = sessions.count > names.count ? " and \(sessions.count - names.count) more" : ""
        return names.joined(separator: ", ") + more
    }

    // MARK: Planning

    /// - Parameter events: The file's events of the session.
    private func plan(
        _ session: StudySession,
        _ stored: StudySession?,
        _ events: [StudyEvent]
    ) -> (TrackerImportAction.Verb, String) {
        guard let stored else {
            return (.create, "\(session.status), \(DurationText.words(seconds: session.seconds(events, until: nil)))")
        }
        if stored.json == session.json { return (.skip, "the store has it already") }
        if stored.start.moment == session.start.moment, stored.deviceID == session.deviceID {
            if stored.status != .completed, session.status == .completed {
                return (.update, "it was \(stored.status) in the store, and is completed")
            }
            if stored.status == .completed, session.status != .completed {
                return (.skip, "the store has it already, and that it is completed")
            }
        }
        if options.update { return (.update, "it takes the place of \"\(stored.subject)\", which has the same id") }
        return (.conflict, "the store has \"\(stored.subject)\" with that id, which is kept as it is")
    }

    /// - Parameter isTaken: Whether the file's session takes the place of the store's.
    private func plan(
        _ event: StudyEvent,
        _ stored: StudyEvent?,
        isTaken: Bool
    ) -> (TrackerImportAction.Verb, String) {
        guard let stored else { return (.create, "of the session \(event.sessionID)") }
        if stored.json == event.json { return (.skip, "the store has it already") }
        let isTime = isTaken && stored.sessionID == event.sessionID && event.kind?.tellsTime == true
        if options.update || isTime {
            return (.update, "it takes the place of \"\(stored.type)\", which has the same id")
        }
        return (.conflict, "the store has \"\(stored.type)\" with that id, which is kept as it is")
    }

    private func add(
        _ verb: TrackerImportAction.Verb,
        _ subject: TrackerImportAction.Subject,
        _ name: String,
        _ id: String,
        _ start: ZonedTimestamp,
        _ reason: String,
        _ place: JSONPointer,
        _ save: () throws -> Void
    ) throws {
        try recorder.add(
            TrackerImportAction(
                verb: verb,
                subject: subject,
                name: name,
                id: id,
                start: start,
                reason: reason,
                place: .pointer(place)
            )
        )
        if verb == .create || verb == .update, !options.isDryRun { try save() }
    }

    /// Takes over members of the top level, as far as the store has nothing else there.
    private func addMembers(_ members: JSONObject) throws {
        let stored = StudyStep1To2.withoutListName(try records.unknownMembers())
        if let members = recorder.merge(members, into: stored), !options.isDryRun {
            try records.setUnknownMembers(members)
        }
    }
}
