#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// By what it is seen, without reading it, that a file is what it was.
package struct FileStamp: Hashable, Sendable, CustomStringConvertible {
    package let size: Int
    /// Nanoseconds since 1970.
    package let modified: Int
    package let changed: Int
    package let inode: Int

    /// Nil where there is no ordinary file.
    package init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        #if canImport(Darwin)
            modified = Self.nanoseconds(status.st_mtimespec)
            changed = Self.nanoseconds(status.st_ctimespec)
        #else
            modified = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        #endif
        inode = Int(truncatingIfNeeded: status.st_ino)
    }

    package init(size: Int, modified: Int, changed: Int, inode: Int) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
    }

    /// Whether a file that is written once more may have the very same stamp: clocks of file systems tick up to two
    /// seconds apart.
    ///
    /// - Parameter now: The time before the file was read, in nanoseconds since 1970.
    package func isFresh(at now: Int) -> Bool { max(modified, changed) > now - 3_000_000_000 }

    /// The present moment by the system's clock, in nanoseconds since 1970.
    package static var now: Int {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        return nanoseconds(clock)
    }

    /// The stamp of a database in which no change lies beside its file; nil where the next may not be seen from the stamp.
    ///
    /// - Parameter now: The present moment, in nanoseconds since 1970; nil for that of the system's clock, from which file
    ///   systems have theirs.
    package init?(settledDatabase path: String, now: Int? = nil) {
        guard let stamp = FileStamp(path), !stamp.isFresh(at: now ?? Self.now),
            ["-wal", "-journal"].allSatisfy({ suffix in
                var status = stat()
                return stat(path + suffix, &status) != 0 ? errno == ENOENT : status.st_size == 0
            })
        else { return nil }
        self = stamp
    }

    /// The numbers as one text.
    package var description: String { "\(size) \(modified) \(changed) \(inode)" }

    private static func nanoseconds(_ time: timespec) -> Int {
        let (seconds, overflow) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? 0 : seconds &+ Int(time.tv_nsec)
    }
}
