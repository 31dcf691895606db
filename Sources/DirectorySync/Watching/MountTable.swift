/// The file systems by where they are mounted, as `/proc/self/mountinfo` has them.
package struct MountTable {
    private let mounts: [(point: String, type: String)]

    package init(_ text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 1, fields.count > 4 else { return nil }
            return (Self.unescaped(fields[4]), String(fields[dash + 1]))
        }
    }

    /// Returns the type of the file system that an absolute path lies on.
    package func type(of path: String) -> String? {
        var best: (length: Int, type: String)?
        for (point, type) in mounts {
            let prefix = point.hasSuffix("/") ? point : point + "/"
            guard path == point || path.hasPrefix(prefix) else { continue }
            // Of several mounts at one place the last lies on top.
            if prefix.utf8.count >= best?.length ?? 0 { best = (prefix.utf8.count, type) }
        }
        return best?.type
    }

    /// Returns the type of a file system that does not report other machines' changes to this one; nil for any other.
    package func networkType(of path: String) -> String? {
        guard let type = type(of: path) else { return nil }
        let isNetwork = Self.networkTypes.contains(type) || (type.hasPrefix("fuse.") || type == "fuse")
        return isNetwork ? type : nil
    }

    private static let networkTypes: Set<String> = [
        "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "coda", "lustre", "ocfs2", "gfs2", "glusterfs",
        "vboxsf", "virtiofs", "prl_fs", "ncpfs", "beegfs", "davfs",
    ]

    /// Returns a field with its escapes replaced: a space, say, is written as a backslash and three octal digits.
    private static func unescaped(_ field: Substring) -> String {
        guard field.utf8.contains(UInt8(ascii: "\\")) else { return String(field) }
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
