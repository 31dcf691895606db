import FileSystem
import FormatKit
import Foundation
import Testing
import TestSupport

/// A store whose file is as the last synchronisation left it is not opened.
@Suite("Stores that nobody touched")
struct UntouchedStoreTests {
    /// Waits until a change of the file is sure to show in its stamp.
    private func apply() async throws { try await Task.sleep(for: .milliseconds(3_100)) }

    @Test("It is not opened where nothing was changed, and what is changed then is seen on both sides")
    func untouched() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try await apply()
        for machine in [laptop, tower] { #expect(try await machine.run("sync").status == 0) }
        // Nobody could open it now.
        let app = try RawDatabase(tower.store)
        try app.run("BEGIN EXCLUSIVE")
        let idle = try await tower.run("sync")
        #expect(idle.status == 0 && idle.output.contains("nothing to do"), "\(idle.errors)")
        try app.run("COMMIT")
        app.close()
        // A title of the same length, twice, in the very moment after.
        try laptop.sql(Machine.rename("t1", "Beer"))
        #expect(try await laptop.run("sync").output.contains("published 1 record"))
        #expect(try await tower.run("sync").output.contains("took 1 record"))
        try tower.sql(Machine.rename("t1", "Wine"))
        #expect(try await tower.run("sync").output.contains("published 1 record"))
        #expect(try await laptop.run("sync").output.contains("took 1 record"))
        #expect(try laptop.titles() == ["Wine"])
    }

    @Test("An older copy of it is noticed, and a store that is gone")
    func replaced() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let copy = sandbox.path("copy.db")
        try FileManager.default.copyItem(atPath: tower.store, toPath: copy)
        try laptop.sql(Machine.rename("t1", "Later"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try await apply()
        for _ in 0..<2 { #expect(try await tower.run("sync").status == 0) }
        try FileManager.default.removeItem(atPath: tower.store)
        #expect(try await tower.run("sync").status == 66)
        try FileManager.default.copyItem(atPath: copy, toPath: tower.store)
        #expect(try await tower.run("sync").status == 5)
        #expect(try await tower.run("sync", "--discard-local").status == 0)
        #expect(try tower.titles() == ["Later"])
    }

    @Test("A stamp is none while a change may have the same one, or lies beside the file")
    func stamps() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("a.db")
        try sandbox.write("a.db", "x")
        let written = try #require(FileFingerprint(path)).changed
        #expect(FileFingerprint(settledDatabase: path) == nil)
        #expect(FileFingerprint(settledDatabase: path, now: written + 2_999_999_999) == nil)
        #expect(FileFingerprint(settledDatabase: path, now: written + 3_000_000_000) != nil)
        for log in ["a.db-wal", "a.db-journal"] {
            try sandbox.write(log, "")
            #expect(FileFingerprint(settledDatabase: path, now: written + 4_000_000_000) != nil)
            try sandbox.write(log, "y")
            #expect(FileFingerprint(settledDatabase: path, now: written + 4_000_000_000) == nil)
            try FileManager.default.removeItem(atPath: sandbox.path(log))
        }
        #expect(FileFingerprint(settledDatabase: sandbox.path("none.db"), now: written + 4_000_000_000) == nil)
    }
}
