package import RecordMerge

/// A file of the shared directory, as its name tells it.
package struct ListedFile: Sendable, Hashable {
    /// What a file holds.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// One change.
        case segment = "seg"
        /// Segments of one writer, one behind the other.
        case pack
        /// A state.
        case checkpoint = "ck"
    }

    /// What it holds.
    package let kind: Kind
    /// Where it lies in the shared directory, as it is called there.
    package let path: String
    /// Whose it is.
    package let writer: WriterID
    /// The number of the change; of a pack its first, of a checkpoint the last of the writer's that is in it.
    package let sequence: Int
    /// The last number in a pack; else the same as `sequence`.
    package let last: Int
    /// The first 32 digits of the SHA-256 of what it has to hold.
    package let hash: String
    /// True for a file that a transport renamed because another file had its name; its content is not known.
    package let isConflictCopy: Bool
    /// The bytes that it has; nil where they were not asked for.
    package var size: Int?

    /// A file.
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

    /// The same content at another place.
    func lying(at path: String) -> ListedFile {
        ListedFile(kind, path: path, writer: writer, sequence: sequence, last: last, hash: hash)
    }

    /// Where a file of these contents belongs.
    package var properPath: String {
        FileName.path(kind, writer: writer, sequence: sequence, last: last, hash: hash)
    }
}

/// What is in the shared directory, by the names alone.
package struct DirectoryListing: Sendable, Hashable {
    /// The segments, ordered by writer, number and hash, each once; so are the others.
    package var segments: [ListedFile] = []
    /// The packs.
    package var packs: [ListedFile] = []
    /// The checkpoints.
    package var checkpoints: [ListedFile] = []
    /// Conflict copies: writer, number and hash are those in the name, and need not be those of the content.
    package var doubtful: [ListedFile] = []
    /// What cloud drives put where a file is that they did not fetch.
    package var placeholders: [String] = []
    /// What devices say they have taken in.
    var marks: [SeenMark] = []
    /// How many names were passed over, as they are nothing of the layout.
    package var ignored = 0
    /// The spaces that have a marker.
    package var spaces = Spaces()
    /// Folders of writers that cannot be read; what is in them is not listed.
    package var problems: [DirectoryError] = []

    /// A listing of nothing.
    package init() {}
}
