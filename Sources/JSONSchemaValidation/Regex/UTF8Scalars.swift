/// Reads code points from UTF-8 in either direction.
///
/// The input is meant to be valid. If it is not, the code points are wrong but nothing outside the input is read and
/// every step moves on.
struct UTF8Scalars {
    let bytes: UnsafeBufferPointer<UInt8>

    /// Returns the code point that starts at `position` and its width in bytes, or nil at the end.
    @inline(__always)
    func scalar(at position: Int) -> (value: UInt32, width: Int)? {
        guard position < bytes.count else { return nil }
        let lead = bytes[position]
        if lead < 0x80 { return (UInt32(lead), 1) }
        let width = min(lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, bytes.count - position)
        return (value(at: position, width: width), width)
    }

    /// Returns the code point that ends at `position` and its width in bytes, or nil at the start.
    @inline(__always)
    func scalar(before position: Int) -> (value: UInt32, width: Int)? {
        guard position > 0 else { return nil }
        let last = bytes[position - 1]
        if last < 0x80 { return (UInt32(last), 1) }
        var width = 1
        while width < min(4, position), bytes[position - width] & 0xC0 == 0x80 { width += 1 }
        return (value(at: position - width, width: width), width)
    }

    private func value(at position: Int, width: Int) -> UInt32 {
        let leadMask: UInt8 = width == 2 ? 0x1F : width == 3 ? 0x0F : 0x07
        var value = UInt32(bytes[position] & leadMask)
        for index in 1..<max(width, 1) {
            value = value << 6 | UInt32(bytes[position + index] & 0x3F)
        }
        return value
    }

    /// Tells whether an assertion holds at a position.
    @inline(__always)
    func holds(_ assertion: RegexAssertion, at position: Int) -> Bool {
        switch assertion {
        case .inputStart: position == 0
        case .inputEnd: position == bytes.count
        case .wordBoundary: isWord(at: position - 1) != isWord(at: position)
        case .notWordBoundary: isWord(at: position - 1) == isWord(at: position)
        }
    }

    /// Tells whether a word character's byte is at an index; word characters are ASCII, so that a byte tells.
    private func isWord(at index: Int) -> Bool {
        index >= 0 && index < bytes.count && Self.isWord(bytes[index])
    }

    /// Tells whether a byte is an ASCII letter or digit or the low line.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
