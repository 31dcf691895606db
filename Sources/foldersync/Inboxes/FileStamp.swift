#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// By what it is seen, without reading it, that a file is what it was.
struct FileStamp: Hashable {
    let size: Int
    /// Nanoseconds since 1970.
    let modified: Int
    let changed: Int
    let inode: Int

    /// Nil where there is no ordinary file.
    init?(_ path: String) {
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

    init(size: Int, modified: Int, changed: Int, inode: Int) {
        self.size = size
        self.modified = modified
        self.changed = changed
        self.inode = inode
    }

    /// Whether a file that is written once more may have the very same stamp: clocks of file systems tick up to two
    /// seconds apart.
    ///
    /// - Parameter now: The time before the file was read, in nanoseconds since 1970.
    func isFresh(at now: Int) -> Bool { max(modified, changed) > now - 3_000_000_000 }

    private static func nanoseconds(_ time: timespec) -> Int {
        let (seconds, overflow) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? 0 : seconds &+ Int(time.tv_nsec)
    }
}
