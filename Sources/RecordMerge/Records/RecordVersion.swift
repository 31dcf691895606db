public import StrictJSON

/// A value of a field path, with the change that wrote it.
public struct Write: Sendable, Hashable {
    /// The change that wrote it.
    public let stamp: Stamp
    /// The value; nil where the member was removed.
    public let value: JSONValue?
    /// The earlier texts of a text or the earlier numbers of a contribution, the latest first.
    ///
    /// Concurrent texts merge by words. Contributions of a writer that continued twice are added up.
    public let history: [Earlier]

    /// An earlier text of a field path, or an earlier number.
    public struct Earlier: Sendable, Hashable {
        /// The change that wrote it.
        public let dot: Dot
        /// The text, or the number in digits.
        public let text: String

        /// Makes an earlier text, or a number in digits.
        public init(_ dot: Dot, _ text: String) {
            self.dot = dot
            self.text = text
        }
    }

    /// Makes a value with the change that wrote it.
    public init(_ stamp: Stamp, _ value: JSONValue?, history: [Earlier] = []) {
        self.stamp = stamp
        self.value = value
        self.history = history
    }
}

/// A field path and its values: several where concurrent values are undecided.
public struct Cell: Sendable, Hashable {
    /// The field path.
    public let path: CellPath
    /// The values, ordered by stamp; at least one.
    public let writes: [Write]

    /// Makes a field path with its values.
    public init(_ path: CellPath, _ writes: [Write]) {
        self.path = path
        self.writes = writes
    }
}

/// The change that created a record, and whether somebody deleted the record later without having seen this version.
public struct Origin: Sendable, Hashable, Comparable {
    /// The change that created the record.
    public let dot: Dot
    /// True if somebody deleted the record without having seen this version.
    public var isDeleted: Bool

    /// Makes an origin.
    public init(_ dot: Dot, isDeleted: Bool = false) {
        self.dot = dot
        self.isDeleted = isDeleted
    }

    /// Returns whether an origin comes before another, by its dot.
    public static func < (left: Origin, right: Origin) -> Bool { left.dot < right.dot }
}

/// A whole record as one change left it.
///
/// Each change of a record makes a complete version: what the change wrote, and what it left, with the stamps of its
/// writers. So a record survives whole when somebody else deletes it.
public struct RecordVersion: Sendable, Hashable {
    /// The change that made the version.
    public let stamp: Stamp
    /// The changes of this record that its author had seen, without the version's own.
    public let seen: VersionVector
    /// The changes that created the record, ordered; at least one.
    public var origins: [Origin]
    /// The field paths with their values, ordered by path.
    public let cells: [Cell]

    /// Makes a version.
    public init(_ stamp: Stamp, seen: VersionVector, origins: [Origin], cells: [Cell]) {
        self.stamp = stamp
        self.seen = seen
        self.origins = origins
        self.cells = cells
    }

    /// Returns whether the version's author had seen a change of this record; each writer has seen its own.
    package func hasSeen(_ dot: Dot) -> Bool {
        dot.writer == stamp.dot.writer ? dot.sequence <= stamp.dot.sequence : seen.covers(dot)
    }

    /// The number of field paths that the change itself wrote.
    public var changeCount: Int {
        cells.count { cell in cell.writes.contains { $0.stamp.dot == stamp.dot } }
    }
}
