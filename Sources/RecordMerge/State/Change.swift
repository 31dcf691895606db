/// The changes of a device between two syncs, which a segment carries.
///
/// It holds each changed record as it is now, or says that it was deleted. A state can apply it after everything that
/// its author had seen, and after the writer's change before it.
public struct Change: Sendable, Hashable {
    /// Its name and clock.
    public let stamp: Stamp
    /// The changes that its author had seen, with all earlier ones of the writer.
    public let base: VersionVector
    /// The changed records, ordered by key, each once.
    public let records: [ChangedRecord]

    /// Makes a change.
    ///
    /// - Parameter records: The records in any order; of several with one key the last one counts.
    public init(_ stamp: Stamp, base: VersionVector, records: [ChangedRecord]) {
        self.stamp = stamp
        self.base = base
        let sorted = inOrder(records, \.key)
        let isRepeated = zip(sorted, sorted.dropFirst()).map { $0.key == $1.key }
        self.records =
            isRepeated.contains(true)
            ? zip(sorted, isRepeated + [false]).filter { !$1 }.map(\.0) : sorted
    }

    /// True if the change has no records.
    public var isEmpty: Bool { records.isEmpty }

    /// The number of written field paths; a deletion counts as one.
    public var changeCount: Int { records.reduce(0) { $0 + ($1.version?.changeCount ?? 1) } }

    /// The changes that the author had seen, with this one.
    package var context: VersionVector {
        var context = base
        context.insert(stamp.dot)
        return context
    }
}

/// A record of a change.
public struct ChangedRecord: Sendable, Hashable {
    /// The record's key.
    public let key: RecordKey
    /// The whole record as it is now; nil for a deleted one.
    public let version: RecordVersion?

    /// Makes a record of a change.
    public init(_ key: RecordKey, _ version: RecordVersion?) {
        self.key = key
        self.version = version
    }
}
