import Testing
import TestSupport

@testable import StrictJSON

@Suite("Writing")
struct WriterTests {
    private struct SinkError: Error, Equatable { let number: Int }

    /// What a writer gives out, in its pieces.
    private func pieces(_ style: JSONStyle, _ write: (inout JSONWriter) -> Void) throws -> [[UInt8]] {
        nonisolated(unsafe) var pieces: [[UInt8]] = []
        var writer = JSONWriter(style: style) { pieces.append(Array($0)) }
        write(&writer)
        try writer.finish()
        return pieces
    }

    @Test("scalars are replaced also where an accent makes them one character with it")
    func replacedScalars() {
        let text = "a\"\u{301}b\""
        #expect(Array(text.replacingScalar("\"", with: "\"\"").utf8) == Array("a\"\"\u{301}b\"\"".utf8))
        #expect("ab".replacingScalar("\"", with: "") == "ab")
    }

    @Test func layout() throws {
        let text = #"{"b":[1,-2.50,{"x":null,"a":[]},{}],"a":{"é":true},"A":"é\u00e9\/\u0001\"\\\u2028"}"#
        let node = try JSONDocument(parsing: text).root
        #expect(
            node.value.text(.compact) == #"{"b":[1,-2.50,{"x":null,"a":[]},{}],"a":{"é":true},"A":"éé/\u0001\"\\"#
                + "\u{2028}\"}"
        )
        #expect(
            node.value.text(.canonical) == #"{"A":"éé/\u0001\"\\"# + "\u{2028}\""
                + #","a":{"é":true},"b":[1,-2.5,{"a":[],"x":null},{}]}"#
        )
        let indented = """
            {
              "b": [
                1,
                -2.50,
                {
                  "x": null,
                  "a": []
                },
                {}
              ],
              "a": {
                "é": true
              },
              "A": "éé/\\u0001\\"\\\\\u{2028}"
            }

            """
        #expect(node.value.text(.indented) == indented)
        for style in JSONStyle.allCases { #expect(node.encoded(style) == node.value.encoded(style)) }
        #expect(node["b"]?[2]?.encoded(.compact) == Array(#"{"x":null,"a":[]}"#.utf8))
        #expect(JSONValue.null.text(.indented) == "null\n" && JSONValue.array([]).text(.indented) == "[]\n")
        #expect(JSONValue.object([:]).text(.canonical) == "{}" && JSONValue.string("").text(.compact) == "\"\"")
    }

    @Test("control characters, short escapes first")
    func escapes() {
        let all = String(String.UnicodeScalarView((0..<0x20 as Range<UInt8>).map { Unicode.Scalar($0) }))
        let expected =
            (0..<8).map { "\\u000\($0)" }.joined() + #"\b\t\n\u000b\f\r\u000e\u000f"#
            + (0x10..<0x20).map { "\\u00" + String($0, radix: 16) }.joined()
        for style in [JSONStyle.compact, .canonical] { #expect(JSONValue.string(all).text(style) == "\"\(expected)\"") }
        #expect(value(of: JSONValue.object([all: .string(all)]).encoded(.indented)) == [all: .string(all)])
    }

    @Test("what has to be escaped is found wherever it stands")
    func escapesAtAllPlaces() throws {
        let plain = ["a", "é", "\u{7F}", "😀", "~", " ", "!", "#", "[", "]"]
        let escapes = ["\"": "\\\"", "\\": "\\\\", "\u{1}": "\\u0001", "\n": "\\n", "\u{1F}": "\\u001f"]
        for (escaped, text) in escapes {
            for length in 0..<20 {
                for place in 0...length {
                    var parts = (0..<length).map { plain[($0 * 7 + place) % plain.count] }
                    parts.insert(escaped, at: place)
                    let expected = "\"" + parts.map { $0 == escaped ? text : $0 }.joined() + "\""
                    #expect(JSONValue.string(parts.joined()).text(.compact) == expected)
                }
            }
        }
    }

    @Test("members are sorted by UTF-16 code units")
    func order() throws {
        let names = [
            "\u{E000}", "𝄞", "a", "", "\u{FFFF}", "b", "aa", "é", "\u{10FFFF}", "\u{10000}", "\u{D7FF}", "A", "\n", "z",
            "\u{80}",
        ]
        let sorted = names.sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
        var object = JSONObject()
        for name in names { object[name] = ["inner": .object([name: 1, "": 2])] }
        let text = JSONValue.object(object).encoded(.canonical)
        let document = try JSONDocument(parsing: text)
        #expect(document.root.members.map(\.name) == sorted)
        #expect(try JSONDocument(parsing: JSONValue.object(object).encoded(.indented)).root.encoded(.canonical) == text)
    }

    @Test("strings of all lengths at the end of the buffer", arguments: JSONStyle.allCases)
    func borders(_ style: JSONStyle) throws {
        let capacity = 1 << 18
        let lengths = [0, 1, 15, 16, 17, 47, 48, 49, 2047, 2048, 2049, 5000, capacity - 1, capacity]
        for (step, length) in lengths.enumerated() {
            // A string of more than 2048 bytes would empty the buffer; these fill it up to a few bytes.
            var elements: [JSONValue] = Array(repeating: .string(String(repeating: "x", count: 1995)), count: 130)
            let filled = JSONValue.array(elements).encoded(style).count
            let rest = capacity - filled - 15 - step
            elements += [rest / 2, rest - rest / 2].map { .string(String(repeating: "z", count: $0)) }
            let plain = String(repeating: "y", count: length)
            elements += [.string(plain), .object([plain: [:], plain + "\t": 1]), .string(plain + "\n\u{1}")]
            let written = JSONValue.array(elements).encoded(style)
            let document = try JSONDocument(parsing: written)
            #expect(document.root.value == .array(elements), "\(length)")
            #expect(document.root.encoded(style) == written, "\(length)")
        }
        // Nothing but escapes, and nothing but the shortest values.
        let escapes = JSONValue.string(String(repeating: "\u{1}", count: 50_000))
        #expect(value(of: escapes.encoded(style)) == escapes)
        let small = JSONValue.array(Array(repeating: [:], count: 70_000))
        #expect(try JSONDocument(parsing: small.encoded(style)).root.count == 70_000)
    }

    @Test("deep indentation")
    func deepIndentation() throws {
        let depth = 600
        let pieces = try pieces(.indented) { writer in
            for _ in 0..<depth { writer.beginArray() }
            writer.null()
            for _ in 0..<3 { writer.endArray() }
        }
        let bytes = pieces.reduce(0) { $0 + $1.count }
        let opening = (0..<depth).reduce(0) { $0 + 2 * $1 + 2 } - 1
        #expect(bytes == opening + 1 + 2 * depth + 4 + 3 * (2 + 2 * depth) - 12 + 1)
        #expect(pieces.allSatisfy { $0.count <= (1 << 18) + 4096 })
        #expect(pieces.allSatisfy { $0.allSatisfy { [0x20, 0x0A, 0x5B, 0x5D, 0x6E, 0x75, 0x6C].contains($0) } })
    }

    @Test("the first error of the sink is thrown, and nothing is given to it any more")
    func sinkErrors() {
        nonisolated(unsafe) var calls = 0
        var writer = JSONWriter(style: .compact) { _ in
            calls += 1
            if calls >= 2 { throw SinkError(number: calls) }
        }
        writer.beginArray()
        for _ in 0..<50_000 { writer.string("some text") }
        writer.endArray()
        #expect(throws: SinkError(number: 2)) { try writer.finish() }
        #expect(calls == 2)
    }

    @Test("RFC 8785's vectors", .enabled(if: SharedFolder.exists), arguments: ["structures", "values", "weird"])
    func vectors(_ name: String) throws {
        let document = try JSONDocument(parsing: SharedFolder.bytes("samples/jcs/input/\(name).json"))
        let expected = try SharedFolder.bytes("samples/jcs/output/\(name).json")
        #expect(document.root.encoded(.canonical) == expected)
        #expect(document.root.value.encoded(.canonical) == expected)
    }

    @Test("naughty strings come back in every style", .enabled(if: SharedFolder.exists), arguments: JSONStyle.allCases)
    func naughty(_ style: JSONStyle) throws {
        let document = try JSONDocument(parsing: SharedFolder.bytes("samples/naughty-strings.json"))
        #expect(document.root.count > 400)
        let written = document.root.encoded(style)
        #expect(document.root.value.encoded(style) == written)
        #expect(try JSONDocument(parsing: written).root.value == document.root.value)
        var names = JSONObject()
        for (index, string) in document.root.elements.enumerated() {
            names["\(index)" + (string.string ?? "")] = string.value
        }
        let object = JSONValue.object(names)
        #expect(value(of: object.encoded(style)) == object)
        #expect(streamOutcome(object.encoded(style), piece: 100).value == object)
    }
}
