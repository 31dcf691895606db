extension StringProtocol {
    /// True if there is nothing to see: no character, or only Unicode white space and byte order marks.
    ///
    /// The schemas say the same with the regular expression `[^\s\u0085]`.
    package var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\u{FEFF}" } }
}
