import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// What may be wrong with the shared directory; the numbers are those of the design's scenarios.
@Suite("Scenarios of the directory")
struct FolderTests {
    /// Two devices in step that see one directory.
    private func two(_ app: ScenarioApp, tasks: Int = 3) async throws -> (Peer, Peer, Sandbox) {
        let sandbox = try Sandbox()
        let laptop = try Peer("Laptop", app, folder: sandbox.path("shared"))
        let phone = try Peer("Phone", app, folder: sandbox.path("shared"))
        try laptop.addTasks(tasks)
        try await laptop.initialise()
        try await phone.join()
        try await laptop.sync()
        return (laptop, phone, sandbox)
    }

    @Test(
        "Scenario 7: a directory that is absent, empty or another is not synchronised and not made anew",
        arguments: ScenarioApp.allCases
    )
    func wrongFolder(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        let rows = try phone.rows()
        try phone.addTask("mine")
        let away = sandbox.path("away")
        try FileManager.default.moveItem(atPath: phone.folder, toPath: away)
        #expect(try await phone.sync(75).outcome.errors.contains(phone.folder))
        #expect(!sandbox.has("shared"))
        try FileManager.default.createDirectory(atPath: phone.folder, withIntermediateDirectories: false)
        #expect(try await phone.sync(75).outcome.errors.contains("mounted"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: phone.folder) == [])
        let stranger = try Peer("Stranger", app)
        try await stranger.initialise()
        try sandbox.remove("shared")
        try FileManager.default.copyItem(atPath: stranger.folder, toPath: phone.folder)
        let before = try Transport.snapshot(phone.folder)
        try await phone.sync(65)
        #expect(try Transport.snapshot(phone.folder) == before)
        try phone.removeTask("mine")
        #expect(try phone.rows() == rows)
        try phone.addTask("mine")
        try sandbox.remove("shared")
        try FileManager.default.moveItem(atPath: away, toPath: phone.folder)
        try await phone.sync()
        try await laptop.sync()
        #expect(try laptop.titles()["mine"] != nil)
        try expectEqual(laptop, phone)
    }

    @Test(
        "Scenario 8: what somebody deletes is not lost where it was read, and repair publishes it again",
        arguments: ScenarioApp.allCases
    )
    func deleted(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        try phone.addTask("p")
        try await phone.sync()
        try await laptop.sync()
        let writer = try #require(try laptop.writer())
        try sandbox.remove("shared/w/\(writer)")
        #expect(try await phone.sync().isIdle)
        #expect(try phone.titles().count == 4)
        #expect(try await phone.foldersync("repair").status == 0)
        let tablet = try Peer("Tablet", app, folder: phone.folder)
        try await tablet.join()
        #expect(try tablet.titles().count == 4)
        try laptop.addTask("l")
        try await laptop.sync()
        for peer in [phone, tablet, laptop] { try await peer.sync() }
        #expect(try tablet.titles().count == 5)
        try expectEqual(laptop, phone, tablet)
    }

    @Test(
        "Scenario 9: from a read-only share changes are taken, and what cannot be published is kept",
        .enabled("\(OtherUser.missing)") { await OtherUser.canRun(Built.path("foldersync")) },
        arguments: ScenarioApp.allCases
    )
    func readOnly(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        try laptop.addTask("news")
        try await laptop.sync()
        try phone.addTask("mine")
        for folder in [phone.sandbox.folder.path, sandbox.folder.path] {
            #expect(try await sandbox.run("/bin/chmod", ["-R", "a+rwX", folder]).status == 0)
        }
        #expect(try await sandbox.run("/bin/chmod", ["-R", "a-w", phone.folder]).status == 0)
        let before = try Transport.snapshot(phone.folder)
        for _ in 1...2 {
            let outcome = try await OtherUser.run(
                Built.path("foldersync"),
                phone.arguments("sync", ["--format", "json"]),
                in: phone.sandbox
            )
            #expect(outcome.status == 4, "\(outcome.errors)\(outcome.output)")
            #expect(Synced(outcome).outbox == 1)
            #expect(try Set(phone.titles().keys) == ["t0", "t1", "t2", "news", "mine"])
            #expect(try Transport.snapshot(phone.folder) == before)
        }
        #expect(try await sandbox.run("/bin/chmod", ["-R", "a+w", phone.folder]).status == 0)
        let published = try await phone.sync()
        #expect(published.outbox == 0 && published.publishedBytes > 0)
        #expect(try await laptop.sync().received == 1)
        try expectEqual(laptop, phone)
    }

    @Test(
        "Scenario 12: a stale network drive is looked at again the next time",
        .enabled("no C compiler, or no LD_PRELOAD") { await FaultLibrary.isAvailable.value },
        arguments: ScenarioApp.allCases
    )
    func stale(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        for title in ["one", "two"] {
            try laptop.setTitle("t1", title)
            try await laptop.sync()
        }
        try sandbox.write("shared/w/.nfs0000000000001234", "what is still open somewhere")
        for number in 1...2 {
            let (outcome, _) = try await FaultLibrary.run(
                Built.path("foldersync"),
                phone.arguments("sync", []),
                in: phone.sandbox,
                Fault(kind: .stale, number: number)
            )
            #expect([0, 3].contains(outcome.status), "\(outcome.errors)\(outcome.output)")
        }
        try await phone.sync()
        #expect(try phone.titles()["t1"] == "two")
        try expectEqual(laptop, phone)
    }

