internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The state of a replica, while its file is open.
///
/// It is a ``RecordStorage``, which reads and writes single records. A written record keeps what the store has of it,
/// so that the store can follow later in the same transaction.
final class ReplicaState: RecordStorage {
    let database: Database
    let path: String
    let info: ReplicaApp
    let schema: MergeSchema
    let domain: MergeDomain
    /// The collections of records that others make no sense without.
    private(set) lazy var owners = domain.owners
    let queries: RecordQueries
    let packed: PackedRecords
    var decoder = LineDecoder(limits: .own)
    var encoder = LineEncoder()
    private var seenCache: VersionVector?
    private var headsCache: String?
    /// The heads that a record was last noted with, and their number.
    var lastVector: (heads: String, number: Int)?
    /// True if the vectors that no record names were removed.
    var hasSweptVectors = false
    /// The last read record: applying a change reads a record and writes it at once.
    var lastRead: (key: RecordKey, held: ReplicaRecord?)?
    /// True if a record with a row may refer to another.
    var mayRefer = true
    /// Reads the lines of packed records.
    var plainReader = PlainLineReader()
    /// True if written records go into the table `touched`.
    var notesUnapplied = true
    /// True if records are written because of the store's changes.
    var isOwnChange = false
    /// True if so many records are made at once that they are packed.
    var isPacking = false
    /// The collections whose new records wait in blocks until a new replica's store gets them.
    var waitingCollections: Set<String> = []
    /// Sentences for the report of the sync, such as on concurrent values that were too large together.
    var notes: [String] = []
    /// True if independent records are resolved one by one.
    let takesShortcuts: Bool

    init(_ database: Database, path: String, _ app: ReplicaApp, _ environment: SyncEnvironment) {
        takesShortcuts = environment.takesShortcuts
        self.database = database
        packed = PackedRecords(database, environment.compression, environment.packing)
        queries = RecordQueries(database)
        self.path = path
        info = app
        schema = app.schema
        domain = app.domain
    }

    // MARK: Properties

    /// Returns the text of a property.
    func property(_ property: StateProperty) throws -> String? {
        let sql = "SELECT value, sum = row_sum(name, value) FROM property WHERE name = ?"
        return try rows(sql, [property.name]) { row in
            guard row.integer(1) == 1 else { throw damaged("property", property.name) }
            return row.text(0)
        }.first ?? nil
    }

    /// Sets a property, or removes it.
    func setProperty(_ property: StateProperty, _ value: String?) throws {
        if let value {
            try execute(
                "INSERT OR REPLACE INTO property (name, value, sum) VALUES (?1, ?2, row_sum(?1, ?2))",
                [property.name, value]
            )
        } else {
            try execute("DELETE FROM property WHERE name = ?", [property.name])
        }
    }

    /// Returns a property that must exist.
    func required(_ property: StateProperty) throws -> String {
        guard let value = try self.property(property) else {
            let message = "the file lacks the property \"\(property.name)\"; move it away and use join"
            throw SyncError(.state, message, path: path)
        }
        return value
    }

    /// Returns a number that must exist.
    func integer(_ property: StateProperty) throws -> Int {
        guard let value = Int(try required(property)) else {
            let message = "the property \"\(property.name)\" is no number; move the file away and use join"
            throw SyncError(.state, message, path: path)
        }
        return value
    }

    /// The values of a statement's parameters.
    typealias Arguments = [(any DatabaseValueConvertible)?]

    /// Runs a statement without rows.
    func execute(_ sql: String, _ arguments: Arguments = []) throws {
        let statement = try statement(sql, arguments)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// Reads the rows of a statement.
    ///
    /// A ``StoreStatement`` makes no row and no values of cells that nobody asks for.
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

    /// Reads keys from two columns.
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

    /// Runs a body in one transaction, or as a part of the open one.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try self.packed.flush()
        let run = {
            result = try body()
            try self.packed.flush()
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

    /// Lets commits return before they are on the disk, for data that the next sync finds again.
    ///
    /// A write-ahead log survives a failing machine. A rollback journal may not, so it is left alone.
    func mayLoseCommits(_ may: Bool) throws {
        guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else { return }
        try database.execute(sql: "PRAGMA synchronous = \(may ? "NORMAL" : "FULL")")
    }

    /// Switches to a write-ahead log, which waits for the disk once per commit instead of four times.
    ///
    /// It comes after the first sync: a rollback journal writes a new file directly, and a log writes it twice.
    func useLog() throws { _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") }

    // MARK: What has been seen

    /// The changes that the records contain.
    var seen: VersionVector {
        get {
            if let seenCache { return seenCache }
            let dots = (try? heads().map(\.dot)) ?? []
            let vector = VersionVector(dots)
            seenCache = vector
            return vector
        }
        set {
            // Applying a segment sets the heads with their hashes; meanwhile this keeps the numbers in step.
            seenCache = newValue
        }
    }

    /// Returns the last seen change of each writer, with its hash.
    func heads() throws -> [WriterHead] {
        let sql = "SELECT writer, sequence, hash, sum = row_sum(writer, sequence, hash) FROM head ORDER BY writer"
        return try Row.fetchAll(database.cachedStatement(sql: sql)).map { row in
            guard row[3] == 1, let writer = WriterID(row[0] as String) else { throw damaged("head", row[0]) }
            return WriterHead(Dot(writer, row[1]), hash: row[2])
        }
    }

    /// Returns the latest seen changes, but of some writers those before a change.
    func heads(before changes: [WriterID: Int]) throws -> [WriterHead] {
        try heads().compactMap { head in
            let writer = head.dot.writer
            guard let change = changes[writer], change <= head.dot.sequence else { return head }
            return try self.head(before: Dot(writer, change))
        }
    }

    /// Returns the change of a writer before another one; nil for its first.
    func head(before change: Dot) throws -> WriterHead? {
        guard change.sequence > 1 else { return nil }
        let dot = Dot(change.writer, change.sequence - 1)
        let sql = "WHERE branch = ? AND sequence = ?"
        let segment = try segments(sql, [dot.writer.description, dot.sequence]).first
        return WriterHead(dot, hash: segment?.hash ?? Self.unknownHash)
    }

    func setHead(_ dot: Dot, hash: String) throws {
        try execute(
            "INSERT OR REPLACE INTO head (writer, sequence, hash, sum) VALUES (?1, ?2, ?3, row_sum(?1, ?2, ?3))",
            [dot.writer.description, dot.sequence, hash]
        )
        seenCache?.insert(dot)
        headsCache = nil
    }

    /// Returns the last seen change of each writer, as text.
    func headsText() throws -> String {
        if let headsCache { return headsCache }
        let text = Self.text(try heads())
        headsCache = text
        return text
    }

    /// Returns whether the whole store has still to be compared for the first time.
    var isFresh: Bool {
        get throws { try property(.fresh) != nil }
    }

    /// Drops the cached changes, because the table has changed.
    func forgetSeen() {
        seenCache = nil
        headsCache = nil
        lastVector = nil
        lastRead = nil
        mayRefer = true
        packed.forget()
    }

    /// Returns the latest clock of all changes seen or made.
    func clock() throws -> HybridClock { HybridClock(bits: UInt64(try property(.clock) ?? "0") ?? 0) }

    func advance(_ clock: HybridClock) throws {
        if try self.clock() < clock { try setProperty(.clock, String(clock.bits)) }
    }

    /// Returns the latest clock that sync follows: a day after a device's time.
    ///
    /// - Parameter now: This device's time, in milliseconds since 1970.
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
