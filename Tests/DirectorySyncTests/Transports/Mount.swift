import Foundation
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file system that a program of its own keeps, mounted while this object lives.
final class Mount {
    private let program: Background
    private let folder: String

    /// Whether this process may mount such file systems: in a container root alone is not enough.
    static let mayUse: Bool = {
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard geteuid() == 0, device >= 0 else { return false }
        close(device)
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let capabilities = line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
        let mayMount: UInt64 = 1 << 21  // CAP_SYS_ADMIN
        return (capabilities ?? 0) & mayMount != 0
    }()

    /// Starts the program, which mounts something over a folder.
    init(_ program: String, _ arguments: [String], at folder: String, log: String) throws {
        self.program = try Background(program, arguments, log: log)
        self.folder = folder
    }

    /// Whether it is mounted by now.
    var isThere: Bool {
        var (own, outer) = (stat(), stat())
        return stat(folder, &own) == 0 && stat(folder + "/..", &outer) == 0 && own.st_dev != outer.st_dev
    }

    /// What the program said.
    var said: String { program.said }

    deinit {
        let unmounting = Process()
        unmounting.executableURL = URL(filePath: "/bin/umount")
        unmounting.arguments = ["-l", folder]
        try? unmounting.run()
        unmounting.waitUntilExit()
        program.stop()
    }
}
