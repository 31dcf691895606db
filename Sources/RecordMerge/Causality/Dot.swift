/// The name of one change: a writer and the number of its change, from 1.
///
/// All that a device captures in one synchronisation is one change, however many records it touches: a place in the
/// data has at most one value of each dot.
public struct Dot: Sendable, Hashable, Comparable {
    /// Who made the change.
    public let writer: WriterID
    /// Its number among the writer's changes, from 1.
    public let sequence: Int

    /// A change's name.
    public init(_ writer: WriterID, _ sequence: Int) {
        self.writer = writer
        self.sequence = sequence
    }

    /// Whether both are one change.
    public static func == (left: Dot, right: Dot) -> Bool {
        left.sequence == right.sequence && left.writer == right.writer
    }

    /// Whether a dot comes before another, by writer, then by number.
    public static func < (left: Dot, right: Dot) -> Bool {
        left.writer == right.writer ? left.sequence < right.sequence : left.writer < right.writer
    }
}

/// A dot with its clock: what is needed to choose between concurrent values.
///
/// Stamps are ordered by clock, then writer, then number; the greatest is shown.
public struct Stamp: Sendable, Hashable, Comparable {
    /// The change.
    public let dot: Dot
    /// When it was made.
    public let clock: HybridClock

    /// A change and its clock.
    public init(_ dot: Dot, _ clock: HybridClock) {
        self.dot = dot
        self.clock = clock
    }

    /// Whether both are one change.
    public static func == (left: Stamp, right: Stamp) -> Bool { left.clock == right.clock && left.dot == right.dot }

    /// Whether a stamp loses against another.
    public static func < (left: Stamp, right: Stamp) -> Bool {
        left.clock == right.clock ? left.dot < right.dot : left.clock < right.clock
    }
}
