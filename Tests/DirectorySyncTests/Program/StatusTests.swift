import AppList
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// What foldersync says of what waits, of what is not synchronised, and of what went by itself.
@Suite("What waits for a person, and what is told once")
struct StatusTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test(
        "Columns and tables of a newer app are named by init, join, status and verify, and not by each synchronisation"
    )
    func unknownColumns() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for machine in [laptop, tower] {
            try AppStores.all.make(.slate, at: machine.store)
            try machine.sql("ALTER TABLE tasks ADD COLUMN mood TEXT; CREATE TABLE moods (id TEXT);")
        }
        let outcomes = try await [
            laptop.run("init", "share", "--store", laptop.store, "--name", "Laptop"),
            tower.run("join", "share", "--store", tower.store, "--name", "Tower"), laptop.run("status"),
            laptop.run("verify"),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 0, "\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n").filter {
                $0.contains("does not know the column tasks.mood, the table moods: what is there is not synchronised")
            }
            #expect(lines.count == 1, "\(outcome.output)")
        }
        #expect(try await !laptop.run("sync").output.contains("mood"))
        let json = try await laptop.run("status", "--format", "json").json["stores"]?.array?.first
        #expect(json?["unsynced"] == ["tasks.mood", "moods"])
        // What is new is named once.
        try laptop.sql("ALTER TABLE tasks ADD COLUMN weather TEXT;")
        let named = try await laptop.run("sync").output
        #expect(named.contains("does not know the column tasks.weather: what is there"), "\(named)")
        try laptop.sql(Machine.task("t8", "Bread"))
        #expect(try await !laptop.run("sync").output.contains("weather"))
    }

    @Test("A folder that is away is named once, however many stores it keeps in step")
    func absentFolder() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let joined = try await laptop.run("join", "share", "--create", "study=\(sandbox.path("timer.db"))")
        #expect(joined.status == 0, "\(joined.errors)")
        try FileManager.default.moveItem(atPath: sandbox.path("share"), toPath: sandbox.path("away"))
        let errors = try await laptop.run("sync").errors
        #expect(errors.components(separatedBy: "directory.absent").count == 2, "\(errors)")
        let status = try await laptop.run("status").output
        let named = "he folder \(sandbox.path("share")) cannot be used now"
        #expect(status.components(separatedBy: named).count == 2, "\(status)")
    }

    @Test("A change that lies in the folder is named before it is taken in")
    func unread() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql(Machine.rename("t1", "Cream"))
        try await tower.run("sync")
        let status = try await laptop.run("status").output
        #expect(status.contains("1 change of Tower not yet taken in: run sync"), "\(status)")
        #expect(status.contains("1 change of it not yet taken in"), "\(status)")
        try await laptop.run("sync")
        #expect(try await laptop.run("status").output.hasPrefix("All 2 devices are up to date."))
        // Nobody waits for a retired device, but its changes are taken in.
        try await laptop.run("devices", "retire", "Tower")
        try tower.sql(Machine.rename("t1", "Butter"))
        try await tower.run("sync")
        let retired = try await laptop.run("status").output
        #expect(retired.hasPrefix("1 change of Tower not yet taken in: run sync."), "\(retired)")
    }

    @Test("A plan item that goes as its task was deleted elsewhere is told")
    func keptBack() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(
            """
            INSERT INTO day_plan (date) VALUES ('2026-02-03');
            INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p1', '2026-02-03', 'task', 't1');
            """
        )
        try tower.sql("DELETE FROM tasks WHERE id = 't1';")
        try await tower.run("sync")
        let words = "blocked 1 record, as what it belongs to was deleted: plan item \"2026-02-03\""
        let taken = try await laptop.run("sync")
        #expect(taken.output.contains(words), "\(taken.output)")
        #expect(try await !laptop.run("sync").output.contains("blocked 1 record"))
        // The task comes back, and with it the item.
        try tower.sql(Machine.task("t1", "Milk"))
        try await tower.run("sync")
        try await laptop.run("sync")
        #expect(try AppStores.all.open(laptop.store).read { try $0.count("day_plan_items") } == 1)
    }

    @Test("A mass change waits for a person")
    func massChange() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql((1...40).map { Machine.task("m\($0)", "Task \($0)") }.joined())
        try await laptop.run("sync")
        try laptop.sql("DELETE FROM tasks;")
        let before = try sandbox.names()
        let status = try await laptop.run("status")
        #expect(status.status == 3)
        #expect(status.output.contains("The next sync stops: 41 of"), "\(status.output)")
        #expect(try sandbox.names() == before)
        #expect(try await laptop.run("sync").status == 5)
        #expect(try await laptop.run("status").status == 3)
        #expect(try await laptop.run("sync", "--accept-mass-change", "41").status == 0)
        #expect(try await laptop.run("status").status == 0)
        #expect(try await tower.run("status").status == 0)
    }

    @Test("A plan item that was moved and planned again is on both days, and verify finds no fault in its identifier")
    func movedItem() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        func item(_ id: String, _ day: String) -> String {
            "INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('\(id)', '\(day)', 'task', 't1');"
        }
        try laptop.sql(item("p", "2026-01-01"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try laptop.sql("UPDATE day_plan_items SET date = '2026-01-02'; " + item("q", "2026-01-01"))
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        var digests: Set<String> = []
        for machine in [laptop, tower] {
            var days: Set<String?> = []
            try AppStores.all.open(machine.store).read { records in
                try records.forEachRecord(in: "day_plan_items") {
                    days.insert($1["date"]?.string)
                } unreadable: { _ in
                }
            }
            #expect(days == ["2026-01-01", "2026-01-02"])
            let verified = try await machine.run("verify")
            #expect(verified.status == 0, "\(verified.output)")
            digests.insert(verified.output.components(separatedBy: "digest ").last ?? "")
        }
        #expect(digests.count == 1)
    }

    @Test("Several spaces are the same to status as to sync")
    func severalSpaces() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let other = Machine("Other", in: sandbox)
        #expect(try await other.run("init", "other", "--create", "slate=\(other.store)").status == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.path("other"))
        where name.hasSuffix(".root") {
            try FileManager.default.copyItem(
                atPath: sandbox.path("other/\(name)"),
                toPath: sandbox.path("share/\(name)")
            )
        }
        let codes = try await [laptop.run("status").status, laptop.run("sync").status, laptop.run("verify").status]
        // Who has joined one goes on, and is told.
        #expect(codes == [3, 3, 3])
        #expect(try await laptop.run("sync").output.contains("devices began apart: "))
    }

    @Test("Exports that cannot be used, or wait for a person, are listed and counted by status and inbox list")
    func inboxes() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try FileManager.default.createDirectory(atPath: sandbox.path("phone"), withIntermediateDirectories: true)
        #expect(try await laptop.run("inbox", "add", "phone", "--device", "Phone").status == 0)
        #expect(try await laptop.run("inbox", "list").status == 0)
        try sandbox.write("phone/Slate-1.json", "{\"tasks\": [")
        try sandbox.write("phone/log.json", try Fixtures.bytes("tracker/v2/offsets.json"))
        #expect(try await laptop.run("sync").status == 3)
        for arguments in [["status"], ["inbox", "list"]] {
            let outcome = try await laptop.run(arguments)
            #expect(outcome.status == 3)
            #expect(outcome.output.contains("Phone: cannot be used: ") && outcome.output.contains("Slate-1.json"))
            #expect(outcome.output.contains("Phone: log.json waits for you: log.json is an export of Time Tracker"))
        }
        // A store for it is made: it is taken now.
        try sandbox.remove("phone/Slate-1.json")
        let path = sandbox.path("tracker.db")
        #expect(try await laptop.run("join", "share", "--create", "tracker=\(path)").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("status").status == 0)
    }

    @Test("A file that no store can use is named once, and of many the first twenty")
    func manyDamagedFiles() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let path = sandbox.path("tracker.db")
        #expect(try await laptop.run("join", "share", "--create", "tracker=\(path)").status == 0)
        for number in 1...25 {
            let name =
                "\(String(repeating: "0", count: number < 10 ? 9 : 8))\(number)-\(String(repeating: "\(number % 10)", count: 32)).seg"
            try FileManager.default.createDirectory(
                atPath: sandbox.path("share/w/evil"),
                withIntermediateDirectories: true
            )
            try sandbox.write("share/w/evil/\(name)", "no segment")
        }
        for _ in 0..<2 {
            let found = try await laptop.run("sync")
            #expect(found.status == 3)
            let lines = found.output.split(separator: "\n")
            #expect(lines.count { $0.contains("is damaged (w/evil") } == 20, "\(found.output)")
            #expect(lines.count { $0.contains("and 5 more files") } == 1, "\(found.output)")
        }
    }
}
