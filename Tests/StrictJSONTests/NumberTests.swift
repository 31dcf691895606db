import TestSupport
import Testing

@testable import StrictJSON

@Suite("Numbers")
struct NumberTests {
    private func decimal(_ token: String) throws -> DecimalNumber {
        try #require(DecimalNumber(token: token), "\(token)")
    }

    @Test(
        "the same number in several spellings",
        arguments: [
            ["0", "-0", "0.0", "0e5", "-0.000E-7", "0e99999999999999999999"],
            ["1", "1.0", "10e-1", "0.1e1", "0.001E+3"],
            ["100", "1e2", "1E+2", "100.000"], ["-2.5", "-25e-1", "-0.25e1"],
            ["123456789012345678901234567890", "12345678901234567890123456789e1"],
        ]
    )
    func same(_ tokens: [String]) throws {
        let numbers = try tokens.map { try decimal($0) }
        #expect(Set(numbers).count == 1)
        for number in numbers { #expect(!(number < numbers[0]) && !(numbers[0] < number)) }
    }

    @Test func order() throws {
        let tokens = [
            "-1e400", "-123456789012345678901", "-123456789012345678900", "-10", "-9.99999", "-1e-400", "0", "1e-400",
            "0.1", "0.10000000000000000000001", "0.2", "1", "9", "10", "9007199254740992", "9007199254740993", "1e16",
            "123456789012345678901234567890", "123456789012345678901234567891", "1e400",
        ]
        let numbers = try tokens.map { try decimal($0) }
        for (left, lesser) in numbers.enumerated() {
            for (right, greater) in numbers.enumerated() {
                #expect((lesser < greater) == (left < right), "\(tokens[left]) \(tokens[right])")
                #expect((lesser == greater) == (left == right), "\(tokens[left]) \(tokens[right])")
            }
        }
    }

    @Test func exponentsBeyondReason() throws {
        #expect(DecimalNumber(token: "1e99999999999999999999") == nil)
        #expect(DecimalNumber(token: "1e-99999999999999999999") == nil)
        #expect(try decimal("1e999999999999999999") > decimal("1e99"))
        #expect(try decimal("1e-0000000000000000000000000002") == decimal("0.01"))
    }

    @Test func integers() {
        let cases: [(String, Int?)] = [
            ("0", 0), ("-0", 0), ("2.0", 2), ("2e0", 2), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
            ("2.5", nil),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("-9223372036854775808.0", .min), ("1e-1", nil), ("120e-1", 12),
            ("1e99999999999999999999", nil), ("0.0e10", 0),
        ]
        for (token, expected) in cases { #expect(JSONNumber(validToken: token).int == expected, "\(token)") }
        #expect(JSONNumber(Double.nan) == nil && JSONNumber(-Double.infinity) == nil)
        #expect(JSONNumber(-0.0)?.token == "0" && JSONNumber(1e21)?.token == "1e+21")
    }

    @Test func multiples() throws {
        let cases: [(String, String, Bool)] = [
            ("0.3", "0.1", true), ("0.35", "0.1", false), ("1e300", "3", false), ("3e300", "3", true), ("0", "7", true),
            ("4.2", "0.01", true), ("1", "0.0001", true), ("1e-5", "1e-4", false), ("-9", "3", true), ("9", "-3", true),
            ("1e1000000", "7", false), ("7e1000000", "7", true), ("1e5", "32", true), ("1e4", "32", false),
            ("123456789012345678901234567890", "9", true), ("5", "0", false), ("0", "0", true),
            ("246913578024691357802469135780", "123456789012345678901234567890", true),
            ("246913578024691357802469135781", "123456789012345678901234567890", false),
            ("999999999999999999", "999999999999999999", true), ("1e40", "1024e20", true),
            ("1e80", "1208925819614629174706176", true), ("1e79", "1208925819614629174706176", false),
        ]
        for (left, right, expected) in cases {
            #expect(try decimal(left).isMultiple(of: decimal(right)) == expected, "\(left) of \(right)")
        }
    }

    @Test("division agrees with machine integers", arguments: [1, 2, 3] as [UInt64])
    func divisions(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let divisor = random.below(1 << (1 + random.below(40))) + 1
            let number = random.chance(50) ? divisor * random.below(1 << 20) : random.below(1 << 60)
            let found = try decimal("\(number)").isMultiple(of: decimal("\(divisor)"))
            #expect(found == number.isMultiple(of: divisor), "seed \(seed): \(number) \(divisor)")
            let large = "\(divisor)000000000000000000000007"
            let sum = try decimal("\(number)").isMultiple(of: decimal(large))
            #expect(sum == (number == 0), "seed \(seed): \(number) \(large)")
        }
    }

    static let ecmaScript: [(Double, String)] = [
        (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (0.1, "0.1"), (1.5, "1.5"), (100, "100"), (123.456, "123.456"),
        (1e20, "100000000000000000000"), (1e21, "1e+21"), (1.5e21, "1.5e+21"),
        (1.2345678901234568e20, "123456789012345680000"),
        (1e-6, "0.000001"), (1e-7, "1e-7"), (1.25e-7, "1.25e-7"), (0.00001234, "0.00001234"), (-1e-7, "-1e-7"),
        (.leastNonzeroMagnitude, "5e-324"), (-.leastNonzeroMagnitude, "-5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2.2250738585072014e-308, "2.2250738585072014e-308"), (9007199254740992, "9007199254740992"),
        (9007199254740994, "9007199254740994"), (2.9514790517935283e20, "295147905179352830000"),
        (9.999999999999997e22, "9.999999999999997e+22"), (1e23, "1e+23"), (0.1 + 0.2, "0.30000000000000004"),
        (333333333.3333332, "333333333.3333332"), (333333333.33333325, "333333333.33333325"),
        (1.0 / 3, "0.3333333333333333"),
        (9.999999999999999e20, "999999999999999900000"), (-1234.5e-9, "-0.0000012345"), (4.35, "4.35"),
        (1e300, "1e+300"),
    ]

    @Test("as ECMAScript writes them", arguments: Self.ecmaScript)
    func writesAsECMAScript(_ value: Double, _ text: String) { #expect(ECMAScriptNumber.text(of: value) == text) }

    @Test("canonical tokens")
    func canonical() {
        let cases = [
            ("1.0", "1"), ("-0", "0"), ("-0.0", "0"), ("1E3", "1000"), ("1e-400", "0"),
            ("9007199254740993", "9007199254740993"),
            ("9007199254740993.0", "9007199254740992"), ("1000000000000000000000", "1e+21"), ("0.10", "0.1"),
            ("1000000000000000000001", "1000000000000000000001"), ("1e400", "1e400"),
            ("-12345678901234567890", "-12345678901234567890"),
        ]
        for (token, expected) in cases { #expect(ECMAScriptNumber.canonical(token) == expected) }
    }

    @Test("random doubles come back", arguments: [1, 2] as [UInt64])
    func doubles(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let double = Double(bitPattern: random.next())
            guard double.isFinite else { continue }
            let text = ECMAScriptNumber.text(of: double)
            #expect(Double(text) == double && refusal(of: Array(text.utf8)) == nil, "seed \(seed): \(text)")
            #expect(ECMAScriptNumber.canonical(text) == text, "seed \(seed)")
        }
    }
}
