/// An error for an age file that was not opened or written.
///
/// No error holds a key, a passphrase or decrypted content.
public struct AgeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code of an error; later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        init(_ description: String) { self.description = description }
    }

    /// The code of the error.
    public let code: Code
    /// A text that names what the reader found, what it expected and what to do, without a final full stop.
    public let message: String
    /// The line of the header or the armor, from 1 on.
    public let line: Int?
    /// The chunk of the payload, from 1 on.
    public let chunk: Int?

    init(_ code: Code, _ message: String, line: Int? = nil, chunk: Int? = nil) {
        self.code = code
        self.message = message
        self.line = line
        self.chunk = chunk
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

extension AgeError.Code {
    /// The file does not begin as age files do.
    public static let notAge = Self("age.not-age")
    /// The file has a version of the format that is not known.
    public static let version = Self("age.version")
    /// The header breaks the rules of the format.
    public static let header = Self("age.header")
    /// The header is not the one that was written: its HMAC differs.
    public static let headerDamaged = Self("age.header-damaged")
    /// The ASCII armor breaks the rules of the format.
    public static let armor = Self("age.armor")
    /// The passphrase is not the file's.
    public static let wrongPassphrase = Self("age.wrong-passphrase")
    /// The file is encrypted for other recipients.
    public static let noMatch = Self("age.no-match")
    /// The file is encrypted with a passphrase, and none was given.
    public static let needsPassphrase = Self("age.needs-passphrase")
    /// The file is encrypted for recipients, and no identity was given.
    public static let needsIdentity = Self("age.needs-identity")
    /// Deriving the key would take more work than is allowed.
    public static let workFactor = Self("age.work-factor")
    /// A chunk of the payload is not the one that was written.
    public static let chunkDamaged = Self("age.chunk-damaged")
    /// The file ends before its last chunk does.
    public static let truncated = Self("age.truncated")
    /// Something follows the last chunk.
    public static let trailingData = Self("age.trailing-data")
    /// A recipient or an identity cannot be used.
    public static let key = Self("age.key")
    /// A passphrase cannot be used.
    public static let passphrase = Self("age.passphrase")
    /// The content is larger than the caller takes.
    public static let tooLarge = Self("age.too-large")
    /// The caller used a reader or writer in the wrong order.
    public static let usage = Self("age.usage")
    /// The written file does not decrypt to its content.
    public static let notAsWritten = Self("age.not-as-written")
}

/// Returns a text of a file between quotes, fit for a message: printable ASCII only, cut where it is long.
func quoted(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        guard text.utf8.count < 60 else { return "\"\(text)…\"" }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += "\\\(Character(UnicodeScalar(byte)))"
        case 0x20..<0x7F: text.unicodeScalars.append(UnicodeScalar(byte))
        default: text += "\\u{\(String(byte, radix: 16))}"
        }
    }
    return "\"\(text)\""
}
