import TestSupport
import Testing

@testable import AgeFile

/// A file of a certain shape, and what opening it gives: nil for its content.
struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let code: AgeError.Code?
    var content = Array("age".utf8)

    init(_ name: String, _ forge: Forge, _ code: AgeError.Code? = nil) throws {
        (self.name, bytes, self.code) = (name, try forge.bytes(), code)
    }

    init(_ name: String, _ bytes: [UInt8], _ code: AgeError.Code? = nil) {
        (self.name, self.bytes, self.code) = (name, bytes, code)
    }

    var testDescription: String { name }
}

/// The shapes of age's public test kit, in files of our own.
@Suite("Shapes of age's test kit") struct ShapeTests {
    @Test("Headers", arguments: try Shapes.headers()) func headers(shape: Shape) { check(shape) }
    @Test("Stanzas", arguments: try Shapes.stanzas()) func stanzas(shape: Shape) { check(shape) }
    @Test("X25519", arguments: try Shapes.x25519()) func x25519(shape: Shape) { check(shape) }
    @Test("Armor", arguments: try Shapes.armor()) func armor(shape: Shape) { check(shape) }

    @Test("Payloads", arguments: try Shapes.payloads()) func payloads(shape: Shape) {
        check(shape)
        // What is given out before the fault is a beginning of the content, and verified.
        let given = Opened.withIdentity(shape.bytes).content
        #expect(given.count % ChunkCipher.length == 0 || shape.code == nil)
    }

