/// The storage of a state's records: memory, or a database that reads and writes single records.
///
/// Applying a change reads and writes only its records, so that the cost grows with the change.
public protocol RecordStorage {
    /// The changes that the state has seen.
    var seen: VersionVector { get set }

    /// Returns the record of a key; nil where there is none.
    ///
    /// - Throws: An error of the storage's own, when it cannot read the record.
    func record(_ key: RecordKey) throws -> RecordState?

    /// Sets a record, or removes it for nil.
    ///
    /// - Throws: An error of the storage's own, when it cannot write the record.
    mutating func setRecord(_ key: RecordKey, _ record: RecordState?) throws
}

/// The error for a change that builds on a missing one.
public struct MissingChange: Error, Sendable, Hashable {
    /// The first missing change.
    public let missing: Dot
    /// The change that cannot be applied yet.
    public let waiting: Dot

    /// Makes an error of two changes.
    public init(missing: Dot, waiting: Dot) {
        self.missing = missing
        self.waiting = waiting
    }
}

extension Change {
    /// Returns the first missing change, by writer, that this one builds on; nil where none is missing.
    ///
    /// The base includes the writer's own change before this one.
    public func missing(in seen: VersionVector) -> Dot? {
        guard let entry = base.entries.first(where: { !seen.covers($0) }) else { return nil }
        return Dot(entry.writer, seen[entry.writer] + 1)
    }
}

extension RecordStorage {
    /// Applies a change; a known change has no effect.
    ///
    /// - Returns: The keys of the changed records; none for a known change.
    /// - Throws: ``MissingChange`` where the change builds on a missing one; the errors of the storage.
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

    /// Applies one record of a change, which counts as seen only after all its records.
    ///
    /// - Parameter context: The changes that the change's author had seen, with the change itself.
    package mutating func apply(_ changed: ChangedRecord, context: VersionVector) throws {
        let ours = RecordView(versions: try record(changed.key)?.versions ?? [], seen: seen)
        let theirs = RecordView(versions: changed.version.map { [$0] } ?? [], seen: context)
        try setRecord(changed.key, RecordState(RecordView.join(ours, theirs)))
    }
}
