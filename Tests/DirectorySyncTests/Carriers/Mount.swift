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

    /// Whether this user may mount such file systems.
    static var mayUse: Bool { geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0 }

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
