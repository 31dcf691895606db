internal import CommandSupport
internal import Foundation

/// A folder of the command's own, which goes with it.
final class TemporaryFolder {
    /// The folder for temporary files: `$TMPDIR`, else `/tmp`.
    static var root: String { FileManager.default.temporaryDirectory.path }

    /// The folder.
    let path: String

    /// - Throws: 73 where it cannot be made.
    init() throws(CommandFailure) {
        path = "\(Self.root)/slate-backup-\(UUID().uuidString)"
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
