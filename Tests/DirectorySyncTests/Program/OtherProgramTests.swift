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
}
