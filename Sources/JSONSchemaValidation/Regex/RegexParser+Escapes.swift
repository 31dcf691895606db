extension RegexParser {
    /// The meanings of an escape, in a class or outside.
    enum Escape {
        case scalar(UInt32)
        case set(ScalarSet)
    }

    /// Parses an AtomEscape, from its backslash.
    mutating func parseAtomEscape() throws(ECMARegexError) -> RegexNode {
        let start = position
        switch peek(1) {
        case "b":
            position += 2
            return .assertion(.wordBoundary)
        case "B":
            position += 2
            return .assertion(.notWordBoundary)
        case "1", "2", "3", "4", "5", "6", "7", "8", "9":
            position += 1
            let reference = RegexReference.number(parseDecimal() ?? 0)
            references.append((reference, start))
            return .backreference(reference)
        case "k":
            position += 2
            let reference = RegexReference.name(try parseGroupName())
            references.append((reference, start))
            return .backreference(reference)
        default:
            switch try parseSharedEscape() {
            case .scalar(let value): return .scalar(value)
            case .set(let set): return .set(set)
            }
        }
    }

    /// Parses an escape that means the same in a class and outside, from the backslash.
    mutating func parseSharedEscape() throws(ECMARegexError) -> Escape {
        let start = position
        position += 1
        guard let scalar = peek() else {
            throw failure("the pattern ends after '\\'; expected an escape", at: start)
        }
        position += 1
        switch scalar {
        case "d": return .set(.digits)
        case "D": return .set(ScalarSet.digits.inverted)
        case "s": return .set(.space)
        case "S": return .set(ScalarSet.space.inverted)
        case "w": return .set(.word)
        case "W": return .set(ScalarSet.word.inverted)
        case "p", "P": return .set(try parseProperty(from: start, isNegated: scalar == "P"))
        case "t": return .scalar(0x09)
        case "n": return .scalar(0x0A)
        case "v": return .scalar(0x0B)
        case "f": return .scalar(0x0C)
        case "r": return .scalar(0x0D)
        case "c": return .scalar(try parseControlLetter(from: start))
        case "0": return .scalar(try parseNull(from: start))
        case "x": return .scalar(try parseHex(digits: 2, from: start))
        case "u": return .scalar(try parseUnicodeEscape(from: start))
        default: return .scalar(try identityEscape(scalar, from: start))
        }
    }

    private func identityEscape(_ scalar: Unicode.Scalar, from start: Int) throws(ECMARegexError) -> UInt32 {
        switch scalar {
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/":
            return scalar.value
        case " "..."/" where isLenient, ":"..."@" where isLenient, "_" where isLenient, "`" where isLenient,
            "~" where isLenient:
            return scalar.value
        default:
            throw failure(
                "found '\\' before \(Self.quoted(scalar)), which is no escape; expected the character alone",
                at: start
            )
        }
    }

    private mutating func parseControlLetter(from start: Int) throws(ECMARegexError) -> UInt32 {
        switch peek() {
        case let letter? where ("a"..."z").contains(letter) || ("A"..."Z").contains(letter):
            position += 1
            return letter.value % 32
        default:
            throw failure("found \(found) after '\\c'; expected an ASCII letter", at: start)
        }
    }

    private func parseNull(from start: Int) throws(ECMARegexError) -> UInt32 {
        if let next = peek(), ("0"..."9").contains(next) {
            throw failure("found a digit after '\\0'; octal escapes are not allowed, expected '\\xHH'", at: start)
        }
        return 0
    }

    private mutating func parseHex(digits: Int, from start: Int) throws(ECMARegexError) -> UInt32 {
        guard let value = hexValue(digits: digits) else {
            throw failure("the escape needs \(digits) hexadecimal digits", at: start)
        }
        return value
    }

    /// Reads exactly so many hexadecimal digits; when they are not there, nothing is consumed.
    private mutating func hexValue(digits: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<digits {
            guard let digit = peek(index).flatMap(Self.hexDigit) else { return nil }
            value = value << 4 | digit
        }
        position += digits
        return value
    }

    private static func hexDigit(_ scalar: Unicode.Scalar) -> UInt32? {
        switch scalar {
        case "0"..."9": scalar.value - 0x30
        case "A"..."F": scalar.value - 0x41 + 10
        case "a"..."f": scalar.value - 0x61 + 10
        default: nil
        }
    }

    /// Parses the rest of a `\u` escape: four digits, two surrogates of four digits, or a code point in braces.
    mutating func parseUnicodeEscape(from start: Int) throws(ECMARegexError) -> UInt32 {
        if peek() == "{" { return try parseBracedCodePoint(from: start) }
        let first = try parseHex(digits: 4, from: start)
        guard (0xD800...0xDBFF).contains(first) else { return first }
        let afterFirst = position
        guard skip(all: #"\u"#), let second = hexValue(digits: 4), (0xDC00...0xDFFF).contains(second) else {
            position = afterFirst
            return first
        }
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }

    private mutating func parseBracedCodePoint(from start: Int) throws(ECMARegexError) -> UInt32 {
        position += 1
        let firstDigit = position
        var value: UInt32 = 0
        while let digit = peek().flatMap(Self.hexDigit) {
            value = value << 4 | digit
            if value > 0x10FFFF {
                throw failure("the code point is above 10FFFF, the last one", at: start)
            }
            position += 1
        }
        guard position > firstDigit, skip("}") else {
            throw failure("found \(found) in '\\u{'; expected hexadecimal digits and '}'", at: start)
        }
        return value
    }

    private mutating func parseProperty(from start: Int, isNegated: Bool) throws(ECMARegexError) -> ScalarSet {
        guard skip("{") else {
            throw failure("found \(found) after '\\p'; expected a property in '{' and '}'", at: start)
        }
        var text = ""
        while let scalar = peek(), scalar != "}" {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        guard skip("}") else {
            throw failure("the property escape is never closed; expected '}'", at: start)
        }
        guard let set = UnicodeProperty.set(named: text) else {
            throw failure("found the property \(Self.quoted(text)), which ECMA-262 does not have", at: start)
        }
        return isNegated ? set.inverted : set
    }
}
