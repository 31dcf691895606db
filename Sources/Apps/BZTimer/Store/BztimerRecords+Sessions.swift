internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

extension BztimerRecords {
    /// Returns all sessions that can be read, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func sessions() throws -> [SessionTemplate] { try envelopedSessions().map(\.record) }

    /// Returns all sessions with the unknown members of their files, in the order in which they were added.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func envelopedSessions() throws -> [Enveloped<SessionTemplate>] { try envelopedSessions(nil) }

    /// Returns the session with an id; nil where there is none that can be read.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func session(id: String) throws -> SessionTemplate? { try envelopedSessions(id).first?.record }

    /// - Parameter id: The id of the only session to read; nil for all.
    private func envelopedSessions(_ id: String?) throws -> [Enveloped<SessionTemplate>] {
        let layout = BztimerSchema.session
        let blocks = try allBlocks(id)
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT id, envelope, name, \(layout.names) FROM session
                \(id == nil ? "" : "WHERE id = ?") ORDER BY position, id
                """,
            arguments: Self.arguments(id)
        )
        var sessions: [Enveloped<SessionTemplate>] = []
        while let row = try rows.next() {
            let id: String = row[0]
            let session = try make(.session, id: id, name: row[2]) {
                var object = try layout.object(in: row, from: 3, path: path)
                object["items"] = .array(try blocks[id]?.get() ?? [])
                return Enveloped(
                    record: try SessionTemplate(json: .object(object)).withDistinctBlocks,
                    envelope: try RecordLayout.object(row[1], table: "session", path: path)
                )
            }
            if let session { sessions.append(session) }
        }
        return sessions
    }

    /// Adds a session after the others.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - envelope: Unknown members of the top level of the file that it came in.
    /// - Throws: `store.conflict` where the store has a session with that id.
    public func insert(_ session: SessionTemplate, envelope: JSONObject = [:]) throws {
        try insert(session, position: nextPosition(in: "session"), envelope: Self.json(envelope))
    }

    /// Puts a session in the place of the one with the same id.
    ///
    /// - Throws: `store.record` where the store has no session with that id, or the id contains U+0000; SQLite's error.
    public func update(_ session: SessionTemplate) throws {
        let id = try key(session.id, of: "session")
        let statement = try database.cachedStatement(sql: "SELECT position, envelope FROM session WHERE id = ?")
        guard let old = try Row.fetchOne(statement, arguments: [id]) else {
            throw StoreError(.record, "there is no session with the id \"\(session.id)\"", path: path)
        }
        try execute("DELETE FROM session WHERE id = ?", [id])
        try insert(session, position: old[0], envelope: old[1])
    }

    /// Removes a session.
    ///
    /// Its history stays and no longer names it.
    ///
    /// - Throws: `store.record` where the id contains U+0000; SQLite's error.
    public func deleteSession(id: String) throws {
        forget(.session, id)
        let id = try key(id, of: "session")
        try execute("DELETE FROM session WHERE id = ?", [id])
        try execute("UPDATE history SET session_id = NULL WHERE session_id = ?", [id])
    }

    private func insert(_ session: SessionTemplate, position: DatabaseValue, envelope: DatabaseValue) throws {
        let layout = BztimerSchema.session
        var object = session.json.object ?? [:]
        object["items"] = nil
        var values = layout.values(of: object)
        values[0] = try key(session.id, of: "session")
        try execute(
            "INSERT INTO session (position, envelope, \(layout.names)) VALUES (\(layout.places(before: 2)))",
            [position, envelope] + values
        )
        for (index, block) in session.items.enumerated() {
            try insert(block, of: values[0], at: index)
        }
    }

    private func insert(_ block: BlockInstance, of session: DatabaseValue, at index: Int) throws {
        let layout = BztimerSchema.block
        try execute(
            "INSERT INTO block (session_id, position, \(layout.names)) VALUES (\(layout.places(before: 2)))",
            [session, index.databaseValue] + layout.values(of: block.json.object ?? [:])
        )
    }

    /// Returns the blocks of each session, or of one, or the error why they cannot be read.
    private func allBlocks(_ id: String?) throws -> [String: Result<[JSONValue], StoreError>] {
        let layout = BztimerSchema.block
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT session_id, \(layout.names) FROM block
                \(id == nil ? "" : "WHERE session_id = ?") ORDER BY session_id, position
                """,
            arguments: Self.arguments(id)
        )
        var blocks: [String: [JSONValue]] = [:]
        var faults: [String: StoreError] = [:]
        while let row = try rows.next() {
            let session: String = row[0]
            do {
                blocks[session, default: []].append(.object(try layout.object(in: row, from: 1, path: path)))
            } catch let error as StoreError {
                faults[session] = error
            }
        }
        return blocks.mapValues(Result.success).merging(faults.mapValues(Result.failure)) { $1 }
    }
}

extension SessionTemplate {
    /// The session with an own identifier for each block, as files demand it and tables do not: a later block of one
    /// identifier gets a number behind it, the same at each reading.
    fileprivate var withDistinctBlocks: SessionTemplate {
        var taken = Set(items.map { ScalarKey($0.id) })
        guard taken.count < items.count else { return self }
        var session = self
        var numbers: [ScalarKey: Int] = [:]
        for (index, item) in items.enumerated() {
            var number = numbers[ScalarKey(item.id), default: 0] + 1
            if number > 1 {
                while !taken.insert(ScalarKey("\(item.id)-\(number)")).inserted { number += 1 }
                session.items[index].id = "\(item.id)-\(number)"
            }
            numbers[ScalarKey(item.id)] = number
        }
        return session
    }
}
