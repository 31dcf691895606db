#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Opens a file of [age](https://age-encryption.org/v1), in memory that does not grow with it.
///
/// Creating a reader reads the header. ``unlock(with:)`` then finds the key, and ``read(into:)`` gives the content.
/// Each chunk is verified before any byte of it is given out. A file is known to be whole only when `read` has given 0:
/// until then nothing of it is to be used for good.
///
/// ```swift
/// let reader = try AgeReader(source)
/// try reader.unlock(with: AgePassphrase("…"))
/// let content = try reader.readAll(limit: 1 << 29)
/// ```
public final class AgeReader {
    /// The keys that can decrypt a file.
    public enum Access: Sendable, Hashable {
        /// Those who know the passphrase.
        case passphrase
        /// Those who have the identity of one of so many recipients.
        case recipients(Int)
    }

    /// The keys that can decrypt the file.
    public var access: Access { workFactor == nil ? .recipients(header.stanzas.count) : .passphrase }

    private let header: AgeHeader
    private let workFactor: Int?
    private let input: ByteInput
    private let sealed = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ChunkCipher.length + ChunkCipher.overhead,
        alignment: 16
    )
    private var cipher: ChunkCipher?
    /// The decrypted bytes of the current chunk that nobody has read yet.
    private var opened = Data()
    private var isAtEnd = false
    private var failure: (any Error)?

    /// The work factor that is allowed unless told: deriving the key takes 1 GiB of memory then, and seconds.
    public static let usualWorkFactor = 20

    /// Returns whether a file that begins with these bytes is one of age's, with or without armor.
    public static func isAge(_ head: some Sequence<UInt8>) -> Bool {
        let text = Array(head.drop(while: Armor.isWhiteSpace))
        return Array(head.prefix(AgeHeader.name.utf8.count)) == Array(AgeHeader.name.utf8)
            || text.starts(with: Armor.begin)
    }

    /// Reads the header.
    ///
    /// - Parameters:
    ///   - maximumWorkFactor: The greatest scrypt work factor for which a key is derived, as an exponent of two.
    ///   - source: Fills a buffer from its start and gives the number of bytes, 0 only at the end.
    /// - Throws: ``AgeError`` where the file is no age file, breaks the format's rules or has a greater work factor;
    ///   the errors of the source.
    public init(
        maximumWorkFactor: Int = usualWorkFactor,
        source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws {
        do {
            input = try Self.withoutArmor(ByteInput(source))
            header = try AgeHeader(reading: input)
            workFactor = try header.scrypt.map { try ScryptWrap.checked($0.workFactor, limit: maximumWorkFactor) }
        } catch {
            sealed.deallocate()
            throw error
        }
    }

    /// Reads the header of a file in memory.
    ///
    /// - Throws: The errors of ``init(maximumWorkFactor:source:)``.
    public convenience init(_ bytes: [UInt8], maximumWorkFactor: Int = usualWorkFactor) throws {
        var offset = 0
        try self.init(maximumWorkFactor: maximumWorkFactor) { buffer in
            let count = min(buffer.count, bytes.count - offset)
            buffer.copyBytes(from: bytes[offset..<offset + count])
            offset += count
            return count
        }
    }

    deinit { sealed.deallocate() }

    private static func withoutArmor(_ input: ByteInput) throws -> ByteInput {
        var count = 0
        while let byte = try input.peek(), Armor.isWhiteSpace(byte), count < Armor.mostWhiteSpace {
            _ = try input.next()
            count += 1
        }
        // White space before a file without armor is not skipped.
        let next = try input.peek()
        guard count > 0 || next == Armor.begin.first else { return input }
        let armor = try ArmorReader(input)
        return ByteInput { try armor.read(into: $0) }
    }

    // MARK: Unlocking

    /// Finds the key with a passphrase.
    ///
    /// - Throws: `age.wrong-passphrase`; `age.needs-identity` where no passphrase opens the file; `age.header-damaged`.
    public func unlock(with passphrase: AgePassphrase) throws {
        guard let scrypt = header.scrypt, let workFactor else {
            let message = "the file is encrypted for \(recipients), which no passphrase replaces; give an identity"
            throw AgeError(.needsIdentity, message)
        }
        guard let key = try ScryptWrap.unwrap(scrypt, with: passphrase, workFactor: workFactor) else {
            throw AgeError(.wrongPassphrase, "the passphrase is wrong")
        }
        try unlock(key)
    }

    /// Finds the key with one of several identities.
    ///
    /// - Throws: `age.no-match` where the file is for others; `age.needs-passphrase` where only a passphrase opens it;
    ///   `age.header` for a hostile recipient; `age.header-damaged`.
    public func unlock(with identities: [AgeIdentity]) throws {
        guard workFactor == nil else {
            throw AgeError(.needsPassphrase, "the file is encrypted with a passphrase, which no identity replaces")
        }
        for stanza in header.stanzas where stanza.kind == X25519Wrap.kind {
            for identity in identities {
                if let key = try X25519Wrap.unwrap(stanza, with: identity) { return try unlock(key) }
            }
        }
        let count = identities.count
        let given = count == 1 ? "the identity is that of none" : "none of the \(count) identities is that of one"
        throw AgeError(.noMatch, "the file is encrypted for \(recipients), and \(given) of them")
    }

    private var recipients: String {
        header.stanzas.count == 1 ? "1 recipient" : "\(header.stanzas.count) recipients"
    }

    /// Takes the key of the file, if the header is the one that was written with it.
    func unlock(_ key: FileKey) throws {
        guard cipher == nil else { throw AgeError(.usage, "the file is unlocked already") }
        guard key.isGenuine(header) else {
            let message = "the header is not the one that was written: its HMAC differs; use another copy"
            throw AgeError(.headerDamaged, message)
        }
        var salt = [UInt8](repeating: 0, count: ChunkCipher.saltLength)
        let count = try salt.withUnsafeMutableBytes { try input.read(into: $0) }
        guard count == salt.count else {
            throw AgeError(.truncated, "found \(count) bytes after the header, expected a nonce of \(salt.count)")
        }
        cipher = ChunkCipher(key, salt: salt)
    }

    // MARK: Reading

    /// Fills a buffer from its start with what comes next; gives 0 only at the end of a file that is whole.
    ///
    /// - Throws: `age.chunk-damaged`, `age.truncated` or `age.trailing-data`, with the number of the chunk; the errors
    ///   of the source; `age.usage` before the file is unlocked. Each later call throws it again.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if let failure { throw failure }
        do {
            while opened.isEmpty, !isAtEnd { opened = try nextChunk() }
        } catch {
            failure = error
            throw error
        }
        let count = min(opened.count, buffer.count)
        opened.copyBytes(to: buffer, count: count)
        opened.removeFirst(count)
        return count
    }

    /// Reads all of the content.
    ///
    /// - Throws: The errors of ``read(into:)``; `age.too-large` where there are more bytes than the limit.
    public func readAll(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let failure { throw failure }
        while !isAtEnd || !opened.isEmpty {
            if opened.isEmpty {
                do {
                    opened = try nextChunk()
                } catch {
                    failure = error
                    throw error
                }
            }
            guard bytes.count + opened.count <= limit else {
                throw AgeError(.tooLarge, "the content has more than \(limit) bytes, which is the limit")
            }
            bytes += opened
            opened = Data()
        }
        return bytes
    }

    private func nextChunk() throws -> Data {
        guard let cipher else { throw AgeError(.usage, "the file is not unlocked yet") }
        let number = Int(cipher.number) + 1
        let count = try input.read(into: sealed)
        let isLast = try input.peek() == nil
        let chunk = UnsafeRawBufferPointer(rebasing: sealed[..<count])
        guard let content = cipher.open(chunk, isLast: isLast) else {
            throw fault(chunk, number, isLast: isLast, cipher)
        }
        guard !content.isEmpty || number == 1 else {
            let message = "chunk \(number): found an empty one, expected the one before to be the last"
            throw AgeError(.chunkDamaged, message, chunk: number)
        }
        self.cipher?.number += 1
        isAtEnd = isLast
        return content
    }

    /// Tells what is wrong with a chunk that cannot be opened.
    private func fault(
        _ chunk: UnsafeRawBufferPointer,
        _ number: Int,
        isLast: Bool,
        _ cipher: ChunkCipher
    ) -> AgeError {
        // A chunk that is genuine, but for its place at the end, tells what became of the file.
        let isMisplaced = cipher.open(chunk, isLast: !isLast) != nil
        switch (isLast, isMisplaced) {
        case (true, true),
            (true, false) where chunk.count < ChunkCipher.overhead:
            let message = "chunk \(number): found the end of the file, expected more; the file was cut off"
            return AgeError(.truncated, message, chunk: number)
        case (false, true):
            let message = "chunk \(number) is the last one, and something follows it"
            return AgeError(.trailingData, message, chunk: number)
        default:
            let message = "chunk \(number) is damaged, or the file was cut off in it; use another copy"
            return AgeError(.chunkDamaged, message, chunk: number)
        }
    }
}
