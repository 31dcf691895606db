internal import RecordMerge

/// The state as a store was given it, in records that are known otherwise by now.
struct GivenStorage: RecordStorage {
    private let state: ReplicaState
    /// What the store has records from; nil inside for nothing.
    private(set) var records: [RecordKey: RecordState?] = [:]
    var seen = VersionVector()
    /// What had been seen of others.
    var heads: [WriterHead]

    init(_ state: ReplicaState, heads: [WriterHead]) {
        self.state = state
        self.heads = heads
    }

    func record(_ key: RecordKey) throws -> RecordState? {
        if let given = records[key] { return given }
        return try state.record(key)
    }

    mutating func setRecord(_ key: RecordKey, _ record: RecordState?) { records.updateValue(record, forKey: key) }

    /// Whether a writer made changes of the records that the store was not given: it would seem to have seen them.
    func isBehind(_ writer: WriterID, _ state: ReplicaState) throws -> Bool {
        try records.contains { key, given in
            try Self.last(of: writer, in: state.record(key)) > Self.last(of: writer, in: given)
        }
    }

    private static func last(of writer: WriterID, in record: RecordState?) -> Int {
        let versions = record?.versions ?? []
        return versions.reduce(0) { last, version in
            let own = version.stamp.dot.writer == writer ? version.stamp.dot.sequence : 0
            return max(last, own, version.seen[writer])
        }
    }
}
