/// A source of bytes that a reader takes piece by piece.
public struct JSONByteSource {
    /// Fills a buffer from its start; gives how many bytes there were, 0 only at the end.
    public let read: (UnsafeMutableRawBufferPointer) throws -> Int
    /// Goes back to the first byte: to find the lines of places that have passed.
    public let rewind: () throws -> Void

    /// Makes a source of two functions, such as `read(2)` and `lseek(2)` on a file.
    public init(
        read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int,
        rewind: @escaping () throws -> Void
    ) {
        self.read = read
        self.rewind = rewind
    }

    /// Makes a source that gives out an array in pieces of at most `piece` bytes.
    public init(_ bytes: [UInt8], piece: Int = .max) {
        var position = 0
        read = { buffer in
            let count = min(buffer.count, bytes.count - position, piece)
            buffer.copyBytes(from: bytes[position..<position + count])
            position += count
            return count
        }
        rewind = { position = 0 }
    }
}

extension JSONByteSource {
    /// Returns the positions of bytes in the text, from one more pass over it.
    func positions(ofOffsets offsets: [Int]) throws -> [TextPosition] {
        let sorted = Set(offsets).sorted()
        var positions: [Int: TextPosition] = [:]
        try rewind()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var counter = PositionCounter()
        var start = 0
        var next = 0
        while next < sorted.count {
            let count = try read(buffer)
            let piece = UnsafeBufferPointer(rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
            while next < sorted.count, sorted[next] < start + count || count == 0 {
                positions[sorted[next]] = counter.advance(to: sorted[next], in: piece, at: start)
                next += 1
            }
            _ = counter.advance(to: start + count, in: piece, at: start)
            start += count
            if count == 0 { break }
        }
        return offsets.map { positions[$0] ?? TextPosition(offset: $0, line: 1, column: 1) }
    }
}
