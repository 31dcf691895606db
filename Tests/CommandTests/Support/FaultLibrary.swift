import Foundation
import Subprocess
import TestSupport

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// A fault at the n-th call of a program that changes a file; see Tests/Faults/faults.c.
struct Fault: Sendable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// The program is killed before the call.
        case kill
        /// It is killed in the midst of the call.
        case torn
        /// From the call on, there is no space left.
        case full
        /// The call fails.
        case io
        /// The call is not done, and says that it is.
        case lost
    }

    let kind: Kind
    let number: Int

    var description: String { "\(kind):\(number)" }
}

/// A call of a program that changes a file.
struct FileCall: Hashable, Sendable {
    let name: String
    /// The path, without what differs from run to run.
    let path: String

    fileprivate init(_ line: Substring) {
        let parts = line.split(separator: "\t", maxSplits: 1)
        name = String(parts.first ?? "")
        let path = parts.dropFirst().first ?? ""
        self.path = path.split(separator: "/").last.map(String.init) ?? ""
    }
}

/// The library that makes faults: compiled when it is first asked for, and loaded into a program before its own.
enum FaultLibrary {
    private static let source = SharedFolder.project.appending(path: "Tests/Faults/faults.c").path
    private static let library = Built.path("slate-backup") + "-faults.so"

    /// Whether there is a C compiler, and a program that loads such libraries.
    static let isAvailable = Task {
        guard let sandbox = try? Sandbox(), FileManager.default.fileExists(atPath: source) else { return false }
        let options = ["-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"]
        guard let built = try? await sandbox.run("/usr/bin/cc", options), built.status == 0 else { return false }
        guard let (_, calls) = try? await run(["init", "--db", "slate.db"], in: sandbox) else { return false }
        return calls.contains { $0.path == "slate.db" }
    }

    /// Runs slate-backup with a fault, or without one; gives the calls up to the fault as well.
    static func run(_ arguments: [String], in sandbox: Sandbox, _ fault: Fault? = nil) async throws
        -> (Outcome, [FileCall])
    {
        let log = try Sandbox()
        let result = try await Subprocess.run(
            sandbox.configuration(
                Built.path("slate-backup"),
                arguments,
                environment: [
                    "LD_PRELOAD": library, "SATCHEL_FAULT": fault?.description,
                    "SATCHEL_FAULT_LOG": log.path("log"),
                ]
            ),
            input: .none,
            output: .string(limit: 1 << 24),
            error: .string(limit: 1 << 24)
        )
        let outcome = Outcome(
            status: result.terminationStatus.code,
            output: result.standardOutput,
            errors: result.standardError
        )
        let lines = log.has("log") ? String(decoding: try log.bytes("log"), as: UTF8.self) : ""
        return (outcome, lines.split(separator: "\n").map(FileCall.init))
    }
}
