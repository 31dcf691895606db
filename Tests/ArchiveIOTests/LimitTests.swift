import ArchiveIO
import Testing

/// Limits, each set low.
@Suite struct LimitTests {
    static let files = [("a.json", Array(repeating: UInt8(ascii: "a"), count: 3000)), ("b.json", utf8("{}"))]

    @Test(arguments: ArchivePacking.allCases) func limit(_ packing: ArchivePacking) throws {
        let bytes = try archive(packing, Self.files)
        for (path, most, expected) in [
            (\ArchiveLimits.entryCount, 1, "archive.entry-count"), (\.entryBytes, 2999, "archive.entry-size"),
            (\.totalBytes, 3001, "archive.total-size"), (\.nameBytes, 5, "archive.name-length"),
        ] {
            var limits = ArchiveLimits()
            limits[keyPath: path] = most
            #expect(readingCode(bytes, limits: limits) == expected)
            limits[keyPath: path] = most + 1
            #expect(readingCode(bytes, limits: limits) == nil)
        }
    }

    @Test(arguments: ArchivePacking.allCases) func ratio(_ packing: ArchivePacking) throws {
        let bytes = try archive(packing, Self.files)
        var limits = ArchiveLimits()
        limits.bytesBelowRatio = 1000
        limits.ratio = 3
        #expect(readingCode(bytes, limits: limits) == "archive.ratio")
        limits.ratio = 100
        #expect(readingCode(bytes, limits: limits) == nil)
    }

    /// 100 MB of zeros: a zip and a tar say so beforehand, a single file has to be expanded up to the limit.
    @Test func bombs() throws {
        for packing in ArchivePacking.allCases {
            var bomb: [UInt8] = []
            let writer = try ArchiveWriter(packing) { bomb.append(contentsOf: $0) }
            let zeros = [UInt8](repeating: 0, count: 1 << 20)
            try writer.add("bomb.json", size: 100 << 20) { put in
                for _ in 0..<100 { try zeros.withUnsafeBytes(put) }
            }
            try writer.finish()
            #expect(bomb.count < 1 << 17)
            #expect(readingCode(bomb) == "archive.ratio")
            #expect(code { _ = try JSONContainer(.bytes(bomb)) } == "archive.ratio")
        }
    }

    @Test func singleFile() throws {
        var limits = ArchiveLimits()
        limits.entryBytes = 99
        let bytes = gzip(Array(repeating: 0x20, count: 100))
        #expect(readingCode(bytes, limits: limits) == "archive.entry-size")
        limits.entryBytes = 100
        #expect(readingCode(bytes, limits: limits) == nil)
        limits.totalBytes = 99
        #expect(readingCode(bytes, limits: limits) == "archive.total-size")
    }

    /// What a zip declares is refused before anything is read.
    @Test func declared() {
        var zip = ZipBuilder("a.json")
        zip.entries[0].method = 8
        zip.entries[0].declaredSize = 0xFFFF_FFF0
        #expect(readingCode(zip.bytes) == "archive.ratio")
    }

    @Test func limitsWithoutEnd() throws {
        var limits = ArchiveLimits()
        for path in [
            \ArchiveLimits.entryCount, \.entryBytes, \.totalBytes, \.ratio, \.bytesBelowRatio, \.nameBytes,
            \.manifestBytes,
        ] { limits[keyPath: path] = .max }
        for packing in ArchivePacking.allCases {
            #expect(try readAll(archive(packing, Self.files), limits: limits).count == 2)
        }
    }
}
