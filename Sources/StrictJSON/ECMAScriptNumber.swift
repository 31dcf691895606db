/// Numbers as ECMAScript's `Number::toString` writes them, which RFC 8785 takes over (section 3.2.2.3).
enum ECMAScriptNumber {
    /// Returns the shortest text that gives the double back: `1e+30`, `0.000001`, `4.5`, `0` for a negative zero too.
    ///
    /// - Parameter value: A finite number.
    static func text(of value: Double) -> String {
        if value == 0 { return "0" }
        // Swift's description has the same shortest digits; only where the point goes differs.
        guard let decimal = DecimalNumber(token: "\(abs(value))") else { return "\(value)" }
        let digits = decimal.digits.map { Character(Unicode.Scalar($0 + UInt8(ascii: "0"))) }
        let point = digits.count + decimal.exponent
        var text = value < 0 ? "-" : ""
        if (1...21).contains(point) {
            text += String(digits.prefix(point)) + String(repeating: "0", count: max(0, point - digits.count))
            if digits.count > point { text += "." + String(digits.dropFirst(point)) }
        } else if (-5...0).contains(point) {
            text += "0." + String(repeating: "0", count: -point) + String(digits)
        } else {
            text += String(digits.prefix(1)) + (digits.count > 1 ? "." + String(digits.dropFirst()) : "")
            text += (point > 0 ? "e+" : "e-") + String(abs(point - 1))
        }
        return text
    }

    /// Returns a number token in canonical form.
    ///
    /// An integer that a double would round keeps its digits: RFC 8785 has no form for it, and rounding would give two
    /// numbers that differ the same bytes.
    static func canonical(_ token: String) -> String {
        guard let double = Double(token), double.isFinite else { return token }
        let text = text(of: double)
        let isInteger = token.utf8.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
        guard isInteger, token != text, DecimalNumber(token: token) != DecimalNumber(token: text) else { return text }
        return token
    }
}
