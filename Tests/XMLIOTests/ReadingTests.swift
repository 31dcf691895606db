import StrictJSON
import Testing
import TestSupport

@testable import XMLIO

struct ReadingTests {
    @Test func events() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a > b -->
            <list xmlns="urn:a" xmlns:b='urn:b' kind="x&lt;&#65;">
              <é/><b:item b:at="1" note='"quoted" > "'>fish &amp; <![CDATA[<chips> ]] ]]>
            </b:item ></list>
            <?end?>

            """
        let found = try Recorder.events(text)
        #expect(
            found == [
                "3:1 <list {urn:a} kind=x<A", "'\n  '", "4:3 <é {urn:a}", "</é",
                "4:7 <item {urn:b} at=1 note=\"quoted\" > \"", "'fish & <chips> ]] \n'", "</item", "</list",
            ]
        )
    }

    @Test func namesAreComparedByAddress() throws {
        final class Finder: XMLHandler {
            var item: XMLName?
            var note: XMLName?
            var found: [String] = []
            func start(_ element: borrowing XMLElementStart) {
                guard element.name == item, let note else { return }
                found.append(element.string(note) ?? "none")
            }
        }
        let reader = try XMLReader()
        let finder = Finder()
        finder.item = try reader.name("item")
        finder.note = try reader.name("note")
        let text = "<a xmlns:x='urn:x'><item note='1'/><b note='2'/><item x:note='3'/><item x:note='4' note=''/></a>"
        try reader.read(Array(text.utf8), into: finder)
        #expect(finder.found == ["1", "none", ""])
    }

    /// A byte order mark is no character of the text, and counts as bytes.
    @Test func byteOrderMark() throws {
        #expect(try Recorder.events("\u{FEFF}<?xml version='1.0'?><a/>") == ["1:22 <a", "</a"])
        #expect(Recorder.failure("\u{FEFF}<a>\n<b></a>")?.position?.line == 2)
    }

    /// Comments that begin like ended ones, the rest of which comes in another piece.
    @Test(arguments: ["<!-->", "<!--->"])
    func shortComments(_ start: String) throws {
        for step in 16..<60 {
            let events = try Recorder.events("<a>\(start) and something longer than a piece --></a>", step: step)
            #expect(events == ["1:1 <a", "</a"])
        }
    }

    @Test func handlersEndTheReading() throws {
        let recorder = Recorder()
        recorder.refuses = "b"
        #expect(throws: Recorder.Refusal.self) {
            try XMLReader().read(Array("<a><b/><c/></a>".utf8), into: recorder)
        }
        #expect(recorder.events == ["1:1 <a", "1:4 <b"])
    }

    @Test func aReaderReadsOneText() throws {
        let reader = try XMLReader()
        try reader.read(Array("<a/>".utf8), into: Recorder())
        #expect(throws: XMLError.self) { try reader.read(Array("<a/>".utf8), into: Recorder()) }
    }

    @Test func sourcesMayFail() throws {
        struct Broken: Error {}
        #expect(throws: Broken.self) { try XMLReader().read(from: { _ in throw Broken() }, into: Recorder()) }
        #expect(throws: XMLError.self) { try XMLReader().read(from: { $0.count + 1 }, into: Recorder()) }
    }

    /// Whatever the pieces, also where they are cut inside a character, a tag or an end, the outcome is the same.
    @Test(arguments: [1, 2, 3, 4])
    func pieces(_ seed: UInt64) throws {
        print("ReadingTests: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            // Long enough for several of the reader's own pieces.
            let text = RandomXML.text(&generator, bytes: Int.random(in: 0...200_000, using: &generator))
            var options = XMLOptions.skipping
            options.replacesControlCharacters = Bool.random(using: &generator)
            let whole = outcome(text, options, step: .max)
            let inPieces = outcome(text, options, step: Int.random(in: 16...300, using: &generator))
            #expect(whole.last == inPieces.last)
            let isSame = whole == inPieces
            #expect(isSame)
        }
    }

    private func outcome(_ text: [UInt8], _ options: XMLOptions, step: Int) -> [String] {
        let recorder = Recorder()
        do {
            let reader = try XMLReader(options, step: step)
            try reader.read(text, into: recorder)
            return recorder.events + ["\(reader.replacedControlCharacters)"]
        } catch {
            return recorder.events + ["\(error)"]
        }
    }
}

/// XML of everything that the gate tells apart, damaged in half of the cases.
enum RandomXML {
    static func text(_ random: inout SeededGenerator, bytes: Int) -> [UInt8] {
        var text = Array("<?xml version='1.0'?>\n<!DOCTYPE a [<!ELEMENT a ]x ANY> ]>\n<a>".utf8)
        let parts = [
            "<b/>", "<b c='>' d=\"'\">", "</b>", "<!-- - -> é -->", "<![CDATA[ ] ]> < ]]>", "<?p > ?>", "text\n", "𝄞é€",
            "&lt;",
            String(repeating: "x", count: 5000), "<b c='\n'/>\r\n", "\t",
        ]
        var depth = 0
        while text.count < bytes {
            var part = parts[Int.random(in: 0..<parts.count, using: &random)]
            if part == "</b>", depth == 0 { part = "<b/>" }
            if part == "<b c='>' d=\"'\">", depth > 100 { continue }
            depth += part == "</b>" ? -1 : (part == "<b c='>' d=\"'\">" ? 1 : 0)
            text += part.utf8
        }
        for _ in 0..<depth { text += "</b>".utf8 }
        text += "</a>\n".utf8
        if Bool.random(using: &random) {
            let place = Int.random(in: 0..<text.count, using: &random)
            text[place] = [0, 0x0B, 0x3C, 0x3E, 0x22, 0xC3, 0x80, 0x5D].randomElement(using: &random) ?? 0
        }
        return text
    }
}
