internal import ArchiveIO
internal import FileSystem
package import StrictJSON

/// A file that a command reads piece by piece, or the standard input where it is named `-`.
///
/// It reads pipes and encrypted files whole first, as they cannot be read twice.
package final class InputSource {
    /// The name as the person gave it, `<stdin>` for `-`.
    package let name: String
    /// The bytes; good while this object lives.
    package private(set) var source: JSONByteSource
    /// The file; nil where everything was read already.
    private let file: OpenFile?
    /// The archive that the text lies in.
    private var archive: (source: ArchiveSource, isWanted: ([UInt8]) -> Bool)?

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - asks: Whether the person may be asked for a passphrase.
    /// - Throws: What `InputFile` throws. Reading throws 74 where it fails.
    package convenience init(opening path: String, asks: Bool = true) throws(CommandFailure) {
        guard path != "-" else {
            self.init(try InputFile(reading: path, asks: asks))
            return
        }
        let (file, isStream) = try Self.open(path)
        guard isStream else {
            // Opened once more, a named pipe would wait for another writer.
            self.init(try InputFile(file, name: path, limit: InputFile.largest, asks: asks))
            return
        }
        self.init(file, name: path)
    }

    /// Opens a text of JSON that can be read piece by piece, and gives its size; nil for anything else.
    package static func text(_ path: String) -> (input: InputSource, size: Int)? {
        guard path != "-", let head = try? InputFile.head(of: path), head.first == UInt8(ascii: "{"),
            !JSONContainer.isArchive(head), let input = try? InputSource(opening: path),
            let size = try? input.file?.status().size, size <= InputFile.largest
        else { return nil }
        return (input, size)
    }

    /// Makes the source of a file that was read whole.
    package init(_ input: InputFile) {
        name = input.name
        file = nil
        source = JSONByteSource(input.bytes)
    }

    private init(_ file: OpenFile, name: String) {
        self.name = name
        self.file = file
        var offset = 0
        source = JSONByteSource(
            read: { buffer in
                let count = try file.read(at: offset, into: buffer)
                offset += count
                return count
            },
            rewind: { offset = 0 }
        )
    }

    /// Opens a file, and tells whether it can be read piece by piece.
    private static func open(_ path: String) throws(CommandFailure) -> (file: OpenFile, isStream: Bool) {
        do throws(FileError) {
            let file = try Files.openInput(path)
            StandardError.detail("reading \(path)")
            let isFile = try file.status().kind == .file
            return (file, isFile ? !InputFile.isEncrypted(try file.head(512)) : false)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Opens a text that may lie in an archive or a compressed file, which is told by its content.
    ///
    /// - Parameter isWanted: Whether a text in an archive that begins so is the one, whatever else lies there.
    /// - Throws: What opening the file throws, and `ArchiveText`.
    package convenience init(expanding path: String, isWanted: @escaping ([UInt8]) -> Bool) throws {
        try self.init(opening: path)
        try expand(isWanted)
    }

    /// Makes the source of the text in a file that was read whole, which may be an archive or a compressed file.
    ///
    /// - Parameter isWanted: Whether a text in an archive that begins so is the one, whatever else lies there.
    /// - Throws: What `ArchiveText` throws.
    package convenience init(expanding input: InputFile, isWanted: @escaping ([UInt8]) -> Bool) throws {
        self.init(input)
        try expand(isWanted)
    }

    /// Takes the text in an archive or a compressed file in place of its bytes.
    private func expand(_ isWanted: @escaping ([UInt8]) -> Bool) throws {
        let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 16)
        defer { head.deallocate() }
        let count = try source.read(head)
        try source.rewind()
        guard JSONContainer.isArchive(Array(head[..<count])) else { return }
        let archive: ArchiveSource = file != nil ? .file(name) : .bytes(try bytes(), name: name)
        let text = try ArchiveText(archive, isWanted: isWanted)
        source = JSONByteSource(read: text.read, rewind: text.rewind)
        self.archive = (archive, isWanted)
    }

    /// Returns all bytes from the beginning on.
    ///
    /// - Throws: 65 where there are more than are kept, or the file has a hole.
    package func bytes() throws -> [UInt8] {
        let limit = InputFile.largest
        if archive == nil, let file { return try file.content(limit: limit) }
        if let archive {
            // A limit on the size bounds the memory, whatever the compression.
            let text = try ArchiveText(archive.source, limits: .json, isWanted: archive.isWanted)
            source = JSONByteSource(read: text.read, rewind: text.rewind)
        }
        try source.rewind()
        var bytes: [UInt8] = []
        var holes = HoleCheck()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try source.read(buffer)
            guard count > 0 else { return bytes }
            guard bytes.count + count <= limit else { throw FileError.tooLarge(name, limit) }
            if !holes.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { try holes.check(name) }
            // Growing by doubling would take three times the memory; what is set aside takes none before it is used.
            if bytes.count + count > bytes.capacity { bytes.reserveCapacity(bytes.isEmpty ? 1 << 20 : limit) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
