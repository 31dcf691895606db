import Foundation
import StrictJSON
import Testing
import TestSupport

/// `foldersync restore NAME`: one record as it was, with what belongs to it.
@Suite("Bringing one record back")
struct RestoreRecordTests {
    let sandbox: Sandbox

    /// The moment between the records' first state and what became of them.
    private static let then = "2030-01-02T00:00:00Z"

    init() throws { sandbox = try Sandbox() }

    /// Of the tasks t2 and t3, the first is deleted with its place in a day's plan, and the other has a new title.
    private func changed() async throws -> (laptop: Machine, tower: Machine) {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(
            Machine.task("t2", "Renew the passport") + Machine.task("t3", "Passport photos")
                + """
                UPDATE tasks SET due_date = '2030-02-03' WHERE id = 't2';
                INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p1', '2030-01-01', 'task', 't2'),
                    ('p2', '2030-01-01', 'task', 't3');
                """
        )
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-01T01:00:00Z")
        try tower.sql(
            "DELETE FROM day_plan_items WHERE entity_id = 't2'; DELETE FROM tasks WHERE id = 't2';"
                + Machine.rename("t3", "Photos") + Machine.rename("t1", "Cream")
        )
        try await tower.run("sync", "--now", "2030-01-03T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-03T01:00:00Z")
        #expect(try laptop.titles() == ["Cream", "Photos"])
        return (laptop, tower)
    }

    private func restore(_ machine: Machine, _ arguments: String...) async throws -> ProgramOutcome {
        try await machine.run(["restore", "--at", Self.then, "--now", "2030-01-04T00:00:00Z"] + arguments)
    }

    /// The action and key of each record of a result.
    private func records(_ outcome: ProgramOutcome) throws -> [String] {
        try outcome.json["records"]?.array?.map {
            "\($0["action"]?.string ?? "") \($0["collection"]?.string ?? "") \($0["key"]?.string ?? "")"
        } ?? []
    }

