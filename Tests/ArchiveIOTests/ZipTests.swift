import ArchiveIO
import Testing

/// Zips that contradict themselves.
@Suite struct ZipTests {
    @Test func whole() throws {
        #expect(try readAll(ZipBuilder("a.json", "b/c.json").bytes).count == 2)
        #expect(try readAll(ZipBuilder().bytes).isEmpty)
        var commented = ZipBuilder("a.json")
        commented.comment = utf8("made by hand")
        #expect(try readAll(commented.bytes).count == 1)
    }

    @Test func everyTruncation() {
        let bytes = ZipBuilder("a.json", "b.json").bytes
        for count in 4..<bytes.count {
            #expect(readingCode(Array(bytes[..<count])) == "archive.truncated", "cut to \(count)")
        }
    }

    @Test func trailingGarbage() {
        #expect(readingCode(ZipBuilder("a.json").bytes + [0]) == "archive.trailing")
        #expect(readingCode(ZipBuilder("a.json").bytes + ZipBuilder("b.json").bytes) == "archive.corrupted")
    }

    @Test func sizesThatLie() {
        for change: (inout ZipBuilder.Entry) -> Void in [
            { $0.declaredSize = 1 }, { $0.declaredSize = 3 }, { $0.declaredCompressedSize = 1 },
            {
                $0.declaredCompressedSize = 4000
                $0.declaredSize = 4000
            },
        ] {
            var zip = ZipBuilder("a.json")
            change(&zip.entries[0])
            #expect(readingCode(zip.bytes) == "archive.size-mismatch")
        }
        // Both sizes agree and are too small: the entries no longer fill the file.
        var short = ZipBuilder("a.json", "b.json")
        (short.entries[0].declaredSize, short.entries[0].declaredCompressedSize) = (1, 1)
        #expect(readingCode(short.bytes) == "archive.corrupted")
    }

    /// A deflated entry whose directory says less, or more, than comes out.
    @Test(arguments: [-1, 1]) func expandedSizeThatLies(_ difference: Int) throws {
        let content = Array(repeating: UInt8(ascii: "a"), count: 100)
        var bytes = try archive(.zip, [("a.json", content)])
        let directory = try #require((0..<bytes.count - 4).last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        bytes[directory + 24] = UInt8(100 + difference)
        let found = readingCode(bytes)
        #expect(found == "archive.size-mismatch" || found == "archive.corrupted")
    }

    @Test func wrongChecksum() {
        var zip = ZipBuilder("a.json")
        zip.entries[0].declaredChecksum = 7
        #expect(readingCode(zip.bytes) == "archive.corrupted")
    }

    @Test func sharedBytes() {
        var zip = ZipBuilder("a.json", "b.json")
        zip.entries[1].sharesEntry = 0
        #expect(readingCode(zip.bytes) == "archive.overlap")
    }

    @Test func hiddenBytes() {
        var zip = ZipBuilder("a.json")
        zip.gap = utf8("hidden")
        #expect(readingCode(zip.bytes) == "archive.corrupted")
    }

    @Test func twoNames() {
        var zip = ZipBuilder("a.json")
        zip.entries[0].localName = utf8("b.json")
        #expect(readingCode(zip.bytes) == "archive.corrupted")
    }

    @Test(arguments: [0, 1, 3] as [UInt16]) func wrongCount(_ count: UInt16) {
        var zip = ZipBuilder("a.json", "b.json")
        zip.declaredCount = count
        #expect(readingCode(zip.bytes) == "archive.corrupted")
    }

    @Test func unknownMethod() {
        var zip = ZipBuilder("a.json")
        zip.entries[0].method = 1
        #expect(readingCode(zip.bytes) == "archive.unsupported")
        zip.entries[0].method = 99
        #expect(readingCode(zip.bytes) == "archive.encrypted")
    }

    @Test func severalDisks() {
        var bytes = ZipBuilder("a.json").bytes
        bytes[bytes.count - 18] = 1
        #expect(readingCode(bytes) == "archive.unsupported")
    }
}
