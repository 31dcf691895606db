import AppList
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// What foldersync says, and leaves behind, where something cannot be done.
@Suite("What cannot be done")
struct MistakeTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A store that is missing is no store without conflicts")
    func missingStore() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try sandbox.remove("Laptop.db")
        let outcome = try await laptop.run("conflicts")
        #expect(outcome.status == 66)
        #expect(outcome.output.isEmpty, "\(outcome.output)")
    }

    static let rows: [(app: AppID, table: String, sql: String, message: String)] = [
        (
            .study, "sessions",
            "INSERT INTO session VALUES ('s1', 'd', 'T', 'odd', '2026-01-01T00:00:00Z', NULL, 0, NULL)",
            "the session \"s1\" has the text \"odd\" in the column status, expected one of active, paused, completed;"
        ),
        (
            .tracker, "activities",
            "INSERT INTO activity (key, id, name, start_ms) VALUES (7, CAST(x'ff' AS TEXT), 'A', 1)",
            "the activity with the key 7 has a text that is no UTF-8 in the column id, expected text; correct it with"
        ),
        (
            .tracker, "activities",
            "INSERT INTO activity (key, id, name, start_ms, start_ns) VALUES (7, 'a', 'A', 1, -5)",
            "the activity with the key 7 has the number -5 in the column start_ns, expected 0 to 999999;"
        ),
        (
            .tracker, "activities",
            "INSERT INTO activity (key, id, name, start_ms, end_ms) VALUES (7, 'a', 'A', 1, 4611686018427387904)",
            "the activity with the key 7 has the number 4611686018427387904 in the column end_ms, expected NULL or the"
        ),
        (
            .tracker, "buttons",
            "INSERT INTO button VALUES (1, 'b', 'B', CAST(x'ff' AS TEXT), '', 0, 0, 1, NULL)",
            "the button \"b\" has a text that is no UTF-8 in the column color, expected text; correct it with sqlite3"
        ),
    ]

    @Test("A row that cannot be read is named, with its column", arguments: rows)
    func row(_ row: (app: AppID, table: String, sql: String, message: String)) throws {
        let path = sandbox.path("store.db")
        try AppStores.all.make(row.app, at: path)
        let database = try RawDatabase(path)
        try database.run(row.sql)
        database.close()
        let error = #expect(throws: StoreError.self) {
            try AppStores.all.open(path).read { records in try records.forEachRecord(in: row.table) { _, _ in } }
        }
        #expect(error?.message.hasPrefix(row.message) == true, "\(String(describing: error))")
    }

    @Test("The log of a record that nobody knows is a mistake; of one without changes in the folder it is not")
    func log() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let outcome = try await laptop.run("log", "--record", "tasks/nope")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("no record tasks/nope is known"), "\(outcome.errors)")
        #expect(try await laptop.run("log", "--record", "tasks/t1").status == 0)
    }

    @Test("A database of an older version of a declared app is told to be updated, and what it lacks is named")
    func olderApp() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        let tables = "CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
        try laptop.sql(tables + "ALTER TABLE plant ADD COLUMN mood TEXT; INSERT INTO plant VALUES (1, 'Aloe', NULL)")
        let declared = try await laptop.run("declare", laptop.store, "--id", "plants", "--title", "Plants")
        let file = try sandbox.write("plants.json", declared.output)
        let made = try await laptop.run(
            ["init", "share", "--store", laptop.store, "--app", file, "--name", "Laptop"]
        )
        #expect(made.status == 0, "\(made.errors)")
        try tower.sql(tables)
        let older = try await tower.run("join", "share", "--store", tower.store)
        #expect(older.status == 65)
        #expect(older.errors.contains("the table \"plant\" has no column \"mood\""), "\(older.errors)")
        #expect(older.errors.contains("declaration of Plants names: update the app"), "\(older.errors)")
        let named = try await tower.run("join", "share", "--store", tower.store, "--app", "plants")
        #expect(named.status == 65 && named.errors.contains("update it first"), "\(named.errors)")
        try tower.sql("ALTER TABLE plant ADD COLUMN mood TEXT")
        let joined = try await tower.run("join", "share", "--store", tower.store)
        #expect(joined.status == 0, "\(joined.errors)")

        // The database comes back from a backup of before the update.
        try tower.sql("ALTER TABLE plant DROP COLUMN mood")
        let back = try await tower.run("sync")
        #expect(back.status == 65)
        #expect(back.errors.contains("back from a backup? Then update the app"), "\(back.errors)")
        try sandbox.remove("Tower.db")
        try tower.sql("CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT)")
        try sandbox.remove("Tower.db.foldersync")
        let other = try await tower.run("join", "share", "--store", tower.store)
        #expect(other.errors.contains("is no store of BZ Timer"), "\(other.errors)")
    }

    @Test("What init and join made goes again where they fail, so that the next try is the first")
    func madeStores() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try sandbox.write("file", "no folder")
        let failed = try await laptop.run(
            "init",
            "file/share",
            "--create",
            "slate=Laptop.db",
            "--create",
            "study=Study.db"
        )
        #expect(failed.status != 0)
        #expect(!sandbox.has("Laptop.db") && !sandbox.has("Study.db"))
        // The second cannot be made: there is something already, which stays.
        let second = try await laptop.run("init", "share", "--create", "slate=Laptop.db", "--create", "study=file")
        #expect(second.status == 73, "\(second.errors)")
        #expect(!sandbox.has("Laptop.db") && !sandbox.has("share"))
        #expect(try sandbox.bytes("file") == Array("no folder".utf8))
        let made = try await laptop.run("init", "share", "--create", "slate=Laptop.db")
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test("A folder whose stores could not join is none that is shared")
    func madeSpace() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try sandbox.write("Laptop.db.foldersync", "no database")
        let failed = try await laptop.run("init", "share", "--store", laptop.store)
        #expect(failed.status == 65, "\(failed.errors)")
        #expect(!sandbox.has("share"))
        try sandbox.remove("Laptop.db.foldersync")
        #expect(try await laptop.run("init", "share", "--store", laptop.store).status == 0)
    }

    @Test("A folder within a shared one is refused")
    func within() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let other = Machine("Other", in: sandbox)
        try AppStores.all.make(.study, at: other.store)
        for machine in [laptop, other] {
            let outcome = try await machine.run("init", "share/w/mine", "--store", other.store)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("lies in the shared folder \(sandbox.path("share"))"), "\(outcome.errors)")
            #expect(!sandbox.has("share/w/mine"))
        }
    }

    @Test("A device that has left its only folder knows no other, and is told how to join one")
    func left() async throws {
        let (_, tower) = try await Machine.pair(in: sandbox)
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        let outcome = try await tower.run("devices", "retire", "Laptop")
        #expect(outcome.status == 66 && outcome.errors.contains("joined no folder"), "\(outcome.errors)")
    }

    @Test("What a folder that takes nothing keeps from repairing and compacting is what keeps it from synchronising")
    func readOnly() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        // As a full disk does it: what should be a folder is a file, so that nothing can be made in it.
        for name in ["ckpt", "tmp"] { try sandbox.remove("share/\(name)") }
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("share/tmp"), withDestinationPath: "/proc")
        try laptop.sql(Machine.rename("t1", "Cream"))
        let codes = try await [laptop.run("sync").status, laptop.run("repair").status, laptop.run("compact").status]
        #expect(codes == [4, 4, 4])
    }

    @Test("What a folder does not take is not called published, and what waited is once it takes it")
    func outbox() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("share/tmp")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("share/tmp"), withDestinationPath: "/proc")
        try laptop.sql(Machine.rename("t1", "Cream"))
        let kept = try await laptop.run("sync")
        #expect(kept.status == 4)
        #expect(kept.output.hasPrefix("Slate: 1 record to publish: changed task \"Cream\""), "\(kept.output)")
        #expect(!kept.output.contains("published 1"), "\(kept.output)")
        let quiet = try await laptop.run("sync", "--quiet")
        #expect(quiet.status == 4 && quiet.output.isEmpty, "\(quiet.output)")
        #expect(quiet.errors.contains("Slate: 1 change cannot be published"), "\(quiet.errors)")
        let again = try await laptop.run("sync", "--format", "json")
        #expect(again.status == 4)
        #expect(try again.json["stores"]?.array?.first?.object?["published"]?.array?.isEmpty == true)
        try sandbox.remove("share/tmp")
        let dry = try await laptop.run("sync", "--dry-run")
        #expect(dry.output == "Slate: would publish 1 record that waited: changed task \"Cream\" (title \"Cream\")\n")
        let published = try await laptop.run("sync")
        #expect(published.status == 0)
        #expect(published.output == "Slate: published 1 record that waited: changed task \"Cream\" (title \"Cream\")\n")
        #expect(try await laptop.run("sync").output == "Slate: in step, nothing to do\n")
        #expect(try await tower.run("sync").output.contains("took 1 record"))
    }

    @Test("A deletion that is published later is named by the record's title")
    func lateDeletion() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try sandbox.remove("share/tmp")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("share/tmp"), withDestinationPath: "/proc")
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        #expect(try await laptop.run("sync").status == 4)
        try sandbox.remove("share/tmp")
        let dry = try await laptop.run("sync", "--dry-run")
        #expect(dry.output == "Slate: would publish 1 record that waited: deleted task \"Milk\"\n")
        let published = try await laptop.run("sync")
        #expect(published.output == "Slate: published 1 record that waited: deleted task \"Milk\"\n")
        #expect(try await tower.run("sync").output.contains("deleted task \"Milk\""))
    }

    @Test("A dry run over a folder that takes nothing ends as the real run, and says why")
    func dryOutbox() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try sandbox.remove("share/tmp")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("share/tmp"), withDestinationPath: "/proc")
        #expect(try await laptop.run("sync", "--dry-run").status == 0)
        try laptop.sql(Machine.rename("t1", "Cream"))
        let sync = try await laptop.run("sync", "--dry-run")
        #expect(sync.status == 4)
        #expect(
            sync.output.contains("1 record to publish") && sync.output.contains("cannot be published"),
            "\(sync.output)"
        )
        let leave = try await laptop.run("leave", "share", "--dry-run")
        #expect(leave.status == 4)
        #expect(leave.errors.contains("not published"), "\(leave.errors)")
        #expect(try await laptop.run("leave", "share", "--dry-run", "--unpublished").status == 0)
        #expect(try await laptop.run("sync", "--dry-run", "--format", "json").status == 4)
    }

    @Test("A wrong command line with --format json prints the failure as JSON")
    func wrongLine() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        for line in [
            ["sync", "--format", "json", "--nonsense"], ["sync", "--nonsense", "--format=json"],
            ["--format", "json", "nonsense"], ["sync", "--format", "json", "--accept-mass-change", "x"],
        ] {
            let run = try await laptop.run(line)
            #expect(run.status == 64)
            #expect(try run.json["failure"]?["status"] == 64, "\(line) \(run.output)")
        }
    }

    @Test("Changes that --discard-local drops are named, and kept in a file")
    func discarded() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Cream"))
        let dry = try await laptop.run("sync", "--discard-local", "--dry-run")
        #expect(dry.output.contains("would drop 1 change of this store: changed task \"Cream\""), "\(dry.output)")
        let names = { try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path) }
        #expect(try !names().contains { $0.contains(".dropped-") })
        let run = try await laptop.run("sync", "--discard-local")
        #expect(run.status == 0)
        let name = try #require(try names().first { $0.contains(".dropped-") })
        #expect(run.output.contains(name) && run.output.contains("Cream"), "\(run.output)")
        let kept = try JSONDocument(parsing: Array(Data(contentsOf: URL(filePath: sandbox.path(name))))).root.value
        #expect(kept.array?.count == 1)
        #expect(kept.array?.first?["here"]?["title"] == "Cream" && kept.array?.first?["before"]?["title"] != nil)
        #expect(try await laptop.run("sync").output == "Slate: in step, nothing to do\n")
    }

    @Test("Where a space's marker is gone, no other space is made among its files; repair brings it back")
    func markerGone() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let shared = sandbox.path("share")
        let root = try #require(
            FileManager.default.contentsOfDirectory(atPath: shared).first { $0.hasSuffix(".root") }
        )
        try sandbox.remove("share/\(root)")
        let adopted = try await laptop.run("merge-spaces", "share")
        #expect(adopted.status != 0 && adopted.output.isEmpty, "\(adopted.output)")
        #expect(try await laptop.run("leave", "share", "--yes", "--unpublished").status == 0)
        let before = try FileManager.default.subpathsOfDirectory(atPath: shared).sorted()
        let made = try await laptop.run("init", "share", "--store", laptop.store)
        #expect(made.status == 73, "\(made.output)\(made.errors)")
        #expect(made.errors.contains("foldersync repair") && made.errors.contains("join"), "\(made.errors)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: shared).sorted() == before)
        #expect(try await laptop.run("join", "share", "--store", laptop.store).errors.contains("foldersync repair"))
        #expect(try await tower.run("repair").status == 0)
        #expect(sandbox.has("share/\(root)"))
        #expect(try await laptop.run("join", "share", "--store", laptop.store).status == 0)
    }
}
