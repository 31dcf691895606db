import StrictJSON
import Testing

@testable import XMLIO

struct RelaxNGTests {
    private static let schema = """
        <element name="log" xmlns="http://relaxng.org/ns/structure/1.0"
            datatypeLibrary="http://www.w3.org/2001/XMLSchema-datatypes">
          <attribute name="version"><value>2</value></attribute>
          <zeroOrMore>
            <element name="entry">
              <attribute name="id"/>
              <optional><attribute name="count"><data type="integer"/></attribute></optional>
              <element name="start"><data type="dateTime"/></element>
              <optional><element name="note"><text/></element></optional>
            </element>
          </zeroOrMore>
        </element>
        """

    private func faults(_ text: String, schema: String = schema) throws -> [XMLError] {
        let reader = try XMLReader(step: 16)
        var found: [XMLError] = []
        try reader.validate(against: RelaxNGSchema(Array(schema.utf8))) { found.append($0) }
        let recorder = Recorder()
        try reader.read(Array(text.utf8), into: recorder)
        #expect(try recorder.events == Recorder.events(text))
        return found
    }

    private func log(_ entries: String) -> String { "<log version='2'>\n\(entries)\n</log>" }
    private let entry =
        "<entry id='1' count='12'><start>2026-11-21T10:00:00Z</start><note>a &amp; <![CDATA[b]]> c</note></entry>"

    @Test func valid() throws {
        #expect(try faults(log("")).isEmpty)
        #expect(try faults(log(entry + entry)).isEmpty)
    }

    @Test(arguments: [
        ("<entry><start>2026-11-21T10:00:00Z</start></entry>", 2),
        ("<entry id=''><start>yesterday</start></entry>", 2),
        ("<entry id=''>\n<start>2026-02-30T10:00:00Z</start></entry>", 3),
        ("\n<entry id='' count='x'><start>2026-11-21T10:00:00Z</start></entry>", 3),
        ("<entry id='' extra=''><start>2026-11-21T10:00:00Z</start></entry>", 2),
        ("<entry id=''><note/></entry>", 2), ("<entry id=''/>", 2), ("<other/>", 2), ("\n\ntext", 2),
        ("<entry id=''><start>2026-11-21T10:00:00Z</start>x</entry>", 2),
    ])
    func invalid(_ entries: String, line: Int) throws {
        let found = try faults(log(entry.isEmpty ? "" : entries))
        let first = try #require(found.first)
        #expect(first.code == .invalid && (first.position?.line ?? 0) >= line, "\(found)")
        #expect(!first.message.isEmpty)
    }

    /// What the library says about text behind an element speaks of that element, which has to be there still.
    @Test func faultsBehindAnElementThatHasEnded() throws {
        let many = String(repeating: entry + "\n", count: 200)
        for text in [log("\(many)12:60"), log("\(many)<entry id='x'><start>2026-11-21T10:00:00Z</start>y</entry>")] {
            for _ in 0..<20 {
                let found = try faults(text)
                #expect((202...203).contains(found.first?.position?.line ?? 0), "\(found)")
            }
        }
    }

    /// A fault far behind the 65,535 lines that libxml2 counts.
    @Test func manyEntries() throws {
        let text = log(String(repeating: entry + "\n", count: 70_000) + "<wrong/>")
        let reader = try XMLReader()
        var found: [XMLError] = []
        try reader.validate(against: RelaxNGSchema(Array(Self.schema.utf8))) { found.append($0) }
        try reader.read(Array(text.utf8), into: Nothing())
        // One fault, not another one for each element that is left open by it.
        #expect(found.map(\.position?.line) == [70_002], "\(found)")
    }

    private final class Nothing: XMLHandler { func start(_ element: borrowing XMLElementStart) {} }

    @Test func reportsMayEndTheReading() throws {
        struct Enough: Error {}
        let reader = try XMLReader()
        try reader.validate(against: RelaxNGSchema(Array(Self.schema.utf8))) { _ in throw Enough() }
        #expect(throws: Enough.self) { try reader.read(Array(log("<x/>").utf8), into: Recorder()) }
    }

    /// Content that cannot be told step by step is validated as a whole.
    @Test func interleaved() throws {
        let schema = """
            <element name="a" xmlns="http://relaxng.org/ns/structure/1.0"><interleave>
            <oneOrMore><element name="b"><text/></element></oneOrMore><element name="c"><empty/></element>
            </interleave></element>
            """
        #expect(try faults("<a><b>x</b><c/><b/></a>", schema: schema).isEmpty)
        #expect(try !faults("<a><b>x</b><b/></a>", schema: schema).isEmpty)
        #expect(try !faults("<a><b>x</b><c>y</c></a>", schema: schema).isEmpty)
    }

    @Test(arguments: [
        "<element xmlns='http://relaxng.org/ns/structure/1.0'/>", "<a/>",
        "<element name='a' xmlns='http://relaxng.org/ns/structure/1.0'><ref name='b'/></element>",
        "<externalRef href='file:///etc/passwd' xmlns='http://relaxng.org/ns/structure/1.0'/>",
        "<grammar xmlns='http://relaxng.org/ns/structure/1.0'><include href='http://127.0.0.1:9/a.rng'/></grammar>",
    ])
    func schemas(_ text: String) throws {
        let error = #expect(throws: XMLError.self) { try RelaxNGSchema(Array(text.utf8)) }
        #expect(error?.code == .schema, "\(String(describing: error))")
        #expect(error?.message.contains("root:") == false)
    }

    @Test func schemasAreXML() throws {
        let error = #expect(throws: XMLError.self) { try RelaxNGSchema(Array("<!DOCTYPE a><a/>".utf8)) }
        #expect(error?.code == .doctype)
    }
}
