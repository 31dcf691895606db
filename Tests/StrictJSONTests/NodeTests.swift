import TestSupport
import Testing

@testable import StrictJSON

@Suite("Nodes, pointers and values")
struct NodeTests {
    private static let text = """
        {"a": {"é/~": [10, [20, {"deep": true}], "x\\ny"]},
         "n": null, "big": 12345678901234567890, "f": 2.50, "": [],
          "𝄞": "é"}
        """

    private let document: JSONDocument

    init() throws { document = try JSONDocument(parsing: Self.text) }

    @Test func kindsAndScalars() {
        let root = document.root
        #expect(root.kind == .object && root.count == 6)
        #expect(root.members.map(\.name) == ["a", "n", "big", "f", "", "𝄞"])
        #expect(root.members.map(\.value.kind) == [.object, .null, .number, .number, .array, .string])
        #expect(root["n"]?.isNull == true && root["n"]?.bool == nil && root["n"]?.string == nil)
        #expect(root["big"]?.number?.token == "12345678901234567890" && root["big"]?.int == nil)
        #expect(root["f"]?.number?.token == "2.50" && root["f"]?.number?.double == 2.5 && root["f"]?.int == nil)
        #expect(root["missing"] == nil && root["n"]?["a"] == nil && root[0] == nil)
        #expect(root["𝄞"]?.string == "é" && root["𝄞"]?[0] == nil && root["𝄞"]?.count == 0)
        #expect(root[""]?.count == 0 && root[""]?[0] == nil && root[""]?.elements.first { _ in true } == nil)
        #expect(root["a"]?["é/~"]?.elements.map(\.kind) == [.number, .array, .string])
        #expect(root["a"]?["é/~"]?[-1] == nil && root["a"]?["é/~"]?[3] == nil)
        #expect(root["a"]?["é/~"]?[2]?.string == "x\ny")
        #expect(root["a"]?.elements.map(\.kind).isEmpty == true && root["n"]?.members.map(\.name).isEmpty == true)
        // The same letter by other code points is another name.
        #expect(root["a"]?["e\u{301}/~"] == nil)
    }

    @Test func pointersAndPositions() throws {
        let pointer = try #require(JSONPointer("/a/é~1~0/1/1/deep"))
        let node = try #require(document.root[pointer])
        #expect(node.bool == true && node.pointer == pointer)
        #expect(node.position == TextPosition(offset: 34, line: 1, column: 34))
        #expect(document.root["𝄞"]?.position.line == 3 && document.root["𝄞"]?.position.column == 8)
        #expect(document.root[""]?.position == TextPosition(offset: 108, line: 2, column: 57))
        #expect(document.root.pointer == .root && document.root[.root]?.kind == .object)
        for bad in ["/a/é~1~0/01", "/a/é~1~0/-", "/a/é~1~0/3", "/a/é~1~0/99999999999999999999", "/b", "/n/x"] {
            #expect(document.root[try #require(JSONPointer(bad))] == nil)
        }
        visit(document.root)
        let offsets = [40, 0, 40, 7, 10_000]
        #expect(document.positions(ofOffsets: offsets).map(\.offset) == offsets)
    }

    private func visit(_ node: JSONNode) {
        #expect(document.root[node.pointer]?.index == node.index)
        #expect(document.root.value[node.pointer] == node.value)
        for child in node.elements { visit(child) }
        for member in node.members { visit(member.value) }
    }

    @Test("columns count code points, lines LF", arguments: 0..<20)
    func columns(length: Int) throws {
        let head = String(repeating: "é\n", count: length % 5) + String(repeating: "a𝄞", count: length)
        let value = head.replacing("\n", with: "\\n")
        let text = "[\"\(value)\",\n\r\n\(String(repeating: " ", count: length))7, \"\(value)\", 8]"
        let document = try JSONDocument(parsing: text)
        #expect(document.root[1]?.position.line == 3 && document.root[1]?.position.column == length + 1)
        let column = length + 1 + 3 + value.unicodeScalars.count + 2 + 2
        #expect(document.root[3]?.position.line == 3 && document.root[3]?.position.column == column)
    }

    static let pointers: [(String, [String])] = [
        ("", []), ("/", [""]), ("//", ["", ""]), ("/a", ["a"]), ("/a/0/b", ["a", "0", "b"]), ("/~0~1", ["~/"]),
        ("/~01", ["~1"]), ("/é/𝄞", ["é", "𝄞"]), ("/ ", [" "]), ("/\u{301}", ["\u{301}"]),
        ("/a\u{301}/", ["a\u{301}", ""]),
    ]

