import JSONSchemaValidation
import Testing

@Suite struct FormatURITests {
    /// What all four formats take, with a scheme.
    static let absolute = [
        "a:", "a:b", "a:/b", "a://", "a+b-c.1:x", "http://u:p@h:80/p;a=b/?q/?#f/?", "http://[::1]:/",
        "http://[v1F.a:b]",
        "http://h:", "x:%41%ff", "urn:a:b:c", "http://@h", "file:///etc", "http://1.2.3.4.5", "a://b?c", "a://b#c",
    ]
    /// What the reference formats take besides.
    static let relative = ["", "a", "/", "//", "//h/p", "../b:c", "?q", "#f", "a/b:c", ";a", "%41", "?:/?@", "@b"]
    /// What none takes.
    static let broken = [
        "1:b", ":a", "%", "%4", "%4g", "a b", "http://[::1", "http://::1]", "http://[]", "http://[v.a]", "http://[v1.]",
        "http://[1.2.3.4]", "http://a@b@c", "http://h:8a", "http://[::1]a", "a#b#c", "a?[", "a\\b", "<a>", "a\"",
        "a\u{0}",
        "{a}", "a|b", "a^b", "`", "http://[fe80::1%25eth0]", "http://h:80:80", "http://[va.é]",
    ]
    static let nonASCII = ["a:é", "http://é.example/ü?q=é\u{E000}#é", "a:/\u{1F600}", "a:\u{10000}"]
    static let notInIRI = ["a:\u{E000}", "a:#\u{E000}", "a:\u{FFF0}", "a:\u{1FFFE}", "a:\u{80}", "a:\u{200E}", "é:a"]

    static let uris =
        FormatCase.vectors(.uri, valid: absolute, invalid: relative + broken + nonASCII)
        + FormatCase.vectors(.uriReference, valid: absolute + relative, invalid: broken + nonASCII)
        + FormatCase.vectors(.iri, valid: absolute + nonASCII, invalid: relative + broken + notInIRI)
        + FormatCase.vectors(.iriReference, valid: absolute + relative + nonASCII + ["é"], invalid: broken + notInIRI)

    static let templates = FormatCase.vectors(
        .uriTemplate,
        valid: [
            "", "a", "{a}", "{+a}", "{#a,b}", "{?a,b*}", "{a:1}", "{a:9999}", "{a.b_c}", "{%41b}", "a{b}c{d}", "é%41",
            "{|a}", "\u{E000}", "{=a}",
        ],
        invalid: [
            "{", "}", "{}", "{a", "a}", "{{a}}", "{a:}", "{a:0}", "{a:10000}", "{a:01}", "{a**}", "{a*:1}", "{.a.}",
            "{a.}", "{a b}", "{-a}", "{%4}", "%", "%4g", "a b", "<", "\\", "^", "`", "|", "\"", "\u{7F}", "{é}",
            "{++a}",
            "{+}", "\u{1FFFE}",
        ]
    )

    static let others =
        FormatCase.vectors(
            .jsonPointer,
            valid: ["", "/", "//", "/a", "/~0~1", "/é\u{0}"],
            invalid: ["a", "#", "/~", "/~2", "/a~", "~0"]
        )
        + FormatCase.vectors(
            .relativeJSONPointer,
            valid: ["0", "10", "0#", "1/a", "0+1", "2-1/a~0", "0-1#", "999999999999999999999999/"],
            invalid: ["", "#", "/a", "01", "-1", "1a", "0##", "0#/a", "0+", "0+01", "0+-1", "0/~", "1 "]
        )
        + FormatCase.vectors(
            .uuid,
            valid: ["00000000-0000-0000-0000-000000000000", "AbCdEf01-2345-6789-abcd-EFabcdef9876"],
            invalid: [
                "", "{00000000-0000-0000-0000-000000000000}", "00000000-0000-0000-0000-00000000000",
                "00000000-0000-0000-0000-0000000000000", "g0000000-0000-0000-0000-000000000000",
                "00000000-0000-0000-0000-00000000000G", "00000000_0000-0000-0000-000000000000",
                "00000000-0000-0000-00000-00000000000", "00000000-0000-0000-0000-0000000000é",
                "00000000-0000-0000-0000-00000000000/", "00000000-0000-0000-0000-00000000000:",
                "00000000-0000-0000-0000-00000000000@", "00000000-0000-0000-0000-00000000000`",
            ]
        )

    @Test(arguments: uris + templates + others)
    func vector(_ vector: FormatCase) {
        #expect(vector.format.accepts(vector.text) == vector.isValid)
    }

    @Test func names() {
        for format in StringFormat.allCases { #expect(StringFormat(name: format.name) == format) }
        #expect(Set(StringFormat.allCases.map(\.name)).count == 19)
        #expect(StringFormat(name: "Date-Time") == nil)
        #expect(StringFormat(name: "") == nil)
    }
}
