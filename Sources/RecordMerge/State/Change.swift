/// All that a device changed between two synchronisations: what a segment carries.
///
/// For each record that was changed it has the record as it is now, or says that it was deleted. It may be applied once
/// everything that its author had seen has been, and after the writer's change before it.
public struct Change: Sendable, Hashable {
    /// Its name and clock.
    public let stamp: Stamp
    /// What its author had seen, all of the writer's own changes before it included.
    public let base: VersionVector
    /// The records that it touches, ordered by key, each once.
    public let records: [ChangedRecord]

    /// A change.
    ///
    /// - Parameter records: In any order; of several for one key the last one counts.
    public init(_ stamp: Stamp, base: VersionVector, records: [ChangedRecord]) {
        self.stamp = stamp
        self.base = base
        let sorted = inOrder(records, \.key)
        let isRepeated = zip(sorted, sorted.dropFirst()).map { $0.key == $1.key }
        self.records =
            isRepeated.contains(true)
            ? zip(sorted, isRepeated + [false]).filter { !$1 }.map(\.0) : sorted
    }

    /// Whether it touches nothing.
    public var isEmpty: Bool { records.isEmpty }

    /// The number of places that it wrote; a deletion counts as one.
    public var changeCount: Int { records.reduce(0) { $0 + ($1.version?.changeCount ?? 1) } }

    /// What the author had seen, with the change itself.
    package var context: VersionVector {
        var context = base
        context.insert(stamp.dot)
        return context
    }
}

/// A record that a change touches.
public struct ChangedRecord: Sendable, Hashable {
    /// Which record.
    public let key: RecordKey
    /// The whole record as it is now; nil where it was deleted.
    public let version: RecordVersion?

    /// A record that a change touches.
    public init(_ key: RecordKey, _ version: RecordVersion?) {
        self.key = key
        self.version = version
    }
}
