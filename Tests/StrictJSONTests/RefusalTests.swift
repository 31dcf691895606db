import Testing

@testable import StrictJSON

private let maximum = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)

@Suite("What is no JSON is refused, with code, place and pointer")
struct RefusalTests {
    static let incomplete: [BadText] = [
        BadText("", .empty, 1, 1), BadText(" ", .empty, 1, 2), BadText("\n \t\r\n", .empty, 3, 1),
        BadText("\u{FEFF}", .empty, 1, 2), BadText("\u{FEFF} \n", .empty, 2, 1),
        BadText([0], .nulFilled, 1, 1), BadText(Array(repeating: 0, count: 5000), .nulFilled, 1, 1),
        BadText([0x20, 0x0A, 0, 0, 0], .nulFilled, 2, 1),
        BadText(Array("{\"a\":[1".utf8) + Array(repeating: 0, count: 4000), .nulFilled, 1, 8, "/a/1"),
        BadText(Array("{\"a\":\"bc".utf8) + Array(repeating: 0, count: 99), .nulFilled, 1, 9, "/a"),
        BadText(Array("[1]\n".utf8) + Array(repeating: 0, count: 4096), .nulFilled, 2, 1),
        BadText(Array("1".utf8) + Array(repeating: 0, count: 40), .nulFilled, 1, 2),
        BadText(Array("{".utf8) + Array(repeating: 0, count: 40), .nulFilled, 1, 2),
        BadText(Array("{\"a\"".utf8) + Array(repeating: 0, count: 40), .nulFilled, 1, 5, "/a"),
        BadText(Array("[1,".utf8) + Array(repeating: 0, count: 40), .nulFilled, 1, 4, "/1"),
        BadText(Array("{\"a\":1,".utf8) + Array(repeating: 0, count: 40), .nulFilled, 1, 8),
        BadText("[", .truncated, 1, 2, "/0"), BadText("[1", .truncated, 1, 3, "/1"),
        BadText("[1,", .truncated, 1, 4, "/1"), BadText("{", .truncated, 1, 2), BadText("{\"", .truncated, 1, 3),
        BadText("{\"a\"", .truncated, 1, 5, "/a"), BadText("{\"a\":", .truncated, 1, 6, "/a"),
        BadText("{\"a\":1", .truncated, 1, 7), BadText("{\"a\":1,", .truncated, 1, 8),
        BadText("{\"a\":{\"b\":[0,\n\"", .truncated, 2, 2, "/a/b/1"), BadText("\"", .truncated, 1, 2),
        BadText("\"\\", .truncated, 1, 3), BadText("\"\\u12", .truncated, 1, 6), BadText("tru", .truncated, 1, 4),
        BadText("-", .truncated, 1, 2), BadText("1.", .truncated, 1, 3), BadText("1e", .truncated, 1, 3),
        BadText("1e+", .truncated, 1, 4), BadText("[\"\\uD83D", .truncated, 1, 9, "/0"),
        BadText("[\"\\uD83D\\u", .truncated, 1, 11, "/0"), BadText("[\"\\uD83D\\", .truncated, 1, 10, "/0"),
        BadText("\u{FEFF}[1,", .truncated, 1, 5, "/1"),
        // NUL bytes that something follows are not a file that was not written completely.
        BadText(Array("[1,".utf8) + Array(repeating: 0, count: 4000) + Array("2]".utf8), .syntax, 1, 4, "/1"),
        BadText(Array("[1".utf8) + Array(repeating: 0, count: 4000) + Array("]".utf8), .syntax, 1, 3, "/1"),
        BadText(Array("{\"a\":\"".utf8) + [0, 0] + Array("\"}".utf8), .controlCharacter, 1, 7, "/a"),
        BadText(Array("{}".utf8) + Array(repeating: 0, count: 3000) + [0x20], .trailing, 1, 3),
        BadText(Array("{\"a\":1".utf8) + Array(repeating: 0, count: 3000) + [0x7D], .syntax, 1, 7),
    ]

