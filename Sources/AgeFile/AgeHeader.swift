/// The text at the beginning of a file: for each recipient a stanza with the wrapped file key, and a MAC.
struct AgeHeader {
    /// A stanza.
    struct Stanza: Equatable {
        var arguments: [String]
        var body: [UInt8]

        var kind: String { arguments.first ?? "" }
    }

    /// The largest header, in bytes; one for a thousand recipients takes 110,000.
    static let largest = 1 << 20
    /// The most stanzas; each can cost a derivation of a key before anything is known to be genuine.
    static let mostStanzas = 1024

    static let name = "age-encryption.org/"
    static let firstLine = name + "v1"
    /// The columns of a full line of base64.
    private static let columns = 64
    private static let fileKeyBodyLength = 32

    let stanzas: [Stanza]
    let mac: [UInt8]
    /// The bytes that the MAC is of.
    let authenticated: [UInt8]

    /// The scrypt stanza, if the file is encrypted with a passphrase.
    var scrypt: (salt: [UInt8], workFactor: String, body: [UInt8])? {
        guard let stanza = stanzas.first, stanza.kind == ScryptWrap.kind else { return nil }
        return (Base64.decode(Array(stanza.arguments[1].utf8)) ?? [], stanza.arguments[2], stanza.body)
    }

    // MARK: Writing

    /// Returns the header's text before the MAC.
    static func authenticated(_ stanzas: [Stanza]) -> [UInt8] {
        var text = Array((firstLine + "\n").utf8)
        for stanza in stanzas {
            text += Array("-> \(stanza.arguments.joined(separator: " "))\n".utf8)
            var body = Base64.encode(stanza.body)[...]
            // The last line is shorter than the others, and empty where it must be.
            while body.count >= columns {
                text += body.prefix(columns) + [UInt8(ascii: "\n")]
                body = body.dropFirst(columns)
            }
            text += body + [UInt8(ascii: "\n")]
        }
        return text + Array("---".utf8)
    }

    // MARK: Reading

    /// Reads a header, and leaves the input at the payload.
    init(reading input: ByteInput) throws {
        var lines = try HeaderLines(input)
        var stanzas: [Stanza] = []
        while true {
            let line = try lines.next()
            if line.starts(with: "---".utf8) {
                let mark = "--- "
                let code = Base64.decode(line.dropFirst(mark.utf8.count))
                guard line.starts(with: mark.utf8), let code, code.count == 32 else {
                    throw lines.malformed(line, expected: "--- and the 43 base64 characters of the HMAC")
                }
                guard !stanzas.isEmpty else { throw lines.malformed(line, expected: "a recipient: a line after ->") }
                lines.text.removeLast(line.count - 3 + 1)
                (self.stanzas, mac, authenticated) = (stanzas, code, lines.text)
                try check()
                return
            }
            guard stanzas.count < Self.mostStanzas else {
                let message = "found more than \(Self.mostStanzas) recipients, which is the limit"
                throw AgeError(.header, message, line: lines.number)
            }
            let arguments = try Self.arguments(line, lines)
            stanzas.append(Stanza(arguments: arguments, body: try Self.body(&lines)))
        }
    }

    private static func arguments(_ line: [UInt8], _ lines: HeaderLines) throws -> [String] {
        let mark = "-> "
        let words = line.dropFirst(mark.utf8.count)
            .split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard line.starts(with: mark.utf8), words.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isVisible) })
        else { throw lines.malformed(line, expected: "--- or -> and visible ASCII with one space between words") }
        return words.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (33...126).contains(byte) }

    private static func body(_ lines: inout HeaderLines) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = try lines.next()
            guard line.count <= columns, let bytes = Base64.decode(line) else {
                throw lines.malformed(line, expected: "up to 64 characters of base64, with a shorter line at the end")
            }
            body += bytes
            if line.count < columns { return body }
        }
    }

    /// Checks the stanzas whose kind is known, whoever they are for.
    private func check() throws {
        for stanza in stanzas {
            let wanted: (arguments: Int, length: Int)
            switch stanza.kind {
            case X25519Wrap.kind: wanted = (2, 32)
            case ScryptWrap.kind: wanted = (3, 16)
            default: continue
            }
            func fault(_ found: String, _ expected: String) -> AgeError {
                AgeError(.header, "\(stanza.kind) recipient: found \(found), expected \(expected)")
            }
            guard stanza.arguments.count == wanted.arguments else {
                throw fault("\(stanza.arguments.count - 1) arguments", "\(wanted.arguments - 1)")
            }
            guard let value = Base64.decode(Array(stanza.arguments[1].utf8)), value.count == wanted.length else {
                throw fault(quoted(stanza.arguments[1].utf8), "base64 of \(wanted.length) bytes")
            }
            guard stanza.body.count == Self.fileKeyBodyLength else {
                throw fault("a wrapped key of \(stanza.body.count) bytes", "\(Self.fileKeyBodyLength)")
            }
            guard stanza.kind == ScryptWrap.kind else { continue }
            guard stanzas.count == 1 else {
                throw fault("\(stanzas.count) recipients", "a passphrase to be the only one")
            }
            let digits = Array(stanza.arguments[2].utf8)
            guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw fault("the work factor \(quoted(digits))", "a decimal number")
            }
        }
    }
}

/// The lines of a header, and the text so far.
private struct HeaderLines {
    private let input: ByteInput
    /// The bytes of the header, with their line feeds.
    var text: [UInt8] = []
    /// The number of the line that was read last.
    private(set) var number = 0

    /// Reads the first line.
    init(_ input: ByteInput) throws {
        self.input = input
        let line = try input.line(limit: 100)
        number = 1
        guard line.bytes.starts(with: AgeHeader.name.utf8) else {
            let message = "found \(quoted(line.bytes)), expected \"\(AgeHeader.firstLine)\": no age file"
            throw AgeError(.notAge, message, line: 1)
        }
        guard line.isComplete, line.bytes == Array(AgeHeader.firstLine.utf8) else {
            let version = line.bytes.dropFirst(AgeHeader.name.utf8.count)
            let found = line.isComplete ? "version \(quoted(version)) of the format" : "the end of the file"
            let expected = line.isComplete ? "\"v1\"" : "\"\(AgeHeader.firstLine)\" and a header"
            throw AgeError(line.isComplete ? .version : .header, "found \(found), expected \(expected)", line: 1)
        }
        text = line.bytes + [UInt8(ascii: "\n")]
    }

    mutating func next() throws -> [UInt8] {
        let line = try input.line(limit: AgeHeader.largest - text.count)
        number += 1
        guard line.isComplete else {
            if text.count + line.bytes.count >= AgeHeader.largest {
                let message = "found more than \(AgeHeader.largest) bytes, which is the limit"
                throw AgeError(.header, message, line: number)
            }
            throw AgeError(.header, "found the end of the file, expected the rest of the header", line: number)
        }
        text += line.bytes + [UInt8(ascii: "\n")]
        return line.bytes
    }

    func malformed(_ line: [UInt8], expected: String) -> AgeError {
        AgeError(.header, "found \(quoted(line)), expected \(expected)", line: number)
    }
}
