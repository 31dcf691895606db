internal import RecordMerge

/// The state from which sync last applied records that have changed since.
struct AppliedStorage: RecordStorage {
    private let state: ReplicaState
    /// The records as last applied; an inner nil for none.
    private(set) var records: [RecordKey: RecordState?] = [:]
    var seen = VersionVector()
    /// The changes of others seen at that time.
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

    /// Returns whether a writer made changes that the store lacks: it would seem to have seen them.
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
