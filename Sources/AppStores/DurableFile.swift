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

    /// Copies the bytes of a file to a new one, which is not forced to the disk.
    static func copy(_ old: String, to new: String) throws(StoreError) {
        let source = open(old, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw failure("opened", old) }
        defer { close(source) }
        let target = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard target >= 0 else { throw failure("created", new, errno == ENOSPC ? .inputOutput : .cannotOpen) }
        defer { close(target) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(source, buffer.baseAddress, buffer.count)
            guard count >= 0 else { throw failure("read", old) }
            guard count > 0 else { return }
            var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            while !rest.isEmpty {
                let written = write(target, rest.baseAddress, rest.count)
                guard written > 0 else { throw failure("written", new) }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
            }
        }
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

    private static func failure(
        _ what: String,
        _ path: String,
        _ code: StoreError.Code = .inputOutput
    ) -> StoreError {
        StoreError(code, "\(path) cannot be \(what) (\(String(cString: strerror(errno))))", path: path)
    }
}
