/// A regular expression of ECMA-262 in Unicode mode (the `u` flag), for the keywords `pattern`, `patternProperties` and
/// `format: regex` of JSON Schema.
///
/// It answers one question, whether the pattern matches somewhere in a text. The source is ECMA-262 (2024), 22.2;
/// characters are code points.
///
/// ```swift
/// let color = try ECMARegex("^#[0-9A-Fa-f]{6}$")
/// try color.matches("#00ff7F")  // true
/// ```
///
/// Matching takes time linear in the text unless the pattern has a backreference; then steps are counted, and a match
/// that takes too many of them throws. A value is immutable and can be used by several threads at once.
package struct ECMARegex: Sendable {
    private let matcher: RegexMatcher

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - pattern: The pattern, without slashes and flags.
    ///   - lenient: Whether to accept what Annex B of ECMA-262 allows without the `u` flag and authors of schemas often
    ///     write: a backslash before any ASCII punctuation or space, `{`, `}` and `]` standing for themselves, and `-`
    ///     next to a set in a class (`[\w-.]`). The meaning of what is valid in Unicode mode stays the same.
    /// - Throws: ``ECMARegexError`` with `syntax` for an invalid pattern, `tooLarge` for one beyond the limits.
    package init(_ pattern: String, lenient: Bool = false) throws(ECMARegexError) {
        try self.init(pattern, lenient: lenient, engine: .automatic)
    }

    /// Compiles a pattern for a given way to match, so that tests can compare them.
    init(_ pattern: String, lenient: Bool, engine: RegexMatcher.Engine) throws(ECMARegexError) {
        let syntax = try RegexParser.parse(pattern, isLenient: lenient)
        matcher = try RegexMatcher.make(syntax, engine: engine)
    }

    /// Checks that a pattern is valid without compiling it, for `format: regex`.
    ///
    /// A valid pattern whose counted repetitions are too large to compile passes.
    ///
    /// - Throws: ``ECMARegexError`` with `syntax`, or `tooLarge` when groups are nested too deep to tell.
    package static func validate(_ pattern: String, lenient: Bool = false) throws(ECMARegexError) {
        _ = try RegexParser.parse(pattern, isLenient: lenient)
    }

    /// Tells whether the pattern matches anywhere in a text.
    ///
    /// - Parameters:
    ///   - utf8: The text; it has to be valid UTF-8, or else the answer is arbitrary.
    ///   - halvings: How often the limit of steps is halved.
    /// - Throws: ``ECMARegexError`` with `budgetExceeded` when the match took too many steps and the answer is unknown.
    package func matches(
        _ utf8: UnsafeBufferPointer<UInt8>,
        halvings: Int = 0
    ) throws(ECMARegexError) -> Bool {
        try matcher.matches(utf8, halvings: halvings)
    }

    /// Tells whether the pattern matches anywhere in a string; see the form for bytes.
    package func matches(_ text: String) throws(ECMARegexError) -> Bool {
        var text = text
        let result = text.withUTF8 { utf8 in
            Result { () throws(ECMARegexError) in try matcher.matches(utf8) }
        }
        return try result.get()
    }
}
