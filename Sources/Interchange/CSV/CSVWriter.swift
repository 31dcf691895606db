internal import FormatKit

/// Writes a table as RFC 4180 has it: commas, CRLF, quotes where they are needed.
///
/// A cell that a spreadsheet would take for a formula gets an apostrophe in front, so that text from elsewhere cannot make
/// one run anything: see `FormulaGuard`.
public struct CSVWriter: ~Copyable {
    /// Takes the next bytes of the text.
    public typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    private static let capacity = 1 << 16
    private let sink: Sink
    private var bytes: [UInt8] = []
    private var isFirst = true

    /// Makes a writer that calls `sink` with some 64 KB at a time, and with the rest at the end.
    public init(sink: @escaping Sink) {
        self.sink = sink
        bytes.reserveCapacity(Self.capacity + 4096)
    }

    /// Writes a cell: nothing for nil, quotes for an empty text, so that a reader can tell the two apart.
    public mutating func cell(_ text: String?) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        guard let text else { return }
        var safe = FormulaGuard.guarded(text)
        safe.withUTF8 { utf8 in
            let needsQuotes =
                utf8.isEmpty || utf8.first == 0x20 || utf8.last == 0x20 || utf8.starts(with: [0xEF, 0xBB, 0xBF])
                || utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x3B || $0 < 0x20 }
            guard needsQuotes else {
                bytes.append(contentsOf: utf8)
                return
            }
            bytes.append(0x22)
            for byte in utf8 {
                if byte == 0x22 { bytes.append(0x22) }
                bytes.append(byte)
            }
            bytes.append(0x22)
        }
    }

    /// Ends the row.
    ///
    /// - Throws: The error of the sink.
    public mutating func endRow() throws {
        bytes.append(0x0D)
        bytes.append(0x0A)
        isFirst = true
        if bytes.count >= Self.capacity { try flush() }
    }

    /// Writes what is left.
    ///
    /// - Throws: The error of the sink.
    public mutating func finish() throws { try flush() }

    private mutating func flush() throws {
        guard !bytes.isEmpty else { return }
        try bytes.withUnsafeBytes { try sink($0) }
        bytes.removeAll(keepingCapacity: true)
    }
}
