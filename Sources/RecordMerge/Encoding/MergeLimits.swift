/// The limits of a reader of states and changes.
///
/// They limit memory: a reader holds one line at a time.
public struct MergeLimits: Sendable {
    /// The most bytes of a line of a state: a record with all its concurrent versions.
    public var mostLineBytes = 6 << 20
    /// The most bytes of a line of a change: a record with one version.
    public var mostChangeBytes = 2 << 20
    /// The most words of a line: a value is one word, a container two, a member's name one.
    public var mostWords = 250_000
    /// The most records.
    public var mostRecords = 50_000_000
    /// The most writers of a vector.
    public var mostWriters = 2_000
    /// The most values of a record, at all its field paths.
    public var mostCells = 1_000_000
    /// The most earlier texts of a text.
    public var mostEarlierTexts = 16
    /// The greatest number of a change.
    public var largestSequence = 1 << 53

    /// Makes the limits that programs use.
    public init() {}

    /// The limits for a device's own state, in which a record may be larger than in any file.
    public static let own: MergeLimits = {
        var limits = MergeLimits()
        limits.mostLineBytes = 1 << 30
        limits.mostWords = .max
        limits.mostWriters = 1_000_000
        return limits
    }()
}

/// An error in the bytes of a state or a change.
public struct MergeDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// The fault: what the reader found and what it expected.
    public let message: String

    /// The error as one line.
    public var description: String { "line \(line): \(message)" }
}
