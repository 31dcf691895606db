internal import Crypto
internal import AgeFile
package import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The public name of an epoch key: 16 bytes derived from it, as 32 hexadecimal digits.
package struct EpochID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number of bytes.
    package static let length = 16
    /// The digits.
    package let description: String

    /// Takes the bytes of an identifier; nil for another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        description = Hex.text(bytes)
    }

    fileprivate init(exactly bytes: [UInt8]) { description = Hex.text(bytes) }

    /// Reads 32 digits; nil for any other text.
    package init?(_ text: String) {
        guard let bytes = Hex.bytes(text), bytes.count == Self.length else { return nil }
        self.init(bytes)
    }

    /// The bytes.
    package var bytes: [UInt8] { Hex.bytes(description) ?? [] }

    /// Returns whether one identifier comes before another.
    package static func < (left: EpochID, right: EpochID) -> Bool { left.description < right.description }
}

/// The key of an epoch, from which the keys of all its files come.
///
/// The identifier is derived from the key. So nobody can make another key with the same identifier.
package struct EpochKey: Sendable, CustomStringConvertible, CustomReflectable {
    static let length = 32

    let key: SymmetricKey
    /// The identifier.
    package let id: EpochID

    /// Makes a new key by the system's random generator.
    package init() {
        let key = SymmetricKey(size: .bits256)
        self.key = key
        id = Self.id(of: key)
    }

    /// Takes 32 bytes; nil for another number of them.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        var copy = Array(bytes)
        defer { wipe(&copy) }
        let key = SymmetricKey(data: copy)
        self.key = key
        id = Self.id(of: key)
    }

    private static func id(of key: SymmetricKey) -> EpochID {
        let bytes = HKDF<SHA256>
            .deriveKey(
                inputKeyMaterial: key,
                info: Array("satchel/epoch-id/1".utf8),
                outputByteCount: EpochID.length
            )
            .withUnsafeBytes { Array($0) }
        return EpochID(exactly: bytes)
    }

    /// Derives a key for one purpose.
    func derive(_ purpose: String, salt: [UInt8] = [], _ context: [UInt8] = []) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key,
            salt: salt,
            info: Array("satchel/\(purpose)/1".utf8) + context,
            outputByteCount: 32
        )
    }

    /// Returns the proof that a device has this key: the first 32 digits of an HMAC, which nobody without it can make.
    ///
    /// - Parameters:
    ///   - device: The device's identifier.
    ///   - publicKey: The name of its public key.
    package func proof(of device: String, _ publicKey: String) -> String {
        let text = Array("\(device)\n\(publicKey)".utf8)
        return Hex.text(Array(HMAC<SHA256>.authenticationCode(for: text, using: derive("member-again"))).prefix(16))
    }

    /// Returns the key's bytes as Base64, which the caller keeps secret.
    package func secretText() -> String {
        key.withUnsafeBytes { String(decoding: Base64.encode(Array($0)), as: UTF8.self) }
    }

    /// Returns whether two keys are the same, in constant time.
    package func isSame(as other: EpochKey) -> Bool { key == other.key }

    /// Tells the public identifier only.
    package var description: String { "the key of epoch \(id)" }
    /// Tells nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Hex {
    /// Returns the first 32 digits of the SHA-256 of bytes, as names of files have them.
    package static func hash(_ bytes: [UInt8]) -> String { text(SHA256.hash(data: bytes).prefix(16)) }
}
