import Foundation
import TestSupport

/// Runs bzpack as a user for whom permissions count; root may write everywhere.
enum NobodyUser {
    private static let setpriv = "/usr/bin/setpriv"

    private static var isRoot: Bool { FileManager.default.isWritableFile(atPath: "/") }

    /// Whether there is such a user: the tests' own, or one to whom root can change and who can run the program.
    static func isAvailable() async -> Bool {
        guard let sandbox = try? Sandbox() else { return false }
        return (try? await bzpack(["--version"], in: sandbox))?.status == 0
    }

    static func bzpack(_ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        try await run(Built.path("bzpack"), arguments, in: sandbox)
    }

    static func run(_ program: String, _ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        guard isRoot else { return try await sandbox.run(program, arguments) }
        let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]
        return try await sandbox.run(setpriv, nobody + [program] + arguments)
    }
}
