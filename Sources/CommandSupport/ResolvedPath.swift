internal import FileSystem

/// Where a path leads once links are followed; what is not there yet lies in the folder that is.
public struct ResolvedPath: Sendable {
    /// The path from the root on, or as it was given where its folder is not there.
    public let text: String
    private let identity: FileIdentity?

    /// Follows a path.
    public init(_ path: String) {
        identity = (try? FileStatus(path))?.identity
        if let real = Files.resolve(path) {
            text = real
        } else {
            let cut = path.lastIndex(of: "/")
            let folder = cut.map { path[...$0] } ?? "."
            let name = cut.map { path[path.index(after: $0)...] } ?? path[...]
            text = Files.resolve(String(folder)).map { $0 == "/" ? "/\(name)" : "\($0)/\(name)" } ?? path
        }
    }

    /// Whether both are the same file or folder, by whatever name, or would be.
    public func isSame(as other: ResolvedPath) -> Bool {
        text == other.text || (identity != nil && identity == other.identity)
    }

    /// Whether this is a folder or lies somewhere in it.
    public func isWithin(_ folder: ResolvedPath) -> Bool {
        isSame(as: folder) || text.hasPrefix(folder.text + "/")
    }
}
