/// Data compressed with Zstandard (RFC 8878) that are no archive.
///
/// Compressed data are frames, one behind the other, whose contents together are the content; skippable frames among
/// them are passed over. So compressed data put together expand to what was put together.
package enum ZstdCoding {
    /// The level that is used where none is named; higher ones take far longer for little.
    package static let defaultLevel = 3

    /// Compresses bytes to one frame.
    ///
    /// - Throws: `ArchiveError` with the code `library`.
    package static func compressed(
        _ bytes: UnsafeRawBufferPointer,
        level: Int = defaultLevel
    ) throws(ArchiveError) -> [UInt8] {
        let writer = try ZstdWriter(level: level)
        try writer.add(bytes)
        return try writer.finished()
    }

    /// Compresses bytes to one frame.
    package static func compressed(_ bytes: [UInt8], level: Int = defaultLevel) throws(ArchiveError) -> [UInt8] {
        let writer = try ZstdWriter(level: level)
        try writer.add(bytes)
        return try writer.finished()
    }

    /// Expands compressed data.
    ///
    /// - Parameter limits: The most bytes that may come out, in all and for each byte of the data.
    /// - Throws: `ArchiveError`, such as `truncated`, `corrupted`, `trailing`, `totalSize`, `ratio`; `nested` where what
    ///   comes out is compressed as well. Any bytes may be given. Data that were cut between two frames are whole data; to
    ///   notice that takes a hash of one's own.
    package static func expanded(
        _ bytes: [UInt8],
        limits: ArchiveLimits = ArchiveLimits()
    ) throws(ArchiveError) -> [UInt8] {
        let reader = try ZstdReader(.bytes(bytes), limits: limits)
        var expanded: [UInt8] = []
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { block.deallocate() }
        while true {
            let count = try reader.read(into: block)
            guard count > 0 else { return expanded }
            expanded.append(contentsOf: block[..<count])
        }
    }
}

/// Compresses data piece by piece, in memory that does not grow with them.
package final class ZstdWriter {
    private let handle: WriteHandle

    /// Begins a frame.
    package init(level: Int = ZstdCoding.defaultLevel) throws(ArchiveError) {
        handle = try WriteHandle(zstdLevel: level)
        try handle.begin(name: "data", size: 0)
    }

    /// Adds data, and hands on what is compressed so far.
    ///
    /// - Throws: `ArchiveError`, or what `sink` throws.
    package func write(
        _ bytes: UnsafeRawBufferPointer,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try add(bytes)
        try handle.drain(sink)
    }

    /// Ends the frame, and hands on the rest.
    package func finish(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        try end()
        try handle.drain(sink)
    }

    fileprivate func add(_ bytes: [UInt8]) throws(ArchiveError) {
        var failure: ArchiveError?
        bytes.withUnsafeBytes { bytes in
            do throws(ArchiveError) { try add(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    fileprivate func add(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = try handle.write(rest)
            guard count > 0 else { throw ArchiveError(.library, "libarchive takes no more data to compress") }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Ends the frame and gives all that was not handed on.
    fileprivate func finished() throws(ArchiveError) -> [UInt8] {
        try end()
        return handle.taken()
    }

    private func end() throws(ArchiveError) {
        try handle.endEntry()
        try handle.close()
    }
}

/// Expands compressed data piece by piece, in memory that does not grow with them.
package final class ZstdReader {
    private let stream: ContentStream
    private let limits: ArchiveLimits
    private var produced = 0

    /// The most memory that a frame may ask for, which is what RFC 8878 asks each reader to have.
    private static let mostWindow = 8 << 20

    /// Opens compressed data.
    ///
    /// - Parameters:
    ///   - source: Bytes, or an ordinary file.
    ///   - isBeginningOnly: Whether no more than the beginning is going to be read.
    /// - Throws: `ArchiveError`; `window` where the data ask for more than 8 MiB of memory.
    package init(
        _ source: ArchiveSource,
        limits: ArchiveLimits = ArchiveLimits(),
        isBeginningOnly: Bool = false
    ) throws(ArchiveError) {
        let bytes = try ByteSource(source)
        guard bytes.size > 0 else {
            throw ArchiveError(.truncated, "there are no data; get a complete copy", file: source.name)
        }
        var limits = limits
        limits.windowBytes = min(limits.windowBytes, Self.mostWindow)
        stream = try ContentStream(bytes, .zstd, limits: limits, isBeginningOnly: isBeginningOnly)
        self.limits = limits
    }

    /// Reads the next bytes of the content and returns their number; 0 at its end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard !buffer.isEmpty else { return 0 }
        let count = try stream.fill(buffer)
        produced += count
        try limits.check(total: produced, from: stream.source.size)
        return count
    }
}
