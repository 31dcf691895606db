internal import FileSystem

/// A path with its links followed; a part that does not exist yet lies in the deepest folder that does.
package struct ResolvedPath: Sendable {
    /// The path from the root on; as it was given where the working folder was removed.
    package let text: String
    private let identity: FileIdentity?

    /// Follows a path.
    package init(_ path: String) {
        identity = (try? FileStatus(path))?.identity
        var folder = path
        var missing = ""
        while true {
            if let real = Files.resolve(folder) {
                text = missing.isEmpty ? real : (real == "/" ? "" : real) + missing
                return
            }
            if let end = folder.lastIndex(where: { $0 != "/" }) { folder = String(folder[...end]) }
            let above = Files.folder(of: folder)
            // Nothing is above a working folder that was removed.
            guard above != folder else { break }
            missing = "/\(folder.split(separator: "/").last ?? "")\(missing)"
            folder = above
        }
        text = path
    }

    /// Tells whether both are the same file or folder, by whatever name, or would be.
    package func isSame(as other: ResolvedPath) -> Bool {
        text == other.text || (identity != nil && identity == other.identity)
    }

    /// Tells whether this is the folder or lies somewhere in it.
    package func isWithin(_ folder: ResolvedPath) -> Bool {
        isSame(as: folder) || text.hasPrefix(folder.text + "/")
    }
}
