internal import RecordMerge
internal import RecordStore

/// The state that the store has a record from.
enum AppliedRecord {
    /// The present state.
    case current
    /// The state that had seen these changes; nil where it had no record.
    case earlier(RecordState?, heads: String)
    /// A state that is no longer known.
    case unknown
}

/// Records whose store may have to be written; none of them is packed.
extension ReplicaState {
    /// Marks a record dirty that is about to change.
    ///
    /// - Parameter hasBefore: Whether the record exists now, so that the store may have it.
    func markUnapplied(_ key: RecordKey, hasBefore: Bool) throws {
        guard !isOwnChange else { return try markOwn(key) }
        // A record that is dirty already keeps the state that the store has it from, and its heads.
        if try !hasBefore || queries.exists(.isGiven, key) { return try queries.run(.markNew, key) }
        try execute(
            """
            INSERT INTO touched (collection, key, unseen, line, vector)
            SELECT collection, key, 1, line, ? FROM record WHERE collection = ? AND key = ?
            \(RecordQueries.touchedAgain)
            """,
            [try vector(headsText()), key.collection, key.key]
        )
    }

    /// Notes whether a dirty record stayed, though somebody deleted the one that the store has.
    ///
    /// A record that was made anew with its key is another one.
    func noteContested(_ key: RecordKey, _ record: RecordState?, before: RecordState?) throws {
        func set(_ isContested: Int) throws {
            try execute(
                "UPDATE touched SET is_contested = ? WHERE collection = ? AND key = ?",
                [isContested, key.collection, key.key]
            )
        }
        guard owners.contains(key.collection) else { return }
        guard let record else { return try set(0) }
        let origins = record.contestedOrigins(since: before)
        guard !origins.isEmpty else { return }
        let given: RecordState?
        switch try self.applied(key) {
        case .current: given = before
        case .earlier(let earlier, _): given = earlier
        case .unknown: given = nil
        }
        if let given, origins.contains(where: given.begins) { try set(1) }
    }

    /// Marks a record dirty of which the store has seen everything.
    func markOwn(_ key: RecordKey) throws {
        try unpack(key)
        try queries.run(.markOwn, key)
    }

    /// Marks a record dirty that the store has from an unknown state.
    func markUnknown(_ key: RecordKey) throws {
        try unpack(key)
        try execute(
            """
            INSERT INTO touched (collection, key, unseen) VALUES (?, ?, 2)
            ON CONFLICT DO UPDATE SET unseen = 2, line = NULL, vector = NULL, reason = NULL
            """,
            [key.collection, key.key]
        )
    }

    /// Notes that the store has seen everything of a record.
    func setSeen(_ key: RecordKey) throws {
        try queries.run(.setSeen, key)
    }

    /// Returns the state that the store has a record from: whoever edits it there has seen that and no more.
    func applied(_ key: RecordKey) throws -> AppliedRecord {
        if try packed.isWaiting { try unpack(key) }
        // Mostly there is no row.
        guard try queries.exists(.isGiven, key) else { return .current }
        let sql = "SELECT \(Self.appliedColumns) FROM touched WHERE collection = ? AND key = ?"
        return try rows(sql, [key.collection, key.key]) { try applied(key, $0) }.first ?? .current
    }

    /// Returns whether the store may lack something; while it lacks nothing, no links of deleted records are kept.
    func hasDirty() throws -> Bool { try packed.isWaiting || count("SELECT EXISTS (SELECT 1 FROM touched)") > 0 }

    /// Returns whether the store has a record from another state than the present one.
    func hasApplied() throws -> Bool {
        try packed.isWaiting || count("SELECT EXISTS (SELECT 1 FROM touched WHERE unseen > 0)") > 0
    }

    /// Returns the records of a collection that the store has from another state than the present one.
    func applied(in collection: String) throws -> [RecordKey: AppliedRecord] {
        let sql = "SELECT \(Self.appliedColumns), key FROM touched WHERE collection = ? AND unseen > 0"
        let found = try rows(sql, [collection]) { row in
            let key = RecordKey(collection, row.text(4) ?? "")
            return (key, try applied(key, row))
        }
        return Dictionary(found) { first, _ in first }
    }

