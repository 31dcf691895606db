/// The rules of RFC 5891, section 4.2, for one U-label, short of its length and the Bidi rule.
enum IDNALabel {
    /// Tells whether the scalars, at least one, may stand in a label in this order.
    static func isValid(_ scalars: UnsafeBufferPointer<UInt32>, requiresNFC: Bool) -> Bool {
        guard let first = scalars.first, let last = scalars.last, first != hyphen, last != hyphen,
            !hasReservedHyphens(scalars), !isCombiningMark(first)
        else { return false }
        for index in scalars.indices {
            guard let scalar = Unicode.Scalar(scalars[index]) else { return false }
            switch IDNAProperty(scalar) {
            case .valid: break
            case .contextJ: guard IDNAContext.allowsJoiner(scalars, at: index) else { return false }
            case .contextO: guard IDNAContext.allowsOther(scalars, at: index) else { return false }
            case .disallowed, .unassigned: return false
            }
        }
        return !requiresNFC || CanonicalComposition.isNFC(scalars)
    }

    /// Tells whether hyphens stand in places 3 and 4, which is reserved for prefixes such as `xn--`.
    static func hasReservedHyphens(_ scalars: UnsafeBufferPointer<UInt32>) -> Bool {
        scalars.count >= 4 && scalars[2] == hyphen && scalars[3] == hyphen
    }

    private static let hyphen: UInt32 = 0x2D

    private static func isCombiningMark(_ value: UInt32) -> Bool {
        switch Unicode.Scalar(value)?.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
