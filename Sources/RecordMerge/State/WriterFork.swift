/// A writer with two continuations, which happens when a device was copied or restored.
///
/// Sync keeps both continuations. From the number where they part, each gets a name of its own. All devices that know
/// of the fork give the same names. A device that applied a continuation under the old name renames it.
public struct WriterFork: Sendable, Hashable {
    /// The writer.
    public let writer: WriterID
    /// The number of the first change that differs.
    public let sequence: Int
    /// The name of one continuation from that number on.
    public let branch: WriterID

    /// Makes one continuation of a writer.
    ///
    /// Its name begins with that of the first writer, also where the writer is a continuation itself: devices learn of forks
    /// in any order, and all give the same names.
    ///
    /// - Parameter mark: A text that distinguishes the continuation, such as the hash of its first change.
    /// - Returns: Nil where the mark gives no valid name.
    public init?(_ writer: WriterID, from sequence: Int, mark: String) {
        // The name must be valid, however long the writer's name is.
        let end = ".\(sequence)-\(mark)"
        let root = writer.description.prefix { $0 != "." }.prefix(max(0, min(24, 64 - end.utf8.count)))
        guard end.utf8.count < 64, let branch = WriterID(root + end) else { return nil }
        self.writer = writer
        self.sequence = sequence
        self.branch = branch
    }

    /// Makes a continuation of a known name, as in a checkpoint.
    public init(_ writer: WriterID, from sequence: Int, as branch: WriterID) {
        self.writer = writer
        self.sequence = sequence
        self.branch = branch
    }

    /// Returns the number of a continuation's first change; nil for a writer that is none.
    public static func number(of writer: WriterID) -> Int? {
        let parts = writer.description.split(separator: ".")
        return parts.count > 1 ? parts.last?.split(separator: "-").first.flatMap { Int($0) } : nil
    }

    /// Makes the continuation of a writer that has this name.
    ///
    /// - Returns: Nil where the name is none of a continuation of the writer, or of a continuation with a lower number.
    public init?(_ writer: WriterID, named branch: WriterID) {
        let parts = branch.description.split(separator: ".")
        guard parts.count == 2, let number = Self.number(of: branch), Self.number(of: writer) ?? 0 < number,
            let mark = Self.mark(of: branch), Self(writer, from: number, mark: mark)?.branch == branch
        else { return nil }
        self.init(writer, from: number, as: branch)
    }

    /// Returns the text that distinguishes a continuation; nil for a writer that is none.
    public static func mark(of writer: WriterID) -> String? {
        let name = writer.description
        guard let dot = name.lastIndex(of: "."), let start = name[dot...].firstIndex(of: "-") else { return nil }
        return String(name[name.index(after: start)...])
    }

    /// Returns a change under the name of its continuation; any other change unchanged.
    public func renamed(_ dot: Dot) -> Dot {
        dot.writer == writer && dot.sequence >= sequence ? Dot(branch, dot.sequence) : dot
    }

    /// Returns a stamp with the name of its continuation.
    public func renamed(_ stamp: Stamp) -> Stamp { Stamp(renamed(stamp.dot), stamp.clock) }

    /// Returns a vector with the continuation under its own name, and of the writer only the changes before the fork.
    public func renamed(_ vector: VersionVector) -> VersionVector {
        guard vector[writer] >= sequence else { return vector }
        return VersionVector(
            vector.entries.flatMap { $0.writer == writer ? [Dot(writer, sequence - 1), renamed($0)] : [$0] }
        )
    }

    /// Returns a record with the continuation under its own name.
    public func renamed(_ record: RecordState) -> RecordState {
        RecordState(record.versions.map(renamed)) ?? record
    }

    /// Returns a version with all names of the continuation replaced.
    public func renamed(_ version: RecordVersion) -> RecordVersion {
        var seen = renamed(version.seen)
        // A renamed continuation has seen the changes before the fork.
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
    /// Renames the continuation that this state has seen.
    public mutating func rename(_ fork: WriterFork) {
        guard seen[fork.writer] >= fork.sequence else { return }
        seen = fork.renamed(seen)
        for (key, record) in records { setRecord(key, fork.renamed(record)) }
    }
}

extension Change {
    /// Returns the change with its own name and all names that its author had seen replaced.
    public func renamed(_ fork: WriterFork) -> Change {
        Change(
            fork.renamed(stamp),
            base: fork.renamed(base),
            records: records.map { ChangedRecord($0.key, $0.version.map(fork.renamed)) }
        )
    }
}
