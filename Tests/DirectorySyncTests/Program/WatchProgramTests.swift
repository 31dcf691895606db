import Foundation
import Testing
import TestSupport

/// `foldersync watch` as a process of its own.
@Suite("Watching, as a program")
struct WatchProgramTests {
    /// A watcher that runs until it is told to end.
    private final class Watcher {
        private let process = Process()
        private let sandbox: Sandbox

        init(_ machine: Machine, _ arguments: String..., in sandbox: Sandbox) throws {
            self.sandbox = sandbox
            try sandbox.write("watch.out", "")
            try sandbox.write("watch.err", "")
            process.executableURL = URL(filePath: Machine.program)
            process.arguments = ["watch"] + arguments
            process.currentDirectoryURL = sandbox.folder
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["SATCHEL_FOLDERSYNC": machine.registry, "HOME": sandbox.path("home"), "TZ": "UTC"]
            ) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle(forWritingAtPath: sandbox.path("watch.out"))
            process.standardError = FileHandle(forWritingAtPath: sandbox.path("watch.err"))
            try process.run()
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        var output: String {
            get throws { String(decoding: try sandbox.bytes("watch.out"), as: UTF8.self) }
        }
        var errors: String {
            get throws { String(decoding: try sandbox.bytes("watch.err"), as: UTF8.self) }
        }

        /// Sends SIGTERM and gives how it ended.
        func end() async throws -> Int32 {
            process.terminate()
            for _ in 0..<6_000 where process.isRunning { try await Task.sleep(for: .milliseconds(100)) }
            guard !process.isRunning else {
                kill(process.processIdentifier, SIGKILL)
                return -2
            }
            return process.terminationReason == .exit ? process.terminationStatus : -1
        }
    }

    /// Waits until something is so, ten minutes at the most, however busy the machine is.
    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        for _ in 0..<6_000 {
            if try condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    @Test("Changes come and go within seconds, and SIGTERM ends it with 0")
    func step() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let watcher = try Watcher(tower, "--interval", "600", in: sandbox)
        #expect(
            try await eventually {
                try watcher.output.contains("\n  \(sandbox.path("share")): Slate in \(tower.store)\n")
            }
        )
        #expect(try watcher.output.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00  watching from now on/#))
        try laptop.sql(Machine.rename("t1", "From the laptop"))
        try await laptop.run("sync")
        #expect(try await eventually { try tower.titles() == ["From the laptop"] })
        #expect(try await eventually { try watcher.output.contains("took 1 record from Laptop") })
        try tower.sql(Machine.task("t2", "From the tower"))
        #expect(
            try await eventually { try watcher.output.contains("published 1 record: added task \"From the tower\"") }
        )
        try await laptop.run("sync")
        #expect(try laptop.titles() == ["From the laptop", "From the tower"])
        // Each change is a line of its own, with the time.
        let changes = try watcher.output.split(separator: "\n").dropFirst(2)
        #expect(changes.allSatisfy { $0.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00  Slate: /#) }, "\(changes)")
        // What it did itself makes no further noise.
        let lines = try watcher.output
        try await Task.sleep(for: .seconds(3))
        #expect(try watcher.output == lines)
        #expect(try await watcher.end() == 0)
        #expect(try watcher.errors.isEmpty)
    }

    @Test("A folder that goes away is told once, and once more when it is back")
    func absence() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        // Several stores fail on one folder.
        let joined = try await tower.run("join", "share", "--create", "study=\(sandbox.path("timer.db"))")
        #expect(joined.status == 0, "\(joined.errors)")
        let watcher = try Watcher(tower, "--interval", "1", in: sandbox)
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("away"))
        #expect(try await eventually { try watcher.errors.contains("directory.absent") })
        try await Task.sleep(for: .seconds(4))
        #expect(try watcher.errors.components(separatedBy: "directory.absent").count == 2)
        try FileManager.default.moveItem(atPath: sandbox.path("away"), toPath: sandbox.path("share"))
        #expect(try await eventually { try watcher.errors.contains("  \(sandbox.path("share")): works again\n") })
        let lines = try watcher.errors.split(separator: "\n")
        #expect(lines.count { $0.hasSuffix(": works again") } == 1, "\(lines)")
        #expect(lines.allSatisfy { $0.contains(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00  /#) }, "\(lines)")
        try laptop.sql(Machine.rename("t1", "Later"))
        try await laptop.run("sync")
        #expect(try await eventually { try tower.titles() == ["Later"] })
        #expect(try await watcher.end() == 0)
    }

    @Test("Until all is settled it ends by itself; without anything joined it does not begin")
    func applied() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Settled"))
        try await laptop.run("sync")
        let outcome = try await tower.run("watch", "--once-settled")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("took 1 record from Laptop"))
        #expect(try tower.titles() == ["Settled"])
        let nobody = Machine("Nobody", in: sandbox)
        #expect(try await nobody.run("watch").status == 66)
    }
}
