internal import FileSystem
internal import SystemPackage

/// Calls on descriptors that are no files with a path, such as the standard streams.
enum Descriptor {
    /// Writes all bytes; gives the reason where that fails.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Errno? {
        do {
            try bytes.withUnsafeBytes { _ = try FileDescriptor(rawValue: descriptor).writeAll($0) }
            return nil
        } catch {
            return error as? Errno ?? .ioError
        }
    }

    /// Reads until the end, or until there is more than `limit`.
    ///
    /// - Parameter expected: The size to set aside at first.
    static func readAll(from descriptor: Int32, expected: Int, limit: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = max(1, min(expected, limit)) + 1
        while true {
            let start = bytes.count
            var count = 0
            do {
                let more = try [UInt8](unsafeUninitializedCapacity: chunk) { space, used in
                    count = try FileDescriptor(rawValue: descriptor).read(into: UnsafeMutableRawBufferPointer(space))
                    used = count
                }
                if count == 0 { return bytes }
                if start == 0 { bytes = more } else { bytes += more }
            } catch {
                throw error as? Errno ?? .ioError
            }
            if bytes.count > limit { return bytes }
            chunk = max(1 << 16, min(chunk - count, limit))
        }
    }
}
