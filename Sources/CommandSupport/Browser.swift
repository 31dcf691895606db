#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The program that the system has for pages.
enum Browser {
    #if os(macOS)
        private static let program = "open"
    #else
        private static let program = "xdg-open"
    #endif

    /// Opens a file, and waits until that program has taken it.
    ///
    /// - Returns: Whether it took it.
    static func open(file path: String) -> Bool {
        // A name that begins with a dash is no option.
        guard let process = spawn(path.hasPrefix("/") ? path : "./\(path)") else { return false }
        var status: Int32 = 0
        return waitpid(process, &status, 0) == process && status == 0
    }

    /// Opens an address; that program may stay as long as the browser does, so nobody waits for it.
    ///
    /// - Returns: Whether it could be started.
    static func start(_ address: String) -> Bool { spawn(address) != nil }

    private static func spawn(_ argument: String) -> pid_t? {
        let variables = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(program), strdup(argument), nil]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process = pid_t()
        guard posix_spawnp(&process, program, nil, nil, &arguments, &environment) == 0 else { return nil }
        return process
    }
}
