/// A source of the bytes of an archive, or of a file to put into one.
public struct ArchiveSource: Sendable {
    enum Storage: Sendable {
        case bytes([UInt8])
        case path(String)
        case descriptor(Int32)
    }

    let storage: Storage
    /// The name for messages.
    public let name: String?

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8], name: String? = nil) -> ArchiveSource {
        ArchiveSource(storage: .bytes(bytes), name: name)
    }

    /// Returns the source of an ordinary file, which is opened each time that it is read.
    public static func file(_ path: String) -> ArchiveSource { ArchiveSource(storage: .path(path), name: path) }

    /// Returns the source of an open, ordinary file, which is read by position and stays open.
    ///
    /// The caller closes it after the last use.
    public static func descriptor(_ descriptor: Int32, name: String? = nil) -> ArchiveSource {
        ArchiveSource(storage: .descriptor(descriptor), name: name)
    }
}
