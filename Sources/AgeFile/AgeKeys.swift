internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A passphrase, which is wiped when it is not needed any more.
public struct AgePassphrase: Sendable, CustomStringConvertible, CustomReflectable {
    let secret: SecretBytes

    /// Takes a passphrase byte by byte, as `age` does.
    ///
    /// - Throws: `age.passphrase` where there is none.
    public init(_ bytes: some Collection<UInt8>) throws(AgeError) {
        guard !bytes.isEmpty else { throw Self.empty }
        secret = SecretBytes(bytes)
    }

    /// Takes the UTF-8 of a text.
    ///
    /// - Throws: `age.passphrase` where there is none.
    public init(_ text: String) throws(AgeError) {
        var bytes = Array(text.utf8)
        defer { wipe(&bytes) }
        guard !bytes.isEmpty else { throw Self.empty }
        secret = SecretBytes(bytes)
    }

    /// Calls a function with the bytes, which are good during the call only.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(secret) { body(secret.bytes) }
    }

    private static let empty = AgeError(.passphrase, "found an empty passphrase, expected at least one byte")

    /// Tells nothing.
    public var description: String { "a passphrase" }
    /// Tells nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Somebody who can open files: `age1…`, an X25519 public key.
public struct AgeRecipient: Sendable, Hashable, CustomStringConvertible {
    static let prefix = "age"
    let publicKey: [UInt8]

    /// Reads a recipient's text.
    ///
    /// - Throws: `age.key` where it is none of X25519.
    public init(_ text: String) throws(AgeError) {
        guard let decoded = Bech32.decode(text) else {
            let kind = text.hasPrefix("ssh-") ? "found an SSH key" : "found \(quoted(text.utf8))"
            throw AgeError(.key, "\(kind), expected a recipient such as age1… with a valid checksum")
        }
        guard decoded.prefix == Self.prefix, text.hasPrefix(Self.prefix), decoded.bytes.count == 32 else {
            let what =
                decoded.prefix == AgeIdentity.prefix
                ? "found an identity, which is secret" : "found a recipient of the kind \(quoted(decoded.prefix.utf8))"
            throw AgeError(.key, "\(what), expected an X25519 recipient: age1 and 58 characters")
        }
        publicKey = decoded.bytes
    }

    init(publicKey: [UInt8]) { self.publicKey = publicKey }

    /// The recipient's text: `age1…`.
    public var description: String { Bech32.encode(Self.prefix, publicKey) }

    /// Reads the recipients of a file: one in a line, with comments behind `#`.
    ///
    /// - Throws: `age.key`, with the line, where one cannot be used, or there is none.
    public static func list(_ text: String) throws(AgeError) -> [AgeRecipient] {
        try KeyLines.read(text, "recipient", AgeRecipient.init(_:))
    }
}

/// The private X25519 key of a recipient, `AGE-SECRET-KEY-1…`: it decrypts the files encrypted for that recipient.
public struct AgeIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    static let prefix = "age-secret-key-"
    let privateKey: Curve25519.KeyAgreement.PrivateKey

    /// Makes a new identity.
    public init() { privateKey = Curve25519.KeyAgreement.PrivateKey() }

    /// Reads an identity's text.
    ///
    /// - Throws: `age.key` where it is none of X25519; the message does not repeat it.
    public init(_ text: String) throws(AgeError) {
        guard let decoded = Bech32.decode(text), text.hasPrefix(Self.prefix.uppercased()),
            decoded.prefix == Self.prefix, decoded.bytes.count == 32,
            let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: decoded.bytes)
        else {
            let what = text.hasPrefix("age1") ? "found a recipient" : "found something else or a damaged one"
            throw AgeError(.key, "\(what), expected an X25519 identity: AGE-SECRET-KEY-1 and 58 characters")
        }
        privateKey = key
    }

    /// The recipient of this identity: encryption needs it.
    public var recipient: AgeRecipient { AgeRecipient(publicKey: Array(privateKey.publicKey.rawRepresentation)) }

    /// Returns the identity's text, which is secret: `AGE-SECRET-KEY-1…`.
    public func secretText() -> String {
        Bech32.encode(Self.prefix, Array(privateKey.rawRepresentation)).uppercased()
    }

    /// Names the recipient, and not the secret.
    public var description: String { "the identity of \(recipient)" }
    /// Tells nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Reads the identities of a file: one in a line, with comments behind `#`.
    ///
    /// - Throws: `age.key`, with the line, where one cannot be used, or there is none.
    public static func list(_ text: String) throws(AgeError) -> [AgeIdentity] {
        try KeyLines.read(text, "identity", AgeIdentity.init(_:))
    }
}

/// Files of keys: one in a line.
private enum KeyLines {
    static func read<Key>(
        _ text: String,
        _ kind: String,
        _ parse: (String) throws(AgeError) -> Key
    ) throws(AgeError) -> [Key] {
        var keys: [Key] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            do throws(AgeError) {
                keys.append(try parse(String(line)))
            } catch {
                throw AgeError(.key, "line \(index + 1): \(error.message)", line: index + 1)
            }
        }
        guard !keys.isEmpty else { throw AgeError(.key, "found no \(kind), expected one in a line") }
        return keys
    }
}

/// A way to encrypt a file: for recipients, or with a passphrase.
public enum AgeLock: Sendable {
    /// Whoever has the identity of one of the recipients can open it.
    case recipients([AgeRecipient])
    /// Whoever knows the passphrase can open it.
    ///
    /// Deriving the key takes 2^`workFactor` steps, and 2^(`workFactor` + 10) bytes of memory.
    case passphrase(AgePassphrase, workFactor: Int = 18)
}
