package import Crypto
internal import CryptoExtras

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The key of one file, from which all others of it come.
struct FileKey {
    static let length = 16
    let key: SymmetricKey

    /// Makes a new one.
    init() { key = SymmetricKey(size: .bits128) }

    /// Takes it out of a wrapped one; nil where that was not wrapped with this key.
    init?(_ body: [UInt8], with wrap: SymmetricKey) {
        guard let box = try? ChaChaPoly.SealedBox(combined: [UInt8](repeating: 0, count: 12) + body),
            var bytes = try? ChaChaPoly.open(box, using: wrap), bytes.count == Self.length
        else { return nil }
        key = SymmetricKey(data: bytes)
        bytes.withUnsafeMutableBytes { wipe($0) }
    }

    /// Wraps it; the key is used for nothing else, so that the nonce is zero.
    func wrapped(with wrap: SymmetricKey) throws -> [UInt8] {
        let nonce = try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
        let box = try key.withUnsafeBytes { try ChaChaPoly.seal($0, using: wrap, nonce: nonce) }
        return Array(box.ciphertext) + Array(box.tag)
    }

    /// Returns the MAC of a header.
    func mac(of header: [UInt8]) -> [UInt8] { Array(HMAC<SHA256>.authenticationCode(for: header, using: macKey)) }

    /// Returns whether a header is the one that was written.
    func isGenuine(_ header: AgeHeader) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(header.mac, authenticating: header.authenticated, using: macKey)
    }

    private var macKey: SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Array("header".utf8), outputByteCount: 32)
    }

    /// Returns the key of the payload.
    func payloadKey(nonce: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: nonce, info: Array("payload".utf8), outputByteCount: 32)
    }
}

/// Returns random bytes from the system's generator.
package func randomBytes(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
}

/// File keys wrapped for the holder of an X25519 key.
enum X25519Wrap {
    static let kind = "X25519"
    private static let info = Array("age-encryption.org/v1/X25519".utf8)

    static func wrap(_ file: FileKey, for recipient: AgeRecipient) throws -> AgeHeader.Stanza {
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let share = Array(ephemeral.publicKey.rawRepresentation)
        guard let secret = agree(ephemeral, recipient.publicKey) else {
            throw AgeError(.key, "found the recipient \(recipient), which is of low order; expected another")
        }
        let key = derive(secret, share, recipient)
        let body = try file.wrapped(with: key)
        return AgeHeader.Stanza(arguments: [kind, String(decoding: Base64.encode(share), as: UTF8.self)], body: body)
    }

    /// Takes the file key out of a stanza that was checked; nil where it is for somebody else.
    static func unwrap(_ stanza: AgeHeader.Stanza, with identity: AgeIdentity) throws -> FileKey? {
        let share = Base64.decode(Array(stanza.arguments[1].utf8)) ?? []
        // A share of low order gives a secret of zeros, whatever the identity.
        guard let secret = agree(identity.privateKey, share) else {
            throw AgeError(.header, "X25519 recipient: found a share of low order, expected one of a fresh key")
        }
        return FileKey(stanza.body, with: derive(secret, share, identity.recipient))
    }

    /// Returns the shared secret of two keys; nil for a point of low order.
    ///
    /// Such a point gives zeros, and not every library refuses it.
    private static func agree(_ key: Curve25519.KeyAgreement.PrivateKey, _ point: [UInt8]) -> SharedSecret? {
        guard let publicKey = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: point),
            let secret = try? key.sharedSecretFromKeyAgreement(with: publicKey)
        else { return nil }
        return secret.withUnsafeBytes { $0.reduce(0, |) } == 0 ? nil : secret
    }

    private static func derive(_ secret: SharedSecret, _ share: [UInt8], _ recipient: AgeRecipient) -> SymmetricKey {
        secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: share + recipient.publicKey,
            sharedInfo: info,
            outputByteCount: 32
        )
    }
}

/// File keys wrapped with a passphrase.
enum ScryptWrap {
    static let kind = "scrypt"
    /// The greatest work factor that is written, and that a caller can allow for reading.
    static let greatest = 30
    private static let label = Array("age-encryption.org/v1/scrypt".utf8)

    static func wrap(
        _ file: FileKey,
        with passphrase: AgePassphrase,
        workFactor: Int
    ) throws -> AgeHeader.Stanza {
        guard (1...greatest).contains(workFactor) else {
            throw AgeError(.workFactor, "found the work factor \(workFactor), expected 1 to \(greatest)")
        }
        let salt = randomBytes(16)
        let body = try file.wrapped(with: try derive(passphrase, salt, workFactor))
        let text = String(decoding: Base64.encode(salt), as: UTF8.self)
        return AgeHeader.Stanza(arguments: [kind, text, "\(workFactor)"], body: body)
    }

    /// Reads a work factor of digits.
    ///
    /// - Throws: `age.work-factor` where it is greater than allowed; nothing was derived then.
    static func checked(_ text: String, limit: Int) throws(AgeError) -> Int {
        guard let factor = Int(text), factor <= min(limit, greatest) else {
            let found = "found the scrypt work factor 2^\(text.prefix(20)), expected at most 2^\(min(limit, greatest))"
            throw AgeError(.workFactor, "\(found), so that opening a file takes bounded time and memory")
        }
        return factor
    }

    /// Takes the file key out of a stanza; nil where the passphrase is another.
    static func unwrap(
        _ stanza: (salt: [UInt8], workFactor: String, body: [UInt8]),
        with passphrase: AgePassphrase,
        workFactor: Int
    ) throws -> FileKey? {
        FileKey(stanza.body, with: try derive(passphrase, stanza.salt, workFactor))
    }

    private static func derive(_ passphrase: AgePassphrase, _ salt: [UInt8], _ workFactor: Int) throws -> SymmetricKey {
        try passphrase.scrypt(salt: label + salt, workFactor: workFactor)
    }
}

extension AgePassphrase {
    /// Derives a key of 32 bytes by scrypt with r = 8 and p = 1, in 1,024 bytes of memory for each of N = 2^workFactor.
    ///
    /// The caller bounds the work factor.
    ///
    /// - Throws: The library's error where there is not that much memory.
    package func scrypt(salt: [UInt8], workFactor: Int) throws -> SymmetricKey {
        try withExtendedLifetime(self) {
            try KDF.Scrypt.deriveKey(
                from: secret.bytes,
                salt: salt,
                outputByteCount: 32,
                rounds: 1 << workFactor,
                blockSize: 8,
                parallelism: 1
            )
        }
    }
}
