import Testing

@testable import JSONSchemaValidation

@Suite("ECMARegex: syntax")
struct RegexSyntaxTests {
    /// The error that a pattern is refused with, or nil when it is accepted.
    private func refusal(of pattern: String, lenient: Bool = false) -> ECMARegexError? {
        do {
            try ECMARegex.validate(pattern, lenient: lenient)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "invalid patterns are refused where they go wrong",
        arguments: [
            ("\\a", 0), ("x\\Z", 1), ("^(abc]", 5), ("{", 0), ("a}", 1), ("]", 0), ("a**", 2), ("a+*", 2), ("a???", 3),
            ("*a", 0), ("a|*", 2), ("(+)", 1), ("(?", 2), ("(?:", 0), ("(", 0), ("a)", 1), ("(?i)a", 2), ("(?#x)", 2),
            ("(?P<n>a)", 2), ("(?>a)", 2), ("(?<=a", 0), ("[a", 0), ("[a-", 0), ("[b-a]", 1), ("[\\w-a]", 1),
            ("[a-\\d]", 1),
            ("[\\B]", 1), ("[\\1]", 1), ("[\\k]", 1), ("[\\a]", 1), ("a{", 2), ("a{1", 3), ("a{,2}", 2), ("a{2,1}", 1),
            ("a{1}{2}", 4), ("a{1 }", 3), ("^*", 1), ("$+", 1), ("\\b?", 2), ("\\B{2}", 2), ("(?=a)*", 5),
            ("(?!a)+", 5),
            ("(?<=a)?", 6), ("(?<!a){2}", 6), ("\\u{110000}", 0), ("\\u{}", 0), ("\\u{12", 0), ("\\u12", 0), ("\\u", 0),
            ("\\x1", 0), ("\\xg0", 0), ("\\c", 0), ("\\c1", 0), ("\\cé", 0), ("\\00", 0), ("\\07", 0), ("\\1", 0),
            ("(a)\\2", 3), ("\\k<n>", 0), ("\\k", 2), ("(?<n>a)\\k<m>", 7), ("(?<n>a)\\kn", 9), ("(?<n>a)\\k<n", 11),
            ("(?<n>a)(?<n>b)", 9), ("(?<1>a)", 3), ("(?<>a)", 3), ("(?<a-b>a)", 4), ("(?<n", 4),
            ("(?<\\u{110000}>a)", 3),
            ("\\p", 0), ("\\p{", 0), ("\\p{Lu", 0), ("\\p{}", 0), ("\\p{Foo}", 0), ("\\p{lu}", 0), ("\\pL", 0),
            ("\\p{Latin}", 0), ("\\p{sc=Lu}", 0), ("\\p{Script}", 0), ("\\P{gc=Latin}", 0), ("\\p{Alphabetic=Y}", 0),
            ("\\-", 0), ("\\_", 0), ("\\\"", 0), ("\\ ", 0), ("\\é", 0), ("\\", 0), ("é🐲\\", 2), ("\\8", 0),
        ]
    )
    func invalid(_ pattern: String, offset: Int) throws {
        let error = try #require(refusal(of: pattern), "\(pattern) was accepted")
        #expect(error.code == .syntax)
        #expect(!error.message.isEmpty)
        #expect(error.offset == offset, "\(pattern): \(error)")
    }

    @Test(
        "valid patterns are accepted",
        arguments: [
            "", "|", "()", "(?:)", "(?=)", "(|a)", "[]", "[^]", "[-]", "[--a]", "[a-]", "[\\-]", "[\\w-]", "[-\\w]",
            "[\\b]",
            "a{0}", "a{1,1}", "a{0,}?", "a{99999999999,99999999999}", "(?:$){2,3}", "(?:(?=a))*", "\\cA", "\\/", "/",
            "-",
            "\\u{10FFFF}", "\\uD800", "\\uDC32\\uD83D", "\\1(a)", "(?<n>x)\\k<n>", "\\k<n>(?<n>x)", "(?<$>a)(?<_b1>c)",
            "(?<é>a)\\k<\\u00e9>", "(?<\\u{61}>b)\\k<a>", "(?<=a+)b", "\\0", "\\p{L}", "\\p{gc=Nd}", "\\p{scx=Grek}",
            "([abc])+\\s+$", "a\nb", "\u{0}",
        ]
    )
    func valid(_ pattern: String) {
        #expect(refusal(of: pattern) == nil)
        #expect(refusal(of: pattern, lenient: true) == nil)
    }

    @Test(
        "lenient patterns mean what Annex B says",
        arguments: [
            RegexExample("^\\-\\_\\\"\\'\\@\\ \\~\\`$", ["-_\"'@ ~`"]),
            RegexExample("^{$", ["{"], not: ["a"]),
            RegexExample("^\\d+{x}]$", ["1{x}]"]),
            RegexExample("^a{,5}$", ["a{,5}"], not: ["a", "aaa"]),
            RegexExample("^a{1$", ["a{1"], not: ["a"]),
            RegexExample("^[\\w-.]+$", ["a-b.c"], not: ["a,b"]),
            RegexExample("^[.-\\d]+$", ["1-."], not: ["/"]),
            RegexExample("^[\\@\\:]+$", ["@:"], not: ["\\"]),
            RegexExample("^}$", ["}"]),
        ]
    )
    func lenient(_ example: RegexExample) throws {
        #expect(refusal(of: example.pattern) != nil)
        let regex = try ECMARegex(example.pattern, lenient: true)
        for text in example.matching { #expect(try regex.matches(text), "\(text)") }
        for text in example.others { #expect(try !regex.matches(text), "\(text)") }
    }

    @Test(
        "leniency has its limits",
        arguments: [
            "\\a", "\\Z", "\\8", "(", ")", "[", "a**", "{1}", "a{1}{2}", "(?P<n>a)", "[b-a]", "\\é", "\\u{110000}",
            "(?=a)*",
            "a{2,1}", "\\", "\\p{Foo}",
        ]
    )
    func lenientErrors(_ pattern: String) throws {
        #expect(try #require(refusal(of: pattern, lenient: true)).code == .syntax)
    }

    @Test("format regex takes what pattern takes", arguments: ["a\\-b", "}", "a{,3}", "[\\w-z]", "^@types\\/a\\_b"])
    func format(_ pattern: String) {
        var pattern = pattern
        let isValid = pattern.withUTF8 { StringFormat.regex.isValid($0) }
        #expect(isValid)
        #expect(refusal(of: pattern, lenient: true) == nil)
    }

    @Test("messages say what was found and show control characters by number")
    func messages() throws {
        #expect(refusal(of: "(?\nx)")?.message.contains("U+A after '(?'") == true)
        #expect(refusal(of: "\\p{a\nb}")?.message.contains("'aU+Ab'") == true)
        #expect(
            refusal(of: "a**")?.description == "found the quantifier '*' with nothing before it to repeat (at offset 2)"
        )
        #expect(refusal(of: "[z-a]")?.message == "the range's ends are out of order: U+7A is after U+61")
    }
}
