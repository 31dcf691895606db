/// A category's name as it is compared: without regard to case and to Unicode's several spellings of one character.
///
/// Two names have the same key when they are a canonical caseless match (Unicode, section 3.13, D145): `EXERCISE`, and
/// `Cafe` + U+0301 and `CAFÉ`. White space counts.
package struct CategoryKey: Hashable {
    package let folded: String

    package init(_ name: String) {
        var folded = ""
        for scalar in name.unicodeScalars { folded += Self.fold(scalar) }
        self.folded = folded
    }

    /// Folds the case of a scalar fully, so that neither locale nor context (final sigma) matters.
    ///
    /// Lower, upper, lower reaches every class of CaseFolding.txt (`ß`, `ẞ` and `SS` become `ss`; `ſ` becomes `s`; the
    /// Kelvin sign `k`) and joins one letter too many: `ı`, which folds to itself. Swift compares the results by
    /// canonical equivalence, which is comparing them in NFC.
    private static func fold(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII { return scalar.properties.lowercaseMapping }
        if scalar == "\u{131}" { return "\u{131}" }
        return map(map(map(String(scalar), \.lowercaseMapping), \.uppercaseMapping), \.lowercaseMapping)
    }

    private static func map(_ text: String, _ mapping: KeyPath<Unicode.Scalar.Properties, String>) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += $1.properties[keyPath: mapping] }
    }
}
