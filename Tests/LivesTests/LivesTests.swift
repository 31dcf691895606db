import Foundation
import Synchronization
import TestSupport
import Testing

/// Simulated people: what they entered or earned has to be there in the end, as docs/meaning.md says.
@Suite("Lives")
struct LivesTests {
    /// How many lives, and from which seed on: `LIVES` and `SEED` ask for others, `SEEDS` for some, such as `17,37`.
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["LIVES"].flatMap(Int.init) ?? 500
    private static let mostShown = environment["LIVES_SHOWN"].flatMap(Int.init) ?? 5
    private static let first = environment["SEED"].flatMap(UInt64.init) ?? 1
    /// Lives that found a fault which no life of the usual seeds finds.
    private static let telling: [UInt64] = [939, 1599, 1609, 2079]
    private static let seeds =
        environment["SEEDS"]?.split(separator: ",").compactMap { UInt64($0) }
        ?? (0..<count).map { first &+ UInt64($0) } + telling
    /// Whether it ends with the first life that is not as it has to be.
    private static let endsWithFault = environment["LIVES_UNTIL_FAULT"] != nil
    /// The seeds in parts that are lived side by side.
    private static let parts = {
        let size = endsWithFault ? seeds.count : (seeds.count + 15) / 16
        return stride(from: 0, to: seeds.count, by: max(1, size)).map { Part(seeds[$0..<min($0 + size, seeds.count)]) }
    }()
    /// How many lives were shown in full.
    private static let shown = Mutex(0)

    struct Part: CustomTestStringConvertible {
        let seeds: [UInt64]
        init(_ seeds: ArraySlice<UInt64>) { self.seeds = Array(seeds) }
        var testDescription: String { "seeds \(seeds.first ?? 0) to \(seeds.last ?? 0)" }
    }

    @Test("What people entered and earned is kept, whatever their devices and transports do", arguments: parts)
    func lives(_ part: Part) throws {
        let clock = ContinuousClock()
        let start = clock.now
        var failed: [Fault.Invariant: [UInt64]] = [:]
        for (offset, seed) in part.seeds.enumerated() {
            let script = Script(seed: seed)
            let life = try Self.live(script)
            guard let fault = life.faults.first else { continue }
            if Self.endsWithFault {
                return print("first fault after \(offset + 1) lives: \(fault.invariant.rawValue)")
            }
            failed[fault.invariant, default: []].append(script.seed)
            let isShown = Self.shown.withLock { count in
                count += 1
                return count <= Self.mostShown
            }
            try Self.show(isShown ? Self.shortened(script, fault.invariant, life) : life, inFull: isShown)
        }
        let seconds = Double((clock.now - start).components.seconds)
        print("\(part.seeds.count) lives, \(part.testDescription), in \(seconds) s")
        for (invariant, seeds) in failed.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            Issue.record("not so in \(seeds.count) lives: \(invariant.rawValue): seeds \(seeds.prefix(20))")
        }
    }

    /// Prints a diary, or puts it into the folder of diaries only.
    private static func show(_ life: Life, inFull: Bool) throws {
        let lines = (["life \(life.script.seed) of \(life.script.app)"] + life.diary.lines).joined(separator: "\n    ")
        if inFull { print(lines) }
        guard let folder = environment["LIVES_FOLDER"] else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data((lines + "\n").utf8).write(to: URL(filePath: "\(folder)/life-\(life.script.seed).txt"))
    }

    /// Leaves out steps as long as a fault of the kind remains.
    private static func shortened(_ script: Script, _ invariant: Fault.Invariant, _ life: Life) throws -> Life {
        var (best, shortest) = (script, life)
        var left = environment["LIVES_CUTS"].flatMap(Int.init) ?? 60
        var length = max(1, script.steps.count / 2)
        while length > 0, left > 0 {
            var index = 0
            while index < best.steps.count, left > 0 {
                var trial = best
                trial.steps.removeSubrange(index..<min(index + length, trial.steps.count))
                left -= 1
                let life = try live(trial)
                if life.faults.first?.invariant == invariant {
                    (best, shortest) = (trial, life)
                } else {
                    index += length
                }
            }
            length /= 2
        }
        return shortest
    }

    static func live(_ script: Script) throws -> Life {
        // Memory, where there is such a folder: nothing here is to outlive a power cut.
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let root = "\(parent)/satchel-life-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let life = try Life(script, in: root)
        life.live()
        return life
    }
}
