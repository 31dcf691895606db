/// Decoding of scalars from bytes that were checked to be UTF-8 when they were read.
enum UTF8Reading {
    /// Decodes the scalar at the index and moves past it; nil only for bytes that are not UTF-8.
    ///
    /// Continuation bytes are not checked again, so a wrong one gives a wrong scalar, never a read past the end.
    @inline(__always)
    static func next(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt32? {
        guard index < utf8.count else { return nil }
        let lead = utf8[index]
        if lead < 0x80 {
            index += 1
            return UInt32(lead)
        }
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC0, index + length <= utf8.count else { return nil }
        var scalar = UInt32(lead) & (0x7F >> UInt32(length))
        for offset in 1..<length {
            scalar = scalar << 6 | UInt32(utf8[index + offset]) & 0x3F
        }
        index += length
        return scalar
    }
}
