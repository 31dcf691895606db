internal import Crypto
internal import AgeFile
internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes before everything else of a sealed file, in the clear and authenticated by what follows.
///
/// ```
/// 0   8  89 53 41 54 45 4E 43 0A
/// 8   1  version: 1
/// 9   7  zeros
/// 16 16  identifier of the epoch
/// 32 32  salt
/// ```
package struct SealedHeader: Sendable {
    /// The number of bytes.
    package static let length = 64
    static let magic: [UInt8] = [0x89, 0x53, 0x41, 0x54, 0x45, 0x4E, 0x43, 0x0A]
    static let version: UInt8 = 1
    static let saltLength = 32

    let bytes: [UInt8]
    /// The epoch whose key opens the file.
    package let epoch: EpochID

    init(_ epoch: EpochID, salt: [UInt8]) {
        bytes = Self.magic + [Self.version] + [UInt8](repeating: 0, count: 7) + epoch.bytes + salt
        self.epoch = epoch
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: The beginning of a file.
    /// - Throws: `notSealed` and `tooNew`.
    package init(reading bytes: [UInt8]) throws(EncryptionError) {
        guard bytes.count >= Self.length, bytes.starts(with: Self.magic) else {
            let found = bytes.count < Self.length ? "\(bytes.count) bytes" : "other bytes at the beginning"
            throw EncryptionError(.notSealed, "found \(found), expected the header of a sealed file")
        }
        guard bytes[8] == Self.version, bytes[9..<16].allSatisfy({ $0 == 0 }) else {
            let message = "the file is sealed in version \(bytes[8]), but this program knows version 1; update it"
            throw EncryptionError(.tooNew, message)
        }
        guard let epoch = EpochID(bytes[16..<32]) else {
            throw EncryptionError(.notSealed, "found no epoch in the header of a sealed file")
        }
        self.bytes = Array(bytes[..<Self.length])
        self.epoch = epoch
    }

    var salt: [UInt8] { Array(bytes[32...]) }
}

/// Identifies a sealed file.
///
/// It comes first inside, and a reader compares it with the one that it expects.
package struct SealedIdentity: Sendable, Hashable {
    /// The space of the folder.
    package var space: String
    /// The path that the file would have in a folder that is not encrypted: kind, writer, number and the hash of the
    /// content.
    package var path: String
    /// The number of bytes of the content.
    package var length: Int

    /// Makes an identity.
    package init(space: String, path: String, length: Int) {
        self.space = space
        self.path = path
        self.length = length
    }

    /// The bytes that all identities take, so that none tells by its length what it says.
    static let room = 512
    /// The most bytes of a content.
    static let longest = 1 << 40

    /// Returns the identity as JSON with zeros behind it.
    func encoded() throws(EncryptionError) -> [UInt8] {
        var object = JSONObject()
        object["space"] = .string(space)
        object["path"] = .string(path)
        object["length"] = .number(length)
        let text = JSONValue.object(object).encoded(.compact)
        guard text.count <= Self.room else {
            throw EncryptionError(.usage, "the name of a file takes \(text.count) bytes, but the limit is \(Self.room)")
        }
        return text + [UInt8](repeating: 0, count: Self.room - text.count)
    }

    init(decoding bytes: [UInt8]) throws(EncryptionError) {
        let text = Array(bytes.prefix { $0 != 0 })
        guard let root = try? JSONDocument(parsing: text).root, let space = root["space"]?.string,
            let path = root["path"]?.string, let length = root["length"]?.int, (0...Self.longest).contains(length)
        else { throw EncryptionError(.damaged, "the file does not say what it is, though its key made it") }
        self.init(space: space, path: path, length: length)
        guard try encoded() == bytes else {
            throw EncryptionError(.damaged, "the file says what it is in another form than it is written in")
        }
    }
}

/// The sizes of sealed files.
package enum SealedLayout {
    static let tag = 16
    /// The start of the content's chunks.
    package static let start = SealedHeader.length + SealedIdentity.room + tag
    /// The least bytes that a content is padded to, so that small files of all kinds have one size.
    package static let least = 1024

    /// Returns the number of bytes that a content takes with its padding (Padmé): at most 12 % more.
    package static func padded(_ length: Int) -> Int {
        let length = max(length, least)
        let exponent = Int.bitWidth - 1 - length.leadingZeroBitCount
        let bits = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - bits)) - 1
        return (length + mask) & ~mask
    }

    /// Returns the size of the file of a content.
    package static func size(_ length: Int) -> Int {
        let padded = padded(length)
        return start + padded + chunks(padded) * tag
    }

    static func chunks(_ padded: Int) -> Int { (padded + ChunkCipher.length - 1) / ChunkCipher.length }
}

