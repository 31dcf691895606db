/// Where the records of a state lie: in memory, or in a database that is read and written by the record.
///
/// A join reads and writes only the records that a change touches, so that its cost grows with the change.
public protocol RecordStorage {
    /// The changes that have been seen.
    var seen: VersionVector { get set }

    /// The record of that key; nil where there is none.
    ///
    /// - Throws: An error of the storage's own, when it cannot read the record.
    func record(_ key: RecordKey) throws -> RecordState?

    /// Puts a record, or removes it where it is nil.
    ///
    /// - Throws: An error of the storage's own, when it cannot write the record.
    mutating func setRecord(_ key: RecordKey, _ record: RecordState?) throws
}

/// Why a change cannot be applied yet.
public struct MissingChange: Error, Sendable, Hashable {
    /// The first change that has to come before.
    public let missing: Dot
    /// The change that waits.
    public let waiting: Dot

    /// A change that cannot be applied yet.
    public init(missing: Dot, waiting: Dot) {
        self.missing = missing
        self.waiting = waiting
    }
}

extension Change {
    /// What has to be applied before the change can be, where something is missing; the first by writer.
    ///
    /// The writer's own change before it is part of the base.
    public func missing(in seen: VersionVector) -> Dot? {
        guard let entry = base.entries.first(where: { !seen.covers($0) }) else { return nil }
        return Dot(entry.writer, seen[entry.writer] + 1)
    }
}

extension RecordStorage {
    /// Takes a change in; one that was taken in before changes nothing.
    ///
    /// - Returns: The keys of the records that it touches; none where it was known.
    /// - Throws: ``MissingChange`` where a change is missing that it builds on, and what the storage throws.
    @discardableResult
    public mutating func apply(_ change: Change) throws -> [RecordKey] {
        if seen.covers(change.stamp.dot) { return [] }
        if let missing = change.missing(in: seen) {
            throw MissingChange(missing: missing, waiting: change.stamp.dot)
        }
        let context = change.context
        for changed in change.records { try apply(changed, context: context) }
        seen.insert(change.stamp.dot)
        return change.records.map(\.key)
    }

    /// Takes in one record of a change, all of which has to be taken in before the change counts as seen.
    ///
    /// - Parameter context: What the change's author had seen, with the change itself.
    package mutating func apply(_ changed: ChangedRecord, context: VersionVector) throws {
        let ours = RecordView(versions: try record(changed.key)?.versions ?? [], seen: seen)
        let theirs = RecordView(versions: changed.version.map { [$0] } ?? [], seen: context)
        try setRecord(changed.key, RecordState(RecordView.join(ours, theirs)))
    }
}
