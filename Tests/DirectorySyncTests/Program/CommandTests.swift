import AppList
import FormatKit
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// The commands of foldersync as a person runs them.
@Suite("Commands of foldersync")
struct FolderSyncCommandTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Gives the two devices a conflict about the title of t1, which both know.
    private func quarrel(_ laptop: Machine, _ tower: Machine) async throws {
        try laptop.sql(Machine.rename("t1", "Red"))
        try tower.sql(Machine.rename("t1", "Blue"))
        try await laptop.run("sync")
        #expect(try await tower.run("sync").status == 3)
        #expect(try await laptop.run("sync").status == 3)
    }

    @Test("Two devices come in step, and the record is named by its title")
    func step() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        #expect(try tower.titles() == ["Milk"])
        try tower.sql(Machine.rename("t1", "Oat milk"))
        let published = try await tower.run("sync")
        #expect(published.output == "Slate: published 1 record: changed task \"Oat milk\" (title \"Oat milk\")\n")
        let taken = try await laptop.run("sync")
        #expect(taken.output == "Slate: took 1 record from Tower: changed task \"Oat milk\" (title \"Oat milk\")\n")
        #expect(try laptop.titles() == ["Oat milk"])
        #expect(try await laptop.run("sync").output == "Slate: in step, nothing to do\n")
    }

    @Test("A dry run says what a synchronisation then does, and changes nothing")
    func dryRun() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Bread"))
        let before = try sandbox.names()
        let dry = try await laptop.run("sync", "--dry-run")
        #expect(dry.output == "Slate: would publish 1 record: added task \"Bread\"\n")
        #expect(try sandbox.names().filter { $0.hasSuffix(".seg") } == before.filter { $0.hasSuffix(".seg") })
        #expect(try await laptop.run("sync").output == "Slate: published 1 record: added task \"Bread\"\n")
        #expect(try await tower.run("sync", "--dry-run").output.contains("would take 1 record from Laptop"))
        #expect(try tower.titles() == ["Milk"])
        try await tower.run("sync")
        #expect(try tower.titles() == ["Milk", "Bread"])
    }

    @Test("A conflict is listed with both values, and decided by one device for all")
    func conflict() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try await quarrel(laptop, tower)
        let list = try await laptop.run("conflicts")
        #expect(list.status == 3)
        #expect(list.output.contains("task \"Blue\", title: 2 values"), "\(list.output)")
        #expect(list.output.contains("1  \"Blue\"  (Tower, ") && list.output.contains("2  \"Red\"  (Laptop, "))
        let asked = try await laptop.run("resolve")
        #expect(asked.status == 64)
        #expect(asked.errors.contains("--choose"))
        let decided = try await laptop.run("resolve", "--all", "mine")
        #expect(decided.status == 0, "\(decided.errors)")
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.titles() == ["Red"])
        #expect(try laptop.titles() == ["Red"])
        #expect(try await tower.run("conflicts").output == "No conflicts.\n")
    }

    static let takings: [(arguments: [String], title: String)] = [
        (["--choose", "shown"], "Blue"), (["--choose", "other"], "Red"), (["--choose", "2"], "Red"),
        (["--choose", "\"Green\""], "Green"), (["--value", "\"7\""], "7"), (["--value", "7"], "7"),
        (["--value", "Dark green: it's"], "Dark green: it's"), (["t1", "--all", "Tower"], "Blue"),
        (["tasks/t1", "--member", "title", "--all", "theirs"], "Blue"), (["share", "Blue", "--choose", "1"], "Blue"),
    ]

    @Test("What is taken of a conflict", arguments: takings)
    func take(_ taking: (arguments: [String], title: String)) async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try await quarrel(laptop, tower)
        let decided = try await laptop.run(["resolve"] + taking.arguments)
        #expect(decided.status == 0, "\(decided.errors)\(decided.output)")
        try await tower.run("sync")
        #expect(try tower.titles() == [taking.title])
        #expect(try laptop.titles() == [taking.title])
    }

    @Test(
        "On a terminal conflicts are decided one by one; what there is no choice of is asked again",
        .needs("script")
    )
    func terminal() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Two"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try laptop.sql(Machine.rename("t2", "Two red"))
        try tower.sql(Machine.rename("t2", "Two blue"))
        try await quarrel(laptop, tower)
        let asked = try await laptop.onTerminal("resolve", answers: "9\n2\nq\n")
        #expect(asked.output.contains("1 of 2"), "\(asked.output)")
        #expect(asked.output.contains("There is no such choice."))
        #expect(asked.output.contains("decided task \"Blue\", title: \"Red\""), "\(asked.output)")
        #expect(asked.output.contains("left as it is: task \"Two blue\""))
        #expect(asked.status == 3)
        #expect(try laptop.titles() == ["Red", "Two blue"])
        let rest = try await laptop.onTerminal("resolve t2", answers: "\"Two\"\n")
        #expect(rest.status == 0, "\(rest.output)")
        #expect(try laptop.titles() == ["Red", "Two"])
    }

    @Test(
        "On a terminal a person types a value of their own, which is asked for again where it does not fit",
        .needs("script")
    )
    func typed() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET title = 'Red', due_date = '2030-01-01';")
        try tower.sql("UPDATE tasks SET title = 'Blue', due_date = '2030-01-02';")
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        let asked = try await laptop.onTerminal("resolve", answers: "o\nsoonish\no\n3 Feb 2030\nother\nMy own\n")
        #expect(asked.status == 0, "\(asked.output)")
        #expect(asked.output.contains("was  \"Milk\"  (Laptop, "), "\(asked.output)")
        #expect(asked.output.contains("due_date: expected a day: "), "\(asked.output)")
        #expect(asked.output.contains("due_date: Sun 3 Feb 2030 (was (none))"), "\(asked.output)")
        #expect(asked.output.contains("title: \"My own\" (was \"Milk\")"), "\(asked.output)")
        #expect(try laptop.titles() == ["My own"])
    }

    @Test("Two devices that began apart go on together, each by saying so once")
    func adopt() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for (machine, title) in [(laptop, "From the laptop"), (tower, "From the tower")] {
            try AppStores.all.make(.slate, at: machine.store)
            try machine.sql(Machine.task("t-\(machine.name)", title))
            #expect(try await machine.run("init", machine.name, "--store", machine.store).status == 0)
        }
        func carry(_ from: String, _ to: String) throws {
            for name in try FileManager.default.subpathsOfDirectory(atPath: sandbox.path(from)).sorted() {
                guard !sandbox.has("\(to)/\(name)") else { continue }
                let (old, new) = (sandbox.path("\(from)/\(name)"), sandbox.path("\(to)/\(name)"))
                try FileManager.default.copyItem(atPath: old, toPath: new)
            }
        }
        try carry("Laptop", "Tower")
        try carry("Tower", "Laptop")
        let apart = try await laptop.run("sync")
        #expect(apart.status == 3)
        #expect(apart.output.contains("let foldersync merge-spaces"))
        #expect([0, 3].contains(try await laptop.run("merge-spaces").status))
        try carry("Laptop", "Tower")
        #expect([0, 3].contains(try await tower.run("merge-spaces").status))
        try carry("Tower", "Laptop")
        try await laptop.run("sync")
        try carry("Laptop", "Tower")
        try await tower.run("sync")
        #expect(try laptop.titles() == ["From the laptop", "From the tower"])
        #expect(try tower.titles() == ["From the laptop", "From the tower"])
    }

    static let mistakes: [(arguments: [String], status: Int32, message: String)] = [
        (["resolve", "--choose", "x"], 64, "expected shown, other, removed"),
        (["resolve", "--choose", "1", "--all", "mine"], 64, "exclude each other"),
        (["restore", "nothing", "--at", "2100-01-01"], 66, "there is no record"),
        (["sync", "--accept-mass-change", "3", "--discard-local"], 64, "contradict"),
        (["sync", "nowhere"], 66, "has not joined nowhere"),
        (["sync", "--app", "tracker"], 66, "no store of Time Tracker"),
        (["watch", "--interval", "0"], 64, "--interval is 1 to 86400"),
        (["log", "--record", "t1"], 64, "COLLECTION/KEY"),
        (["devices", "retire", "nobody"], 66, "there is no device \"nobody\""),
        (["join", "nowhere", "--store", "Laptop.db"], 75, "nowhere"),
        (["init", "share", "--store", "Laptop.db"], 64, "joined"),
        (["init", "other", "--store", "none.db"], 66, "there is no store"),
        (["init", "other", "--store", "share/README.txt"], 65, "no store of BZ Timer"),
        (["init", "other"], 64, "--store"),
        (["inbox", "add", "nowhere", "--device", "Phone"], 66, "there is no folder"),
        (["inbox", "add", "share/w", "--device", "Phone"], 64, "in the shared folder"),
        (["leave", "share"], 64, "--yes"),
        (["dump", "-o", "-", "--format", "json"], 64, "--output"),
    ]

    @Test("Mistakes are named, and nothing is changed", arguments: mistakes)
    func mistake(_ mistake: (arguments: [String], status: Int32, message: String)) async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let registry = try sandbox.bytes("Laptop.json")
        let outcome = try await laptop.run(mistake.arguments)
        #expect(outcome.status == mistake.status, "\(outcome.errors)")
        #expect(outcome.errors.contains(mistake.message), "\(outcome.errors)")
        #expect(try sandbox.bytes("Laptop.json") == registry)
    }

    @Test("A folder that is not there, and one that is empty, are told, and nothing is made there")
    func unmounted() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("away"))
        let absent = try await laptop.run("sync")
        #expect(absent.status == 75)
        #expect(absent.errors.contains("share"))
        #expect(!sandbox.has("share"))
        try FileManager.default.createDirectory(atPath: sandbox.path("share"), withIntermediateDirectories: true)
        let empty = try await laptop.run("sync")
        #expect(empty.status == 75)
        #expect(try FileManager.default.contentsOfDirectory(atPath: sandbox.path("share")).isEmpty)
        let status = try await laptop.run("status")
        #expect(status.status == 75)
        #expect(status.output.contains("cannot be used now"))
    }

    @Test("A folder that was moved is found again by joining it where it is")
    func moved() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("elsewhere"))
        let unknown = try await laptop.run("sync", "elsewhere")
        #expect(unknown.status == 66)
        #expect(unknown.errors.contains("foldersync join"))
        #expect(try await laptop.run("join", "elsewhere").status == 0)
        try laptop.sql(Machine.task("t2", "Bread"))
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await tower.run("join", "elsewhere").status == 0)
        #expect(try tower.titles() == ["Milk", "Bread"])
    }

    @Test("Who leaves keeps the records and is told of no more; the database can join again")
    func leave() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        #expect(try tower.titles() == ["Milk"])
        #expect(try await tower.run("sync").status == 66)
        try laptop.sql(Machine.rename("t1", "Cream"))
        #expect(try await laptop.run("sync").status == 0)
        let again = try await tower.run("join", "share", "--store", tower.store)
        #expect([0, 3].contains(again.status), "\(again.errors)")
        #expect(try tower.titles().count == 1)
    }

    @Test("Where what a store knew of the others is damaged, it says so, and can leave and join anew")
    func damagedState() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try sandbox.write("Tower.db.foldersync", "no database")
        let damaged = try await tower.run("sync")
        #expect(damaged.status == 65, "\(damaged.errors)")
        #expect(damaged.errors.contains("Tower.db.foldersync"))
        let left = try await tower.run("leave", "share", "--yes")
        #expect(left.status == 0, "\(left.errors)")
        let joined = try await tower.run("join", "share", "--store", tower.store)
        #expect(joined.status == 0, "\(joined.errors)")
        try laptop.sql(Machine.rename("t1", "Again"))
        try await laptop.run("sync")
        try await tower.run("sync")
        #expect(try tower.titles() == ["Again"])
    }

    @Test("A device that lost its store leaves, and joins with a new one; a copy of a store can join as another device")
    func lostStore() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("Tower.db")
        #expect(try await tower.run("sync").status == 66)
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        let joined = try await tower.run("join", "share", "--create", "slate=\(tower.store)")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try tower.titles() == ["Milk"])
        let third = Machine("Third", in: sandbox)
        try FileManager.default.copyItem(atPath: laptop.store, toPath: third.store)
        let copied = try await third.run("join", "share", "--store", third.store, "--name", "Third")
        #expect(copied.status == 0, "\(copied.errors)")
        try third.sql(Machine.rename("t1", "From the copy"))
        try await third.run("sync")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["From the copy"])
    }

    @Test("Time goes back by ordinary edits, and forward again")
    func restore() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Then") + Machine.task("t2", "Gone"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        // An entry of the log stays, so that it is not among what would go away.
        let entry = """
            INSERT INTO activity_log (id, timestamp, entity_type, entity_id, action_type) VALUES ('l1', \
            '2030-01-03T00:00:00Z', 'task', 't1', 'updated');
            """
        try laptop.sql(Machine.rename("t1", "Now") + "DELETE FROM tasks WHERE id = 't2';" + entry)
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        let changes = try await laptop.run("show", "--at", "2030-01-02T00:00:00Z", "--changes")
        let heading = "Slate, back to 2030-01-02T00:00:00+00:00: 2 records differ\n"
        #expect(changes.output.hasPrefix(heading), "\(changes.output)")
        #expect(changes.output.contains("comes back  task \"Gone\""), "\(changes.output)")
        #expect(changes.output.contains("goes back   task \"Now\" (title \"Now\" → \"Then\")"))
        let both = try await laptop.run("show", "--at", "2030-01-02T00:00:00Z", "--changes", "--output", "x")
        #expect(both.status == 64 && both.errors.contains("--changes prints a report"), "\(both.errors)")
        let past = try await laptop.run("show", "--at", "2030-01-02T00:00:00Z")
        #expect(try past.json["tasks"]?.array?.count == 2)
        #expect(try await laptop.run("restore", "--at", "2030-01-02T00:00:00Z").status == 64)
        #expect(try laptop.titles() == ["Now"])
        let restored = try await laptop.run(
            "restore",
            "--at",
            "2030-01-02T00:00:00Z",
            "--yes",
            "--now",
            "2030-01-04T00:00:00Z"
        )
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try laptop.titles() == ["Then", "Gone"])
        try await tower.run("sync", "--now", "2030-01-05T00:00:00Z")
        #expect(try tower.titles() == ["Then", "Gone"])
    }

    @Test("Devices are listed, called by other names, and retired")
    func devices() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        try await tower.run("sync")
        try await laptop.run("sync")
        #expect(try await laptop.run("devices", "rename", "Tower", "The big one").status == 0)
        #expect(try await laptop.run("devices", "rename", "Notebook").status == 0)
        #expect(try await laptop.run("devices", "retire", "The big one").status == 0)
        let list = try await laptop.run("devices").output
        #expect(list.contains("Notebook"))
        #expect(list.split(separator: "\n").contains { $0.contains("The big one") && $0.hasSuffix("retired") })
        #expect(try await laptop.run("status").output.contains("retired"))
        #expect(try await laptop.run("devices", "retire", "Notebook").status == 64)
    }

    @Test("Where a store's devices cannot be read, that is said, and not that there is no such device")
    func unreadableDevices() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try sandbox.write("Laptop.db.foldersync", "no database")
        let retired = try await laptop.run("devices", "retire", "Tower")
        #expect(retired.status == 65, "\(retired.errors)")
        #expect(retired.errors.contains("Laptop.db.foldersync"))
        #expect(!retired.errors.contains("there is no device"))
    }

    @Test("A retired device that syncs all the same is told so, until that is taken back")
    func retired() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.task("t2", "Bread"))
        #expect(try await tower.run("sync").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("devices", "retire", "tower").status == 0)
        try tower.sql(Machine.task("t3", "Eggs"))
        let told = try await tower.run("sync")
        #expect(told.status == 3)
        #expect(
            told.output.contains("this device is retired: Laptop does not wait for it any more"),
            "\(told.output)\(told.errors)"
        )
        #expect(told.output.contains("devices retire --undo \"Tower\""))
        #expect(try await tower.run("status").status == 3)
        // What it wrote is not lost.
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles().contains("Eggs"))
        #expect(try await laptop.run("devices", "retire", "tower", "--undo").status == 0)
        let back = try await tower.run("sync")
        #expect(back.status == 0, "\(back.output)\(back.errors)")
    }

    @Test("A device that was retired is so on all devices that have the mark, until that is taken back")
    func retiredEverywhere() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        #expect(try await third.run("join", "share", "--create", "slate=\(third.store)", "--name", "Third").status == 0)
        for machine in [laptop, tower, third, laptop] { try await machine.run("sync") }
        #expect(try await laptop.run("devices", "retire", "Tower").status == 0)
        try third.sql(Machine.rename("t1", "Cream"))
        for machine in [third, laptop] { #expect(try await machine.run("sync").status == 0) }
        for machine in [laptop, third] {
            let status = try await machine.run("status")
            #expect(status.output.hasPrefix("All 2 devices are up to date."), "\(status.output)")
            let lines = try await machine.run("devices").output.split(separator: "\n")
            #expect(lines.contains { $0.contains("Tower") && $0.hasSuffix("retired") }, "\(lines)")
            let stores = try await machine.run("status", "--format", "json").json["stores"]?.array
            let peers = stores?.first?["devices"]?.array ?? []
            #expect(peers.count { $0["retired"] == true } == 1, "\(peers)")
        }
        // To itself it counts: it is told that it is retired.
        #expect(try await tower.run("status").output.contains("this device is retired"))
        #expect(try await laptop.run("devices", "retire", "--undo", "Tower").status == 0)
        #expect(try await !third.run("devices").output.contains("retired"))
    }

    @Test("Sync names members with their new values, where the line is short enough")
    func values() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Oat milk"))
        let sent = try await laptop.run("sync")
        #expect(
            sent.output.contains("published 1 record: changed task \"Oat milk\" (title \"Oat milk\")"),
            "\(sent.output)"
        )
        let taken = try await tower.run("sync")
        #expect(taken.output.contains("changed task \"Oat milk\" (title \"Oat milk\")"), "\(taken.output)")
        let long = String(repeating: "very ", count: 20) + "long"
        try laptop.sql("UPDATE tasks SET title = '\(long)', notes = '\(long)' WHERE id = 't1';")
        #expect(try await laptop.run("sync").output.contains("(notes, title"))
    }
}
