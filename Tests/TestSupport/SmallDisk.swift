internal import Foundation

/// A file system in memory of a few megabytes, mounted over a folder while this object lives.
public final class SmallDisk {
    private let folder: String

    /// Whether this user may mount.
    public static let isAvailable = Task {
        guard let sandbox = try? Sandbox() else { return false }
        return (try? await SmallDisk(over: sandbox.folder.path, kilobytes: 64)) != nil
    }

    /// Why it could not be mounted.
    public struct Refused: Error {
        let reason: String
    }

    /// Mounts one over a folder.
    public init(over folder: String, kilobytes: Int) async throws {
        self.folder = folder
        let reason = try Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "satchel-test", folder])
        if let reason { throw Refused(reason: reason) }
    }

    /// Runs a program; gives what it said where it failed.
    private static func run(_ program: String, _ arguments: [String]) throws -> String? {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = errors
        try process.run()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : String(decoding: said, as: UTF8.self)
    }

    deinit { _ = try? Self.run("/bin/umount", ["-l", folder]) }

    /// How many bytes are free.
    public var free: Int {
        get throws {
            let found = try FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize]
            return (found as? NSNumber)?.intValue ?? 0
        }
    }

    /// Takes all but so many bytes.
    public func fill(leaving bytes: Int) throws {
        try Data(count: max(0, free - bytes)).write(to: URL(filePath: folder + "/filler"))
    }

    /// Gives back what was taken.
    ///
    /// A program that another test started meanwhile may hold the file open: cut first, it takes no room even so.
    public func empty() throws {
        _ = truncate(folder + "/filler", 0)
        try FileManager.default.removeItem(atPath: folder + "/filler")
    }
}
