internal import AgeFile
internal import Crypto
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The private key of a device, to which members seal epoch keys: X-Wing, that is X25519 together with ML-KEM-768.
package struct DeviceKey: Sendable, CustomStringConvertible, CustomReflectable {
    static let seedLength = 32
    private let seed: SecretBytes
    /// The public key.
    package let publicKey: [UInt8]

    /// Makes a new key by the system's random generator.
    ///
    /// - Throws: `key` on a system whose library has no X-Wing.
    package init() throws(EncryptionError) {
        var bytes = randomBytes(Self.seedLength)
        defer { wipe(&bytes) }
        try self.init(seed: bytes)
    }

    /// Takes a seed of 32 bytes.
    ///
    /// - Throws: `key` for another number of bytes, and on a system whose library has no X-Wing.
    package init(seed: [UInt8]) throws(EncryptionError) {
        guard seed.count == Self.seedLength else {
            throw EncryptionError(.key, "found a device's key of \(seed.count) bytes, expected \(Self.seedLength)")
        }
        publicKey = try HybridKey.publicKey(of: seed)
        self.seed = SecretBytes(seed)
    }

    /// Returns the seed as Base64, which the caller keeps secret.
    package func secretText() -> String { String(decoding: Base64.encode(Array(seed.bytes)), as: UTF8.self) }

    /// The name of a public key: the first 32 digits of its SHA-256.
    package var name: String { Hex.hash(publicKey) }

    func open(_ sealed: HybridKey.Sealed, info: [UInt8]) throws(EncryptionError) -> [UInt8]? {
        try HybridKey.open(sealed, Array(seed.bytes), info: info)
    }

    /// Tells the public name only.
    package var description: String { "the device key \(name)" }
    /// Tells nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// HPKE (RFC 9180) in base mode with X-Wing, HKDF-SHA256 and AES-256-GCM.
enum HybridKey {
    struct Sealed {
        var encapsulated: [UInt8]
        var box: [UInt8]
    }

    private static var missing: EncryptionError {
        EncryptionError(.key, "encrypted folders need macOS 26 or iOS 26, whose library has X-Wing")
    }

    static func publicKey(of seed: [UInt8]) throws(EncryptionError) -> [UInt8] {
        guard #available(macOS 26, iOS 26, *) else { throw missing }
        do {
            let key = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil)
            return Array(key.publicKey.rawRepresentation)
        } catch {
            throw EncryptionError(.key, "the device's key cannot be used")
        }
    }

    static func seal(_ bytes: [UInt8], to publicKey: [UInt8], info: [UInt8]) throws(EncryptionError) -> Sealed {
        guard #available(macOS 26, iOS 26, *) else { throw missing }
        do {
            let key = try XWingMLKEM768X25519.PublicKey(rawRepresentation: publicKey)
            var sender = try HPKE.Sender(
                recipientKey: key,
                ciphersuite: .XWingMLKEM768X25519_SHA256_AES_GCM_256,
                info: Data(info)
            )
            let box = try sender.seal(Data(bytes))
            return Sealed(encapsulated: Array(sender.encapsulatedKey), box: Array(box))
        } catch {
            throw EncryptionError(.key, "the public key of a device cannot be used")
        }
    }

    /// Opens what was sealed; nil where it was sealed for somebody else, or is damaged.
    static func open(_ sealed: Sealed, _ seed: [UInt8], info: [UInt8]) throws(EncryptionError) -> [UInt8]? {
        guard #available(macOS 26, iOS 26, *) else { throw missing }
        guard let key = try? XWingMLKEM768X25519.PrivateKey(seedRepresentation: seed, publicKey: nil),
            var recipient = try? HPKE.Recipient(
                privateKey: key,
                ciphersuite: .XWingMLKEM768X25519_SHA256_AES_GCM_256,
                info: Data(info),
                encapsulatedKey: Data(sealed.encapsulated)
            )
        else { return nil }
        return (try? recipient.open(Data(sealed.box))).map { Array($0) }
    }
}