    @Test(
        "Scenario 13: what a cloud drive did not download is not absent, but not downloaded",
        arguments: ScenarioApp.allCases
    )
    func placeholders(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        try laptop.setTitle("t1", "new")
        try await laptop.sync()
        let writer = try #require(try laptop.writer())
        let file = try #require(
            try Transport.segments(laptop.folder).last { $0.hasPrefix("w/\(writer)/0000000002") }
        )
        let name = String(file.split(separator: "/").last ?? "")
        try FileManager.default.moveItem(atPath: sandbox.path("shared/" + file), toPath: sandbox.path("kept"))
        for placeholder in ["shared/w/\(writer)/.\(name).icloud", "shared/\(file)"] {
            try sandbox.write(placeholder, placeholder.hasSuffix(".icloud") ? "bplist00" : "")
            if placeholder.hasSuffix(".seg") { #expect(truncate(sandbox.path(placeholder), 300) == 0) }
            let outcome = try await phone.sync(3)
            #expect(outcome.issues == ["not-downloaded"])
            #expect(try phone.titles()["t1"] == "Task t1")
            try sandbox.remove(placeholder)
        }
        try FileManager.default.moveItem(atPath: sandbox.path("kept"), toPath: sandbox.path("shared/" + file))
        try await phone.sync()
        try expectEqual(laptop, phone)
    }

    @Test("Scenario 14: a file system that shows names in upper case", arguments: ScenarioApp.allCases)
    func upperCase(_ app: ScenarioApp) async throws {
        let (laptop, phone) = (try Peer("Laptop", app), try Peer("Phone", app))
        try laptop.addTasks(2)
        try await laptop.initialise()
        try Transport.introduce(phone, to: laptop.folder)
        try await phone.join()
        for file in try Transport.segments(laptop.folder) {
            var parts = file.split(separator: "/").map(String.init)
            parts[2] = parts[2].uppercased()
            try Transport.bring(file, from: laptop.folder, to: phone.folder, as: parts.joined(separator: "/"))
        }
        #expect(try await phone.sync().received == 1)
        #expect(try await phone.sync().isIdle)
        try Transport.exchange(laptop, phone)
        try await laptop.sync()
        try expectEqual(laptop, phone)
    }

    @Test("Scenario 15: of two processes the second waits, or leaves", arguments: ScenarioApp.allCases)
    func together(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        defer { withExtendedLifetime(sandbox) {} }
        for round in 0..<3 {
            try laptop.addTask("round\(round)")
            async let first = laptop.foldersync("sync")
            async let second = laptop.foldersync("sync")
            async let third = phone.foldersync("sync")
            for outcome in try await [first, second, third] {
                #expect([0, 75].contains(outcome.status), "\(outcome.errors)\(outcome.output)")
            }
        }
        for peer in [laptop, phone] { try await peer.sync() }
        #expect(try phone.titles().count == 6)
        try expectEqual(laptop, phone)
        let holder = try DatabaseQueue(path: laptop.store + ".foldersync")
        try await holder.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        }
        let refused = try await laptop.foldersync("sync")
        #expect(refused.status == 75, "\(refused.errors)")
        #expect(refused.errors.contains("another process"))
        try holder.close()
        #expect(try await laptop.sync().isIdle)
    }

    @Test("Scenario 16: strange files are left alone", arguments: ScenarioApp.allCases)
    func strangeFiles(_ app: ScenarioApp) async throws {
        let (laptop, phone, sandbox) = try await two(app)
        let file = try #require(try Transport.segments(laptop.folder).first)
        let name = String(file.split(separator: "/").last ?? "")
        let writer = try #require(try laptop.writer())
        let strange = [
            ".git/HEAD", ".stversions/\(file)", ".stfolder/syncthing-folder-1.txt", ".stignore", "notes.txt",
            ".DS_Store",
            "desktop.ini", "w/\(writer)/.syncthing.\(name).tmp", "w/\(writer)/~syncthing~\(name).tmp",
            "w/\(writer)/.~lock.\(name)#", "w/\(writer)/\(name).part", "w/readme.txt",
            "w/_others/\(name)", "w/\(writer)/folder/x", "ckpt/other.txt", "tmp/abc", "tmp/\(name)", "w/.\(writer).swp",
        ]
        for path in strange {
            let folder = URL(filePath: sandbox.path("shared/" + path)).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try sandbox.write("shared/" + path, "what others put here")
        }
        symlink("..", sandbox.path("shared/w/loop"))
        symlink("nowhere", sandbox.path("shared/w/\(writer)/0000000009-\(String(repeating: "a", count: 32)).link"))
        try phone.addTask("p")
        let outcome = try await phone.sync()
        #expect(outcome.issues == [] && outcome.published == 1)
        try await laptop.sync()
        #expect(try await phone.sync().isIdle)
        for path in strange { #expect(sandbox.has("shared/" + path), "\(path)") }
        try expectEqual(laptop, phone)
    }
}
