/// Writes a checkpoint piece by piece: its header, then the bytes of a state.
package final class CheckpointSink {
    private let file: SharedFile
    private let compressor: any Compressor
    private var hash = ContentHash()
    private var pending: [UInt8] = []
    private(set) var written = 0

    init(_ file: SharedFile, _ compression: any Compression) throws {
        self.file = file
        compressor = try compression.makeCompressor()
        pending.reserveCapacity(Self.room)
    }

    /// The size of the line buffer, as each call of the library costs more than a line.
    private static let room = 1 << 17

    /// Writes the header, first of all.
    package func write(_ header: CheckpointHeader) throws { try writeLine(header.encoded()) }

    /// Writes bytes of the state, cut anywhere.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.room { try flush() }
    }

    /// Writes a line of the state.
    ///
    /// - Parameter line: The line without its line feed.
    package func writeLine(_ line: [UInt8]) throws {
        pending.append(contentsOf: line)
        pending.append(UInt8(ascii: "\n"))
        if pending.count >= Self.room { try flush() }
    }

    private func flush() throws {
        try pending.withUnsafeBytes { try compressor.write($0, to: take) }
        pending.removeAll(keepingCapacity: true)
    }

    private func take(_ piece: UnsafeRawBufferPointer) throws {
        try file.write(piece)
        hash.update(piece)
        written += piece.count
    }

    /// Ends the checkpoint, and returns the hash of all written bytes.
    func finish() throws -> String {
        try flush()
        try compressor.finish(take)
        return hash.value()
    }
}
