@testable import ArchiveIO

/// What a compressed file expands to, a tar taken for any other content.
struct ContentStreamForTests {
    private let stream: ContentStream

    init(_ bytes: [UInt8]) throws {
        stream = try ContentStream(
            ByteSource(.bytes(bytes)),
            Magic.compression(bytes.prefix(Magic.length)),
            limits: ArchiveLimits()
        )
    }

    func bytes() throws -> [UInt8] {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { block.deallocate() }
        var bytes: [UInt8] = []
        while case let count = try stream.fill(block), count > 0 { bytes += block[..<count] }
        return bytes
    }
}
