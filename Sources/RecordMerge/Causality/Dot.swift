/// The name of one change: a writer and the number of its change, from 1.
///
/// One sync makes one change of all that the app changed, however many records that is. So a field path has at most one
/// value of each dot.
public struct Dot: Sendable, Hashable, Comparable {
    /// The writer that made the change.
    public let writer: WriterID
    /// Its number among the writer's changes, from 1.
    public let sequence: Int

    /// Makes a change's name.
    public init(_ writer: WriterID, _ sequence: Int) {
        self.writer = writer
        self.sequence = sequence
    }

    /// Returns whether both are one change.
    public static func == (left: Dot, right: Dot) -> Bool {
        left.sequence == right.sequence && left.writer == right.writer
    }

    /// Returns whether a dot comes before another, by writer, then by number.
    public static func < (left: Dot, right: Dot) -> Bool {
        left.writer == right.writer ? left.sequence < right.sequence : left.writer < right.writer
    }
}

/// A dot with its clock, which decides between concurrent values.
///
/// Stamps are ordered by clock, then writer, then number. The value with the greatest stamp is the resolved value.
public struct Stamp: Sendable, Hashable, Comparable {
    /// The change.
    public let dot: Dot
    /// The time of the change.
    public let clock: HybridClock

    /// Makes a change's name with its clock.
    public init(_ dot: Dot, _ clock: HybridClock) {
        self.dot = dot
        self.clock = clock
    }

    /// Returns whether both are one change.
    public static func == (left: Stamp, right: Stamp) -> Bool { left.clock == right.clock && left.dot == right.dot }

    /// Returns whether a stamp loses against another.
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.clock == right.clock ? left.dot < right.dot : left.clock < right.clock
    }
}
