@testable import DirectorySync
import AppList
import CommandSupport
import Foundation
import RecordStore
import Slate
import StrictJSON
import Testing
import TestSupport

/// Devices that come back without their list, or without what they knew; names; and those that leave.
@Suite("Joining again, and leaving")
struct JoiningTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func writers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sandbox.path("share/w")).sorted()
    }

    private func devices(_ machine: Machine) async throws -> [String] {
        let devices = try await machine.run("devices", "--format", "json").json["devices"]?.array ?? []
        return devices.compactMap { $0.object?["id"]?.string }.sorted()
    }

    @Test("A device that lost its list goes on where it was, with one command")
    func lostRegistry() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        try await tower.run("sync")
        try await laptop.run("sync")
        let (writers, devices) = (try writers(), try await devices(laptop))
        try sandbox.remove("Tower.json")
        try tower.sql(Machine.rename("t2", "Rolls"))
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        try await laptop.run("sync")
        for arguments in [["sync"], ["leave", "share", "--yes"], ["sync", "share"]] {
            let unknown = try await tower.run(arguments)
            #expect(unknown.status == 66)
            #expect(
                unknown.errors.contains("joined no folder") && unknown.errors.contains("--store"),
                "\(unknown.errors)"
            )
        }
        let joined = try await tower.run("join", "share", "--store", tower.store)
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(
            joined.output.contains("as \"Tower\"") && joined.output.contains("published 1 record"),
            "\(joined.output)"
        )
        #expect(try tower.titles() == ["Rolls"])
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Rolls"])
        #expect(try self.writers() == writers)
        #expect(try await self.devices(laptop) == devices)
    }

    @Test("A store that is made on the Free plan says what history it will not keep, and how that comes back")
    func freeStore() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        func bzpack(_ machine: Machine, _ arguments: String...) async throws -> String {
            let outcome = try await machine.other("bzpack", arguments + ["--store", machine.store])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output
        }
        let create = ["--create", "bztimer=\(laptop.store)", "--name", "Laptop"]
        let made = try await laptop.run(["init", "share"] + create)
        #expect(made.status == 0 && !made.output.contains("Free plan"), "\(made.output)\(made.errors)")
        _ = try await bzpack(laptop, "settings", "set", "isProUser", "true")
        _ = try await bzpack(laptop, "new", "Legs", "--text", "Squats 60 s")
        for day in ["2024-01-01", "2024-01-02"] {
            _ = try await bzpack(laptop, "history", "add", "Legs", "--completed-at", "\(day) 18:00")
        }
        #expect(try await laptop.run("sync").status == 0)

        func join() async throws -> ProgramOutcome {
            try await tower.run("join", "share", "--create", "bztimer=\(tower.store)", "--name", "Tower")
        }
        let joined = try await join()
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.output.contains("Free plan, which keeps 30 days"), "\(joined.output)")
        #expect(joined.output.contains("removes 2 older entries"), "\(joined.output)")
        let added = try await bzpack(tower, "history", "add", "Legs")
        let words = "Removed 2 older entries, as the Free plan keeps 30 days. The shared folder still has"
        #expect(added.contains(words), "\(added)")
        #expect(try await tower.run("sync").status == 0)
        // As the message says.
        _ = try await bzpack(tower, "settings", "set", "isProUser", "true")
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        #expect(try await tower.run("join", "share", "--store", tower.store).status == 0)
        for machine in [laptop, tower] {
            #expect(try await machine.run("sync").status == 0)
            #expect(try AppStores.all.open(machine.store).read { try $0.count("history") } == 3)
        }
    }

    @Test("A device that joins anew publishes what the folder lost of it, and does not call it gone then")
    func lostFiles() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.sql(Machine.task("t1", "Milk"))
        let past = ["--now", "2026-01-01T00:00:00Z"]
        let made = try await laptop.run(["init", "share", "--store", laptop.store, "--name", "Laptop"] + past)
        #expect(made.status == 0, "\(made.errors)")
        for folder in ["share/w", "share/sealed"] { try sandbox.remove(folder) }
        let gone = try await laptop.run("sync")
        #expect(gone.status == 3 && gone.output.contains("files of Laptop are gone"), "\(gone)")
        try sandbox.remove("Laptop.json")
        let joined = try await laptop.run("join", "share", "--store", laptop.store)
        #expect(joined.status == 0 && joined.output.contains("what they held is published again"), "\(joined)")
        #expect(!joined.output.contains("are gone"), "\(joined.output)")
        #expect(try await laptop.run("sync").status == 0)
    }

    /// Takes a database back to version 1 of Slate's tables.
    private static let versionOne = """
        DROP TABLE activity_log; DROP TABLE day_snapshots; ALTER TABLE tasks DROP COLUMN depends_on_task_id;
        UPDATE meta SET value = '1' WHERE key = 'schema_version';
        """

    @Test("A database of version 1 of Slate's tables is upgraded with consent alone, and a copy is kept first")
    func versionOne() async throws {
        _ = try await Machine.pair(in: sandbox)
        let old = Machine("Old", in: sandbox)
        try AppStores.all.make(.slate, at: old.store)
        try old.sql(Machine.task("t2", "Own") + Self.versionOne)
        let bytes = try sandbox.bytes("Old.db")
        for arguments in [["join", "share"], ["init", "other"]] {
            let asked = try await old.run(arguments + ["--store", old.store, "--name", "Old"])
            #expect(asked.status == 64, "\(asked.output)\(asked.errors)")
            #expect(asked.errors.contains("version 1 of Slate's tables, and sync needs version 2"), "\(asked.errors)")
            #expect(asked.errors.contains("use --yes"), "\(asked.errors)")
            #expect(try sandbox.bytes("Old.db") == bytes)
            #expect(!sandbox.has("Old.db.foldersync") && !sandbox.has("Old.db.safety"))
        }
        let joined = try await old.run("join", "share", "--store", old.store, "--name", "Old", "--yes")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.errors.contains("to version 2. The database as it was is kept in"), "\(joined.errors)")
        #expect(SlateSafetyBackups.copies(of: old.store).map(\.reason) == [.beforeUpgrade])
        #expect(try old.titles() == ["Milk", "Own"])

        // A backup of the older app takes the place of the database.
        try sandbox.remove("Old.db")
        try sandbox.write("Old.db", bytes)
        let stopped = try await old.run("sync")
        #expect(stopped.status == 64, "\(stopped.errors)")
        #expect(stopped.errors.contains("store.older-version"), "\(stopped.errors)")
        #expect(stopped.errors.contains("foldersync join FOLDER --store"), "\(stopped.errors)")
        #expect(try sandbox.bytes("Old.db") == bytes)
        let again = try await old.run("join", "share", "--store", old.store, "--yes")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try old.titles() == ["Milk", "Own"])
    }

    @Test("A damaged list says how to go on, and with that the device does; a newer one does not")
    func damagedRegistry() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let devices = try await devices(laptop)
        let whole = try sandbox.bytes("Laptop.json")
        try sandbox.write("Laptop.json", Array(whole.prefix(50)))
        for arguments in [["sync"], ["status"], ["devices"], ["join", "share"]] {
            let stopped = try await laptop.run(arguments)
            #expect(stopped.status == 65, "\(stopped.errors)")
            #expect(stopped.errors.contains("move \(laptop.registry) away"), "\(stopped.errors)")
            #expect(stopped.errors.contains("foldersync join FOLDER --store PATH"), "\(stopped.errors)")
        }
        let newer = String(decoding: whole, as: UTF8.self).replacing("\"version\": 1", with: "\"version\": 9")
        try sandbox.write("Laptop.json", newer)
        let old = try await laptop.run("sync")
        #expect(old.status == 65 && old.errors.contains("update this one") && !old.errors.contains("move "))
        try sandbox.remove("Laptop.json")
        let joined = try await laptop.run("join", "share", "--store", laptop.store)
        #expect(joined.status == 0 && joined.output.contains("as \"Laptop\""), "\(joined)")
        #expect(try await self.devices(laptop) == devices)
    }

    @Test("A copy of the folder is joined once the other one is moved away, which is said")
    func copiedFolder() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try FileManager.default.copyItem(atPath: sandbox.path("share"), toPath: sandbox.path("copy"))
        let refused = try await laptop.run("join", "copy")
        #expect(refused.status == 64 && refused.errors.contains("move the other one away"), "\(refused.errors)")
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("away"))
        let joined = try await laptop.run("join", "copy")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try await laptop.run("sync", "copy").output == "Slate: in step, nothing to do\n")
    }

    @Test("A copy of a store with all that it knew is a device of its own, where it is given a name of its own")
    func copied() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        for end in ["", ".foldersync"] {
            try FileManager.default.copyItem(atPath: laptop.store + end, toPath: third.store + end)
        }
        let writers = try writers()
        #expect(try await third.run("join", "share", "--store", third.store, "--name", "Third").status == 0)
        try third.sql(Machine.task("t3", "Third"))
        try laptop.sql(Machine.task("t4", "Laptop"))
        for machine in [third, laptop, third] {
            let outcome = try await machine.run("sync")
            #expect(outcome.status == 0 && !outcome.output.contains("somebody goes on"), "\(outcome.output)")
        }
        #expect(try third.titles() == ["Milk", "Third", "Laptop"])
        #expect(try laptop.titles() == ["Milk", "Third", "Laptop"])
        #expect(try self.writers().count == writers.count + 1)
        #expect(try await devices(laptop).count == 3)
    }

    @Test(
        "A store whose file of what it knew is gone says so, and goes on with what the folder has",
        arguments: [false, true]
    )
    func lostState(_ isLinked: Bool) async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("Tower.db.foldersync")
        try tower.sql(Machine.task("t2", "Bread"))
        let lost = try await tower.run("sync")
        #expect(lost.status == 66)
        #expect(lost.errors.contains("Tower.db.foldersync is not there") && lost.errors.contains("foldersync join"))
        var path = tower.store
        if isLinked {
            path = sandbox.path("link.db")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: tower.store)
        }
        let joined = try await tower.run("join", "share", "--store", path)
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try await laptop.run("sync").status == 0)
        for machine in [laptop, tower] { #expect(try machine.titles() == ["Milk", "Bread"]) }
        #expect(try await tower.run("sync").output == "Slate: in step, nothing to do\n")
        #expect(try await devices(laptop).count == 2)
    }

    @Test("Without what it knew it can leave as well, and is linked to nothing")
    func leaveWithoutState() async throws {
        let (_, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("Tower.db.foldersync")
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        #expect(try AppStores.all.open(tower.store).read { try $0.link } == nil)
        #expect(try await tower.run("sync").status == 66)
    }

    /// The next command may run in another folder.
    @Test("A store is noted from the root on, also where its folders are not there yet")
    func relativeStore() async throws {
        let (_, _) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        let joined = try await third.run("join", "share", "--create", "slate=new/deep//slate.db")
        #expect(joined.status == 0, "\(joined.errors)")
        let store = try JSONDocument(parsing: sandbox.bytes("Third.json")).root["folders"]?[0]?["stores"]?[0]
        #expect(store?["path"]?.string == ResolvedPath(sandbox.path("share/..")).text + "/new/deep/slate.db")
        let next = try await third.run("sync")
        #expect(next.status == 0, "\(next.errors)")
    }

    @Test("A store that is there already, as after a command that was stopped, is not made anew but named with --store")
    func storeIsThere() async throws {
        let (_, _) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        try AppStores.all.make(.slate, at: third.store)
        try third.sql(Machine.task("t9", "Mine"))
        let before = try sandbox.bytes("Third.db")
        let refused = try await third.run("join", "share", "--create", "slate=\(third.store)")
        #expect(refused.status == 73)
        #expect(
            refused.errors.contains("Third.db is a store of Slate already: name it with --store"),
            "\(refused.errors)"
        )
        #expect(try sandbox.bytes("Third.db") == before)
        #expect(!sandbox.has("Third.json") && !sandbox.has("Third.db.foldersync"))
        let joined = try await third.run("join", "share", "--store", third.store)
        #expect(joined.status == 0, "\(joined.errors)")
        let notes = try sandbox.write("notes.txt", "notes")
        let foreign = try await third.run("join", "share", "--create", "study=\(notes)")
        #expect(foreign.status == 73)
        #expect(foreign.errors.contains("there is a file at this path already"), "\(foreign.errors)")
    }

    @Test("No two devices of a folder have one name")
    func names() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        try await tower.run("sync")
        let third = Machine("Third", in: sandbox)
        try AppStores.all.make(.slate, at: third.store)
        let refused = try await third.run("join", "share", "--store", third.store, "--name", "Laptop")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--name 'Laptop 2'"), "\(refused.errors)")
        #expect(!sandbox.has("Third.json") && !sandbox.has("Third.db.foldersync"))
        try await laptop.run("sync")
        let renamed = try await laptop.run("devices", "rename", "Tower")
        #expect(renamed.status == 64)
        #expect(renamed.errors.contains("such as \"Tower 2\""), "\(renamed.errors)")
        #expect(try await laptop.run("devices", "rename", "Laptop").status == 0)
        // By themselves two machines of one name are told apart.
        var found: Set<String> = []
        for name in ["Third", "Fourth"] {
            let machine = Machine(name, in: sandbox)
            let joined = try await machine.run("join", "share", "--create", "study=\(sandbox.path(name)).study")
            #expect(joined.status == 0, "\(joined.errors)")
            try found.insert(
                #require(JSONDocument(parsing: sandbox.bytes("\(name).json")).root["device"]?["name"]?.string)
            )
            let study = try RawDatabase(sandbox.path(name) + ".study")
            try study.run("INSERT OR REPLACE INTO property (name, value) VALUES ('envelope', '{\"\(name)\":1}')")
            study.close()
            #expect(try await machine.run("sync").status == 0)
        }
        #expect(found.count == 2, "\(found)")
        #expect(try await laptop.run("sync").status == 0)
    }

    @Test("Who leaves publishes first, and says what it cannot publish")
    func leaving() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.rename("t1", "Cream"))
        let before = try sandbox.names()
        let dry = try await tower.run("leave", "share", "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output.contains("would publish 1 record") && dry.output.contains("Would leave"), "\(dry.output)")
        #expect(try sandbox.names() == before)
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("away"))
        let kept = try await tower.run("leave", sandbox.path("share"), "--yes")
        #expect(kept.status == 4, "\(kept.errors)")
        #expect(kept.errors.contains("1 changed record") && kept.errors.contains("--unpublished"), "\(kept.errors)")
        try FileManager.default.moveItem(atPath: sandbox.path("away"), toPath: sandbox.path("share"))
        let left = try await tower.run("leave", "share", "--yes")
        #expect(left.status == 0, "\(left.errors)")
        #expect(left.output.contains("published 1 record"), "\(left.output)")
        try await laptop.run("sync")
        #expect(try laptop.titles() == ["Cream"])
        try laptop.sql(Machine.rename("t1", "Here"))
        try sandbox.remove("share")
        let alone = try await laptop.run("leave", sandbox.path("share"), "--yes", "--unpublished")
        #expect(alone.status == 0)
        #expect(
            alone.output.contains("what is not published stays on this device alone: 1 changed record"),
            "\(alone.output)"
        )
        #expect(try laptop.titles() == ["Here"])
    }

    @Test("Who leaves a folder that takes nothing says that the others do not see it")
    func leavingUntold() async throws {
        // In an encrypted folder no mark has a folder of its own.
        guard !EncryptedRun.isOn else { return }
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        #expect(try await tower.run("sync").status == 0)
        let (seen, away) = (sandbox.path("share/seen"), sandbox.path("seen-away"))
        try FileManager.default.moveItem(atPath: seen, toPath: away)
        try FileManager.default.createSymbolicLink(atPath: seen, withDestinationPath: "/proc")
        let left = try await tower.run("leave", "share", "--yes")
        #expect(left.status == 4, "\(left)")
        #expect(left.output.contains("Left ") && left.output.contains("devices retire Tower"), "\(left)")
        try FileManager.default.removeItem(atPath: seen)
        try FileManager.default.moveItem(atPath: away, toPath: seen)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("devices", "retire", "Tower").status == 0)
    }

    @Test("Who left can come back under the name that this device has")
    func comingBack() async throws {
        let (_, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        try await tower.run("sync")
        let devices = try await devices(tower)
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        let joined = try await tower.run("join", "share", "--store", tower.store, "--name", "Tower")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.errors.isEmpty)
        #expect(try await self.devices(tower) == devices)
        // Of a store that is not there nothing is kept.
        try sandbox.remove("Tower.db")
        let left = try await tower.run("leave", "share", "--yes")
        #expect(left.status == 0)
        #expect(left.output.contains("which is gone"), "\(left.output)")
        #expect(!left.output.contains("keeps"))
    }

    static let rehearsals: [(arguments: [String], said: String)] = [
        (["repair", "--dry-run"], "would write a checkpoint of"), (["compact", "--dry-run"], "would pack 3"),
        (["merge-spaces", "share", "--dry-run"], "stays in the space"),
        (["resolve", "--all", "mine", "--dry-run"], "would decide"),
    ]

    @Test("What would be done is said, and nothing is done", arguments: rehearsals)
    func dryRun(_ dryRun: (arguments: [String], said: String)) async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Red"))
        try tower.sql(Machine.rename("t1", "Blue"))
        for machine in [tower, laptop] { try await machine.run("sync") }
        try laptop.sql(Machine.task("t2", "Bread"))
        let before = try sandbox.names()
        let outcome = try await laptop.run(dryRun.arguments)
        #expect(outcome.output.contains(dryRun.said), "\(outcome.output)\(outcome.errors)")
        #expect(try sandbox.names() == before)
        #expect(try await laptop.run("conflicts").status == 3)
        #expect(try await laptop.run("sync").output.contains("published 1 record"))
    }
}
