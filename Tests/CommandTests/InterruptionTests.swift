import BZTimer
import Foundation
import RecordStore
import StrictJSON
import Subprocess
import Testing
import TestSupport

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

    @Test("A first import that is killed at any moment leaves no store, an empty one or a whole one")
    func killFirst() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let sandbox = try Sandbox()
        let store = sandbox.path("first.db")
        try sandbox.write("batch.bztimer", BztimerFile.generated(sessions: 3).bytes)
        var longest = Duration.milliseconds(200)
        for _ in 0..<60 {
            for name in ["first.db", "first.db-journal"] where sandbox.has(name) { try sandbox.remove(name) }
            let start = ContinuousClock.now
            let delay = longest * Double.random(in: 0...1, using: &random)
            let ending = try await importing(into: store, sandbox, after: delay)
            if ending == .exited(0) { longest = min(longest, ContinuousClock.now - start) }
            let list = try await sandbox.bzpack("list", "--store", store)
            #expect([0, 66].contains(list.status), "\(list.errors)")
            let again = try await sandbox.bzpack("import", "batch.bztimer", "--store", store)
            #expect(again.status == 0, "\(again.errors)")
            #expect(
                try await sandbox.bzpack("list", "--store", store, "--format", "json").json["sessions"]?.array?.count
                    == 3
            )
        }
    }

    @Test("Four first imports at once all succeed, and readers beside them see no store or a whole one")
    func first() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("batch.bztimer", BztimerFile.generated(sessions: 1).bytes)
        for round in 0..<10 {
            let store = sandbox.path("first-\(round).db")
            let endings = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await sandbox.bzpack("import", "batch.bztimer", "--allow-duplicates", "--store", store)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(endings.map(\.status) == [0, 0, 0, 0], "\(endings.map(\.errors))")
            let list = try await sandbox.bzpack("list", "--store", store, "--format", "json")
            #expect(try list.json["sessions"]?.array?.count == 4)
            let readers = try await withThrowingTaskGroup(of: Int32.self) { group in
                let other = sandbox.path("read-\(round).db")
                group.addTask { try await sandbox.bzpack("import", "batch.bztimer", "--store", other).status }
                for _ in 0..<4 { group.addTask { try await sandbox.bzpack("list", "--store", other).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(readers.allSatisfy { [0, 66].contains($0) }, "\(readers)")
        }
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
