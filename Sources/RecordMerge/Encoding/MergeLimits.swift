/// What a reader of states and changes accepts at most.
public struct MergeLimits: Sendable {
    /// Bytes of a line.
    public var mostLineBytes = 64 << 20
    /// Records.
    public var mostRecords = 50_000_000
    /// Writers of a vector.
    public var mostWriters = 100_000
    /// Places of a record, and values at them.
    public var mostCells = 1_000_000
    /// Earlier texts that are kept with a text.
    public var mostEarlierTexts = 16
    /// The number of a change.
    public var largestSequence = 1 << 53

    /// The limits that programs use.
    public init() {}
}

/// Bytes that are no state or no change.
public struct MergeDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// What was found and what was expected.
    public let message: String

    /// The error as one line.
    public var description: String { "line \(line): \(message)" }
}
