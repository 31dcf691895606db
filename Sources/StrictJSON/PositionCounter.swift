/// Counts lines and columns while it goes through a text.
///
/// It can go on where another piece of the text begins, so that a file read in pieces is counted as it passes.
struct PositionCounter {
    /// The offset of the byte that the next call starts from, in the whole text.
    private(set) var offset = 0
    private var line: Int
    private var column = 1

    /// Makes a counter at the beginning of a text.
    ///
    /// - Parameter line: The number of its first line.
    init(line: Int = 1) { self.line = line }

    /// Returns the position of a byte at or behind the last one.
    ///
    /// - Parameters:
    ///   - target: The byte's offset in the whole text.
    ///   - text: The piece that holds the bytes from the last place to this one.
    ///   - start: The offset of the piece in the whole text.
    mutating func advance(to target: Int, in text: UnsafeBufferPointer<UInt8>, at start: Int = 0) -> TextPosition {
        let end = min(max(target - start, 0), text.count)
        var index = offset - start
        if let base = text.baseAddress, index >= 0 {
            var lastBreak = -1
            while end - index >= 8 {
                let word = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
                let breaks = Self.zeroBytes(word ^ 0x0A0A_0A0A_0A0A_0A0A)
                if breaks != 0 {
                    line += breaks.nonzeroBitCount
                    lastBreak = index + 7 - breaks.leadingZeroBitCount / 8
                    column = 1
                }
                index += 8
                if breaks == 0 { column += Self.leadBytes(word) }
                if breaks != 0 {
                    column += (lastBreak + 1..<index).reduce(0) { $0 + (base[$1] & 0xC0 == 0x80 ? 0 : 1) }
                }
            }
            while index < end {
                if base[index] == 0x0A {
                    line += 1
                    column = 1
                } else if base[index] & 0xC0 != 0x80 {
                    column += 1
                }
                index += 1
            }
            offset = start + index
        }
        return TextPosition(offset: target, line: line, column: column)
    }

    /// Marks the zero bytes of a word, exactly.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        let low = (word & 0x7F7F_7F7F_7F7F_7F7F) &+ 0x7F7F_7F7F_7F7F_7F7F
        return ~(low | word | 0x7F7F_7F7F_7F7F_7F7F)
    }

    /// Returns the number of bytes in a word that begin a code point.
    @inline(__always)
    private static func leadBytes(_ word: UInt64) -> Int {
        let continuation = word & ~(word &<< 1) & 0x8080_8080_8080_8080
        return 8 - continuation.nonzeroBitCount
    }
}
