/// Writes the lines of a state one by one, as a database takes them.
///
/// One writer serves all lines, so that a line needs no memory of its own.
///
/// ```swift
/// var encoder = LineEncoder()
/// let line = encoder.line(key, record)
/// ```
public struct LineEncoder: ~Copyable {
    private let buffer: Buffer
    private var writer: LineWriter

    private final class Buffer {
        var bytes: [UInt8] = []
    }

    /// Makes a writer of lines.
    public init() {
        let buffer = Buffer()
        self.buffer = buffer
        writer = LineWriter { buffer.bytes.append(contentsOf: $0) }
    }

    /// Returns the record's line of a state, without line feed.
    public mutating func line(_ key: RecordKey, _ record: RecordState) -> [UInt8] {
        buffer.bytes.removeAll(keepingCapacity: true)
        writer.record(key, record)
        writer.beginNextLine()
        return buffer.bytes
    }
}

extension RecordState {
    /// Returns the record's line of a state, without line feed; ``LineEncoder`` writes many.
    public func encodedLine(_ key: RecordKey) -> [UInt8] { LineWriter.line { $0.record(key, self) } }
}

extension ChangedRecord {
    /// Returns the record's line of a change, without line feed.
    public func encodedLine() -> [UInt8] { LineWriter.line { $0.record(self) } }
}
