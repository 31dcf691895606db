public import CivilTime
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON
internal import TimeTracker

/// The records of a Study Timer store within one reading or one transaction.
public struct StudyRecords {
    let database: Database
    let path: String

    /// Returns the number of sessions and of events.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func counts() throws -> (sessions: Int, events: Int) {
        (
            try Int.fetchOne(database, sql: "SELECT count(*) FROM session") ?? 0,
            try Int.fetchOne(database, sql: "SELECT count(*) FROM event") ?? 0
        )
    }

    /// Returns all of the store: sessions by start, events by moment, both then by id.
    ///
    /// Stores of earlier versions may hold which table a list of version 1 was; that is left out.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func log(exportedAt: String? = nil) throws -> StudyLog {
        let members = StudyStep1To2.withoutListName(try unknownMembers())
        var log = StudyLog(exportedAt: exportedAt, unknownMembers: members)
        try forEachSession { log.sessions.append($0) }
        try forEachEvent { log.events.append($0) }
        return log.sorted
    }

    /// Returns the sessions that may have time in a stretch of time, with their events, by start.
    ///
    /// A session that cannot be read is an error only where it is one of them.
    ///
    /// - Throws: `store.record` where a row holds a value that its column cannot; SQLite's error.
    public func log(touching range: Range<Timestamp>) throws -> StudyLog {
        // The condition is by a day wider: SQLite reckons in fractions of days.
        let texts = [range.lowerBound.adding(seconds: -86_400), range.upperBound.adding(seconds: 86_400)]
            .map { Array($0.description.utf8) }
        let chosen = """
            SELECT id FROM session WHERE julianday(start_time) < julianday(?2)
            AND (end_time IS NULL OR julianday(end_time) >= julianday(?1))
            UNION SELECT session_id FROM event
            WHERE julianday(created_at) >= julianday(?1) AND julianday(created_at) < julianday(?2)
            """
        var log = StudyLog()
        try database.forEachRow("SELECT * FROM session WHERE id IN (\(chosen))", texts) {
            log.sessions.append(try session($0))
        }
        try database.forEachRow("SELECT * FROM event WHERE session_id IN (\(chosen))", texts) {
            log.events.append(try event($0))
        }
        return log.sorted
    }

    /// Returns a part of the sessions with their events, the latest first.
    ///
    /// - Parameter rows: Their numbers in that order, from 0 on.
    /// - Throws: `store.record` where a row of them holds a value that its column cannot; SQLite's error.
    public func latest(_ rows: Range<Int>) throws -> StudyLog {
        var log = StudyLog()
        let sql = """
            SELECT * FROM session ORDER BY julianday(start_time) DESC, id DESC
            LIMIT \(rows.count) OFFSET \(max(0, rows.lowerBound))
            """
        try database.forEachRow(sql) { log.sessions.append(try session($0)) }
        for session in log.sessions { log.events += try events(ofSession: session.id) }
        return log
    }

    /// Calls a function with each session, as they lie.
    ///
    /// - Parameter unreadable: Is called with what is wrong with a row, and with its id.
    func forEachSession(
        byKey isByKey: Bool = false,
        _ body: (StudySession) throws -> Void,
        unreadable: (StoreError, String?) throws -> Void = { error, _ in throw error }
    ) throws {
        try database.forEachRow("SELECT * FROM session\(isByKey ? " ORDER BY id" : "")") { row in
            let found: StudySession
            do {
                found = try session(row)
            } catch let error as StoreError where error.code == .record {
                return try unreadable(error, row.string(0))
            }
            try body(found)
        }
    }

    /// Calls a function with each event, as they lie.
    ///
    /// - Parameter unreadable: As for sessions.
    func forEachEvent(
        byKey isByKey: Bool = false,
        _ body: (StudyEvent) throws -> Void,
        unreadable: (StoreError, String?) throws -> Void = { error, _ in throw error }
    ) throws {
        try database.forEachRow("SELECT * FROM event\(isByKey ? " ORDER BY id" : "")") { row in
            let found: StudyEvent
            do {
                found = try event(row)
            } catch let error as StoreError where error.code == .record {
                return try unreadable(error, row.string(0))
            }
            try body(found)
        }
    }

    /// Returns the events of a session, as they happened.
    func events(ofSession id: String) throws -> [StudyEvent] {
        var log = StudyLog()
        try database.forEachRow("SELECT * FROM event WHERE session_id = ?", [Array(id.utf8)]) {
            log.events.append(try event($0))
        }
        return log.sorted.events
    }

    /// Returns the session with an id.
    ///
    /// - Throws: `store.record` where the row holds a value that its column cannot; SQLite's error.
    public func session(id: String) throws -> StudySession? {
        var found: StudySession?
        try database.forEachRow("SELECT * FROM session WHERE id = ?", [Array(id.utf8)]) { found = try session($0) }
        return found
    }

    /// Returns the event with an id.
    ///
    /// - Throws: `store.record` where the row holds a value that its column cannot; SQLite's error.
    public func event(id: String) throws -> StudyEvent? {
        var found: StudyEvent?
        try database.forEachRow("SELECT * FROM event WHERE id = ?", [Array(id.utf8)]) { found = try event($0) }
        return found
    }

    /// Adds a session, or changes the one with its id.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func save(_ session: StudySession) throws {
        let texts = [
            session.id, session.deviceID, session.title, session.status.rawValue, session.start.description,
            session.end?.description,
        ]
        try save("session", texts, number: session.accumulatedSeconds, session.unknownMembers)
    }

    /// Adds an event, or changes the one with its id.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func save(_ event: StudyEvent) throws {
        let texts = [event.id, event.sessionID, event.type, event.createdAt.description]
        try save("event", texts, number: nil, event.unknownMembers)
    }

    /// Puts a log in the place of all that the store holds.
    ///
    /// - Throws: SQLite's error; the caller's transaction undoes what was done.
    public func replaceAll(by log: StudyLog) throws {
        try database.execute(sql: "DELETE FROM event")
        try database.execute(sql: "DELETE FROM session")
        for session in log.sessions { try save(session) }
        for event in log.events { try save(event) }
        try setUnknownMembers(StudyStep1To2.withoutListName(log.unknownMembers))
    }

    private func save(_ table: String, _ texts: [String?], number: Int?, _ extra: JSONObject) throws {
        let count = texts.count + (number == nil ? 1 : 2)
        let places = Array(repeating: "?", count: count).joined(separator: ", ")
        let statement = try StoreStatement(database, "INSERT OR REPLACE INTO \(table) VALUES (\(places))")
        var index: Int32 = 1
        for text in texts {
            if let text { try statement.bind(index, copying: text.utf8) } else { try statement.bindNull(index) }
            index += 1
        }
        if let number {
            try statement.bind(index, number)
            index += 1
        }
        if extra.isEmpty {
            try statement.bindNull(index)
        } else {
            try statement.bind(index, copying: JSONValue.object(extra).encoded(.compact))
        }
        try statement.run()
    }

    // MARK: Rows

    private func session(_ row: StoreStatement) throws -> StudySession {
        let (table, end) = ("session", row.string(5))
        guard case .integer(let seconds) = row.value(6) else {
            throw fault(table, row, 6, "accumulated_seconds", "a whole number")
        }
        let statuses = StudySession.Status.allCases.map(\.rawValue).joined(separator: ", ")
        return StudySession(
            id: try text(0, "id", table, row),
            deviceID: try text(1, "device_id", table, row),
            title: try text(2, "title", table, row),
            status: try text(3, "status", table, row, "one of \(statuses)", StudySession.Status.init),
            start: try text(4, "start_time", table, row, Self.time, ZonedTimestamp.init),
            end: try end == nil ? nil : text(5, "end_time", table, row, Self.time, ZonedTimestamp.init),
            accumulatedSeconds: seconds,
            unknownMembers: try object(row.string(7)) { fault(table, row, 7, "extra", "a JSON object or NULL") }
        )
    }

    private func event(_ row: StoreStatement) throws -> StudyEvent {
        let table = "event"
        return StudyEvent(
            id: try text(0, "id", table, row),
            sessionID: try text(1, "session_id", table, row),
            type: try text(2, "event_type", table, row),
            createdAt: try text(3, "created_at", table, row, Self.time, ZonedTimestamp.init),
            unknownMembers: try object(row.string(4)) { fault(table, row, 4, "extra", "a JSON object or NULL") }
        )
    }

    private static let time = "a time such as 2026-11-21T14:30:00Z"

    /// Returns the value of a column with a text.
    private func text<Value>(
        _ index: Int,
        _ column: String,
        _ table: String,
        _ row: StoreStatement,
        _ expected: String = "text",
        _ make: (String) -> Value? = { $0 }
    ) throws -> Value {
        guard let value = row.string(index).flatMap(make) else { throw fault(table, row, index, column, expected) }
        return value
    }

    private func fault(
        _ table: String,
        _ row: StoreStatement,
        _ index: Int,
        _ column: String,
        _ expected: String
    ) -> StoreError {
        let message =
            "the \(table) \"\(row.string(0) ?? "?")\" has \(row.value(index).words) in the column \(column), "
            + "expected \(expected); correct it with sqlite3"
        return StoreError(.record, message, path: path)
    }

    private func object(_ text: String?, _ fault: () -> StoreError) throws -> JSONObject {
        guard let text else { return JSONObject() }
        guard let object = try? JSONDocument(parsing: text).root.value.object else { throw fault() }
        return object
    }

    // MARK: Properties

    /// Returns the unknown members of the top level of the files that were imported.
    ///
    /// - Throws: `store.record` where the database holds no JSON object for them; SQLite's error.
    public func unknownMembers() throws -> JSONObject {
        var text: String?
        try database.forEachRow("SELECT value FROM property WHERE name = 'envelope'") { text = $0.string(0) }
        return try object(text) {
            StoreError(.record, "the property envelope holds no JSON object; correct it with sqlite3", path: path)
        }
    }

    func setUnknownMembers(_ members: JSONObject) throws {
        if members.isEmpty { return try database.execute(sql: "DELETE FROM property WHERE name = 'envelope'") }
        let statement = try StoreStatement(database, "INSERT OR REPLACE INTO property VALUES ('envelope', ?)")
        try statement.bind(1, copying: JSONValue.object(members).encoded(.compact))
        try statement.run()
    }
}
