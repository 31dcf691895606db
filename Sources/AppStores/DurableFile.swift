#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Files that are on the disk before they are what they are called.
enum DurableFile {
    /// Forces a file to the disk, gives it its name, and forces the folder to the disk.
    static func rename(_ old: String, to new: String) throws(StoreError) {
        try force(old, flags: O_RDONLY)
        guard renamed(old, new) == 0 else { throw failure("renamed to \(new)", old) }
        let folder = new.lastIndex(of: "/").map { String(new[...$0]) } ?? "."
        try force(folder, flags: O_RDONLY | O_DIRECTORY)
    }

    private static func renamed(_ old: String, _ new: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(old, new)
        #elseif canImport(Musl)
            Musl.rename(old, new)
        #else
            Darwin.rename(old, new)
        #endif
    }

    /// File systems that cannot force a folder to the disk say EINVAL.
    private static func force(_ path: String, flags: Int32) throws(StoreError) {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("opened", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure("forced to the disk", path) }
    }

    private static func failure(_ what: String, _ path: String) -> StoreError {
        StoreError(.inputOutput, "\(path) cannot be \(what) (\(String(cString: strerror(errno))))", path: path)
    }
}
