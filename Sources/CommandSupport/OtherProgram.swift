internal import FileSystem
internal import Foundation

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
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        do {
            try process.run()
        } catch {
            return Outcome(status: 127, output: "", errors: "\(error)")
        }
        // What these programs read and write is less than a pipe holds.
        try? stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? stdin.fileHandleForWriting.close()
        let output = (try? stdout.fileHandleForReading.readToEnd()) ?? Data()
        let errors = (try? stderr.fileHandleForReading.readToEnd()) ?? Data()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus,
            output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self)
        )
    }

    /// The whole path of a program of the search path; nil where it has none.
    package static func find(_ name: String) -> String? {
        for folder in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        return nil
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
