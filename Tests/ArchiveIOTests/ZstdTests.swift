import ArchiveIO
import Foundation
import Testing
import TestSupport

@Suite("Zstandard by itself")
struct ZstdTests {
    private static let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 5, 0, 0, 0, 1, 2, 3, 4, 5]

    private func frame(_ text: String) throws -> [UInt8] { try ZstdCoding.compressed(Array(text.utf8)) }
    private func text(_ bytes: [UInt8]) throws -> String {
        String(decoding: try ZstdCoding.expanded(bytes), as: UTF8.self)
    }

    @Test("What is compressed comes back")
    func property() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for round in 0..<60 {
            let count = Int.random(in: 0...(1 << Int.random(in: 0...20, using: &random)), using: &random)
            let kinds = UInt8.random(in: 1...255, using: &random)
            // Never the magic of a compressed file.
            let bytes = [0x7B] + (0..<count).map { _ in UInt8.random(in: 0..<kinds, using: &random) }
            let level = Int.random(in: 1...9, using: &random)
            let compressed = try ZstdCoding.compressed(bytes, level: level)
            #expect(try ZstdCoding.expanded(compressed) == bytes, "seed \(seed), round \(round)")
            #expect(try ZstdCoding.compressed(bytes, level: level) == compressed)
        }
        #expect(try ZstdCoding.expanded(ZstdCoding.compressed([])) == [])
    }

    @Test("Frames put together expand to what was put together, and skippable ones are passed over")
    func frames() throws {
        let (one, two, skip) = (try frame("hello one\n"), try frame("hello two\n"), Self.skippable)
        for bytes in [one + two, skip + one + two, one + skip + two, one + two + skip, skip + skip + one + skip + two] {
            #expect(try text(bytes) == "hello one\nhello two\n")
        }
        #expect(try text(skip) == "")
        #expect(try text(one + frame("") + two) == "hello one\nhello two\n")
    }

    private static let tool = "/usr/bin/zstd"

    @Test(
        "A frame of another program's is read",
        .enabled(if: FileManager.default.fileExists(atPath: tool), "this machine lacks zstd")
    )
    func foreign() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("text", String(repeating: "hello\n", count: 1000))
        let process = Process()
        process.executableURL = URL(filePath: Self.tool)
        process.arguments = ["-q", "-19", path]
        try process.run()
        process.waitUntilExit()
        #expect(try text(sandbox.bytes("text.zst")) == String(repeating: "hello\n", count: 1000))
    }

    @Test("A frame that is cut off is refused; one that is missing as a whole cannot be noticed")
    func truncation() throws {
        let bytes = Array(String(repeating: "hello one\n", count: 30).utf8)
        let whole = try ZstdCoding.compressed(bytes)
        for count in 0..<whole.count {
            let found = code { _ = try ZstdCoding.expanded(Array(whole[..<count])) }
            #expect(found != nil, "cut to \(count)")
        }
        let two = whole + (try frame("more"))
        for count in whole.count + 1..<two.count {
            #expect(code { _ = try ZstdCoding.expanded(Array(two[..<count])) } != nil, "cut to \(count)")
        }
        #expect(try ZstdCoding.expanded(Array(two[..<whole.count])) == bytes)
    }

    @Test("Damaged data never trap, and give no more than the limit")
    func damage() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var limits = ArchiveLimits()
        limits.totalBytes = 1 << 16
        let whole = try ZstdCoding.compressed((0..<5000).map { _ in UInt8.random(in: 97...110, using: &random) })
        for _ in 0..<2000 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let expanded = try? ZstdCoding.expanded(damaged, limits: limits)
            #expect(expanded.map { $0.count <= 1 << 16 } ?? true, "seed \(seed)")
        }
    }

    @Test("What is no compressed data, or has something behind it, is refused")
    func others() throws {
        let one = try frame("hello")
        for (bytes, expected) in [
            ([], "archive.truncated"), (Array("hello".utf8), "archive.corrupted"),
            (one + Array("junk".utf8), "archive.trailing"),
            (try ZstdCoding.compressed(one), "archive.nested"),
        ] {
            #expect(code { _ = try ZstdCoding.expanded(bytes) } == expected)
        }
    }

    @Test("A frame that asks for much memory is refused before any of it is expanded", arguments: [13, 14, 17, 31])
    func windows(_ exponent: UInt8) throws {
        // A header with a window of 2^(10 + exponent) bytes, and an empty last block; alone, and behind other frames.
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0, exponent << 3, 1, 0, 0]
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let before = try ZstdCoding.compressed([UInt8](repeating: 97, count: 300_000))
        for bytes in [frame, skipped + frame, before + frame] {
            #expect((code { _ = try ZstdCoding.expanded(bytes) } == nil) == (exponent == 13))
        }
    }

    @Test("A bomb is refused by its size and by its ratio")
    func bombs() throws {
        let bytes = [UInt8](repeating: 97, count: 80 << 20)
        let bomb = try ZstdCoding.compressed(bytes)
        #expect(code { _ = try ZstdCoding.expanded(bomb) } == "archive.ratio")
        var limits = ArchiveLimits()
        limits.ratio = 1 << 20
        limits.totalBytes = bytes.count
        #expect(code { _ = try ZstdCoding.expanded(bomb, limits: limits) } == nil)
        limits.totalBytes -= 1
        #expect(code { _ = try ZstdCoding.expanded(bomb, limits: limits) } == "archive.total-size")
    }

    @Test("Pieces make the same frame as the whole, and come back piece by piece")
    func streaming() throws {
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let writer = try ZstdWriter()
        var written: [UInt8] = []
        var start = 0
        for size in [0, 1, 5000, 100_000, 250_000, 344_999] {
            try bytes[start..<start + size].withUnsafeBytes { try writer.write($0) { written += $0 } }
            start += size
        }
        try writer.finish { written += $0 }
        #expect(start == bytes.count)
        #expect(written == (try ZstdCoding.compressed(bytes)))
        let reader = try ZstdReader(.bytes(written))
        var read: [UInt8] = []
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 999, alignment: 1)
        defer { block.deallocate() }
        while true {
            let count = try reader.read(into: block)
            if count == 0 { break }
            read += block[..<count]
        }
        #expect(read == bytes)
        #expect(try reader.read(into: block) == 0)
    }

    @Test("What the sink throws is thrown, and the writer ends cleanly")
    func sink() throws {
        struct Full: Error {}
        let writer = try ZstdWriter()
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        #expect(throws: Full.self) {
            try bytes.withUnsafeBytes { try writer.write($0) { _ in throw Full() } }
            try writer.finish { _ in throw Full() }
        }
    }
}
