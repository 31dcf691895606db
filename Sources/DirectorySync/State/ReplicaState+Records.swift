internal import GRDB
internal import RecordMerge
internal import StrictJSON

/// A record as the state has it, and what the store has of it.
struct HeldRecord {
    /// What the store has.
    enum Place: Int {
        /// Nothing.
        case absent = 0
        /// What the record shows.
        case shown = 1
        /// What ``HeldRecord/base`` says.
        case explicit = 2
        /// Nothing any more: its app keeps a log only for a while.
        case evicted = 3
    }

    var record: RecordState?
    var place: Place
    var base: JSONObject?
    /// Conflicts that stand, as they were counted last.
    var conflicts = 0

    /// What the store has, without members that are never sent.
    func inStore(_ key: RecordKey, _ schema: MergeSchema) -> JSONObject? {
        switch place {
        case .absent, .evicted: nil
        case .shown: record.map { ShownRecord(key, $0, schema.record(in: key.collection)).object }
        case .explicit: base
        }
    }
}

extension ReplicaState {
    func record(_ key: RecordKey) throws -> RecordState? {
        let held = try held(key)
        lastRead = (key, held)
        return held?.record
    }

    /// A record with what the store has of it; nil where nothing is known of it.
    func held(_ key: RecordKey) throws -> HeldRecord? {
        let statement = try database.cachedStatement(
            sql: "SELECT line, place, base, conflicts FROM record WHERE collection = ? AND key = ?"
        )
        guard let row = try Row.fetchOne(statement, arguments: [key.collection, key.key]) else { return nil }
        return try held(key, row)
    }

    private func held(_ key: RecordKey, _ row: Row, from column: Int = 0) throws -> HeldRecord {
        guard let place = HeldRecord.Place(rawValue: row[column + 1]) else { throw damaged("record", key.key) }
        var base: JSONObject?
        if let text: String = row[column + 2] {
            guard let object = try? JSONDocument(parsing: text).root.value.object else {
                throw damaged("record", key.key)
            }
            base = object
        }
        return HeldRecord(record: try decode(row[column], key), place: place, base: base, conflicts: row[column + 3])
    }

    func decode(_ line: Blob?, _ key: RecordKey) throws -> RecordState? {
        guard let line else { return nil }
        do {
            return try RecordState.decoding(line: line.bytes).record
        } catch {
            throw damaged("record", key.key)
        }
    }

    /// Puts a record; what the store has of it stays known.
    func setRecord(_ key: RecordKey, _ record: RecordState?) throws {
        let old = lastRead?.key == key ? lastRead?.held : try held(key)
        lastRead = nil
        if notesTouched { try touch(key, hasBefore: old?.record != nil) }
        guard let old else {
            guard let record else { return }
            try execute(
                "INSERT INTO record (collection, key, line) VALUES (?, ?, ?)",
                [key.collection, key.key, Blob(record.encodedLine(key))]
            )
            return
        }
        var place = old.place
        var base = old.base
        if place == .shown {
            base = old.inStore(key, schema)
            place = .explicit
        }
        if record == nil, place != .explicit {
            try forget(key)
        } else {
            try execute(
                "UPDATE record SET line = ?, place = ?, base = ? WHERE collection = ? AND key = ?",
                [
                    record.map { Blob($0.encodedLine(key)) }, place.rawValue, base.map { Self.text($0) },
                    key.collection, key.key,
                ]
            )
        }
    }

    /// Notes what the store has of a record now.
    ///
    /// - Parameters:
    ///   - object: What it has, without members that are never sent; nil for nothing.
    ///   - shown: What the record shows without repairs; nil where it is deleted.
    func setInStore(_ key: RecordKey, _ object: JSONObject?, shown: JSONObject?, evicted: Bool = false) throws {
        lastRead = nil
        guard let object else {
            if shown == nil { return try forget(key) }
            let place = evicted ? HeldRecord.Place.evicted : .absent
            return try execute(
                "UPDATE record SET place = ?, base = NULL WHERE collection = ? AND key = ?",
                [place.rawValue, key.collection, key.key]
            )
        }
        let isShown = shown == object
        try execute(
            "UPDATE record SET place = ?, base = ? WHERE collection = ? AND key = ?",
            [
                (isShown ? HeldRecord.Place.shown : .explicit).rawValue, isShown ? nil : Self.text(object),
                key.collection, key.key,
            ]
        )
    }

    private static func text(_ object: JSONObject) -> String {
        String(decoding: JSONValue.object(object).encoded(.compact), as: UTF8.self)
    }

    /// Its links stay until the store is written: they tell which records are shown otherwise without it.
    private func forget(_ key: RecordKey) throws {
        lastRead = nil
        try execute("DELETE FROM record WHERE collection = ? AND key = ?", [key.collection, key.key])
    }

    // MARK: Going through records

    /// All records of a collection, by key.
    func forEachRecord(in collection: String, _ body: (RecordKey, HeldRecord) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT line, place, base, conflicts, key FROM record WHERE collection = ? ORDER BY key",
            arguments: [collection]
        )
        while let row = try rows.next() {
            let key = RecordKey(collection, row[4])
            try body(key, try held(key, row))
        }
    }

    /// The lines of all records that are there, in the order of a state.
    func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT line FROM record WHERE line IS NOT NULL ORDER BY collection, key"
        )
        while let row = try rows.next() { try body((row[0] as Blob).bytes) }
    }

    /// The number of records that are there.
    func recordCount() throws -> Int { try count("SELECT count(*) FROM record WHERE line IS NOT NULL") }

    /// The keys of all records, deleted ones of which the store still has something among them.
    func keys() throws -> [RecordKey] {
        try Row.fetchAll(database, sql: "SELECT collection, key FROM record").map { RecordKey($0[0], $0[1]) }
    }

    // MARK: Conflicts

    func setConflicts(_ key: RecordKey, _ count: Int) throws {
        try execute(
            "UPDATE record SET conflicts = ? WHERE collection = ? AND key = ? AND conflicts <> ?",
            [count, key.collection, key.key, count]
        )
    }

    func conflictKeys() throws -> [RecordKey] {
        try Row.fetchAll(
            database,
            sql: "SELECT collection, key FROM record WHERE conflicts > 0 ORDER BY collection, key"
        )
        .map { RecordKey($0[0], $0[1]) }
    }

    func conflictCount() throws -> Int {
        try count("SELECT coalesce(sum(conflicts), 0) FROM record WHERE conflicts > 0")
    }
}
