/// All that a replica knows: the changes that it has seen, and the records that are left of them.
///
/// Nothing is kept of what was deleted: a version that has been seen and is not there is deleted. Two replicas that have
/// seen the same changes are equal, whatever the order in which they saw them.
public struct MergeState: Sendable, Hashable, RecordStorage {
    /// The changes that have been seen.
    public var seen = VersionVector()
    /// The records.
    public private(set) var records: [RecordKey: RecordState] = [:]

    /// A state that has seen nothing.
    public init() {}

    /// The record of that key; nil where there is none.
    public func record(_ key: RecordKey) -> RecordState? { records[key] }

    /// Puts a record, or removes it where it is nil.
    public mutating func setRecord(_ key: RecordKey, _ record: RecordState?) { records[key] = record }

    /// The keys of all records, in order.
    public var keys: [RecordKey] { inOrder(Array(records.keys), \.self) }

    /// Takes in all that another replica knows, as a checkpoint has it.
    ///
    /// Commutative, associative and idempotent.
    public mutating func join(_ other: MergeState) {
        for key in Set(records.keys).union(other.records.keys) {
            records[key] = RecordState.join(records[key], seen: seen, other.records[key], seen: other.seen)
        }
        seen.formUnion(other.seen)
    }
}