    private static let heads = "(SELECT heads FROM vector WHERE number = touched.vector)"
    private static let appliedColumns = "unseen, line, \(heads), vector IS NULL"

    private func applied(_ key: RecordKey, _ row: StoreStatement) throws -> AppliedRecord {
        switch row.integer(0) {
        case 0: return .current
        case 1:
            guard let heads = row.text(2) ?? (row.integer(3) == 1 ? "{}" : nil) else {
                throw damaged("touched", key.key)
            }
            return .earlier(try row.bytes(1).map { try decode($0, key) }, heads: heads)
        default: return .unknown
        }
    }

    /// Returns the number under which heads are kept, once for all records that the store has from them.
    private func vector(_ heads: String) throws -> Int {
        if let lastVector, lastVector.heads == heads { return lastVector.number }
        // Here, as a sync that finds nothing writes nothing.
        if !hasSweptVectors { try sweepVectors() }
        try execute("INSERT OR IGNORE INTO vector (heads) VALUES (?)", [heads])
        let number = try count("SELECT number FROM vector WHERE heads = ?", [heads])
        lastVector = (heads, number)
        return number
    }

    /// Removes the heads that no record names any more.
    func sweepVectors() throws {
        try execute("DELETE FROM vector WHERE number NOT IN (SELECT vector FROM touched WHERE vector IS NOT NULL)")
        (hasSweptVectors, lastVector) = (true, nil)
    }

    /// Notes the state that the store has a record from, because somebody edited it there.
    func setApplied(_ key: RecordKey, _ record: RecordState?, heads: String) throws {
        try unpack(key)
        try execute(
            """
            INSERT INTO touched (collection, key, unseen, line, vector) VALUES (?, ?, 1, ?, ?)
            ON CONFLICT DO UPDATE SET unseen = 1, line = excluded.line, vector = excluded.vector
            """,
            [key.collection, key.key, record.map { $0.encodedLine(key) }, try vector(heads)]
        )
    }

    /// Renames a fork in the states that the store has records from.
    func renameApplied(_ fork: WriterFork, before: WriterHead?) throws {
        let sql = "SELECT line, \(Self.heads), collection, key FROM touched WHERE unseen = 1"
        let given = try rows(sql) { row in
            let key = RecordKey(row.text(2) ?? "", row.text(3) ?? "")
            return (key: key, record: try row.bytes(0).map { try decode($0, key) }, heads: row.text(1))
        }
        for (key, record, text) in given {
            guard let text, let heads = Self.renamed(text, fork, before: before) else { continue }
            try setApplied(key, record.map(fork.renamed), heads: heads)
        }
    }

    /// Renames a fork in heads kept as text.
    static func renamed(_ text: String, _ fork: WriterFork, before: WriterHead?) -> String? {
        heads(text).map { heads in
            Self.text(
                heads.flatMap { head -> [WriterHead] in
                    let dot = fork.renamed(head.dot)
                    return dot == head.dot ? [head] : [before, WriterHead(dot, hash: head.hash)].compactMap(\.self)
                }
            )
        }
    }

    /// Returns the first dirty records after a key.
    func unapplied(after key: RecordKey? = nil, limit: Int) throws -> [RecordKey] {
        guard let key else {
            return try keys("SELECT collection, key FROM touched ORDER BY collection, key LIMIT ?", [limit])
        }
        let sql = """
            SELECT collection, key FROM touched WHERE (collection, key) > (?, ?) ORDER BY collection, key LIMIT ?
            """
        return try keys(sql, [key.collection, key.key, limit])
    }

    /// Returns the first of some records, at least one, within a number of bytes.
    func prefix(_ keys: [RecordKey], bytes: Int) throws -> [RecordKey] {
        let sql = """
            SELECT coalesce(length(line), 0) + coalesce(length(base), 0) FROM record WHERE collection = ? AND key = ?
            """
        var left = bytes
        let end = try keys.firstIndex { key in
            left -= try count(sql, [key.collection, key.key])
            return left < 0
        }
        return Array(keys.prefix(max(1, end ?? keys.count)))
    }

