/// Why a synchronisation, or another operation on a replica, did not happen; nothing was changed.
public struct SyncError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code as messages and JSON have it.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The shared folder is not there, or is not the one that it should be.
        public static let folder = Code("sync.folder")
        /// The shared folder holds several spaces.
        public static let severalSpaces = Code("sync.several-spaces")
        /// There is no replica of that store.
        public static let notJoined = Code("sync.not-joined")
        /// The store belongs to another replica.
        public static let otherReplica = Code("sync.other-replica")
        /// Another process works with the replica, or the app with the store.
        public static let busy = Code("sync.busy")
        /// So much is gone, or the store is an older one, that a person has to decide.
        public static let massChange = Code("sync.mass-change")
        /// The replica's own file is damaged or of another program.
        public static let state = Code("sync.state")
        /// The replica's own file was written by a newer program.
        public static let newerVersion = Code("sync.newer-version")
        /// The shared folder takes nothing.
        public static let unpublished = Code("sync.unpublished")
        /// There is no such record, conflict, device or value.
        public static let notFound = Code("sync.not-found")
        /// What the folder still holds does not reach back so far.
        public static let history = Code("sync.history")
        /// A document cannot be taken as a device's edits.
        public static let document = Code("sync.document")
        /// A declaration of an app cannot take the place of the one in use.
        public static let declaration = Code("sync.declaration")
        /// Reading or writing failed.
        public static let inputOutput = Code("sync.io")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What failed and what to do, without a final full stop.
    public let message: String
    /// The file or folder.
    public let path: String
    /// The number of records to accept as changed or deleted; nil where that is not for a person to accept.
    public var massChange: Int?

    /// An error.
    public init(_ code: Code, _ message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// Path, code and message in one line.
    public var description: String { "\(path): error[\(code)]: \(message)" }
}
