package import SystemPackage

/// What the system refused: what was tried, at which path, and why.
package struct FileError: Error, Hashable, Sendable {
    /// What was tried.
    package enum Step: Sendable {
        case open, read, list, look
        /// What was read cannot be the file.
        case content
        case create, write, force, rename, remove, lock
        case makeFolder, forceFolder

        /// Whether nothing was to be changed.
        package var isReading: Bool {
            switch self {
            case .open, .read, .list, .look, .content: true
            case .create, .write, .force, .rename, .remove, .lock, .makeFolder, .forceFolder: false
            }
        }

        /// Whether it is the folder at the path that was meant.
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
    /// What is wrong where it is not for the system to say.
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

    /// Whether what it is about is not there, or no longer.
    package var isGone: Bool { errno == .noSuchFileOrDirectory || errno == .staleNFSFileHandle }
}

extension Errno {
    /// The system's words, beginning in lower case as they follow a colon.
    package var reason: String {
        let text = description
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
