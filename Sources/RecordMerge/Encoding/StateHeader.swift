internal import Crypto
internal import StrictJSON

/// The first line of a state: the changes it has seen, and the number of its records.
public struct StateHeader: Sendable, Hashable {
    /// The changes that the state has seen.
    public let seen: VersionVector
    /// The number of lines that follow, one for each record, ordered by key.
    public let recordCount: Int

    /// Makes a header.
    public init(seen: VersionVector, recordCount: Int) {
        self.seen = seen
        self.recordCount = recordCount
    }

    /// Returns the line, without line feed.
    public func encodedLine() -> [UInt8] { LineWriter.line { $0.stateHeader(seen, recordCount: recordCount) } }
}

/// Computes the digest of a state whose lines lie in a database.
///
/// ```swift
/// var digest = StateDigest(header)
/// for line in database.lines { digest.update(line) }   // ordered by key
/// print(digest.finalize())
/// ```
public struct StateDigest {
    private var hash = SHA256()

    /// Begins the digest of a state with that header.
    public init(_ header: StateHeader) { header.encodedLine().withUnsafeBytes { update($0) } }

    /// Adds the next line, without line feed.
    public mutating func update(_ line: UnsafeRawBufferPointer) {
        hash.update(bufferPointer: line)
        withUnsafeBytes(of: UInt8(ascii: "\n")) { hash.update(bufferPointer: $0) }
    }

    /// Returns the SHA-256 of all lines, in lowercase hexadecimal.
    public func finalize() -> String { hash.finalize().hexadecimal }
}

extension SHA256Digest {
    /// The digits, in lowercase.
    var hexadecimal: String { Hex.text(self) }
}
