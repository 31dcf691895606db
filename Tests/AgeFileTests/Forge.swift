import Foundation
import TestSupport

@testable import AgeFile

/// Makes files of age's format, right and wrong ones, from their parts.
struct Forge {
    /// The identity that files are for, whose texts the specification of the format has as an example.
    static let identityText = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    static let recipientText = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    static func identity() throws -> AgeIdentity { try AgeIdentity(identityText) }
    static func recipient() throws -> AgeRecipient { try AgeRecipient(recipientText) }

    let key = FileKey()
    var firstLine = "age-encryption.org/v1"
    var lineFeed = "\n"
    /// The lines between the first and the last.
    var lines: [String] = []
    /// Makes the last line of the MAC in base64.
    var lastLine: (String) -> String = { "--- \($0)" }
    var salt = randomBytes(16)
    var chunks: [Chunk] = [Chunk(Array("age".utf8))]
    var isMACGenuine = true
    /// What follows the last chunk.
    var rest: [UInt8] = []

    /// A chunk, and the number and flag that it is sealed with.
    struct Chunk {
        var content: [UInt8]
        var number: UInt64?
        var isLast: Bool?

        init(_ content: [UInt8], number: UInt64? = nil, isLast: Bool? = nil) {
            (self.content, self.number, self.isLast) = (content, number, isLast)
        }
    }

    /// A file for the identity.
    init() throws { lines = try Self.lines(of: stanza()) }

    /// A file that has what the lines say.
    init(lines: [String]) { self.lines = lines }

    func stanza() throws -> AgeHeader.Stanza { try X25519Wrap.wrap(key, for: try Self.recipient()) }

    func scrypt(_ passphrase: String = "password", workFactor: Int = 2) throws -> AgeHeader.Stanza {
        try ScryptWrap.wrap(key, with: try AgePassphrase(passphrase), workFactor: workFactor)
    }

    /// The two lines of a stanza with a short body.
    static func lines(of stanza: AgeHeader.Stanza) -> [String] {
        ["-> " + stanza.arguments.joined(separator: " "), String(decoding: Base64.encode(stanza.body), as: UTF8.self)]
    }

    /// The sealed chunks.
    func sealed() throws -> [[UInt8]] {
        var cipher = ChunkCipher(key, salt: salt)
        return try chunks.enumerated().map { index, chunk in
            cipher.number = chunk.number ?? UInt64(index)
            let isLast = chunk.isLast ?? (index == chunks.count - 1)
            return Array(try chunk.content.withUnsafeBytes { try cipher.seal($0, isLast: isLast) })
        }
    }

    func header() -> [UInt8] {
        let text = Array(([firstLine] + lines).map { $0 + lineFeed }.joined().utf8)
        var mac = key.mac(of: text + Array("---".utf8))
        if !isMACGenuine { mac[0] ^= 1 }
        let line = lastLine(String(decoding: Base64.encode(mac), as: UTF8.self))
        return text + Array((line + lineFeed).utf8)
    }

    func bytes() throws -> [UInt8] { header() + salt + (try sealed().flatMap { $0 }) + rest }

    /// The bytes in armor, as lines.
    func armor() throws -> [String] {
        let text = try AgeWriterText.armored(try bytes())
        return text.split(separator: "\n").map(String.init)
    }
}

/// Armor by the library.
enum AgeWriterText {
    static func armored(_ bytes: [UInt8]) throws -> String {
        var armor = ArmorWriter()
        let text = bytes.withUnsafeBytes { armor.encode($0) } + armor.finish()
        return String(decoding: text, as: UTF8.self)
    }
}

/// What opening a file gives: the content that was given out, and the error.
struct Opened {
    var content: [UInt8] = []
    var code: AgeError.Code?
    var error: AgeError?

    /// Opens a file, reading it in pieces.
    init(_ bytes: [UInt8], _ unlock: (AgeReader) throws -> Void) {
        do {
            let reader = try AgeReader(bytes)
            try unlock(reader)
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try reader.read(into: buffer)
                if count == 0 { break }
                content += buffer[..<count]
            }
        } catch let error as AgeError {
            (code, self.error) = (error.code, error)
        } catch {
            code = AgeError.Code("other")
        }
    }

    static func withIdentity(_ bytes: [UInt8]) -> Opened {
        Opened(bytes) { try $0.unlock(with: [try Forge.identity()]) }
    }

    static func withPassphrase(_ bytes: [UInt8], _ passphrase: String = "password") -> Opened {
        Opened(bytes) { try $0.unlock(with: try AgePassphrase(passphrase)) }
    }
}
