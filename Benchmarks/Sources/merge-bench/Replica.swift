internal import RecordMerge
internal import StrictJSON

/// A store as an app has it, with triggers that note what was touched.
final class Store {
    let database: Database
    private let insertion: Statement
    private let deletion: Statement
    private let selection: Statement

    init(_ path: String, making: Bool = false) throws {
        database = try Database(path)
        if making {
            let columns = World.columns.joined(separator: ",")
            try database.execute(
                """
                CREATE TABLE t (\(columns), PRIMARY KEY (id)) WITHOUT ROWID;
                CREATE TABLE journal (key TEXT PRIMARY KEY) WITHOUT ROWID;
                """
            )
        }
        insertion = try database.statement("INSERT OR REPLACE INTO t VALUES (?,?,?,?,?,?,?,?)")
        deletion = try database.statement("DELETE FROM t WHERE id = ?")
        selection = try database.statement("SELECT * FROM t WHERE id = ?")
    }

    func makeTriggers() throws {
        for (event, row) in [("INSERT", "new"), ("UPDATE", "new"), ("DELETE", "old")] {
            try database.execute(
                """
                CREATE TRIGGER note_\(event) AFTER \(event) ON t BEGIN
                INSERT OR IGNORE INTO journal VALUES (\(row).id); END
                """
            )
        }
    }

    func write(_ key: RecordKey, _ object: JSONObject?) throws {
        guard let object else {
            deletion.bind(1, key.key)
            return try deletion.run()
        }
        for (index, name) in World.columns.enumerated() {
            let column = Int32(index + 1)
            switch object[name] {
            case .bool(let bool): insertion.bind(column, bool ? 1 : 0)
            case .number(let number): insertion.bind(column, Int64(number.int ?? 0))
            case .string(let text): insertion.bind(column, text)
            default: throw DatabaseError(description: "a record lacks \(name)")
            }
        }
        try insertion.run()
    }

    func read(_ key: String) throws -> JSONObject? {
        selection.bind(1, key)
        defer { selection.reset() }
        return try selection.step() ? Self.object(selection) : nil
    }

    static func object(_ row: Statement) -> JSONObject {
        [
            "id": .string(row.string(0)), "title": .string(row.string(1)), "notes": .string(row.string(2)),
            "done": .bool(row.int(3) != 0), "count": .number(Int(row.int(4))),
            "day": .string(row.string(5)), "made": .string(row.string(6)), "changed": .string(row.string(7)),
        ]
    }
}

/// The state of a replica, read and written by the record.
///
/// What changes is written into a table of its own, and the base stays as it is, as Satchel's replicas have it.
struct State: RecordStorage {
    let database: Database
    let schema: MergeSchema
    var seen = VersionVector()
    private let selection: Statement
    private let base: Statement
    private let insertion: Statement
    private let memory = Memory()

    /// What was read or written last: what is captured or joined is soon looked at again.
    private final class Memory {
        var lines = LineDecoder()
        var records: [RecordKey: RecordState?] = [:]

        func keep(_ key: RecordKey, _ record: RecordState?) {
            if records.count >= 50_000 { records.removeAll(keepingCapacity: true) }
            records[key] = .some(record)
        }
    }

    init(_ path: String, making: Bool = false) throws {
        database = try Database(path)
        schema = try World.schema()
        if making {
            try database.execute(
                """
                CREATE TABLE base (key TEXT PRIMARY KEY, line BLOB NOT NULL);
                CREATE TABLE changed (key TEXT PRIMARY KEY, line BLOB);
                CREATE VIEW record (key, line) AS SELECT key, line FROM changed WHERE line IS NOT NULL
                UNION ALL SELECT key, line FROM base WHERE key NOT IN (SELECT key FROM changed);
                CREATE TABLE print (key TEXT PRIMARY KEY, fingerprint INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE seen (writer TEXT PRIMARY KEY, sequence INTEGER NOT NULL);
                """
            )
        }
        selection = try database.statement("SELECT line FROM changed WHERE key = ?")
        base = try database.statement("SELECT line FROM base WHERE key = ?")
        let table = making ? "base" : "changed"
        insertion = try database.statement(
            "INSERT INTO \(table) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET line = ?2"
        )
        let rows = try database.statement("SELECT writer, sequence FROM seen")
        while try rows.step() {
            if let writer = WriterID(rows.string(0)) { seen.insert(Dot(writer, Int(rows.int(1)))) }
        }
    }

    func record(_ key: RecordKey) throws -> RecordState? {
        if let record = memory.records[key] { return record }
        let record = try line(selection, key) ?? line(base, key) ?? nil
        memory.keep(key, record)
        return record
    }

    /// The record in a table; nil where the table says nothing of it.
    private func line(_ statement: Statement, _ key: RecordKey) throws -> RecordState?? {
        statement.bind(1, key.key)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let bytes = statement.bytes(0)
        return .some(bytes.isEmpty ? nil : try memory.lines.record(bytes).record)
    }

    func setRecord(_ key: RecordKey, _ record: RecordState?) throws {
        memory.keep(key, record)
        insertion.bind(1, key.key)
        insertion.bind(2, record?.encodedLine(key))
        try insertion.run()
    }

    func saveSeen() throws {
        let statement = try database.statement("INSERT OR REPLACE INTO seen VALUES (?, ?)")
        for dot in seen.entries {
            statement.bind(1, dot.writer.description)
            statement.bind(2, Int64(dot.sequence))
            try statement.run()
        }
    }

    /// What the store was given of a record.
    func shown(_ key: RecordKey) throws -> JSONObject? {
        try record(key).map { ResolvedRecord(key, $0, schema.record(in: key.collection)).object }
    }

    /// The change that makes of these records what the store holds.
    func capture(_ keys: [String], _ store: Store, _ stamp: Stamp) throws -> Change {
        var base = RecordSet()
        var ours = RecordSet()
        return try database.read {
            try store.database.read {
                for name in keys {
                    let key = RecordKey("rows", name)
                    base.objects[key] = try shown(key)
                    ours.objects[key] = try store.read(name)
                }
            }
            return try ChangeDetection(schema, stamp).change(from: base, to: ours, in: self)
        }
    }
}
