internal import AgeFile
internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A code of 160 random bits that opens an encrypted folder where the passphrase is lost.
///
/// It is written in nine groups of four letters and digits; the last group checks the others.
package struct RecoveryCode: Sendable, CustomStringConvertible, CustomReflectable {
    static let length = 20
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let checkLetters = 4

    let secret: SecretBytes

    /// Makes a new code by the system's random generator.
    package init() {
        var bytes = randomBytes(Self.length)
        defer { wipe(&bytes) }
        secret = SecretBytes(bytes)
    }

    /// Takes the bits of a code; nil for another number of them.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        secret = SecretBytes(bytes)
    }

    /// Reads a code as a person types it: in any case, on one or several lines, with any spaces, hyphens and dashes, with O
    /// for 0 and I or L for 1.
    ///
    /// - Throws: `recoveryCode` where it is none, or a letter is wrong.
    package init(reading text: some StringProtocol) throws(EncryptionError) {
        var values: [UInt8] = []
        defer { wipe(&values) }
        for scalar in text.uppercased().unicodeScalars
        where !scalar.properties.isWhitespace && !scalar.properties.isDash && scalar != "\u{FEFF}" {
            let plain: Unicode.Scalar = scalar == "O" ? "0" : scalar == "I" || scalar == "L" ? "1" : scalar
            guard plain.isASCII, let value = Self.letters.firstIndex(of: UInt8(plain.value)) else {
                // The character itself may be one of a passphrase in the wrong file.
                let message = "found a character that no recovery code has, after \(values.count) letters and digits"
                throw EncryptionError(.recoveryCode, message)
            }
            values.append(UInt8(value))
        }
        let wanted = Self.length * 8 / 5 + Self.checkLetters
        guard values.count == wanted else {
            let message = "found \(values.count) letters and digits, expected the \(wanted) of a recovery code"
            throw EncryptionError(.recoveryCode, message)
        }
        var bytes: [UInt8] = []
        defer { wipe(&bytes) }
        var (bits, held) = (0, 0)
        for value in values.dropLast(Self.checkLetters) {
            (bits, held) = (bits << 5 | Int(value), held + 5)
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(bits >> held & 0xFF))
                bits &= (1 << held) - 1
            }
        }
        guard Self.check(bytes) == Array(values.suffix(Self.checkLetters)) else {
            throw EncryptionError(.recoveryCode, "the recovery code has a wrong letter: its last group does not fit")
        }
        secret = SecretBytes(bytes)
    }

    /// Returns the code in groups of letters, which the caller shows once.
    package func text() -> String {
        var values: [UInt8] = []
        var (bits, held) = (0, 0)
        for byte in secret.bytes {
            (bits, held) = (bits << 8 | Int(byte), held + 8)
            while held >= 5 {
                held -= 5
                values.append(UInt8(bits >> held & 31))
                bits &= (1 << held) - 1
            }
        }
        values += Self.check(Array(secret.bytes))
        let letters = values.map { Self.letters[Int($0)] }
        return stride(from: 0, to: letters.count, by: 4)
            .map { String(decoding: letters[$0..<$0 + 4], as: UTF8.self) }
            .joined(separator: "-")
    }

    /// Returns twenty bits of a hash as four letters.
    private static func check(_ bytes: [UInt8]) -> [UInt8] {
        let hash = Array(SHA256.hash(data: Array("satchel/recovery-code/1".utf8) + bytes))
        let bits = Int(hash[0]) << 16 | Int(hash[1]) << 8 | Int(hash[2])
        return (0..<4).map { UInt8(bits >> (19 - 5 * $0) & 31) }
    }

    /// Returns the key that opens a slot.
    func slotKey(salt: [UInt8], info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret.bytes),
            salt: salt,
            info: info,
            outputByteCount: 32
        )
    }

    /// Tells nothing.
    package var description: String { "a recovery code" }
    /// Tells nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Six words by which two people, or one at two screens, see that they look at the same bytes.
package enum PairingWords {
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aiou")
    private static let count = 6

    /// Returns the words of bytes: twelve bits of their hash each.
    package static func of(_ purpose: String, _ bytes: [UInt8]) -> String {
        text(Array(SHA256.hash(data: Array("satchel/words/\(purpose)/1\n".utf8) + bytes)))
    }

    /// Returns the words by which a member shows a new device that it has the folder's key.
    package static func of(_ key: EpochKey, _ publicKey: [UInt8]) -> String {
        text(Array(HMAC<SHA256>.authenticationCode(for: publicKey, using: key.derive("admission-words"))))
    }

    private static func text(_ hash: [UInt8]) -> String {
        (0..<count).map { word in
            let bit = 12 * word
            let bits = (0..<12).reduce(0) { $0 << 1 | Int(hash[(bit + $1) / 8] >> (7 - (bit + $1) % 8) & 1) }
            return String([
                consonants[bits >> 8 & 15], vowels[bits >> 6 & 3], consonants[bits >> 2 & 15], vowels[bits & 3],
            ])
        }
        .joined(separator: " ")
    }

    /// Returns whether two texts are the same words, however they are typed.
    package static func areSame(_ left: String, _ right: String) -> Bool {
        func letters(_ text: String) -> [Character] { text.lowercased().filter { $0.isLetter } }
        return letters(left) == letters(right) && !letters(left).isEmpty
    }
}