    /// Returns whether some records were not tried in the store yet.
    func hasUntried() throws -> Bool {
        try packed.isWaiting
            || count("SELECT EXISTS (SELECT 1 FROM touched WHERE reason IS NULL AND \(Self.isNotTooLarge))") > 0
    }

    /// Returns the number of records not yet tried in the store, up to a limit.
    func untriedCount(_ most: Int = .max) throws -> Int {
        let sql = """
            SELECT count(*) FROM (SELECT 1 FROM touched WHERE reason IS NULL AND \(Self.isNotTooLarge) LIMIT ?)
            """
        return try count(sql, [most])
    }

    /// Returns the first records not yet tried in the store.
    ///
    /// Each collection is read by its key: what was tried before is gone, so that the many batches of a first
    /// synchronisation read each record once.
    ///
    /// - Parameter collections: The collections whose existing records come first, in this order, and whose deleted
    ///   records come last, in reverse.
    func untried(limit: Int, first collections: [String]) throws -> [RecordKey] {
        var found: [RecordKey] = []
        func find(_ condition: String, _ collections: [String]) throws {
            guard found.count < limit else { return }
            let sql = """
                SELECT collection, key FROM touched WHERE \(condition) AND reason IS NULL AND \(Self.isNotTooLarge)
                ORDER BY collection, key LIMIT ?
                """
            found += try keys(sql, collections + [limit - found.count])
        }
        let isThere = """
            EXISTS (SELECT 1 FROM record r WHERE r.collection = touched.collection AND r.key = touched.key AND line IS NOT NULL)
            """
        for collection in collections { try find("collection = ? AND \(isThere)", [collection]) }
        let places = collections.map { _ in "?" }.joined(separator: ", ")
        try find("collection NOT IN (\(places))", collections)
        for collection in collections.reversed() { try find("collection = ? AND NOT \(isThere)", [collection]) }
        return found
    }

    /// The condition for a record that can be published: the store alone has the others, and sync does not overwrite
    /// them.
    private static let isNotTooLarge = """
        NOT EXISTS (SELECT 1 FROM too_large l WHERE l.collection = touched.collection AND l.key = touched.key)
        """

    /// Marks the first dirty records applied, up to a key, except those that the store rejects.
    func markApplied(through key: RecordKey) throws {
        try execute(
            "DELETE FROM touched WHERE (collection, key) <= (?, ?) AND reason IS NULL AND \(Self.isNotTooLarge)",
            [key.collection, key.key]
        )
    }

    /// Marks dirty records applied, except those that the store rejects.
    func markTried(_ keys: [RecordKey]) throws {
        for key in keys {
            try execute(
                "DELETE FROM touched WHERE collection = ? AND key = ? AND reason IS NULL AND \(Self.isNotTooLarge)",
                [key.collection, key.key]
            )
        }
    }

    func markApplied(_ keys: some Sequence<RecordKey>) throws {
        for key in keys { try queries.run(.markApplied, key) }
    }

    // MARK: Records that the store cannot hold

    /// Returns the records that the store rejects, with the reasons.
    func refused() throws -> [RecordKey: String] {
        let sql = "SELECT collection, key, reason FROM touched WHERE reason IS NOT NULL"
        let refused = try rows(sql) { (RecordKey($0.text(0) ?? "", $0.text(1) ?? ""), $0.text(2) ?? "") }
        return Dictionary(refused) { first, _ in first }
    }

    /// Notes why the store rejects a record; nil where it accepts it.
    func setRefused(_ key: RecordKey, _ reason: String?) throws {
        try unpack(key)
        try execute(
            """
            INSERT INTO touched (collection, key, unseen, reason) VALUES (?, ?, 0, ?)
            ON CONFLICT DO UPDATE SET reason = excluded.reason
            """,
            [key.collection, key.key, reason]
        )
    }

    /// Notes which records the store rejects.
    func setRefused(_ refused: [RecordKey: String]) throws {
        try execute("UPDATE touched SET reason = NULL WHERE reason IS NOT NULL")
        for (key, reason) in refused { try setRefused(key, reason) }
    }
}
