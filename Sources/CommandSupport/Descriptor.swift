#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The reason for which a system call failed.
struct SystemError: Error, Equatable {
    let code: Int32

    /// The reason that the last call in this thread left.
    static var last: SystemError { SystemError(code: errno) }

    /// The system's words for it, beginning in lower case as they follow a colon.
    var reason: String {
        let text = String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

/// Calls on file descriptors that go on after interruptions and short transfers.
enum Descriptor {
    /// Writes all bytes; gives the reason where that fails.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> SystemError? {
        bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
    }

    /// Writes all bytes; gives the reason where that fails.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> SystemError? {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let count = write(descriptor, start + done, bytes.count - done)
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                return .last
            }
        }
        return nil
    }

    /// Reads until the end, or until there is more than `limit`.
    ///
    /// - Parameter expected: The size to set aside at first.
    static func readAll(from descriptor: Int32, expected: Int, limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = max(1, min(expected, limit)) + 1
        while true {
            let start = bytes.count
            var count = 0
            let more = [UInt8](unsafeUninitializedCapacity: chunk) { space, used in
                repeat { count = read(descriptor, space.baseAddress, chunk) } while count < 0 && errno == EINTR
                used = max(0, count)
            }
            if count < 0 { throw .last }
            if count == 0 { return bytes }
            if start == 0 { bytes = more } else { bytes += more }
            if bytes.count > limit { return bytes }
            chunk = max(1 << 16, min(chunk - count, limit))
        }
    }
}
