#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Where a path leads once links are followed; what is not there yet lies in the folder that is.
public struct ResolvedPath: Sendable {
    /// The path from the root on, or as it was given where its folder is not there.
    public let text: String
    private let device: UInt64
    private let inode: UInt64

    /// Follows a path.
    public init(_ path: String) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        device = isThere ? UInt64(truncatingIfNeeded: status.st_dev) : 0
        inode = isThere ? UInt64(truncatingIfNeeded: status.st_ino) : 0
        if let real = Self.real(path) {
            text = real
        } else {
            let cut = path.lastIndex(of: "/")
            let folder = cut.map { path[...$0] } ?? "."
            let name = cut.map { path[path.index(after: $0)...] } ?? path[...]
            text = Self.real(String(folder)).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" } ?? path
        }
    }

    /// Whether both are the same file or folder, by whatever name, or would be.
    public func isSame(as other: ResolvedPath) -> Bool {
        text == other.text || (inode != 0 && inode == other.inode && device == other.device)
    }

    /// Whether this is a folder or lies somewhere in it.
    public func isWithin(_ folder: ResolvedPath) -> Bool {
        isSame(as: folder) || text.hasPrefix(folder.text + "/")
    }

    private static func real(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
