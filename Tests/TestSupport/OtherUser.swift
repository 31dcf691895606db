internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Runs code with the permissions of a user for whom permissions count; root may write everywhere.
///
/// Only the thread changes its user, and only for files, so that what is run must not leave it.
public enum OtherUser {
    private typealias SetUser = @convention(c) (UInt32) -> Int32

    private static let setUser: SetUser? = {
        #if os(Linux)
            dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }
        #else
            nil
        #endif
    }()

    /// Why tests are skipped where it cannot be done.
    public static let missing =
        "root cannot become another user on this machine, or another user cannot enter the folder of temporary files"

    /// Whether it can be done: by one who is not root anyway, or by root where a thread can change its user.
    public static let isAvailable: Bool = {
        guard geteuid() == 0 else { return true }
        let temporary = FileManager.default.temporaryDirectory.path
        return (try? run { !canWrite("/") && canEnter(temporary) }) ?? false
    }()

    private static func canEnter(_ folder: String) -> Bool {
        var information = stat()
        return stat(folder + "/.", &information) == 0
    }

    private static func canWrite(_ folder: String) -> Bool {
        let path = folder + "satchel-\(UUID().uuidString)"
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        unlink(path)
        return true
    }

    /// Runs code as the other user.
    public static func run<Result>(_ body: () throws -> Result) throws -> Result {
        guard geteuid() == 0, let setUser else { return try body() }
        _ = setUser(65534)
        defer { _ = setUser(0) }
        return try body()
    }

    /// Whether the other user can run a program: not where root has no setpriv, or the program lies in a closed folder.
    public static func canRun(_ program: String) async -> Bool {
        guard isAvailable, let sandbox = try? Sandbox() else { return false }
        return (try? await run(program, ["--version"], in: sandbox))?.status == 0
    }

    /// Runs a program as the other user.
    public static func run(_ program: String, _ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        guard geteuid() == 0 else { return try await sandbox.run(program, arguments) }
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try await sandbox.run("/usr/bin/setpriv", nobody + [program] + arguments)
    }
}
