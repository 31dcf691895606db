extension RegexParser {
    /// Parses a group or lookaround, from its `(`.
    mutating func parseGroup() throws(ECMARegexError) -> RegexNode {
        let start = position
        position += 1
        guard skip("?") else {
            groupCount += 1
            let index = groupCount
            return .capture(index: index, try parseGroupBody(from: start))
        }
        switch peek() {
        case ":":
            position += 1
            // As a sequence of one, so that an assertion in a group is told from one that cannot be repeated.
            return .sequence([try parseGroupBody(from: start)])
        case "=", "!":
            return try parseLook(from: start, isAhead: true)
        case "<" where peek(1) == "=" || peek(1) == "!":
            position += 1
            return try parseLook(from: start, isAhead: false)
        case "<":
            return try parseNamedGroup(from: start)
        default:
            throw failure("found \(found) after '(?'; expected ':', '=', '!', '<=', '<!' or '<name>'", at: position)
        }
    }

    private mutating func parseGroupBody(from start: Int) throws(ECMARegexError) -> RegexNode {
        let body = try parseDisjunction()
        guard skip(")") else {
            throw failure("the group is never closed; expected ')'", at: start)
        }
        return body
    }

    private mutating func parseLook(from start: Int, isAhead: Bool) throws(ECMARegexError) -> RegexNode {
        let isNegative = peek() == "!"
        position += 1
        let id = lookCount
        lookCount += 1
        let body = try parseGroupBody(from: start)
        return .look(body, RegexLook(id: id, isAhead: isAhead, isNegative: isNegative))
    }

    private mutating func parseNamedGroup(from start: Int) throws(ECMARegexError) -> RegexNode {
        let nameStart = position
        let name = try parseGroupName()
        if groupNames[name] != nil {
            throw failure("found a second group named \(Self.quoted(name))", at: nameStart)
        }
        groupCount += 1
        let index = groupCount
        groupNames[name] = index
        return .capture(index: index, try parseGroupBody(from: start))
    }

    /// Parses a GroupName: `<`, an identifier, `>`.
    mutating func parseGroupName() throws(ECMARegexError) -> String {
        guard skip("<") else {
            throw failure("found \(found); expected a group name in '<' and '>'", at: position)
        }
        var name = ""
        while true {
            let start = position
            guard let next = peek() else {
                throw failure("the group name is never closed; expected '>'", at: position)
            }
            position += 1
            var scalar = next
            if next == ">" {
                if name.isEmpty { throw failure("the group name is empty", at: start) }
                return name
            }
            if next == "\\" {
                guard skip("u"), let escaped = Unicode.Scalar(try parseUnicodeEscape(from: start)) else {
                    throw failure("found a backslash in a group name; expected '\\u' with a letter's code", at: start)
                }
                scalar = escaped
            }
            guard Self.isIdentifierPart(scalar, isFirst: name.isEmpty) else {
                throw failure("found \(Self.quoted(scalar)) in a group name; expected an identifier", at: start)
            }
            name.unicodeScalars.append(scalar)
        }
    }

    private static func isIdentifierPart(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        if scalar == "$" || scalar == "_" { return true }
        if isFirst { return scalar.properties.isIDStart }
        return scalar.properties.isIDContinue || scalar == "\u{200C}" || scalar == "\u{200D}"
    }

    /// Parses a Quantifier into its bounds; nil when none comes next.
    ///
    /// In Unicode mode a `{` here has to be a quantifier; leniently it may be the character itself.
    mutating func parseQuantifier() throws(ECMARegexError) -> (minimum: Int, maximum: Int?, isGreedy: Bool)? {
        let bounds: (minimum: Int, maximum: Int?)
        switch peek() {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{":
            guard let counted = try parseCountedQuantifier() else { return nil }
            return (counted.minimum, counted.maximum, !skip("?"))
        default: return nil
        }
        position += 1
        return (bounds.minimum, bounds.maximum, !skip("?"))
    }

    private mutating func parseCountedQuantifier() throws(ECMARegexError) -> (minimum: Int, maximum: Int?)? {
        let start = position
        position += 1
        if let minimum = parseDecimal() {
            var maximum: Int? = minimum
            if skip(",") { maximum = parseDecimal() }
            if skip("}") {
                if let maximum, maximum < minimum {
                    throw failure("the quantifier's bounds are out of order: \(minimum) is above \(maximum)", at: start)
                }
                return (minimum, maximum)
            }
        }
        let place = position
        let what = found
        position = start
        if isLenient { return nil }
        throw failure("found \(what) in a quantifier; expected '{n}', '{n,}' or '{n,m}'", at: place)
    }

    /// Parses decimal digits as a number; nil when there are none, and at most the greatest Int32.
    mutating func parseDecimal() -> Int? {
        var value: Int?
        while let scalar = peek(), ("0"..."9").contains(scalar) {
            value = min((value ?? 0) * 10 + Int(scalar.value - 0x30), Int(Int32.max))
            position += 1
        }
        return value
    }
}
