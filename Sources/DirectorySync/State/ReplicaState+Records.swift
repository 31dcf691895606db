internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// A record of the state, with what the store has of it.
struct ReplicaRecord {
    /// The store's form of the record.
    enum Place: Int {
        /// The store has nothing.
        case absent = 0
        /// The store has the resolved record.
        case shown = 1
        /// The store has ``ReplicaRecord/base``.
        case explicit = 2
        /// The store has nothing any more: its app keeps a log only for a while.
        case evicted = 3
        /// The packed record with this key is gone; nobody reads such a row.
        case gone = 4
    }

    var record: RecordState?
    var place: Place
    var base: JSONObject?
    /// The number of open conflicts, as last counted.
    var conflicts = 0
    /// True if it is packed, so that it gets a row before it changes.
    var isPacked = false

    /// True if the store has the record.
    var isInStore: Bool { place == .shown || place == .explicit }

    /// Returns what the versions of the record resolve to; nil where it has none.
    func resolved(_ key: RecordKey, _ schema: MergeSchema) -> JSONObject? {
        record.map { schema.resolved(key, $0).object }
    }

    /// Returns the store's record, without members that are never sent.
    func inStore(_ key: RecordKey, _ schema: MergeSchema) -> JSONObject? {
        switch place {
        case .absent, .evicted, .gone: nil
        case .shown: resolved(key, schema)
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

    /// Returns a record with what the store has of it; nil for an unknown record.
    func held(_ key: RecordKey) throws -> ReplicaRecord? {
        let found = try queries.read(.held, key) { row in try row.step() ? held(key, row) : nil }
        if let found { return found.place == .gone ? nil : found }
        return try packedEntry(key).map { try record($0) }
    }

    private func record(_ entry: PackedRecords.Entry) throws -> ReplicaRecord {
        let record = try entry.line.withUnsafeBytes { try decode($0, entry.key) }
        return ReplicaRecord(record: record, place: entry.isWaiting ? .absent : .shown, base: nil, isPacked: true)
    }

    /// Reads the columns `line`, `place`, `base` and `conflicts`, and checks the row.
    fileprivate func held(_ key: RecordKey, _ row: StoreStatement) throws -> ReplicaRecord {
        guard row.integer(4) == 1, let place = ReplicaRecord.Place(rawValue: row.integer(1)) else {
            throw damaged("record", key.key)
        }
        var base: JSONObject?
        if let text = row.text(2) {
            guard let object = try? JSONDocument(parsing: text).root.value.object else {
                throw damaged("record", key.key)
            }
            base = object
        }
        let record = try row.bytes(0).map { try decode($0, key) }
        return ReplicaRecord(record: record, place: place, base: base, conflicts: row.integer(3))
    }

    func decode(_ line: UnsafeRawBufferPointer, _ key: RecordKey) throws -> RecordState {
        do {
            return try decoder.record(line).record
        } catch {
            throw damaged("record", key.key)
        }
    }

    /// Sets a record; what the store has of it stays known.
    func setRecord(_ key: RecordKey, _ record: RecordState?) throws {
        let old = lastRead?.key == key ? lastRead?.held : try held(key)
        lastRead = nil
        if old == nil, let record, try appendWaiting(key, encoder.line(key, record)) { return }
        if old?.isPacked == true { try unpack(key) }
        if notesUnapplied {
            try markUnapplied(key, hasBefore: old?.record != nil)
            if record?.isContested == true || record == nil { try noteContested(key, record, before: old?.record) }
        }
        guard let old else {
            guard let record else { return }
            try insert(key, encoder.line(key, record), .absent, base: nil)
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
            try queries.run(.setLine, key) { statement in
                try statement.bind(3, optional: record.map { encoder.line(key, $0) })
                try statement.bind(4, place.rawValue)
                try statement.bind(5, optional: base.map { Self.text($0) })
            }
        }
    }

    private func insert(_ key: RecordKey, _ line: [UInt8], _ place: ReplicaRecord.Place, base: JSONObject?) throws {
        try queries.run(.insert, key) { statement in
            try statement.bind(3, blob: line)
            try statement.bind(4, place.rawValue)
            try statement.bind(5, optional: base.map { Self.text($0) })
        }
    }

    /// Notes a deleted record that the store still has.
    func insertDeleted(_ key: RecordKey) throws {
        try queries.run(.insert, key) { statement in
            try statement.bindNull(3)
            try statement.bind(4, ReplicaRecord.Place.absent.rawValue)
            try statement.bindNull(5)
        }
    }

    /// Adds a record that is new everywhere and that the store already has.
    ///
    /// If it resolves to the store's record and changes no other one, that is all. Else it becomes dirty, as by
    /// ``setRecord(_:_:)``.
    ///
    /// - Parameter object: The store's record, without members that are never sent.
    func admit(_ key: RecordKey, _ record: RecordState, having object: JSONObject) throws {
        let shown = schema.resolved(key, record)
        let line = encoder.line(key, record)
        guard shown.object == object, shown.conflicts.isEmpty, shown.place == nil else {
            lastRead = nil
            let isShown = shown.object == object
            try insert(key, line, isShown ? .shown : .explicit, base: isShown ? nil : object)
            return try markOwn(key)
        }
        try admit(key, line, shown, linked: linkRows(key))
    }

    /// Adds a record as ``admit(_:_:having:)`` does, that resolves to the store's record without conflicts.
    ///
    /// - Parameters:
    ///   - line: Its line of a state.
    ///   - before: The links that are kept of a deleted record of that key.
    func admit(
        _ key: RecordKey,
        _ line: [UInt8],
        _ shown: ResolvedRecord,
        linked before: RecordLinks = RecordLinks()
    ) throws {
        lastRead = nil
        let links = domain.links(key, shown)
        guard before == RecordLinks(), try isAlone(links, before: before) else {
            try insert(key, line, .shown, base: nil)
            return try markOwn(key)
        }
        if isPacking, try packed.append(key, line, links) { return }
        try insert(key, line, .shown, base: nil)
        try setLinks(key, links, before: before)
    }

    /// Returns the last key of a collection's records, with deleted ones that the store still has; nil for none.
    func lastKey(in collection: String) throws -> String? {
        let row = try lastRow(in: collection)
        guard let block = try packed.lastKey(of: collection) else { return row }
        return row.map { precedes(block, $0) ? $0 : block } ?? block
    }

    /// Returns the last key of a collection's records with a row; nil for none.
    func lastRow(in collection: String) throws -> String? {
        try rows("SELECT max(key) FROM record WHERE collection = ?", [collection]) { $0.text(0) }.first ?? nil
    }

    /// Notes the store's present form of a record.
    ///
    /// - Parameters:
    ///   - object: The store's record, without members that are never sent; nil for none.
    ///   - shown: The resolved record without invariants enforced; nil for a deleted one.
    func setInStore(_ key: RecordKey, _ object: JSONObject?, shown: JSONObject?, evicted: Bool = false) throws {
        lastRead = nil
        guard let object else {
            if shown == nil { return try forget(key) }
            return try setPlace(key, evicted ? .evicted : .absent, base: nil)
        }
        let isShown = shown == object
        try setPlace(key, isShown ? .shown : .explicit, base: isShown ? nil : object)
    }

    private func setPlace(_ key: RecordKey, _ place: ReplicaRecord.Place, base: JSONObject?) throws {
        try unpack(key)
        try queries.run(.setPlace, key) { statement in
            try statement.bind(3, place.rawValue)
            try statement.bind(4, optional: base.map { Self.text($0) })
        }
    }

    private static func text(_ object: JSONObject) -> String {
        String(decoding: JSONValue.object(object).encoded(.compact), as: UTF8.self)
    }

    /// Removes a record, but keeps its links until the store is written: they tell which records change with it.
    private func forget(_ key: RecordKey) throws {
        lastRead = nil
        try unpack(key)
        try queries.run(.delete, key)
        if try !packed.isEmpty { try queries.run(.setGone, key) }
    }

    // MARK: Going through records

    /// Calls `body` with all records of a collection, by key.
    func forEachRecord(in collection: String, _ body: (RecordKey, ReplicaRecord) throws -> Void) throws {
        let records = try RecordCursor(self, in: collection)
        while let (key, row) = try records.next() { try body(key, try record(key, row)) }
    }

    private func record(_ key: RecordKey, _ row: RecordCursor.Row) throws -> ReplicaRecord {
        switch row {
        case .row(let row): try held(key, row)
        case .packed(let entry): try record(entry)
        }
    }

    /// Calls `body` with the lines of all existing records, in the order of a state.
    func forEachLine(_ body: ([UInt8]) throws -> Void) throws {
        let lines = try lines()
        while let line = try lines.next() { try body(line) }
    }

    /// Returns the lines of all existing records, one after the other.
    func lines() throws -> LineCursor { LineCursor(try RecordCursor(self)) }

    struct LineCursor {
        private let records: RecordCursor

        fileprivate init(_ records: RecordCursor) { self.records = records }

        func next() throws -> [UInt8]? {
            while let (key, row) = try records.next() {
                if let line = try records.line(key, row) { return line }
            }
            return nil
        }
    }

    /// Returns the number of existing records.
    func recordCount() throws -> Int {
        try count("SELECT count(*) FROM record WHERE line IS NOT NULL") + packedCount()
    }

    /// Returns the number of records that the store has, as last noted.
    func inStoreCount(in collection: String? = nil) throws -> Int {
        let sql = "SELECT count(*) FROM record WHERE place IN (1, 2)"
        let rows = try collection.map { try count("\(sql) AND collection = ?", [$0]) } ?? count(sql)
        return try rows + packedCount(in: collection, isInStore: true)
    }

    /// Returns the number of log entries that the store's retention removed.
    func evictedCount() throws -> Int {
        try count("SELECT count(*) FROM record WHERE place = ?", [ReplicaRecord.Place.evicted.rawValue])
    }

    /// Returns the keys of all records, with deleted ones that the store still has.
    func keys() throws -> [RecordKey] {
        var keys: [RecordKey] = []
        let records = try RecordCursor(self)
        while let (key, _) = try records.next() { keys.append(key) }
        return keys
    }

    /// Returns the keys of the records that the store has, as last noted.
    func keysInStore() throws -> [RecordKey] {
        var keys: [RecordKey] = []
        let records = try RecordCursor(self)
        while let (key, row) = try records.next() { if records.isInStore(row) { keys.append(key) } }
        return keys
    }

    /// Returns some of the keys of existing records, by their numbers in the order of collection and key.
    func keys(_ rows: Range<Int>) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        var number = 0
        let records = try RecordCursor(self)
        while number < rows.upperBound, let (key, row) = try records.next() {
            guard records.isThere(row) else { continue }
            if number >= rows.lowerBound { keys.append(key) }
            number += 1
        }
        return keys
    }

    /// Returns the keys of the records whose line or key has some words in that order, whatever is between them, by
    /// collection and key.
    ///
    /// - Parameter words: Words of ASCII letters and digits, of which the case does not count; none for all records.
    func keys(having words: [String]) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        let words = words.map { Array($0.utf8) }
        let records = try RecordCursor(self)
        while let (key, row) = try records.next() {
            guard let line = try records.line(key, row) else { continue }
            if Self.has(words, in: line) || Self.has(words, in: Array(key.key.utf8)) { keys.append(key) }
        }
        return keys
    }

