import Testing

@testable import JSONSchemaValidation

/// Makes patterns and texts from a seed.
private struct RegexGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64: small, and the same on every platform.
    mutating func next(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(max(bound, 1)))
    }

    mutating func pick(_ choices: [String]) -> String { choices[next(below: choices.count)] }

    mutating func text() -> String {
        (0..<next(below: 9)).map { _ in
            pick(["a", "b", "c", "1", "_", "-", " ", "é", "€", "🐲", "\n", "a", "b", "\u{2028}"])
        }.joined()
    }

    mutating func pattern(depth: Int) -> String {
        switch depth > 0 ? next(below: 100) : 0 {
        case ..<25: return pick(["a", "b", "c", "1", "-", "é", "€", "🐲", "ab", "\n"])
        case ..<40: return pick(["\\d", "\\D", "\\w", "\\W", "\\s", "\\S", ".", "\\p{L}", "\\P{L}", "\\u{1F432}"])
        case ..<50: return pick(["[a-c]", "[^a]", "[é-€]", "[^\\w]", "[\\D1]", "[]", "[^]", "[€🐲]", "[^🐲\n]"])
        case ..<62: return pattern(depth: depth - 1) + pattern(depth: depth - 1)
        case ..<72: return "(?:\(pattern(depth: depth - 1))|\(pattern(depth: depth - 1)))"
        case ..<76: return "(\(pattern(depth: depth - 1)))"
        case ..<88:
            return "(?:\(pattern(depth: depth - 1)))"
                + pick(["*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{1,3}", "*?", "+?", "??", "{1,2}?"])
        case ..<95: return pick(["^", "$", "\\b", "\\B"])
        default: return pick(["(?=", "(?!", "(?<=", "(?<!"]) + pattern(depth: depth - 1) + ")"
        }
    }
}

@Suite("ECMARegex: the ways to match agree")
struct RegexDifferentialTests {
    @Test("on generated patterns and texts", arguments: [1, 2, 3, 4] as [UInt64])
    func agreement(seed: UInt64) throws {
        var generator = RegexGenerator(seed: seed)
        var (matches, total) = (0, 0)
        for _ in 0..<250 {
            var pattern = generator.pattern(depth: 5)
            if generator.next(below: 3) == 0 { pattern = "^" + pattern }
            if generator.next(below: 3) == 0 { pattern += "$" }
            let regexes = try RegexMatcher.Engine.allCases.map {
                try ECMARegex(pattern, lenient: false, engine: $0)
            }
            for _ in 0..<8 {
                let text = generator.text()
                let results = try regexes.map { try $0.matches(text) }
                if Set(results).count > 1 {
                    Issue.record("seed \(seed): \(pattern.debugDescription) on \(text.debugDescription): \(results)")
                }
                total += 1
                if results.first == true { matches += 1 }
            }
        }
        // Otherwise the generator would test nothing.
        #expect(matches > total / 10 && matches < total * 9 / 10)
    }
}
