import Foundation
import TestSupport

/// Runs bzpack as a user for whom permissions count; root may write everywhere.
enum NobodyUser {
    /// Whether there is such a user: the tests' own, or one to whom root can change and who can run the program.
    static func isAvailable() async -> Bool {
        guard let sandbox = try? Sandbox() else { return false }
        return (try? await bzpack(["--version"], in: sandbox))?.status == 0
    }

    static func bzpack(_ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        try await run(Built.path("bzpack"), arguments, in: sandbox)
    }

    static func run(_ program: String, _ arguments: [String], in sandbox: Sandbox) async throws -> Outcome {
        try await OtherUser.run(program, arguments, in: sandbox)
    }
}
