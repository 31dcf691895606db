import StrictJSON
import Testing

@testable import XMLIO

struct TreeTests {
    @Test func trees() throws {
        let text = "<a k='v' l=''>\n <b>one <c/>two</b>\n <b xmlns='urn:b'/></a>"
        let root = try XMLElement.parse(Array(text.utf8))
        #expect(
            root.name == "a" && root.attribute("k") == "v" && root.attribute("l") == "" && root.attribute("m") == nil
        )
        #expect(root.children.map(\.name) == ["b", "b"] && root.children.map(\.namespace) == [nil, "urn:b"])
        #expect(root.child("b")?.text == "one two" && root.child("b")?.child("c")?.position.column == 9)
        #expect(root.position.line == 1 && root.children.map(\.position.line) == [2, 3])
        #expect(root.child("x") == nil)
    }

    @Test func limits() throws {
        func failure(_ text: String, _ count: Int = 100_000) -> XMLError? {
            do throws(XMLError) {
                _ = try XMLElement.parse(Array(text.utf8), elementCount: count)
                return nil
            } catch {
                return error
            }
        }
        let many = "<a>" + String(repeating: "<b/>", count: 10) + "</a>"
        #expect(failure(many, 11) == nil)
        #expect(failure(many, 10)?.code == .size && failure(many, 10)?.position?.column == 40)
        #expect(failure("<a>" + String(repeating: " ", count: 17 << 20) + "</a>")?.code == .size)
        #expect(failure("<a>")?.code == .truncated)
    }
}
