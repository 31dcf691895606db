/// The textual form of a UUID (RFC 4122, section 3): hexadecimal digits in groups of 8-4-4-4-12, in either case.
///
/// Version and variant are not looked at, as the grammar does not constrain them.
enum UUIDFormat {
    /// Tells whether the bytes are a UUID.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == 36, let base = utf8.baseAddress else { return false }
        // The dashes are at 8, 13, 18 and 23: bytes 0 and 5 of the second word, 2 and 7 of the third. Where a dash is
        // right, 0x1D turns it into the digit 0, and the word can be tested as a whole.
        let second = EightBytes.load(base + 8)
        let third = EightBytes.load(base + 16)
        guard second & 0x0000_FF00_0000_00FF == 0x0000_2D00_0000_002D,
            third & 0xFF00_0000_00FF_0000 == 0x2D00_0000_002D_0000
        else { return false }
        return EightBytes.isHex(EightBytes.load(base))
            && EightBytes.isHex(second ^ 0x0000_1D00_0000_001D)
            && EightBytes.isHex(third ^ 0x1D00_0000_001D_0000)
            && EightBytes.isHex(EightBytes.load(base + 24))
            && EightBytes.isHex(EightBytes.load(base + 28))
    }
}
