import Foundation
import TestSupport

/// A file system in memory of a few megabytes, mounted over a folder while this object lives.
final class SmallDisk {
    private let folder: String

    /// Whether this user may mount.
    static let isAvailable = Task {
        guard let sandbox = try? Sandbox() else { return false }
        return (try? await SmallDisk(over: sandbox.folder.path, kilobytes: 64)) != nil
    }

    struct Refused: Error {
        let reason: String
    }

    init(over folder: String, kilobytes: Int) async throws {
        self.folder = folder
        let sandbox = try Sandbox()
        let outcome = try await sandbox.run(
            "/bin/mount",
            ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "satchel-test", folder]
        )
        guard outcome.status == 0 else { throw Refused(reason: outcome.errors) }
    }

    deinit {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/umount")
        process.arguments = ["-l", folder]
        try? process.run()
        process.waitUntilExit()
    }

    /// How many bytes are free.
    var free: Int {
        get throws {
            let found = try FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize]
            return (found as? NSNumber)?.intValue ?? 0
        }
    }

    /// Takes all but so many bytes.
    func fill(leaving bytes: Int) throws {
        try Data(count: max(0, free - bytes)).write(to: URL(filePath: folder + "/filler"))
    }

    /// Gives back what was taken.
    func empty() throws { try FileManager.default.removeItem(atPath: folder + "/filler") }
}
