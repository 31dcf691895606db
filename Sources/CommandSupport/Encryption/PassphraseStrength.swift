/// A simple estimate of how long a passphrase withstands guessing.
enum PassphraseStrength: String {
    case weak, fair, strong

    /// Estimates a passphrase.
    init(_ passphrase: String) {
        let bits = Self.bits(passphrase)
        self = bits < 40 ? .weak : bits < 60 ? .fair : .strong
    }

    /// The estimate in words.
    var text: String {
        switch self {
        case .weak: "This passphrase is weak: others can guess it. Four or more random words are better."
        case .fair: "This passphrase is fair. Five or more random words are better."
        case .strong: "This passphrase is strong."
        }
    }

    /// Returns the most bits that a guesser has to find out.
    static func bits(_ passphrase: String) -> Double {
        let scalars = Array(passphrase.unicodeScalars)
        var alphabet = 0
        if scalars.contains(where: { ("a"..."z").contains($0) }) { alphabet += 26 }
        if scalars.contains(where: { ("A"..."Z").contains($0) }) { alphabet += 26 }
        if scalars.contains(where: { ("0"..."9").contains($0) }) { alphabet += 10 }
        if scalars.contains(where: { !$0.properties.isAlphabetic && !("0"..."9").contains($0) }) { alphabet += 20 }
        if scalars.contains(where: { $0.value > 0x7F }) { alphabet += 60 }
        // A character that repeats or continues the one before, as in 1111 and abcd, adds next to nothing.
        let steps = zip(scalars.dropFirst(), scalars).map { Int($0.value) - Int($1.value) }
        let new = scalars.isEmpty ? 0 : 1 + steps.count { abs($0) > 1 }
        // Few characters that take turns, as in "a a a", add little more.
        let fresh = min(new, 3 * Set(scalars).count)
        let byCharacters = Double(fresh) * binaryLogarithm(Double(max(2, alphabet)))
        let words = scalars.split { $0 == " " || $0 == "-" }
        guard words.allSatisfy({ $0.count > 1 && $0.allSatisfy(\.properties.isAlphabetic) }) else {
            return byCharacters
        }
        // Words of a list of some 8,000: 13 bits for each that differs.
        return min(byCharacters, 13 * Double(Set(words.map { String(String.UnicodeScalarView($0)) }).count))
    }

    private static func binaryLogarithm(_ value: Double) -> Double {
        let (exponent, significand) = (value.exponent, value.significand)
        // Between powers of two a straight line is close enough.
        return Double(exponent) + significand - 1
    }
}
