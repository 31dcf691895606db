import AppList
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// What `foldersync resolve` decides of conflicts that are not about values.
@Suite("Decisions about what was deleted, removed and mended")
struct ResolveTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// The laptop deleted the task that the tower gave another title and notes.
    private func contested() async throws -> (laptop: Machine, tower: Machine) {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        try tower.sql(Machine.rename("t1", "Oat milk"))
        try await laptop.run("sync")
        #expect(try await tower.run("sync").status == 3)
        #expect(try await laptop.run("sync").status == 3)
        return (laptop, tower)
    }

    static let sides: [(machine: String, side: String, titles: [String])] = [
        ("Laptop", "mine", []), ("Laptop", "theirs", ["Oat milk"]), ("Laptop", "Tower", ["Oat milk"]),
        ("Laptop", "shown", ["Oat milk"]), ("Tower", "mine", ["Oat milk"]), ("Tower", "theirs", []),
        ("Tower", "Laptop", []),
    ]

    @Test("Of what was deleted here and changed there, that is done which a side did", arguments: sides)
    func deleted(_ side: (machine: String, side: String, titles: [String])) async throws {
        let (laptop, tower) = try await contested()
        let (one, other) = side.machine == "Laptop" ? (laptop, tower) : (tower, laptop)
        let list = try await one.run("conflicts")
        #expect(list.output.contains("deleted on Laptop, changed on Tower; it is kept"), "\(list.output)")
        let decided = try await one.run("resolve", "--all", side.side)
        #expect(decided.status == 0, "\(decided.output)\(decided.errors)")
        #expect(try await other.run("sync").status == 0)
        #expect(try one.titles() == side.titles)
        #expect(try other.titles() == side.titles)
        #expect(try await one.run("conflicts").status == 0)
    }

    /// The laptop deleted what the other two renamed, and knows so.
    private func deletedAndRenamed() async throws -> (laptop: Machine, tower: Machine, third: Machine) {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        #expect(try await third.run("join", "share", "--create", "slate=\(third.store)", "--name", "Third").status == 0)
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        try tower.sql(Machine.rename("t1", "Blue"))
        try third.sql(Machine.rename("t1", "Red"))
        for machine in [laptop, tower, third, laptop] { try await machine.run("sync") }
        return (laptop, tower, third)
    }

    @Test("A record that goes has no members to decide")
    func deletedWithValues() async throws {
        let (laptop, tower, third) = try await deletedAndRenamed()
        let conflicts = try await laptop.run("conflicts").output
        #expect(conflicts.split(separator: "\n").count == 9, "\(conflicts)")
        #expect(conflicts.contains("    title \"Milk\" → \"Red\""), "\(conflicts)")
        #expect(conflicts.contains("task \"Red\": deleted on Laptop, changed on "))
        #expect(conflicts.contains("was  \"Milk\"  (Laptop, "))
        let decided = try await laptop.run("resolve", "--all", "mine")
        #expect(decided.status == 0, "\(decided.output)")
        #expect(decided.output.contains("task \"Red\": removed"), "\(decided.output)")
        for machine in [tower, third] { #expect(try await machine.run("sync").status == 0) }
        for machine in [laptop, tower, third] { #expect(try machine.titles().isEmpty) }
    }

    @Test("A device that nobody knows is a mistake, and nothing is decided")
    func unknown() async throws {
        let (laptop, _) = try await contested()
        let before = try sandbox.names()
        let outcome = try await laptop.run("resolve", "--all", "nobody")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("there is no device \"nobody\"") && outcome.errors.contains("\"Tower\""))
        #expect(try sandbox.names() == before)
    }

    @Test("What was mended is taken as it is shown, and is over on all devices")
    func mended() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Bread"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't2' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET depends_on_task_id = 't1' WHERE id = 't2';")
        try await laptop.run("sync")
        #expect(try await tower.run("sync").status == 3)
        #expect(try await laptop.run("sync").status == 3)
        let sided = try await laptop.run("resolve", "--all", "mine")
        #expect(sided.status == 3)
        #expect(sided.output.contains("tasks waited for each other") && sided.output.contains("--choose shown"))
        let decided = try await laptop.run("resolve", "--all", "shown")
        #expect(decided.status == 0, "\(decided.output)\(decided.errors)")
        for machine in [tower, laptop] {
            #expect(try await machine.run("sync").status == 0)
            #expect(try await machine.run("conflicts").output == "No conflicts.\n")
        }
        #expect(try await laptop.run("verify").status == 0)
        // One of them still waits for the other, and setting the other again is a circle anew.
        let waiting = try await laptop.run("show", "--at", "2100-01-01T00:00:00Z").json["tasks"]?.array ?? []
        #expect(waiting.count { $0.object?["depends_on_task_id"]?.string != nil } == 1)
    }

    @Test("What the app decides meanwhile is decided, and the rest is as it was said", arguments: ["mine", "shown"])
    func overtaken(_ side: String) async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Bread"))
        for machine in [laptop, tower] { try await machine.run("sync") }
        for (machine, word) in [(laptop, "Red"), (tower, "Blue")] {
            try machine.sql(Machine.rename("t1", "\(word) milk") + Machine.rename("t2", "\(word) bread"))
        }
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        try laptop.sql(Machine.rename("t1", "By hand"))
        for arguments in [["--dry-run"], []] {
            let outcome = try await laptop.run(["resolve", "--all", side] + arguments)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let lines = outcome.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 2, "\(lines)")
            #expect(lines.first?.contains("decide") == true && lines.first?.contains("bread") == true, "\(lines)")
            #expect(
                lines.last?.contains("an edit in the store decides it") == true && lines.last?.contains("milk") == true,
                "\(lines)"
            )
        }
        #expect(try await laptop.run("conflicts").status == 0)
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.titles().first == "By hand")
        #expect(try tower.titles() == laptop.titles())
    }

    @Test("What else is contested in a record that stays, as the app changed it, is left and said")
    func overtakenRemoval() async throws {
        let (laptop, _, _) = try await deletedAndRenamed()
        try laptop.sql("UPDATE tasks SET is_done = 1 WHERE id = 't1';")
        let outcome = try await laptop.run("resolve", "--all", "mine")
        #expect(outcome.status == 3, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("an edit in the store decides it"), "\(outcome.output)")
        #expect(outcome.output.contains("left as it is: task \"Red\", title: 2 values"), "\(outcome.output)")
        #expect(try laptop.titles() == ["Red"])
        #expect(try await laptop.run("resolve", "--all", "theirs").status == 0)
        #expect(try await laptop.run("conflicts").status == 0)
    }

    @Test("What changes together is found by the name of any of its members", arguments: ["is_done", "done_at"])
    func grouped(member: String) async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET is_done = 1, done_at = '2026-01-01T09:00:00Z' WHERE id = 't1';")
        for machine in [laptop, tower] { try await machine.run("sync") }
        // One took it back, the other did it again.
        try laptop.sql("UPDATE tasks SET is_done = 0, done_at = NULL WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET done_at = '2026-01-02T10:00:00Z' WHERE id = 't1';")
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        #expect(try await laptop.run("resolve", "t1", "--member", "title", "--choose", "shown").status == 66)
        let decided = try await laptop.run("resolve", "t1", "--member", member, "--choose", "shown")
        #expect(decided.status == 0, "\(decided.output)\(decided.errors)")
        #expect(try await laptop.run("conflicts").status == 0)
    }

    @Test("A record by its name that the app decided meanwhile is none that can be decided")
    func overtakenAlone() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Red"))
        try tower.sql(Machine.rename("t1", "Blue"))
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        try laptop.sql(Machine.rename("t1", "By hand"))
        let outcome = try await laptop.run("resolve", "t1", "--choose", "1", "--format", "json")
        #expect(outcome.status == 66)
        let store = try outcome.json["stores"]?.array?.first?.object
        #expect(store?["overtaken"]?.array?.count == 1, "\(outcome.output)")
        #expect(store?["decided"]?.array?.isEmpty == true)
        #expect(try laptop.titles() == ["By hand"])
    }

    @Test("A rejected record that the store has nothing of is deleted on all devices by forget, and no other is")
    func forget() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let trigger = "CREATE TRIGGER no BEFORE INSERT ON tasks WHEN NEW.id = 'bad'"
        try laptop.sql(trigger + " BEGIN SELECT RAISE(ABORT, 'no'); END;")
        try tower.sql(Machine.task("bad", "Poison") + Machine.task("t2", "Bread"))
        try await tower.run("sync")
        #expect(try await laptop.run("sync").status == 3)
        for name in ["t1", "Bread", "nothing"] {
            let outcome = try await laptop.run("forget", "--record", name)
            #expect(outcome.status != 0 && outcome.errors.contains("rejects no record of that name"), "\(outcome)")
        }
        let dry = try await laptop.run("forget", "--record", "Poison", "--dry-run")
        #expect(dry.output.contains("would delete tasks/bad on all devices"), "\(dry)")
        #expect(try await laptop.run("sync").status == 3)
        let outcome = try await laptop.run("forget", "--record", "Poison")
        #expect(outcome.status == 0 && outcome.output.contains("deleted tasks/bad on all devices"), "\(outcome)")
        try await tower.run("sync")
        #expect(try await laptop.run("sync").status == 0)
        for device in [laptop, tower] {
            #expect(try device.titles() == ["Milk", "Bread"])
        }
    }

    @Test("A record in conflict is named by a part of any title that it has, had or may get")
    func named() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Oat flakes"))
        for machine in [laptop, tower] { try await machine.run("sync") }
        for (machine, word) in [(laptop, "Oat"), (tower, "Soy")] {
            try machine.sql(
                Machine.rename("t1", "\(word) milk") + Machine.rename("t2", "\(word) flakes, fine")
                    + "UPDATE tasks SET notes = '\(word) notes' WHERE id = 't1';"
            )
        }
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        let none = try await laptop.run("resolve", "bread", "--choose", "shown")
        #expect(none.status == 66, "\(none.output)")
        #expect(none.errors.contains("no record in conflict is called \"bread\"; there are task "), "\(none.errors)")
        let several = try await laptop.run("resolve", "oat", "--choose", "shown")
        #expect(several.status == 64, "\(several.output)")
        #expect(several.errors.contains("names 2 records") && several.errors.contains("tasks/t1"), "\(several.errors)")
        // Of the two titles one is shown; either names the record, and so does the one that was not taken afterwards.
        let title = try await laptop.run("resolve", "SOY MILK", "--member", "title", "--value", "Oat milk")
        #expect(title.status == 0, "\(title.output)\(title.errors)")
        let notes = try await laptop.run("resolve", "soy milk", "--member", "notes", "--value", "Both")
        #expect(notes.status == 0, "\(notes.output)\(notes.errors)")
        #expect(try laptop.titles().contains("Oat milk"))
    }

    @Test("The end of a study session and its last event, which is named by the session, decide each other")
    func sameQuestion() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        try AppStores.all.make(.study, at: laptop.store)
        for (id, title) in [("a", "Maths"), ("b", "Latin"), ("c", "Greek")] {
            try laptop.sql(
                """
                INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                    VALUES ('\(id)', 'd', '\(title)', 'completed', '2026-01-01T08:00:00Z', '2026-01-01T09:00:00Z', 3600);
                INSERT INTO event (id, session_id, event_type, created_at) VALUES
                    ('\(id)1', '\(id)', 'started', '2026-01-01T08:00:00Z'),
                    ('\(id)2', '\(id)', 'stopped', '2026-01-01T09:00:00Z');
                """
            )
        }
        #expect(try await laptop.run("init", "share", "--store", laptop.store, "--name", "Laptop").status == 0)
        #expect(try await tower.run("join", "share", "--create", "study=\(tower.store)", "--name", "Tower").status == 0)
        try await laptop.run("sync")
        for (machine, end) in [(laptop, "10:00"), (tower, "11:00")] {
            let moment = "2026-01-01T\(end):00Z"
            try machine.sql(
                """
                UPDATE session SET end_time = '\(moment)';
                UPDATE event SET created_at = '\(moment)' WHERE event_type = 'stopped';
                """
            )
        }
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        let listed = try await laptop.run("conflicts").output
        #expect(listed.contains("event \"stopped\" of \"Maths\", created_at: 2 values"), "\(listed)")
        let several = try await laptop.run("resolve", "stopped", "--choose", "1")
        #expect(several.errors.contains("\"stopped\" (event of \"Maths\", events/a2)"), "\(several.errors)")
        let decided = try await laptop.run("resolve", "Maths", "--value", "2026-01-01T10:00:00Z")
        #expect(decided.status == 0, "\(decided.errors)")
        #expect(decided.output.contains("decided event \"stopped\" of \"Maths\", created_at:"), "\(decided.output)")
        let left = try await laptop.run("conflicts").output
        #expect(!left.contains("Maths") && left.contains("event \"stopped\" of \"Latin\""), "\(left)")
        let end = try await laptop.run("resolve", "events/b2", "--value", "2026-01-01T11:00:00Z")
        #expect(end.output.contains("decided session \"Latin\", end_time:"), "\(end.output)\(end.errors)")
        let last = try await laptop.run("conflicts").output
        #expect(!last.contains("Latin") && last.contains("event \"stopped\" of \"Greek\""), "\(last)")
        let asked = try await laptop.onTerminal("resolve", answers: "1\n")
        #expect(asked.status == 0 && asked.output.contains("decided session \"Greek\", end_time:"), "\(asked)")
        #expect(try await laptop.run("conflicts").output == "No conflicts.\n")
        try await tower.run("sync")
        for machine in [laptop, tower] {
            try AppStores.all.open(machine.store).read { records in
                func moments(_ collection: String, _ member: String, _ keys: [String]) throws -> [String] {
                    var found: [String: String] = [:]
                    try records.forEachRecord(in: collection) { key, object in
                        found[key.key] = object[member]?.string
                    }
                    return keys.map { found[$0] ?? "" }
                }
                let ends = try moments("sessions", "end_time", ["a", "b", "c"])
                #expect(ends.prefix(2) == ["2026-01-01T10:00:00Z", "2026-01-01T11:00:00Z"])
                #expect(try moments("events", "created_at", ["a2", "b2", "c2"]) == ends)
            }
        }
    }
}
