internal import FileSystem

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

/// A program of the system that a command runs.
package enum OtherProgram {
    /// The result of a program.
    package struct Outcome: Sendable {
        /// Its exit code; 127 where there is no such program.
        package let status: Int32
        /// Its standard output.
        package let output: String
        /// Its standard error stream.
        package let errors: String
    }

    /// Runs a program that the search path has, and waits for its end.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - input: What it reads from its standard input.
    package static func run(_ command: [String], input: String = "") -> Outcome {
        let (status, output, errors) = run(command, bytes: Array(input.utf8))
        return Outcome(status: status, output: String(decoding: output, as: UTF8.self), errors: errors)
    }

    /// Runs a program as ``run(_:input:)`` does; what it reads and writes is in no text, so that it can be wiped.
    package static func run(
        _ command: [String],
        bytes input: [UInt8]
    ) -> (status: Int32, output: [UInt8], errors: String) {
        var (stdin, stdout, stderr): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
        defer { for end in stdin + stdout + stderr where end >= 0 { close(end) } }
        guard pipe(&stdin) == 0, pipe(&stdout) == 0, pipe(&stderr) == 0 else {
            return (127, [], String(cString: strerror(errno)))
        }
        let process: ChildProcess
        do throws(ChildProcess.Failure) {
            process = try ChildProcess(
                "/usr/bin/env",
                command,
                descriptors: [stdin[0], stdout[1], stderr[1]],
                closing: [stdin[1], stdout[0], stderr[0]]
            )
        } catch {
            return (127, [], "\(error)")
        }
        func finish(_ end: inout Int32) {
            close(end)
            end = -1
        }
        finish(&stdin[0])
        finish(&stdout[1])
        finish(&stderr[1])
        // These programs read and write less than a pipe holds.
        write(input, to: stdin[1])
        finish(&stdin[1])
        let (output, errors) = (bytes(from: stdout[0]), bytes(from: stderr[0]))
        return (process.wait(), output, String(decoding: errors, as: UTF8.self))
    }

    /// Writes to a program, which may have ended: that is no reason to end as well.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        let before = signal(SIGPIPE, SIG_IGN)
        defer { signal(SIGPIPE, before) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Reads all that a program writes.
    private static func bytes(from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 12)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    /// Returns the whole path of a program of the search path; nil where it has none.
    package static func find(
        _ name: String,
        _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The program that runs now, by the whole path of the name by which it was started.
    package static var own: String {
        let name = CommandLine.arguments.first ?? "satchel"
        guard name.contains("/") else { return find(name) ?? name }
        if name.hasPrefix("/") { return name }
        let folder = ResolvedPath(Files.folder(of: name)).text
        return "\(folder == "/" ? "" : folder)/\(name.split(separator: "/").last ?? "")"
    }

    /// The folder of this user's settings: `$XDG_CONFIG_HOME`, else `~/.config`; nil where nothing tells.
    package static var settings: String? {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") { return path }
        return home.map { "\($0)/.config" }
    }

    /// The home folder; nil where nothing tells.
    package static var home: String? {
        guard let home = ProcessInfo.processInfo.environment["HOME"], home.hasPrefix("/") else { return nil }
        return home
    }
}

/// Calls the system's `write`; within ``OtherProgram`` that name means another function.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
