/// Parses a pattern of ECMA-262 in Unicode mode (ECMA-262, 22.2.1, with the parameter `UnicodeMode`).
///
/// Recursion is bounded by ``RegexLimits/nestingDepth``.
struct RegexParser {
    let scalars: [Unicode.Scalar]

    /// True to accept what Annex B allows outside Unicode mode and authors of schemas commonly write.
    let isLenient: Bool

    var position = 0
    var depth = 0
    var groupCount = 0
    var lookCount = 0
    var groupNames: [String: Int] = [:]

    /// The backreferences with their places: whether the groups exist is known only at the end.
    var references: [(reference: RegexReference, offset: Int)] = []

    /// Parses a whole pattern.
    static func parse(_ pattern: String, isLenient: Bool) throws(ECMARegexError) -> RegexSyntax {
        var parser = RegexParser(scalars: Array(pattern.unicodeScalars), isLenient: isLenient)
        let root = try parser.parseDisjunction()
        if parser.peek() != nil {
            throw parser.failure("found ')' without a '(' before it", at: parser.position)
        }
        try parser.checkReferences()
        return RegexSyntax(
            root: root,
            groupCount: parser.groupCount,
            groupNames: parser.groupNames,
            hasBackreference: !parser.references.isEmpty
        )
    }

    init(scalars: [Unicode.Scalar], isLenient: Bool) {
        self.scalars = scalars
        self.isLenient = isLenient
    }

    /// Returns the scalar `distance` after the next one, or nil past the end.
    func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        let index = position + distance
        return index < scalars.count ? scalars[index] : nil
    }

    /// Moves past `scalar` if it comes next, and tells whether it did.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    /// Moves past `text` if it comes next, and tells whether it did.
    mutating func skip(all text: StaticString) -> Bool {
        var index = position
        for scalar in text.description.unicodeScalars {
            guard index < scalars.count, scalars[index] == scalar else { return false }
            index += 1
        }
        position = index
        return true
    }

    /// Returns the syntax error at a place.
    func failure(_ message: String, at offset: Int) -> ECMARegexError {
        ECMARegexError(.syntax, message, offset: offset)
    }

    /// The next item of the pattern, in words for a message.
    var found: String {
        guard let scalar = peek() else { return "the end of the pattern" }
        return Self.quoted(scalar)
    }

    /// Returns a scalar as it can be shown in a message: invisible ones by number.
    static func quoted(_ scalar: Unicode.Scalar) -> String {
        if scalar.value > 0x20, scalar.value < 0x7F { return "'\(scalar)'" }
        return "U+" + String(scalar.value, radix: 16, uppercase: true)
    }

    /// Returns a text of the pattern as it can be shown in a message.
    static func quoted(_ text: String) -> String {
        "'" + text.unicodeScalars.map { $0.properties.isGraphemeBase ? String($0) : quoted($0) }.joined() + "'"
    }

    private func checkReferences() throws(ECMARegexError) {
        for (reference, offset) in references {
            switch reference {
            case .number(let number) where number > groupCount:
                throw failure("backreference to group \(number), but the pattern has \(groupCount)", at: offset)
            case .name(let name) where groupNames[name] == nil:
                throw failure("backreference to group \(Self.quoted(name)), but no group has that name", at: offset)
            default:
                break
            }
        }
    }
}

extension RegexParser {
    /// Parses a Disjunction: alternatives separated by `|`, up to `)` or the end.
    mutating func parseDisjunction() throws(ECMARegexError) -> RegexNode {
        depth += 1
        defer { depth -= 1 }
        if depth > RegexLimits.nestingDepth {
            throw ECMARegexError(
                .tooLarge,
                "groups are nested more than \(RegexLimits.nestingDepth) deep",
                offset: position
            )
        }
        var alternatives = [try parseAlternative()]
        while skip("|") {
            alternatives.append(try parseAlternative())
        }
        return alternatives.count == 1 ? alternatives[0] : .alternatives(alternatives)
    }

    private mutating func parseAlternative() throws(ECMARegexError) -> RegexNode {
        var terms: [RegexNode] = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            terms.append(try parseTerm(scalar))
        }
        switch terms.count {
        case 0: return .empty
        case 1: return terms[0]
        default: return .sequence(terms)
        }
    }

    /// Parses a Term: an assertion, or an atom with its quantifier.
    private mutating func parseTerm(_ scalar: Unicode.Scalar) throws(ECMARegexError) -> RegexNode {
        let firstGroup = groupCount + 1
        let atom: RegexNode
        switch scalar {
        case "(": atom = try parseGroup()
        case "[": atom = .set(try parseClass())
        case "\\": atom = try parseAtomEscape()
        default:
            try checkLiteral(scalar)
            position += 1
            switch scalar {
            case "^": atom = .assertion(.inputStart)
            case "$": atom = .assertion(.inputEnd)
            case ".": atom = .set(.dot)
            default: atom = .scalar(scalar.value)
            }
        }
        let next = position
        guard let bounds = try parseQuantifier() else { return atom }
        switch atom {
        case .assertion, .look:
            throw failure("found a quantifier after an assertion, which cannot be repeated", at: next)
        default:
            return .repetition(
                atom,
                RegexRepetition(
                    minimum: bounds.minimum,
                    maximum: bounds.maximum,
                    isGreedy: bounds.isGreedy,
                    groups: firstGroup..<(groupCount + 1)
                )
            )
        }
    }

    /// Refuses a syntax character that cannot start a term.
    private mutating func checkLiteral(_ scalar: Unicode.Scalar) throws(ECMARegexError) {
        let start = position
        switch scalar {
        case "*", "+", "?":
            throw failure("found the quantifier '\(scalar)' with nothing before it to repeat", at: start)
        case "{" where isLenient:
            if try parseQuantifier() != nil {
                throw failure("found a quantifier with nothing before it to repeat", at: start)
            }
        case "{", "}", "]":
            if !isLenient {
                throw failure(
                    "found '\(scalar)' on its own; expected '\\\(scalar)' for the character itself",
                    at: start
                )
            }
        default:
            break
        }
    }
}
