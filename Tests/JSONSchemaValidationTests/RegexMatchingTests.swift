import Testing

@testable import JSONSchemaValidation

/// A pattern with texts that it matches and texts that it does not.
struct RegexExample: Sendable, CustomTestStringConvertible {
    let pattern: String
    let matching: [String]
    let others: [String]

    init(_ pattern: String, _ matching: [String], not others: [String] = []) {
        self.pattern = pattern
        self.matching = matching
        self.others = others
    }

    var testDescription: String { pattern }

    /// Expects every way to match to agree with the example.
    func check() throws {
        for engine in RegexMatcher.Engine.allCases {
            let regex = try ECMARegex(pattern, lenient: false, engine: engine)
            for text in matching {
                #expect(try regex.matches(text), "\(engine): \(pattern) on \(text.debugDescription)")
            }
            for text in others {
                #expect(try !regex.matches(text), "\(engine): \(pattern) on \(text.debugDescription)")
            }
        }
    }
}

@Suite("ECMARegex: matching")
struct RegexMatchingTests {
    @Test(
        "literals, alternatives and groups",
        arguments: [
            RegexExample("", ["", "x"]),
            RegexExample("a", ["a", "xay"], not: ["", "b"]),
            RegexExample("ab|cd|", ["", "x"]),
            RegexExample("^(?:ab|cd)$", ["ab", "cd"], not: ["a", "abcd", "abd"]),
            RegexExample("^(a(b)(?<last>c))$", ["abc"], not: ["ab"]),
            RegexExample("^é€🐲$", ["é€🐲"], not: ["e\u{301}€🐲", "é€"]),
            RegexExample("x\\/\\.\\*\\$", ["x/.*$"], not: ["x/a"]),
        ]
    )
    func literals(_ example: RegexExample) throws { try example.check() }

    @Test(
        "quantifiers",
        arguments: [
            RegexExample("^a*$", ["", "aaa"], not: ["b", "ab"]),
            RegexExample("^a+?$", ["a", "aaa"], not: [""]),
            RegexExample("^a?b$", ["b", "ab"], not: ["aab"]),
            RegexExample("^a{2}$", ["aa"], not: ["a", "aaa"]),
            RegexExample("^a{2,}$", ["aa", "aaaaa"], not: ["a"]),
            RegexExample("^a{1,3}?$", ["a", "aa", "aaa"], not: ["", "aaaa"]),
            RegexExample("^(?:ab){0}$", [""], not: ["ab"]),
            RegexExample("^(?:a?){3}$", ["", "aaa"], not: ["aaaa"]),
            RegexExample("^(?:a*)*b$", ["b", "aab"], not: ["aa"]),
            RegexExample("^(?:|a)+$", ["", "aa"], not: ["b"]),
            RegexExample("^(?:(?:a{2}){2}){2}$", ["aaaaaaaa"], not: ["aaaaaaa"]),
            RegexExample("^(?:$){2,3}", [""], not: ["a"]),
            RegexExample("^🐲*$", ["", "🐲", "🐲🐲"], not: ["🐉", "D"]),
            RegexExample("^(?:){1000000000}a{0,0}$", [""], not: ["a"]),
        ]
    )
    func quantifiers(_ example: RegexExample) throws { try example.check() }

    @Test(
        "assertions",
        arguments: [
            RegexExample("^abc$", ["abc"], not: ["abc\n", "\nabc", "xabc"]),
            RegexExample("a$|^b", ["ca", "bc"], not: ["ab\n", "cb"]),
            RegexExample("(?:^|,)x(?:,|$)", ["x", "a,x,b", "a,x"], not: ["ax", "xa"]),
            RegexExample("\\bfoo\\b", ["foo", "a foo.", "é foo", "éfoo"], not: ["afoo", "foo1", "foo_"]),
            RegexExample("a\\Bb", ["ab"], not: ["a b"]),
            RegexExample("^\\B$", [""], not: ["a"]),
            RegexExample("\\B", ["é", "ab", "🐲", "a é"], not: ["a"]),
            // Inside a character there is no position, although its bytes have no word character on either side.
            RegexExample("\\B", ["éé"], not: ["aéa", "b🐲a🐲b"]),
            RegexExample("\\b^a", ["a"], not: ["ba", " a"]),
            RegexExample("a$\\b", ["ba"], not: ["a "]),
        ]
    )
    func assertions(_ example: RegexExample) throws { try example.check() }

