import Testing

@testable import JSONSchemaValidation

@Suite("ECMARegex: hostile patterns and inputs")
struct RegexLimitTests {
    private static let long = String(repeating: "a", count: 50_000)

    @Test(
        "matching without backreferences is linear",
        arguments: [
            "^(a+)+$", "^(a|a)*$", "^(a*)*$", "(((((a*)*)*)*)*)*b$", "^(?:a?){200}b", "(?:(?=a+c)a|a)+$", "(?<=(a+)+)c",
            "^(?!(.*)*x)(a+)+$", "a.{20}c",
        ],
        [RegexMatcher.Engine.automatic, .simulation]
    )
    func linear(_ pattern: String, engine: RegexMatcher.Engine) throws {
        let regex = try ECMARegex(pattern, lenient: false, engine: engine)
        let clock = ContinuousClock()
        var isMatch = true
        let time = try clock.measure { isMatch = try regex.matches(Self.long + "b") }
        #expect(isMatch == pattern.hasSuffix("b$"))
        // Far above what it takes, and far below what an exponential way would.
        #expect(time < .seconds(10))
    }

    @Test("a match that takes too many steps is reported")
    func budget() throws {
        let regex = try ECMARegex("^(a+)+\\1$")
        let error = #expect(throws: ECMARegexError.self) { try regex.matches(Self.long + "c") }
        #expect(error?.code == .budgetExceeded)
    }

    @Test("the simulation has a budget too")
    func simulationBudget() throws {
        let regex = try ECMARegex("a.{5000}b")
        let error = #expect(throws: ECMARegexError.self) { try regex.matches(Self.long) }
        #expect(error?.code == .budgetExceeded)
    }

    @Test(
        "patterns that compile too large are refused, though valid",
        arguments: [
            "(a{1000}){1000}", "a{99999999}", "((((a{100}){100}){100}){100}){100}", "(a{0,70000})\\1",
            "(?:(?=a{300}))(?=b{70000})",
        ]
    )
    func size(_ pattern: String) throws {
        let error = #expect(throws: ECMARegexError.self) { try ECMARegex(pattern) }
        #expect(error?.code == .tooLarge)
        #expect(throws: Never.self) { try ECMARegex.validate(pattern) }
    }

    @Test("repeating nothing costs nothing")
    func emptyRepetition() throws {
        let regex = try ECMARegex("^(?:(?:(?:){1000000}){1000000}){0,1000000}$")
        #expect(try regex.matches(""))
        #expect(try !regex.matches("a"))
    }

    @Test("deep nesting is refused without exhausting the stack", arguments: ["(", "(?:", "(?=", "(?<!", "(a|"])
    func depth(_ open: String) throws {
        let error = #expect(throws: ECMARegexError.self) { try ECMARegex(String(repeating: open, count: 100_000)) }
        #expect(error?.code == .tooLarge)
        let count = RegexLimits.nestingDepth - 1
        let nested = String(repeating: open, count: count) + String(repeating: ")", count: count)
        for engine in RegexMatcher.Engine.allCases {
            let regex = try ECMARegex(nested, lenient: false, engine: engine)
            _ = try regex.matches("aaa")
        }
    }

    @Test("invalid UTF-8 is read without leaving the input", arguments: RegexMatcher.Engine.allCases)
    func invalidUTF8(_ engine: RegexMatcher.Engine) throws {
        let inputs: [[UInt8]] = [
            [0x80], [0xE2], [0xE2, 0x82], [0xF0, 0x9F, 0x90], [0xFF, 0xFF], [0x80, 0x80, 0x80, 0x80, 0x80],
        ]
        for pattern in ["^.+$", "(?<=.)x", "(?=.)\\B", "\\p{L}", "[^a]{2}$"] {
            let regex = try ECMARegex(pattern, lenient: false, engine: engine)
            for input in inputs { _ = try input.withUnsafeBufferPointer { try regex.matches($0) } }
        }
    }

    @Test("one value serves several tasks")
    func concurrency() async throws {
        let patterns = ["^\\p{L}+$", "^(?!x)[a-z]+$", "(?<=a)b", "^(a|b)\\1$"]
        let texts = ["abc", "xaz", "ab", "aa", "é"]
        for pattern in patterns {
            let regex = try ECMARegex(pattern)
            let expected = try texts.map { try regex.matches($0) }
            try await withThrowingTaskGroup(of: [Bool].self) { group in
                for _ in 0..<8 {
                    group.addTask { try texts.map { try regex.matches($0) } }
                }
                for try await result in group { #expect(result == expected) }
            }
        }
    }

    @Test(
        "the usual patterns are matched by table",
        arguments: [
            "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "^#[0-9A-Fa-f]{6}$", "^[a-z0-9-]+$", "^\\S+$", "^x-", "^\\p{L}+$",
            "^.{1,255}$",
            "\\bfoo\\b", "^[^\\x00-\\x1f]{0,1000}$", "\\p{Letter}cole",
        ]
    )
    func tables(_ pattern: String) throws {
        let syntax = try RegexParser.parse(pattern, isLenient: false)
        guard case .table = try RegexMatcher.make(syntax, engine: .automatic) else {
            Issue.record("no table")
            return
        }
    }
}
