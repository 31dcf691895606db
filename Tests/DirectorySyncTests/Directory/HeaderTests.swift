import RecordStore
import ArchiveIO
import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Headers")
struct HeaderTests {
    private let header: SegmentHeader
    private let text: String
    private let change: [UInt8]

    init() throws {
        let segment = try Sample.segment("anna", 2)
        header = segment.header
        text = String(decoding: header.encoded(), as: UTF8.self)
        change = segment.change.encoded()
    }

    private func segment(_ line: String) throws -> [UInt8] {
        try ZstdCoding.compressed(Array(line.utf8) + [UInt8(ascii: "\n")] + change)
    }

    private func replacing(_ old: String, _ new: String) -> String {
        #expect(text.contains(old), "\(old)")
        return text.replacingOccurrences(of: old, with: new)
    }

    @Test("The unchanged line is read, so that each of the others fails for what was changed")
    func unchanged() throws {
        #expect(try Segment(decoding: segment(text)).header == header)
    }

    static let wrong: [(String, String, String)] = [
        ("\"records\":1", "\"records\":1,\"more\":1", "unknown member \"more\""),
        ("\"records\":1", "\"records\":2", "2"),
        ("\"records\":1", "\"records\":50000001", "records, an integer"),
        ("\"records\":1", "\"records\":-1", "records, an integer"),
        ("\"records\":1", "\"records\":1e0", "from column"),
        ("\"records\":1", "\"records\":1 ", "from column"),
        ("\"records\":1", "\"records\":1,\"part\":[2,1]", "the part"),
        ("\"records\":1", "\"records\":1,\"part\":[0,1]", "the part"),
        ("\"records\":1", "\"records\":1,\"part\":[1,99999999999]", "number of parts"),
        ("\"records\":1", "\"records\":1,\"part\":{}", "expected part"),
        ("\"version\":1,\"min_reader\":1", "\"min_reader\":1,\"version\":1", "from column"),
        ("\"version\":1", "\"version\":0", "version, an integer"),
        ("\"min_reader\":1", "\"min_reader\":\"1\"", "min_reader, an integer"),
        ("\"flags\":[]", "\"flags\":{}", "flags"),
        ("\"flags\":[]", "\"flags\":[1]", "flag that is no string"),
        ("\"flags\":[],", "", "flags"),
        ("satchel-segment", "satchel-checkpoint", "satchel-checkpoint"),
        ("\"slate\"", "\"Slates\"", "app"),
        ("0123456789abcdef", "0123456789ABCDEF", "space"),
        ("\"anna\",\"seq", "\"Anna\",\"seq", "the writer"),
        ("\"anna\",\"seq", "\"bob\",\"seq", "change is not the one"),
        ("\"sequence\":2", "\"sequence\":0", "sequence"),
        ("\"sequence\":2", "\"sequence\":3", "change is not the one"),
        ("\"sequence\":2", "\"sequence\":9007199254740993", "sequence"),
        ("\"sequence\":2", "\"sequence\":1e400", "no JSON"),
        ("\"heads\":{\"anna\":[1", "\"heads\":{\"anna\":[2", "base"),
        ("\"heads\":{", "\"heads\":{\"zoe\":[1,\"00000000\"],", "from column"),
        ("\"heads\":{", "\"heads\":{\"abe\":[1,\"00000000\"],", "base"),
        ("\"heads\":{", "\"heads\":{\"abe\":[1,\"0000000\"],", "hash of a head"),
        ("\"heads\":{", "\"heads\":{\"abe\":[1],", "head"),
        ("\"heads\":{", "\"heads\":{\"anna\":[1,\"00000000\"],", "no JSON"),
        ("\"clock\":[1700000000002,0]", "\"clock\":[1700000000002,1]", "change is not the one"),
        ("\"clock\":[1700000000002,0]", "\"clock\":[1700000000002,65536]", "count of the clock"),
        ("\"clock\":[1700000000002,0]", "\"clock\":[281474976710656,0]", "milliseconds"),
        ("\"clock\":[1700000000002,0]", "\"clock\":[]", "clock"),
        ("\"name\":\"Anna's laptop\"", "\"name\":null", "device"),
        ("\"name\":\"Anna's laptop\"", "\"name\":\"Anna's laptop\",\"x\":1", "from column"),
        ("\"name\":\"Anna's laptop\"", "\"name\":\"\\u0041nna's laptop\"", "from column"),
        ("\"schema\":2", "\"schema\":0", "schema"),
        ("\"program\":\"foldersync 0.1\"", "\"program\":[[[[[[[[[[1]]]]]]]]]]", "no JSON"),
        ("{\"format\"", "[{\"format\"", "no JSON"),
    ]

