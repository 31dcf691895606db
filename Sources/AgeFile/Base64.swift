/// Base64 as RFC 4648 has it, and nothing that another encoder would have written otherwise.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Returns whether a byte is one of the 64.
    static func isLetter(_ byte: UInt8) -> Bool { values[Int(byte)] != 0xFF }

    /// Encodes bytes.
    package static func encode(_ bytes: some Collection<UInt8>, isPadded: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var (bits, held) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | Int(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(alphabet[bits >> held & 63])
            }
            bits &= (1 << held) - 1
        }
        if held > 0 { text.append(alphabet[bits << (6 - held) & 63]) }
        while isPadded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return text
    }

    /// Decodes a text; nil where no encoder would have written it so.
    ///
    /// - Parameter isPadded: Whether the text ends with `=` where its bytes are no multiple of three.
    package static func decode(_ text: some BidirectionalCollection<UInt8>, isPadded: Bool = false) -> [UInt8]? {
        var letters = text[...]
        if isPadded {
            guard text.count % 4 == 0 else { return nil }
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        // One letter alone holds six bits, which is no byte.
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var (bits, held) = (0, 0)
        for letter in letters {
            let value = values[Int(letter)]
            guard value != 0xFF else { return nil }
            bits = bits << 6 | Int(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> held))
                bits &= (1 << held) - 1
            }
        }
        // Bits that belong to no byte are zero.
        return bits == 0 ? bytes : nil
    }
}
