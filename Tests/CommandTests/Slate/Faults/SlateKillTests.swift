import Foundation
import Subprocess
import Testing
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// Programs that are killed at random moments: what they change is as it was or as it should be, and they go on by themselves.
struct SlateKillTests {
    private static let rows = 800
    private static let kills: [(SlateCommand, Int)] = [
        (.replace, 45), (.merge, 40), (.undo, 35), (.json, 30), (.archive, 30), (.prune, 20),
    ]

    @Test("Killed at a random moment, a command leaves all as it was or as it should be", arguments: kills)
    func kill(_ command: SlateCommand, count: Int) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let prepared = try await SlateCase(command, rows: Self.rows)
        var length = Duration.milliseconds(500)
        var (early, late, ended) = (0, 0, 0)
        while early + late < count, ended < 10 * count {
            let folder = try prepared.folder()
            // The way from the change to the end is short: one in five waits there, as nobody takes its report.
            let isAimed = (early + late) % 5 == 4
            let delay = length * Double.random(in: 0...(isAimed ? 0.05 : 1), using: &random)
            let ending = try await run(prepared, in: folder, after: delay, ofChange: isAimed)
            let comment: Comment = "\(command), seed \(seed), kill \(early + late + 1) after \(delay)"
            let isDone = try prepared.isDone(folder, comment)
            if ending == .signaled(9) {
                if isDone { late += 1 } else { early += 1 }
                try await prepared.finish(folder, wasDone: isDone, comment)
                if (early + late) % 10 == 0 { try await prepared.goBack(folder, comment) }
            } else {
                #expect(ending == .exited(0), comment)
                #expect(isDone, comment)
                ended += 1
            }
            // However fast the machine is at the moment, about one in three comes too late.
            if !isAimed { length = ending == .exited(0) ? length * 0.8 : length * 1.1 }
        }
        print("\(command), seed \(seed): \(early) killed before the change, \(late) after it, \(ended) had ended")
        #expect(early + late >= count)
        #expect(early > 0 && late > 0)
    }

    /// Runs the command and kills it after a while, counted from its start or from the moment its change can be seen.
    private func run(
        _ prepared: SlateCase,
        in folder: Sandbox,
        after delay: Duration,
        ofChange isAimed: Bool
    ) async throws -> TerminationStatus {
        let report = try FileDescriptor.pipe()
        defer { try? report.readEnd.close() }
        if isAimed { try fill(report.writeEnd) }
        return try await Subprocess.run(
            folder.configuration(Built.path("slate-backup"), prepared.command.arguments),
            input: .none,
            output: .fileDescriptor(report.writeEnd, closeAfterSpawningProcess: true),
            error: .discarded
        ) { execution in
            let limit = ContinuousClock.now + .seconds(30)
            var wasSeen = false
            while isAimed, ContinuousClock.now < limit, !prepared.isChanged(folder, &wasSeen) {
                try await Task.sleep(for: .microseconds(200))
            }
            try await Task.sleep(for: delay)
            try? execution.send(signal: .kill)
        }.terminationStatus
    }

    /// Writes to a pipe until it takes no more.
    private func fill(_ pipe: FileDescriptor) throws {
        let flags = fcntl(pipe.rawValue, F_GETFL)
        _ = fcntl(pipe.rawValue, F_SETFL, flags | O_NONBLOCK)
        defer { _ = fcntl(pipe.rawValue, F_SETFL, flags) }
        let bytes = [UInt8](repeating: 10, count: 4096)
        while (try? bytes.withUnsafeBytes { try pipe.write($0) }) != nil {}
    }
}

extension SlateCase {
    /// Whether the change can be seen from outside, roughly: the journal has gone, or the backup is another one.
    fileprivate func isChanged(_ folder: Sandbox, _ wasSeen: inout Bool) -> Bool {
        switch command {
        case .json: return size("Slate-20260107.json", folder) != before.backups["Slate-20260107.json"]?.count
        case .archive:
            return size("Slate-20260107.slatebackup", folder) != before.backups["Slate-20260107.slatebackup"]?.count
        case .prune: return !folder.has("Slate-20260104.json")
        case .undo: return (try? folder.names().contains { $0.hasSuffix(".used.db") }) == true
        default:
            let isHeld = folder.has("slate.db-journal")
            defer { wasSeen = wasSeen || isHeld }
            return wasSeen && !isHeld && hasCopy(folder)
        }
    }

    /// Whether there is a copy of the state before.
    private func hasCopy(_ folder: Sandbox) -> Bool {
        (try? folder.names().contains { $0.hasPrefix("slate.db.safety/000001-") }) == true
    }

    private func size(_ name: String, _ folder: Sandbox) -> Int? {
        try? FileManager.default.attributesOfItem(atPath: folder.path(name))[.size] as? Int
    }
}