    @Test("What no writer gives is refused, with its place", arguments: wrong)
    func hostile(_ old: String, _ new: String, _ expected: String) throws {
        let error = try segmentError { _ = try Segment(decoding: segment(replacing(old, new))) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        #expect((1...2).contains(error?.line ?? 0))
    }

    @Test("The previous segment is the one that the heads name")
    func previous() throws {
        let hash = try #require(header.previous)
        for previous in [
            "null", "\"\(ContentHash.of([9]))\"", "\"\(hash.dropLast())\"", "\"\(hash.uppercased())\"", "1",
        ] {
            let line = replacing("\"previous\":\"\(hash)\"", "\"previous\":\(previous)")
            #expect(try segmentError { _ = try Segment(decoding: segment(line)) }?.code == .corrupt, "\(previous)")
        }
        let first = try Sample.segment("anna", 1)
        let invented = String(decoding: first.header.encoded(), as: UTF8.self)
            .replacingOccurrences(of: "\"previous\":null", with: "\"previous\":\"\(hash)\"")
        let bytes = try ZstdCoding.compressed(Array((invented + "\n").utf8) + first.change.encoded())
        #expect(try segmentError { _ = try Segment(decoding: bytes) }?.code == .corrupt)
    }

    @Test("What is for newer readers is held, even where it cannot be understood")
    func newer() throws {
        var newer = header
        newer.minimumReader = 3
        let held = try segmentError {
            _ = try Segment.header(of: segment(replacing("\"min_reader\":1", "\"min_reader\":3")))
        }
        #expect(held?.code == .tooNew(minimumReader: 3, header: newer))
        let version = try segmentError {
            _ = try Segment(decoding: segment(replacing("\"version\":1", "\"version\":2")))
        }
        #expect(version?.code == .tooNew(minimumReader: 2, header: header))
        let strange = "{\"format\":\"satchel-segment\",\"version\":7,\"min_reader\":6,\"clock\":\"noon\"}"
        let unknown = try segmentError { _ = try Segment(decoding: segment(strange)) }
        #expect(unknown?.code == .tooNew(minimumReader: 7, header: nil))
        #expect(unknown?.message.contains("version 7") == true)
    }

    @Test("Flags are refused by name")
    func flags() throws {
        for name in ["encrypted", "folded"] {
            let line = replacing("\"flags\":[]", "\"flags\":[\"\(name)\"]")
            let error = try segmentError { _ = try Segment(decoding: segment(line)) }
            #expect(error?.code == .unknownFlag(name, header: header))
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("Bytes that are no segment are refused with their place")
    func others() throws {
        for (bytes, line) in [
            ([], 0), (Array("{}".utf8), 0), (try ZstdCoding.compressed([]), 1),
            (try ZstdCoding.compressed(Array("{}\n".utf8)), 1),
            (try ZstdCoding.compressed(Array("[]\n".utf8)), 1), (try ZstdCoding.compressed(Array(text.utf8)), 1),
            (try ZstdCoding.compressed(Array((text + "\n").utf8)), 2), (try segment(text) + segment(text), 4),
            (try ZstdCoding.compressed(Array((text + "\n").utf8) + change.dropLast(4)), 3),
        ] {
            let error = try segmentError { _ = try Segment(decoding: bytes) }
            #expect(error?.code == .corrupt)
            #expect(error?.line == line, "\(error.map { "\($0)" } ?? "")")
        }
        #expect(try segmentError { _ = try Segment.header(of: []) }?.code == .corrupt)
        let endless = try ZstdCoding.compressed([UInt8](repeating: 32, count: (1 << 24) + (1 << 13)))
        #expect(
            try segmentError { _ = try Segment.header(of: endless) }?.message.contains("header of more than") == true
        )
    }

    @Test("Damage inside of the compressed data never traps, and never gives another segment")
    func damage() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let plain = Array((text + "\n").utf8) + change
        for _ in 0..<3000 {
            var damaged = plain
            let start = Int.random(in: 0..<damaged.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: damaged[start] = UInt8.random(in: 0...255, using: &random)
            case 1: damaged.removeSubrange(start..<min(damaged.count, start + Int.random(in: 1...20, using: &random)))
            default: damaged.insert(contentsOf: damaged[start...].prefix(9), at: start)
            }
            guard let found = try? Segment(decoding: ZstdCoding.compressed(damaged)) else { continue }
            // A digit or a letter of a text may have changed, which only the hash of the file can tell.
            #expect(found.header.encoded() + [10] + found.change.encoded() == damaged, "seed \(seed)")
        }
    }

    @Test("Any header comes back as it was")
    func property() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        func number(_ most: Int) -> Int {
            Int.random(in: 1...(1 << Int.random(in: 0...most, using: &random)), using: &random)
        }
        func hash() -> String { ContentHash.of([UInt8.random(in: 0...255, using: &random)]) }
        let names = ["", "Anna's laptop", "Zoë 📱", "a\"b\\c\n\u{1}", "اسم", String(repeating: "x", count: 300)]
        for round in 0..<300 {
            let writers = try (0..<Int.random(in: 0...40, using: &random)).map {
                try Sample.writer("w\($0 * 7919 % 41)")
            }
            let own = try Sample.writer("anna")
            let count = number(20)
            let header = SegmentHeader(
                space: DirectoryFixture.space,
                app: [.bztimer, .slate, .tracker, .study][round % 4],
                writer: own,
                sequence: number(53),
                previous: round % 3 == 0 ? nil : hash(),
                heads: Set(writers).map { WriterHead(Dot($0, number(53)), hash: hash()) },
                clock: HybridClock(bits: UInt64.random(in: 0...UInt64.max, using: &random)),
                device: SyncDevice(id: "d0d0", name: names[round % names.count]),
                program: names[(round + 1) % names.count],
                schema: number(30),
                records: number(25),
                part: round % 2 == 0 ? nil : SegmentPart(Int.random(in: 1...count, using: &random), of: count)
            )
            #expect(try HeaderReader(header.encoded()).segment() == header, "seed \(seed), round \(round)")
            let forks = try (0..<round % 5).map { try Sample.fork(of: own, from: $0 + 1, hash: hash()) }
            let checkpoint = CheckpointHeader(header, forks: forks)
            #expect(try HeaderReader(checkpoint.encoded()).checkpoint() == checkpoint, "seed \(seed), round \(round)")
        }
    }
}
