import AppList
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// What the toolkit's other programs change in a store that takes part is published as what it is.
@Suite("Other programs on a store that takes part")
struct OtherProgramTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("slate-backup import publishes what the backup has otherwise, and no more; undo is decided by a person")
    func slate() async throws {
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Bread") + Machine.task("t9", "Same"))
        #expect(try await laptop.run("sync").status == 0)
        let export = try await laptop.other(
            "slate-backup",
            ["export", "--db", laptop.store, "--output", "backup.json"]
        )
        #expect([0, 3].contains(export.status), "\(export.errors)")
        try laptop.sql(
            Machine.rename("t1", "Cream") + "DELETE FROM tasks WHERE id = 't2';" + Machine.task("t3", "Later")
        )
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.titles() == ["Cream", "Later", "Same"])

        let imported = try await laptop.other("slate-backup", ["import", "backup.json", "--db", laptop.store, "--yes"])
        #expect([0, 3].contains(imported.status), "\(imported.errors)")
        let published = try await laptop.run("sync")
        #expect(published.status == 0, "\(published.errors)")
        #expect(published.output.contains("published 3 records:"), "\(published.output)")
        for words in ["changed task \"Milk\" (", "added task \"Bread\"", "deleted task \"Later\""] {
            #expect(published.output.contains(words), "\(published.output)")
        }
        #expect(try await tower.run("sync").status == 0)
        #expect(try tower.titles() == ["Milk", "Bread", "Same"])

        let undone = try await laptop.other("slate-backup", ["undo", "--db", laptop.store, "--yes"])
        #expect([0, 3].contains(undone.status), "\(undone.errors)")
        let stopped = try await laptop.run("sync")
        #expect(stopped.status == 5, "\(stopped.output)\(stopped.errors)")
        #expect(
            stopped.errors.contains("differs in 3 records") && stopped.errors.contains("--accept-mass-change 3."),
            "\(stopped.errors)"
        )
        #expect(try await laptop.run("sync", "--accept-mass-change", "3").status == 0)
        #expect(try await tower.run("sync").status == 0)
        for machine in [laptop, tower] {
            #expect(try machine.titles() == ["Cream", "Later", "Same"])
            #expect(try await machine.run("verify").status == 0)
        }
    }

    /// A store that is replaced by a backup: the app, its commands, and the statement that adds what is gone then.
    struct Restored: Sendable {
        let app: AppID
        let program: String
        let setUp: [[String]]
        let backup: [String]
        let restore: [String]
        let adding: String
        let collection: String
    }

    static let replacements: [Restored] = [
        Restored(
            app: .bztimer,
            program: "bzpack",
            setUp: [["settings", "set", "isProUser", "true"]],
            backup: ["backup"],
            restore: ["restore"],
            adding: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO history (id, session_name, completed_at, total_duration_seconds)
                SELECT 'h' || i, 'Leg day', '2024-01-01T17:00:00Z', 1800 FROM n;
                """,
            collection: "history"
        ),
        Restored(
            app: .study,
            program: "tracker-export",
            setUp: [],
            backup: ["study", "export"],
            restore: ["study", "restore"],
            adding: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO session SELECT 's' || i, 'd', 'Maths', 'completed', '2026-01-01T08:00:00Z',
                    '2026-01-01T09:00:00Z', 3600, NULL FROM n;
                """,
            collection: "sessions"
        ),
    ]

    @Test(
        "A restore that takes most of a store away is decided by a person; undone before, it is nothing",
        arguments: replacements
    )
    func restored(_ row: Restored) async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for (machine, command) in [(laptop, "init"), (tower, "join")] {
            let store = "\(row.app.rawValue)=\(machine.store)"
            let made = try await machine.run(command, "share", "--create", store, "--name", machine.name)
            #expect(made.status == 0, "\(made.errors)")
        }
        @discardableResult
        func run(_ arguments: [String]) async throws -> String {
            let outcome = try await laptop.other(row.program, arguments + ["--store", laptop.store])
            #expect(outcome.status == 0, "\(outcome.errors)")
            return outcome.output + outcome.errors
        }
        func count(_ machine: Machine) throws -> Int {
            try AppStores.all.open(machine.store).read { try $0.count(row.collection) }
        }
        for arguments in row.setUp { try await run(arguments) }
        try await run(row.backup + ["old.json"])
        try laptop.sql(row.adding)
        for machine in [laptop, tower] { #expect(try await machine.run("sync").status == 0) }

        let plan = try await run(row.restore + ["old.json", "--dry-run"])
        #expect(plan.contains("Sync removes them on all devices"), "\(plan)")
        try await run(row.restore + ["old.json", "--yes"])
        #expect(try count(laptop) == 0)
        let status = try await laptop.run("status")
        #expect(status.output.contains("40 of 4"), "\(status.output)")
        let stopped = try await laptop.run("sync")
        #expect(stopped.status == 5, "\(stopped.output)\(stopped.errors)")
        let safety = try #require(try sandbox.names().first { $0.contains(".before-") })
        try await run(row.restore + [safety, "--yes"])
        let undone = try await laptop.run("sync")
        #expect(undone.status == 0 && !undone.output.contains("deleted"), "\(undone.output)\(undone.errors)")
        #expect(try count(laptop) == 40)

        try await run(row.restore + ["old.json", "--yes"])
        #expect(try await laptop.run("sync", "--discard-local").status == 0)
        #expect(try count(laptop) == 40)
        try await run(row.restore + ["old.json", "--yes"])
        #expect(try await laptop.run("sync", "--accept-mass-change", "40").status == 0)
        #expect(try await tower.run("sync").status == 0)
        #expect(try count(tower) == 0)
        for machine in [laptop, tower] { #expect(try await machine.run("verify").status == 0) }
    }

    static let imports: [(app: AppID, program: String, fixture: String, collection: String)] = [
        (.bztimer, "bzpack", "bztimer/v3/library.json", "sessions"),
        (.tracker, "tracker-export", "tracker/v2/offsets.json", "activities"),
    ]

    @Test("What another program imports is published once, and is the same on the other device", arguments: imports)
    func imported(_ row: (app: AppID, program: String, fixture: String, collection: String)) async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for (machine, command) in [(laptop, "init"), (tower, "join")] {
            let store = "\(row.app.rawValue)=\(machine.store)"
            let made = try await machine.run(command, "share", "--create", store, "--name", machine.name)
            #expect(made.status == 0, "\(made.errors)")
        }
        try sandbox.write("import.json", Fixtures.bytes(row.fixture))
        func importing(_ machine: Machine) async throws -> ProgramOutcome {
            // Of the two only one asks.
            let answer = row.program == "bzpack" ? [] : ["--yes"]
            return try await machine.other(row.program, ["import", "import.json", "--store", machine.store] + answer)
        }
        let imported = try await importing(laptop)
        #expect([0, 3].contains(imported.status), "\(imported.errors)")
        #expect(try await laptop.run("sync").output.contains("published"))
        #expect(try await tower.run("sync").status == 0)
        let records = try [laptop, tower].map { machine in
            try AppStores.all.open(machine.store).read { records in
                var found: [String] = []
                try records.forEachRecord(in: row.collection) { key, object in
                    found.append("\(key.key) \(JSONValue.object(object).text(.canonical))")
                }
                return found.sorted()
            }
        }
        #expect(records[0] == records[1] && !records[0].isEmpty)
        // Imported once more, on both, it is what all have already.
        for machine in [laptop, tower] {
            _ = try await importing(machine)
            let again = try await machine.run("sync")
            #expect(again.status == 0 && !again.output.contains("added"), "\(again.output)")
        }
        for machine in [laptop, tower] { #expect(try await machine.run("verify").status == 0) }
    }

    @Test("Presets and activities that two devices import before they meet are there once; sync tells what differs")
    func importedTwice() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for (machine, command) in [(laptop, "init"), (tower, "join")] {
            let made = try await machine.run(command, "share", "--create", "bztimer=\(machine.store)")
            #expect(made.status == 0, "\(made.errors)")
        }
        func bzpack(_ machine: Machine, _ arguments: String...) async throws -> String {
            let outcome = try await machine.other("bzpack", arguments + ["--store", machine.store])
            #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
            return outcome.output
        }
        let activities = ["Row", "Run"].enumerated().map { index, label in
            """
            {"id":"a\(index)","label":"\(label)","type":"activity","mode":"duration","durationSeconds":60,"category":"Work"}
            """
        }
        let list = activities.joined(separator: ",")
        let head = "{\"format\":\"bztimer\",\"version\":3,\"categories\":[],\"sessions\":[]"
        try sandbox.write("import.json", "\(head),\"activities\":[\(list)]}")
        try sandbox.write("presets.json", Fixtures.bytes("presets/v2/first-timers.json"))
        for machine in [laptop, tower] {
            _ = try await bzpack(machine, "import", "import.json")
            _ = try await bzpack(machine, "presets", "import", "presets.json")
        }
        let before = try await bzpack(laptop, "activity", "list")
        for machine in [laptop, tower, laptop] {
            let synced = try await machine.run("sync")
            #expect(synced.status == 0, "\(synced.output)\(synced.errors)")
        }
        for machine in [laptop, tower] {
            #expect(try await bzpack(machine, "activity", "list") == before)
            let presets = try await bzpack(machine, "presets", "list", "--format", "json")
            #expect(try JSONDocument(parsing: presets).root.value["presets"]?.array?.count == 2, "\(presets)")
            #expect(try await machine.run("conflicts").output == "No conflicts.\n")
            #expect(try await machine.run("verify").status == 0)
        }
        // The edit of a list in the words of the log, on both devices.
        _ = try await bzpack(laptop, "new", "Legs", "--text", "Squat 8 x 3 s / Rest 30 s")
        for machine in [laptop, tower] { try await machine.run("sync") }
        _ = try await bzpack(laptop, "edit", "Legs", "--text", "Squat 9 x 3 s / Rest 30 s")
        let change = "changed session \"Legs\" (blocks: changed \"Squat\" (reps 8 → 9))"
        for machine in [laptop, tower] {
            let synced = try await machine.run("sync").output
            #expect(synced.contains(change), "\(synced)")
            #expect(try await machine.run("log", "--limit", "1").output.contains(change))
        }
        // Where the values do not fit, the members have their names for people.
        let notes = String(repeating: "slow ", count: 30)
        let text = "Squat 9 x 3 s -- \(notes)\nRest 35 s\nRow 20 s\nPlank 20 s\nBridge 20 s\nBurpee 20 s\nLunge 20 s"
        _ = try await bzpack(laptop, "edit", "Legs", "--text", text)
        let synced = try await laptop.run("sync").output
        #expect(synced == "BZ Timer: published 1 record: changed session \"Legs\" (blocks)\n", "\(synced)")
    }

    @Test("A restore of BZ Timer's store names what its plan takes from this device alone, before it asks")
    func restoredFree() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        for (machine, command) in [(laptop, "init"), (tower, "join")] {
            let made = try await machine.run(command, "share", "--create", "bztimer=\(machine.store)")
            #expect(made.status == 0, "\(made.errors)")
        }
        func bzpack(_ machine: Machine, _ arguments: String...) async throws -> ProgramOutcome {
            try await machine.other("bzpack", arguments + ["--store", machine.store])
        }
        #expect(try await bzpack(tower, "backup", "free.json").status == 0)
        for machine in [laptop, tower] {
            #expect(try await bzpack(machine, "settings", "set", "isProUser", "true").status == 0)
        }
        #expect(try await bzpack(laptop, "new", "Legs", "--text", "Squats 60 s").status == 0)
        for day in ["2024-01-01", "2024-01-02"] {
            #expect(try await bzpack(laptop, "history", "add", "Legs", "--completed-at", "\(day) 18:00").status == 0)
        }
        #expect(try await bzpack(laptop, "history", "add", "Legs").status == 0)
        for machine in [laptop, tower] { #expect(try await machine.run("sync").status == 0) }
        let words = "Of the history 2 older entries go from this device alone, as the Free plan keeps 30 days: other "
        #expect(try await bzpack(tower, "restore", "free.json", "--dry-run").output.contains(words))
        let asked = try await bzpack(tower, "restore", "free.json")
        #expect(asked.status == 64 && asked.errors.contains(words), "\(asked.errors)")
        // The one entry that all devices lose, and no other, is counted with the session.
        #expect(asked.errors.contains("Goes away: 1 history entry"), "\(asked.errors)")
        #expect(try await bzpack(tower, "restore", "free.json", "--yes").status == 0)
        for machine in [tower, laptop] { #expect(try await machine.run("sync").status == 0) }
        #expect(try AppStores.all.open(laptop.store).read { try $0.count("history") } == 2)
    }
}
