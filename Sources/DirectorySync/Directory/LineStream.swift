internal import RecordMerge

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Reads the lines of compressed text, in memory that grows only with the longest line.
final class LineStream {
    private let reader: any Expander
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var filled = 0
    private var start = 0
    private let limit: Int

    init(_ reader: any Expander, limit: Int = MergeLimits().mostLineBytes) {
        self.reader = reader
        self.limit = limit
    }

    deinit { buffer.deallocate() }

    /// Calls `body` with each line without its line feed, or with the first ones.
    ///
    /// - Throws: `SegmentError` for a line that is too long or has no end; ``CompressionError``; the error of `body`.
    func forEach(first most: Int = .max, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var count = 0
        while count < most, let end = try nextEnd(line: count + 1) {
            try body(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
            start = end + 1
            count += 1
        }
    }

    /// Returns the end of the next line; nil at the end of the text.
    private func nextEnd(line: Int) throws -> Int? {
        var looked = start
        while true {
            if let end = lineFeed(from: looked) { return end }
            looked = filled - start
            try makeRoom(line: line)
            let count = try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            filled += count
            if count > 0 { continue }
            guard filled == 0 else { throw SegmentError.corrupt(line, "found no end of the line") }
            return nil
        }
    }

    private func lineFeed(from place: Int) -> Int? {
        guard place < filled, let base = buffer.baseAddress,
            let found = memchr(base + place, Int32(UInt8(ascii: "\n")), filled - place)
        else { return nil }
        return found - UnsafeMutableRawPointer(base)
    }

    /// Moves the rest to the beginning; a rest that fills the buffer is a line that is too long.
    private func makeRoom(line: Int) throws {
        guard let base = buffer.baseAddress else { return }
        let rest = filled - start
        guard rest <= limit else { throw SegmentError.corrupt(line, "found a line of more than \(limit) bytes") }
        if rest == buffer.count {
            let count = max(min(2 * buffer.count, limit + 1), buffer.count + 1)
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            larger.copyMemory(from: UnsafeRawBufferPointer(buffer))
            buffer.deallocate()
            buffer = larger
        } else if start > 0, rest > 0 {
            base.copyMemory(from: base + start, byteCount: rest)
        }
        start = 0
        filled = rest
    }
}
