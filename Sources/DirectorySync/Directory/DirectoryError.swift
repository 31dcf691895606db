internal import FileSystem
internal import SystemPackage

/// The error of reading or changing the shared directory.
public struct DirectoryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error; new codes may follow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no such folder.
        public static let absent = Code("directory.absent")
        /// The folder has no marker of a space; perhaps it is not mounted.
        public static let empty = Code("directory.empty")
        /// The folder is that of another space.
        public static let otherSpace = Code("directory.other-space")
        /// The space was merged into another one.
        public static let adopted = Code("directory.adopted")
        /// The folder is a space already.
        public static let exists = Code("directory.exists")
        /// The folder, or a file of it, is encrypted with a key that this device does not have.
        public static let noKey = Code("directory.no-key")
        /// A file was encrypted with an old key, and was not known when that key was replaced.
        public static let closed = Code("directory.closed")
        /// The folder should be encrypted and is not, as somebody replaced its marker.
        public static let notEncrypted = Code("directory.not-encrypted")
        /// A newer version of the program made the space.
        public static let newer = Code("directory.newer")
        /// A file does not, or not yet, match its name.
        public static let incomplete = Code("directory.incomplete")
        /// A cloud drive has the name of a file here, but not its content.
        public static let notDownloaded = Code("directory.not-downloaded")
        /// A listed file is gone.
        public static let gone = Code("directory.gone")
        /// A file matches its name, but breaks the rules of its format.
        public static let corrupt = Code("directory.corrupt")
        /// A file is larger than the limit.
        public static let limit = Code("directory.limit")
        /// The folder accepts no changes.
        public static let readOnly = Code("directory.read-only")
        /// There is no room for another file.
        public static let noSpace = Code("directory.no-space")
        /// Reading or writing failed.
        public static let inputOutput = Code("directory.io")
        /// The caller asked for a name that the layout does not allow.
        public static let usage = Code("directory.usage")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what failed, where and what to do, without a final full stop.
    public let message: String
    /// The path of the file or folder.
    public let path: String
    /// The system's error number, where a call failed.
    public let errno: Int32?
    /// The spaces that the error is about: those of the markers, or the one to join.
    public let spaces: [String]

    /// Makes an error.
    package init(_ code: Code, _ message: String, path: String, errno: Int32? = nil, spaces: [String] = []) {
        self.code = code
        self.message = message
        self.path = path
        self.errno = errno
        self.spaces = spaces
    }

    /// Code, message and path in one line.
    public var description: String { "\(path): error[\(code)]: \(message)" }
}

extension DirectoryError {
    /// True if the listed path is not a folder.
    var isNoFolder: Bool { errno == Errno.notDirectory.rawValue }

    /// Makes an error of a failed call.
    init(_ error: FileError) {
        let what = error.step.isOfFolder ? "the folder" : "the file"
        let (code, message) =
            error.step.isReading
            ? Self.reading(what, error.errno, error.reason) : Self.writing(what, error.errno, error.reason)
        self.init(code, message, path: error.path, errno: error.errno.rawValue)
    }

    /// Returns code and message for a failed read.
    private static func reading(_ what: String, _ errno: Errno, _ reason: String) -> (Code, String) {
        switch errno {
        case .noSuchFileOrDirectory, .staleNFSFileHandle:
            (.gone, "\(what) is there no more (\(reason)); it is looked for again next time")
        case _ where offline.contains(errno):
            (.notDownloaded, "\(what) is not on this device (\(reason)); let the cloud drive fetch it and try again")
        case .permissionDenied, .notPermitted:
            (.inputOutput, "\(what) may not be read by this user (\(reason)); correct its permissions")
        default:
            (.inputOutput, "\(what) cannot be read (\(reason)); look at the disk, or at what shares the folder")
        }
    }

    /// Returns code and message for a failed write, of which nothing is left.
    private static func writing(_ what: String, _ errno: Errno, _ reason: String) -> (Code, String) {
        switch errno {
        case .readOnlyFileSystem, .permissionDenied, .notPermitted:
            (.readOnly, "\(what) cannot be written, as the folder takes no changes (\(reason))")
        case .noSpace, .diskQuotaExceeded:
            (.noSpace, "\(what) cannot be written, as there is no room for it (\(reason)); make some and try again")
        case .noSuchFileOrDirectory, .staleNFSFileHandle, .notDirectory:
            (.gone, "\(what) cannot be written, as its folder went away (\(reason)); see whether it is mounted")
        default:
            (.inputOutput, "\(what) cannot be written (\(reason)); look at the disk, or at what shares the folder")
        }
    }

    /// The error numbers of drives whose server cannot be reached.
    private static let offline: Set<Errno> = {
        var numbers: Set<Errno> = [
            .timedOut, .deadlock, .networkDown, .networkUnreachable, .noRouteToHost, .hostIsDown,
        ]
        #if os(Linux)
            // EREMOTEIO, for which swift-system has no name.
            numbers.insert(Errno(rawValue: 121))
        #endif
        return numbers
    }()
}
