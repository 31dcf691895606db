package import SystemPackage

/// What the system refused: what was tried, at which path, and why.
package struct FileError: Error, Hashable, Sendable {
    /// What was tried.
    package enum Step: Sendable {
        case open, read, list, look
        case create, write, force, rename, remove, lock
        case makeFolder, forceFolder

        /// Whether nothing was to be changed.
        package var isReading: Bool {
            switch self {
            case .open, .read, .list, .look: true
            case .create, .write, .force, .rename, .remove, .lock, .makeFolder, .forceFolder: false
            }
        }

        /// Whether it is the folder at the path that was meant.
        package var isOfFolder: Bool {
            switch self {
            case .list, .makeFolder, .forceFolder: true
            case .open, .read, .look, .create, .write, .force, .rename, .remove, .lock: false
            }
        }
    }

    package let step: Step
    package let path: String
    package let errno: Errno

    package init(_ step: Step, _ path: String, _ errno: Errno) {
        self.step = step
        self.path = path
        self.errno = errno
    }

    /// The system's words, beginning in lower case as they follow a colon.
    package var reason: String { errno.reason }

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
