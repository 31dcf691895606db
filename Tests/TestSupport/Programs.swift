internal import Foundation
public import StrictJSON
public import Subprocess
internal import Synchronization

#if canImport(System)
    internal import System
#else
    internal import SystemPackage
#endif

/// How a program ended and what it wrote.
public struct Outcome: Sendable {
    /// The exit code, or 128 and the signal's number.
    public let status: Int32
    /// The standard output.
    public let output: String
    /// The standard error stream.
    public let errors: String

    /// The standard output as JSON.
    public var json: JSONValue {
        get throws { try JSONDocument(parsing: output).root.value }
    }
}

extension Sandbox {
    /// Runs a program in the sandbox.
    public func run(
        _ program: String,
        _ arguments: [String],
        input: [UInt8]? = nil,
        environment: [Environment.Key: String?] = [:]
    ) async throws -> Outcome {
        let configuration = configuration(program, arguments, environment: environment)
        let limit = 1 << 26
        if let input {
            let result = try await Subprocess.run(
                configuration,
                input: .array(input),
                output: .string(limit: limit),
                error: .string(limit: limit)
            )
            return Outcome(
                status: result.terminationStatus.code,
                output: result.standardOutput,
                errors: result.standardError
            )
        }
        let result = try await Subprocess.run(
            configuration,
            input: .none,
            output: .string(limit: limit),
            error: .string(limit: limit)
        )
        return Outcome(
            status: result.terminationStatus.code,
            output: result.standardOutput,
            errors: result.standardError
        )
    }

    /// How a program is run in the sandbox.
    public func configuration(
        _ program: String,
        _ arguments: [String],
        environment: [Environment.Key: String?] = [:]
    ) -> Configuration {
        Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(arguments),
            environment: .inherit.updating([
                "XDG_DATA_HOME": path("data"), "HOME": path("home"), "TZ": "UTC", "COLUMNS": "100", "TERM": "dumb",
                "NO_COLOR": nil, "CLICOLOR_FORCE": nil, "FORCE_COLOR": nil, "PAGER": nil, "SATCHEL_PAGER": nil,
            ]).updating(environment),
            workingDirectory: FilePath(folder.path)
        )
    }
}

extension TerminationStatus {
    /// The exit code, or 128 and the signal's number, as a shell has it.
    public var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}

/// The programs that were built along with the tests.
public enum Built {
    private static let linking = Mutex(())

    /// The path of a program: in the folder that `SATCHEL_PROGRAMS` names, or beside the tests' own binary or bundle.
    public static func path(_ name: String) -> String {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let own = URL(filePath: CommandLine.arguments.first ?? "")
        let given = ProcessInfo.processInfo.environment["SATCHEL_PROGRAMS"].map { URL(filePath: $0) }
        let folders = (given.map { [$0] } ?? []) + (bundles + [own]).map { $0.deletingLastPathComponent() }
        let candidates = folders.map { $0.appending(path: "satchel") }
        guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            return name
        }
        let path = program.deletingLastPathComponent().appending(path: name).path
        guard name != "satchel", (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil else {
            return path
        }
        // The other names are links; a program of that name is from an older build.
        linking.withLock { _ in
            try? FileManager.default.removeItem(atPath: path)
            try? FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "satchel")
        }
        return path
    }
}
