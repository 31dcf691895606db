internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Records in blocks, and the rows that stand in place of them.
extension ReplicaState {
    /// Runs a body that reads blocks, and throws the error of a damaged one as ``SyncError``.
    private func reading<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as PackedRecords.Damaged {
            throw damaged("block", error.key)
        }
    }

    /// Returns a packed record; the caller knows that no row stands in its place.
    func packedEntry(_ key: RecordKey) throws -> PackedRecords.Entry? { try reading { try packed.entry(key) } }

    /// Returns a packed record without a row; nil for any other record.
    private func entryWithoutRow(_ key: RecordKey) throws -> PackedRecords.Entry? {
        guard try !packed.isEmpty, try !queries.exists(.hasRow, key) else { return nil }
        return try packedEntry(key)
    }

    /// Gives a packed record a row of its own, so that it can change.
    func unpack(_ key: RecordKey) throws {
        guard let entry = try entryWithoutRow(key) else { return }
        try unpack(entry, isWaiting: entry.isWaiting)
    }

    private func unpack(_ entry: PackedRecords.Entry, isWaiting: Bool) throws {
        let place: ReplicaRecord.Place = entry.isWaiting ? .absent : .shown
        try queries.run(.insertPacked, entry.key) { statement in
            try statement.bind(3, blob: entry.line)
            try statement.bind(4, place.rawValue)
            try statement.bind(5, isWaiting ? 2 : 1)
        }
        if entry.isWaiting {
            try queries.run(.markNew, entry.key)
        } else {
            try setLinks(entry.key, links(entry.key, entry.line), before: RecordLinks())
        }
    }

    /// Returns whether a record from one key to another of a collection has a row.
    private func hasRows(from first: RecordKey?, to last: RecordKey?) throws -> Bool {
        guard let first, let last else { return false }
        let sql = "SELECT EXISTS (SELECT 1 FROM record WHERE collection = ? AND key BETWEEN ? AND ?)"
        return try count(sql, [first.collection, first.key, last.key]) > 0
    }

    /// Returns the resolved record of a line.
    private func resolved(_ key: RecordKey, _ line: [UInt8]) throws -> ResolvedRecord {
        let object = line.withUnsafeBytes { plainReader.object(of: $0, in: key.collection, schema) }
        if let object { return ResolvedRecord(plain: object) }
        let record = try line.withUnsafeBytes { try decode($0, key) }
        return schema.resolved(key, record)
    }

    private func links(_ key: RecordKey, _ line: [UInt8]) throws -> RecordLinks {
        domain.links(key, try resolved(key, line))
    }

    /// Returns the kept links of a packed record without a row; nil for any other record.
    func packedLinks(_ key: RecordKey) throws -> RecordLinks? {
        guard let entry = try entryWithoutRow(key) else { return nil }
        // None are kept of what the store lacks.
        return entry.isWaiting ? RecordLinks() : try links(key, entry.line)
    }

    /// Returns the packed records without a row that refer to a text, or that it names.
    func packedKeys(linkedTo text: String, asName isName: Bool, most: Int = .max) throws -> [RecordKey] {
        var found: [RecordKey] = []
        try reading {
            try packed.forEachCandidate(linkedTo: text, asName: isName) { key, line in
                let links = try links(key, line)
                let isLinked =
                    isName
                    ? links.names.contains { $0.text.hasSameScalars(as: text) }
                    : links.references.contains { $0.hasSameScalars(as: text) }
                if isLinked, try !queries.exists(.hasRow, key), !found.contains(key) { found.append(key) }
                return found.count < most
            }
        }
        return found
    }

    /// Throws if the tables by which linked packed records are found are damaged.
    func checkPackedLinks() throws {
        try reading {
            try packed.checkLinks { key, line in PackedRecords.targets(of: key, try links(key, line)) }
        }
    }

    /// Makes the tables by which linked packed records are found anew.
    func relinkPacked() throws {
        try reading {
            try packed.relink { key, line in PackedRecords.targets(of: key, try links(key, line)) }
        }
    }

    /// Returns the number of packed records without a row.
    ///
    /// - Parameter isInStore: Whether to count only those that the store has.
    func packedCount(in collection: String? = nil, isInStore: Bool = false) throws -> Int {
        let all = try packed.count(in: collection, isInStore: isInStore)
        guard all > 0 else { return 0 }
        let sql = "SELECT count(*) FROM record WHERE is_packed" + (isInStore ? " = 1" : "")
        return try all - (collection.map { try count("\(sql) AND collection = ?", [$0]) } ?? count(sql))
    }

    // MARK: Records that the store lacks

    /// Keeps a record of others that is new everywhere in a block; returns false where it needs a row.
    ///
    /// - Parameter line: Its line of a state.
    func appendWaiting(_ key: RecordKey, _ line: @autoclosure () -> [UInt8]?) throws -> Bool {
        guard waitingCollections.contains(key.collection), !isOwnChange, notesUnapplied, let line = line() else {
            return false
        }
        return try packed.append(key, line, nil)
    }

    /// Gives all records of blocks that wait rows of their own.
    func unpackWaiting() throws {
        guard try packed.isWaiting else { return }
        try transaction {
            for number in try packed.waitingBlocks(.max) {
                for block in try waitingBlocks([number], for: nil) {
                    for record in block.records where try !queries.exists(.hasRow, record.entry.key) {
                        try unpack(record.entry, isWaiting: true)
                    }
                    try endWaiting(number, block)
                }
            }
        }
    }

    /// Reads blocks that wait, and resolves their records as ``WaitingBlock/resolving(_:_:for:)`` does.
    func waitingBlocks(_ numbers: [Int], for store: (any SyncStore)?) throws -> [WaitingBlock] {
        try reading { try WaitingBlock.resolving(numbers.map(packed.waitingBlock), info, for: store) }
    }

    private func endWaiting(_ number: Int, _ block: WaitingBlock) throws {
        let sql = """
            UPDATE record SET is_packed = 1 WHERE is_packed = 2 AND collection = ?1
            AND key BETWEEN (SELECT first FROM block WHERE number = ?2) AND (SELECT last FROM block WHERE number = ?2)
            """
        try execute(sql, [block.collection, number])
        try packed.endWaiting(number, of: block.collection, block.targets)
    }

    /// Goes through the records of blocks that wait, as the store gets them now.
    ///
    /// A record that depends on others, or that the store gets only after a closer look, gets a row and stays to be
    /// written.
    ///
    /// - Parameter body: Takes a resolved record that depends on no other, and what the store gets of it.
    func endWaiting(
        _ numbers: [Int],
        _ blocks: [WaitingBlock],
        _ body: (RecordKey, ResolvedRecord, JSONObject) -> Void
    ) throws {
        try lookForReferences()
        // All links must be kept before the dependent records can be found.
        for (number, block) in zip(numbers, blocks) { try endWaiting(number, block) }
        for block in blocks {
            let records = block.records
            let hasRows = try hasRows(from: records.first?.entry.key, to: records.last?.entry.key)
            // By index, as a copy of a record would count the users of all that is in it.
            for index in records.indices where try !hasRows || !queries.exists(.hasRow, records[index].entry.key) {
                if let sent = records[index].sent, try isAlone(records[index]) {
                    body(records[index].entry.key, records[index].shown, sent)
                } else {
                    try unpack(records[index].entry, isWaiting: false)
                }
            }
        }
    }

    private func isAlone(_ record: WaitingBlock.Record) throws -> Bool {
        guard record.shown.conflicts.isEmpty, record.shown.place == nil else { return false }
        return try isAlone(record.links, before: RecordLinks())
    }

    // MARK: Packing

    /// Packs records if they have many rows.
    ///
    /// Blocks are written anew as a whole: where there are more of them, it waits for more rows.
    func packIfMany() throws {
        guard let least = packed.limits.leastRows, try !packed.isWaiting else { return }
        let before = try property(.unpacked).flatMap(Int.init) ?? 0
        let most = try before + least + 2 * count("SELECT count(*) FROM block")
        guard try count("SELECT count(*) FROM (SELECT 1 FROM record LIMIT ?)", [most + 1]) > most else { return }
        try transaction {
            try pack()
            try sweepVectors()
            try setProperty(.unpacked, String(count("SELECT count(*) FROM record")))
        }
        try shrink()
    }

    /// The rows that need not be: the store has what they resolve to, and nothing is left to do; or they are gone.
    private static let isPackable = """
        (place = 1 AND line IS NOT NULL AND base IS NULL AND conflicts = 0 OR place = 4)
        AND NOT EXISTS (SELECT 1 FROM touched t WHERE t.collection = r.collection AND t.key = r.key)
        AND NOT EXISTS (SELECT 1 FROM too_large l WHERE l.collection = r.collection AND l.key = r.key)
        """
    private static let mostPackedAtOnce = 5_000

    private func pack() throws {
        // Emptying a table is far faster than deleting its rows.
        let isAll =
            try count("SELECT count(*) FROM touched") == 0
            && count("SELECT count(*) FROM record r WHERE NOT (\(Self.isPackable))") == 0
        for collection in try rows("SELECT DISTINCT collection FROM record", [], { $0.text(0) ?? "" }) {
            var last: String?
            while true {
                let sql = """
                    SELECT key, line, \(RecordQueries.isSound) FROM record r
                    WHERE collection = ? AND key \(last == nil ? ">=" : ">") ? AND \(Self.isPackable)
                    ORDER BY key LIMIT ?
                    """
                let found = try rows(sql, [collection, last ?? "", Self.mostPackedAtOnce]) { row in
                    guard let key = row.text(0), row.integer(2) == 1 else {
                        throw damaged("record", row.text(0) ?? "")
                    }
                    return (key: key, line: row.bytes(1).map { Array($0) })
                }
                guard let end = found.last?.key else { break }
                try reading {
                    try packed.merge(found, in: collection) { key, line in
                        PackedRecords.targets(of: key, try links(key, line))
                    }
                }
                for row in found where !isAll {
                    let key = RecordKey(collection, row.key)
                    try queries.run(.deleteLinks, key)
                    try queries.run(.deleteRow, key)
                }
                last = end
                guard found.count == Self.mostPackedAtOnce else { break }
            }
        }
        if isAll { for table in ["record", "link"] { try execute("DELETE FROM \(table)") } }
        lastRead = nil
    }

    /// Gives the disk back what the rows took, where that is much of the file; a full disk leaves it as it is.
    private func shrink() throws {
        guard !database.isInsideTransaction else { return }
        let (free, pages) = (try count("PRAGMA freelist_count"), try count("PRAGMA page_count"))
        if free > 250, free > pages / 4 { try? database.execute(sql: "VACUUM") }
    }
}

