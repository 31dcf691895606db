internal import AppStores
internal import GRDB
internal import RecordMerge
internal import StrictJSON

/// Makes changes of this device, takes them into the state, and keeps their segments until they are published.
struct SegmentMaker {
    private let replica: Replica
    private let state: ReplicaState
    private var info: ReplicaApp { replica.info }

    init(_ replica: Replica, _ state: ReplicaState) {
        self.replica = replica
        self.state = state
    }

    /// Takes a new writer's name, whose changes count from 1.
    func renew() throws {
        try state.setProperty("writer", replica.environment.makeName(12))
        try state.setProperty("sequence", "0")
    }

    /// The name and clock of the next change.
    private func nextStamp() throws -> Stamp {
        guard var writer = WriterID(try state.required("writer")) else { throw state.damaged("property", "writer") }
        // A checkpoint told of changes under the name that this device does not know, as it was set back.
        if try state.seen[writer] > state.integer("sequence") {
            try renew()
            writer = WriterID(try state.required("writer")) ?? writer
        }
        let clock = try state.clock().next(now: HybridClock(milliseconds: replica.environment.now()))
        return Stamp(Dot(writer, try state.integer("sequence") + 1), clock)
    }

    /// Makes the change between what the store was given and what it has; nil where there is none.
    ///
    /// - Parameter decided: Places that count as written though nothing changed.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        decided: [RecordKey: Set<[String]>] = [:]
    ) throws -> SyncedChange? {
        try append(try change(from: base, to: ours, decided: decided))
    }

    /// The change that would be made, without making it.
    func change(
        from base: RecordSet,
        to ours: RecordSet,
        decided: [RecordKey: Set<[String]>] = [:]
    ) throws -> Change {
        try Capture(info.schema, nextStamp()).change(from: base, to: ours, in: state, decided: decided)
    }

    /// Makes the change between what the store was given and what it has.
    ///
    /// - Parameter isShort: Whether records that are new everywhere are noted as the store has them.
    /// - Returns: The change; nil where there is none. With it the records that were noted.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        admitting isShort: Bool
    ) throws -> (SyncedChange?, noted: Set<RecordKey>) {
        let isShort = isShort && state.takesShortcuts
        var noted: Set<RecordKey> = []
        let summary = try append(try change(from: base, to: ours)) { change in
            var others: [ChangedRecord] = []
            for changed in change.records {
                if isShort, let version = changed.version, version.origins == [Origin(change.stamp.dot)],
                    let object = ours.objects[changed.key], try state.held(changed.key) == nil
                {
                    try state.admit(changed.key, RecordState(version), having: object)
                    noted.insert(changed.key)
                } else {
                    others.append(changed)
                }
            }
            try apply(Change(change.stamp, base: change.base, records: others))
        }
        return (summary, noted)
    }

    /// Makes the change of records that the store had from something else than what is known of them now: its author has
    /// seen no more than that.
    ///
    /// - Parameter given: What the store had them from; it is what the store has them from now, afterwards.
    func makeChange(
        from base: RecordSet,
        to ours: RecordSet,
        given: inout GivenStorage
    ) throws -> SyncedChange? {
        let name = try state.required("writer")
        if let writer = WriterID(name), try given.isBehind(writer, state) { try renew() }
        let stamp = try nextStamp()
        given.seen = VersionVector(given.heads.map(\.dot) + [Dot(stamp.dot.writer, stamp.dot.sequence - 1)])
        let change = try Capture(info.schema, stamp).change(from: base, to: ours, in: given)
        guard let summary = try append(change, given.heads) else { return nil }
        try given.apply(change)
        given.heads.removeAll { $0.dot.writer == stamp.dot.writer }
        given.heads += try state.heads().filter { $0.dot == stamp.dot }
        return summary
    }

    /// Takes a change into the state and keeps its segment.
    ///
    /// - Parameters:
    ///   - given: Heads that its author had seen, where they are not the latest.
    ///   - applying: Takes the change into the state, where that is not done record by record.
    private func append(
        _ change: Change,
        _ given: [WriterHead] = [],
        applying: ((Change) throws -> Void)? = nil
    ) throws -> SyncedChange? {
        guard !change.isEmpty else { return nil }
        let dot = change.stamp.dot
        let known = try state.heads() + given
        let heads = change.base.entries.map { dot in
            known.first { $0.dot == dot } ?? WriterHead(dot, hash: ReplicaState.unknownHash)
        }
        let header = SegmentHeader(
            space: replica.space,
            app: replica.store.app,
            writer: dot.writer,
            sequence: dot.sequence,
            previous: try previous(of: dot),
            heads: heads,
            clock: change.stamp.clock,
            device: replica.environment.device,
            program: replica.environment.program,
            schema: info.schemaVersion,
            minimumReader: 1,
            records: change.records.count,
            part: nil
        )
        let bytes = try Segment(header, change).encoded()
        let hash = ContentHash.of(bytes)
        let summary = try summary(of: change, header.device)
        if let applying { try applying(change) } else { try apply(change) }
        try state.setHead(dot, hash: hash)
        try state.setProperty("sequence", String(dot.sequence))
        try state.advance(change.stamp.clock)
        let segment = KnownSegment(
            writer: dot.writer,
            sequence: dot.sequence,
            hash: hash,
            previous: header.previous,
            branch: dot.writer,
            state: .applied,
            isOwn: true,
            isPublished: false,
            clock: change.stamp.clock,
            device: header.device,
            heads: heads,
            minimumReader: 1,
            size: bytes.count
        )
        try state.insert(segment, bytes: bytes)
        try state.note(header.device, writer: dot.writer, clock: change.stamp.clock, heads: heads)
        return summary
    }

    private func apply(_ change: Change) throws {
        state.isOwnChange = true
        defer { state.isOwnChange = false }
        var storage = state
        try storage.apply(change)
    }

    private func previous(of dot: Dot) throws -> String? {
        try state.segments(
            "WHERE writer = ? AND sequence = ? AND is_own",
            [dot.writer.description, dot.sequence - 1]
        ).first?.hash
    }

    /// What a change does, with the names of its records; called before it is taken in.
    func summary(of change: Change, _ device: SyncDevice) throws -> SyncedChange {
        let records = try change.records.prefix(Self.mostNamed).map { changed in
            let rules = info.schema.record(in: changed.key.collection)
            let old = try state.record(changed.key)
            let shown = (changed.version.map { RecordState($0) } ?? old)
                .map { ShownRecord(changed.key, $0, rules).object }
            let name = RecordName(
                collection: changed.key.collection,
                key: changed.key.key,
                title: ReplicaApp.title(changed.key, shown)
            )
            let action = Self.action(changed, change.stamp.dot)
            guard action == .changed, let version = changed.version else {
                return SyncedChange.Touched(name: name, action: action, members: [])
            }
            let written = version.cells.filter { cell in
                cell.writes.contains { $0.stamp.dot == change.stamp.dot }
            }
            let members = Set(written.map(\.path.field)).filter { !$0.isEmpty }.sorted()
            return SyncedChange.Touched(name: name, action: action, members: members)
        }
        return SyncedChange(
            device: device,
            dot: change.stamp.dot,
            milliseconds: change.stamp.clock.milliseconds,
            records: Array(records),
            counts: Self.counts(change)
        )
    }

    private static func counts(_ change: Change) -> [SyncedChange.Count] {
        var counts: [String: [SyncedChange.Action: Int]] = [:]
        for record in change.records {
            counts[record.key.collection, default: [:]][action(record, change.stamp.dot), default: 0] += 1
        }
        return counts.sorted { $0.key < $1.key }.flatMap { collection, actions in
            SyncedChange.Action.allCases.compactMap { action in
                actions[action].map { SyncedChange.Count(collection: collection, action: action, count: $0) }
            }
        }
    }

    private static func action(_ record: ChangedRecord, _ dot: Dot) -> SyncedChange.Action {
        guard let version = record.version else { return .deleted }
        return version.origins.contains { $0.dot == dot } ? .added : .changed
    }

    /// Records of a change that are named in reports.
    private static let mostNamed = 200
}
