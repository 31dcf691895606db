internal import StrictJSON

/// Compact JSON, made again and again in the same memory.
final class CompactJSON {
    private final class Buffer {
        var bytes: [UInt8] = []
    }

    private let buffer = Buffer()
    private var writer: JSONWriter

    init() { writer = JSONWriter(style: .compact) { [buffer] in buffer.bytes.append(contentsOf: $0) } }

    /// Returns the text of a value, as a column holds it.
    func text(of node: JSONNode) -> [UInt8] {
        buffer.bytes.removeAll(keepingCapacity: true)
        writer.node(node)
        writer.beginNextText()
        return buffer.bytes
    }
}
