import TestSupport
import Testing

@testable import StrictJSON

/// Compares the ways to read a text; the seed stands in the name of the case that fails.
@Suite("Generated texts")
struct PropertyTests {
    static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8]

    @Test("the parser agrees with the reference, and so does what is written", arguments: Self.seeds)
    func reference(seed: UInt64) throws {
        var generator = TextGenerator(seed: seed)
        for _ in 0..<150 {
            let text = generator.value(depth: 5)
            let bytes = Array(text.utf8)
            let expected = ReferenceParser.value(of: bytes)
            try #require(expected != nil, "seed \(seed), not valid: \(text)")
            let found = value(of: bytes)
            #expect(found == expected, "seed \(seed): \(text)")
            guard let found else { continue }
            checkStyles(found, try JSONDocument(parsing: bytes), "seed \(seed): \(text)")
        }
    }

    /// Both ways of writing agree, what was written is read as the same, and writing it again changes nothing.
    private func checkStyles(_ value: JSONValue, _ document: JSONDocument, _ comment: Comment) {
        for style in JSONStyle.allCases {
            let written = document.root.encoded(style)
            #expect(value.encoded(style) == written, comment)
            guard let again = try? JSONDocument(parsing: written) else {
                Issue.record(comment)
                continue
            }
            #expect(again.root.encoded(style) == written, comment)
            if style != .canonical { #expect(again.root.value == value, comment) }
        }
    }

    @Test("broken texts: the reference and the reader in pieces agree with the parser", arguments: Self.seeds)
    func broken(seed: UInt64) throws {
        var generator = TextGenerator(seed: seed &+ 100)
        var refused = 0
        for _ in 0..<400 {
            let bytes = generator.broken(Array(generator.value(depth: 4).utf8))
            let expected = ReferenceParser.value(of: bytes)
            let found = value(of: bytes)
            #expect(found == expected, "seed \(seed): \(bytes)")
            refused += found == nil ? 1 : 0
            compareStreams(bytes, &generator.random, "seed \(seed): \(shown(bytes)) \(bytes)")
        }
        #expect((100...390).contains(refused), "seed \(seed): the faults are not what they should be")
    }

    @Test("whole texts, in pieces of every size", arguments: Self.seeds)
    func pieces(seed: UInt64) throws {
        var generator = TextGenerator(seed: seed &+ 200)
        for _ in 0..<40 {
            let bytes = Array(generator.value(depth: 5).utf8)
            compareStreams(bytes, &generator.random, "seed \(seed): \(shown(bytes))")
        }
    }

    private func compareStreams(_ bytes: [UInt8], _ random: inout SeededGenerator, _ comment: Comment) {
        let expected = value(of: bytes)
        let error = refusal(of: bytes)
        for piece in [1, 2, 3, 7, 16, 64, Int.max] {
            let found = streamOutcome(bytes, piece: piece, capacity: 16 << random.below(4), levels: random.below(5))
            #expect(found.value == expected, comment)
            #expect(found.error?.description == error?.description, comment)
            #expect(found.error?.position == error?.position, comment)
        }
    }

    @Test("every prefix of a text is refused as cut")
    func prefixes() {
        let sample = """
            \u{FEFF}{"format": "bztimer", "version":3,\r\n "é€𝄞":[-0.5e+10, 120, null, true, false, {}, [ ]],
            \t"e\\u00e9\\ud83d\\ude00\\n": {"a": {"a": "ab\\\\"}, "b": [{"a": 1}, {"a": 2E-7}]}, "z": "a long string of words"} 
            """
        let bytes = Array(sample.utf8)
        #expect(refusal(of: bytes) == nil)
        for count in 0..<bytes.count - 1 where count != 1 && count != 2 {
            let prefix = Array(bytes.prefix(count))
            guard let error = refusal(of: prefix) else {
                // Only the white space at the end may be missing.
                #expect(count == bytes.count - 1, "accepted \(shown(prefix))")
                continue
            }
            #expect(error.code == (count <= 3 ? .empty : .truncated), "\(shown(prefix)): \(error)")
            #expect(error.position.offset == count)
            #expect(streamOutcome(prefix, piece: 5).error?.description == error.description)
        }
        for text in ["-12.5e-3", "120"] {
            for count in 1...text.utf8.count {
                let prefix = Array(text.utf8.prefix(count))
                let isNumber = prefix.last.map { (48...57).contains($0) } == true
                #expect(refusal(of: prefix)?.code == (isNumber ? nil : .truncated), "\(shown(prefix))")
            }
        }
    }
}
