import StrictJSON
import Testing
import TestSupport

@testable import XMLIO

/// What is refused, each with its own code and its place.
struct RefusalTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: String
        let bytes: [UInt8]
        let line: Int
        let column: Int
        var testDescription: String { "\(code) \(String(decoding: bytes.prefix(40), as: UTF8.self))" }

        init(_ code: String, _ text: String, _ line: Int = 1, _ column: Int = 1) {
            self.init(code, Array(text.utf8), line, column)
        }

        init(_ code: String, _ bytes: [UInt8], _ line: Int = 1, _ column: Int = 1) {
            (self.code, self.bytes, self.line, self.column) = (code, bytes, line, column)
        }
    }

    static let cases: [Case] = [
        Case("xml.empty", ""), Case("xml.empty", " \n\t ", 2, 3), Case("xml.empty", [0xEF, 0xBB, 0xBF]),
        Case("xml.nul-filled", [UInt8](repeating: 0, count: 4096)),
        Case("xml.nul-filled", Array("<a>\n<b>".utf8) + [UInt8](repeating: 0, count: 200_000), 2, 4),
        Case("xml.nul-filled", Array("<a/>".utf8) + [0, 0], 1, 5),
        Case("xml.character", Array("<a>x".utf8) + [0, 0x78], 1, 5), Case("xml.character", "<a b='\u{B}'/>", 1, 7),
        Case("xml.character", "<a>é\u{FFFF}</a>", 1, 5), Case("xml.character", "<a>&#11;</a>", 1, 9),
        Case("xml.truncated", "<a>", 1, 4), Case("xml.truncated", "<a><b/>\n<", 2, 1),
        Case("xml.truncated", "<a b='c", 1, 8), Case("xml.truncated", "<a><!-- </a>", 1, 13),
        Case("xml.truncated", "<a><![CDATA[ ]]", 1, 16), Case("xml.truncated", "<?xml version='1.0'?>", 1, 22),
        Case("xml.truncated", "<a><![CDA", 1, 4), Case("xml.truncated", "<!-- only -->", 1, 14),
        Case("xml.encoding", [0xFF, 0xFE] + "<a/>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        Case("xml.encoding", [0xFE, 0xFF, 0, 0x3C]), Case("xml.encoding", [0x3C, 0, 0x61, 0, 0x2F, 0]),
        Case("xml.encoding", [0, 0x3C, 0, 0x61]), Case("xml.encoding", [0, 0, 0, 0x3C]),
        Case("xml.encoding", [0x4C, 0x6F, 0xA7, 0x94]),
        Case("xml.encoding", "<?xml version='1.0' encoding='ISO-8859-1'?><a/>"),
        Case("xml.encoding", "<?xml version=\"1.0\" encoding = \"utf-16\"?><a/>"),
        Case("xml.encoding", "<?xml version=\"1.0\" encoding=\"x-klingon\"?><a/>"),
        Case("xml.utf-8", Array("<a>\n é".utf8) + [0xE9, 0x20], 2, 3),
        Case("xml.utf-8", Array("<a>".utf8) + [0xC3], 1, 4),
        Case("xml.utf-8", Array("<a>".utf8) + [0xED, 0xA0, 0x80], 1, 4),
        Case("xml.utf-8", Array("<a>".utf8) + [0xC0, 0x80], 1, 4),
        Case("xml.utf-8", Array("<a>".utf8) + [0xF4, 0x90, 0x80, 0x80], 1, 4),
        Case("xml.doctype", "<?xml version='1.0'?>\n<!DOCTYPE a><a/>", 2, 1),
        Case("xml.entity", "<a>\n  &b;</a>", 2, 6), Case("xml.entity", "<a b='&c;'/>", 1, 10),
        Case("xml.tag", "<a>\n<b></c></a>", 2, 8), Case("xml.duplicate-attribute", "<a b='1' c='' b='2'/>", 1, 20),
        Case("xml.duplicate-attribute", "<a xmlns:x='u' xmlns:y='u' x:b='' y:b=''/>", 1, 41),
        Case("xml.namespace", "<x:a/>", 1, 5), Case("xml.namespace", "<a xmlns='%%'/>", 1, 14),
        Case("xml.namespace", "<a xmlns:xml='urn:a'/>", 1, 21),
        Case("xml.syntax", "{\"a\": 1}"), Case("xml.syntax", "é"), Case("xml.syntax", "<a b></a>", 1, 5),
        Case("xml.syntax", "<a b=c/>", 1, 6), Case("xml.syntax", "<a b='<'/>", 1, 7),
        Case("xml.syntax", "<a <b/>", 1, 4),
        Case("xml.syntax", "<a><!b></a>", 1, 4), Case("xml.syntax", "<1/>", 1, 2),
        Case("xml.syntax", "<a>]]></a>", 1, 4),
        Case("xml.syntax", "<a><?xml version='1.0'?></a>", 1, 9), Case("xml.syntax", "<a>&</a>", 1, 5),
        Case("xml.trailing", "<a/>\n<b/>", 2, 1), Case("xml.trailing", "<a/>\nx", 2, 1),
        Case("xml.trailing", "<a/>é", 1, 5),
        Case("xml.depth", String(repeating: "<a>", count: 300), 1, 385),
    ]

    @Test(arguments: cases)
    func refusals(_ refused: Case) throws {
        for step in [Int.max, 16, 31] {
            let error = try #require(Recorder.failure(refused.bytes, step: step))
            #expect(error.code.description == refused.code, "\(error)")
            let position = try #require(error.position)
            #expect((position.line, position.column) == (refused.line, refused.column), "\(error)")
        }
    }

    /// Nesting up to the limit is read.
    @Test func depth() throws {
        let text = String(repeating: "<a>", count: 128) + String(repeating: "</a>", count: 128)
        #expect(try Recorder.events(text).count == 256)
        #expect(Recorder.failure("<a>" + text + "</a>")?.code == .depth)
    }

    @Test func messagesSayWhatToDo() throws {
        #expect(Recorder.failure("<a><?xml version='1.0'?></a>")?.message.contains("xML") == false)
        #expect(
            Recorder.failure("<list>\n<item>\n</list>")?.description
                == "3:8: error[xml.tag]: found '</list>'; expected '</item>', as begun in line 2"
        )
        #expect(
            Recorder.failure("<?xml version='1.0' encoding='latin1'?><a/>")?.message
                == "the text declares the encoding \"latin1\"; convert it to UTF-8, and the declaration with it"
        )
    }

    @Test func sizes() throws {
        var options = XMLOptions()
        (options.nameBytes, options.attributeCount, options.tagBytes, options.textBytes) = (20, 3, 100, 50)
        func size(_ text: String) -> Bool { Recorder.failure(text, options)?.code == .size }
        let long = String(repeating: "x", count: 60)
        #expect(try Recorder.events("<abcdefgh a='' b='' c='\(long)'/>", options).count == 2)
        for text in [
            "<\(long)/>", "<a \(long)=''/>", "<a></\(long)>", "<a b='' c='' d='' e=''/>", "<a b='\(long)\(long)'/>",
            "<a>\(long)</a>", "<a><!--\(long)--></a>", "<a><![CDATA[\(long)]]></a>", "<?p \(long)?><a/>",
            "<a>\(long)", "<a b='\(long)\(long)",
        ] { #expect(size(text), "\(text)") }
        options.totalBytes = 30
        #expect(size("<a>                                  </a>"))
    }
}
