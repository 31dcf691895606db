import StrictJSON
import Testing
import TestSupport

@testable import XMLIO

struct WriterTests {
    private func written(_ body: (inout XMLWriter) throws -> Void) throws -> String {
        var output: [UInt8] = []
        var writer = XMLWriter { output += $0 }
        try body(&writer)
        try writer.finish()
        return String(decoding: output, as: UTF8.self)
    }

    @Test func bytes() throws {
        let text = try written { writer in
            try writer.start("a", [("x", "1 < 2 & \"q\" '"), ("x:y", "\t\n\r")])
            try writer.element("b")
            try writer.element("c", [("d", "")], text: "x > y & <z>\r\n\u{7F}é𝄞")
            try writer.start("p")
            try writer.text("mixed ")
            try writer.element("i", text: "text")
            try writer.end()
            try writer.start("q")
            try writer.start("r")
            try writer.end()
            try writer.end()
            try writer.end()
        }
        #expect(
            text == """
                <?xml version="1.0" encoding="UTF-8"?>
                <a x="1 &lt; 2 &amp; &quot;q&quot; '" x:y="&#9;&#10;&#13;">
                  <b/>
                  <c d="">x &gt; y &amp; &lt;z&gt;&#13;
                \u{7F}é𝄞</c>
                  <p>mixed <i>text</i></p>
                  <q>
                    <r/>
                  </q>
                </a>

                """
        )
    }

    @Test(arguments: ["\0", "\u{B}", "x\u{1F}", "\u{FFFE}", "\u{FFFF}"])
    func unwritable(_ text: String) throws {
        #expect(XMLWriter.unwritable(in: text) != nil)
        #expect(throws: XMLError.self) { try written { try $0.element("a", text: text) } }
        #expect(throws: XMLError.self) { try written { try $0.element("a", [("b", text)]) } }
        #expect(XMLWriter.unwritable(in: "\t\n\r é𝄞\u{85}\u{FFFD}") == nil)
    }

    @Test func misuse() throws {
        #expect(throws: XMLError.self) { try written { _ in } }
        #expect(throws: XMLError.self) { try written { try $0.start("a") } }
        #expect(throws: XMLError.self) { try written { try $0.end() } }
        #expect(throws: XMLError.self) { try written { try $0.text("x") } }
        for name in ["", "1", "a b", "a>", "é", "a:b:c", ":a"] {
            #expect(throws: XMLError.self) { try written { try $0.element(name) } }
            #expect(throws: XMLError.self) { try written { try $0.element("a", [(name, "")]) } }
        }
        #expect(throws: XMLError.self) {
            try written {
                try $0.element("a")
                try $0.element("a")
            }
        }
    }

    /// Whatever can be written is read as it was.
    @Test(arguments: [1, 2, 3])
    func roundTrip(_ seed: UInt64) throws {
        print("WriterTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        func text() -> String {
            String(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in
                    Character(
                        ["a", "<", ">", "&", "\"", "'", "\n", "\r", "\t", " ", "]]>", "é", "𝄞", "\u{FFFD}", "\u{7F}"]
                            .flatMap { $0.unicodeScalars }.randomElement(using: &random) ?? "x"
                    )
                }
            )
        }
        for _ in 0..<300 {
            let (value, content) = (text(), text())
            let bytes = try written { try $0.element("a", [("b", value)], text: content) }
            let root = try XMLElement.parse(Array(bytes.utf8))
            #expect(root.attribute("b").map { Array($0.utf8) } == Array(value.utf8), "\(value.debugDescription)")
            #expect(Array(root.text.utf8) == Array(content.utf8), "\(content.debugDescription)")
        }
    }
}
