import RecordMerge
import Testing

@testable import DirectorySync

/// The names by which devices say what they have taken in.
@Suite("Names of marks")
struct SeenMarkTests {
    private let scope = SeenMark.Scope(space: "s", app: "slate")

    private func dots(_ count: Int) throws -> [Dot] {
        try (1...count).map { Dot(try #require(WriterID("w\($0)")), 10 * $0) }
    }

    private func mark(
        _ count: Int,
        name: String = "Laptop",
        writer: String = "w2",
        hasLeft: Bool = false
    ) throws -> SeenMark {
        let writer = try #require(WriterID(writer))
        return try #require(
            SeenMark(scope, writer, SyncDevice(id: "device1", name: name), seen: dots(count), hasLeft: hasLeft)
        )
    }

    @Test("A name says what it was made of, whatever a transport puts behind it", arguments: [2, 6, 7, 8, 40])
    func roundTrip(_ count: Int) throws {
        for name in ["Laptop", "", "Anna's phone ÄÖ and more", "🧑‍🧑‍🧒‍🧒🧑‍🧑‍🧒‍🧒"] {
            for hasLeft in [false, true] {
                let mark = try mark(count, name: name, writer: "new", hasLeft: hasLeft)
                let text = String(mark.path.dropFirst("seen/".count))
                #expect(
                    text.utf8.allSatisfy { FileName.isPlain($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
                )
                #expect(text.utf8.count <= 170)
                #expect(name.hasPrefix(mark.device.name))
                #expect(SeenMark(name: text, in: "seen") == mark)
                for copy in [
                    "\(text) (1)", text.uppercased(), ".\(text).icloud", "\(text).nextcloud",
                    text.replacing(".seen", with: ".seen.sync-conflict-20260101-120000-ABCDEFG"),
                ] {
                    let read = try #require(SeenMark(name: copy, in: "seen"))
                    #expect(read.counts == mark.counts && read.digest == mark.digest && read.hasLeft == hasLeft)
                    #expect(read.path == "seen/\(copy)")
                }
            }
        }
    }

    @Test("The writers that changed something last are named, and the digest is of all others")
    func digest() throws {
        let mark = try mark(12)
        #expect(mark.counts.count == SeenMark.mostNamed)
        #expect(mark.counts[mark.token] == 20)
        #expect(mark.digest == scope.digest(of: try dots(12).suffix(5)))
        #expect(try self.mark(7).digest == nil)
        #expect(SeenMark.Scope(space: "s", app: "study").token(mark.writer) != mark.token)
    }

    @Test(
        "What is no mark is none",
        arguments: [
            "", ".seen", "a.seen", "a.b..seen", "a.b.zz.0a0a0a-1.seen", "a.b.00.0a0a0a.seen", "a.b.00.0a0a0a-.seen",
            "a.b.00.0a0a0a--1.seen", "a.b.00.0a0a0a-99999999999999999.seen", "a.b.00.0a0a0a-1.left.0a0a0a-2.seen",
            "a.b.00.0a0a0a-1.0123.seen", "a_.b.00.0a0a0a-1.seen", "a.b.0.0a0a0a-1.seen", "a.b.00.0a0a0a-1",
            "Copy of a.b.00.0a0a0a-1.seen",
        ]
    )
    func others(_ name: String) { #expect(SeenMark(name: name, in: "seen") == nil) }
}