    /// Returns whether bytes have some words one after the other.
    private static func has(_ words: [[UInt8]], in bytes: [UInt8]) -> Bool {
        func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }
        var start = 0
        for word in words {
            let last = bytes.count - word.count
            while start <= last, !word.indices.allSatisfy({ small(word[$0]) == small(bytes[start + $0]) }) {
                start += 1
            }
            guard start <= last else { return false }
            start += word.count
        }
        return true
    }

    /// Returns the records that the store lacks though it was given all that it can have.
    func keysHeldBack() throws -> [RecordKey] {
        try keys(
            """
            SELECT collection, key FROM record WHERE place = 0 AND line IS NOT NULL AND NOT EXISTS
                (SELECT 1 FROM touched WHERE touched.collection = record.collection AND touched.key = record.key)
            ORDER BY collection, key
            """
        )
    }

    // MARK: Conflicts

    func setConflicts(_ key: RecordKey, _ count: Int) throws {
        try unpack(key)
        try queries.run(.setConflicts, key) { try $0.bind(3, count) }
    }

    func conflictKeys() throws -> [RecordKey] {
        try keys("SELECT collection, key FROM record WHERE conflicts > 0 ORDER BY collection, key")
    }

    /// Returns some of the keys of records with conflicts, by their numbers in that order.
    func conflictKeys(_ rows: Range<Int>) throws -> [RecordKey] {
        try keys(
            """
            SELECT collection, key FROM record WHERE conflicts > 0 ORDER BY collection, key
            LIMIT ? OFFSET ?
            """,
            [rows.count, max(0, rows.lowerBound)]
        )
    }

    /// Returns the number of records with conflicts.
    func conflictingCount() throws -> Int { try count("SELECT count(*) FROM record WHERE conflicts > 0") }

    func conflictCount() throws -> Int {
        try count("SELECT coalesce(sum(conflicts), 0) FROM record WHERE conflicts > 0")
    }
}
