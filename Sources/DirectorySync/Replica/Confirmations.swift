internal import GRDB
internal import RecordMerge

extension SyncSession {
    /// Says what this device has taken in, where it did not say so yet.
    ///
    /// A folder that does not take it keeps nothing from being synchronised: it is said another time.
    func confirm(leaving: Bool = false) throws {
        guard !isDryRun, let writer = WriterID(try state.required("writer")) else { return }
        let scope = replica.seenScope
        let device = replica.environment.device
        let seen = try state.latestSeen()
        // Of one that said nothing yet nobody knows.
        let isKnown = try state.integer("sequence") > 0 || listing.marks.contains { $0.writer == writer }
        guard leaving ? isKnown : !seen.isEmpty,
            let mark = SeenMark(scope, writer, device, seen: seen, hasLeft: leaving)
        else { return }
        let own = try state.ownWriters().union([writer.description])
        let others = listing.marks.filter { other in
            let isOwn = own.contains(other.writer.description) || other.device.id == device.id && other.hasLeft
            return isOwn && other.path != mark.path && other.token == scope.token(other.writer)
        }
        guard !others.isEmpty || !listing.marks.contains(where: { $0.path == mark.path }) else { return }
        try? directory.publish(mark, replacing: others)
    }
}

extension Replica {
    /// What the tokens of marks are made for.
    var seenScope: SeenMark.Scope { SeenMark.Scope(space: space, app: app) }
}

extension ReplicaState {
    /// The last change of each writer that has been seen, those that changed something last first.
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

    /// The names under which this device has published changes.
    fileprivate func ownWriters() throws -> Set<String> {
        try Set(String.fetchAll(database, sql: "SELECT DISTINCT writer FROM segment WHERE is_own"))
    }
}

/// What the devices say they have taken in, as far as it concerns one replica.
struct Confirmations {
    private let scope: SeenMark.Scope
    private let marks: [SeenMark]
    private let seen: VersionVector
    /// This device's own writer.
    private let writer: WriterID?
    /// How many of the last changes of this device a digest is tried without.
    private static let mostTried = 64

    init(_ session: SyncSession) throws {
        let scope = session.replica.seenScope
        self.scope = scope
        marks = session.listing.marks.filter { $0.token == scope.token($0.writer) }
        seen = session.state.seen
        writer = WriterID(try session.state.required("writer"))
    }

    /// The devices that have put a mark, each once.
    var devices: [SyncDevice] {
        var devices: [SyncDevice] = []
        for mark in marks where !devices.contains(where: { $0.id == mark.device.id }) { devices.append(mark.device) }
        return devices
    }

    /// The marks of a device.
    func marks(of device: SyncDevice) -> [SeenMark] { marks.filter { $0.device.id == device.id } }

    /// Whether a device has left: it says so, and has not come back.
    func hasLeft(_ device: SyncDevice) -> Bool {
        let marks = marks(of: device)
        return !marks.isEmpty && marks.allSatisfy(\.hasLeft)
    }

    /// Tells of a change whether a device says that it has it.
    func confirms(_ device: SyncDevice) -> (Dot) -> Bool {
        let marks = marks(of: device)
        let rests = marks.compactMap { mark in rest(of: mark).map { (mark.counts, $0) } }
        return { dot in
            let token = scope.token(dot.writer)
            return marks.contains { ($0.counts[token] ?? -1) >= dot.sequence }
                || rests.contains { counts, rest in counts[token] == nil && rest.covers(dot) }
        }
    }

    /// The last change of a writer that a device says it has, where that is before another; nil where its marks leave it open.
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

    /// What a device has of the writers that its mark does not name; nil where the digest is of nothing that is known here.
    private func rest(of mark: SeenMark) -> VersionVector? {
        guard let digest = mark.digest else { return nil }
        let rest = seen.entries.filter { mark.counts[scope.token($0.writer)] == nil }
        if scope.digest(of: rest) == digest { return VersionVector(rest) }
        // It may lack the last changes of this device, and of nobody else.
        guard let own = rest.first(where: { $0.writer == writer }) else { return nil }
        let others = rest.filter { $0.writer != writer }
        for sequence in stride(from: own.sequence - 1, through: max(0, own.sequence - Self.mostTried), by: -1) {
            let tried = others + (sequence > 0 ? [Dot(own.writer, sequence)] : [])
            if scope.digest(of: tried) == digest { return VersionVector(tried) }
        }
        return nil
    }

    /// The last change of each writer that some device has, where it is more than this one has seen.
    ///
    /// - Parameter known: Whether the numbers of a writer's changes are the same for all devices: not where it was forked.
    func missing(where isComparable: (WriterID) throws -> Bool) rethrows -> [(last: Dot, device: SyncDevice?)] {
        var counts: [String: Int] = [:]
        for mark in marks where !mark.hasLeft { counts.merge(mark.counts) { max($0, $1) } }
        var writers: [WriterID: SyncDevice?] = [:]
        for dot in seen.entries { writers[dot.writer] = .some(nil) }
        for mark in marks { writers[mark.writer] = .some(mark.device) }
        return try writers.sorted { $0.key < $1.key }.compactMap { writer, device in
            guard let count = counts[scope.token(writer)], count > seen[writer], try isComparable(writer) else {
                return nil
            }
            return (Dot(writer, count), device)
        }
    }
}
