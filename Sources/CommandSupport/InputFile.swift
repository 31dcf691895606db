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

    /// The most bytes of a text that is kept whole: 512 MiB, several times what ten years of any app come to.
    public static let largest = 1 << 29

    /// Reads a whole file, or the standard input for `-`.
    ///
    /// - Throws: 65 where the file is larger than `limit` or has a hole; 66 where it is missing, a folder or not readable;
    ///   74 where reading fails half-way.
    public init(reading path: String, limit: Int = largest) throws(CommandFailure) {
        if path == "-" {
            name = "<stdin>"
            bytes = try Self.read(STDIN_FILENO, name: name, expected: 1 << 16, limit: limit)
            return
        }
        name = path
        let (descriptor, status) = try Self.openFile(path)
        defer { close(descriptor) }
        guard status.st_size <= limit else { throw Self.tooLarge(path, limit, size: Int(status.st_size)) }
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
        var holes = HoleCheck()
        do {
            bytes = try Descriptor.readAll(from: descriptor, expected: expected, limit: limit) { holes.take($0) }
        } catch {
            let status: ExitStatus = error == .isDirectory ? .noInput : .inputOutput
            throw CommandFailure(status, "cannot read \(name): \(error.reason)")
        }
        try holes.check(name)
        guard bytes.count <= limit else { throw tooLarge(name, limit) }
        return bytes
    }

    private static func failure(_ path: String, _ error: Errno) -> CommandFailure {
        CommandFailure(.noInput, "cannot read \(path): \(error.reason)")
    }

    static func tooLarge(_ name: String, _ limit: Int, size: Int? = nil) -> CommandFailure {
        let found = size.map { "it has \($0) bytes, and \(limit) is the limit" }
        return CommandFailure(
            .badData,
            "cannot read \(name): \(found ?? "it has more than \(limit) bytes, which is the limit")"
        )
    }
}

/// Notices a hole in a file, as a crash leaves it or somebody makes it to fill the memory: no text has a MiB of NUL bytes.
struct HoleCheck {
    private static let most = 1 << 20

    private var position = 0
    private var start: Int?
    /// Tells whether the file has a hole.
    private(set) var isFound = false

    /// Takes the next bytes.
    ///
    /// - Returns: Whether to go on.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        defer { position += piece.count }
        // Pieces are small against a hole: one that is not all NUL ends it.
        guard piece.first == 0, piece.last == 0, piece.allSatisfy({ $0 == 0 }) else {
            start = nil
            return true
        }
        let first = start ?? position
        start = first
        isFound = position + piece.count - first >= Self.most
        return !isFound
    }

    /// - Throws: 65 where there is a hole.
    func check(_ name: String) throws(CommandFailure) {
        guard isFound, let start else { return }
        let message = "more than a MiB from byte \(start) on is NUL: the file was not written completely, or has a hole"
        throw CommandFailure(.badData, "cannot read \(name): \(message); take another copy")
    }
}
