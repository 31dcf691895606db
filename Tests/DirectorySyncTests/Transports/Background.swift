import Foundation
import Testing
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that runs beside a test, and ends with it.
final class Background {
    private let process = Process()
    private let log: String

    /// Starts a program; what it says goes into a file.
    init(_ program: String, _ arguments: [String], log: String) throws {
        self.log = log
        guard FileManager.default.createFile(atPath: log, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(["STNODEFAULTFOLDER": "1"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: log)
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
    }

    /// Ends it and waits until it has ended.
    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    deinit { stop() }

    /// What it said.
    var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Where a program lies; nil where it is not installed.
    static func find(_ name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"]
        return folders.map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
    }

    /// A port on this computer that nobody listens on.
    static func freePort() throws -> Int {
        #if os(Linux)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
            }
        }
        guard result == 0 else { throw CocoaError(.featureUnsupported) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where these programs are, and says what is missing where they are not.
    static func needs(_ programs: String..., mounts: Bool = false) -> Self {
        let right = mounts && !Mount.mayUse ? ["the right to mount with FUSE"] : []
        let missing = programs.filter { Background.find($0) == nil } + right
        return .enabled(if: missing.isEmpty, "this machine lacks \(missing.joined(separator: ", "))")
    }
}

/// Seconds to wait for what other programs do; so many only where it never comes, however busy the machine is.
let longest = 600.0

/// Waits until something holds; gives false where it does not in time.
func wait(seconds: Double, until holds: () async throws -> Bool) async throws -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        if try await holds() { return true }
        try await Task.sleep(for: .milliseconds(200))
    }
    return try await holds()
}

/// Synchronises devices until they have the same rows and know the same; gives false where they do not in time.
func inStep(_ peers: Peer..., seconds: Double) async throws -> Bool {
    try await wait(seconds: seconds) {
        for peer in peers { _ = try await peer.foldersync("sync") }
        guard let first = peers.first else { return true }
        let (rows, state) = (try first.rows(), try first.state())
        return try peers.allSatisfy { try $0.rows() == rows && $0.state() == state }
    }
}
