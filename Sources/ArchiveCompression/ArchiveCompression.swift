internal import ArchiveIO
public import DirectorySync

/// The compression of a shared folder by the system's libarchive.
public struct ArchiveCompression: Compression {
    /// Makes the compression.
    public init() {}

    /// Begins a frame.
    ///
    /// - Throws: `CompressionError` where libarchive cannot be set up.
    public func makeCompressor() throws(CompressionError) -> any Compressor {
        try makeCompressor { () throws(ArchiveError) in try ZstdWriter() }
    }

    /// Begins a frame of a few kilobytes.
    ///
    /// - Throws: `CompressionError` where libarchive cannot be set up.
    public func makeQuickCompressor() throws(CompressionError) -> any Compressor {
        try makeCompressor { () throws(ArchiveError) in try ZstdWriter(level: 1) }
    }

    private func makeCompressor(
        _ make: () throws(ArchiveError) -> ZstdWriter
    ) throws(CompressionError) -> any Compressor {
        do throws(ArchiveError) {
            return ArchiveCompressor(try make())
        } catch {
            throw CompressionError(error.message)
        }
    }

    /// Opens compressed data.
    ///
    /// - Throws: `CompressionError` where the data are not a Zstandard frame, need too much memory, or cannot be read.
    public func makeExpander(
        of data: CompressedData,
        limit: Int,
        isBeginningOnly: Bool
    ) throws(CompressionError) -> any Expander {
        // Records that are alike compress more than a thousand times: memory is bounded, not the ratio.
        var limits = ArchiveLimits()
        limits.totalBytes = limit
        limits.ratio = .max
        let source: ArchiveSource =
            switch data {
            case .bytes(let bytes): .bytes(bytes)
            case .descriptor(let descriptor, let name): .descriptor(descriptor, name: name)
            }
        do throws(ArchiveError) {
            return ArchiveExpander(try ZstdReader(source, limits: limits, isBeginningOnly: isBeginningOnly))
        } catch {
            throw CompressionError(error.message)
        }
    }
}

private final class ArchiveCompressor: Compressor {
    private let writer: ZstdWriter

    init(_ writer: ZstdWriter) { self.writer = writer }

    func write(_ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        try translating { try writer.write(bytes, to: sink) }
    }

    func finish(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        try translating { try writer.finish(sink) }
    }

    private func translating(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as ArchiveError {
            throw CompressionError(error.message)
        }
    }
}

private final class ArchiveExpander: Expander {
    private let reader: ZstdReader

    init(_ reader: ZstdReader) { self.reader = reader }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int {
        do throws(ArchiveError) {
            return try reader.read(into: buffer)
        } catch {
            throw CompressionError(error.message)
        }
    }
}
