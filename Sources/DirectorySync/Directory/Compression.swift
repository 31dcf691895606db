/// Compresses and expands the files of a shared folder: Zstandard (RFC 8878), with frames one after the other.
///
/// ``SyncEnvironment`` provides it, so that sync needs no system library. The programs use libarchive, and an app on a
/// phone brings its own.
public protocol Compression: Sendable {
    /// Begins a frame.
    ///
    /// - Throws: ``CompressionError`` where the library cannot be used.
    func makeCompressor() throws(CompressionError) -> any Compressor
    /// Begins a frame of a few kilobytes, for which setting up matters more than the last percent.
    ///
    /// - Throws: ``CompressionError`` where the library cannot be used.
    func makeQuickCompressor() throws(CompressionError) -> any Compressor
    /// Opens compressed data.
    ///
    /// - Parameters:
    ///   - limit: The most expanded bytes.
    ///   - isBeginningOnly: Whether the caller reads only the beginning.
    /// - Throws: ``CompressionError`` for data that are not a frame, or that need more than 8 MiB of memory.
    func makeExpander(
        of data: CompressedData,
        limit: Int,
        isBeginningOnly: Bool
    ) throws(CompressionError) -> any Expander
}

extension Compression {
    /// Begins a frame like any other.
    ///
    /// - Throws: ``CompressionError`` where the library cannot be used.
    public func makeQuickCompressor() throws(CompressionError) -> any Compressor { try makeCompressor() }
}

/// The place of compressed data.
public enum CompressedData: Sendable {
    /// Data in memory.
    case bytes([UInt8])
    /// Data in an open file, read from its beginning; the caller closes it. The name is for messages.
    case descriptor(Int32, name: String)
}

/// Compresses data piece by piece, in constant memory.
public protocol Compressor: AnyObject {
    /// Adds data, and passes on the bytes compressed so far.
    ///
    /// - Throws: ``CompressionError`` where compressing fails, and the error of `sink`.
    func write(_ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws -> Void) throws
    /// Ends the frame, and passes on the rest.
    ///
    /// - Throws: ``CompressionError`` where compressing fails, and the error of `sink`.
    func finish(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Expands data piece by piece, in constant memory.
public protocol Expander: AnyObject {
    /// Reads the next bytes of the content; 0 at its end.
    ///
    /// - Throws: ``CompressionError`` for data that are damaged, truncated or larger than the limit.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int
}

/// The error of compressing or expanding data.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
    /// The reason, without a final full stop.
    public let message: String
    /// The message.
    public var description: String { message }

    /// Makes an error.
    public init(_ message: String) { self.message = message }
}

/// The compression for code that only lists names.
struct NoCompression: Compression {
    func makeCompressor() throws(CompressionError) -> any Compressor { throw Self.error }

    func makeExpander(of data: CompressedData, limit: Int, isBeginningOnly: Bool) throws(CompressionError)
        -> any Expander
    {
        throw Self.error
    }

    private static var error: CompressionError { CompressionError("no compression was handed in") }
}
