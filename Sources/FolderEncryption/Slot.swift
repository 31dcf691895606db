package import AgeFile
internal import Crypto
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A file that holds the key of one epoch, wrapped for one way to open the folder.
package struct Slot: Sendable, Hashable {
    /// The ways to open a folder.
    package enum Kind: String, Sendable, Hashable {
        case passphrase
        case recovery
        case device
    }

    /// The greatest work factor that is read: N = 2^17 takes 128 MiB.
    package static let greatestWorkFactor = 17
    /// The least work factor that is read.
    package static let leastWorkFactor = 10
    /// The most bytes of the file of a slot or a request.
    package static let mostBytes = 8192

    /// The kind of secret that opens the slot.
    package let kind: Kind
    /// The epoch whose key it holds.
    package let epoch: EpochID
    /// The name of the device's public key, for a device's slot.
    package let device: String?
    private let space: String
    private let workFactor: Int?
    private let salt: [UInt8]
    private let box: [UInt8]

    // MARK: Writing

    /// Wraps a key with a passphrase.
    ///
    /// - Throws: `key` where the system has not enough memory for it.
    package static func passphrase(
        _ passphrase: AgePassphrase,
        _ key: EpochKey,
        space: String,
        workFactor: Int = greatestWorkFactor,
        salt: [UInt8] = randomBytes(32)
    ) throws(EncryptionError) -> Slot {
        let wrap = try derive(passphrase, salt, workFactor, info(.passphrase, space, key.id))
        return Slot(.passphrase, key.id, space, workFactor: workFactor, salt: salt, box: try seal(key, wrap))
    }

    /// Wraps a key with a recovery code.
    ///
    /// - Throws: `key` where the library refuses.
    package static func recovery(
        _ code: RecoveryCode,
        _ key: EpochKey,
        space: String,
        salt: [UInt8] = randomBytes(32)
    ) throws(EncryptionError) -> Slot {
        let wrap = code.slotKey(salt: salt, info: info(.recovery, space, key.id))
        return Slot(.recovery, key.id, space, salt: salt, box: try seal(key, wrap))
    }

    /// Wraps a key for a device.
    ///
    /// - Throws: `key` for a public key that cannot be used.
    package static func device(_ publicKey: [UInt8], _ key: EpochKey, space: String) throws(EncryptionError) -> Slot {
        var bytes = key.key.withUnsafeBytes { Array($0) }
        defer { wipe(&bytes) }
        let sealed = try HybridKey.seal(bytes, to: publicKey, info: info(.device, space, key.id))
        return Slot(
            .device,
            key.id,
            space,
            device: Hex.hash(publicKey),
            salt: sealed.encapsulated,
            box: sealed.box
        )
    }

    private init(
        _ kind: Kind,
        _ epoch: EpochID,
        _ space: String,
        device: String? = nil,
        workFactor: Int? = nil,
        salt: [UInt8],
        box: [UInt8]
    ) {
        (self.kind, self.epoch, self.space, self.device) = (kind, epoch, space, device)
        (self.workFactor, self.salt, self.box) = (workFactor, salt, box)
    }

    /// Returns the file, one line of JSON, whose name is `keys/<hash of its bytes>.slot`.
    package func encoded() -> [UInt8] {
        var object = JSONObject()
        object["format"] = "satchel-slot"
        object["version"] = 1
        object["space"] = .string(space)
        object["kind"] = .string(kind.rawValue)
        object["epoch"] = .string(epoch.description)
        if let device { object["device"] = .string(device) }
        if let workFactor {
            var scrypt = JSONObject()
            scrypt["log2n"] = .number(workFactor)
            scrypt["r"] = 8
            scrypt["p"] = 1
            object["scrypt"] = .object(scrypt)
        }
        object[kind == .device ? "encapsulated" : "salt"] = .string(Self.text(salt))
        object["box"] = .string(Self.text(box))
        return JSONValue.object(object).encoded(.compact) + [UInt8(ascii: "\n")]
    }

    // MARK: Reading

    /// Reads the file of a slot, whose hash the caller has compared with its name.
    ///
    /// Nothing is derived yet.
    ///
    /// - Throws: `tooNew`; `workFactor` for parameters that would take too much work; `damaged`.
    package init(reading bytes: [UInt8], space: String) throws(EncryptionError) {
        func damaged(_ what: String) -> EncryptionError { EncryptionError(.damaged, "the slot has \(what)") }
        guard bytes.count <= Self.mostBytes, let root = try? JSONDocument(parsing: bytes).root,
            root["format"]?.string == "satchel-slot", let version = root["version"]?.int
        else { throw damaged("another format") }
        guard version == 1 else {
            throw EncryptionError(.tooNew, "the slot is of version \(version), but this program knows 1; update it")
        }
        guard root["space"]?.string == space else { throw damaged("another space") }
        guard let name = root["kind"]?.string else { throw damaged("no kind") }
        guard let kind = Kind(rawValue: name) else {
            throw EncryptionError(.tooNew, "the slot is of the kind \"\(name.prefix(20))\", which is not known")
        }
        guard let epoch = root["epoch"]?.string.flatMap({ EpochID($0) }) else { throw damaged("no epoch") }
        let salt = Self.bytes(root[kind == .device ? "encapsulated" : "salt"])
        guard let salt, salt.count == (kind == .device ? 1120 : 32), let box = Self.bytes(root["box"]),
            box.count == EpochKey.length + 16
        else { throw damaged("no wrapped key") }
        var workFactor: Int?
        if kind == .passphrase {
            let scrypt = root["scrypt"]
            guard let factor = scrypt?["log2n"]?.int, let blocks = scrypt?["r"]?.int, let lanes = scrypt?["p"]?.int
            else { throw damaged("no parameters of scrypt") }
            guard blocks == 8, lanes == 1, (Self.leastWorkFactor...Self.greatestWorkFactor).contains(factor) else {
                let message =
                    "found scrypt with N = 2^\(factor), r = \(blocks), p = \(lanes), expected at most"
                    + " N = 2^\(Self.greatestWorkFactor), r = 8, p = 1: nothing was derived"
                throw EncryptionError(.workFactor, message)
            }
            workFactor = factor
        }
        self.init(
            kind,
            epoch,
            space,
            device: kind == .device ? root["device"]?.string : nil,
            workFactor: workFactor,
            salt: salt,
            box: box
        )
        guard encoded() == bytes else { throw damaged("another form than it is written in") }
    }

    /// Opens the slot; nil where the passphrase is another.
    ///
    /// - Throws: `key` where the system has not enough memory for it.
    package func open(with passphrase: AgePassphrase) throws(EncryptionError) -> EpochKey? {
        guard kind == .passphrase, let workFactor else { return nil }
        return open(try Self.derive(passphrase, salt, workFactor, Self.info(kind, space, epoch)))
    }

    /// Opens the slot; nil where the recovery code is another.
    package func open(with code: RecoveryCode) -> EpochKey? {
        guard kind == .recovery else { return nil }
        return open(code.slotKey(salt: salt, info: Self.info(kind, space, epoch)))
    }

    /// Opens the slot; nil where it is for another device.
    ///
    /// - Throws: `key` on a system whose library has no X-Wing.
    package func open(with device: DeviceKey) throws(EncryptionError) -> EpochKey? {
        guard kind == .device, self.device == device.name else { return nil }
        let sealed = HybridKey.Sealed(encapsulated: salt, box: box)
        return key(try device.open(sealed, info: Self.info(kind, space, epoch)))
    }

    private func open(_ wrap: SymmetricKey) -> EpochKey? {
        guard let box = try? ChaChaPoly.SealedBox(combined: [UInt8](repeating: 0, count: 12) + box),
            let bytes = try? ChaChaPoly.open(box, using: wrap)
        else { return nil }
        return key(Array(bytes))
    }

    private func key(_ bytes: [UInt8]?) -> EpochKey? {
        guard var bytes else { return nil }
        defer { wipe(&bytes) }
        guard let key = EpochKey(bytes), key.id == epoch else { return nil }
        return key
    }

    // MARK: Keys

    private static func info(_ kind: Kind, _ space: String, _ epoch: EpochID) -> [UInt8] {
        Array("satchel/slot/\(kind.rawValue)/1\n\(space)\n\(epoch)".utf8)
    }

    private static func derive(
        _ passphrase: AgePassphrase,
        _ salt: [UInt8],
        _ workFactor: Int,
        _ info: [UInt8]
    ) throws(EncryptionError) -> SymmetricKey {
        do {
            let stretched = try passphrase.scrypt(salt: salt, workFactor: workFactor)
            return HKDF<SHA256>.deriveKey(inputKeyMaterial: stretched, info: info, outputByteCount: 32)
        } catch {
            throw EncryptionError(.key, "the key cannot be derived from the passphrase: there is not enough memory")
        }
    }

    /// Wraps a key; the wrapping key is used once, so that the nonce is zero.
    private static func seal(_ key: EpochKey, _ wrap: SymmetricKey) throws(EncryptionError) -> [UInt8] {
        do {
            let nonce = try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
            let box = try key.key.withUnsafeBytes { try ChaChaPoly.seal($0, using: wrap, nonce: nonce) }
            return Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw EncryptionError(.key, "the key cannot be wrapped")
        }
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: Base64.encode(bytes), as: UTF8.self) }

    private static func bytes(_ node: JSONNode?) -> [UInt8]? { node?.string.flatMap { Base64.decode(Array($0.utf8)) } }
}