    @Test("pointers as text and back", arguments: Self.pointers)
    func pointerText(_ text: String, _ tokens: [String]) {
        #expect(JSONPointer(text)?.tokens == tokens)
        #expect(JSONPointer(tokens: tokens).description == text)
    }

    @Test("what is no pointer", arguments: ["a", "a/b", "/~", "/~2", "/a~", "~0", "#/a", " /a"])
    func noPointer(_ text: String) { #expect(JSONPointer(text) == nil) }

    @Test func pointersDifferByCodePoints() {
        #expect(JSONPointer(tokens: ["é"]) != JSONPointer(tokens: ["e\u{301}"]))
        #expect(
            Set([JSONPointer(tokens: ["é"]), JSONPointer(tokens: ["e\u{301}"]), JSONPointer(tokens: ["é"])]).count == 2
        )
        #expect(JSONPointer(tokens: ["a", "b"]) != JSONPointer(tokens: ["a"]))
        #expect(JSONPointer.root.appending("a").appending(3).description == "/a/3")
    }
}

@Suite("Values that are edited")
struct ValueTests {
    @Test func equality() {
        #expect(value(of: "{\"a\":1,\"b\":[2]}") == value(of: "{\"b\":[2],\"a\":1}"))
        #expect(value(of: "{\"a\":1,\"b\":[2]}").hashValue == value(of: "{\"b\":[2],\"a\":1}").hashValue)
        #expect(JSONNumber.token("1.0") != 1 && JSONNumber.token("1e0") != 1 && JSONNumber.token("-0") != 0)
        #expect(value(of: "\"\\u0065\"") == "e")
        #expect(JSONValue.string("é") != .string("e\u{301}"))
        let twoNames: JSONValue = ["é": 1, "e\u{301}": 2]
        #expect(twoNames.object?.count == 2 && twoNames != ["é": 1] && twoNames["e\u{301}"] == 2)
        #expect(value(of: "[1,2]") != [2, 1] && value(of: "[]") != [:] && JSONValue.null != false)
        #expect((["a": 1] as JSONValue) != ["b": 1])
    }

    @Test func editing() throws {
        var edited = try #require(value(of: #"{"z":1,"session":{"name":"old","x":[]},"a":2}"#))
        edited["session"]?["name"] = "Leg day"
        edited["new"] = [nil, true]
        edited["z"] = nil
        #expect(edited.text(.compact) == #"{"session":{"name":"Leg day","x":[]},"a":2,"new":[null,true]}"#)
        edited["a"]?["b"] = 1
        #expect(edited["a"] == 2)
        edited["missing"] = nil
        #expect(edited.object?.names == ["session", "a", "new"])
        #expect(edited[JSONPointer(tokens: ["new", "1"])] == true)
        #expect(edited[JSONPointer(tokens: ["new", "2"])] == nil)
        #expect(edited[JSONPointer(tokens: ["a", "2"])] == nil)
    }

    @Test("objects small and large behave as a list of pairs", arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var object = JSONObject()
        var model: [(name: String, value: JSONValue)] = []
        for step in 0..<600 {
            let name = "n\(random.below(40))"
            let position = model.firstIndex { $0.name == name }
            switch random.below(seed % 2 == 0 ? 3 : 5) {
            case 0:
                let old = object.removeValue(forName: name)
                #expect(old == position.map { model[$0].value }, "seed \(seed), step \(step)")
                if let position { model.remove(at: position) }
            case 1 where random.chance(10):
                let first = [name, "n7", name, "missing", "n3"]
                object.sort(first: first)
                let chosen = [name, "n7", "n3"].reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
                let taken = chosen.compactMap { name in model.first { $0.name == name } }
                model = taken + model.filter { !chosen.contains($0.name) }
            default:
                let value = JSONValue.number(step)
                object[name] = value
                if let position { model[position].value = value } else { model.append((name, value)) }
            }
            #expect(object.names == model.map(\.name), "seed \(seed), step \(step)")
            #expect(object[name] == model.first { $0.name == name }?.value, "seed \(seed), step \(step)")
        }
        #expect(object.map(\.value) == model.map(\.value))
    }
}
