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
}
