extension RecordState {
    /// The record's line of a state, without line feed.
    public func encodedLine(_ key: RecordKey) -> [UInt8] { LineWriter.line { $0.record(key, self) } }

    /// Reads a record's line of a state; ``LineDecoder`` reads many.
    ///
    /// - Throws: What is wrong with it. Any bytes may be given.
    public static func decoding(
        line: [UInt8],
        limits: MergeLimits = MergeLimits()
    ) throws(MergeDataError) -> (key: RecordKey, record: RecordState) {
        var decoder = LineDecoder(limits: limits)
        return try line.withUnsafeBufferPointer { bytes throws(MergeDataError) in
            try decoder.record(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension ChangedRecord {
    /// The record's line of a change, without line feed.
    public func encodedLine() -> [UInt8] { LineWriter.line { $0.record(self) } }

    /// Reads a record's line of a change; ``LineDecoder`` reads many.
    ///
    /// - Throws: What is wrong with it. Any bytes may be given.
    public init(decodingLine line: [UInt8], limits: MergeLimits = MergeLimits()) throws(MergeDataError) {
        var decoder = LineDecoder(limits: limits)
        self = try line.withUnsafeBufferPointer { bytes throws(MergeDataError) in
            try decoder.changedRecord(UnsafeRawBufferPointer(bytes))
        }
    }
}
