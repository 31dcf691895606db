import ArchiveIO
import Testing

/// The one text of an archive, expanded as it is read.
@Suite struct ArchiveTextTests {
    private static let csv = utf8("id,name\n1,a\n")

    private func read(_ archive: [UInt8], isWanted: ([UInt8]) -> Bool = { _ in false }) throws -> [UInt8] {
        let text = try ArchiveText(.bytes(archive), isWanted: isWanted)
        var whole: [UInt8] = []
        // Twice, as whoever tells a format by its beginning goes back to it.
        for _ in 0..<2 {
            whole = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 5, alignment: 1)
            defer { buffer.deallocate() }
            while true {
                let count = try text.read(into: buffer)
                if count == 0 { break }
                whole += buffer[..<count]
            }
            try text.rewind()
        }
        return whole
    }

    @Test func containers() throws {
        #expect(try read(gzip(Self.csv)) == Self.csv)
        #expect(try read(zstd(Self.csv)) == Self.csv)
        for packing in ArchivePacking.allCases {
            let bytes = try archive(
                packing,
                [("notes.txt", utf8("x")), ("__MACOSX/._a.csv", [0]), ("a.CSV", Self.csv)]
            )
            #expect(try read(bytes) == Self.csv)
        }
    }

    @Test func theOneThatIsWanted() throws {
        let bytes = try archive(.zip, [("a.csv", Self.csv), ("b.xml", utf8("<b/>")), ("c.json", utf8("{}"))])
        #expect(try read(bytes) { $0.starts(with: utf8("<b")) } == utf8("<b/>"))
        #expect(code { _ = try read(bytes) } == "archive.several-texts")
    }

    @Test func refused() throws {
        #expect(code { _ = try read(archive(.zip, [("a.txt", Self.csv)])) } == "archive.no-text")
        #expect(code { _ = try read(zstd(ZipBuilder("a.csv").bytes)) } == "archive.nested")
        // In the head, and far behind it.
        for count in [10, 1 << 18] {
            let text = utf8("[\"") + [UInt8](repeating: 0x41, count: count) + [0]
            for packing in ArchivePacking.allCases {
                let bytes = try archive(packing, [("a.json", text)])
                #expect(code { _ = try read(bytes) } == "archive.not-text")
                #expect(code { _ = try JSONContainer(.bytes(bytes)) } == "archive.not-text")
            }
        }
        #expect(code { _ = try read(gzip([0x41, 0x42, 0])) } == "archive.not-text")
    }

    /// UTF-16 has NUL bytes: its reader says what it is.
    @Test func wideText() throws {
        let text: [UInt8] = [0xFF, 0xFE, 0x41, 0, 0, 1]
        #expect(try read(gzip(text)) == text)
        #expect(code { _ = try read(gzip(text + [0, 0, 0])) } == "archive.not-text")
    }

    /// A bomb of spaces is valid as the beginning of JSON, and stops at the size that is kept, whatever its ratio.
    @Test func budget() throws {
        let bomb = try archive(.zip, [("a.json", [UInt8](repeating: 0x20, count: 1 << 20))])
        var limits = ArchiveLimits.json
        limits.totalBytes = 1 << 18
        #expect(code { _ = try JSONContainer(.bytes(bomb), limits: limits) } == "archive.total-size")
        #expect(ArchiveLimits.json.totalBytes == 1 << 29 && ArchiveLimits.json.ratio == .max)
        #expect(ArchiveLimits.text.ratio < ArchiveLimits().ratio)
    }
}
