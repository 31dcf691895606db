import Foundation
import RecordMerge
import TestSupport
import Testing

/// Thousands of random worlds, each held against the oracle.
@Suite struct SimulationTests {
    /// The number of worlds; `make soak` sets another.
    static let seedCount = ProcessInfo.processInfo.environment["SATCHEL_SOAK"].flatMap(Int.init) ?? 2000
    static let firstSeed = ProcessInfo.processInfo.environment["SATCHEL_SEED"].flatMap(UInt64.init) ?? 1

    @Test(arguments: 0..<8)
    func `every replica shows what the oracle says`(part: Int) throws {
        let schemas = try Self.schemas()
        let seeds = Self.firstSeed..<Self.firstSeed + UInt64(Self.seedCount)
        for seed in seeds where Int(seed % 8) == part {
            let (full, older) = schemas[Int(seed / 8 % UInt64(schemas.count))]
            if let failure = try Self.run(seed, full, older, steps: 20) {
                Issue.record("seed \(seed): \(failure)")
                return
            }
        }
    }

    static func schemas() throws -> [(MergeSchema, MergeSchema?)] {
        let all = (try AllRules.schema(), Optional(try AllRules.older()))
        let apps = [
            try Schemas.slate(), try Schemas.store(), try Schemas.presets(), try Schemas.tracker(), try Schemas.study(),
        ]
        return apps.flatMap { [all, ($0, nil)] }
    }

    /// Runs a world; returns what failed, with the shortest script that still does.
    static func run(_ seed: UInt64, _ full: MergeSchema, _ older: MergeSchema?, steps: Int) throws -> String? {
        guard let (failure, script) = attempt(seed, full, older, steps: steps, skipping: []) else { return nil }
        var best = (failure, script)
        var skipped: Set<Int> = []
        for step in 0..<steps {
            if let shorter = attempt(seed, full, older, steps: steps, skipping: skipped.union([step])) {
                skipped.insert(step)
                best = shorter
            }
        }
        return ([best.0] + best.1).joined(separator: "\n  ")
    }

    /// Runs a world without some of its steps.
    ///
    /// Each step has dice of its own, so that leaving one out changes no other.
    static func attempt(
        _ seed: UInt64,
        _ full: MergeSchema,
        _ older: MergeSchema?,
        steps: Int,
        skipping: Set<Int>
    ) -> (String, [String])? {
        var world = Simulation(seed: seed, full, older: older)
        do {
            for step in 0..<steps where !skipping.contains(step) {
                world.dice = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(step))
                try world.step()
            }
            world.dice = SeededGenerator(seed: seed)
            try world.finish()
            return nil
        } catch {
            return ("\(error)", world.script)
        }
    }
}
