/// A JSON number, kept as the token that stood in the text.
///
/// Nothing is rounded until someone asks for a `Double`. Two numbers are equal when their tokens are.
public struct JSONNumber: Sendable, Hashable, CustomStringConvertible {
    /// The token, which follows RFC 8259's grammar for numbers.
    public let token: String

    /// Makes an integer.
    public init(_ value: Int) { token = String(value) }

    /// Makes a number of a token that is known to follow the grammar.
    package init(validToken token: String) { self.token = token }

    /// Makes a finite number in the shortest form that gives it back, as ECMAScript writes it; nil for NaN and
    /// infinities.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        token = ECMAScriptNumber.text(of: value)
    }

    /// The number as a 64-bit integer, or nil where it has a fraction other than zero or does not fit.
    ///
    /// `2.0` and `2e0` are the integer 2, as in JSON Schema.
    public var int: Int? { Int(token) ?? DecimalNumber(token: token)?.int }

    /// The nearest double; infinite where the token is out of range.
    public var double: Double { Double(token) ?? .nan }

    /// The token.
    public var description: String { token }
}
