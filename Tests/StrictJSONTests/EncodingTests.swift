import Testing

@testable import StrictJSON

@Suite("Only UTF-8")
struct EncodingTests {
    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    private static func utf32(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            let bytes = [24, 16, 8, 0].map { UInt8(scalar.value >> $0 & 0xFF) }
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    @Test(
        "UTF-16 and UTF-32 are named",
        arguments: ["1", "[1]", "{\"a\":\"é€𝄞\"}", "\"€\"", " [true]", "\n\n7", "\"𝄞\""]
    )
    func foreign(_ text: String) {
        for bigEndian in [true, false] {
            for mark in ["", "\u{FEFF}"] {
                for (bytes, name) in [
                    (Self.utf16(mark + text, bigEndian: bigEndian), "UTF-16"),
                    (Self.utf32(mark + text, bigEndian: bigEndian), "UTF-32"),
                ] {
                    BadText(bytes, .encoding, 1, 1).check()
                    let message = refusal(of: bytes)?.message ?? ""
                    #expect(message.contains("the file is \(name), expected UTF-8"), "\(bytes): \(message)")
                }
            }
        }
    }

    @Test("a mark of UTF-16 with nothing behind it")
    func marksAlone() {
        BadText([0xFF, 0xFE], .encoding, 1, 1).check()
        BadText([0xFE, 0xFF], .encoding, 1, 1).check()
        BadText([0, 0, 0xFE, 0xFF], .encoding, 1, 1).check()
    }

    @Test func byteOrderMark() throws {
        let document = try JSONDocument(parsing: "\u{FEFF} {\"a\":[1,true]}")
        #expect(document.hasByteOrderMark)
        #expect(document.root["a"]?[1]?.bool == true)
        #expect(document.root["a"]?[0]?.position == TextPosition(offset: 10, line: 1, column: 9))
        #expect(document.root.encoded(.compact) == Array("{\"a\":[1,true]}".utf8))
        #expect(try !JSONDocument(parsing: "1").hasByteOrderMark)
    }

    /// Of every class of what is no UTF-8 (RFC 3629).
    static let invalid: [[UInt8]] = [
        [0x80], [0xBF], [0x80, 0x80], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC2, 0x22], [0xC2, 0xC2],
        [0xDF, 0x7F],
        [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE1, 0x80, 0x22], [0xE1, 0x22, 0x80], [0xE2, 0x82, 0x41],
        [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xEF, 0xBF, 0xC0],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98, 0x22], [0xF0, 0x9F, 0x22, 0x80],
        [0xF1, 0x80, 0x80, 0xC0], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ]

    @Test("at every place in a word", arguments: Self.invalid)
    func invalidUTF8(_ sequence: [UInt8]) {
        for length in 0...16 {
            let head = Array(("[\"" + String(repeating: "x", count: length)).utf8)
            for tail in ["\"]", "yyyyyyyyyyyyyyyyyyyy\"]"] {
                BadText(head + sequence + Array(tail.utf8), .invalidUTF8, 1, length + 3, "/0").check()
            }
            // At the very end the sequence may only be cut.
            let codes = [JSONError.Code.invalidUTF8, .truncated]
            #expect(refusal(of: head + sequence).map { codes.contains($0.code) } == true)
            // In a name, the first time and when the name is known.
            BadText(Array("{\"a\":{\"".utf8) + sequence + Array("zzzz\":1}}".utf8), .invalidUTF8, 1, 8, "/a").check()
        }
    }

    /// The first and the last of each length, and the borders of the surrogates.
    static let valid: [Unicode.Scalar] = [
        "\u{80}", "\u{7FF}", "\u{800}", "\u{FFF}", "\u{1000}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFE}",
        "\u{FFFF}",
        "\u{10000}", "\u{3FFFF}", "\u{40000}", "\u{FFFFF}", "\u{100000}", "\u{10FFFF}", "\u{7F}",
    ]

    @Test("valid sequences at every place in a word, and their cuts", arguments: Self.valid)
    func validUTF8(_ scalar: Unicode.Scalar) {
        for length in 0...16 {
            let text = String(repeating: "x", count: length) + String(Character(scalar))
            for content in [text, text + "yyyyyyyyyyyyyyyyyyyy", text + text] {
                #expect(value(of: "[\"\(content)\"]")?.array == [.string(content)])
                #expect(value(of: "{\"\(content)\":1}")?.object?.names == [content])
            }
            let bytes = Array(("[\"" + text).utf8)
            for cut in 1..<max(2, String(Character(scalar)).utf8.count) {
                #expect(refusal(of: bytes.dropLast(cut))?.code == .truncated)
            }
        }
    }
}
