package import RecordMerge
package import RecordStore

/// A change that an author had seen, with the hash of its segment, which distinguishes forks.
package struct WriterHead: Sendable, Hashable, Comparable {
    /// The change.
    package let dot: Dot
    /// The hash of its segment; only its first 8 digits where an early version of this program wrote them.
    package let hash: String

    /// Makes a head of a change and the hash of its segment.
    package init(_ dot: Dot, hash: String) {
        self.dot = dot
        self.hash = hash
    }

    /// Returns whether the head means the segment with that hash.
    package func names(_ hash: String) -> Bool {
        self.hash == hash || self.hash.utf8.count == ContentHash.shortLength && hash.hasPrefix(self.hash)
    }

    /// Returns whether one head comes before another, by writer, then by number.
    package static func < (left: WriterHead, right: WriterHead) -> Bool { left.dot < right.dot }
}

/// The part of a change that was cut into several segments.
package struct SegmentPart: Sendable, Hashable {
    /// The number of the part, from 1.
    package let number: Int
    /// The number of parts.
    package let count: Int

    /// Makes a part.
    package init(_ number: Int, of count: Int) {
        self.number = number
        self.count = count
    }
}

/// The header of a segment, which precedes its change.
package struct SegmentHeader: Sendable, Hashable {
    /// The version of the format that this program writes, and the newest that it reads.
    package static let version = 1

    /// The space.
    package var space: String
    /// The app of the records.
    package var app: AppID
    /// The writer of the change.
    package var writer: WriterID
    /// The number of the change.
    package var sequence: Int
    /// The hash of the writer's previous segment; nil for the first.
    package var previous: String?
    /// The changes that the author had seen, ordered by writer, with the writer's own previous one.
    package var heads: [WriterHead]
    /// The time of the change.
    package var clock: HybridClock
    /// The device of the change.
    package var device: SyncDevice
    /// The program of the change, with its version.
    package var program: String
    /// The version of the app's format that the records follow.
    package var schema: Int
    /// The version that a reader must support.
    package var minimumReader: Int
    /// The number of changed records; for a checkpoint, the number of its records.
    package var records: Int
    /// The part, for a change that was cut into several segments.
    package var part: SegmentPart?

    /// Makes a header.
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

    /// The change of the header.
    package var dot: Dot { Dot(writer, sequence) }
    /// The changes that the author had seen.
    package var base: VersionVector { VersionVector(heads.map(\.dot)) }
}

/// The place where two continuations of a writer part, with the new name of one of them.
package struct ForkMark: Sendable, Hashable, Comparable {
    /// The writer with two continuations.
    package let writer: WriterID
    /// The number of the first change that exists twice.
    package let sequence: Int
    /// The hash of this continuation's first segment.
    package let hash: String
    /// The name of this continuation.
    package let branch: WriterID

    /// Makes a fork.
    package init(writer: WriterID, sequence: Int, hash: String, branch: WriterID) {
        self.writer = writer
        self.sequence = sequence
        self.hash = hash
        self.branch = branch
    }

    /// True if the branch has the name that all devices give it.
    var isNamedRight: Bool {
        [hash, String(hash.prefix(ContentHash.shortLength))].contains { mark in
            WriterFork(writer, from: sequence, mark: mark)?.branch == branch && branch != writer
        }
    }

    /// Returns whether one fork comes before another, by writer, number, hash and branch.
    package static func < (left: ForkMark, right: ForkMark) -> Bool {
        (left.writer.description, left.sequence, left.hash, left.branch.description)
            < (right.writer.description, right.sequence, right.hash, right.branch.description)
    }
}

/// The header of a checkpoint, which precedes its state.
package struct CheckpointHeader: Sendable, Hashable {
    /// The header of a segment; its `heads` are all changes in the state, with those of the writer itself.
    package var segment: SegmentHeader
    /// The known forks, ordered.
    package var forks: [ForkMark]

    /// Makes a header.
    package init(_ segment: SegmentHeader, forks: [ForkMark]) {
        self.segment = segment
        self.forks = forks.sorted()
    }
}