    @Test(
        "classes",
        arguments: [
            RegexExample("^[abc]$", ["a", "c"], not: ["d", "ab"]),
            RegexExample("^[^abc]$", ["d", "é", "🐲", "\n"], not: ["a", ""]),
            RegexExample("^[a-cx-z]+$", ["abcxyz"], not: ["d"]),
            RegexExample("^[-a]+$", ["-a"], not: ["b"]),
            RegexExample("^[a-]+$", ["-a"], not: ["b"]),
            RegexExample("^[a\\-z]+$", ["a-z"], not: ["b"]),
            RegexExample("^[\\w-]+$", ["a-b_1"], not: ["a.b"]),
            RegexExample("^[\\b]$", ["\u{8}"], not: ["b", "\\"]),
            RegexExample("[]", [], not: ["", "a"]),
            RegexExample("^[^]$", ["a", "\n", "🐲"], not: [""]),
            RegexExample("^[.*+?(){}|$^]+$", [".*+?(){}|$^"], not: ["a"]),
            RegexExample("^[^-]$", ["a"], not: ["-"]),
            RegexExample("^[\\]\\\\]+$", ["]\\"], not: ["["]),
            RegexExample("^[α-ω🐉-🐲]+$", ["λ🐊"], not: ["a", "🐳"]),
            RegexExample("^[\\u{1F409}-\\u{1F432}\\x41]+$", ["🐲A"], not: ["🐳"]),
            RegexExample("^[\\D\\d]$", ["1", "é"]),
            RegexExample("^[^\\D]$", ["1"], not: ["a"]),
            RegexExample("^[\\uD83D\\uDC32]$", ["🐲"], not: ["D"]),
            RegexExample("[\\uD83D]|\\uDC32", [], not: ["🐲"]),
            RegexExample(
                "^[\\u07FF-\\u0800\\uFFFF-\\u{10000}]+$",
                ["\u{7FF}\u{800}\u{FFFF}\u{10000}"],
                not: ["\u{801}"]
            ),
        ]
    )
    func classes(_ example: RegexExample) throws { try example.check() }

    @Test(
        "escapes",
        arguments: [
            RegexExample("^\\t\\n\\v\\f\\r\\0$", ["\t\n\u{B}\u{C}\r\0"]),
            RegexExample("^\\cC\\cc\\cJ$", ["\u{3}\u{3}\n"], not: ["\\cC\\cc"]),
            RegexExample("^\\x41\\u0042\\u{43}\\u{0000044}$", ["ABCD"]),
            RegexExample("^\\uD83D\\uDC32\\u{1F432}$", ["🐲🐲"]),
            RegexExample("^\\d$", ["0", "9"], not: ["a", "\u{7C0}", "٣"]),
            RegexExample("^\\D$", ["a", "\u{7C0}"], not: ["0"]),
            RegexExample("^\\w$", ["a", "Z", "0", "_"], not: ["é", "-", "\u{17F}", "\u{212A}"]),
            RegexExample("^\\W$", ["é", "-"], not: ["a", "_"]),
            RegexExample(
                "^\\s$",
                [
                    " ", "\t", "\u{B}", "\u{C}", "\u{A0}", "\u{FEFF}", "\n", "\r", "\u{2028}", "\u{2029}", "\u{2003}",
                    "\u{3000}",
                ],
                not: ["\u{1}", "\u{2013}", "\u{85}", "\u{200B}", "\u{180E}"]
            ),
            RegexExample("^\\S$", ["\u{1}", "\u{2013}", "\u{85}"], not: [" ", "\u{FEFF}", "\u{2029}"]),
            RegexExample("^.$", ["a", "é", "🐲", "\u{85}", "\0"], not: ["\n", "\r", "\u{2028}", "\u{2029}", ""]),
            RegexExample("^\\^\\$\\\\\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\/$", ["^$\\.*+?()[]{}|/"]),
        ]
    )
    func escapes(_ example: RegexExample) throws { try example.check() }

