/// Reads and tests of eight bytes in one word, the first byte lowest on every machine.
enum EightBytes {
    /// The top bit of every byte.
    static let topBits: UInt64 = 0x8080_8080_8080_8080

    /// Loads eight readable bytes, at any alignment.
    @inline(__always)
    static func load(_ base: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(as: UInt64.self))
    }

    /// Sets the top bit of every byte that is an ASCII hexadecimal digit, given that no byte has its top bit set.
    ///
    /// Each addition overflows into the top bit from the bound on, so that the difference of two is a range.
    @inline(__always)
    static func hexDigits(_ word: UInt64) -> UInt64 {
        let lowercased = word | 0x2020_2020_2020_2020
        let digits = (word &+ 0x5050_5050_5050_5050) & ~(word &+ 0x4646_4646_4646_4646)
        let letters = (lowercased &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(lowercased &+ 0x1919_1919_1919_1919)
        return digits | letters
    }

    /// Tells whether all eight bytes are ASCII hexadecimal digits.
    @inline(__always)
    static func isHex(_ word: UInt64) -> Bool {
        hexDigits(word) & ~word & topBits == topBits
    }
}
