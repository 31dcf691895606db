public import StrictJSON

/// A value at a place, with the change that wrote it.
public struct Write: Sendable, Hashable {
    /// The change that wrote it.
    public let stamp: Stamp
    /// The value; nil where the member was removed.
    public let value: JSONValue?
    /// For a text: what stood there before, the latest first, so that concurrent texts can be merged by words.
    public let history: [Earlier]

    /// A text that stood at a place before.
    public struct Earlier: Sendable, Hashable {
        /// The change that wrote it.
        public let dot: Dot
        /// The text.
        public let text: String

        /// An earlier text.
        public init(_ dot: Dot, _ text: String) {
            self.dot = dot
            self.text = text
        }
    }

    /// A value and who wrote it.
    public init(_ stamp: Stamp, _ value: JSONValue?, history: [Earlier] = []) {
        self.stamp = stamp
        self.value = value
        self.history = history
    }
}

/// A place and the values that stand there: several, where concurrent ones have not been decided between.
public struct Cell: Sendable, Hashable {
    /// The place.
    public let path: CellPath
    /// The values, ordered by stamp; at least one.
    public let writes: [Write]

    /// A place with its values.
    public init(_ path: CellPath, _ writes: [Write]) {
        self.path = path
        self.writes = writes
    }
}

/// The change that made a record, and whether somebody has deleted the record since without knowing of this version.
public struct Origin: Sendable, Hashable, Comparable {
    /// The change that made the record.
    public let dot: Dot
    /// Whether a deletion is known that did not see this version.
    public var isDeleted: Bool

    /// An origin.
    public init(_ dot: Dot, isDeleted: Bool = false) {
        self.dot = dot
        self.isDeleted = isDeleted
    }

    /// Whether an origin comes before another, by its dot.
    public static func < (left: Origin, right: Origin) -> Bool { left.dot < right.dot }
}

/// A whole record as one change left it.
///
/// Each change of a record makes a version of it that has everything: what the change wrote, and what it left as it
/// was, with the stamps of those who wrote that. So a record survives whole where somebody else deletes it.
public struct RecordVersion: Sendable, Hashable {
    /// The change that made the version.
    public let stamp: Stamp
    /// The changes of this record that its author had seen, without the version's own.
    public let seen: VersionVector
    /// What made the record, ordered; at least one.
    public var origins: [Origin]
    /// The places with their values, ordered by path.
    public let cells: [Cell]

    /// A version.
    public init(_ stamp: Stamp, seen: VersionVector, origins: [Origin], cells: [Cell]) {
        self.stamp = stamp
        self.seen = seen
        self.origins = origins
        self.cells = cells
    }

    /// Whether the author of the version had seen a change of this record; each writer has seen all of its own.
    package func hasSeen(_ dot: Dot) -> Bool {
        dot.writer == stamp.dot.writer ? dot.sequence <= stamp.dot.sequence : seen.covers(dot)
    }

    /// The number of places that the change itself wrote.
    public var changeCount: Int {
        cells.count { cell in cell.writes.contains { $0.stamp.dot == stamp.dot } }
    }
}
