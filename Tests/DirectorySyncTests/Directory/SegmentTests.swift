import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Segments")
struct SegmentTests {
    @Test("A segment comes back as it was", arguments: [0, 1, 3, 2000])
    func roundTrip(_ records: Int) throws {
        let segment = try Sample.segment("anna", 7, records: records)
        let bytes = try segment.encoded()
        #expect(try Segment(decoding: bytes) == segment)
        #expect(try Segment.header(of: bytes) == segment.header)
        #expect(try segment.encoded() == bytes)
    }

    @Test(
        "The key of a line is found by its bytes, and by none of a line that is cut off in it",
        arguments: ["", "a", #"["h","2026-01-02"]"#, #"a"b"#, #"a\"#, #"\""#, "a\nb", "\u{1}", "é/👍", #"","key":""#]
    )
    func keyOfLine(_ key: String) {
        let line = ChangedRecord(RecordKey("tasks", key), nil).encodedLine()
        #expect(line.withUnsafeBytes { LineOutline.key(of: $0) } == key)
        let end = line.count - #","version":null}"#.utf8.count
        for count in 0..<end { #expect(line.prefix(count).withUnsafeBytes { LineOutline.key(of: $0) } == nil) }
    }

    @Test("The header is one line in a fixed order, and the change follows as it is")
    func form() throws {
        let segment = try Sample.segment("anna", 2)
        let lines = String(decoding: segment.header.encoded(), as: UTF8.self)
        let previous = try #require(segment.header.previous)
        #expect(
            lines == #"{"format":"satchel-segment","version":1,"min_reader":1,"flags":[],"space":"0123456789abcdef","#
                + #""app":"slate","writer":"anna","sequence":2,"previous":"\#(previous)","#
                + #""heads":{"anna":[1,"\#(previous)"]},"clock":[1700000000002,0],"#
                + #""device":{"id":"d0d0d0d0d0d0d0d0","name":"Anna's laptop"},"program":"foldersync 0.1","schema":2,"#
                + #""records":1}"#
        )
    }
}
