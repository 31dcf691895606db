import ArchiveIO
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What is written, and that it is the same bytes each time.
@Suite struct WritingTests {
    static let files = [
        ("manifest.json", utf8("{}")), ("Übung/日本.json", Array(repeating: UInt8(ascii: "x"), count: 200_000)),
        ("e\u{301}.json", [UInt8]()),
    ]

    @Test(arguments: ArchivePacking.allCases) func roundTrip(_ packing: ArchivePacking) throws {
        let bytes = try archive(packing, Self.files)
        #expect(try archive(packing, Self.files) == bytes)
        let reader = try ArchiveReader(.bytes(bytes))
        for (name, content) in Self.files {
            let entry = try #require(try reader.next())
            #expect(entry.name == name)
            #expect(entry.size == content.count)
            #expect(try reader.bytes() == content)
        }
        #expect(try reader.next() == nil)
    }

    /// The pieces in which content comes change nothing.
    @Test(arguments: ArchivePacking.allCases, [1, 1000, 1 << 20]) func pieces(_ packing: ArchivePacking, _ piece: Int)
        throws
    {
        let content = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        var bytes: [UInt8] = []
        let writer = try ArchiveWriter(packing) { bytes.append(contentsOf: $0) }
        try writer.add("a.json", size: content.count) { put in
            for start in stride(from: 0, to: content.count, by: piece) {
                try content[start..<min(start + piece, content.count)].withUnsafeBytes(put)
            }
        }
        try writer.finish()
        #expect(try bytes == archive(packing, [("a.json", content)]))
    }

    /// Nothing in a zip holds a time: all fields are the first day of DOS, whatever the time zone.
    @Test func zipWithoutTimes() throws {
        let bytes = try archive(.zip, Self.files)
        var records = 0
        for (signature, place) in [([0x50, 0x4B, 3, 4] as [UInt8], 10), ([0x50, 0x4B, 1, 2], 12)] {
            for start in bytes.indices where bytes[start...].starts(with: signature) {
                records += 1
                #expect(Array(bytes[start + place..<start + place + 4]) == [0, 0, 0x21, 0])
            }
        }
        #expect(records == 2 * Self.files.count)
    }

    @Test func tarWithoutTimesAndOwners() throws {
        let packed = try archive(.tarZstd, [("a.json", utf8("{}"))])
        // Read as a single file, the content is the tar itself; the last bytes are its two blocks of zeros.
        let content = try expanded(packed)
        #expect(content.count == 2048)
        #expect(
            String(decoding: content[100..<156], as: UTF8.self).hasPrefix(
                "000644 \0000000 \0000000 \000000000002 00000000000 "
            )
        )
        #expect(content[265..<345].allSatisfy { $0 == 0 || $0 == 0x30 || $0 == 0x20 })
    }

    private func expanded(_ bytes: [UInt8]) throws -> [UInt8] {
        let stream = try ContentStreamForTests(bytes)
        return try stream.bytes()
    }

    @Test func namesAreChecked() throws {
        for (name, expected) in RefusalTests.names + [
            ("./a", "archive.name-form"), ("a//b", "archive.name-form"), ("a/", "archive.name-form"),
        ] {
            for packing in ArchivePacking.allCases {
                let expected = name == "." ? "archive.name-form" : expected
                #expect(code { _ = try archive(packing, [(name, [])]) } == expected, "\(name)")
            }
        }
        #expect(code { _ = try archive(.zip, [("a", []), ("A", [])]) } == "archive.similar-name")
        #expect(code { _ = try archive(.zip, [("a", []), ("a", [])]) } == "archive.duplicate-name")
    }

    @Test(arguments: ArchivePacking.allCases) func sizesAreChecked(_ packing: ArchivePacking) throws {
        for (announced, given) in [(3, 2), (2, 3), (0, 1), (1, 0)] {
            let writer = try ArchiveWriter(packing) { _ in }
            let content = [UInt8](repeating: 1, count: given)
            #expect(
                code { try writer.add("a", size: announced) { try content.withUnsafeBytes($0) } }
                    == "archive.size-mismatch"
            )
            #expect(code { try writer.finish() } == "archive.usage")
            #expect(code { try writer.add("b", bytes: []) } == "archive.usage")
        }
        let writer = try ArchiveWriter(packing) { _ in }
        #expect(code { try writer.add("a", size: -1) { _ in } } == "archive.usage")
    }

    @Test func errorsOfTheSink() throws {
        struct Full: Error {}
        let writer = try ArchiveWriter(.zip) { _ in throw Full() }
        let content = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        #expect(throws: Full.self) {
            try writer.add("a", bytes: content)
            try writer.finish()
        }
        #expect(code { try writer.finish() } == "archive.usage")
    }

    @Test func toDescriptor() throws {
        let file = try TemporaryFile()
        let descriptor = open(file.path, O_RDWR)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let writer = try ArchiveWriter(.zip, toDescriptor: descriptor)
        for (name, content) in Self.files { try writer.add(name, bytes: content) }
        try writer.finish()
        let reader = try ArchiveReader(.descriptor(descriptor))
        #expect(try reader.next()?.name == "manifest.json")
        let copy = try ArchiveWriter(.zip) { _ in }
        try copy.add("copy", from: .descriptor(descriptor))
        #expect(code { try ArchiveWriter(.zip, toDescriptor: -1).finish() } == "archive.io")
    }

    /// The locale of the thread is what it was.
    @Test func localeIsLeftAlone() throws {
        let before = uselocale(nil)
        _ = try readAll(archive(.tarZstd, Self.files))
        #expect(uselocale(nil) == before)
    }
}
