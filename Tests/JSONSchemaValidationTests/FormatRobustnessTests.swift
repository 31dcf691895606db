import JSONSchemaValidation
import TestSupport
import Testing

@Suite struct FormatRobustnessTests {

    /// A valid string of each format, whose parts are cut off and mixed below.
    static let samples: [StringFormat: String] = [
        .dateTime: "2024-02-29T12:30:00.123+01:00", .date: "2024-02-29", .time: "12:30:00.5-08:00",
        .duration: "P1Y2M3DT4H5M6S", .email: "\"a\\ b\"@[IPv6:1::2:1.2.3.4]", .idnEmail: "δοκιμή@실례.example",
        .hostname: "www.xn--bcher-kva.example", .idnHostname: "بي\u{200C}بي。日本語.א", .ipv4: "192.168.100.1",
        .ipv6: "1:2::3:4:192.168.0.1", .uri: "http://u@[::1]:80/%41?q#f", .uriReference: "//h:1/p?q#f",
        .iri: "http://é/ü?\u{E000}#ß", .iriReference: "é/ü?q#\u{1F600}", .uuid: "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
        .uriTemplate: "/é{+a.b:12,c*}%41{?d}", .jsonPointer: "/a~0/~1b", .relativeJSONPointer: "10-2/a~1",
        .regex: "^(a|b)[c-e]{2,3}\\p{L}$",
    ]

    @Test(arguments: StringFormat.allCases)
    func everyPrefixAndSuffix(format: StringFormat) throws {
        let bytes = Array(try #require(Self.samples[format]).utf8)
        #expect(check(format, bytes[...]))
        // Each is copied to memory of its own size, so that a read past the end meets the allocator's guard.
        for length in bytes.indices {
            _ = check(format, bytes[..<length])
            _ = check(format, bytes[length...])
        }
    }

    @Test(arguments: StringFormat.allCases, [1, 20, 300] as [UInt64])
    func randomBytes(format: StringFormat, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<2_000 {
            let length = Int.random(in: 0...48, using: &generator)
            _ = check(format, (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }[...])
        }
    }

    /// Strings of a few bytes changed; the answer is the same whenever it is asked.
    @Test(arguments: StringFormat.allCases)
    func mutations(format: StringFormat) throws {
        let sample = Array(try #require(Self.samples[format]).utf8)
        let pool = Self.samples.values.sorted().flatMap { Array($0.utf8) }
        var generator = SeededGenerator(seed: 4 + UInt64(format.rawValue))
        for _ in 0..<5_000 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0...bytes.count, using: &generator)
                let byte = pool.randomElement(using: &generator) ?? 0
                if Bool.random(using: &generator), place < bytes.count {
                    bytes[place] = byte
                } else {
                    bytes.insert(byte, at: place)
                }
            }
            // Not UTF-8 in part; only well-formed text has a defined answer.
            let first = check(format, bytes[...])
            #expect(check(format, bytes[...]) == first)
        }
    }

    /// Long input is refused or taken in time that grows with its length only.
    @Test(arguments: StringFormat.allCases.filter { $0 != .regex })
    func longInput(format: StringFormat) {
        for unit in ["a", "1", "é", "xn--", "a.", ":", "/", "{a}", "%41", "~0"] {
            _ = check(format, Array(String(repeating: unit, count: 20_000).utf8)[...])
        }
    }

    @Test(arguments: StringFormat.allCases)
    func emptyBuffers(format: StringFormat) {
        let isEmptyValid: Set<StringFormat> = [.uriReference, .iriReference, .uriTemplate, .jsonPointer, .regex]
        #expect(format.isValid(UnsafeBufferPointer(start: nil, count: 0)) == isEmptyValid.contains(format))
    }

    private func check(_ format: StringFormat, _ bytes: ArraySlice<UInt8>) -> Bool {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { copy.deallocate() }
        _ = copy.initialize(from: bytes)
        return format.isValid(UnsafeBufferPointer(copy))
    }
}
