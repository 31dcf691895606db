#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// An opened source: bytes that can be read at any place.
final class ByteSource {
    let name: String?
    /// The size when it was opened.
    let size: Int
    private let bytes: [UInt8]
    private let descriptor: Int32
    private let closes: Bool

    init(_ source: ArchiveSource) throws(ArchiveError) {
        name = source.name
        switch source.storage {
        case .bytes(let bytes):
            self.bytes = bytes
            size = bytes.count
            descriptor = -1
            closes = false
        case .path(let path):
            bytes = []
            let opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard opened >= 0 else { throw Self.failure("cannot open the file", path) }
            descriptor = opened
            closes = true
            size = try Self.size(of: opened, closes: true, name: path)
        case .descriptor(let given):
            bytes = []
            descriptor = given
            closes = false
            size = try Self.size(of: given, closes: false, name: source.name)
        }
    }

    deinit { if closes { close(descriptor) } }

    /// Fills as much of a buffer as there is from a place on; gives 0 at the end only.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard offset >= 0, offset < size else { return 0 }
        let wanted = min(buffer.count, size - offset)
        if descriptor < 0 {
            buffer.copyBytes(from: bytes[offset..<offset + wanted])
            return wanted
        }
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < wanted {
            let count = pread(descriptor, start + done, wanted - done, off_t(offset + done))
            if count > 0 {
                done += count
            } else if count == 0 {
                break  // the file has become shorter: whoever reads finds it truncated
            } else if errno != EINTR {
                throw Self.failure("reading the file failed", name)
            }
        }
        return done
    }

    /// Bytes from a place on, fewer where the source ends.
    func bytes(at offset: Int, count: Int) throws(ArchiveError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        var failure: ArchiveError?
        let bytes = [UInt8](unsafeUninitializedCapacity: min(count, size - offset)) { buffer, filled in
            do throws(ArchiveError) {
                filled = try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private static func size(of descriptor: Int32, closes: Bool, name: String?) throws(ArchiveError) -> Int {
        var status = stat()
        let failed = fstat(descriptor, &status) != 0
        let failure = failed ? Self.failure("cannot read the file", name) : nil
        guard failure == nil, status.st_mode & S_IFMT == S_IFREG else {
            if closes { close(descriptor) }
            if let failure { throw failure }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            let message =
                isFolder
                ? "cannot read a folder as an archive; name a file in it"
                : "cannot read an archive from what is no ordinary file; save it to a file first"
            throw ArchiveError(.inputOutput, message, file: name)
        }
        return Int(status.st_size)
    }

    static func failure(_ what: String, _ name: String?) -> ArchiveError {
        let text = String(cString: strerror(errno))
        return ArchiveError(.inputOutput, "\(what): \(text.prefix(1).lowercased())\(text.dropFirst())", file: name)
    }
}
