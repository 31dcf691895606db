/// The contextual rules of RFC 5892, appendix A.
enum IDNAContext {
    /// Tells whether the zero width joiner or non-joiner at the index is allowed there (A.1 and A.2).
    static func allowsJoiner(_ scalars: UnsafeBufferPointer<UInt32>, at index: Int) -> Bool {
        guard index > 0 else { return false }
        if isVirama(scalars[index - 1]) { return true }
        return scalars[index] == 0x200C && breaksCursiveJoin(scalars, at: index)
    }

    /// Tells whether the CONTEXTO code point at the index is allowed there (A.3 to A.9).
    static func allowsOther(_ scalars: UnsafeBufferPointer<UInt32>, at index: Int) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index] {
        case 0xB7: return before == 0x6C && after == 0x6C
        case 0x375: return after.map(isGreek) ?? false
        case 0x5F3, 0x5F4: return before.map(isHebrew) ?? false
        case 0x30FB: return scalars.contains(where: isJapanese)
        case 0x660...0x669: return !scalars.contains { (0x6F0...0x6F9).contains($0) }
        case 0x6F0...0x6F9: return !scalars.contains { (0x660...0x669).contains($0) }
        default: return false
        }
    }

    private static func isVirama(_ value: UInt32) -> Bool {
        Unicode.Scalar(value)?.properties.canonicalCombiningClass == .virama
    }

    /// Tells whether the non-joiner stands between letters that would join across it, transparent ones left aside.
    private static func breaksCursiveJoin(_ scalars: UnsafeBufferPointer<UInt32>, at index: Int) -> Bool {
        guard let before = scalars[..<index].last(where: { !JoiningType.isTransparent($0) }),
            let after = scalars[(index + 1)...].first(where: { !JoiningType.isTransparent($0) })
        else { return false }
        return JoiningType.joinsForward(before) && JoiningType.joinsBackward(after)
    }

    /// Tells whether the script is Greek, among code points that labels may have.
    private static func isGreek(_ value: UInt32) -> Bool {
        switch value {
        case 0x370...0x373, 0x375...0x377, 0x37A...0x37D, 0x37F, 0x384, 0x386, 0x388...0x3E1, 0x3F0...0x3FF,
            0x1D26...0x1D2A, 0x1F00...0x1FFE, 0xAB65:
            true
        default: false
        }
    }

    /// Tells whether the script is Hebrew.
    private static func isHebrew(_ value: UInt32) -> Bool {
        switch value {
        case 0x591...0x5F4, 0xFB1D...0xFB4F: true
        default: false
        }
    }

    /// Tells whether the script is Hiragana, Katakana or Han, among code points that labels may have.
    private static func isJapanese(_ value: UInt32) -> Bool {
        switch value {
        case 0x3041...0x3096, 0x309D...0x309F, 0x30A1...0x30FA, 0x30FD...0x30FF, 0x31F0...0x31FF, 0x1AFF0...0x1AFFE,
            0x1B000...0x1B167:
            true
        case 0x3005, 0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAD9, 0x16FE3, 0x16FF0...0x16FF3,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
