#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that a command writes, or the standard output where it is named `-`.
///
/// The bytes go into a new file in the same folder, are forced to the disk, and take the name in one step; the folder
/// is forced to the disk as well. Whatever happens, there is the old content or the new one under that name.
public struct OutputFile: Sendable {
    /// The path as the person gave it.
    public let path: String

    /// A file to write.
    public init(_ path: String) { self.path = path }

    /// Whether this is the standard output.
    public var isStandardOutput: Bool { path == "-" }

    /// Whether there is an ordinary file under that name already.
    public var exists: Bool {
        var status = stat()
        return !isStandardOutput && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Writes the bytes in place of what is there; an existing file keeps its mode.
    ///
    /// - Throws: 73 where the file cannot be created, or where the name is that of something which is no ordinary file;
    ///   74 where writing fails half-way. The old content stays in both cases.
    public func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if isStandardOutput { return try StandardOutput.shared.write(bytes) }
        let existing = try existingMode()
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "./"
        let (temporary, descriptor) = try createTemporary(folder: folder)
        var isPending = true
        defer { if isPending { unlink(temporary) } }

        var failure = Descriptor.writeAll(bytes, to: descriptor)
        if failure == nil, let existing, fchmod(descriptor, existing) != 0 { failure = .last }
        if failure == nil, fsync(descriptor) != 0 { failure = .last }
        if close(descriptor) != 0, failure == nil { failure = .last }
        if failure == nil, rename(temporary, path) != 0 { failure = .last }
        if let failure { throw CommandFailure(.inputOutput, "cannot write \(path): \(failure.reason)") }
        isPending = false
        try synchronise(folder: folder)
    }

    /// The permissions of the file that is there, nil where there is none.
    private func existingMode() throws(CommandFailure) -> mode_t? {
        guard let last = path.utf8.last, last != UInt8(ascii: "/") else {
            throw CommandFailure(
                .cannotCreate,
                "cannot create \(path.isEmpty ? "a file without a name" : path): no file name"
            )
        }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENAMETOOLONG else { return nil }
            throw CommandFailure(.cannotCreate, "cannot create \(path): \(SystemError.last.reason)")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_mode & 0o7777
        case S_IFDIR: throw CommandFailure(.cannotCreate, "cannot create \(path): it is a folder")
        case S_IFLNK:
            throw CommandFailure(
                .cannotCreate,
                "cannot create \(path): it is a symbolic link; name the file it points to"
            )
        default:
            throw CommandFailure(
                .cannotCreate,
                "cannot create \(path): it is no ordinary file; use - for the output stream"
            )
        }
    }

    private func createTemporary(folder: String) throws(CommandFailure) -> (path: String, descriptor: Int32) {
        for attempt in 0..<100 {
            let candidate = "\(folder).satchel-\(getpid())-\(attempt).tmp"
            let descriptor = open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (candidate, descriptor) }
            guard errno == EEXIST else { break }
        }
        throw CommandFailure(.cannotCreate, "cannot create \(path): \(SystemError.last.reason)")
    }

    /// Forces the folder's entry to the disk; file systems that cannot do so for a folder say EINVAL.
    private func synchronise(folder: String) throws(CommandFailure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL {
            throw CommandFailure(.inputOutput, "cannot make \(path) durable: \(SystemError.last.reason)")
        }
    }
}
