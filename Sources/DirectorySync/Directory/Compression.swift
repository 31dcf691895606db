/// Compresses and expands what lies in a shared folder: Zstandard (RFC 8878), in frames one behind the other.
///
/// It is handed in with ``SyncEnvironment``, so that synchronisation needs no library of the system: the programs bring
/// libarchive's, and an app on a phone brings its own.
public protocol Compression: Sendable {
    /// Begins a frame.
    ///
    /// - Throws: ``CompressionError`` where the library cannot be used.
    func makeCompressor() throws(CompressionError) -> any Compressor
    /// Opens compressed data.
    ///
    /// - Parameters:
    ///   - limit: The most bytes that may come out.
    ///   - isBeginningOnly: Whether no more than the beginning is going to be read.
    /// - Throws: ``CompressionError`` for data that are no frame, or that need more than 8 MiB of memory.
    func makeExpander(
        of data: CompressedData,
        limit: Int,
        isBeginningOnly: Bool
    ) throws(CompressionError) -> any Expander
}

/// Where compressed data are.
public enum CompressedData: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// In an open file, which stays open; it is read from its beginning. The name is for messages.
    case descriptor(Int32, name: String)
}

/// Compresses data piece by piece, in memory that does not grow with them.
public protocol Compressor: AnyObject {
    /// Adds data, and hands on what is compressed so far.
    ///
    /// - Throws: ``CompressionError`` where compressing fails, and the error of `sink`.
    func write(_ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws -> Void) throws
    /// Ends the frame, and hands on the rest.
    ///
    /// - Throws: ``CompressionError`` where compressing fails, and the error of `sink`.
    func finish(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws
}

/// Expands data piece by piece, in memory that does not grow with them.
public protocol Expander: AnyObject {
    /// Reads the next bytes of the content; 0 at its end.
    ///
    /// - Throws: ``CompressionError`` for data that are damaged, truncated or larger than the limit.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CompressionError) -> Int
}

/// Why data could not be compressed or expanded.
public struct CompressionError: Error, Sendable, CustomStringConvertible {
    /// The reason, without a final full stop.
    public let message: String
    /// The message.
    public var description: String { message }

    /// An error.
    public init(_ message: String) { self.message = message }
}

/// For what only lists names.
struct NoCompression: Compression {
    func makeCompressor() throws(CompressionError) -> any Compressor { throw Self.error }

    func makeExpander(of data: CompressedData, limit: Int, isBeginningOnly: Bool) throws(CompressionError)
        -> any Expander
    {
        throw Self.error
    }

    private static var error: CompressionError { CompressionError("no compression was handed in") }
}