    static let structure: [BadText] = [
        BadText("[1,]", .syntax, 1, 4, "/1"), BadText("[,1]", .syntax, 1, 2, "/0"), BadText("[,]", .syntax, 1, 2, "/0"),
        BadText("[1,,2]", .syntax, 1, 4, "/1"), BadText("[1 2]", .syntax, 1, 4, "/1"),
        BadText("[1:2]", .syntax, 1, 3, "/1"), BadText("[1}", .syntax, 1, 3, "/1"), BadText("[}", .syntax, 1, 2, "/0"),
        BadText("{\"a\":1,}", .syntax, 1, 8), BadText("{,}", .syntax, 1, 2), BadText("{\"a\":1,,}", .syntax, 1, 8),
        BadText("{\"a\":1]", .syntax, 1, 7), BadText("{]", .syntax, 1, 2), BadText("{\"a\" 1}", .syntax, 1, 6, "/a"),
        BadText("{\"a\",1}", .syntax, 1, 5, "/a"), BadText("{\"a\"}", .syntax, 1, 5, "/a"),
        BadText("{\"a\":}", .syntax, 1, 6, "/a"), BadText("{\"a\"::1}", .syntax, 1, 6, "/a"),
        BadText("{\"a\":1 \"b\":2}", .syntax, 1, 8), BadText("{:1}", .syntax, 1, 2), BadText("{a:1}", .syntax, 1, 2),
        BadText("{'a':1}", .syntax, 1, 2), BadText("{1:1}", .syntax, 1, 2), BadText("{null:1}", .syntax, 1, 2),
        BadText("{\"a\":1,\n 2:3}", .syntax, 2, 2), BadText("['a']", .syntax, 1, 2, "/0"), BadText("]", .syntax, 1, 1),
        BadText("}", .syntax, 1, 1), BadText(",", .syntax, 1, 1), BadText(":", .syntax, 1, 1),
        BadText("*", .syntax, 1, 1),
        BadText("// a\n1", .syntax, 1, 1), BadText("[1 /* a */]", .syntax, 1, 4, "/1"), BadText("# a", .syntax, 1, 1),
        BadText("\u{A0}1", .syntax, 1, 1), BadText("[\u{FEFF}1]", .syntax, 1, 2, "/0"),
        BadText("\u{FEFF}\u{FEFF}1", .syntax, 1, 2), BadText("\u{0C}1", .syntax, 1, 1),
        BadText("[\u{0B}]", .syntax, 1, 2, "/0"),
        BadText("[1\u{2028}]", .syntax, 1, 3, "/1"), BadText("[\u{1F600}]", .syntax, 1, 2, "/0"),
        BadText("True", .syntax, 1, 1), BadText("TRUE", .syntax, 1, 1), BadText("nul]", .syntax, 1, 1),
        BadText("[fals]", .syntax, 1, 2, "/0"), BadText("[truth]", .syntax, 1, 2, "/0"),
        BadText("[nulll]", .syntax, 1, 6, "/0"),
        BadText("[undefined]", .syntax, 1, 2, "/0"), BadText("nil  ", .syntax, 1, 1),
        BadText("1 2", .trailing, 1, 3), BadText("[]]", .trailing, 1, 3), BadText("{}\n,", .trailing, 2, 1),
        BadText("\"a\"b", .trailing, 1, 4), BadText("truex", .trailing, 1, 5), BadText("true false", .trailing, 1, 6),
        BadText("{} // a", .trailing, 1, 4), BadText("[1]\u{A0}", .trailing, 1, 4), BadText("1\u{0C}", .trailing, 1, 2),
        BadText("nulla", .trailing, 1, 5), BadText("\"é€𝄞\" \u{1F600}", .trailing, 1, 7),
        BadText([0xEF, 0xBB, 0x31], .syntax, 1, 1), BadText([0xEF], .syntax, 1, 1),
        BadText([0x5B, 0xFF], .syntax, 1, 2, "/0"),
    ]

