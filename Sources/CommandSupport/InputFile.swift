internal import FileSystem
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file that a command reads, or the standard input where it is named `-`.
public struct InputFile: Sendable {
    /// The name as the person gave it, `<stdin>` for `-`.
    public let name: String
    /// What was read.
    public let bytes: [UInt8]

    /// The most that a file of documents may have: 4 GiB.
    public static let largest = 1 << 32

    /// Reads a whole file, or the standard input for `-`.
    ///
    /// - Throws: 66 where the file is missing, a folder, not readable or larger than `limit`, 74 where reading
    ///   fails half-way.
    public init(reading path: String, limit: Int = largest) throws(CommandFailure) {
        if path == "-" {
            name = "<stdin>"
            bytes = try Self.read(STDIN_FILENO, name: name, expected: 1 << 16, limit: limit)
            return
        }
        name = path
        let (descriptor, status) = try Self.openFile(path)
        defer { close(descriptor) }
        guard status.st_size <= limit else { throw Self.tooLarge(path, limit) }
        bytes = try Self.read(descriptor, name: path, expected: Int(status.st_size), limit: limit)
    }

    /// The first 512 bytes of an ordinary file, by which archives are known; nothing of what is no ordinary file.
    ///
    /// - Throws: What reading it throws.
    public static func head(of path: String) throws(CommandFailure) -> [UInt8] {
        let (descriptor, status) = try openFile(path)
        defer { close(descriptor) }
        guard status.st_mode & S_IFMT == S_IFREG else { return [] }
        do {
            return try Descriptor.readAll(from: descriptor, expected: 511, limit: 511)
        } catch {
            throw CommandFailure(.inputOutput, "cannot read \(path): \(error.reason)")
        }
    }

    /// Opens anything that is no folder.
    ///
    /// - Throws: 66 where that cannot be done.
    static func openFile(_ path: String) throws(CommandFailure) -> (descriptor: Int32, status: stat) {
        guard !path.isEmpty else { throw CommandFailure(.noInput, "cannot read a file without a name") }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path, Errno(rawValue: errno)) }
        var status = stat()
        let reason: String?
        if fstat(descriptor, &status) != 0 {
            reason = Errno(rawValue: errno).reason
        } else {
            switch status.st_mode & S_IFMT {
            case S_IFDIR: reason = Errno.isDirectory.reason
            case S_IFBLK: reason = "it is a device"
            // Such as /dev/zero, which never ends; a person may type at a terminal.
            case S_IFCHR where isatty(descriptor) == 0: reason = "it is a device"
            default: reason = nil
            }
        }
        guard let reason else { return (descriptor, status) }
        close(descriptor)
        throw CommandFailure(.noInput, "cannot read \(path): \(reason)")
    }

    /// Reads what a descriptor gives.
    static func read(
        _ descriptor: Int32,
        name: String,
        expected: Int,
        limit: Int
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try Descriptor.readAll(from: descriptor, expected: expected, limit: limit)
        } catch {
            let status: ExitStatus = error == .isDirectory ? .noInput : .inputOutput
            throw CommandFailure(status, "cannot read \(name): \(error.reason)")
        }
        guard bytes.count <= limit else { throw tooLarge(name, limit) }
        return bytes
    }

    private static func failure(_ path: String, _ error: Errno) -> CommandFailure {
        CommandFailure(.noInput, "cannot read \(path): \(error.reason)")
    }

    static func tooLarge(_ name: String, _ limit: Int) -> CommandFailure {
        CommandFailure(.noInput, "cannot read \(name): it has more than \(limit) bytes, which is the limit")
    }
}