    private func check(_ shape: Shape) {
        let opened = Opened.withIdentity(shape.bytes)
        #expect(opened.code == shape.code, "\(opened.error?.description ?? "opened")")
        if shape.code == nil { #expect(opened.content == shape.content) }
    }

    @Test("Passphrases", arguments: try Shapes.scrypt()) func scrypt(shape: Shape) {
        let opened = Opened.withPassphrase(shape.bytes)
        #expect(opened.code == shape.code, "\(opened.error?.description ?? "opened")")
        if shape.code == nil { #expect(opened.content == shape.content) }
    }

    @Test("A work factor of 2^40 is refused before anything is derived", .timeLimit(.minutes(1))) func hostile() throws
    {
        var forge = try Forge()
        var stanza = try forge.scrypt()
        for factor in ["21", "30", "40", "62", "63", "64", "99999999999999999999"] {
            stanza.arguments[2] = factor
            forge.lines = Forge.lines(of: stanza)
            #expect(Opened.withPassphrase(try forge.bytes()).code == .workFactor)
        }
    }

    @Test("More recipients than the limit are refused before a key is derived") func manyStanzas() throws {
        var forge = try Forge()
        let stanza = forge.lines
        forge.lines = (0..<AgeHeader.mostStanzas).flatMap { _ in stanza }
        #expect(Opened.withIdentity(try forge.bytes()).code == nil)
        forge.lines += stanza
        #expect(Opened.withIdentity(try forge.bytes()).code == .header)
        forge.lines = ["-> unknown " + String(repeating: "a", count: AgeHeader.largest), ""] + stanza
        #expect(Opened.withIdentity(try forge.bytes()).code == .header)
    }
}

enum Shapes {
    private static func forge(_ change: (inout Forge) throws -> Void) throws -> Forge {
        var forge = try Forge()
        try change(&forge)
        return forge
    }

    static func headers() throws -> [Shape] {
        [
            try Shape("valid", Forge()),
            try Shape("version 2", forge { $0.firstLine = "age-encryption.org/v2" }, .version),
            try Shape("version 1 with a space", forge { $0.firstLine += " " }, .version),
            try Shape("another format", forge { $0.firstLine = "age-encryption.com/v1" }, .notAge),
            Shape("empty", [], .notAge),
            Shape("first line cut", Array("age-encryption.org/v1".utf8), .header),
            try Shape("line feeds of two characters", forge { $0.lineFeed = "\r\n" }, .version),
            try Shape("no recipient", forge { $0.lines = [] }, .header),
            try Shape("HMAC differs", forge { $0.isMACGenuine = false }, .headerDamaged),
            try Shape("HMAC of garbage", forge { $0.lastLine = { _ in "--- garbage!" } }, .header),
            try Shape("HMAC is missing", forge { $0.lastLine = { _ in "---" } }, .header),
            try Shape("HMAC without a space", forge { $0.lastLine = { "---\($0)" } }, .header),
            try Shape("HMAC with two spaces", forge { $0.lastLine = { "---  \($0)" } }, .header),
            try Shape("HMAC with a space at its end", forge { $0.lastLine = { "--- \($0) " } }, .header),
            try Shape("HMAC padded", forge { $0.lastLine = { "--- \($0)=" } }, .header),
            try Shape("HMAC cut", forge { $0.lastLine = { "--- \($0.dropLast(3))" } }, .header),
            try Shape("HMAC not canonical", forge { $0.lastLine = { "--- \(nonCanonical($0))" } }, .header),
            try Shape("no HMAC line", Array(Forge().header().prefix(60)), .header),
        ]
    }

    /// The text with a bit set that belongs to no byte.
    private static func nonCanonical(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let last = text.last.flatMap { letters.firstIndex(of: $0) } ?? 0
        return text.dropLast() + String(letters[last | 1])
    }

    private static func unknown(_ lines: String...) throws -> Forge { try forge { $0.lines = lines + $0.lines } }

    static func stanzas() throws -> [Shape] {
        let full = String(repeating: "A", count: 64)
        let visible = String(String.UnicodeScalarView((33...126).map { UnicodeScalar(UInt8($0)) }))
        return [
            try Shape("unknown", unknown("-> other with words", "AAAA")),
            try Shape("an empty body", unknown("-> other", "")),
            try Shape("an empty last line", unknown("-> other", full, "")),
            try Shape("two full lines", unknown("-> other", full, full, "AA")),
            try Shape("all visible characters", unknown("-> \(visible) \(visible)", "AAAA")),
            try Shape("grease", unknown("-> x-grease ~} zz", "AAAA", "-> y-grease", "")),
            try Shape("no last line", unknown("-> other", full), .header),
            try Shape("no body", unknown("-> other"), .header),
            try Shape("no words", unknown("->", "AAAA"), .header),
            try Shape("an empty word", unknown("-> ", "AAAA"), .header),
            try Shape("two spaces", unknown("-> other  word", "AAAA"), .header),
            try Shape("a space at the end", unknown("-> other ", "AAAA"), .header),
            try Shape("no space", unknown("->other", "AAAA"), .header),
            try Shape("another beginning", unknown("=> other", "AAAA"), .header),
            try Shape("a letter beyond ASCII", unknown("-> öther", "AAAA"), .header),
            try Shape("a control character", unknown("-> oth\u{7F}er", "AAAA"), .header),
            try Shape("a carriage return", unknown("-> other\r", "AAAA"), .header),
            try Shape("a carriage return in the body", unknown("-> other", "AAAA\r"), .header),
            try Shape("a padded body", unknown("-> other", "AA=="), .header),
            try Shape("a body that is not canonical", unknown("-> other", "AB"), .header),
            try Shape("one letter of a body", unknown("-> other", "A"), .header),
            try Shape("a line of 65 columns", unknown("-> other", full + "A", "AA"), .header),
            try Shape("two short lines", unknown("-> other", "AAAA", "AAAA"), .header),
            try Shape("an empty line between", unknown("-> other", "AAAA", ""), .header),
        ]
    }

    private static func replacing(
        _ forge: inout Forge,
        arguments: [String]? = nil,
        body: [UInt8]? = nil
    ) throws {
        var stanza = try forge.stanza()
        if let arguments { stanza.arguments = arguments }
        if let body { stanza.body = body }
        forge.lines = Forge.lines(of: stanza)
    }

    private static func base64(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }

    static func x25519() throws -> [Shape] {
        let share = randomBytes(32)
        func shape(_ name: String, _ arguments: [String], _ code: AgeError.Code) throws -> Shape {
            try Shape(name, forge { try replacing(&$0, arguments: arguments) }, code)
        }
        // Points of low order: 0, 1, one of order 8, and the prime, which stands for 0.
        let lowOrder: [[UInt8]] = [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [
                0xE0, 0xEB, 0x7A, 0x7C, 0x3B, 0x41, 0xB8, 0xAE, 0x16, 0x56, 0xE3, 0xFA, 0xF1, 0x9F, 0xC4, 0x6A,
                0xDA, 0x09, 0x8D, 0xEB, 0x9C, 0x32, 0xB1, 0xFD, 0x86, 0x62, 0x05, 0x16, 0x5F, 0x49, 0xB8, 0x00,
            ],
            [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        ]
        var shapes = [
            try shape("another word", ["X25519", base64(share), "word"], .header),
            try shape("no share", ["X25519"], .header),
            try shape("a short share", ["X25519", base64(Array(share.dropLast()))], .header),
            try shape("a long share", ["X25519", base64(share + [0])], .header),
            try shape("a share that is not canonical", ["X25519", nonCanonical(base64(share))], .header),
            try shape("a padded share", ["X25519", base64(share) + "="], .header),
            try shape("the kind in lower case", ["x25519", base64(share)], .noMatch),
            try shape("another share", ["X25519", base64(share)], .noMatch),
            try Shape("a long key", forge { try replacing(&$0, body: randomBytes(33)) }, .header),
            try Shape("a short key", forge { try replacing(&$0, body: randomBytes(31)) }, .header),
            try Shape("an empty key", forge { try replacing(&$0, body: []) }, .header),
            try Shape("another key", forge { try replacing(&$0, body: randomBytes(32)) }, .noMatch),
            try Shape(
                "for somebody else",
                forge { forge in
                    forge.lines = Forge.lines(of: try X25519Wrap.wrap(forge.key, for: AgeIdentity().recipient))
                },
                .noMatch
            ),
            try Shape("for a kind of key to come", forge { $0.lines = try toCome() }, .noMatch),
            try Shape("for a kind of key to come and for us", forge { $0.lines = try toCome() + $0.lines }),
            try Shape(
                "for several",
                forge { forge in
                    let other = Forge.lines(of: try X25519Wrap.wrap(forge.key, for: AgeIdentity().recipient))
                    forge.lines = other + other + forge.lines + other
                }
            ),
        ]
        for (index, point) in lowOrder.enumerated() {
            shapes.append(try shape("a share of low order, \(index)", ["X25519", base64(point)], .header))
        }
        return shapes
    }

    /// A stanza of a hybrid key, which nobody here has, with 1,120 bytes of shares.
    private static func toCome() throws -> [String] {
        let body = base64(randomBytes(32))
        return ["-> mlkem768x25519 " + base64(randomBytes(1120)), body]
    }

    static func scrypt() throws -> [Shape] {
        func shape(
            _ name: String,
            _ code: AgeError.Code?,
            _ change: (inout AgeHeader.Stanza) -> Void = { _ in }
        ) throws -> Shape {
            try Shape(
                name,
                forge { forge in
                    var stanza = try forge.scrypt()
                    change(&stanza)
                    forge.lines = Forge.lines(of: stanza)
                },
                code
            )
        }
        var shapes = [
            try shape("passphrase", nil),
            try shape("another word", .header) { $0.arguments.append("word") },
            try shape("no factor", .header) { $0.arguments.removeLast() },
            try shape("no salt", .header) { $0.arguments.remove(at: 1) },
            try shape("a short salt", .header) { $0.arguments[1] = base64(randomBytes(15)) },
            try shape("a long salt", .header) { $0.arguments[1] = base64(randomBytes(17)) },
            try shape("a salt that is not canonical", .header) { $0.arguments[1] = nonCanonical($0.arguments[1]) },
            try shape("another salt", .wrongPassphrase) { $0.arguments[1] = base64(randomBytes(16)) },
            try shape("a long key", .header) { $0.body.append(0) },
            try shape("a short key", .header) { $0.body.removeLast() },
            try Shape(
                "a key that is not canonical",
                forge { forge in
                    forge.lines = Forge.lines(of: try forge.scrypt())
                    forge.lines[1] = nonCanonical(forge.lines[1])
                },
                .header
            ),
            try shape("another key", .wrongPassphrase) { $0.body[0] ^= 1 },
            try shape("another factor", .wrongPassphrase) { $0.arguments[2] = "3" },
            try shape("the kind in upper case", .needsIdentity) { $0.arguments[0] = "Scrypt" },
            try Shape(
                "twice",
                forge { $0.lines = Forge.lines(of: try $0.scrypt()) + Forge.lines(of: try $0.scrypt()) },
                .header
            ),
            try Shape("beside another", forge { $0.lines += Forge.lines(of: try $0.scrypt()) }, .header),
            try Shape("before another", forge { $0.lines = Forge.lines(of: try $0.scrypt()) + $0.lines }, .header),
            try Shape("no passphrase", Forge(), .needsIdentity),
            try Shape(
                "another passphrase",
                forge { $0.lines = Forge.lines(of: try $0.scrypt("Password")) },
                .wrongPassphrase
            ),
        ]
        for factor in ["0", "02", "012", "+2", "-2", "2x", "x2", "0x2", "2.0", "１"] {
            shapes.append(try shape("the factor \(factor)", .header) { $0.arguments[2] = factor })
        }
        return shapes
    }

    static func payloads() throws -> [Shape] {
        let full = [UInt8](repeating: 7, count: ChunkCipher.length)
        let short = Array("end".utf8)
        func shape(
            _ name: String,
            _ chunks: [Forge.Chunk],
            _ code: AgeError.Code? = nil,
            _ change: ([[UInt8]]) -> [[UInt8]] = { $0 }
        ) throws -> Shape {
            var forge = try Forge()
            forge.chunks = chunks
            let sealed = change(try forge.sealed())
            var shape = Shape(name, forge.header() + forge.salt + sealed.flatMap { $0 }, code)
            shape.content = chunks.flatMap(\.content)
            return shape
        }
        let two = [Forge.Chunk(full), Forge.Chunk(short)]
        let three = [Forge.Chunk(full), Forge.Chunk(full.map { $0 + 1 }), Forge.Chunk(short)]
        return [
            try shape("empty", [Forge.Chunk([])]),
            try shape("a full last chunk", [Forge.Chunk(full)]),
            try shape("two chunks", two),
            try shape("three chunks", three),
            Shape("no nonce", try Forge().header(), .truncated),
            Shape("a short nonce", try Forge().header() + randomBytes(15), .truncated),
            Shape("no chunk", try Forge().header() + randomBytes(16), .truncated),
            try shape("a chunk of 15 bytes", [Forge.Chunk([])], .truncated) { [Array($0[0].dropLast())] },
            try shape("a chunk cut", [Forge.Chunk(short)], .chunkDamaged) { [Array($0[0].dropLast())] },
            try shape("an empty last chunk", [Forge.Chunk(full), Forge.Chunk([])], .chunkDamaged),
            try shape("no last chunk", [Forge.Chunk(short, isLast: false)], .truncated),
            try shape("a full chunk that is not the last", [Forge.Chunk(full, isLast: false)], .truncated),
            try shape("the last of two cut off", two, .truncated) { [$0[0]] },
            try shape("the last of two cut", two, .chunkDamaged) { [$0[0], Array($0[1].dropLast())] },
            try shape("the last of two cut to 8 bytes", two, .truncated) { [$0[0], Array($0[1].prefix(8))] },
            try shape("the first dropped", two, .chunkDamaged) { [$0[1]] },
            try shape("the second dropped", three, .chunkDamaged) { [$0[0], $0[2]] },
            try shape("two swapped", three, .chunkDamaged) { [$0[1], $0[0], $0[2]] },
            try shape("one repeated", three, .chunkDamaged) { [$0[0], $0[0], $0[1], $0[2]] },
            try shape("a short chunk between", [Forge.Chunk(short), Forge.Chunk(short)], .chunkDamaged),
            try shape("two last chunks", [Forge.Chunk(full, isLast: true), Forge.Chunk(short)], .trailingData),
            try shape("a byte after a full last chunk", [Forge.Chunk(full)], .trailingData) { $0 + [[0]] },
            try shape("a byte after the last chunk", [Forge.Chunk(short)], .chunkDamaged) { $0 + [[0]] },
            try shape("a chunk's length after", [Forge.Chunk(full)], .trailingData) { $0 + [randomBytes(65_552)] },
            try shape("a bit of the first", two, .chunkDamaged) { turned($0, 0) },
            try shape("a bit of the second", two, .chunkDamaged) { turned($0, 1) },
            try shape("the number of another", [Forge.Chunk(short, number: 1)], .chunkDamaged),
        ]
    }

    private static func turned(_ chunks: [[UInt8]], _ index: Int) -> [[UInt8]] {
        var chunks = chunks
        chunks[index][1] ^= 0x10
        return chunks
    }

    static func armor() throws -> [Shape] {
        // Long enough for several lines, the last of them short and padded.
        var forge = try Forge()
        forge.chunks = [Forge.Chunk(Array("age12".utf8))]
        while try forge.bytes().count % 3 != 1 { forge.chunks[0].content.append(33) }
        let content = forge.chunks[0].content
        let lines = try forge.armor()
        let begin = lines[0]
        let body = Array(lines[1..<lines.count - 1])
        let end = lines[lines.count - 1]
        let last = body[body.count - 1]
        func shape(_ name: String, _ code: AgeError.Code?, _ text: String) -> Shape {
            var shape = Shape(name, Array(text.utf8), code)
            shape.content = content
            return shape
        }
        func lined(_ lines: [String], _ feed: String = "\n") -> String { lines.map { $0 + feed }.joined() }
        let text = lined(lines)
        let front = [begin] + body.dropLast()
        var fullLine = try Forge()
        while try fullLine.bytes().count % 48 != 0 { fullLine.chunks[0].content.append(33) }
        var full = Shape("a full last line", Array(lined(try fullLine.armor()).utf8))
        full.content = fullLine.chunks[0].content
        func armored(_ forge: Forge) throws -> String { lined(try forge.armor()) }
        return [
            full,
            shape(
                "a header with line feeds of two characters",
                .version,
                try armored(Self.forge { $0.lineFeed = "\r\n" })
            ),
            shape("a header with a letter beyond ASCII", .header, try armored(unknown("-> öther", "AAAA"))),
            shape("armor", nil, text),
            shape("line feeds of two characters", nil, lined(lines, "\r\n")),
            shape("no line feed at the end", nil, String(text.dropLast())),
            shape("white space around", nil, "\n\r   \t\n" + text + "\n\r   \t\n"),
            shape("too much white space before", .armor, String(repeating: "\n", count: 2000) + text),
            shape("too much white space after", .armor, text + String(repeating: "\n", count: 2000)),
            shape("something before", .notAge, "garbage\n" + text),
            shape("something after", .armor, text + "garbage"),
            shape("another armor after", .armor, text + text),
            shape("something behind the end", .armor, lined(Array(lines.dropLast())) + end + " x\n"),
            shape("headers", .armor, lined([begin, "Headers: no", ""] + body + [end])),
            shape("an empty line at the beginning", .armor, lined([begin, ""] + body + [end])),
            shape("an empty line at the end", .armor, lined([begin] + body + ["", end])),
            shape("another label", .armor, text.replacing("AGE ENCRYPTED FILE", with: "AGE ENCRYPTED MESSAGE")),
            shape("the label in lower case", .armor, text.replacing("AGE ENCRYPTED FILE", with: "age encrypted file")),
            shape("another label at the end", .armor, lined([begin] + body + ["-----END AGE-----"])),
            shape("no end", .truncated, lined([begin] + body)),
            shape("no end, and cut in a line", .truncated, String(lined([begin] + body).dropLast(3))),
            shape("nothing in it", .notAge, lined([begin, end])),
            shape("white space in a line", .armor, lined([begin] + body.dropLast() + [last + " ", end])),
            shape("white space before a line", .armor, lined([begin, " " + body[0]] + body.dropFirst() + [end])),
            shape("a short line between", .armor, lined([begin, "AAAA"] + body + [end])),
            shape("a long line", .armor, lined([begin, body[0] + body[1]] + body.dropFirst(2) + [end])),
            shape("no padding", .armor, lined(front + [last.replacing("=", with: ""), end])),
            shape("padding in a line of its own", .armor, lined(front + [String(last.dropLast()), "=", end])),
            shape("padding too much", .armor, lined(front + [last + "====", end])),
            shape("not canonical", .armor, lined(front + [nonCanonical(last.replacing("=", with: "")) + "==", end])),
            shape("a character that is none", .armor, lined(front + ["!" + last.dropFirst(), end])),
            shape("a checksum as of PGP", .armor, lined([begin] + body + ["=AAAA", end])),
            shape("garbage in it", .notAge, lined([begin, "AAAA", end])),
        ]
    }
}
