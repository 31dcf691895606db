#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
public import StrictJSON

/// A file that is written piece by piece, can be read back, and takes its name in one step once it is complete.
///
/// Until then it lies in the folder under a name of its own; where it does not come to ``commit(as:)``, it goes with
/// this object. It is locked meanwhile, so that what an interrupted program left behind can be told from it.
///
/// ```swift
/// let pending = try PendingFile(in: "backups")
/// try pending.write(piece)
/// try pending.commit(as: OutputFile("backups/Slate-20260107.json"))
/// ```
public final class PendingFile {
    /// Where the file lies until it is complete.
    public let path: String
    /// The open file, for those who write to a descriptor.
    public let descriptor: Int32
    private let folder: String
    /// What messages call the file.
    private let name: String
    private var isPending = true

    /// Makes an empty file.
    ///
    /// - Parameters:
    ///   - folder: The folder in which the file will stay; it is on the same file system then.
    ///   - name: What the message calls the file; by default the folder.
    /// - Throws: 73 where it cannot be made.
    public init(in folder: String, for name: String? = nil) throws(CommandFailure) {
        self.folder = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        self.name = name ?? (folder.isEmpty ? "a file in this folder" : "a file in \(folder)")
        for attempt in 0..<100 {
            let candidate = "\(self.folder)\(Self.prefix)\(getpid())-\(attempt)\(Self.suffix)"
            let opened = open(candidate, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
            if opened >= 0 {
                // Another program may just be taking it for a leftover; then it is without a name, and the next is tried.
                var status = stat()
                flock(opened, LOCK_EX)
                if fstat(opened, &status) == 0, status.st_nlink > 0 {
                    path = candidate
                    descriptor = opened
                    return
                }
                close(opened)
            } else if errno != EEXIST {
                break
            }
        }
        throw CommandFailure(.cannotCreate, "cannot create \(self.name): \(SystemError.last.reason)")
    }

    deinit {
        close(descriptor)
        if isPending { unlink(path) }
    }

    /// Writes the next bytes.
    ///
    /// - Throws: 74 where that fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        if let failure = Descriptor.writeAll(bytes, to: descriptor) { throw Self.failure("write", name, failure) }
    }

    /// Writes the next bytes.
    ///
    /// - Throws: 74 where that fails.
    public func write(_ bytes: [UInt8]) throws(CommandFailure) {
        if let failure = Descriptor.writeAll(bytes, to: descriptor) { throw Self.failure("write", name, failure) }
    }

    /// What was written so far, to be read from its beginning; good while this object lives and nothing is written.
    public func source() throws(CommandFailure) -> JSONByteSource {
        let (descriptor, name) = (descriptor, name)
        func rewind() throws(CommandFailure) {
            guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure("read", name, .last) }
        }
        try rewind()
        return JSONByteSource(
            read: { buffer in
                var count = 0
                repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
                guard count >= 0 else { throw Self.failure("read", name, .last) }
                return count
            },
            rewind: rewind
        )
    }

    /// Gives all that was written so far to a function, piece by piece.
    public func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let source = try source()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(buffer)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Forces the file to the disk and gives it its name, in place of what is there; an existing file's mode stays.
    ///
    /// - Parameter output: A file in the folder.
    /// - Throws: 73 where something lies there that is no ordinary file, 74 where it fails half-way. What was there stays
    ///   in both cases.
    public func commit(as output: OutputFile) throws(CommandFailure) {
        let mode = try output.existingMode()
        if let mode, fchmod(descriptor, mode) != 0 { throw Self.failure("write", output.path, .last) }
        guard fsync(descriptor) == 0, rename(path, output.path) == 0 else {
            throw Self.failure("write", output.path, .last)
        }
        isPending = false
        try Self.synchronise(folder: folder.isEmpty ? "./" : folder, for: output.path)
    }

    /// Forces the entries of a folder to the disk; file systems that cannot do so for a folder say EINVAL.
    static func synchronise(folder: String, for path: String) throws(CommandFailure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        if fsync(descriptor) != 0, errno != EINVAL {
            throw CommandFailure(.inputOutput, "cannot make \(path) durable: \(SystemError.last.reason)")
        }
    }

    private static func failure(_ verb: String, _ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure(.inputOutput, "cannot \(verb) \(path): \(error.reason)")
    }

    // MARK: Leftovers

    private static let prefix = ".satchel-"
    private static let suffix = ".tmp"

    /// Removes what programs that were interrupted have left in a folder: pending files that nobody holds.
    public static func removeLeftovers(in folder: String) {
        let path = folder.isEmpty ? "." : folder
        guard let stream = opendir(path) else { return }
        defer { closedir(stream) }
        while let name = FolderListing.nextName(stream) {
            if name.hasPrefix(prefix), name.hasSuffix(suffix) { removeLeftover("\(path)/\(name)") }
        }
    }

    private static func removeLeftover(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        unlink(path)
    }
}
