#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A folder of the command's own, which goes with it.
package final class TemporaryFolder {
    /// The folder for temporary files: `$TMPDIR`, else `/tmp`.
    package static var root: String { FileManager.default.temporaryDirectory.path }

    /// The folder.
    package let path: String

    /// Makes a folder that only this person may read.
    ///
    /// - Throws: 73 where it cannot be made.
    package init() throws(CommandFailure) {
        path = "\(Self.root)/satchel-\(UUID().uuidString)"
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CommandFailure(.cannotCreate, "cannot create a folder in \(Self.root), which TMPDIR names")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
