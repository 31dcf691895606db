/// A writer whose history was continued twice, as happens where a device was copied or set back.
///
/// Both continuations are kept. From the number on at which they part, each gets a name of its own: all who know of the
/// fork give the same names, and who applied one continuation under the old name renames it.
public struct WriterFork: Sendable, Hashable {
    /// The writer.
    public let writer: WriterID
    /// The number of the first change that differs.
    public let sequence: Int
    /// The name of one continuation from that number on.
    public let branch: WriterID

    /// One continuation of a writer.
    ///
    /// - Parameter mark: What distinguishes the continuation, such as the hash of its first change.
    /// - Returns: nil where the mark makes no name.
    public init?(_ writer: WriterID, from sequence: Int, mark: String) {
        // The name has to be one whatever the length of the writer's.
        let end = ".\(sequence)-\(mark)"
        let root = writer.description.prefix(max(0, min(24, 64 - end.utf8.count)))
        guard end.utf8.count < 64, let branch = WriterID(root + end) else { return nil }
        self.writer = writer
        self.sequence = sequence
        self.branch = branch
    }

    /// A continuation whose name is known, as a checkpoint has it.
    public init(_ writer: WriterID, from sequence: Int, as branch: WriterID) {
        self.writer = writer
        self.sequence = sequence
        self.branch = branch
    }

    /// A change under the name of its continuation; any other as it is.
    public func renamed(_ dot: Dot) -> Dot {
        dot.writer == writer && dot.sequence >= sequence ? Dot(branch, dot.sequence) : dot
    }

    /// A stamp with the name of its continuation.
    public func renamed(_ stamp: Stamp) -> Stamp { Stamp(renamed(stamp.dot), stamp.clock) }

    /// What has been seen, with the continuation under its own name, and of the writer what came before the fork.
    public func renamed(_ vector: VersionVector) -> VersionVector {
        guard vector[writer] >= sequence else { return vector }
        return VersionVector(
            vector.entries.flatMap { $0.writer == writer ? [Dot(writer, sequence - 1), renamed($0)] : [$0] }
        )
    }

    /// A record as it is once the continuation has its own name.
    public func renamed(_ record: RecordState) -> RecordState {
        RecordState(record.versions.map(renamed)) ?? record
    }

    /// A version with all names of the continuation replaced.
    public func renamed(_ version: RecordVersion) -> RecordVersion {
        var seen = renamed(version.seen)
        // Under its own name a continuation has seen what came before the fork.
        if renamed(version.stamp) != version.stamp { seen.insert(Dot(writer, sequence - 1)) }
        return RecordVersion(
            renamed(version.stamp),
            seen: seen,
            origins: version.origins.map { Origin(renamed($0.dot), isDeleted: $0.isDeleted) }.sorted(),
            cells: version.cells.map { cell in
                let writes = cell.writes.map { write in
                    let history = write.history.map { Write.Earlier(renamed($0.dot), $0.text) }
                    return Write(renamed(write.stamp), write.value, history: history)
                }
                return Cell(cell.path, writes.sorted { $0.stamp < $1.stamp })
            }
        )
    }
}

extension MergeState {
    /// Gives the continuation that this state has seen its own name.
    public mutating func rename(_ fork: WriterFork) {
        guard seen[fork.writer] >= fork.sequence else { return }
        seen = fork.renamed(seen)
        for (key, record) in records { setRecord(key, fork.renamed(record)) }
    }
}

extension Change {
    /// The change with its own and all other names of the continuation replaced that its author had seen.
    public func renamed(_ fork: WriterFork) -> Change {
        Change(
            fork.renamed(stamp),
            base: fork.renamed(base),
            records: records.map { ChangedRecord($0.key, $0.version.map(fork.renamed)) }
        )
    }
}
