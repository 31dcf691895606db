import AppList
import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// Stores that are lost or replaced, and commands that fail: nobody else's records go because of them.
@Suite("Lost stores, and commands that fail")
struct LostStoreTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Two devices with 41 tasks.
    private func pair() async throws -> (laptop: Machine, tower: Machine) {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql((10...49).map { Machine.task("t\($0)", "Task \($0)") }.joined())
        for machine in [laptop, tower] { #expect(try await machine.run("sync").status == 0) }
        return (laptop, tower)
    }

    private func expectAll(_ machines: Machine...) async throws {
        for _ in 0..<2 { for machine in machines { #expect(try await machine.run("sync").status == 0) } }
        for machine in machines {
            #expect(try machine.titles().count == 41, "\(machine.name)")
            let last = try await machine.run("sync")
            #expect(last.output == "Slate: in step, nothing to do\n", "\(last.output)")
        }
    }

    @Test(
        "A lost store is created anew by join, also where the list of what was joined is lost",
        arguments: [false, true]
    )
    func created(_ hasLostList: Bool) async throws {
        let (laptop, tower) = try await pair()
        try tower.sql(Machine.rename("t1", "Cream"))
        // What it had published nothing of is not lost with the store.
        try sandbox.remove("share/tmp")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("share/tmp"), withDestinationPath: "/proc")
        #expect(try await tower.run("sync").status == 4)
        try sandbox.remove("share/tmp")
        try sandbox.remove("Tower.db")
        if hasLostList { try sandbox.remove("Tower.json") }
        let joined = try await tower.run("join", "share", "--create", "slate=\(tower.store)")
        #expect(joined.status == 0, "\(joined.output)\(joined.errors)")
        try await expectAll(laptop, tower)
        #expect(try laptop.titles().first == "Cream")
        let devices = try await laptop.run("devices", "--format", "json").json["devices"]?.array
        #expect(devices?.count == 2)
    }

    @Test(
        "A file beside the store that is older than the store stops the sync, and --discard-local takes what all have"
    )
    func olderState() async throws {
        let (laptop, tower) = try await pair()
        let state = try sandbox.bytes("Tower.db.foldersync")
        try laptop.sql(Machine.task("t50", "Gone soon") + Machine.task("t51", "Stays"))
        try await laptop.run("sync")
        #expect(try await tower.run("sync").status == 0)
        try laptop.sql("DELETE FROM tasks WHERE id = 't50'")
        try await laptop.run("sync")
        try sandbox.write("Tower.db.foldersync", state)
        for _ in 0..<2 {
            let stopped = try await tower.run("sync")
            #expect(stopped.status == 5, "\(stopped.output)\(stopped.errors)")
            #expect(stopped.errors.contains("Tower.db.foldersync is an older copy of itself"), "\(stopped.errors)")
            #expect(stopped.errors.contains("differs in 1 record;"), "\(stopped.errors)")
        }
        #expect(try await tower.run("status").output.contains("differs in 1 record;"))
        #expect(try await tower.run("sync", "--discard-local").status == 0)
        for machine in [laptop, tower, laptop, tower] { #expect(try await machine.run("sync").status == 0) }
        for machine in [laptop, tower] {
            let titles = try machine.titles()
            #expect(titles.count == 42 && titles.contains("Stays") && !titles.contains("Gone soon"), "\(machine.name)")
            #expect(try await machine.run("verify").status == 0)
        }
    }

    @Test("A file beside the store that is older needs no decision where the folder has what the store has")
    func olderStateOfNothingLost() async throws {
        let (laptop, tower) = try await pair()
        let state = try sandbox.bytes("Tower.db.foldersync")
        try laptop.sql(Machine.task("t50", "New"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try tower.sql(Machine.task("t51", "Own"))
        try await tower.run("sync")
        try sandbox.write("Tower.db.foldersync", state)
        for machine in [tower, laptop, tower, laptop] { #expect(try await machine.run("sync").status == 0) }
        for machine in [laptop, tower] {
            #expect(try machine.titles().count == 43, "\(machine.name)")
            #expect(try await machine.run("conflicts").status == 0)
            #expect(try await machine.run("verify").status == 0)
        }
    }

    @Test("A folder that was moved from another copy gets what this device had published only into its own")
    func movedFolder() async throws {
        let (laptop, tower) = try await pair()
        try FileManager.default.copyItem(atPath: sandbox.path("share"), toPath: sandbox.path("nas"))
        try tower.sql(Machine.task("t50", "Left behind"))
        try await tower.run("sync")
        try sandbox.remove("share")
        for machine in [tower, laptop] {
            let joined = try await machine.run("join", "nas", "--store", machine.store)
            #expect(joined.status == 0, "\(joined.output)\(joined.errors)")
            #expect(
                joined.output.contains("were missing in the folder") == (machine.name == "Tower"),
                "\(joined.output)"
            )
        }
        #expect(try laptop.titles().contains("Left behind"))
    }

    @Test("Of a lost store sync says how it comes back")
    func advice() async throws {
        let (_, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("Tower.db")
        let lost = try await tower.run("sync")
        #expect(lost.status == 66 && lost.errors.contains("store.not-found"), "\(lost.errors)")
        let way = "foldersync join \(sandbox.path("share")) --create slate=\(tower.store)"
        #expect(lost.errors.contains(way), "\(lost.errors)")
        let json = try await tower.run("sync", "--format", "json").json["stores"]?.array?.first
        #expect(json?["failure"]?["message"]?.string?.contains(way) == true)
    }

    @Test("A store that never held the records is not taken for one in which they were deleted")
    func replaced() async throws {
        let (laptop, tower) = try await pair()
        try sandbox.remove("Tower.db")
        try AppStores.all.make(.slate, at: tower.store)
        try tower.sql(Machine.task("mine", "Mine"))
        let files = try FileManager.default.subpathsOfDirectory(atPath: sandbox.path("share")).sorted()
        for arguments in [["sync"], ["sync", "--accept-mass-change", "41"], ["status"]] {
            let stopped = try await tower.run(arguments)
            let words = stopped.output + stopped.errors
            #expect(stopped.status == (arguments == ["status"] ? 3 : 5), "\(words)")
            #expect(words.contains("this is not the store that was synced here"), "\(words)")
            #expect(words.contains("foldersync join") && !words.contains("--accept-mass-change"), "\(words)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path("share")).sorted() == files)
        #expect(try await tower.run("join", "share", "--store", tower.store).status == 0)
        for machine in [laptop, tower, laptop] { #expect(try await machine.run("sync").status == 0) }
        for machine in [laptop, tower] {
            #expect(try machine.titles().count == 42)
            #expect(try machine.titles().contains("Mine"))
        }
    }

    /// Makes a sync end between its comparison of the whole store and the end.
    private static let interrupted: [[String]] = [["repair"], ["sync"]]

    @Test("Nor is one that lost all and its sync tables, whatever was to be compared before", arguments: interrupted)
    func emptied(_ arguments: [String]) async throws {
        let (laptop, tower) = try await pair()
        // The store was to be compared as a whole, which could not be done as the rows of half of it were gone.
        try tower.sql("DROP TRIGGER satchel_tasks_delete; DELETE FROM tasks WHERE id <> 't1'")
        #expect(try await tower.run(arguments).status == 5)
        try tower.sql(
            """
            DELETE FROM tasks; DROP TABLE satchel_sync; DROP TABLE satchel_journal; DROP TABLE satchel_removed;
            """
        )
        let triggers = try await DatabaseQueue(path: tower.store).read {
            try String.fetchAll($0, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
        }
        for name in triggers { try tower.sql("DROP TRIGGER \(name)") }
        for _ in 0..<2 {
            let stopped = try await tower.run(arguments)
            let words = stopped.output + stopped.errors
            #expect(stopped.status == 5 && words.contains("this is not the store that was synced here"), "\(words)")
            #expect(!words.contains("--accept-mass-change"), "\(words)")
        }
        #expect(try await tower.run("join", "share", "--store", tower.store).status == 0)
        try await expectAll(laptop, tower)
    }

    @Test("A device that joins with a store made for it publishes nothing, and has the digest of the others at once")
    func joinedDigest() async throws {
        for app in ["slate", "bztimer", "tracker", "study"] {
            let (one, two) = (Machine("One\(app)", in: sandbox), Machine("Two\(app)", in: sandbox))
            let contribution = "share-\(app)"
            let made = try await one.run("init", contribution, "--create", "\(app)=\(one.store)", "--name", "One")
            if app == "slate" { try one.sql("INSERT INTO meta (key, value) VALUES ('day_start', '03:00')") }
            let edited = try await one.run("sync")
            let joined = try await two.run("join", contribution, "--create", "\(app)=\(two.store)", "--name", "Two")
            #expect(made.status == 0 && edited.status == 0 && joined.status == 0, "\(made.errors)\(joined.errors)")
            #expect(!joined.output.contains("published"), "\(app): \(joined.output)")
            let (first, second) = (try await one.run("verify"), try await two.run("verify"))
            #expect(first.status == 0 && first.output.suffix(65) == second.output.suffix(65), "\(app)")
        }
    }

    @Test("Of a few records that a replaced store lacks none is deleted, and what it has otherwise stands beside it")
    func replacedSmall() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Bread") + Machine.task("t3", "Tea"))
        for machine in [laptop, tower] { #expect(try await machine.run("sync").status == 0) }
        try sandbox.remove("Tower.db")
        try AppStores.all.make(.slate, at: tower.store)
        try tower.sql(Machine.task("t2", "Rolls"))
        let asked = try await tower.run("sync")
        #expect(asked.status == 5 && asked.errors.contains("\"Rolls\""), "\(asked.errors)")
        #expect(try await tower.run("sync", "--accept-mass-change", "1").status == 3)
        #expect(try await laptop.run("sync").status == 3)
        for machine in [laptop, tower] { #expect(try machine.titles().count == 3) }
        let conflicts = try await laptop.run("conflicts").output
        #expect(conflicts.contains("Bread") && conflicts.contains("Rolls"), "\(conflicts)")
    }

    @Test("A join that fails leaves nothing behind")
    func failedJoin() async throws {
        let (laptop, tower) = try await pair()
        let third = Machine("Third", in: sandbox)
        try sandbox.write("file", "no store")
        try AppStores.all.make(.study, at: sandbox.path("Study.db"))
        try sandbox.write("Study.db.foldersync", "no database")
        let study = sandbox.path("Study.db")
        let before = try sandbox.names()
        for arguments in [
            ["--create", "slate=new/deep/Third.db", "--create", "tracker=file"],
            ["--create", "slate=new/Third.db", "--store", study, "--name", "Other"],
            ["--create", "slate=Third.db", "--name", "Laptop"],
        ] {
            let failed = try await third.run(["join", "share"] + arguments)
            #expect(failed.status != 0)
            #expect(try sandbox.names() == before, "\(arguments)")
        }
        #expect(try await third.run("join", "share", "--create", "slate=\(third.store)").status == 0)
        try await expectAll(laptop, tower, third)
    }

    @Test("An init that fails leaves nothing behind")
    func failedInit() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try sandbox.write("Laptop.db.foldersync", "no database")
        let before = try sandbox.names()
        for store in [["--store", laptop.store], ["--create", "study=new/Study.db", "--store", laptop.store]] {
            let failed = try await laptop.run(["init", "share"] + store)
            #expect(failed.status == 65, "\(failed.errors)")
            #expect(try sandbox.names() == before)
        }
    }

    @Test("On a terminal a mass change is accepted by typing its number", arguments: ["40\n", "39\n", "y\n", "\n"])
    func typed(_ answer: String) async throws {
        let (laptop, tower) = try await pair()
        try laptop.sql("DELETE FROM tasks WHERE id <> 't1';")
        let outcome = try await laptop.onTerminal("sync", answers: answer)
        #expect(outcome.output.contains("Type 40 to accept this on all devices"), "\(outcome.output)")
        #expect(outcome.status == (answer == "40\n" ? 0 : 5), "\(outcome.output)")
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.titles().count == (answer == "40\n" ? 1 : 41))
    }
}
