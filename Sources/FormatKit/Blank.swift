extension StringProtocol {
    /// Whether there is nothing to see: no character at all, or only white space of Unicode and byte order marks.
    ///
    /// The schemas say the same with the regular expression `[^\s\u0085]`.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{FEFF}" } }
}
