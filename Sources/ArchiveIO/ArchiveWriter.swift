#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The kinds of archive that are written.
public enum ArchivePacking: String, Sendable, Hashable, CaseIterable {
    /// A tar (POSIX pax) compressed by Zstandard.
    case tarZstd = "tar.zst"
    /// A zip with DEFLATE.
    case zip
}

/// Writes an archive entry by entry, in memory that does not grow with it.
///
/// The same entries in the same order give the same bytes with the same versions of libarchive and of the compression
/// library, whatever the time, the time zone, the locale and the user: no times or owners are written, every file has
/// mode 644.
///
/// ```swift
/// let writer = try ArchiveWriter(.zip) { try output.write($0) }
/// try writer.add("Slate-20260107.json", bytes: json)
/// try writer.finish()
/// ```
public final class ArchiveWriter {
    /// Takes the next bytes of the archive, which are valid during the call only.
    public typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private enum State { case open, finished, failed }

    private static let piece = 1 << 17

    private let handle: WriteHandle
    private let sink: Sink
    private var names = NameRegister()
    private var state = State.open

    /// Makes a writer that gives the archive's bytes to a function.
    ///
    /// - Throws: ``ArchiveError`` `archive.library` where libarchive cannot be set up.
    public init(_ packing: ArchivePacking, to sink: @escaping Sink) throws {
        handle = try WriteHandle(packing)
        self.sink = sink
    }

    /// Makes a writer to an open file, which the caller closes.
    ///
    /// - Throws: ``ArchiveError`` `archive.library` where libarchive cannot be set up.
    public convenience init(_ packing: ArchivePacking, toDescriptor descriptor: Int32) throws {
        try self.init(packing) { try Self.write($0, to: descriptor) }
    }

    /// Adds a file whose content a function gives piece by piece.
    ///
    /// - Parameters:
    ///   - name: A relative name in its plainest form, held to the same rules as on reading.
    ///   - size: The size in bytes; `archive.size-mismatch` where the content has another.
    ///   - content: Calls the function that it is given with each piece.
    /// - Throws: ``ArchiveError`` for a name that is not allowed or occurs twice, another size, `archive.usage` after the
    ///   end or a failure, `archive.library`; the errors of `content` and of the sink.
    public func add(
        _ name: String,
        size: Int,
        content: (_ put: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        guard state == .open else { throw ArchiveError(.usage, "the archive was finished or given up", entry: name) }
        state = .failed
        do {
            try EntryName.check(plain: name, limits: ArchiveLimits())
            try names.insert(name)
            guard size >= 0 else { throw ArchiveError(.usage, "a size cannot be negative") }
            try handle.begin(name: name, size: size)
            var rest = size
            try content { bytes in
                rest -= bytes.count
                guard rest >= 0 else { throw Self.mismatch("more", size) }
                try put(bytes)
            }
            guard rest == 0 else { throw Self.mismatch("fewer", size) }
            try handle.endEntry()
            try handle.drain(sink)
        } catch let error as ArchiveError {
            throw error.located(file: nil, entry: name)
        }
        state = .open
    }

    /// Adds a file from memory.
    ///
    /// - Throws: The errors of ``add(_:size:content:)``.
    public func add(_ name: String, bytes: [UInt8]) throws {
        try add(name, size: bytes.count) { put in try bytes.withUnsafeBytes(put) }
    }

    /// Adds a file from a source, with the size that it has now.
    ///
    /// - Throws: ``ArchiveError`` `archive.io` where the source cannot be read; the errors of ``add(_:size:content:)``.
    public func add(_ name: String, from source: ArchiveSource) throws {
        let opened = try ByteSource(source)
        try add(name, size: opened.size) { put in try opened.forEachPiece(put) }
    }

    /// Writes the end of the archive; nothing can be added after that.
    ///
    /// - Throws: ``ArchiveError`` `archive.usage` where the archive was finished or an earlier call failed,
    ///   `archive.library`; the error of the sink.
    public func finish() throws {
        guard state == .open else { throw ArchiveError(.usage, "the archive was finished or given up") }
        state = .failed
        try handle.close()
        try handle.drain(sink)
        state = .finished
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = try handle.write(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.piece)))
            guard count > 0 else { throw ArchiveError(.library, "libarchive took none of the data") }
            rest = rest.dropFirst(count)
            try handle.drain(sink)
        }
    }

    private static func mismatch(_ relation: String, _ size: Int) -> ArchiveError {
        ArchiveError(.sizeMismatch, "the content has \(relation) bytes than the \(size) that were announced")
    }

    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        guard let start = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, start + done, bytes.count - done)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, start + done, bytes.count - done)
            #else
                let count = Darwin.write(descriptor, start + done, bytes.count - done)
            #endif
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw ByteSource.failure("writing the archive failed", nil)
            }
        }
    }
}

extension ByteSource {
    /// Gives all bytes to a function, piece by piece.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { block.deallocate() }
        var offset = 0
        while case let count = try read(at: offset, into: block), count > 0 {
            try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += count
        }
    }
}
