import Foundation
import StrictJSON
import StrictJSONFoundation
import Testing

struct DecodingTests {
    struct Session: Decodable, Equatable {
        enum Kind: String, Decodable { case timer, rounds }
        struct Block: Decodable, Equatable {
            let label: String
            let seconds: UInt16
            let note: String?
        }

        let name: String
        let kind: Kind
        let factor: Double
        let blocks: [Block]
        let tags: [String: Int]
    }

    private static let text = #"""
        {"name":"Leg day","kind":"rounds","factor":1.5,"tags":{"a":1},
         "blocks":[{"label":"Work","seconds":20},{"label":"Rest","seconds":10.0,"note":null}]}
        """#

    @Test func `a type reads what it asks for`() throws {
        let session = try JSONDocument(parsing: Data(Self.text.utf8)).root.decode(Session.self)
        #expect(session.blocks.map(\.seconds) == [20, 10])
        #expect(session.kind == .rounds && session.factor == 1.5 && session.tags == ["a": 1])
        let foundation = try JSONDecoder().decode(Session.self, from: Data(Self.text.utf8))
        #expect(session == foundation)
        #expect(try JSONDocument(parsing: "[18446744073709551615]").root.decode([UInt64].self) == [.max])
    }

    @Test(arguments: [
        ("20}", "-1}", "line 2, column 38, /blocks/0/seconds: found -1, expected an integer from 0 to 65535"),
        ("20}", "1.5}", "found 1.5, expected an integer"), ("20}", "\"20\"}", "found \"20\", expected an integer"),
        ("\"label\":\"Work\",", "", "line 2, column 12, /blocks/0: the member \"label\" is missing"),
        ("1.5", "null", "/factor: found null, expected a number"),
    ]) func `what does not fit is named with its place`(old: String, new: String, expected: String) throws {
        let text = Self.text.replacingOccurrences(of: old, with: new)
        do {
            _ = try JSONDocument(parsing: text).root.decode(Session.self)
            Issue.record("decoded \(text)")
        } catch let error as DecodingError {
            #expect("\(error)".contains(expected), "\(error)")
        }
    }

    @Test func `a file is read, and a value written`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONValue.object(["a": 1]).data().write(to: file)
        #expect(try JSONDocument(contentsOf: file).root["a"]?.int == 1)
    }
}
