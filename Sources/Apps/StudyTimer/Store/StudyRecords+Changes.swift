public import CivilTime
internal import FormatKit
internal import SQLiteDatabase
internal import RecordStore
internal import StrictJSON
public import TimeTracker

extension StudyRecords {
    /// The number of changes that can be taken back.
    private static let mostChanges = 20
    /// The name under which the changes are kept.
    private static let changes = "undo"

    /// Runs a body that changes sessions and events, and keeps what takes the change back.
    ///
    /// - Parameter what: What is done, in a word.
    /// - Throws: What `body` throws; `store.record` where a row holds a value that its column cannot.
    public func keepingChange<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        let before = try log()
        let result = try body()
        let change = StudyChange(what, from: before, to: try log())
        if !change.isEmpty { try setKeptChanges(try keptChanges().suffix(Self.mostChanges - 1) + [change.json]) }
        return result
    }

    /// Takes the last change back.
    ///
    /// A session that is over stays over where devices come together. One of a store that syncs and goes on again therefore
    /// gets a new identifier, as do its events: for the others it is another session in the place of that one.
    ///
    /// - Parameter identifier: Makes new identifiers.
    /// - Returns: The change that was taken back.
    /// - Throws: `store.nothing-to-undo` where there is none; `study.state` where what it changed has changed since.
    public func undo(identifier: () -> String) throws -> StudyChange {
        var kept = try keptChanges()
        guard let last = kept.popLast() else { throw AppFormatError(.nothingToUndo, "there is no change to undo") }
        var change = try StudyChange(json: last)
        try checkUnchanged(change)
        try carryOut(change.reversed)
        var renamed: [String: String] = [:]
        let isSynced = try isLinked
        for step in change.sessions where isSynced && step.after?.status == .completed {
            guard var session = step.before, session.status != .completed else { continue }
            var events = try events(of: session)
            try delete(session)
            renamed[session.id] = identifier()
            session.id = renamed[session.id] ?? session.id
            for index in events.indices {
                renamed[events[index].id] = identifier()
                events[index].id = renamed[events[index].id] ?? events[index].id
                events[index].sessionID = session.id
                try save(events[index])
            }
            try save(session)
        }
        if !renamed.isEmpty {
            kept = kept.map { $0.renaming(renamed) }
            for index in change.sessions.indices {
                guard let id = change.sessions[index].before?.id else { continue }
                change.sessions[index].before?.id = renamed[id] ?? id
            }
        }
        try setKeptChanges(kept)
        return change
    }

    /// Returns the short names of all sessions.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func handles() throws -> ActivityHandles {
        var ids: [String] = []
        try database.forEachRow("SELECT id FROM session") { ids.append($0.string(0) ?? "") }
        return ActivityHandles(ids)
    }

    /// Deletes a session and its events.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func delete(_ session: StudySession) throws {
        for event in try events(of: session) { try delete("event", id: event.id) }
        try delete("session", id: session.id)
    }

    /// Changes the subject and the times of a session; its first and last event move with the times.
    ///
    /// Where several devices stopped the session, a new end takes the place of all their stops up to the former end.
    /// Events that another device noted after that stay: they count where a later end has them.
    ///
    /// - Parameters:
    ///   - title: The new subject; nil for the one that it has.
    ///   - start: When it began; nil for as before.
    ///   - end: When it ended; nil for as before. Only a session that is over has an end.
    /// - Returns: The session as it is now.
    /// - Throws: `study.state` where the end would be before the start, or a pause would be outside of the session.
    public func edit(
        _ session: StudySession,
        title: String?,
        start: ZonedTimestamp?,
        end: ZonedTimestamp?
    ) throws -> StudySession {
        var edited = session
        if let title { edited.title = StudySession.trimmed(title) }
        if let start { edited.start = start }
        if let end {
            guard session.status == .completed else {
                throw AppFormatError(.studyState, "\"\(session.subject)\" is not over: stop it with study stop --at")
            }
            edited.end = end
        }
        if let end = edited.end, end.moment < edited.start.moment {
            throw AppFormatError(
                .studyState,
                "the end, \(end), is before the start, \(edited.start); nothing was changed"
            )
        }
        var events = try events(of: session)
        // An app writes its stop up to two seconds after the end.
        let latest = session.end.map { $0.moment.seconds + 2 } ?? .max
        let late = events.filter { $0.createdAt.moment.seconds > latest }
        if start != nil, let index = events.firstIndex(where: { $0.kind == .started }) {
            events[index].createdAt = edited.start
        }
        var superfluous: [StudyEvent] = []
        if let end {
            let counted = events.filter { !late.contains($0) }
            let tail = counted.lastIndex { $0.kind == .started || $0.kind == .resumed }.map { $0 + 1 } ?? 0
            superfluous = counted[tail...].filter { $0.kind == .stopped }
            if let stop = superfluous.popLast(), let index = events.firstIndex(of: stop) {
                events[index].createdAt = end
            }
            events.removeAll { superfluous.contains($0) }
        }
        try check(events.filter { !late.contains($0) }, within: edited)
        if start != nil || end != nil {
            let former = session.seconds(try self.events(of: session), until: nil)
            edited.accumulatedSeconds = Self.seconds(of: edited, events, before: session, former)
        }
        for event in superfluous { try delete(event) }
        for event in events { try save(event) }
        try save(edited)
        return edited
    }

    /// Checks that what happened to a session lies between its start and its end, in the order in which it happened.
    private func check(_ events: [StudyEvent], within session: StudySession) throws(AppFormatError) {
        let telling = events.filter { $0.kind?.tellsTime == true }
        for (event, next) in zip(telling, telling.dropFirst()) where next.createdAt.moment < event.createdAt.moment {
            throw AppFormatError(
                .studyState,
                "\"\(session.subject)\" was \(next.type) at \(next.createdAt), which would be before it was "
                    + "\(event.type) at \(event.createdAt); nothing was changed"
            )
        }
    }

    /// Returns the seconds of an edited session without its pauses.
    ///
    /// - Parameter former: The seconds that it had before.
    private static func seconds(
        of session: StudySession,
        _ events: [StudyEvent],
        before: StudySession,
        _ former: Int
    ) -> Int {
        let first = events.first { $0.kind?.tellsTime == true }
        guard first?.kind != .started || StudyClock(events, of: session).stretches.isEmpty else {
            return min(session.seconds(events, until: nil), StudyClock.longest)
        }
        // One that runs without events runs from its start on, as long as it has no seconds.
        if session.status == .active, first == nil, before.accumulatedSeconds == 0 { return 0 }
        let earlier = before.start.moment.seconds - session.start.moment.seconds
        let later = (session.end?.moment.seconds ?? 0) - (before.end?.moment.seconds ?? 0)
        let longest = session.end.map { max($0.moment.seconds - session.start.moment.seconds, 0) } ?? .max
        return min(max(0, former + earlier + later), longest, StudyClock.longest)
    }

    /// True if other devices share the store.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    package var isLinked: Bool {
        get throws { try database.names(ofType: "table").contains(SyncTables.link) }
    }

    // MARK: The changes that are kept

    private func keptChanges() throws -> [JSONValue] {
        var text: String?
        try database.forEachRow("SELECT value FROM property WHERE name = '\(Self.changes)'") { text = $0.string(0) }
        guard let text else { return [] }
        guard let changes = try? JSONDocument(parsing: text).root.value.array else {
            throw StoreError(.record, "the property \(Self.changes) holds no JSON list where it should", path: path)
        }
        return changes
    }

    private func setKeptChanges(_ changes: [JSONValue]) throws {
        if changes.isEmpty { return try database.execute(sql: "DELETE FROM property WHERE name = '\(Self.changes)'") }
        let sql = "INSERT OR REPLACE INTO property VALUES ('\(Self.changes)', ?)"
        let statement = try StoreStatement(database, sql)
        try statement.bind(1, copying: JSONValue.array(changes).encoded(.compact))
        try statement.run()
    }

    private func checkUnchanged(_ change: StudyChange) throws {
        for step in change.sessions {
            guard let known = step.after ?? step.before else { continue }
            guard try session(id: known.id)?.json == step.after?.json else {
                throw AppFormatError(
                    .studyState,
                    "the session \"\(known.subject)\" has changed since; nothing was undone"
                )
            }
        }
        for step in change.events {
            guard let known = step.after ?? step.before else { continue }
            guard try event(id: known.id)?.json == step.after?.json else {
                throw AppFormatError(.studyState, "an event of the session has changed since; nothing was undone")
            }
        }
    }

    private func carryOut(_ change: StudyChange) throws {
        for step in change.events {
            if let after = step.after {
                try save(after)
            } else if let before = step.before {
                try delete("event", id: before.id)
            }
        }
        for step in change.sessions {
            if let after = step.after {
                try save(after)
            } else if let before = step.before {
                try delete("session", id: before.id)
            }
        }
    }

    /// Deletes an event alone.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    package func delete(_ event: StudyEvent) throws { try delete("event", id: event.id) }

    private func delete(_ table: String, id: String) throws {
        let statement = try StoreStatement(database, "DELETE FROM \(table) WHERE id = ?")
        try statement.bind([Array(id.utf8)])
        try statement.run()
    }
}

extension JSONValue {
    /// Returns the value with other texts in the place of some.
    fileprivate func renaming(_ names: [String: String]) -> JSONValue {
        switch self {
        case .string(let text): return .string(names[text] ?? text)
        case .array(let elements): return .array(elements.map { $0.renaming(names) })
        case .object(let members):
            var object = JSONObject()
            for member in members { object.append(unique: member.name, member.value.renaming(names)) }
            return .object(object)
        default: return self
        }
    }
}
