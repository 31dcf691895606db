internal import StrictJSON

extension XMLGate {
    mutating func control(
        _ piece: UnsafeMutableBufferPointer<UInt8>,
        _ index: inout Int,
        length: Int
    ) -> Step {
        let place = position(index)
        let isNUL = piece[index] == 0
        guard options.replacesControlCharacters, !isNUL else {
            let bytes = length == 1 ? [0, piece[index]] : [0xFF, piece[index + 2] | 0xC0]
            let message = "the character U+\(Hex.text(bytes, uppercase: true)), which XML cannot hold"
            failure = Failure(code: .character, message: message, position: place, isNUL: isNUL)
            return .stop
        }
        replaced += 1
        firstReplaced = firstReplaced ?? place
        for place in index..<index + length { piece[place] = UInt8(ascii: " ") }
        continuations += length - 1
        index += length
        return .on
    }

    mutating func character(
        _ piece: UnsafeMutableBufferPointer<UInt8>,
        _ index: inout Int,
        _ isLast: Bool
    ) -> Step {
        if depth == 0, state == .content {
            return fail(hasRoot ? .trailing : .syntax, "found a character outside of any element; expected '<'", index)
        }
        let lead = piece[index]
        let length = lead < 0xE0 ? 2 : (lead < 0xF0 ? 3 : 4)
        // The second byte must not make the sequence an overlong one, a surrogate, or a number beyond Unicode's.
        let second: ClosedRange<UInt8> =
            switch lead {
            case 0xE0: 0xA0...0xBF
            case 0xED: 0x80...0x9F
            case 0xF0: 0x90...0xBF
            case 0xF4: 0x80...0x8F
            default: 0x80...0xBF
            }
        var isValid = (0xC2...0xF4).contains(lead)
        for place in 1..<length where isValid {
            guard index + place < piece.count else {
                if !isLast { return .wait }
                isValid = false
                break
            }
            isValid = (place == 1 ? second : 0x80...0xBF).contains(piece[index + place])
        }
        guard isValid else {
            let byte = Hex.text([lead], uppercase: true)
            let message = "the byte 0x\(byte) begins no character of UTF-8; find out what wrote the text"
            return fail(.invalidUTF8, message, index)
        }
        if lead == 0xEF, piece[index + 1] == 0xBF, piece[index + 2] >= 0xBE { return control(piece, &index, length: 3) }
        if state == .subsetEnd { state = .subset }
        continuations += length - 1
        index += length
        return .on
    }
}

/// The classes of bytes that the gate tells apart.
enum ByteClass {
    static let less: UInt8 = 1
    static let greater: UInt8 = 2
    static let double: UInt8 = 4
    static let single: UInt8 = 8
    static let bracket: UInt8 = 16
    /// A control character, a line's end, or no ASCII.
    static let odd: UInt8 = 32
    /// Any ASCII but white space.
    static let mark: UInt8 = 64

    static let table: [UInt8] = (0...255).map { (byte: Int) -> UInt8 in
        switch UInt8(byte) {
        case 0x09, 0x0D, 0x20: return 0
        case 0..<0x20, 0x80...: return odd
        case UInt8(ascii: "<"): return less | mark
        case UInt8(ascii: ">"): return greater | mark
        case UInt8(ascii: "\""): return double | mark
        case UInt8(ascii: "'"): return single | mark
        case UInt8(ascii: "["), UInt8(ascii: "]"): return bracket | mark
        default: return mark
        }
    }
}
