extension RegexParser {
    /// Parses a CharacterClass, from its `[`.
    mutating func parseClass() throws(ECMARegexError) -> ScalarSet {
        let start = position
        position += 1
        let isNegated = skip("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !skip("]") {
            if peek() == nil {
                throw failure("the class is never closed; expected ']'", at: start)
            }
            try parseClassItem(into: &ranges)
        }
        let set = ScalarSet(ranges)
        return isNegated ? set.inverted : set
    }

    /// Parses one atom of a class, or two with `-` between them.
    private mutating func parseClassItem(into ranges: inout [ClosedRange<UInt32>]) throws(ECMARegexError) {
        let start = position
        let first = try parseClassAtom()
        // A '-' before the closing ']' is the character itself.
        guard peek() == "-", let afterDash = peek(1), afterDash != "]" else {
            return add(first, to: &ranges)
        }
        position += 1
        let second = try parseClassAtom()
        switch (first, second) {
        case (.scalar(let low), .scalar(let high)):
            if low > high {
                throw failure("the range's ends are out of order: \(hex(low)) is after \(hex(high))", at: start)
            }
            ranges.append(low...high)
        default:
            if !isLenient {
                throw failure("found a set such as '\\w' as an end of a range; expected a single character", at: start)
            }
            add(first, to: &ranges)
            add(second, to: &ranges)
            ranges.append(0x2D...0x2D)
        }
    }

    private func hex(_ value: UInt32) -> String {
        "U+" + String(value, radix: 16, uppercase: true)
    }

    private func add(_ atom: Escape, to ranges: inout [ClosedRange<UInt32>]) {
        switch atom {
        case .scalar(let value): ranges.append(value...value)
        case .set(let set): ranges.append(contentsOf: set.ranges)
        }
    }

    private mutating func parseClassAtom() throws(ECMARegexError) -> Escape {
        guard let scalar = peek() else {
            throw failure("the pattern ends in a class; expected ']'", at: position)
        }
        guard scalar == "\\" else {
            position += 1
            return .scalar(scalar.value)
        }
        switch peek(1) {
        case "b":
            position += 2
            return .scalar(0x08)
        case "-":
            position += 2
            return .scalar(0x2D)
        default:
            return try parseSharedEscape()
        }
    }
}
