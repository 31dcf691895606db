internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes a file of [age](https://age-encryption.org/v1), in memory that does not grow with it.
///
/// ```swift
/// let writer = try AgeWriter(.recipients([recipient])) { try file.write($0) }
/// try writer.write(content)
/// try writer.finish()
/// ```
public final class AgeWriter {
    private let key = FileKey()
    private let sink: (UnsafeRawBufferPointer) throws -> Void
    private var armor: ArmorWriter?
    private var cipher: ChunkCipher
    /// The bytes that wait until it is known whether theirs is the last chunk.
    private let waiting = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkCipher.length, alignment: 16)
    private var count = 0
    private var isFinished = false
    private var hash = SHA256()

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - lock: Who can open the file.
    ///   - isArmored: Whether it is written as text.
    ///   - sink: Takes the bytes of the file, piece by piece; a piece is valid during the call only.
    /// - Throws: `age.key` where there is no recipient or one cannot be used; `age.work-factor`; the errors of the sink.
    public init(
        _ lock: AgeLock,
        isArmored: Bool = false,
        sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let salt = randomBytes(ChunkCipher.saltLength)
        self.sink = sink
        armor = isArmored ? ArmorWriter() : nil
        cipher = ChunkCipher(key, salt: salt)
        let text = AgeHeader.authenticated(try Self.stanzas(key, lock))
        let mac = key.mac(of: text)
        let header = text + [UInt8(ascii: " ")] + Base64.encode(mac) + [UInt8(ascii: "\n")] + salt
        try header.withUnsafeBytes { try put($0) }
    }

    deinit {
        wipe(waiting)
        waiting.deallocate()
    }

    private static func stanzas(_ key: FileKey, _ lock: AgeLock) throws -> [AgeHeader.Stanza] {
        switch lock {
        case .passphrase(let passphrase, let workFactor):
            return [try ScryptWrap.wrap(key, with: passphrase, workFactor: workFactor)]
        case .recipients(let recipients):
            guard (1...AgeHeader.mostStanzas).contains(recipients.count) else {
                throw AgeError(.key, "found \(recipients.count) recipients, expected 1 to \(AgeHeader.mostStanzas)")
            }
            return try recipients.map { try X25519Wrap.wrap(key, for: $0) }
        }
    }

    /// Encrypts the next bytes.
    ///
    /// - Throws: `age.usage` after ``finish()``; the errors of the sink.
    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard !isFinished else { throw AgeError(.usage, "the file is finished already") }
        hash.update(bufferPointer: bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            // A full chunk waits until it is known that it is not the last.
            if count == waiting.count { try sealChunk(isLast: false) }
            let piece = rest.prefix(waiting.count - count)
            UnsafeMutableRawBufferPointer(rebasing: waiting[count...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
            count += piece.count
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Ends the file; without this nobody can open it.
    ///
    /// - Throws: `age.usage` the second time; the errors of the sink.
    public func finish() throws {
        guard !isFinished else { throw AgeError(.usage, "the file is finished already") }
        try sealChunk(isLast: true)
        isFinished = true
        guard let text = armor?.finish() else { return }
        try text.withUnsafeBytes { try sink($0) }
    }

    private func sealChunk(isLast: Bool) throws {
        let sealed = try cipher.seal(UnsafeRawBufferPointer(rebasing: waiting[..<count]), isLast: isLast)
        count = 0
        try sealed.withUnsafeBytes { try put($0) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws {
        guard let text = armor?.encode(bytes) else { return try sink(bytes) }
        try text.withUnsafeBytes { try sink($0) }
    }

    /// Reads the finished file back, with the key that is still in memory.
    ///
    /// - Parameter source: Fills a buffer from its start and gives the number of bytes, 0 only at the end.
    /// - Throws: `age.not-as-written` where the content is another; what ``AgeReader`` throws; the errors of the source.
    public func verify(_ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) throws {
        let reader = try AgeReader(maximumWorkFactor: ScryptWrap.greatest, source: source)
        try reader.unlock(key)
        var found = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ChunkCipher.length, alignment: 16)
        defer {
            wipe(buffer)
            buffer.deallocate()
        }
        while true {
            let count = try reader.read(into: buffer)
            guard count > 0 else { break }
            found.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard isFinished, found.finalize() == hash.finalize() else {
            throw AgeError(.notAsWritten, "what is read back is not what was written; nothing of it can be relied on")
        }
    }

    /// Encrypts bytes in memory, and reads them back.
    ///
    /// - Throws: The errors of ``init(_:isArmored:sink:)`` and ``verify(_:)``.
    public static func encrypt(_ bytes: [UInt8], _ lock: AgeLock, isArmored: Bool = false) throws -> [UInt8] {
        let file = ByteCollector()
        let writer = try AgeWriter(lock, isArmored: isArmored) { file.bytes += $0 }
        try bytes.withUnsafeBytes { try writer.write($0) }
        try writer.finish()
        try writer.verify(file.source())
        return file.bytes
    }
}

/// Bytes that come piece by piece.
private final class ByteCollector {
    var bytes: [UInt8] = []

    func source() -> (UnsafeMutableRawBufferPointer) throws -> Int {
        var offset = 0
        return { buffer in
            let count = min(buffer.count, self.bytes.count - offset)
            buffer.copyBytes(from: self.bytes[offset..<offset + count])
            offset += count
            return count
        }
    }
}
