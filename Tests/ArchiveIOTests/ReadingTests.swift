import ArchiveIO
import Testing

@testable import ArchiveIO

/// What is read, and how its end is known.
@Suite struct ReadingTests {
    static let json = utf8(#"{"a":1}"# + "\n")

    @Test func checksum() {
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 1000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) }
            var sum = CRC32()
            bytes[..<(count / 3)].withUnsafeBytes { sum.update($0) }
            bytes[(count / 3)...].withUnsafeBytes { sum.update($0) }
            #expect(sum.value == crc32(bytes))
        }
        #expect(crc32(utf8("123456789")) == 0xCBF4_3926)
    }

    @Test func namesInUTF8() throws {
        let names = ["Übung/日本.json", "e\u{301}.json"]
        for bytes in [ZipBuilder(names[0], names[1]).bytes, TarBuilder(names[0], names[1]).bytes] {
            #expect(try Set(readAll(bytes).keys) == Set(names))
        }
        var unflagged = ZipBuilder(names[0])
        unflagged.entries[0].flags = 0
        #expect(try readAll(unflagged.bytes).keys.first == names[0])
    }

    @Test func plainestNames() throws {
        var tar = TarBuilder("./a.json", "b//c.json")
        tar.entries.insert(TarBuilder.Entry("./", type: "5"), at: 0)
        tar.entries.append(TarBuilder.Entry("d/", type: "5"))
        #expect(try readAll(tar.bytes).keys.sorted() == ["a.json", "b/c.json"])
    }

    @Test func compressedFiles() throws {
        let bzip2 = "425a6839314159265359bac64ddb00000359800010100020102000000a20002203650860114a1f177245385090bac64ddb"
        let xz =
            "fd377a585a000004e6d6b4460200210116000000742fe5a30100077b2261223a317d0a00be4991435504ef8500012008bb19d9bb1fb6f37d010000000004595a"
        for (bytes, compression) in [
            (gzip(Self.json), ArchiveContainer.Compression.gzip), (zstd(Self.json), .zstd), (hex(bzip2), .bzip2),
            (hex(xz), .xz),
        ] {
            let reader = try ArchiveReader(.bytes(bytes))
            #expect(reader.container == ArchiveContainer(form: .single, compression: compression))
            #expect(try reader.next()?.name == "")
            #expect(try reader.bytes() == Self.json)
            #expect(try reader.next() == nil)
            for count in 6..<bytes.count {
                #expect(readingCode(Array(bytes[..<count])) != nil, "\(compression) cut to \(count)")
            }
            #expect(readingCode(bytes + utf8("trailing garbage")) != nil)
            for index in bytes.indices.dropFirst(6) {
                var damaged = bytes
                damaged[index] ^= 0x10
                let read = try? readAll(damaged)[""]
                #expect(compression == .zstd || read == nil || read == Self.json, "\(compression) at \(index)")
            }
        }
    }

    @Test func gzipIsChecked() {
        #expect(readingCode(gzip(Self.json, checksum: 1)) == "archive.corrupted")
        #expect(readingCode(gzip(Self.json, size: 9)) == "archive.corrupted")
        #expect(readingCode(gzip(Self.json) + [0]) == "archive.trailing")
        #expect(readingCode(gzip(Self.json).dropLast()) == "archive.truncated")
        #expect(readingCode(gzip(Self.json) + gzip(Self.json)) == "archive.corrupted")
        #expect(readingCode(gzip(gzip(Self.json))) == "archive.nested")
        #expect(readingCode(zstd(Self.json) + utf8("garbage")) == "archive.trailing")
        #expect(readingCode(zstd(gzip(Self.json))) == nil)  // content like any other; JSONContainer refuses it
        #expect(readingCode(gzip([])) == nil)
        #expect(readingCode(gzip([]) + [1]) != nil)
    }

    @Test func endOfTar() throws {
        var tar = TarBuilder("a.json", "b.json")
        tar.endBlocks = 20
        #expect(readingCode(tar.bytes) == nil)
        #expect(readingCode(tar.bytes + [1]) == "archive.trailing")
        #expect(readingCode(gzip(tar.bytes) + [0]) == "archive.trailing")
        for blocks in [0, 1] {
            tar.endBlocks = blocks
            #expect(readingCode(tar.bytes) == "archive.truncated")
        }
        // Content that looks like the end.
        tar.entries[1].content = Array(repeating: 0, count: 4096)
        tar.endBlocks = 0
        #expect(readingCode(tar.bytes) == "archive.truncated")
        tar.endBlocks = 2
        #expect(try readAll(tar.bytes)["b.json"]?.count == 4096)
        #expect(readingCode(tar.bytes + TarBuilder("c.json").bytes) == "archive.trailing")
    }

    @Test func sizesThatLieInTar() {
        var tar = TarBuilder("a.json")
        tar.entries[0].declaredSize = 5000
        #expect(readingCode(tar.bytes) == "archive.truncated")
        tar.entries[0].declaredSize = 1 << 30
        #expect(readingCode(tar.bytes) == "archive.ratio")
        tar = TarBuilder("a.json")
        tar.entries[0].content = Array(repeating: 0x41, count: 2000)
        tar.entries[0].declaredSize = 512
        #expect(readingCode(tar.bytes) == "archive.corrupted")
    }

    @Test func unknownFormats() {
        #expect(readingCode([]) == "archive.unrecognized")
        #expect(readingCode(Self.json) == "archive.unrecognized")
        #expect(readingCode(utf8("Rar!\u{1A}\u{7}\u{1}\u{0}")) == "archive.unsupported")
        #expect(readingCode([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4]) == "archive.unsupported")
    }

    @Test func filesThatCannotBeRead() {
        #expect(code { _ = try ArchiveReader(.file("/nonexistent/a.zip")) } == "archive.io")
        #expect(code { _ = try ArchiveReader(.file("/")) } == "archive.io")
        #expect(code { _ = try ArchiveReader(.file("/dev/null")) } == "archive.io")
        #expect(code { _ = try ArchiveReader(.descriptor(-1)) } == "archive.io")
    }

    private func hex(_ text: String) -> [UInt8] {
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }
}
