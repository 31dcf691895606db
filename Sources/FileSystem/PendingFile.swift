internal import FileSystem
public import StrictJSON
internal import SystemPackage

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
    public var path: String { file.path }
    /// The open file, for those who write to a descriptor.
    public var descriptor: Int32 { file.descriptor.rawValue }
    private let file: OpenFile
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
        file = try Self.make(in: self.folder, self.name)
    }

    private static func make(in folder: String, _ name: String) throws(CommandFailure) -> OpenFile {
        var reason = Errno.fileExists.reason
        for attempt in 0..<100 {
            do throws(FileError) {
                let file = try OpenFile(creating: "\(folder)\(prefix)\(Files.process)-\(attempt)\(suffix)")
                // Another program may just be taking it for a leftover; then it is without a name, and the next is tried.
                _ = try file.lock(waits: true)
                if try file.status().names > 0 { return file }
            } catch {
                guard error.errno == .fileExists else {
                    reason = error.reason
                    break
                }
            }
        }
        throw CommandFailure(.cannotCreate, "cannot create \(name): \(reason)")
    }

    deinit { if isPending { _ = try? Files.remove(path) } }

    /// Writes the next bytes.
    ///
    /// - Throws: 74 where that fails.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(CommandFailure) {
        do throws(FileError) {
            try file.write(bytes)
        } catch {
            throw Self.failure("write", name, error)
        }
    }

    /// Writes the next bytes.
    ///
    /// - Throws: 74 where that fails.
    public func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let failure = bytes.withUnsafeBytes { bytes in
            do throws(CommandFailure) {
                try write(bytes)
                return nil as CommandFailure?
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// What was written so far, to be read from its beginning; good while this object lives and nothing is written.
    public func source() throws(CommandFailure) -> JSONByteSource {
        let (file, name) = (file, name)
        var offset = 0
        return JSONByteSource(
            read: { buffer in
                do throws(FileError) {
                    let count = try file.read(at: offset, into: buffer)
                    offset += count
                    return count
                } catch {
                    throw Self.failure("read", name, error)
                }
            },
            rewind: { offset = 0 }
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
        do throws(FileError) {
            if let mode { try file.setPermissions(mode) }
            try file.force()
            try Files.rename(path, to: output.path)
        } catch {
            throw Self.failure("write", output.path, error)
        }
        isPending = false
        try Self.synchronise(folder: folder.isEmpty ? "." : folder, for: output.path)
    }

    /// Forces the entries of a folder to the disk.
    static func synchronise(folder: String, for path: String) throws(CommandFailure) {
        do throws(FileError) {
            try Files.force(folder: folder)
        } catch {
            throw CommandFailure(.inputOutput, "cannot make \(path) durable: \(error.reason)")
        }
    }

    private static func failure(_ verb: String, _ path: String, _ error: FileError) -> CommandFailure {
        CommandFailure(.inputOutput, "cannot \(verb) \(path): \(error.reason)")
    }

    // MARK: Leftovers

    private static let prefix = ".satchel-"
    private static let suffix = ".tmp"

    /// Removes what programs that were interrupted have left in a folder: pending files that nobody holds.
    public static func removeLeftovers(in folder: String) {
        let path = folder.isEmpty ? "." : folder
        for name in (try? Files.names(in: path).names) ?? [] where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            removeLeftover("\(path)/\(name)")
        }
    }

    private static func removeLeftover(_ path: String) {
        guard let file = try? OpenFile(reading: path, followsLinks: false), (try? file.status())?.kind == .file,
            (try? file.lock(waits: false)) == true
        else { return }
        _ = try? Files.remove(path)
    }
}
