internal import RecordMerge
internal import SQLiteDatabase
internal import StrictJSON

/// Finds the value of a field path before concurrent changes.
struct EarlierValues {
    private let state: ReplicaState
    private var reader: RecordReader
    /// The number of changes that may still be read.
    private var budget = 2_000

    /// - Parameter keys: The records that it is asked for.
    init(_ replica: Replica, _ state: ReplicaState, of keys: [RecordKey]) {
        self.state = state
        reader = RecordReader(replica, state, of: keys)
    }

    /// Returns the only value in the changes that the authors of all values in conflict had seen; nil where there were
    /// several, or where it is unknown by now.
    mutating func value(of conflict: Conflict) throws -> Write? {
        guard conflict.kind == .value, let record = try state.record(conflict.key) else { return nil }
        let versions = record.versions.filter { version in
            version.cells.contains { $0.path.names == conflict.path }
        }
        let cells = versions.flatMap(\.cells).filter { $0.path.names == conflict.path }
        let dots = Set(cells.flatMap(\.writes).map(\.stamp.dot))
        if versions.count > 1, let found = try value(of: conflict, before: versions),
            found.allSatisfy({ !dots.contains($0.stamp.dot) })
        {
            return found.count == 1 ? found[0] : nil
        }
        // An author who decided something else had seen all values, and carries them on.
        guard dots.count > 1 else { return nil }
        let written = try dots.sorted().compactMap { try version(of: conflict.key, by: $0) }
        guard written.count == dots.count, let found = try value(of: conflict, before: written), found.count == 1,
            !dots.contains(found[0].stamp.dot)
        else { return nil }
        return found[0]
    }

    /// Returns the values of a field path in what the authors of all versions had seen; nil where they are unknown.
    private mutating func value(of conflict: Conflict, before versions: [RecordVersion]) throws -> [Write]? {
        guard let first = versions.first else { return nil }
        var seen = first.seen.entries
        for version in versions.dropFirst() {
            seen = seen.compactMap { dot in
                let sequence = min(dot.sequence, version.seen[dot.writer])
                return sequence > 0 ? Dot(dot.writer, sequence) : nil
            }
        }
        let segments = try seen.compactMap { try segment(of: $0) }
        // A change without a file might have been the last.
        guard segments.count == seen.count, let last = segments.max(by: { $0.clock < $1.clock }),
            let version = try reader.records(of: last)?.records[conflict.key]?.version
        else { return nil }
        var latest = [version]
        for dot in seen where dot != last.dot && !version.hasSeen(dot) {
            guard let other = try self.version(of: conflict.key, by: dot) else { return nil }
            latest.append(other)
        }
        let cells = latest.map { version in version.cells.first { $0.path.names == conflict.path } }
        // A value counts unless another author had seen it and has it no more.
        var writes: [Write] = []
        for write in cells.flatMap({ $0?.writes ?? [] }) where !writes.contains(where: { $0.stamp == write.stamp }) {
            let isStanding = zip(latest, cells).allSatisfy { version, cell in
                !version.hasSeen(write.stamp.dot) || cell?.writes.contains { $0.stamp == write.stamp } == true
            }
            if isStanding { writes.append(write) }
        }
        return writes.isEmpty ? [Write(Stamp(last.dot, last.clock), nil)] : writes
    }

    /// Returns a record as a change left it; nil where that has no file any more, or deleted the record.
    private mutating func version(of key: RecordKey, by dot: Dot) throws -> RecordVersion? {
        try segment(of: dot).flatMap { try reader.records(of: $0)?.records[key]?.version }
    }

    /// Returns a change by its number.
    private func segment(of dot: Dot) throws -> KnownSegment? {
        try state.segments("WHERE branch = ? AND sequence = ?", [dot.writer.description, dot.sequence]).first
    }

    /// Returns what one device changed and another deleted: each member's earlier value, if known, and its resolved
    /// one.
    mutating func changes(of conflict: Conflict, _ schema: MergeSchema) throws -> [SyncedChange.MemberChange] {
        guard conflict.kind == .deletedRecord || conflict.kind == .removedElement,
            let record = try state.record(conflict.key)
        else { return [] }
        // The deletion did not know the last write of a version's author.
        let dots = Set(record.versions.map(\.stamp.dot))
        let written = record.versions.flatMap(\.cells).filter { cell in
            Array(cell.path.names.prefix(conflict.path.count)) == conflict.path
                && cell.writes.contains { dots.contains($0.stamp.dot) }
        }
        let rules = schema.record(in: conflict.key.collection)
        let now = ResolvedRecord(conflict.key, record, rules).object
        let before = try version(of: conflict.key, before: record.versions)
            .map { ResolvedRecord(conflict.key, RecordState($0), rules).object }
        // A conflict in a list shows one element alone.
        func part(_ value: JSONValue?) -> JSONValue? {
            guard conflict.kind == .removedElement, let elements = value?.array else { return value }
            return .array(elements.filter { ($0["id"] ?? $0).string == conflict.path.last })
        }
        return Set(written.map(\.path.field)).filter { !$0.isEmpty }.sorted().compactMap { name in
            let (old, new) = (part(before?[name]), part(now[name]))
            // A fact is written again with what it follows from.
            if before != nil, old == new { return nil }
            return SyncedChange.MemberChange(name: name, old: old, new: new, isOldKnown: before != nil)
        }
    }

    /// Returns the last version of a record that the authors of some had seen; nil where it is unknown by now.
    private mutating func version(of key: RecordKey, before versions: [RecordVersion]) throws -> RecordVersion? {
        let dots = Set(versions.map(\.stamp.dot))
        for segment in try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC") {
            guard !dots.contains(segment.dot), versions.allSatisfy({ $0.hasSeen(segment.dot) }) else { continue }
            guard budget > 0 else { return nil }
            budget -= 1
            guard let found = try reader.records(of: segment)?.records[key] else { continue }
            return found.version
        }
        return nil
    }
}

/// Reads some records of applied changes, each change once.
struct RecordReader {
    private let coder: SegmentCoder
    private let keys: Set<RecordKey>
    private var sources: SegmentSources
    private var known: [String: (header: SegmentHeader, records: [RecordKey: ChangedRecord])?] = [:]

    init(_ replica: Replica, _ state: ReplicaState, of keys: [RecordKey]) {
        coder = replica.directory.coder
        self.keys = Set(keys)
        let listing = try? replica.directory.listing()
        sources = SegmentSources(replica, state, listing ?? DirectoryListing())
    }

    /// Returns the header of a change, and those of the records that it has; nil where its bytes are gone.
    mutating func records(
        of segment: KnownSegment
    ) throws -> (header: SegmentHeader, records: [RecordKey: ChangedRecord])? {
        if let found = known[segment.hash] { return found }
        let found = try sources.bytes(of: segment).flatMap { try? coder.records(keys, in: $0) }
        known[segment.hash] = .some(found)
        return found
    }
}
