/// The check for Unicode's normalization form C, by what the standard library lets one see of it.
enum CanonicalComposition {
    /// Tells whether scalars that are allowed in labels are in form C.
    ///
    /// No scalar that is allowed decomposes in form C on its own, as it would not survive NFKC_Casefold either. What is
    /// left to look for are marks out of order, and a mark or vowel sign that composes with the starter before it.
    static func isNFC(_ scalars: UnsafeBufferPointer<UInt32>) -> Bool {
        var starter: Int?
        var lastClass: UInt8 = 0
        for index in scalars.indices {
            let value = scalars[index]
            // Below the combining diacritical marks nothing composes with what stands before it.
            guard value >= 0x300, let scalar = Unicode.Scalar(value) else {
                starter = index
                lastClass = 0
                continue
            }
            let combiningClass = scalar.properties.canonicalCombiningClass.rawValue
            if combiningClass != 0, combiningClass < lastClass { return false }
            if mayCompose(scalar), let start = starter,
                changesFirstScalar(UnsafeBufferPointer(rebasing: scalars[start...index]))
            {
                return false
            }
            if combiningClass == 0 { starter = index }
            lastClass = combiningClass
        }
        return true
    }

    /// Tells whether a scalar may be the second of a canonical pair: a mark, or one of the vowel signs that are
    /// letters.
    private static func mayCompose(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: true
        default: (0x16D63...0x16D67).contains(scalar.value)
        }
    }

    /// Tells whether composition replaces the first of the scalars, a starter.
    ///
    /// Strings are ordered by their scalars in form C. Between the starter followed by U+0001 and by U+10FFFF, which
    /// compose with nothing, lie exactly the strings whose form C begins with that starter.
    private static func changesFirstScalar(_ scalars: UnsafeBufferPointer<UInt32>) -> Bool {
        guard let first = scalars.first.flatMap(Unicode.Scalar.init) else { return false }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars.lazy.compactMap(Unicode.Scalar.init))
        let text = String(view)
        return text < string(first, "\u{1}") || text > string(first, "\u{10FFFF}")
    }

    private static func string(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String {
        var view = String.UnicodeScalarView()
        view.append(first)
        view.append(second)
        return String(view)
    }
}