    @Test("A deleted record comes back by a part of its title, with what was removed with it and nothing else")
    func deleted() async throws {
        let (laptop, tower) = try await changed()
        let dry = try await restore(laptop, "renew", "--dry-run", "--format", "json")
        #expect(dry.status == 0, "\(dry.errors)")
        let keys = try records(dry)
        #expect(keys.count == 2 && keys.contains("added tasks t2"), "\(keys)")
        #expect(keys.contains { $0.hasPrefix("added day_plan_items") && $0.contains("t2") }, "\(keys)")
        let task = try dry.json["records"]?.array?.first { $0["key"]?.string == "t2" }
        #expect(task?["edit"]?["device"]?["name"]?.string == "Tower")
        #expect(task?["edit"]?["time"]?.string == "2030-01-03T00:00:00Z")
        let values = task?["values"]?.array ?? []
        #expect(values.first { $0["name"]?.string == "due_date" }?["new"]?.string == "2030-02-03")
        #expect(try laptop.titles() == ["Cream", "Photos"])
        #expect(try await restore(laptop, "renew").status == 64)
        let outcome = try await restore(laptop, "share", "renew", "--yes")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.contains("comes back  task \"Renew the passport\" (archived no; due date Sun 3 Feb 2030"),
            "\(outcome.output)"
        )
        #expect(outcome.output.contains(", deleted 2030-01-03T00:00:00+00:00 by Tower"), "\(outcome.output)")
        try await tower.run("sync", "--now", "2030-01-05T00:00:00Z")
        for machine in [laptop, tower] {
            #expect(try machine.titles() == ["Cream", "Renew the passport", "Photos"])
        }
        let again = try await restore(laptop, "renew", "--yes", "--format", "json")
        #expect(again.status == 0)
        #expect(try records(again).isEmpty && again.json["sync"]?.isNull == true)
    }

    @Test("A restore is taken back, and made again, by the time that it names")
    func undo() async throws {
        let (laptop, _) = try await changed()
        let outcome = try await restore(laptop, "renew", "--yes", "--format", "json")
        let undo = try #require(try outcome.json["undoAt"]?.string)
        let back = try await laptop.run("restore", "tasks/t2", "--at", undo, "--yes", "--format", "json")
        #expect(back.status == 0, "\(back.errors)")
        let keys = try records(back)
        #expect(keys.count == 2 && keys.contains("deleted tasks t2"), "\(keys)")
        #expect(try laptop.titles() == ["Cream", "Photos"])
        let redo = try #require(try back.json["undoAt"]?.string)
        #expect(try await laptop.run("restore", "t2", "--at", redo, "--yes").status == 0)
        #expect(try laptop.titles() == ["Cream", "Renew the passport", "Photos"])
    }

    static let titles: [String] = ["Passport photos", "photos", "Photos", "tasks/t3", "t3"]

    @Test("A record is found by its title now and then, and by its key; its values go back", arguments: titles)
    func renamed(_ name: String) async throws {
        let (laptop, _) = try await changed()
        let outcome = try await restore(laptop, name, "--yes")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            outcome.output.contains(
                "goes back   task \"Photos\" (title \"Photos\" → \"Passport photos\"), changed 2030"
            ),
            "\(outcome.output)"
        )
        #expect(try laptop.titles() == ["Cream", "Passport photos"])
    }

    @Test("A name of several is refused, with what tells them apart; one of none with the nearest")
    func ambiguous() async throws {
        let (laptop, _) = try await changed()
        let outcome = try await restore(laptop, "passport", "--yes")
        #expect(outcome.status == 64)
        for words in [
            "\"Renew the passport\" (task, tasks/t2, due date Sun 3 Feb 2030, deleted 2030-01-03T00:00:00+00:00 by Tower)",
            "\"Passport photos\" (task, tasks/t3,",
        ] {
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        let none = try await restore(laptop, "pasport", "--yes")
        #expect(none.status == 66)
        #expect(none.errors.contains("did you mean"), "\(none.errors)")
        #expect(try await restore(laptop, "a", "b", "c").status == 64)
        #expect(try laptop.titles() == ["Cream", "Photos"])
    }

    @Test("Where several have a name, the only one that is different is meant")
    func onlyDifferent() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Read") + Machine.task("t3", "Read"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        // An edit that no sync has published yet counts.
        try laptop.sql("DELETE FROM tasks WHERE id = 't3';")
        let outcome = try await restore(laptop, "read", "--yes", "--format", "json")
        #expect(try records(outcome) == ["added tasks t3"], "\(outcome.errors)")
        #expect(try laptop.titles() == ["Milk", "Read", "Read"])
    }

    @Test("Of several stores the one is taken that has the record")
    func severalStores() async throws {
        let (laptop, _) = try await changed()
        let joined = try await laptop.run("join", "share", "--create", "study=\(sandbox.path("timer.db"))")
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try await restore(laptop, "--yes").status == 64)
        #expect(try await restore(laptop, "renew", "--yes").status == 0)
        #expect(try laptop.titles() == ["Cream", "Renew the passport", "Photos"])
    }

    @Test("A session of BZ Timer comes back at its place in the order")
    func order() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let store = sandbox.path("bztimer.db")
        #expect(try await laptop.other("bzpack", ["init", "--pro", "--store", store]).status == 0)
        for name in ["Arms", "Back", "Core"] {
            let made = try await laptop.other("bzpack", ["new", name, "--text", "Work 20 s", "--store", store])
            #expect(made.status == 0, "\(made.errors)")
        }
        #expect(try await laptop.run("join", "share", "--store", store).status == 0)
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        let deleted = try await laptop.other("bzpack", ["session", "delete", "Back", "--yes", "--store", store])
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(try await restore(laptop, "back", "--yes").status == 0)
        let list = try await laptop.other("bzpack", ["list", "--store", store]).output
        let places = ["Arms", "Back", "Core"].map { list.range(of: $0)?.lowerBound }
        #expect(places.allSatisfy { $0 != nil })
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(list)")
    }

    @Test("A session is meant before the entries of the history that have its title")
    func borrowedTitle() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let store = sandbox.path("bztimer.db")
        func timer(_ arguments: String...) async throws {
            let outcome = try await laptop.other("bzpack", arguments + ["--store", store])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try await timer("init", "--pro")
        try await timer("new", "Back", "--text", "Work 20 s")
        for day in 1...3 { try await timer("history", "add", "Back", "--completed-at", "2026-01-0\(day)T08:00:00Z") }
        #expect(try await laptop.run("join", "share", "--store", store).status == 0)
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        let database = try RawDatabase(store)
        defer { database.close() }
        try database.run("DELETE FROM history WHERE completed_at LIKE '2026-01-01%'")
        // The session is as it was.
        let entry = try await restore(laptop, "back", "--dry-run", "--format", "json")
        #expect(try records(entry).map { $0.hasPrefix("added history") } == [true], "\(entry.errors)")
        try await timer("session", "delete", "Back", "--yes")
        let outcome = try await restore(laptop, "back", "--yes", "--format", "json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try records(outcome).contains { $0.hasPrefix("added sessions") })
        #expect(try await laptop.other("bzpack", ["show", "Back", "--store", store]).status == 0)
    }

    @Test("Before the history begins, it says in local time since when there is one")
    func beforeHistory() async throws {
        let (laptop, _) = try await changed()
        for arguments in [["restore", "renew"], ["restore"], ["show"], ["show", "--changes"]] {
            let zone = ["--at", "2020-01-01T00:00:00Z", "--time-zone", "Europe/Berlin", "--app", "slate"]
            let outcome = try await laptop.run(arguments + zone)
            #expect(outcome.status == 66, "\(outcome.output)")
            #expect(
                outcome.errors.contains("the history does not reach back to 2020-01-01T01:00:00+01:00: it begins at "),
                "\(outcome.errors)"
            )
            #expect(!outcome.errors.contains(".999"))
        }
    }

    @Test("What a restored task depended on and stays gone is named")
    func lostDependency() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(
            Machine.task("t2", "Photos") + Machine.task("t3", "Passport")
                + "UPDATE tasks SET depends_on_task_id = 't2' WHERE id = 't3';"
        )
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try laptop.sql("DELETE FROM tasks WHERE id = 't3';")
        try await laptop.run("sync", "--now", "2030-01-02T12:00:00Z")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2';")
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        let dry = try await restore(laptop, "passport", "--dry-run")
        #expect(dry.output.contains("stays gone  task \"Photos\""), "\(dry.output)\(dry.errors)")
        #expect(dry.output.contains("task \"Passport\""))
        let outcome = try await restore(laptop, "passport", "--yes", "--format", "json")
        let lost = try outcome.json["staysGone"]?.array?.first
        #expect(lost?["target"]?["key"] == "t2" && lost?["record"]?["key"] == "t3", "\(outcome.output)")
        #expect(try laptop.titles().contains("Passport"))
        try await tower.run("sync")
        #expect(try tower.titles().contains("Passport"))
        // With what it depended on there is nothing to say.
        let both = try await restore(laptop, "photos", "--dry-run")
        #expect(!both.output.contains("stays gone"), "\(both.output)")
    }

    @Test("A word that is a shared folder and the name of a record restores neither unseen")
    func folderOrRecord() async throws {
        let (laptop, _) = try await changed()
        try laptop.sql(Machine.task("t7", "Share"))
        try await laptop.run("sync", "--now", "2030-01-03T02:00:00Z")
        let refused = try await restore(laptop, "share", "--yes")
        #expect(refused.status == 64 && refused.errors.contains("the name of a record"), "\(refused.errors)")
        #expect(try await restore(laptop, "./share", "--yes").status == 0)
    }

    @Test("A restore says which open conflicts it decides, and what a completion belongs to")
    func decided() async throws {
        let (laptop, tower) = try await changed()
        try laptop.sql(Machine.rename("t3", "Pictures"))
        try tower.sql(Machine.rename("t3", "Portraits"))
        try await tower.run("sync", "--now", "2030-01-03T03:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-03T03:00:00Z")
        let dry = try await restore(laptop, "t3", "--dry-run")
        #expect(dry.output.contains("decides     the conflict of task"), "\(dry.output)")
        let all = try await restore(laptop, "t2", "--dry-run")
        #expect(all.output.contains("plan item \"2030-01-01\" of \"Renew the passport\""), "\(all.output)")
    }

    @Test(
        "A record that another device made for a deleted one is blocked, counted, and named where a restore brings it back"
    )
    func heldBack() async throws {
        let (laptop, tower) = try await Machine.pair(in: Sandbox())
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        try tower.sql(
            """
            INSERT INTO day_plan (date) VALUES ('2026-02-03');
            INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p1', '2026-02-03', 'task', 't1');
            """
        )
        for machine in [laptop, tower, laptop] { try await machine.run("sync", "--now", "2030-01-02T00:00:00Z") }
        for machine in [laptop, tower] {
            let status = try await machine.run("status").output
            #expect(status.contains("1 record blocked until what it belongs to returns"), "\(status)")
        }
        let at = ["--at", "2030-01-01T12:00:00Z", "--now", "2030-01-03T00:00:00Z"]
        let dry = try await laptop.run(["restore", "Milk", "--dry-run"] + at).output
        #expect(dry.contains("2 records differ"), "\(dry)")
        #expect(dry.contains("comes back  plan item \"2026-02-03\" of \"Milk\""), "\(dry)")
        #expect(try await laptop.run(["restore", "Milk", "--yes"] + at).status == 0)
        #expect(try await !laptop.run("status").output.contains("blocked until"))
    }
}