/// The request of a device that wants to take part: its public key, and nothing else.
package struct JoinRequest: Sendable, Hashable {
    /// The public key.
    package let publicKey: [UInt8]

    /// Makes a request.
    package init(_ publicKey: [UInt8]) { self.publicKey = publicKey }

    /// Returns the six words that both screens show.
    package func words(space: String) -> String { PairingWords.of("request", Array(space.utf8) + [0x0A] + publicKey) }

    /// Returns the file, one line of JSON, whose name is `keys/<hash of its bytes>.request`.
    package func encoded(space: String) -> [UInt8] {
        var object = JSONObject()
        object["format"] = "satchel-request"
        object["version"] = 1
        object["space"] = .string(space)
        object["key"] = .string(String(decoding: Base64.encode(publicKey), as: UTF8.self))
        return JSONValue.object(object).encoded(.compact) + [UInt8(ascii: "\n")]
    }

    /// Reads the file of a request.
    ///
    /// - Throws: `damaged` and `tooNew`.
    package init(reading bytes: [UInt8], space: String) throws(EncryptionError) {
        guard bytes.count <= Slot.mostBytes, let root = try? JSONDocument(parsing: bytes).root,
            root["format"]?.string == "satchel-request", let version = root["version"]?.int
        else { throw EncryptionError(.damaged, "the request has another format") }
        guard version == 1 else {
            throw EncryptionError(.tooNew, "the request is of version \(version), but this program knows 1; update it")
        }
        guard root["space"]?.string == space,
            let key = root["key"]?.string.flatMap({ Base64.decode(Array($0.utf8)) }), key.count == 1216
        else { throw EncryptionError(.damaged, "the request has no public key for this space") }
        publicKey = key
    }
}
