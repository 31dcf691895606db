package import Crypto

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The payload's chunks: each is sealed by itself, with its number and whether it is the last.
package struct ChunkCipher {
    /// The bytes of a chunk before it is sealed; the last may have fewer.
    package static let length = 1 << 16
    /// The bytes that sealing adds.
    package static let overhead = 16
    /// The length of the nonce before the first chunk.
    static let saltLength = 16

    private let key: SymmetricKey
    /// The number of the next chunk, from 0 on.
    package var number: UInt64 = 0

    init(_ file: FileKey, salt: [UInt8]) { key = file.payloadKey(nonce: salt) }

    /// Takes the key of one file, which is used for nothing else.
    package init(key: SymmetricKey) { self.key = key }

    /// Seals the next chunk.
    package mutating func seal(_ chunk: UnsafeRawBufferPointer, isLast: Bool) throws -> Data {
        let box = try ChaChaPoly.seal(chunk, using: key, nonce: try ChaChaPoly.Nonce(data: nonce(isLast)))
        number += 1
        return box.combined.dropFirst(12)
    }

    /// Opens the current chunk; nil where it is not this one.
    package func open(_ sealed: UnsafeRawBufferPointer, isLast: Bool) -> Data? {
        let split = sealed.count - Self.overhead
        guard split >= 0, let nonce = try? ChaChaPoly.Nonce(data: nonce(isLast)),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce,
                ciphertext: UnsafeRawBufferPointer(rebasing: sealed[..<split]),
                tag: UnsafeRawBufferPointer(rebasing: sealed[split...])
            )
        else { return nil }
        return try? ChaChaPoly.open(box, using: key)
    }

    /// Returns the nonce: eleven bytes of the chunk's number, and one that says whether it is the last chunk.
    private func nonce(_ isLast: Bool) -> [UInt8] {
        [0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) } + [isLast ? 1 : 0]
    }
}
