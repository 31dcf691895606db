internal import FileSystem
public import StrictJSON
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that a command reads piece by piece, or the standard input where it is named `-`.
///
/// What cannot be read twice, such as a pipe, is read whole first.
public final class InputSource {
    /// The name as the person gave it, `<stdin>` for `-`.
    public let name: String
    /// The bytes; good while this object lives.
    public let source: JSONByteSource
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: What `InputFile` throws. Reading throws 74 where it fails.
    public init(opening path: String) throws(CommandFailure) {
        guard path != "-" else {
            let input = try InputFile(reading: path)
            name = input.name
            descriptor = -1
            source = JSONByteSource(input.bytes)
            return
        }
        name = path
        let (descriptor, status) = try InputFile.openFile(path)
        guard status.st_mode & S_IFMT == S_IFREG else {
            // Opened once more, a named pipe would wait for another writer.
            defer { close(descriptor) }
            self.descriptor = -1
            let limit = InputFile.largest
            source = JSONByteSource(try InputFile.read(descriptor, name: path, expected: 1 << 16, limit: limit))
            return
        }
        self.descriptor = descriptor
        source = JSONByteSource(
            read: { buffer in
                var count = 0
                repeat { count = read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
                guard count >= 0 else { throw Self.failure(path) }
                return count
            },
            rewind: { guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) } }
        )
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.inputOutput, "cannot read \(path): \(Errno(rawValue: errno).reason)")
    }
}