/// Goes through the records by collection and key: those with a row, and those that are packed.
final class RecordCursor {
    /// A record under the cursor.
    enum Row {
        /// A row with `line`, `place`, `base`, `conflicts`, whether it is sound, `key` and `collection`.
        case row(StoreStatement)
        /// A record of a block.
        case packed(PackedRecords.Entry)
    }

    private let state: ReplicaState
    private let rows: StoreStatement
    private let blocks: PackedRecords.BlockCursor?
    private var row: RecordKey?
    private var packed: PackedRecords.Entry?
    private var isFirst = true

    /// - Parameter collection: The collection to go through; nil for all.
    init(_ state: ReplicaState, in collection: String? = nil) throws {
        self.state = state
        let condition = collection == nil ? "" : "WHERE collection = ?"
        let sql = """
            SELECT line, place, base, conflicts, \(RecordQueries.isSound), key, collection FROM record \(condition)
            ORDER BY collection, key
            """
        rows = try StoreStatement(state.database, sql)
        if let collection { try rows.bind(1, text: collection) }
        blocks = try state.packed.isEmpty ? nil : state.packed.cursor(in: collection)
    }

    deinit { rows.reset() }

    /// Returns the next record, which may be deleted; its row is valid until the next call.
    func next() throws -> (RecordKey, Row)? {
        while true {
            if isFirst {
                try nextRow()
                try nextPacked()
                isFirst = false
            } else if isAtRow {
                try nextRow()
            } else {
                try nextPacked()
            }
            // A row stands in place of the packed record.
            if let row, let packed, row == packed.key { try nextPacked() }
            isAtRow = row.map { row in packed.map { row < $0.key } ?? true } ?? false
            if isAtRow, let row {
                if rows.integer(1) == ReplicaRecord.Place.gone.rawValue { continue }
                return (row, .row(rows))
            }
            return packed.map { ($0.key, .packed($0)) }
        }
    }

    private var isAtRow = false

    private func nextRow() throws {
        row = try rows.step() ? RecordKey(rows.text(6) ?? "", rows.text(5) ?? "") : nil
    }

    private func nextPacked() throws {
        do {
            packed = try blocks?.next()
        } catch let error as PackedRecords.Damaged {
            throw state.damaged("block", error.key)
        }
    }

    /// Returns the line of an existing record; nil for a deleted one.
    func line(_ key: RecordKey, _ row: Row) throws -> [UInt8]? {
        switch row {
        case .packed(let entry): return entry.line
        case .row(let row):
            guard row.integer(4) == 1 else { throw state.damaged("record", key.key) }
            return row.bytes(0).map { Array($0) }
        }
    }

    /// Tells whether the record exists.
    func isThere(_ row: Row) -> Bool {
        guard case .row(let row) = row else { return true }
        return row.bytes(0) != nil
    }

    /// Tells whether the store has the record, as last noted.
    func isInStore(_ row: Row) -> Bool {
        switch row {
        case .row(let row): (1...2).contains(row.integer(1))
        case .packed(let entry): !entry.isWaiting
        }
    }
}
