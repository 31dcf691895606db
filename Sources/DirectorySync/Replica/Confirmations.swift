internal import RecordMerge
internal import SQLiteDatabase

extension SyncSession {
    /// Confirms the changes that this device has, if it has not yet.
    ///
    /// A folder that accepts no files does not stop the sync: the next one confirms.
    ///
    /// - Returns: Whether the folder has the mark, or needs none; false where it takes nothing.
    @discardableResult
    func confirm(leaving: Bool = false) throws -> Bool {
        guard !isDryRun, let writer = WriterID(try state.required(.writer)) else { return true }
        let scope = replica.seenScope
        let device = replica.environment.device
        let seen = try state.latestSeen()
        // No device knows one that never wrote.
        let isKnown = try state.integer(.sequence) > 0 || listing.marks.contains { $0.writer == writer }
        guard leaving ? isKnown : !seen.isEmpty,
            let mark = SeenMark(scope, writer, device, seen: seen, hasLeft: leaving)
        else { return true }
        let own = try state.ownWriters().union([writer.description])
        let others = listing.marks.filter { other in
            let isOwn = own.contains(other.writer.description) || other.device.id == device.id && other.hasLeft
            return isOwn && other.path != mark.path && other.token == scope.token(other.writer)
        }
        guard !others.isEmpty || !listing.marks.contains(where: { $0.path == mark.path }) else { return true }
        return (try? directory.publish(mark, replacing: others)) != nil
    }
}

extension Replica {
    /// The scope of the marks' tokens.
    var seenScope: SeenMark.Scope { SeenMark.Scope(space: space, app: app) }
}

extension ReplicaState {
    /// Returns the last seen change of each writer, the latest first.
    fileprivate func latestSeen() throws -> [Dot] {
        let sql = """
            SELECT head.writer, head.sequence FROM head LEFT JOIN segment
            ON segment.branch = head.writer AND segment.sequence = head.sequence
            GROUP BY head.writer ORDER BY max(segment.clock) DESC, head.writer
            """
        return try Row.fetchAll(database.cachedStatement(sql: sql)).compactMap { row in
            WriterID(row[0] as String).map { Dot($0, row[1]) }
        }
    }

    /// Returns the writers of this device.
    fileprivate func ownWriters() throws -> Set<String> {
        try Set(String.fetchAll(database, sql: "SELECT DISTINCT writer FROM segment WHERE is_own"))
    }
}

/// The devices' confirmations for one replica.
struct Confirmations {
    private let scope: SeenMark.Scope
    private let marks: [SeenMark]
    /// The identifiers of retired devices.
    private let retired: Set<String>
    private let seen: VersionVector
    /// This device's own writer.
    private let writer: WriterID?
    /// The number of this device's last changes that a digest may lack.
    private static let mostTried = 64

    init(_ session: SyncSession) throws {
        let scope = session.replica.seenScope
        self.scope = scope
        marks = session.listing.marks.filter { $0.token == scope.token($0.writer) }
        retired = Set(session.listing.retirements.map(\.device))
        seen = session.state.seen
        writer = WriterID(try session.state.required(.writer))
    }

    /// The devices with a mark, each once.
    var devices: [SyncDevice] {
        var devices: [SyncDevice] = []
        for mark in marks where !devices.contains(where: { $0.id == mark.device.id }) { devices.append(mark.device) }
        return devices
    }

    /// The writers of marks, each with its device.
    var writers: [(WriterID, SyncDevice)] { marks.map { ($0.writer, $0.device) } }

    /// Returns the marks of a device.
    func marks(of device: SyncDevice) -> [SeenMark] { marks.filter { $0.device.id == device.id } }

    /// Returns whether a device has left and not come back.
    func hasLeft(_ device: SyncDevice) -> Bool {
        let marks = marks(of: device)
        return !marks.isEmpty && marks.allSatisfy(\.hasLeft)
    }

    /// Returns a function that tells whether a device has confirmed a change.
    func confirms(_ device: SyncDevice) -> (Dot) -> Bool {
        let marks = marks(of: device)
        let rests = marks.compactMap { mark in rest(of: mark).map { (mark.counts, $0) } }
        return { dot in
            let token = scope.token(dot.writer)
            return marks.contains { ($0.counts[token] ?? -1) >= dot.sequence }
                || rests.contains { counts, rest in counts[token] == nil && rest.covers(dot) }
        }
    }

    /// Returns the last change of a writer that a device has confirmed, if it is before another one; nil where its
    /// marks do not tell.
    func lacks(_ device: SyncDevice, _ dot: Dot) -> Int? {
        let token = scope.token(dot.writer)
        var last: Int?
        for mark in marks(of: device) where !mark.hasLeft {
            guard let count = mark.counts[token] ?? (mark.digest == nil ? 0 : nil), count < dot.sequence else {
                return nil
            }
            last = max(last ?? 0, count)
        }
        return last
    }

    /// Returns the changes that a device has of writers that its mark does not name; nil for an unknown digest.
    private func rest(of mark: SeenMark) -> VersionVector? {
        guard let digest = mark.digest else { return nil }
        let rest = seen.entries.filter { mark.counts[scope.token($0.writer)] == nil }
        if scope.digest(of: rest) == digest { return VersionVector(rest) }
        // It may lack this device's last changes, but nobody else's.
        guard let own = rest.first(where: { $0.writer == writer }) else { return nil }
        let others = rest.filter { $0.writer != writer }
        for sequence in stride(from: own.sequence - 1, through: max(0, own.sequence - Self.mostTried), by: -1) {
            let tried = others + (sequence > 0 ? [Dot(own.writer, sequence)] : [])
            if scope.digest(of: tried) == digest { return VersionVector(tried) }
        }
        return nil
    }

    /// Returns the last change of each writer that some device has and this one lacks.
    ///
    /// Nobody waits for what only a device tells that has left or is retired.
    ///
    /// - Parameter isComparable: Returns whether a writer's numbers mean the same changes for all devices, which a fork
    ///   prevents.
    /// - Returns: Each change with the device of its writer's mark, or else the one that tells of it.
    func missing(where isComparable: (WriterID) throws -> Bool) rethrows -> [(last: Dot, device: SyncDevice)] {
        var told: [String: (count: Int, device: SyncDevice)] = [:]
        for mark in marks where !mark.hasLeft && !retired.contains(mark.device.id) {
            told.merge(mark.counts.mapValues { ($0, mark.device) }) { $0.count < $1.count ? $1 : $0 }
        }
        var writers: [WriterID: SyncDevice?] = [:]
        for dot in seen.entries { writers[dot.writer] = .some(nil) }
        for mark in marks { writers[mark.writer] = .some(mark.device) }
        return try writers.sorted { $0.key < $1.key }.compactMap { writer, device in
            guard let last = told[scope.token(writer)], last.count > seen[writer], try isComparable(writer) else {
                return nil
            }
            return (Dot(writer, last.count), device ?? last.device)
        }
    }
}
