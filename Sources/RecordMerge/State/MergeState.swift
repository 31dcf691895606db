/// The state of a replica: the changes that it has seen, and the records that they left.
///
/// A state keeps nothing of a deleted record: a version that it has seen and does not hold is deleted. Two replicas
/// that have seen the same changes are equal, in whatever order they saw them.
public struct MergeState: Sendable, Hashable, RecordStorage {
    /// The changes that the state has seen.
    public var seen = VersionVector()
    /// The records.
    public private(set) var records: [RecordKey: RecordState] = [:]

    /// Makes a state that has seen nothing.
    public init() {}

    /// Returns the record of a key; nil where there is none.
    public func record(_ key: RecordKey) -> RecordState? { records[key] }

    /// Sets a record, or removes it for nil.
    public mutating func setRecord(_ key: RecordKey, _ record: RecordState?) { records[key] = record }

    /// The keys of all records, in order.
    public var keys: [RecordKey] { inOrder(Array(records.keys), \.self) }

    /// Merges the state of another replica, such as a checkpoint.
    ///
    /// Commutative, associative and idempotent.
    public mutating func join(_ other: MergeState) {
        for key in Set(records.keys).union(other.records.keys) {
            records[key] = RecordState.join(records[key], seen: seen, other.records[key], seen: other.seen)
        }
        seen.formUnion(other.seen)
    }
}
