import AppFormats
import AppStores
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

struct InterruptionTests {
    private static let rounds = 40
    private static let batch = 40

    @Test("An import that is killed at any moment leaves the store as it was before or after")
    func kill() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let sandbox = try Sandbox()
        let store = try await sandbox.trainer()
        let empty = try sandbox.bytes("trainer.db")
        try sandbox.write("batch.bztimer", BztimerFile.generated(sessions: Self.batch, blocks: 8).bytes)

        var longest = Duration.seconds(1)
        var endings: [TerminationStatus: Int] = [:]
        var journals = 0
        for _ in 0..<Self.rounds {
            try sandbox.remove("trainer.db-journal")
            try sandbox.write("trainer.db", empty)
            let start = ContinuousClock.now
            let ending = try await importing(
                into: store,
                sandbox,
                after: longest * Double.random(in: 0...1, using: &random)
            )
            if ending == .exited(0) { longest = min(longest, ContinuousClock.now - start) }
            endings[ending, default: 0] += 1
            if sandbox.has("trainer.db-journal") { journals += 1 }

            let sessions = try BztimerStore(path: store, for: .reading).read { try $0.sessions() }
            let added = sessions.filter { $0.name.hasPrefix("Session") }
            #expect(sessions.count == added.count + 1)
            #expect(added.isEmpty || added.count == Self.batch)
            #expect(added.allSatisfy { $0.items.count == 8 })
            if ending == .exited(0) { #expect(added.count == Self.batch) }
        }
        print("imports killed: \(endings), \(journals) of them within the transaction")
        #expect(Set(endings.keys).isSubset(of: [.exited(0), .signaled(9)]))
    }

    /// Runs an import and kills it after a while, unless it has ended by then.
    private func importing(into store: String, _ sandbox: Sandbox, after delay: Duration) async throws
        -> TerminationStatus
    {
        try await Subprocess.run(
            sandbox.configuration(Built.path("bzpack"), ["import", "batch.bztimer", "--store", store]),
            input: .none,
            output: .discarded,
            error: .discarded
        ) { execution in
            try await Task.sleep(for: delay)
            try? execution.send(signal: .kill)
        }.terminationStatus
    }
}
