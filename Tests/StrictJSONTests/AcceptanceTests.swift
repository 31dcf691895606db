import Testing

@testable import StrictJSON

@Suite("All of RFC 8259 is accepted")
struct AcceptanceTests {
    static let texts: [(String, JSONValue)] = [
        ("[]", []), ("{}", [:]), (" [ ] ", []), ("\t{\n}\r\n", [:]), ("null", nil), ("true", true), ("false", false),
        ("\"\"", ""), ("\"a\"", "a"), ("0", 0), (" 7", 7), ("[[]]", [[]]), ("[[],[],{}]", [[], [], [:]]),
        ("[\"\"]", [""]),
        ("[ 4]", [4]), ("[1\n]", [1]), ("[null, 1, \"1\", {}]", [nil, 1, "1", [:]]),
        ("[1,null,null,2]", [1, nil, nil, 2]),
        ("{\"\":0}", ["": 0]), ("{\"a\":[]}", ["a": []]), ("{\n\"a\" :\t1 , \"b\":2}", ["a": 1, "b": 2]),
        ("{\"\\u0000\":\"\\u0000\"}", ["\u{0}": "\u{0}"]),
        ("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":2}}", ["a": ["a": ["a": 1]], "b": ["a": 2]]),
        ("[{\"a\":1},{\"a\":2},{\"b\":3,\"a\":4}]", [["a": 1], ["a": 2], ["b": 3, "a": 4]]),
        ("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\u{8}\u{C}\n\r\t"),
        ("\"\\u0041\\u00e9\\u20AC\\uD834\\udd1e\"", "Aé€𝄞"),
        ("\"\\uDBFF\\uDFFF\\uFFFF\\uFFFE\"", "\u{10FFFF}\u{FFFF}\u{FFFE}"), ("\"\\\\u0041\"", "\\u0041"),
        ("\"\\u0022\\u005c\"", "\"\\"),
        ("\"\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFD}\"", "\u{7F}\u{80}\u{2028}\u{2029}\u{FEFF}\u{FFFD}"),
        ("\"a/*b*/c//d#e\"", "a/*b*/c//d#e"), ("[\"'\", \"π\", \"\\u0012\"]", ["'", "π", "\u{12}"]),
        ("\"\\uD801\\udc37\\uD83d\\ude39\\uD83d\\uDC8d\"", "\u{10437}\u{1F639}\u{1F48D}"),
        ("\"e\\u0301\"", "e\u{301}"), ("\"NaN\"", "NaN"), ("{\"é\":1,\"e\u{301}\":2}", ["é": 1, "e\u{301}": 2]),
        ("{\"a\":1,\"A\":2}", ["a": 1, "A": 2]),
    ]

    @Test("values", arguments: Self.texts)
    func accepts(_ text: String, _ expected: JSONValue) {
        #expect(value(of: text) == expected)
        for piece in [1, 5, 1000] {
            let found = streamOutcome(Array(text.utf8), piece: piece)
            #expect(found.value == expected, "\(String(describing: found.error))")
        }
    }

    static let numbers = [
        "0", "-0", "-1", "1", "10", "123", "1.5", "-0.5", "0.0", "-0.0", "0e0", "0E+1", "1e5", "1E5", "1e+5", "1E-5",
        "1.5e10",
        "123.456e78", "20e1", "0.1e-400", "1e-400", "-1e-999999999999999999999", "0e999999999999999999999", "0.0e+400",
        "1.7976931348623157e308", "-1.7976931348623157E+308", "5e-324", "9007199254740993", "-9223372036854775809",
        "18446744073709551616", "123456789012345678901234567890",
        "0.1000000000000000055511151231257827021181583404541015625",
        "1" + String(repeating: "0", count: 308), "0." + String(repeating: "0", count: 500) + "1",
        String(repeating: "1", count: 400) + "e-300", "1" + String(repeating: "0", count: 400) + "e-400",
        "-0." + String(repeating: "9", count: 1000),
    ]

    @Test("numbers keep their token", arguments: Self.numbers)
    func keepsNumber(_ token: String) {
        for text in [token, " \(token) ", "[\(token)]", "{\"a\":\(token)}", "[0,\(token),1]"] {
            #expect(value(of: text) != nil, "\(text)")
            for piece in [1, 7, 300] {
                let found = streamOutcome(Array(text.utf8), piece: piece)
                #expect(found.value == value(of: text), "\(String(describing: found.error))")
            }
        }
        #expect(value(of: token)?.number?.token == token)
        #expect(value(of: "[\(token)]")?.array?.first?.text(.compact) == token)
    }

    @Test("strings of every length, with the quote everywhere in a word")
    func lengths() {
        for length in 0...70 {
            let text = String(repeating: "x", count: length)
            #expect(value(of: "\"\(text)\"") == .string(text))
            #expect(
                value(of: "{\"\(text)\":[\"\(text)\",\"\(text)\\n\"]}") == [
                    text: [.string(text), .string(text + "\n")]
                ]
            )
            #expect(value(of: "[" + String(repeating: " ", count: length) + "]") == [])
        }
    }

    @Test("duplicates are within one object, however they are spelt")
    func duplicates() {
        let bad = [
            BadText(#"{"a":1,"b":2,"a":3}"#, .duplicateName, 1, 14, "/a"),
            BadText(#"{"a":1,"\u0061":3}"#, .duplicateName, 1, 8, "/a"),
            BadText(#"{"é":1,"\u00E9":3}"#, .duplicateName, 1, 8, "/é"),
            BadText(#"{"\ud834\uDD1E":1,"𝄞":3}"#, .duplicateName, 1, 19, "/𝄞"),
            BadText(#"{"":1,"":3}"#, .duplicateName, 1, 7, "/"),
            BadText(#"{"a":{"b":{"a":0}},"a":3}"#, .duplicateName, 1, 20, "/a"),
            BadText(#"{"a":{"b":{"a":0},"a":1,"b":1}}"#, .duplicateName, 1, 25, "/a/b"),
            BadText(#"[{"a":1},{"b":[{"a":0}],"a":1,"a":2}]"#, .duplicateName, 1, 31, "/1/a"),
            BadText(#"{"a":[{"a":[{"a":1}],"b":0}],"b":0,"a":0}"#, .duplicateName, 1, 36, "/a"),
            BadText(#"{"%@":1,"%@":3}"#, .duplicateName, 1, 9, "/%@"),
            BadText(#"{"a":1,"a""#, .duplicateName, 1, 8, "/a"),
        ]
        for bad in bad { bad.check() }
        let error = refusal(of: Array("{\n \"%@\": 1,\n  \"b\": {\"%@\": 1},\n   \"\\u0025@\": 2}".utf8))
        #expect(error?.description.hasPrefix("4:4: error[json.duplicate-name]: ") == true)
        #expect(error?.message.hasSuffix("first at 2:2") == true)
        #expect(error?.message.contains("\"%@\"") == true)
    }

    @Test("many names: each once, and then one twice")
    func manyNames() {
        let members = (0..<3000).map { "\"name \($0)\":{\"name \($0)\":\($0)}" }
        let text = "{" + members.joined(separator: ",")
        #expect(value(of: text + "}")?.object?.count == 3000)
        #expect(refusal(of: Array((text + ",\"name 7\":1}").utf8))?.pointer.description == "/name 7")
    }
}
