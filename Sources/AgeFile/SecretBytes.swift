#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Bytes that are overwritten when nobody needs them any more.
package final class SecretBytes: Sendable {
    nonisolated(unsafe) private let buffer: UnsafeMutableRawBufferPointer

    /// Copies bytes.
    package init(_ bytes: some Collection<UInt8>) {
        buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        buffer.copyBytes(from: bytes)
        count = bytes.count
    }

    deinit {
        wipe(buffer)
        buffer.deallocate()
    }

    /// The number of bytes.
    package let count: Int

    /// The bytes; good while this object lives.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
}

/// Overwrites bytes, which no compiler leaves out.
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
    guard let start = buffer.baseAddress else { return }
    #if canImport(Darwin)
        memset_s(start, buffer.count, 0, buffer.count)
    #else
        explicit_bzero(start, buffer.count)
    #endif
}

/// Overwrites bytes, which no compiler leaves out.
package func wipe(_ bytes: inout [UInt8]) { bytes.withUnsafeMutableBytes { wipe($0) } }
