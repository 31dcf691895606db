#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What is asked of the system about folders and names.
enum FolderCalls {
    /// How often something is tried that signals interrupt.
    private static let mostInterruptions = 1000

    /// Calls again what a signal interrupted.
    static func retrying<Result: BinaryInteger>(_ call: () -> Result) -> Result {
        for _ in 0..<mostInterruptions {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
        return call()
    }

    /// The names in a folder, without `.` and `..`, in no order; those that are no UTF-8 are counted only.
    static func names(in path: String) throws(DirectoryError) -> (names: [String], unreadable: Int) {
        guard let stream = opendir(path) else { throw DirectoryError.reading("the folder", path, errno) }
        defer { closedir(stream) }
        var names: [String] = []
        var unreadable = 0
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
            }
            guard let name else {
                unreadable += 1
                continue
            }
            if name != ".", name != ".." { names.append(name) }
        }
        // A listing that breaks off must not look like one of fewer files.
        guard errno == 0 else { throw DirectoryError.reading("the folder", path, errno) }
        return (names, unreadable)
    }

    /// Whether there is anything of that name, a link that leads nowhere included.
    static func exists(_ path: String) throws(DirectoryError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw DirectoryError.reading("the file", path, errno) }
        return false
    }

    /// Whether there is a folder of that name itself, and no link to one.
    static func isFolder(_ path: String) throws(DirectoryError) -> Bool {
        var status = stat()
        if lstat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
        guard errno == ENOENT || errno == ENOTDIR else { throw DirectoryError.reading("the folder", path, errno) }
        return false
    }

    /// The size of a file; nil where there is none.
    static func size(of path: String) throws(DirectoryError) -> Int? {
        var status = stat()
        if stat(path, &status) == 0 { return Int(status.st_size) }
        guard errno == ENOENT || errno == ESTALE else { throw DirectoryError.reading("the file", path, errno) }
        return nil
    }

    /// When a file was written last, in milliseconds since 1970; nil where it cannot be told.
    static func modified(_ path: String) -> Int? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        return Int(time.tv_sec) * 1_000 + Int(time.tv_nsec) / 1_000_000
    }

    /// Makes an empty file, unless it is there.
    static func makeEmpty(_ path: String) throws(DirectoryError) {
        let descriptor = retrying { open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o666) }
        guard descriptor >= 0, close(descriptor) == 0 else { throw DirectoryError.writing("the file", path, errno) }
    }

    /// Makes a folder durably, unless it is there; whether others may write to it is for the user's umask to say.
    static func makeFolder(_ path: String) throws(DirectoryError) {
        if mkdir(path, 0o777) == 0 { return try force(folderOf: path) }
        guard errno == EEXIST else { throw DirectoryError.writing("the folder", path, errno) }
    }

    /// Gives a file its name unless there is one of that name.
    ///
    /// - Returns: Whether it has the name now; where not, it has its old one.
    static func name(_ old: String, as new: String) throws(DirectoryError) -> Bool {
        if link(old, new) == 0 {
            unlink(old)
            return true
        }
        if errno == EEXIST { return false }
        // Many file systems have no links, and say so in many ways: rclone calls it an input/output error. Where it is
        // another fault, renaming meets it as well.
        if try exists(new) { return false }
        try replace(new, with: old)
        return true
    }

    /// Gives a file a name that another may have had.
    static func replace(_ new: String, with old: String) throws(DirectoryError) {
        guard systemRename(old, new) == 0 else { throw DirectoryError.writing("the file", new, errno) }
    }

    /// Removes a file; gives whether there was one.
    @discardableResult
    static func remove(_ path: String) throws(DirectoryError) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT || errno == ESTALE else { throw DirectoryError.writing("the file", path, errno) }
        return false
    }

    /// Forces the names in the folder of a file to the disk.
    static func force(folderOf path: String) throws(DirectoryError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = retrying { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            // Whoever may write to a folder need not be allowed to list it.
            if errno == EACCES { return }
            throw DirectoryError.writing("the folder", folder, errno)
        }
        defer { _ = close(descriptor) }
        guard retrying({ fsync(descriptor) }) == 0 || [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) else {
            throw DirectoryError.writing("the folder", folder, errno)
        }
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.close(descriptor)
        #elseif canImport(Musl)
            Musl.close(descriptor)
        #else
            Darwin.close(descriptor)
        #endif
    }

    private static func systemRename(_ old: String, _ new: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(old, new)
        #elseif canImport(Musl)
            Musl.rename(old, new)
        #else
            Darwin.rename(old, new)
        #endif
    }
}
