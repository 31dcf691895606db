import ArchiveIO
import Testing
import TestSupport

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
            #expect(code { _ = try JSONContainer(.bytes(bomb)) } == "archive.not-text")
            #expect(code { _ = try ArchiveText(.bytes(bomb)) } == "archive.not-text")
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

/// Files that are made to hang a reader, or to fill the memory.
@Suite struct ExpansionTests {
    /// A gzip that expands to gzip, again and again; libarchive 3.6.2, left to guess, expands it for ever.
    @Test(.timeLimit(.minutes(1)), .enabled(if: SharedFolder.exists, "this machine lacks ../shared with the samples"))
    func fileThatExpandsToItself() throws {
        let bytes = try SharedFolder.bytes("samples/held-out-1/test_read_filter_gzip_recursive.gz")
        #expect(readingCode(bytes) == "archive.corrupted")
        #expect(code { _ = try JSONContainer(.bytes(bytes)) } == "archive.corrupted")
    }

    /// Every layer of a file is compressed once more, in each way: the second layer is never expanded.
    @Test func layers() throws {
        var layered = utf8("{}")
        for layer in 1...30 {
            layered = gzip(layered)
            #expect(readingCode(layered) == (layer == 1 ? nil : "archive.nested"))
        }
        #expect(code { _ = try JSONContainer(.bytes(zstd(gzip(utf8("{}"))))) } == "archive.nested")
    }

    @Test(
        arguments: [
            // Empty Zstandard frames: with a window of 128 MiB and of 144 MiB, and a single segment of 1 GiB.
            ([0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3, 1, 0, 0], nil),
            ([0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3 | 1, 1, 0, 0], "archive.window"),
            ([0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0, 0x40, 1, 0, 0], "archive.window"),
            // The same behind a frame that takes little.
            (
                [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0, 1, 0, 0, 0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3 | 1, 1, 0, 0],
                "archive.window"
            ),
        ] as [([UInt8], String?)]
    )
    func windows(_ bytes: [UInt8], _ expected: String?) {
        #expect(readingCode(bytes) == expected)
    }

    /// The window of the one block of xz data, and of the second one.
    @Test func windowsOfXZ() {
        for (bits, expected) in [
            (UInt8(30), nil), (31, "archive.window"), (40, "archive.window"), (41, "archive.corrupted"),
        ]
            as [(UInt8, String?)]
        {
            #expect(readingCode(xz([bits])) == expected, "\(bits)")
            #expect(readingCode(xz([0, bits])) == expected, "\(bits)")
        }
        var limits = ArchiveLimits()
        limits.windowBytes = 4096
        #expect(readingCode(xz([0]), limits: limits) == nil)
        limits.windowBytes = 4095
        #expect(readingCode(xz([0]), limits: limits) == "archive.window")
    }

    /// xz data of blocks with one byte each, whose windows are of the sizes that the numbers stand for.
    private func xz(_ windows: [UInt8]) -> [UInt8] {
        let flags: [UInt8] = [0, 1]
        var bytes: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0] + flags + word32(crc32(flags))
        for window in windows {
            let header: [UInt8] = [2, 0, 0x21, 1, window, 0, 0, 0]
            bytes += header + word32(crc32(header)) + [1, 0, 0, 0x20, 0, 0, 0, 0] + word32(crc32([0x20]))
        }
        // A block is a header of 12 bytes, data of 5 without their padding, and a check sum of 4.
        var index: [UInt8] = [0, UInt8(windows.count)] + windows.flatMap { _ in [21, 1] as [UInt8] }
        index += Array(repeating: 0, count: (4 - index.count % 4) % 4)
        let backward = word32(UInt32(index.count / 4)) + flags
        return bytes + index + word32(crc32(index)) + word32(crc32(backward)) + backward + utf8("YZ")
    }

    /// Data that were changed at random never trap, never hang, and expand to no more than the limit.
    @Test func damage() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var limits = ArchiveLimits()
        limits.totalBytes = 1 << 16
        limits.windowBytes = 1 << 20
        let text = utf8(String(repeating: "{\"a\":[1,2,3]} ", count: 40))
        let bzip2: [UInt8] = [0x42, 0x5A, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0]
        let whole = [gzip(text), zstd(text), try ZstdCoding.compressed(text), xz([0, 10, 0]), bzip2, gzip(gzip(text))]
        for var bytes in whole {
            bytes += random.next() % 2 == 0 ? [] : bytes
            for _ in 0..<1_000 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<damaged.count, using: &random)
                    switch random.next() % 4 {
                    case 0: damaged.remove(at: place)
                    case 1: damaged.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    case 2: damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
                    default: damaged[place] = [0, 0xFF, 0x80, 0x7F].randomElement(using: &random) ?? 0
                    }
                }
                let expanded = try? readAll(damaged, limits: limits)[""]
                #expect(expanded.map { $0.count <= 1 << 16 } ?? true, "seed \(seed)")
            }
        }
    }

    /// A name that does not end is not looked for all through the file.
    @Test func headersOfGzip() {
        let name = Array(repeating: UInt8(ascii: "a"), count: 1 << 17)
        let head: [UInt8] = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 255]
        #expect(readingCode(head + name) == "archive.corrupted")
        #expect(readingCode(head + utf8("a.json\u{0}") + gzip(utf8("{}")).dropFirst(10)) == nil)
        #expect(readingCode([0x1F, 0x8B, 8, 0xE0] + gzip(utf8("{}")).dropFirst(4)) == "archive.corrupted")
    }
}
