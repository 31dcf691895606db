internal import SystemPackage

/// What the system says of something at a path.
package struct FileStatus: Sendable, Hashable {
    /// What it is.
    package enum Kind: Sendable {
        case file, folder, link, device, terminalOrStream, other
    }

    package let kind: Kind
    package let size: Int
    /// The blocks on the disk; cloud drives show none for what they did not fetch.
    package let blocks: Int
    /// The permissions, as `chmod` has them.
    package let permissions: UInt16
    /// How many names it has.
    package let names: Int
    /// What tells it from all other files of the machine.
    package let identity: FileIdentity
    /// When the content was written last, in nanoseconds since 1970.
    package let modified: Int
    /// When the content or anything else of it was changed last, in nanoseconds since 1970.
    package let changed: Int

    /// What is at a path; nil where there is nothing.
    ///
    /// - Parameter followsLinks: Whether it is about what a link leads to, or about the link.
    package init?(_ path: String, followsLinks: Bool = true) throws(FileError) {
        do throws(Errno) {
            self.init(try Stat(FilePath(path), followTargetSymlink: followsLinks))
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw FileError(.look, path, error) }
            return nil
        }
    }

    init(_ stat: Stat) {
        kind =
            switch stat.type {
            case .regular: .file
            case .directory: .folder
            case .symbolicLink: .link
            case .blockSpecial: .device
            case .characterSpecial: .terminalOrStream
            default: .other
            }
        size = Int(stat.size)
        blocks = Int(stat.blocksAllocated)
        permissions = UInt16(truncatingIfNeeded: stat.permissions.rawValue)
        names = stat.linkCount
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: stat.deviceID.rawValue),
            inode: UInt64(truncatingIfNeeded: stat.inode.rawValue)
        )
        modified = Platform.nanoseconds(stat.st_mtim)
        changed = Platform.nanoseconds(stat.st_ctim)
    }
}

/// What a file has that no other file of the machine has.
package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
}
