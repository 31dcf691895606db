internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// A segment that the state knows.
struct KnownSegment {
    /// The state of a segment.
    enum State: Int {
        /// The segment waits for changes that it builds on.
        case waiting = 0
        /// The segment is applied.
        case applied = 1
        /// The segment belongs to another app's replicas.
        case foreign = 2
    }

    var writer: WriterID
    var sequence: Int
    var hash: String
    var previous: String?
    /// The writer's name of its change; differs from `writer` on a branch of a fork.
    var branch: WriterID
    var state: State
    var isOwn: Bool
    var isPublished: Bool
    var clock: HybridClock
    var device: SyncDevice
    var heads: [WriterHead]
    var minimumReader: Int
    var size: Int
    /// True if it was read completely before it was kept.
    var isChecked = true

    var dot: Dot { Dot(branch, sequence) }
    /// True if its bytes and heads stay beside the store; later its file tells them.
    var keepsContent: Bool { state == .waiting || !isPublished }
}

extension ReplicaState {
    private static let columns = """
        writer, sequence, hash, previous, branch, state, is_own, is_published, clock, device, device_name, heads,
        minimum_reader, size, is_checked
        """

    /// The key of a segment.
    typealias SegmentKey = (writer: String, sequence: Int, hash: String)

    func insert(_ segment: KnownSegment, bytes: [UInt8]?) throws {
        try execute(
            """
            INSERT OR IGNORE INTO segment (\(Self.columns), bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                segment.writer.description, segment.sequence, segment.hash, segment.previous,
                segment.branch.description, segment.state.rawValue, segment.isOwn, segment.isPublished,
                Int64(bitPattern: segment.clock.bits), segment.device.id, segment.device.name,
                Self.text(segment.keepsContent ? segment.heads : []), segment.minimumReader, segment.size,
                segment.isChecked, bytes,
            ]
        )
    }

    /// Returns whether the file of a segment has been read.
    func knows(_ writer: WriterID, _ sequence: Int, _ hash: String) throws -> Bool {
        try count(
            "SELECT count(*) FROM segment WHERE writer = ? AND sequence = ? AND hash = ?",
            [writer.description, sequence, hash]
        ) > 0
    }

    /// Forgets a segment, as if it had never been read.
    func remove(_ segment: KnownSegment) throws {
        try execute(
            "DELETE FROM segment WHERE writer = ? AND sequence = ? AND hash = ?",
            [segment.writer.description, segment.sequence, segment.hash]
        )
    }

    /// Returns the keys of the waiting segments, by clock.
    func waitingKeys() throws -> [SegmentKey] {
        let sql = "SELECT writer, sequence, hash FROM segment WHERE state = 0 ORDER BY clock, writer, sequence"
        return try Row.fetchAll(database.cachedStatement(sql: sql)).map { ($0[0], $0[1], $0[2]) }
    }

    /// Returns a known segment.
    func segment(_ key: SegmentKey) throws -> KnownSegment? {
        try segments("WHERE writer = ? AND sequence = ? AND hash = ?", [key.writer, key.sequence, key.hash]).first
    }

    /// Returns the waiting segments, by clock.
    func waitingSegments() throws -> [KnownSegment] {
        try segments("WHERE state = 0 ORDER BY clock, writer, sequence")
    }

    /// Returns whether segments are waiting.
    func hasWaiting() throws -> Bool { try count("SELECT EXISTS (SELECT 1 FROM segment WHERE state = 0)") > 0 }

    /// Returns the unpublished segments, in order.
    func unpublishedSegments() throws -> [KnownSegment] {
        try segments("WHERE is_published = 0 ORDER BY writer, sequence")
    }

    /// Returns the times of the applied segments, in milliseconds since 1970, the latest first.
    func moments() throws -> [Int] {
        let sql = "SELECT clock FROM segment WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC"
        return try Row.fetchAll(database.cachedStatement(sql: sql)).map {
            HybridClock(bits: UInt64(bitPattern: $0[0] as Int64)).milliseconds
        }
    }

    func segments(_ condition: String, _ arguments: StatementArguments = StatementArguments()) throws -> [KnownSegment]
    {
        try Row.fetchAll(
            database.cachedStatement(sql: "SELECT \(Self.columns) FROM segment \(condition)"),
            arguments: arguments
        )
        .map(segment)
    }

    /// Returns the segments of a number under a name, that of their writer or of their branch.
    func continuations(
        _ name: String,
        _ sequence: Int
    ) throws -> [(hash: String, branch: WriterID, state: KnownSegment.State)] {
        let sql =
            "SELECT hash, branch, state FROM segment WHERE (branch = ?1 OR writer = ?1) AND sequence = ?2 AND state <> 2"
        return try rows(sql, [name, sequence]) { row in
            guard let hash = row.text(0), let branch = row.text(1).flatMap(WriterID.init),
                let state = KnownSegment.State(rawValue: row.integer(2))
            else { throw damaged("segment", name) }
            return (hash, branch, state)
        }
    }

    private func segment(_ row: Row) throws -> KnownSegment {
        guard let writer = WriterID(row[0] as String), let branch = WriterID(row[4] as String),
            let state = KnownSegment.State(rawValue: row[5]), let heads = Self.heads(row[11])
        else { throw damaged("segment", row[0]) }
        return KnownSegment(
            writer: writer,
            sequence: row[1],
            hash: row[2],
            previous: row[3],
            branch: branch,
            state: state,
            isOwn: row[6],
            isPublished: row[7],
            clock: HybridClock(bits: UInt64(bitPattern: row[8] as Int64)),
            device: SyncDevice(id: row[9], name: row[10]),
            heads: heads,
            minimumReader: row[12],
            size: row[13],
            isChecked: row[14]
        )
    }

    func bytes(of segment: KnownSegment) throws -> [UInt8]? {
        try [UInt8].fetchOne(
            database.cachedStatement(
                sql: "SELECT bytes FROM segment WHERE writer = ? AND sequence = ? AND hash = ?"
            ),
            arguments: [segment.writer.description, segment.sequence, segment.hash]
        )
    }

    /// Notes the new state of a segment; drops the content of one that is applied and published.
    func update(_ segment: KnownSegment) throws {
        try execute(
            """
            UPDATE segment SET branch = ?1, state = ?2, is_published = ?3, is_checked = ?4,
                bytes = iif(?5, bytes, NULL), heads = iif(?5, heads, '{}')
            WHERE writer = ?6 AND sequence = ?7 AND hash = ?8
            """,
            [
                segment.branch.description, segment.state.rawValue, segment.isPublished, segment.isChecked,
                segment.keepsContent, segment.writer.description, segment.sequence, segment.hash,
            ]
        )
    }

    // MARK: Heads as text

    static func text(_ heads: [WriterHead]) -> String {
        var object = JSONObject()
        for head in heads {
            object[head.dot.writer.description] = [.number(head.dot.sequence), .string(head.hash)]
        }
        return JSONValue.object(object).text(.compact)
    }

    static func heads(_ text: String) -> [WriterHead]? {
        guard let root = try? JSONDocument(parsing: text).root, root.kind == .object else { return nil }
        var heads: [WriterHead] = []
        for member in root.members {
            let parts = Array(member.value.elements)
            guard let writer = WriterID(member.name), parts.count == 2, let sequence = parts[0].int,
                let hash = parts[1].string
            else { return nil }
            heads.append(WriterHead(Dot(writer, sequence), hash: hash))
        }
        return heads
    }
}

extension ReplicaState {
    /// Notes a device with the data of its latest change.
    func note(_ device: SyncDevice, writer: WriterID, clock: HybridClock, heads: [WriterHead]) throws {
        guard try isLatest(writer, clock, heads, of: device) else { return }
        try execute(
            "INSERT OR REPLACE INTO device (id, name, writer, clock, heads) VALUES (?, ?, ?, ?, ?)",
            [device.id, device.name, writer.description, Int64(bitPattern: clock.bits), Self.text(heads)]
        )
    }

    /// Returns whether a change of a device is later than the noted one: by its clock, or as its author had seen that.
    private func isLatest(
        _ writer: WriterID,
        _ clock: HybridClock,
        _ heads: [WriterHead],
        of device: SyncDevice
    ) throws -> Bool {
        let sql = "SELECT writer, clock, heads FROM device WHERE id = ?"
        let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: [device.id])
        guard let row, clock < HybridClock(bits: UInt64(bitPattern: row[1] as Int64)) else { return true }
        guard let noted = WriterID(row[0] as String) else { return true }
        let before = VersionVector((Self.heads(row[2]) ?? []).map(\.dot))[noted]
        let seen = VersionVector(heads.map(\.dot))[noted]
        return noted == writer ? seen > before : seen > 0 && seen >= before
    }

    /// Returns whether the known changes agree with a device's time: no other device wrote days later, and some change
    /// was made before.
    ///
    /// - Parameter now: The device's time, in milliseconds since 1970.
    func agrees(with now: Int, besides device: SyncDevice) throws -> Bool {
        let latest = Int64(clamping: Self.latest(now).bits)
        let others = "SELECT count(*) FROM device WHERE id <> ? AND clock NOT BETWEEN 0 AND ?"
        guard try count(others, [device.id, latest]) == 0 else { return false }
        let earlier = """
            SELECT EXISTS (SELECT 1 FROM device WHERE id <> ?1 AND clock > 0)
                OR EXISTS (SELECT 1 FROM segment WHERE state = 1 AND clock BETWEEN 1 AND ?2)
            """
        return try count(earlier, [device.id, latest]) > 0
    }

    /// Returns the latest clock of the applied changes that is not after another one.
    func lastClock(upTo latest: HybridClock) throws -> HybridClock {
        let sql = "SELECT coalesce(max(clock), 0) FROM segment WHERE state = 1 AND clock BETWEEN 0 AND ?"
        return HybridClock(bits: UInt64(try count(sql, [Int64(clamping: latest.bits)])))
    }

    /// Returns the known devices, with the changes that they had seen when they last wrote.
    func devices() throws -> [(device: SyncDevice, clock: HybridClock, heads: [WriterHead])] {
        try Row.fetchAll(database, sql: "SELECT id, name, clock, heads FROM device ORDER BY name, id").map { row in
            (
                SyncDevice(id: row[0], name: row[1]), HybridClock(bits: UInt64(bitPattern: row[2] as Int64)),
                Self.heads(row[3]) ?? []
            )
        }
    }

    /// Returns the device of a change.
    func device(of dot: Dot) throws -> SyncDevice? {
        let sql =
            "SELECT device, device_name FROM segment WHERE branch = ? ORDER BY sequence >= ? DESC, sequence LIMIT 1"
        guard
            let row = try Row.fetchOne(
                database.cachedStatement(sql: sql),
                arguments: [dot.writer.description, dot.sequence]
            )
        else { return nil }
        let id: String = row[0]
        let name = try String.fetchOne(database, sql: "SELECT name FROM device WHERE id = ?", arguments: [id])
        return SyncDevice(id: id, name: name ?? row[1])
    }
}

extension KnownSegment {
    /// Its file, which need not exist.
    var file: ListedFile {
        ListedFile(.segment, path: "", writer: writer, sequence: sequence, hash: hash)
    }
}
