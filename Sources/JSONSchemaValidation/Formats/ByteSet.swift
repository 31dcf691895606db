/// A set of ASCII bytes, as the grammars of the RFCs name them.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Makes the set of the characters of an ASCII literal.
    init(_ characters: StaticString) {
        for byte in UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount) {
            insert(byte)
        }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 {
            low |= 1 << UInt64(byte)
        } else if byte < 128 {
            high |= 1 << UInt64(byte - 64)
        }
    }

    /// This set and the other together.
    func union(_ other: ByteSet) -> ByteSet {
        var result = self
        result.low |= other.low
        result.high |= other.high
        return result
    }

    /// Tells whether the byte is in the set; no byte of 0x80 or more is.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    /// Letters and digits.
    static let alphanumerics = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
}

extension ByteSet {
    /// Tells whether the byte is `0` to `9`.
    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// Tells whether the byte is an ASCII letter.
    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Tells whether the byte is a hexadecimal digit in either case.
    @inline(__always)
    static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6 }

    /// Tells whether `%` at the index is followed by two hexadecimal digits.
    @inline(__always)
    static func isPercentTriplet(_ utf8: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        index < utf8.count - 2 && utf8[index] == UInt8(ascii: "%") && isHexDigit(utf8[index + 1])
            && isHexDigit(utf8[index + 2])
    }
}
