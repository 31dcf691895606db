internal import GRDB
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// What a replica knows, within one opening of its file.
///
/// It is a ``RecordStorage``: records are read and written one by one. A record that is written keeps what the store has of
/// it, so that the store can be brought up to it later in the same transaction.
final class ReplicaState: RecordStorage {
    let database: Database
    let path: String
    let info: ReplicaApp
    let schema: MergeSchema
    let domain: MergeDomain
    let queries: RecordQueries
    var decoder = LineDecoder(limits: .own)
    var encoder = LineEncoder()
    private var seenCache: VersionVector?
    private var headsCache: String?
    /// The record that was read last: a join reads a record and writes it at once.
    var lastRead: (key: RecordKey, held: ReplicaRecord?)?
    /// Whether written records go into the table `touched`.
    var notesUnapplied = true
    /// Whether records are written because of what the store has.
    var isOwnChange = false
    /// Concurrent values that were decided as they were too large together, in sentences.
    var decided: [String] = []
    /// Whether records that have to do with no other are brought together by themselves.
    let takesShortcuts: Bool

    init(_ database: Database, path: String, _ app: ReplicaApp, takesShortcuts: Bool = true) {
        self.takesShortcuts = takesShortcuts
        self.database = database
        queries = RecordQueries(database)
        self.path = path
        info = app
        schema = app.schema
        domain = app.domain
    }

    // MARK: Properties

    /// A property's text.
    func property(_ name: String) throws -> String? {
        let sql = "SELECT value, sum = row_sum(name, value) FROM property WHERE name = ?"
        return try rows(sql, [name]) { row in
            guard row.integer(1) == 1 else { throw damaged("property", name) }
            return row.text(0)
        }.first ?? nil
    }

    /// Sets a property, or removes it.
    func setProperty(_ name: String, _ value: String?) throws {
        if let value {
            try execute(
                "INSERT OR REPLACE INTO property (name, value, sum) VALUES (?1, ?2, row_sum(?1, ?2))",
                [name, value]
            )
        } else {
            try execute("DELETE FROM property WHERE name = ?", [name])
        }
    }

    /// A property that has to be there.
    func required(_ name: String) throws -> String {
        guard let value = try property(name) else {
            throw SyncError(.state, "the file lacks the property \"\(name)\"; move it away and use join", path: path)
        }
        return value
    }

    func integer(_ name: String) throws -> Int {
        guard let value = Int(try required(name)) else {
            throw SyncError(
                .state,
                "the property \"\(name)\" is no number; move the file away and use join",
                path: path
            )
        }
        return value
    }

    /// Values of a statement's parameters.
    typealias Arguments = [(any DatabaseValueConvertible)?]

