internal import SystemPackage

/// The attributes of a file: its kind, size, permissions, times and identity.
package struct FileStatus: Sendable, Hashable {
    /// The type of a file.
    package enum Kind: Sendable {
        case file, folder, link, device, terminalOrStream, other
    }

    package let kind: Kind
    package let size: Int
    /// The blocks on the disk; cloud drives show none for what they did not fetch.
    package let blocks: Int
    /// The permissions, as `chmod` has them.
    package let permissions: UInt16
    /// The number of hard links.
    package let names: Int
    /// The device and inode numbers, which identify the file.
    package let identity: FileIdentity
    /// The time of the last change of the content, in nanoseconds since 1970.
    package let modified: Int
    /// The time of the last change of the content or the attributes, in nanoseconds since 1970.
    package let changed: Int

    /// Makes the status of whatever is at a path; nil if nothing is there.
    ///
    /// - Parameter followsLinks: True for the target of a symbolic link, false for the link itself.
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

/// The device and inode numbers of a file, which no other file of the machine has.
package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
}
