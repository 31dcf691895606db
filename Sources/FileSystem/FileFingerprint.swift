/// A file's size, times and inode, which tell without reading it whether it has changed.
package struct FileFingerprint: Hashable, Sendable, CustomStringConvertible {
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int
    package let changed: Int
    package let inode: Int

    /// Makes the fingerprint of the file at a path; nil if there is no ordinary file.
    package init?(_ path: String) {
        guard let status = try? FileStatus(path, followsLinks: false), status.kind == .file else { return nil }
        size = status.size
        modified = status.modified
        changed = status.changed
        inode = Int(truncatingIfNeeded: status.identity.inode)
    }

    package init(size: Int, modified: Int, changed: Int, inode: Int) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
    }

    /// Tells whether another write could leave the fingerprint unchanged.
    ///
    /// Clocks of file systems tick up to two seconds apart, so a recent fingerprint proves nothing.
    ///
    /// - Parameter now: The time before the file was read, in nanoseconds since 1970.
    package func isFresh(at now: Int) -> Bool { max(modified, changed) > now - 3_000_000_000 }

    /// The present moment by the system's clock, in nanoseconds since 1970.
    package static var now: Int { Platform.now }

    /// Makes the fingerprint of a database that has no changes in a file beside it.
    ///
    /// It is nil where a journal beside the file is not empty, or where the fingerprint may not show the next change.
    ///
    /// - Parameter now: The present moment, in nanoseconds since 1970; nil for that of the system's clock, from which file
    ///   systems have theirs.
    package init?(settledDatabase path: String, now: Int? = nil) {
        guard let stamp = FileFingerprint(path), !stamp.isFresh(at: now ?? Self.now),
            ["-wal", "-journal"].allSatisfy({ suffix in
                guard let status = try? FileStatus(path + suffix) else {
                    return (try? Files.exists(path + suffix)) == false
                }
                return status.size == 0
            })
        else { return nil }
        self = stamp
    }

    /// The numbers as one text.
    package var description: String { "\(size) \(modified) \(changed) \(inode)" }
}