    /// Runs a statement that gives no rows.
    func execute(_ sql: String, _ arguments: Arguments = []) throws {
        let statement = try statement(sql, arguments)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Reads the rows of a statement.
    ///
    /// Texts are bound and read with their whole length: GRDB ends them at U+0000, which keys may contain.
    func rows<Element>(
        _ sql: String,
        _ arguments: Arguments = [],
        _ read: (StoreStatement) throws -> Element
    ) throws -> [Element] {
        let statement = try statement(sql, arguments)
        defer { statement.reset() }
        var elements: [Element] = []
        while try statement.step() { elements.append(try read(statement)) }
        return elements
    }

    /// Reads the two columns of rows that name records.
    func keys(_ sql: String, _ arguments: Arguments = []) throws -> [RecordKey] {
        try rows(sql, arguments) { row in
            guard let collection = row.text(0), let key = row.text(1) else { throw damaged("record", "") }
            return RecordKey(collection, key)
        }
    }

    func count(_ sql: String, _ arguments: Arguments = []) throws -> Int {
        try rows(sql, arguments) { $0.integer(0) }.first ?? 0
    }

    private func statement(_ sql: String, _ arguments: Arguments) throws -> StoreStatement {
        let statement = try StoreStatement(database, sql, isCached: true)
        statement.reset()
        for (index, argument) in arguments.enumerated() {
            try statement.bind(Int32(truncatingIfNeeded: index + 1), value: argument?.databaseValue ?? .null)
        }
        return statement
    }

    /// Runs a body in one transaction, or as a part of the one that is open.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        let run = {
            result = try body()
            return Database.TransactionCompletion.commit
        }
        do {
            if database.isInsideTransaction {
                try database.inSavepoint(run)
            } else {
                try database.inTransaction(.immediate, run)
            }
        } catch {
            forgetSeen()
            throw error
        }
        guard let result else { throw SyncError(.inputOutput, "the transaction gave no result", path: path) }
        return result
    }

    /// Lets commits be on the disk later than they return: of what may be lost, as the next synchronisation finds it out.
    ///
    /// A write-ahead log stays sound where the machine fails meanwhile, a rollback journal need not, and is left alone.
    func mayLoseCommits(_ may: Bool) throws {
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return }
        try database.execute(sql: "PRAGMA synchronous = \(may ? "NORMAL" : "FULL")")
    }

    /// Commits to a write-ahead log from now on, for which the disk is waited for once instead of four times.
    ///
    /// Not before the first synchronisation: what is written to a new file goes there directly with a rollback journal, and
    /// twice with a log.
    func useLog() throws { _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") }

    // MARK: What has been seen

    /// The changes that are in the records.
    var seen: VersionVector {
        get {
            if let seenCache { return seenCache }
            let dots = (try? heads().map(\.dot)) ?? []
            let vector = VersionVector(dots)
            seenCache = vector
            return vector
        }
        set {
            // Heads are set with their hashes by those who apply segments; this keeps the numbers in step meanwhile.
            seenCache = newValue
        }
    }

    /// The last change of each writer that has been seen, with its hash.
    func heads() throws -> [WriterHead] {
        let sql = "SELECT writer, sequence, hash, sum = row_sum(writer, sequence, hash) FROM head ORDER BY writer"
        return try Row.fetchAll(database.cachedStatement(sql: sql)).map { row in
            guard row[3] == 1, let writer = WriterID(row[0] as String) else { throw damaged("head", row[0]) }
            return WriterHead(Dot(writer, row[1]), hash: row[2])
        }
    }

    func setHead(_ dot: Dot, hash: String) throws {
        try execute(
            "INSERT OR REPLACE INTO head (writer, sequence, hash, sum) VALUES (?1, ?2, ?3, row_sum(?1, ?2, ?3))",
            [dot.writer.description, dot.sequence, hash]
        )
        seenCache?.insert(dot)
        headsCache = nil
    }

    /// The last change of each writer that has been seen, as text.
    func headsText() throws -> String {
        if let headsCache { return headsCache }
        let text = Self.text(try heads())
        headsCache = text
        return text
    }

    /// Forgets what was read before, as the table has changed.
    func forgetSeen() {
        seenCache = nil
        headsCache = nil
        lastRead = nil
    }

    /// The latest clock of all that has been seen or made.
    func clock() throws -> HybridClock { HybridClock(bits: UInt64(try property("clock") ?? "0") ?? 0) }

    func advance(_ clock: HybridClock) throws {
        if try self.clock() < clock { try setProperty("clock", String(clock.bits)) }
    }

    /// Takes in the clock of another device, which moves this one's by a day at most: one that is wrong by years must not date
    /// all that is changed from now on.
    ///
    /// - Parameter now: This device's time, in milliseconds since 1970.
    func advance(_ clock: HybridClock, now: Int) throws { try advance(min(clock, Self.latest(now))) }

    /// The latest clock that is believed of another device.
    static func latest(_ now: Int) -> HybridClock {
        let (latest, isOver) = now.addingReportingOverflow(86_400_000)
        return HybridClock(milliseconds: isOver ? now : latest)
    }

    func damaged(_ table: String, _ key: String) -> SyncError {
        SyncError(
            .state,
            "the table \(table) holds what it cannot at \"\(key.prefix(80))\"; move the file away and use join",
            path: path
        )
    }
}
