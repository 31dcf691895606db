#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Files of a phone's storage, opened for reading and never through a link that lies in it.
enum StorageFile {
    /// Whether there is a folder at a path.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is nothing at a path, not even a link.
    static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    /// A path without links.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// What came of opening a file.
    enum Opened {
        /// It is open.
        case open(descriptor: Int32, size: Int)
        /// There is none.
        case missing
        /// It cannot be read, and why.
        case unusable(String)
    }

    /// Opens an ordinary file.
    static func open(_ path: String) -> Opened {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = systemOpen(path, flags)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .missing }
            return .unusable(errno == ELOOP ? "it is a symbolic link" : reason())
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .unusable("it is no ordinary file")
        }
        return .open(descriptor: descriptor, size: Int(status.st_size))
    }

    /// Reads an ordinary file.
    ///
    /// - Returns: The bytes, nil where there is none.
    static func bytes(_ path: String, limit: Int) throws(Fault) -> [UInt8]? {
        switch open(path) {
        case .missing: return nil
        case .unusable(let reason): throw Fault(reason: reason)
        case .open(let descriptor, let size):
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(min(size, limit))
            try forEachPiece(descriptor, limit: limit) { bytes.append(contentsOf: $0) }
            return bytes
        }
    }

    /// Why a file cannot be used.
    struct Fault: Error {
        let reason: String
        var code = StoreError.Code.unreadable
    }

    /// Copies an ordinary file.
    ///
    /// - Returns: The number of bytes, nil where there is none.
    static func copy(_ path: String, to copy: String, limit: Int) throws(Fault) -> Int? {
        switch open(path) {
        case .missing: return nil
        case .unusable(let reason): throw Fault(reason: reason)
        case .open(let descriptor, _):
            defer { close(descriptor) }
            let output = systemOpen(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard output >= 0 else { throw noCopy() }
            defer { close(output) }
            return try forEachPiece(descriptor, limit: limit) { (piece) throws(Fault) in
                var rest = piece[...]
                while !rest.isEmpty {
                    let count = write(output, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    guard count >= 0 || errno == EINTR else { throw noCopy() }
                    rest = rest.dropFirst(max(0, count))
                }
            }
        }
    }

    /// Gives what a descriptor holds to a function, piece by piece; the number of bytes.
    @discardableResult
    private static func forEachPiece(
        _ descriptor: Int32,
        limit: Int,
        _ body: (UnsafeRawBufferPointer) throws(Fault) -> Void
    ) throws(Fault) -> Int {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { buffer.deallocate() }
        var total = 0
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count >= 0 || errno == EINTR else { throw Fault(reason: "reading fails: \(reason())") }
            if count == 0 { return total }
            total += max(0, count)
            guard total <= limit else {
                throw Fault(reason: "it has more than \(limit) bytes, which is the limit", code: .limit)
            }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<max(0, count)]))
        }
    }

    /// A folder of this process's own, or nil where none can be made.
    static func temporaryFolder(in parent: String) -> String? {
        var template = Array("\(parent)/satchel-XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return nil }
            return String(cString: base)
        }
    }

    private static func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, mode)
        #elseif canImport(Musl)
            Musl.open(path, flags, mode)
        #else
            Darwin.open(path, flags, mode)
        #endif
    }

    private static func noCopy() -> Fault {
        Fault(reason: "a copy cannot be made: \(reason())", code: .inputOutput)
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
