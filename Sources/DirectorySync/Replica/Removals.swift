internal import RecordMerge
internal import SQLiteDatabase

/// Finds who removed what others changed concurrently.
struct Removals {
    private let state: ReplicaState
    private let keys: [RecordKey]
    private var reader: RecordReader
    /// The deletions of contested records, by record; nil before the first use.
    private var deletions: [RecordKey: [(side: RecordConflict.Side, base: VersionVector)]]?

    /// - Parameter keys: The records that it is asked for.
    init(_ replica: Replica, _ state: ReplicaState, of keys: [RecordKey]) {
        self.state = state
        self.keys = keys
        reader = RecordReader(replica, state, of: keys)
    }

    /// Returns who removed and who changed; none for a conflict of another kind.
    mutating func sides(of conflict: Conflict) throws -> [RecordConflict.Side] {
        guard let record = try state.record(conflict.key) else { return [] }
        switch conflict.kind {
        case .deletedRecord: return try sides(of: conflict.key, record)
        case .removedElement: return try sides(of: conflict.path, in: record)
        default: return []
        }
    }

    private mutating func sides(of key: RecordKey, _ record: RecordState) throws -> [RecordConflict.Side] {
        let contested = record.versions.filter { $0.origins.contains(where: \.isDeleted) }
        var sides = try contested.map { try side($0.stamp, isRemoval: false) }
        for deletion in try deletions(of: key) {
            // A deletion shows in a version that it did not know, of an origin that it knew.
            let isOne = contested.contains { version in
                !deletion.base.covers(version.stamp.dot)
                    && version.origins.contains { $0.isDeleted && deletion.base.covers($0.dot) }
            }
            if isOne { sides.append(deletion.side) }
        }
        return sides
    }

    /// Finds the deletions of contested records.
    ///
    /// Only the change itself tells who deleted, while the folder has it.
    private mutating func deletions(
        of key: RecordKey
    ) throws -> [(side: RecordConflict.Side, base: VersionVector)] {
        if let deletions { return deletions[key] ?? [] }
        var wanted: Set<RecordKey> = []
        // The changes that each author of a contested version had seen.
        var bases: [VersionVector] = []
        for key in keys {
            guard let record = try state.record(key), record.isContested else { continue }
            wanted.insert(key)
            for version in record.versions { bases.append(try base(of: version.stamp.dot)) }
        }
        var found: [RecordKey: [(side: RecordConflict.Side, base: VersionVector)]] = [:]
        for segment in try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC") {
            // All of them had seen most of the past.
            guard !bases.allSatisfy({ $0.covers(segment.dot) }), let change = try reader.records(of: segment) else {
                continue
            }
            for record in change.records.values where record.version == nil && wanted.contains(record.key) {
                let stamp = Stamp(segment.dot, segment.clock)
                found[record.key, default: []].append((try side(stamp, isRemoval: true), change.header.base))
            }
        }
        deletions = found
        return found[key] ?? []
    }

    /// Returns the changes that the author of a change had seen; none where that is unknown.
    private mutating func base(of dot: Dot) throws -> VersionVector {
        let arguments: StatementArguments = [dot.writer.description, dot.sequence]
        let segment = try state.segments("WHERE branch = ? AND sequence = ?", arguments).first
        return try segment.flatMap { try reader.records(of: $0)?.header.base } ?? VersionVector()
    }

    private func sides(of path: [String], in record: RecordState) throws -> [RecordConflict.Side] {
        func cells(_ version: RecordVersion) -> [Cell] {
            version.cells.filter { Array($0.path.names.prefix(path.count)) == path }
        }
        let writes = Set(record.versions.flatMap { cells($0).flatMap { $0.writes.map(\.stamp) } })
        let removers = record.versions.filter { version in
            cells(version).isEmpty && writes.contains { version.hasSeen($0.dot) }
        }
        let unseen = writes.filter { stamp in !removers.allSatisfy { $0.hasSeen(stamp.dot) } }
        return try unseen.sorted().map { try side($0, isRemoval: false) }
            + removers.map { try side($0.stamp, isRemoval: true) }
    }

    private func side(_ stamp: Stamp, isRemoval: Bool) throws -> RecordConflict.Side {
        RecordConflict.Side(
            device: try state.device(of: stamp.dot),
            milliseconds: stamp.clock.milliseconds,
            isRemoval: isRemoval
        )
    }
}
