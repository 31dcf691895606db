internal import AgeFile
internal import Crypto
internal import FolderEncryption

/// The system's keyring, which keeps secrets for this user: the Secret Service or the Keychain.
public protocol KeyVault: Sendable {
    /// The keyring's name for people.
    var title: String { get }

    /// Returns a secret; nil where the keyring has none of that name.
    ///
    /// - Throws: The reason why the keyring cannot be used.
    func secret(_ name: String) throws(KeyVaultError) -> [UInt8]?
    /// Keeps a secret.
    ///
    /// - Throws: As ``secret(_:)``.
    func keep(_ secret: [UInt8], as name: String) throws(KeyVaultError)
}

/// The error of a keyring that is missing, locked, or does not answer.
public struct KeyVaultError: Error, Sendable {
    /// The reason.
    public let message: String

    /// Makes an error.
    public init(_ message: String) { self.message = message }
}

/// The places where a device can keep its keys of encrypted folders.
package enum KeyPlace: String, Sendable, CaseIterable {
    /// Files that only the user can read.
    case file
    /// Files that only the user can read, sealed with a secret of the system's keyring.
    case keyring
}

/// A file of keys that is sealed with a secret of the system's keyring: a line that names the secret, and a box.
struct VaultFile {
    private static let head = "satchel-keyring-1 "
    private static let nameLength = 32

    /// The name of the secret in the keyring.
    let name: String

    init(name: String) { self.name = name }

    /// Reads the line of a file; nil where it is not sealed in this way.
    init?(_ bytes: [UInt8]) {
        let start = Self.head.utf8.count
        guard bytes.count > start + Self.nameLength, bytes.starts(with: Self.head.utf8),
            bytes[start + Self.nameLength] == UInt8(ascii: "\n")
        else { return nil }
        name = String(decoding: bytes[start..<start + Self.nameLength], as: UTF8.self)
    }

    private var line: [UInt8] { Array("\(Self.head)\(name)\n".utf8) }

    /// Seals a file; it opens under its own name only.
    func seal(_ bytes: [UInt8], _ secret: [UInt8], file: String) throws(DirectoryError) -> [UInt8] {
        do {
            let key = SymmetricKey(data: secret)
            return try line + ChaChaPoly.seal(bytes, using: key, authenticating: line + Array(file.utf8)).combined
        } catch {
            throw DirectoryError(.noKey, "the keys cannot be sealed", path: file)
        }
    }

    /// Opens a sealed file; nil where it was changed, or sealed with another secret.
    func open(_ bytes: [UInt8], _ secret: [UInt8], file: String) -> [UInt8]? {
        let key = SymmetricKey(data: secret)
        guard let box = try? ChaChaPoly.SealedBox(combined: bytes.dropFirst(line.count)),
            let content = try? ChaChaPoly.open(box, using: key, authenticating: line + Array(file.utf8))
        else { return nil }
        return Array(content)
    }
}
