package import RecordMerge
package import RecordStore

/// A change that an author had seen, with the hash of its segment, which tells forks apart.
package struct WriterHead: Sendable, Hashable, Comparable {
    /// The change.
    package let dot: Dot
    /// The hash of its segment; only its first 8 digits where an early version of this program wrote them.
    package let hash: String

    /// A change and the hash of its segment.
    package init(_ dot: Dot, hash: String) {
        self.dot = dot
        self.hash = hash
    }

    /// Whether it is the change whose segment has that hash.
    package func names(_ hash: String) -> Bool {
        self.hash == hash || self.hash.utf8.count == ContentHash.shortLength && hash.hasPrefix(self.hash)
    }

    /// Whether one comes before another, by writer, then by number.
    package static func < (left: WriterHead, right: WriterHead) -> Bool { left.dot < right.dot }
}

/// Which of the segments it is that one capture was cut into.
package struct SegmentPart: Sendable, Hashable {
    /// From 1.
    package let number: Int
    /// How many there are.
    package let count: Int

    /// A part.
    package init(_ number: Int, of count: Int) {
        self.number = number
        self.count = count
    }
}

/// What a segment says of itself before its change.
package struct SegmentHeader: Sendable, Hashable {
    /// The version of the format that this program writes, and the newest that it reads.
    package static let version = 1

    /// The space.
    package var space: String
    /// The app whose records they are.
    package var app: AppID
    /// Who made the change.
    package var writer: WriterID
    /// Its number.
    package var sequence: Int
    /// The hash of the writer's segment before; nil for the first.
    package var previous: String?
    /// What the author had seen, ordered by writer, the writer's own change before included.
    package var heads: [WriterHead]
    /// When it was made.
    package var clock: HybridClock
    /// On which device.
    package var device: SyncDevice
    /// By which program, with its version.
    package var program: String
    /// The version of the app's format that the records follow.
    package var schema: Int
    /// The version that a reader has to know.
    package var minimumReader: Int
    /// The number of records that are touched; of a checkpoint, that it holds.
    package var records: Int
    /// Where one capture was cut into several segments: which of them it is.
    package var part: SegmentPart?

    /// A header.
    package init(
        space: String,
        app: AppID,
        writer: WriterID,
        sequence: Int,
        previous: String?,
        heads: [WriterHead],
        clock: HybridClock,
        device: SyncDevice,
        program: String,
        schema: Int,
        minimumReader: Int = SegmentHeader.version,
        records: Int,
        part: SegmentPart? = nil
    ) {
        self.space = space
        self.app = app
        self.writer = writer
        self.sequence = sequence
        self.previous = previous
        self.heads = heads.sorted()
        self.clock = clock
        self.device = device
        self.program = program
        self.schema = schema
        self.minimumReader = minimumReader
        self.records = records
        self.part = part
    }

    /// The change that it heads.
    package var dot: Dot { Dot(writer, sequence) }
    /// What the author had seen.
    package var base: VersionVector { VersionVector(heads.map(\.dot)) }
}

/// Where two continuations of a writer part, and how one of them is called from there on.
package struct ForkMark: Sendable, Hashable, Comparable {
    /// The writer of whom there are two.
    package let writer: WriterID
    /// The number of the first change that there are two of.
    package let sequence: Int
    /// The hash of this continuation's first segment.
    package let hash: String
    /// How this continuation is called.
    package let branch: WriterID

    /// A fork.
    package init(writer: WriterID, sequence: Int, hash: String, branch: WriterID) {
        self.writer = writer
        self.sequence = sequence
        self.hash = hash
        self.branch = branch
    }

    /// Whether the branch has the name that all give it who know of the fork.
    var isNamedRight: Bool {
        [hash, String(hash.prefix(ContentHash.shortLength))].contains { mark in
            WriterFork(writer, from: sequence, mark: mark)?.branch == branch && branch != writer
        }
    }

    /// Whether one comes before another, by writer, number, hash and branch.
    package static func < (left: ForkMark, right: ForkMark) -> Bool {
        (left.writer.description, left.sequence, left.hash, left.branch.description)
            < (right.writer.description, right.sequence, right.hash, right.branch.description)
    }
}

/// What a checkpoint says of itself before its state.
package struct CheckpointHeader: Sendable, Hashable {
    /// What segments say as well; `heads` are all changes that are in the state, those of its writer included.
    package var segment: SegmentHeader
    /// The forks that are known, ordered.
    package var forks: [ForkMark]

    /// A header.
    package init(_ segment: SegmentHeader, forks: [ForkMark]) {
        self.segment = segment
        self.forks = forks.sorted()
    }
}
