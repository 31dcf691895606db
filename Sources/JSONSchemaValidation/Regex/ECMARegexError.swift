/// An error for a pattern that was refused, or a match that was given up.
package struct ECMARegexError: Error, Equatable, Sendable {
    /// The kinds of failure that a caller tells apart.
    package enum Code: Equatable, Sendable {
        /// The pattern is not a pattern of ECMA-262 in Unicode mode.
        case syntax
        /// The pattern is valid but too large or too deeply nested to compile.
        case tooLarge
        /// The match was abandoned because it took more steps or memory than allowed; neither yes nor no is known.
        case budgetExceeded
    }

    /// The kind of failure.
    package let code: Code

    /// The message: what was found and what was expected, in one sentence fit for a diagnostic.
    package let message: String

    /// The offset in the pattern in Unicode scalars; zero when no single place is to blame.
    package let offset: Int

    /// Makes a failure to parse or compile at a place of the pattern.
    init(_ code: Code, _ message: String, offset: Int = 0) {
        self.code = code
        self.message = message
        self.offset = offset
    }
}

extension ECMARegexError: CustomStringConvertible {
    /// The message followed by its place.
    package var description: String {
        code == .syntax ? "\(message) (at offset \(offset))" : message
    }
}