/// Seals a file piece by piece, in constant memory.
///
/// The place of the identity is left free at first, as the length is known last: the caller writes what ``finish(_:_:)``
/// returns at ``identityOffset``.
package final class FileSealer {
    /// The place of the sealed identity.
    package static let identityOffset = SealedHeader.length

    private let header: SealedHeader
    private let key: EpochKey
    private let space: String
    private var cipher: ChunkCipher
    private var pending: [UInt8] = []
    private var length = 0

    /// Begins a file with a new random salt.
    package convenience init(_ key: EpochKey, space: String) {
        self.init(key, space: space, salt: randomBytes(SealedHeader.saltLength))
    }

    /// Begins a file with a given salt, as test vectors have it; no salt may serve two files.
    package init(_ key: EpochKey, space: String, salt: [UInt8]) {
        header = SealedHeader(key.id, salt: salt)
        self.key = key
        self.space = space
        cipher = ChunkCipher(key: header.contentKey(key))
        pending.reserveCapacity(ChunkCipher.length)
    }

    deinit { wipe(&pending) }

    /// The first bytes of the file: its header, and room for the identity.
    package var beginning: [UInt8] {
        header.bytes + [UInt8](repeating: 0, count: SealedLayout.start - SealedHeader.length)
    }

    /// Seals bytes, and passes on the chunks that are full.
    ///
    /// - Throws: The errors of `sink`.
    package func write(_ bytes: UnsafeRawBufferPointer, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        length += bytes.count
        try add(bytes, sink)
    }

    private func add(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = bytes
        while !rest.isEmpty {
            // A full chunk waits, as it may be the last.
            if pending.count == ChunkCipher.length { try flush(isLast: false, sink) }
            let count = min(rest.count, ChunkCipher.length - pending.count)
            pending.append(contentsOf: rest[..<count])
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    private func flush(isLast: Bool, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        let sealed = try pending.withUnsafeBytes { try cipher.seal($0, isLast: isLast) }
        wipe(&pending)
        pending.removeAll(keepingCapacity: true)
        try sealed.withUnsafeBytes { try sink($0) }
    }

    /// Pads and seals the rest.
    ///
    /// - Parameters:
    ///   - path: The path of the identity.
    ///   - sink: Takes the last chunks.
    /// - Returns: The sealed identity, to be written at ``identityOffset``.
    /// - Throws: `usage` for a path that is too long; the errors of `sink`.
    package func finish(_ path: String, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> [UInt8] {
        let identity = try SealedIdentity(space: space, path: path, length: length).encoded()
        var padding = SealedLayout.padded(length) - length
        let zeros = [UInt8](repeating: 0, count: min(padding, ChunkCipher.length))
        while padding > 0 {
            let count = min(padding, zeros.count)
            try zeros.withUnsafeBytes { try add(UnsafeRawBufferPointer(rebasing: $0[..<count]), sink) }
            padding -= count
        }
        try flush(isLast: true, sink)
        return try header.sealed(identity, key)
    }

    /// Seals a whole file in memory.
    ///
    /// - Throws: `usage` for a path that is too long.
    package static func seal(
        _ content: [UInt8],
        path: String,
        space: String,
        _ key: EpochKey,
        salt: [UInt8]? = nil
    ) throws -> [UInt8] {
        let sealer = FileSealer(key, space: space, salt: salt ?? randomBytes(SealedHeader.saltLength))
        var file = sealer.beginning
        file.reserveCapacity(SealedLayout.size(content.count))
        let take = { (piece: UnsafeRawBufferPointer) in file.append(contentsOf: piece) }
        try content.withUnsafeBytes { try sealer.write($0, to: take) }
        let identity = try sealer.finish(path, take)
        file.replaceSubrange(identityOffset..<SealedLayout.start, with: identity)
        return file
    }
}

extension SealedHeader {
    func contentKey(_ key: EpochKey) -> SymmetricKey { key.derive("content", salt: salt, bytes) }

    private func identityKey(_ key: EpochKey) -> SymmetricKey { key.derive("identity", salt: salt, bytes) }

    /// Seals an identity; its key is used once, so that the nonce is zero.
    fileprivate func sealed(_ identity: [UInt8], _ key: EpochKey) throws -> [UInt8] {
        let nonce = try ChaChaPoly.Nonce(data: [UInt8](repeating: 0, count: 12))
        let box = try ChaChaPoly.seal(identity, using: identityKey(key), nonce: nonce, authenticating: bytes)
        return Array(box.ciphertext) + Array(box.tag)
    }

    fileprivate func opened(_ sealed: [UInt8], _ key: EpochKey) throws(EncryptionError) -> SealedIdentity {
        guard
            let box = try? ChaChaPoly.SealedBox(combined: [UInt8](repeating: 0, count: 12) + sealed),
            let bytes = try? ChaChaPoly.open(box, using: identityKey(key), authenticating: self.bytes)
        else {
            throw EncryptionError(.damaged, "the beginning of the file is not the one that was sealed")
        }
        return try SealedIdentity(decoding: Array(bytes))
    }
}

/// Opens a sealed file and reads its content from any place on.
package final class FileOpener {
    /// Reads bytes of the stored file from an offset on, as many as there are and fit.
    package typealias Source = (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// The identity of the file: its space, path and length.
    package let identity: SealedIdentity
    /// The epoch of its key.
    package let epoch: EpochID
    private let source: Source
    private var cipher: ChunkCipher
    private let padded: Int
    /// The number of the chunk that was opened last, and its bytes.
    private var number = -1
    private var bytes: [UInt8] = []

    /// Opens a file: checks its header, its identity and its size.
    ///
    /// - Parameters:
    ///   - size: The size of the stored file.
    ///   - key: Returns the key of an epoch; nil where it is not known.
    /// - Throws: `notSealed`, `tooNew`, `noKey`, `damaged`; the errors of `source`.
    package init(size: Int, key: (EpochID) -> EpochKey?, _ source: @escaping Source) throws {
        let beginning = try Self.read(source, at: 0, SealedLayout.start)
        let header = try SealedHeader(reading: beginning)
        guard let found = key(header.epoch) else {
            let message =
                "the file is sealed with the key of epoch \(header.epoch), which this device does not have: either it has not"
                + " arrived yet, or this device was removed"
            throw EncryptionError(.noKey, message)
        }
        guard beginning.count == SealedLayout.start else {
            throw EncryptionError(.damaged, "the file ends after \(beginning.count) bytes, within its beginning")
        }
        identity = try header.opened(Array(beginning[SealedHeader.length...]), found)
        let wanted = SealedLayout.size(identity.length)
        guard size == wanted else {
            throw EncryptionError(.damaged, "found \(size) bytes, expected \(wanted): the file was cut or added to")
        }
        epoch = header.epoch
        padded = SealedLayout.padded(identity.length)
        cipher = ChunkCipher(key: header.contentKey(found))
        self.source = source
    }

    deinit { wipe(&bytes) }

    /// Opens a file in memory, and returns all of its content.
    ///
    /// - Throws: As ``init(size:key:_:)``; `damaged` for any chunk that is not the one that was sealed.
    package static func open(
        _ bytes: [UInt8],
        key: (EpochID) -> EpochKey?
    ) throws -> (identity: SealedIdentity, content: [UInt8]) {
        let opener = try FileOpener(size: bytes.count, key: key) { offset, buffer in
            let count = max(0, min(buffer.count, bytes.count - offset))
            if count > 0 { buffer.copyBytes(from: bytes[offset..<offset + count]) }
            return count
        }
        return (opener.identity, try opener.content())
    }

    /// Returns all of the content, after a check of the padding.
    ///
    /// - Throws: `damaged`; the errors of the source.
    package func content() throws -> [UInt8] {
        var content = [UInt8](repeating: 0, count: identity.length)
        try content.withUnsafeMutableBytes { _ = try read(at: 0, into: $0) }
        try checkPadding()
        return content
    }

    /// Checks that only zeros follow the content.
    private func checkPadding() throws {
        var offset = identity.length
        while offset < padded {
            let number = offset / ChunkCipher.length
            let chunk = try chunk(number)
            let start = offset - number * ChunkCipher.length
            guard chunk[start...].allSatisfy({ $0 == 0 }) else {
                throw EncryptionError(.damaged, "found something else than zeros behind the content")
            }
            offset = (number + 1) * ChunkCipher.length
        }
    }

    /// Opens every chunk and the padding.
    ///
    /// - Throws: `damaged`; the errors of the source.
    package func check() throws {
        for number in 0..<SealedLayout.chunks(padded) { _ = try chunk(number) }
        try checkPadding()
    }

    /// Reads the content from an offset on, as much as there is and fits.
    ///
    /// - Throws: `damaged` where a chunk is not the one that was sealed; the errors of the source.
    package func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        let end = min(identity.length, offset + buffer.count)
        while offset + done < end {
            let place = offset + done
            let number = place / ChunkCipher.length
            let chunk = try chunk(number)
            let start = place - number * ChunkCipher.length
            let count = min(chunk.count - start, end - place)
            UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
                .copyBytes(from: chunk[start..<start + count])
            done += count
        }
        return done
    }

    private func chunk(_ number: Int) throws -> [UInt8] {
        if self.number == number { return bytes }
        let stored = ChunkCipher.length + SealedLayout.tag
        let isLast = number == SealedLayout.chunks(padded) - 1
        let length = isLast ? padded - number * ChunkCipher.length + SealedLayout.tag : stored
        let sealed = try Self.read(source, at: SealedLayout.start + number * stored, length)
        cipher.number = UInt64(number)
        guard sealed.count == length, var opened = sealed.withUnsafeBytes({ cipher.open($0, isLast: isLast) }) else {
            throw EncryptionError(.damaged, "the chunk \(number + 1) of the file is not the one that was sealed")
        }
        wipe(&bytes)
        bytes = Array(opened)
        self.number = number
        opened.withUnsafeMutableBytes { wipe($0) }
        return bytes
    }

    private static func read(_ source: Source, at offset: Int, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let found = try bytes.withUnsafeMutableBytes { try source(offset, $0) }
        return found < count ? Array(bytes[..<found]) : bytes
    }
}

/// The stored name of a sealed file: a keyed tag of its path, and the hash of its bytes.
///
/// The hash tells a torn file from a whole one without keys. The tag tells nothing without the key.
package struct SealedName: Sendable, Hashable {
    /// The ending of the names.
    package static let ending = ".sealed"
    /// The digits of either part.
    package static let digits = 32

    /// The keyed tag.
    package let tag: String
    /// The first 32 digits of the SHA-256 of the stored bytes.
    package let hash: String

    /// Makes a name.
    package init(tag: String, hash: String) {
        self.tag = tag
        self.hash = hash
    }

    /// Makes the name of a stored file.
    package init(_ identity: SealedIdentity, _ key: EpochKey, hash: String) {
        self.init(tag: Self.tag(of: identity.path, space: identity.space, key), hash: hash)
    }

    /// The text without the ending.
    package var stem: String { "\(tag)-\(hash)" }

    /// Returns the tag of a path.
    package static func tag(of path: String, space: String, _ key: EpochKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(space)\n\(path)".utf8), using: key.derive("name"))
        return Hex.text(Array(code).prefix(digits / 2))
    }
}