    @Test(
        "lookaround",
        arguments: [
            RegexExample("^(?!x-)[a-z-]+$", ["y-a", "x"], not: ["x-a"]),
            RegexExample("^(?=.*\\d)(?=.*[a-z]).{4,}$", ["abc1"], not: ["abcd", "1234", "a1"]),
            RegexExample("^(?=(?!ab)a)", ["ac", "a"], not: ["ab", "b"]),
            RegexExample("^(?!(?=a).b)", ["ac", "", "cb"], not: ["ab"]),
            RegexExample("^(?=a|b)", ["a", "b"], not: ["c"]),
            RegexExample("(?<=a+)b", ["aab"], not: ["b", "cb"]),
            RegexExample("(?<!a)b", ["b", "cb"], not: ["ab", "aab"]),
            RegexExample("(?<=^|,)x", ["x", "a,x"], not: ["ax"]),
            RegexExample("(?<=é🐲)x", ["é🐲x"], not: ["🐲x"]),
            RegexExample("a(?=b(?<=ab)c)", ["abc"], not: ["ab", "ac"]),
            RegexExample("(?:(?=ab)a|c)b", ["ab", "cb"], not: ["b"]),
            RegexExample("^(?:(?!ab).)*$", ["a", "ba", ""], not: ["cab"]),
            RegexExample("(?<!^)x$", ["ax"], not: ["x"]),
            RegexExample("(?:(?=a))*b", ["b"], not: ["a"]),
        ]
    )
    func lookaround(_ example: RegexExample) throws { try example.check() }

    @Test(
        "backreferences",
        arguments: [
            RegexExample("^(a|b)\\1$", ["aa", "bb"], not: ["ab", "a"]),
            RegexExample("^(?<q>['\"]).*\\k<q>$", ["'a'", "\"\""], not: ["'a\""]),
            RegexExample("^\\k<n>(?<n>a)$", ["a"], not: ["aa"]),
            RegexExample("^(?:(a)|b)\\1$", ["aa", "b"], not: ["ba"]),
            RegexExample("^(a\\1)$", ["a"], not: ["aa"]),
            RegexExample("^(?:(a)|b)*\\1$", ["ab", "aa", ""], not: ["c"]),
            RegexExample("^(a*)*\\1$", ["aa", ""], not: ["b"]),
            RegexExample("(?<=\\1(a))b", ["aab"], not: ["ab"]),
            RegexExample("(?<=(.)\\1)b", ["ab", "aab"], not: ["b"]),
            RegexExample("^(?=(a+))a*b\\1$", ["aba", "aabaa"], not: ["aab"]),
            RegexExample("^(?!(a)b)\\1c", ["c"], not: ["abc"]),
            RegexExample("^(é🐲)-\\1$", ["é🐲-é🐲"], not: ["é🐲-é"]),
            RegexExample("^(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\\10$", ["abcdefghijj"], not: ["abcdefghija0"]),
            RegexExample("^(?:(?=(a))){1,2}\\1", ["a"], not: ["b"]),
        ]
    )
    func backreferences(_ example: RegexExample) throws { try example.check() }

    @Test("the strings form takes a bridged or temporary string")
    func strings() throws {
        let regex = try ECMARegex("^x-")
        #expect(try regex.matches(String("--x-a".dropFirst(2))))
        let bytes: [UInt8] = Array("x-a".utf8)
        #expect(try bytes.withUnsafeBufferPointer { try regex.matches($0) })
        #expect(try !regex.matches(UnsafeBufferPointer(start: nil, count: 0)))
    }
}
