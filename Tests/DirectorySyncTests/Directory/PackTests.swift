import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Packs")
struct PackTests {
    private let fixture: DirectoryFixture
    private let anna: WriterID

    init() throws {
        fixture = try DirectoryFixture()
        anna = try Sample.writer("anna")
    }

    private func packed(_ sequences: [Int]) throws -> [PackedSegment] {
        try sequences.map { sequence in
            let bytes = try Sample.segment("anna", sequence, records: sequence % 4).encoded()
            return (sequence, ContentHash.of(bytes), bytes)
        }
    }

    private func isSame(_ left: [PackedSegment], _ right: [PackedSegment]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0 == $1 }
    }

    /// Puts bytes where a pack of these numbers has to lie.
    private func put(_ bytes: [UInt8], _ first: Int, _ last: Int) throws -> ListedFile {
        let file = ListedFile(.pack, writer: anna, sequence: first, last: last, hash: ContentHash.of(bytes))
        try fixture.put(file.path, bytes)
        return file
    }

    @Test("A pack gives back its segments", arguments: [[1], [1, 2, 3], Array(5...60), [2, 9, 1000]])
    func roundTrip(_ sequences: [Int]) throws {
        let segments = try packed(sequences)
        let hash = try fixture.directory.publishPack(segments, writer: anna).hash
        let file = try #require(try fixture.directory.listing().packs.first)
        #expect(file.hash == hash)
        #expect(file.sequence == sequences.first)
        #expect(file.last == sequences.last)
        #expect(isSame(try fixture.directory.segments(of: file), segments))
        #expect(try fixture.directory.publishPack(segments, writer: anna).written == 0)
    }

    @Test("zstdcat shows the lines of all segments", .needs("zstdcat"))
    func shell() throws {
        let segments = try packed([1, 2, 3])
        try fixture.directory.publishPack(segments, writer: anna)
        let file = try #require(try fixture.directory.listing().packs.first)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: Self.zstdcat)
        process.arguments = [fixture.sandbox.path(file.path)]
        process.standardOutput = pipe
        try process.run()
        let shown = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        var expected: [UInt8] = []
        for number in 1...3 {
            let segment = try Sample.segment("anna", number, records: number)
            expected += segment.header.encoded() + [10] + segment.change.encoded()
        }
        #expect([UInt8](shown) == expected)
        #expect(process.terminationStatus == 0)
    }

    private static let zstdcat = "/usr/bin/zstdcat"

    @Test("A pack that is cut off or damaged anywhere is not complete")
    func damaged() throws {
        try fixture.directory.publishPack(try packed([1, 2]), writer: anna)
        let file = try #require(try fixture.directory.listing().packs.first)
        let bytes = try fixture.sandbox.bytes(file.path)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1 << (index % 8)
            for damaged in [Array(bytes[..<index]), flipped] {
                try fixture.put(file.path, damaged)
                let code = try directoryError { _ = try fixture.directory.segments(of: file) }?.code
                #expect(code == .incomplete, "byte \(index)")
            }
        }
    }

    @Test("Segments out of order, twice, or damaged make no pack")
    func refusals() throws {
        let good = try packed([1, 2])
        let twice = [good[0], good[0]]
        let damaged = [good[0], (2, good[1].hash, Array(good[1].bytes.reversed()))]
        let wrong: [[PackedSegment]] = [[], good.reversed(), twice, damaged]
        for segments in wrong {
            let error = try directoryError { try fixture.directory.publishPack(segments, writer: anna) }
            #expect(error?.code == .usage)
        }
        #expect(try fixture.directory.listing().packs == [])
    }

    /// The index of two segments, with something of it replaced.
    private func forged(_ old: String, _ new: String, behind: [UInt8] = []) throws -> [UInt8] {
        let segments = try packed([1, 2])
        let index = PackIndex(segments.map { .init(sequence: $0.sequence, hash: $0.hash, bytes: $0.bytes.count) })
        let text = String(decoding: index.encoded().dropFirst(8), as: UTF8.self)
        let forged = Array(text.replacingOccurrences(of: old, with: new).utf8)
        #expect(old.isEmpty || Array(text.utf8) != forged)
        let length = (0..<4).map { UInt8(truncatingIfNeeded: forged.count >> (8 * $0)) }
        return [0x50, 0x2A, 0x4D, 0x18] + length + forged + segments.flatMap(\.bytes) + behind
    }

    @Test(
        "An index that is not what a writer gives is refused",
        arguments: [
            ("\"sequence\":1", "\"sequence\":3"), ("\"sequence\":1", "\"sequence\":0"),
            ("\"sequence\":1", "\"sequence\":1.0"),
            ("\"sequence\":2", "\"sequence\":9007199254740993"), ("satchel-pack", "satchel-park"),
            ("{\"sequence\"", "{\"more\":1,\"sequence\""), ("\"hash\":\"", "\"hash\":\"f"),
            ("\"bytes\":", "\"bytes\":-"),
            ("\"bytes\":", "\"bytes\":99999999999999999999"), ("\"bytes\":", "\"bytes\":9223372036854775807,\"x\":"),
            ("[{", "[[[[[[{"), ("\"version\":1", "\"version\":0"), (",\"segments\"", ", \"segments\""),
        ]
    )
    func hostile(_ change: (old: String, new: String)) throws {
        let file = try put(try forged(change.old, change.new), 1, 2)
        #expect(try directoryError { _ = try fixture.directory.segments(of: file) }?.code == .corrupt)
    }

    @Test("A pack of a newer version says so; one with something behind it, or another's numbers, is refused")
    func others() throws {
        let newer = try put(try forged("\"version\":1", "\"version\":2"), 1, 2)
        #expect(try directoryError { _ = try fixture.directory.segments(of: newer) }?.code == .newer)
        let longer = try put(try forged("", "", behind: [1]), 1, 2)
        #expect(try directoryError { _ = try fixture.directory.segments(of: longer) }?.code == .corrupt)
        let renumbered = try put(try forged("", ""), 1, 3)
        #expect(try directoryError { _ = try fixture.directory.segments(of: renumbered) }?.code == .corrupt)
        let magic: [UInt8] = [0x50, 0x2A, 0x4D, 0x18]
        for bytes in [[], [0x50], magic + [255, 255, 255, 255], Array(repeating: 0, count: 40)] {
            let none = try put(bytes, 1, 2)
            #expect(try directoryError { _ = try fixture.directory.segments(of: none) }?.code == .corrupt)
        }
        #expect(isSame(try fixture.directory.segments(of: try put(try forged("", ""), 1, 2)), try packed([1, 2])))
    }
}
