package import SystemPackage

/// An error of the file system: the step that failed, the path, and the reason.
package struct FileError: Error, Hashable, Sendable {
    /// The operation that failed.
    package enum Step: Sendable {
        case open, read, list, look
        /// The content that was read cannot be the file's.
        case content
        case create, write, force, rename, remove, lock
        case makeFolder, forceFolder

        /// True if the step only reads, so nothing was to be changed.
        package var isReading: Bool {
            switch self {
            case .open, .read, .list, .look, .content: true
            case .create, .write, .force, .rename, .remove, .lock, .makeFolder, .forceFolder: false
            }
        }

        /// True if the step works on a folder, so the path is a folder's.
        package var isOfFolder: Bool {
            switch self {
            case .list, .makeFolder, .forceFolder: true
            case .open, .read, .look, .content, .create, .write, .force, .rename, .remove, .lock: false
            }
        }
    }

    package let step: Step
    package let path: String
    package let errno: Errno
    /// The reason, where the program refuses something that the system accepts.
    private var unusable: String?

    package init(_ step: Step, _ path: String, _ errno: Errno) {
        self.step = step
        self.path = path
        self.errno = errno
    }

    /// Makes an error about something that the system would take and a program does not.
    package init(_ step: Step, _ path: String, unusable reason: String) {
        self.init(step, path, .invalidArgument)
        unusable = reason
    }

    /// The reason, beginning in lower case as it follows a colon.
    package var reason: String { unusable ?? errno.reason }

    /// True if the file no longer exists, or never did.
    package var isGone: Bool { errno == .noSuchFileOrDirectory || errno == .staleNFSFileHandle }
}

extension Errno {
    /// The system's words, beginning in lower case as they follow a colon.
    package var reason: String {
        let text = description
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
