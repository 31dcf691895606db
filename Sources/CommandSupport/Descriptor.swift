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
    /// - Parameters:
    ///   - expected: The size to set aside at first, which takes no memory before it is used.
    ///   - look: Looks at each piece; false ends the reading.
    static func readAll(
        from descriptor: Int32,
        expected: Int,
        limit: Int,
        _ look: (UnsafeRawBufferPointer) -> Bool = { _ in true }
    ) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        if expected > piece { bytes.reserveCapacity(min(expected, limit) + 1) }
        var chunk = max(1, min(expected, limit, piece)) + 1
        while true {
            let start = bytes.count
            var count = 0
            do {
                let more = try [UInt8](unsafeUninitializedCapacity: chunk) { space, used in
                    count = try FileDescriptor(rawValue: descriptor).read(into: UnsafeMutableRawBufferPointer(space))
                    used = count
                }
                if count == 0 { return bytes }
                guard more.withUnsafeBytes(look) else { return bytes }
                if start == 0, expected <= piece { bytes = more } else { bytes += more }
            } catch {
                throw error as? Errno ?? .ioError
            }
            if bytes.count > limit { return bytes }
            chunk = expected > piece ? piece : max(1 << 16, min(chunk - count, limit))
        }
    }

    /// The bytes that are read at once.
    private static let piece = 1 << 18
}
