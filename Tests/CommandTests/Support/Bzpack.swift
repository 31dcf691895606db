import Foundation
import StrictJSON
import Subprocess
import TestSupport
import Testing

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// How a program ended and what it wrote.
struct Outcome: Sendable {
    /// The exit code, or 128 and the signal's number.
    let status: Int32
    let output: String
    let errors: String

    /// The standard output as JSON.
    var json: JSONValue {
        get throws { try JSONDocument(parsing: output).root.value }
    }
}

extension Sandbox {
    /// Runs the built bzpack; its default store lies in the sandbox.
    @discardableResult
    func bzpack(_ arguments: String..., input: String? = nil) async throws -> Outcome {
        try await bzpack(arguments, input: input.map { Array($0.utf8) })
    }

    /// Runs the built bzpack with arguments from an array.
    func bzpack(_ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        try await run(Built.path("bzpack"), arguments, input: input)
    }

    /// Runs a program in the sandbox.
    func run(_ program: String, _ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        let configuration = configuration(program, arguments)
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
    func configuration(
        _ program: String,
        _ arguments: [String],
        environment: [Environment.Key: String?] = [:]
    ) -> Configuration {
        Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(arguments),
            environment: .inherit.updating([
                "XDG_DATA_HOME": path("data"), "HOME": path("home"), "TZ": "UTC", "COLUMNS": "100",
            ]).updating(environment),
            workingDirectory: FilePath(folder.path)
        )
    }

    /// Makes a store on the Pro plan with the sample session.
    @discardableResult
    func trainer(_ store: String = "trainer.db") async throws -> String {
        let outcome = try await bzpack("init", "--sample", "--store", path(store))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(store)
    }

    /// Makes an empty store on a plan.
    @discardableResult
    func client(_ store: String = "client.db", pro: Bool = false) async throws -> String {
        let outcome = try await bzpack(["init", "--store", path(store)] + (pro ? ["--pro"] : []))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(store)
    }
}

extension TerminationStatus {
    /// The exit code, or 128 and the signal's number, as a shell has it.
    var code: Int32 {
        switch self {
        case .exited(let code): code
        case .signaled(let signal): 128 + signal
        }
    }
}

/// The programs that were built along with the tests.
enum Built {
    /// The path of a program: beside the tests' own binary or bundle.
    static func path(_ name: String) -> String {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let own = URL(filePath: CommandLine.arguments.first ?? "")
        let folders = (bundles + [own]).map { $0.deletingLastPathComponent() }
        let candidates = folders.map { $0.appending(path: name).path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }
}
