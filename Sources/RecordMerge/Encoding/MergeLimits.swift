/// What a reader of states and changes accepts at most.
///
/// The limits are limits of memory: a line is read at once, and a state or a change line by line.
public struct MergeLimits: Sendable {
    /// Bytes of a line of a state: a record with all its concurrent versions.
    public var mostLineBytes = 6 << 20
    /// Bytes of a line of a change: a record with one version.
    public var mostChangeBytes = 2 << 20
    /// Words of a line that a reader takes apart: a value is one word, a container two, a member's name one.
    public var mostWords = 250_000
    /// Records.
    public var mostRecords = 50_000_000
    /// Writers of a vector.
    public var mostWriters = 2_000
    /// Places of a record, and values at them.
    public var mostCells = 1_000_000
    /// Earlier texts that are kept with a text.
    public var mostEarlierTexts = 16
    /// The number of a change.
    public var largestSequence = 1 << 53

    /// The limits that programs use.
    public init() {}

    /// The limits for what a device keeps itself: a record may be larger by then than any file may hold it.
    public static let own: MergeLimits = {
        var limits = MergeLimits()
        limits.mostLineBytes = 1 << 30
        limits.mostWords = .max
        limits.mostWriters = 1_000_000
        return limits
    }()
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
