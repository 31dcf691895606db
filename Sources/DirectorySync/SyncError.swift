/// The error of a sync, or of another operation on a replica, that changed nothing.
public struct SyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code as in messages and JSON.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The shared folder is missing, or is not the right one.
        public static let folder = Code("sync.folder")
        /// The shared folder holds several spaces.
        public static let severalSpaces = Code("sync.several-spaces")
        /// There is no replica of that store.
        public static let notJoined = Code("sync.not-joined")
        /// The store belongs to another replica.
        public static let otherReplica = Code("sync.other-replica")
        /// Another process works with the replica, or the app with the store.
        public static let busy = Code("sync.busy")
        /// The store lost many records, or is an older copy: a person must decide.
        public static let massChange = Code("sync.mass-change")
        /// The replica's own file is damaged or of another program.
        public static let state = Code("sync.state")
        /// A newer program wrote the replica's own file.
        public static let newerVersion = Code("sync.newer-version")
        /// The shared folder accepts no files.
        public static let unpublished = Code("sync.unpublished")
        /// There is no such record, conflict, device or value.
        public static let notFound = Code("sync.not-found")
        /// The folder's files do not reach back that far.
        public static let history = Code("sync.history")
        /// A document cannot be read as a device's edits.
        public static let document = Code("sync.document")
        /// A declaration cannot replace the present one.
        public static let declaration = Code("sync.declaration")
        /// Reading or writing failed.
        public static let inputOutput = Code("sync.io")
    }

    /// The kind of the failure.
    public let code: Code
    /// A message that says what failed and what to do, without a final full stop.
    public let message: String
    /// The file or folder.
    public let path: String
    /// The number of records to accept as changed or deleted; nil where a person cannot accept it.
    public var massChange: Int?
    /// The time at which the history in the folder begins, in milliseconds since 1970, for `sync.history`.
    public var historyStart: Int?

    /// Makes an error.
    public init(_ code: Code, _ message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// Path, code and message in one line.
    public var description: String { "\(path): error[\(code)]: \(message)" }
}
