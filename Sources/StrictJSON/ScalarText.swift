extension String {
    /// Returns the text with another text in place of each occurrence of a scalar.
    ///
    /// The standard library's `replacing` compares characters, and misses a quote that an accent follows: the two are one
    /// character.
    package func replacingScalar(_ scalar: Unicode.Scalar, with text: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        var result = String.UnicodeScalarView()
        for found in unicodeScalars {
            if found == scalar { result.append(contentsOf: text.unicodeScalars) } else { result.append(found) }
        }
        return String(result)
    }
}