    static let numbers: [BadText] = [
        BadText("+1", .syntax, 1, 1), BadText(".5", .syntax, 1, 1), BadText("[1.]", .number, 1, 4, "/0"),
        BadText("[1e]", .number, 1, 4, "/0"), BadText("[1e+]", .number, 1, 5, "/0"),
        BadText("[1E-x]", .number, 1, 5, "/0"),
        BadText("[-]", .number, 1, 3, "/0"), BadText("--1", .number, 1, 2), BadText("-+1", .number, 1, 2),
        BadText("-.5", .number, 1, 2), BadText("[- 1]", .number, 1, 3, "/0"), BadText("01", .number, 1, 1),
        BadText("-01", .number, 1, 1), BadText("00", .number, 1, 1), BadText("-00.5", .number, 1, 1),
        BadText("[0, 012]", .number, 1, 5, "/1"), BadText("0x10", .trailing, 1, 2),
        BadText("[0x10]", .syntax, 1, 3, "/0"),
        BadText("1.5.5", .trailing, 1, 4), BadText("1e5e5", .trailing, 1, 4), BadText("1e5.5", .trailing, 1, 4),
        BadText("1.e5", .number, 1, 3), BadText("[1_000]", .syntax, 1, 3, "/0"), BadText("1f", .trailing, 1, 2),
        BadText("{\"a\":0x1F}", .syntax, 1, 7, "/a"), BadText("[[],[7,0x1F]]", .syntax, 1, 9, "/1/1"),
        BadText("{\"b\":[1],\"a\":{\"c\":1.5.5}}", .syntax, 1, 22, "/a/c"),
        BadText("{\"a\":1,\"b\":truex}", .syntax, 1, 16, "/b"), BadText("[1,2 x]", .syntax, 1, 6, "/2"),
        BadText("[１]", .syntax, 1, 2, "/0"), BadText("NaN", .number, 1, 1), BadText("{\"a\":NaN}", .number, 1, 6, "/a"),
        BadText("[Infinity]", .number, 1, 2, "/0"), BadText("-Infinity", .number, 1, 2), BadText("-NaN", .number, 1, 2),
        BadText("nan", .number, 1, 1), BadText("[inf]", .number, 1, 2, "/0"), BadText("1e400", .numberRange, 1, 1),
        BadText("{\"a\":-1e400}", .numberRange, 1, 6, "/a"),
        BadText("[0,1E+9999999999999999999999]", .numberRange, 1, 4, "/1"),
        BadText("[1.8e308]", .numberRange, 1, 2, "/0"),
        BadText("1" + String(repeating: "0", count: 309), .numberRange, 1, 1),
        BadText("-1" + String(repeating: "0", count: 400) + ".5", .numberRange, 1, 1),
        BadText("{\"b\":1,\"a\":{\"c\":1e999}}", .numberRange, 1, 17, "/a/c"),
    ]

    static let strings: [BadText] = [
        BadText("[\"\\uD800\"]", .loneSurrogate, 1, 3, "/0"), BadText("[\"\\uDC00\"]", .loneSurrogate, 1, 3, "/0"),
        BadText("[\"ab\\uDFFF\\uD800\"]", .loneSurrogate, 1, 5, "/0"),
        BadText("\"\\uD800\\uD800\"", .loneSurrogate, 1, 2),
        BadText("\"\\uD800\\u0041\"", .loneSurrogate, 1, 2), BadText("\"\\uD800\\n\"", .loneSurrogate, 1, 2),
        BadText("\"\\uD800a\"", .loneSurrogate, 1, 2),
        BadText("{\"x\":{\"y\":\"\\uDBFF\"}}", .loneSurrogate, 1, 12, "/x/y"),
        BadText("{\"\\uDBFF\":1}", .loneSurrogate, 1, 3), BadText("\"\\uD83D\"", .loneSurrogate, 1, 2),
        BadText("\"\\uD83D\\uDE00\\uDE00\"", .loneSurrogate, 1, 14),
        BadText("[\"\\ud800é\"]", .loneSurrogate, 1, 3, "/0"),
        BadText("\"\\uD800\\uG000\"", .escape, 1, 10), BadText("[\"\\x41\"]", .escape, 1, 3, "/0"),
        BadText("\"\\'\"", .escape, 1, 2), BadText("\"\\U0041\"", .escape, 1, 2), BadText("\"\\u00G0\"", .escape, 1, 6),
        BadText("\"\\u 041\"", .escape, 1, 4), BadText("\"\\u004\"", .escape, 1, 7), BadText("\"\\é\"", .escape, 1, 2),
        BadText("\"\\\n\"", .escape, 1, 2), BadText("\"\\0\"", .escape, 1, 2), BadText("\"\\a\"", .escape, 1, 2),
        BadText("{\"\\q\":1}", .escape, 1, 3), BadText("\"a\nb\"", .controlCharacter, 1, 3),
        BadText("[\"\t\"]", .controlCharacter, 1, 3, "/0"),
        BadText("{\"a\":\"abcdefg\u{1F}\"}", .controlCharacter, 1, 14, "/a"),
        BadText("{\"a\u{01}\":1}", .controlCharacter, 1, 4), BadText("[\"a]\n", .controlCharacter, 1, 5, "/0"),
    ]

    @Test("empty, white space, NUL-filled, cut", arguments: Self.incomplete)
    func refusesIncomplete(_ bad: BadText) { bad.check() }

    @Test("structure and literals", arguments: Self.structure)
    func refusesStructure(_ bad: BadText) { bad.check() }

    @Test("numbers", arguments: Self.numbers)
    func refusesNumber(_ bad: BadText) { bad.check() }

    @Test("strings", arguments: Self.strings)
    func refusesString(_ bad: BadText) { bad.check() }

