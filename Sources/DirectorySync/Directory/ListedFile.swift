package import RecordMerge

/// A file of the shared directory, as its name describes it.
package struct ListedFile: Sendable, Hashable {
    /// The kind of a file.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// One change.
        case segment = "seg"
        /// Segments of one writer, one after the other.
        case pack
        /// A state.
        case checkpoint = "ck"
    }

    /// The kind of the file.
    package let kind: Kind
    /// The path in the shared directory, as it is spelled there.
    package let path: String
    /// The writer of the file.
    package let writer: WriterID
    /// The number of the change; for a pack its first, for a checkpoint the writer's last in it.
    package let sequence: Int
    /// The last number in a pack; else equal to `sequence`.
    package let last: Int
    /// The first 32 digits of the SHA-256 of the content.
    package let hash: String
    /// True for a file that a transport renamed because another file had its name; its content is unknown.
    package let isConflictCopy: Bool
    /// The size in bytes; nil if the caller did not ask for it.
    package var size: Int?

    /// Makes a listed file.
    package init(
        _ kind: Kind,
        path: String? = nil,
        writer: WriterID,
        sequence: Int,
        last: Int? = nil,
        hash: String,
        isConflictCopy: Bool = false,
        size: Int? = nil
    ) {
        self.kind = kind
        self.writer = writer
        self.sequence = sequence
        self.last = last ?? sequence
        self.hash = hash
        self.isConflictCopy = isConflictCopy
        self.size = size
        self.path =
            path ?? FileName.path(kind, writer: writer, sequence: sequence, last: last ?? sequence, hash: hash)
    }

    /// Returns the same file with another path.
    func lying(at path: String) -> ListedFile {
        ListedFile(kind, path: path, writer: writer, sequence: sequence, last: last, hash: hash)
    }

    /// The proper path of this content.
    package var properPath: String {
        FileName.path(kind, writer: writer, sequence: sequence, last: last, hash: hash)
    }
}

/// The content of the shared directory, by the names alone.
package struct DirectoryListing: Sendable, Hashable {
    /// The segments, ordered by writer, number and hash, each once; so are the others.
    package var segments: [ListedFile] = []
    /// The packs.
    package var packs: [ListedFile] = []
    /// The checkpoints.
    package var checkpoints: [ListedFile] = []
    /// Conflict copies: writer, number and hash are those in the name, and may differ from the content.
    package var doubtful: [ListedFile] = []
    /// The placeholders of files that cloud drives did not fetch.
    package var placeholders: [String] = []
    /// The devices' marks of the changes that they have.
    var marks: [SeenMark] = []
    /// The marks of devices that others have retired.
    var retirements: [RetirementMark] = []
    /// The number of ignored names, which are not part of the layout.
    package var ignored = 0
    /// The spaces that have a marker.
    package var spaces = Spaces()
    /// The errors of writers' folders that cannot be read; their files are not listed.
    package var problems: [DirectoryError] = []

    /// Makes an empty listing.
    package init() {}
}
