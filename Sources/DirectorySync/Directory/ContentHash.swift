internal import Crypto
internal import StrictJSON

/// The hash in the name of a file: the first 32 hexadecimal digits of the SHA-256 of its bytes.
struct ContentHash {
    /// The number of digits in the name of a file.
    static let length = 32
    /// The number of digits by which headers of early versions named a change of another writer.
    static let shortLength = 8

    private var state = SHA256()

    mutating func update(_ bytes: UnsafeRawBufferPointer) { state.update(bufferPointer: bytes) }

    func value() -> String { Hex.text(state.finalize().prefix(Self.length / 2)) }

    /// Returns the hash of bytes.
    static func of(_ bytes: [UInt8]) -> String {
        var hash = ContentHash()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.value()
    }
}
