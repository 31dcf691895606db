import StrictJSON

/// Compact JSON, made again and again in the same memory.
final class CompactJSON {
    private final class Buffer {
        var bytes: [UInt8] = []
    }

    private let buffer = Buffer()
    private var writer: JSONWriter

    init() { writer = JSONWriter(style: .compact) { [buffer] in buffer.bytes.append(contentsOf: $0) } }

    /// Returns the text that `write` writes.
    func text(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        buffer.bytes.removeAll(keepingCapacity: true)
        write(&writer)
        writer.beginNextText()
        return buffer.bytes
    }
}