    @Test("every control character, everywhere in a word", arguments: 0..<0x20 as Range<UInt8>)
    func controlCharacters(_ byte: UInt8) {
        for length in 0..<18 {
            let head = Array(("[\"" + String(repeating: "x", count: length)).utf8)
            BadText(head + [byte] + Array("yyyyyyyyyyyyyyyy\"]".utf8), .controlCharacter, 1, length + 3, "/0").check()
            if byte != 0 { BadText(head + [byte], .controlCharacter, 1, length + 3, "/0").check() }
        }
    }

    @Test func messagesSayWhatWasFoundAndExpected() {
        for bad in Self.structure + Self.numbers + Self.strings {
            let message = refusal(of: bad.bytes)?.message ?? ""
            #expect(message.contains("found") || message.contains("larger"), "\(message)")
            #expect(message.contains("expected"), "\(message)")
        }
        #expect(
            refusal(of: Array("[1 2]".utf8))?.description
                == "1:4: error[json.syntax]: found '2', expected ',' or ']' (at /1)"
        )
        #expect(refusal(of: Array("[tru]".utf8))?.message == "found 'tru', expected true")
        #expect(refusal(of: Array("\"\\ \"".utf8))?.message.contains("a space") == true)
    }
}

@Suite("Limits")
struct LimitTests {
    @Test func depth() {
        #expect(refusal(of: Array(maximum.utf8)) == nil)
        let open = String(repeating: "[", count: 129)
        BadText(open + String(repeating: "]", count: 129), .depth, 1, 129, String(repeating: "/0", count: 128)).check()
        BadText(String(repeating: "{\"a\":", count: 129), .depth, 1, 641, String(repeating: "/a", count: 128)).check()
        var options = JSONParseOptions()
        options.maximumDepth = 2
        #expect(refusal(of: Array("[[],{},{}]".utf8), options) == nil)
        BadText("[0,{\"b\":[]}]", .depth, 1, 9, "/1/b").check(options)
        options.maximumDepth = 0
        #expect(refusal(of: Array("1".utf8), options) == nil)
        BadText(" {}", .depth, 1, 2).check(options)
        options.maximumDepth = -5
        BadText("[]", .depth, 1, 1).check(options)
        BadText(String(repeating: "[", count: 100_000), .depth, 1, 129, String(repeating: "/0", count: 128)).check()
    }

    @Test("the depth that recursion bears is the most")
    func depthCeiling() throws {
        var options = JSONParseOptions()
        options.maximumDepth = .max
        let text = String(repeating: "[", count: 1024) + String(repeating: "]", count: 1024)
        let document = try JSONDocument(parsing: text, options: options)
        for style in JSONStyle.allCases {
            #expect(document.root.encoded(style) == document.root.value.encoded(style))
        }
        BadText("[" + text + "]", .depth, 1, 1025, String(repeating: "/0", count: 1024)).check(options)
    }

    @Test func size() {
        var options = JSONParseOptions()
        options.maximumByteCount = 10
        #expect(refusal(of: Array("[1,2,3,45]".utf8), options) == nil)
        BadText("[1,2,3,456]", .size, 1, 1).check(options)
        BadText("[\n\n\n\n\n\n\n\n\n\n\n1]", .size, 1, 1).check(options)
    }

    /// What is kept of small values takes many times their bytes.
    @Test func values() {
        var options = JSONParseOptions()
        options.maximumValueCount = 1000
        func text(_ count: Int) -> [UInt8] { Array("[\(String(repeating: "[],", count: count))0]".utf8) }
        #expect(refusal(of: text(400), options) == nil)
        let error = refusal(of: text(2000), options)
        #expect(error?.code == .size && error?.message.contains("1000 values") == true, "\(error as Any)")
        #expect(refusal(of: text(2000), JSONParseOptions()) == nil)
    }

    @Test func lenient() throws {
        let rfc = JSONParseOptions.rfc8259
        let document = try JSONDocument(parsing: #"{"a":1,"b":{"a":2,"\u0061":3},"a":1e400}"#, options: rfc)
        #expect(document.root["a"]?.number?.token == "1e400")
        #expect(document.root["a"]?.number?.double == .infinity)
        #expect(document.root["b"]?["a"]?.int == 3)
        #expect(document.root.count == 3)
        #expect(document.root.value.object?.names == ["a", "b"])
        #expect(document.root.value["b"] == ["a": 3])
        #expect(document.root.encoded(.compact) == Array(#"{"a":1,"b":{"a":2,"a":3},"a":1e400}"#.utf8))
        #expect(streamOutcome(document.bytes, rfc, piece: 1).value == document.root.value)
        BadText("\"\\uD800\"", .loneSurrogate, 1, 2).check(rfc)
    }
}
