import Foundation
import StrictJSON
import Testing
import TestSupport

struct SlateImportTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("The example of the app's specification is imported as it stands there, into a new default database")
    func specification() async throws {
        let example = Fixtures.path("slate/v1/seed-example.json")
        let outcome = try await sandbox.slate("import", example, "--yes")
        // The example leaves times out, which is worth a warning each.
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("create tasks"))
        #expect(sandbox.has("data/satchel/slate.db"))
        #expect(try await sandbox.slate("stats", "--now", "2025-09-23T01:00:00Z").output.contains("Perfect days: 1"))
    }

    @Test("A dry run prints the plan that the run carries out, but for the last line, and changes nothing")
    func dryRun() async throws {
        let database = try await sandbox.sampleDatabase()
        let file = Fixtures.path("slate/v2/autumn-week.json")
        let bytes = try sandbox.bytes("slate.db")
        for mode in ["merge", "replace"] {
            let arguments = ["import", file, "--db", database, "--mode", mode, "--now", slateNow]
            let dry = try await sandbox.slate(arguments + ["--dry-run"])
            let dryJSON = try await sandbox.slate(arguments + ["--dry-run", "--format", "json"]).json
            #expect(try sandbox.bytes("slate.db") == bytes)
            try FileManager.default.copyItem(atPath: database, toPath: sandbox.path("\(mode).db"))
            let other = arguments.map { $0 == database ? sandbox.path("\(mode).db") : $0 }
            let run = try await sandbox.slate(other + ["--yes"])
            #expect([dry.status, run.status] == [0, 0], "\(dry.errors)\(run.errors)")
            let lines = [dry, run].map { outcome in
                outcome.output.split(separator: "\n").map { $0.replacing("\(mode).db", with: "slate.db") }
            }
            #expect(lines[0].dropLast() == lines[1].dropLast())
            #expect(lines[0].last?.hasPrefix("Would import: ") == true)
            #expect(lines[1].last?.hasPrefix("Imported: ") == true)
            #expect(lines[1].last?.contains("slate-backup undo") == true)

            try FileManager.default.copyItem(atPath: database, toPath: sandbox.path("json.db"))
            let json = try await sandbox.slate(
                arguments.map { $0 == database ? sandbox.path("json.db") : $0 } + ["--yes", "--format", "json"]
            ).json
            for member in ["file", "version", "mode", "upgrades", "tables", "newerOverwritten"] {
                #expect(json[member] == dryJSON[member])
            }
            #expect(json["dryRun"] == false && dryJSON["dryRun"] == true)
            try sandbox.remove("json.db")
        }
        let fresh = try await sandbox.slate("import", file, "--dry-run", "--db", sandbox.path("fresh.db"))
        #expect(fresh.status == 0)
        #expect(!sandbox.has("fresh.db"))
    }

    @Test("Without a terminal nothing is asked and nothing changed: 64, with what it would do")
    func noTerminal() async throws {
        let database = try await sandbox.sampleDatabase()
        let bytes = try sandbox.bytes("slate.db")
        let file = Fixtures.path("slate/v2/autumn-week.json")
        for format in ["text", "json"] {
            let outcome = try await sandbox.slate("import", file, "--db", database, "--format", format)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("into \(database) (replace: ") && outcome.errors.contains("use --yes"))
            #expect(outcome.errors.contains("nothing was changed"))
        }
        #expect(try sandbox.bytes("slate.db") == bytes)
    }

    @Test("Database, JSON, empty database, JSON: the same bytes", arguments: ["json", "slatebackup", "zip"])
    func roundTrip(_ kind: String) async throws {
        let first = try await sandbox.sampleDatabase("first.db")
        let json = try await sandbox.exported(first)
        let archive = "backup.\(kind)"
        let extra = kind == "zip" ? ["--archive", "zip"] : []
        let outcome = try await sandbox.slate(
            ["export", "--db", first, "--output", sandbox.path(archive), "--now", slateNow] + extra
        )
        #expect(outcome.status == 0)
        let second = sandbox.path("second.db")
        #expect(try await sandbox.slate("import", archive, "--db", second, "--yes").status == 0)
        #expect(try await sandbox.exported(second, to: "again.json") == json)
        let same = try await sandbox.slate("import", archive, "--db", second)
        #expect(same.status == 0, "nothing to change, nothing to ask: \(same.errors)")
        #expect(same.output.hasSuffix("Imported: nothing to change.\n"))
    }

    @Test("Merge keeps what the database has and what is newer there")
    func merge() async throws {
        let database = try await sandbox.sampleDatabase()
        try sandbox.backup("other.json", tasks: 3)
        let outcome = try await sandbox.slate("import", "other.json", "--mode", "merge", "--db", database, "--yes")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("Imported: 3 created"))
        let counts = try await sandbox.slate("stats", "--db", database, "--format", "json").json["counts"]
        #expect(counts?["tasks"] == 8)
        #expect(counts?["habits"] == 3)
    }

    @Test("--only takes some tables, and says which there are")
    func only() async throws {
        let database = try await sandbox.sampleDatabase()
        try sandbox.backup("other.json", tasks: 3)
        let unknown = try await sandbox.slate("import", "other.json", "--only", "task", "--db", database, "--yes")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("habit_completions"))
        let outcome = try await sandbox.slate(
            "import",
            "other.json",
            "--only",
            "activity_log",
            "--only",
            "day_snapshots",
            "--db",
            database,
            "--yes"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let counts = try await sandbox.slate("stats", "--db", database, "--format", "json").json["counts"]
        #expect(counts?["tasks"] == 5)
        #expect(counts?["activity_log"] == 0)
    }

    @Test("Replacing says how many rows go, and how many of them are newer")
    func newer() async throws {
        try sandbox.backup("new.json", tasks: 5, exportedAt: "2026-02-01T08:00:00Z")
        try sandbox.backup("old.json", tasks: 4, exportedAt: "2026-01-01T08:00:00Z")
        let database = sandbox.path("slate.db")
        #expect(try await sandbox.slate("import", "new.json", "--db", database, "--yes").status == 0)
        let plan = try await sandbox.slate("import", "old.json", "--db", database, "--dry-run")
        #expect(
            plan.output.contains("Replacing removes 1 row that the file does not have, and overwrites 4 that are newer")
        )
        let merged = try await sandbox.slate("import", "old.json", "--db", database, "--dry-run", "--mode", "merge")
        #expect(merged.output.contains("Would import: 4 kept."))
    }

    @Test("Perfect days are computed anew where that is asked for")
    func perfectDays() async throws {
        let database = try await sandbox.sampleDatabase()
        var text = String(decoding: try await sandbox.exported(database), as: UTF8.self)
        text = text.replacing("\"perfect_day\": 1", with: "\"perfect_day\": 0")
        try sandbox.write("flat.json", text)
        for (days, changed) in [("none", 0), ("3", 2), ("all", 10)] {
            let arguments = [
                "import", "flat.json", "--db", sandbox.path("\(days).db"), "--recompute-perfect-days", days,
            ]
            let outcome = try await sandbox.slate(arguments + ["--yes", "--now", slateNow, "--format", "json"])
            #expect(try outcome.json["changedPerfectDays"] == .number(changed), "\(days)")
            #expect(try outcome.json["perfectDays"]?.array?.count == changed, "\(days)")
        }
        try sandbox.write("full.json", text.replacing("\"perfect_day\": 0", with: "\"perfect_day\": 1"))
        let full = ["import", "full.json", "--db", sandbox.path("full.db"), "--recompute-perfect-days", "all"]
        let lost = try await sandbox.slate(full + ["--yes", "--now", slateNow])
        #expect(lost.output.contains("4 perfect days changed. Perfect no more: 2"), "\(lost.output)")
        // Of days whose habits are gone nothing tells otherwise.
        var document = try JSONDocument(parsing: Array(sandbox.bytes("full.json"))).root.value
        document["habits"] = []
        document["day_snapshots"] = []
        try sandbox.write("gone.json", document.text(.compact))
        let gone = ["import", "gone.json", "--db", sandbox.path("gone.db"), "--recompute-perfect-days", "all"]
        let kept = try await sandbox.slate(gone + ["--yes", "--now", slateNow, "--format", "json"])
        #expect(try kept.json["changedPerfectDays"] == 0, "\(kept.errors)")
        for days in ["0", "-1", "some", "1.5"] {
            let outcome = try await sandbox.slate("import", "flat.json", "--recompute-perfect-days=\(days)", "--yes")
            #expect(outcome.status == 64)
        }
    }

    @Test("A database in place of a backup is called that, with the command that makes a backup of it")
    func databaseAsFile() async throws {
        let database = try await sandbox.sampleDatabase()
        let other = try await sandbox.sampleDatabase("my other.db")
        let outcome = try await sandbox.slate("import", other, "--db", database, "--yes")
        #expect(outcome.status == 65)
        let way = "slate-backup export --store '\(other)' writes one"
        #expect(outcome.errors.contains(way), "\(outcome.errors)")
    }

    @Test("A circle that a merge would make names the tasks, and --repair ends it")
    func circle() async throws {
        let database = try await sandbox.sampleDatabase()
        // In the sample the fence waits for the paint.
        var document = try JSONDocument(parsing: Array(try await sandbox.exported(database))).root.value
        document["tasks"] = .array(
            (document["tasks"]?.array ?? []).map { task in
                var task = task
                task["depends_on_task_id"] = task["id"] == "task-2" ? "task-3" : .null
                if task["id"] == "task-2" { task["updated_at"] = "2026-01-07T12:00:00Z" }
                return task
            }
        )
        try sandbox.write("other.json", document.text(.compact))
        let merge = ["import", "other.json", "--db", database, "--mode", "merge", "--yes"]
        let refused = try await sandbox.slate(merge)
        #expect(refused.status == 65, "\(refused.errors)")
        #expect(refused.errors.contains("\"Buy paint\" → \"Paint the fence\""), "\(refused.errors)")
        #expect(refused.errors.contains("importing with --repair"))
        let dry = try await sandbox.slate(merge + ["--repair", "--dry-run"])
        #expect(dry.status == 3 && dry.errors.contains("\"Buy paint\" would depend on none"), "\(dry.errors)")
        let done = try await sandbox.slate(merge + ["--repair", "--format", "json"])
        #expect(try done.status == 3 && done.json["repairs"] == 1, "\(done.errors)")
        #expect(done.errors.contains("warning[slate.dependency-cycle]"))
    }

    @Test("A merge names the days that become perfect, and makes none so where that is turned off")
    func mergedPerfectDays() async throws {
        let database = try await sandbox.sampleDatabase()
        let text = String(decoding: try await sandbox.exported(database), as: UTF8.self)
        try sandbox.write("full.json", text)
        var document = try JSONDocument(parsing: Array(text.utf8)).root.value
        let isOfDay = { (row: JSONValue) in row["date"] == "2026-01-05" }
        document["habit_completions"] = .array(
            (document["habit_completions"]?.array ?? []).filter { !isOfDay($0) || $0["habit_id"] == "habit-1" }
        )
        let imperfect: JSONValue = ["date": "2026-01-05", "perfect_day": 0]
        document["day_plan"] = .array((document["day_plan"]?.array ?? []).map { isOfDay($0) ? imperfect : $0 })
        try sandbox.write("less.json", document.text(.compact))
        let less = ["import", "less.json", "--db", database, "--yes", "--now", slateNow]
        let merge = ["import", "full.json", "--db", database, "--mode", "merge", "--yes", "--now", slateNow]
        #expect(try await sandbox.slate(less).status == 0)
        let done = try await sandbox.slate(merge)
        #expect(done.output.contains("1 perfect day changed. Perfect now: 2026-01-05."), "\(done.output)")
        for more in [["--recompute-perfect-days", "none"], ["--only", "habit_completions"]] {
            #expect(try await sandbox.slate(less).status == 0)
            let other = try await sandbox.slate(merge + more + ["--format", "json"])
            let json = try other.json
            #expect(json["perfectDays"]?.array == [] && json["changedPerfectDays"] == 0, "\(more)")
        }
    }

    @Test("Any fault of the file ends with 65 and changes no byte; what can be mended is, where that is asked for")
    func faults() async throws {
        let database = try await sandbox.sampleDatabase()
        let bytes = try sandbox.bytes("slate.db")
        for file in try Fixtures.names(in: "slate/invalid") where file.hasSuffix(".json") {
            let outcome = try await sandbox.slate("import", Fixtures.path(file), "--db", database, "--yes")
            #expect(outcome.status == 65, "\(file)")
            #expect(outcome.errors.contains("slate-backup: nothing was imported"), "\(file)")
            #expect(outcome.errors.contains(" error["), "\(file)")
        }
        #expect(try sandbox.bytes("slate.db") == bytes)
        let file = Fixtures.path("slate/invalid/dependency-cycle.json")
        let mended = try await sandbox.slate("import", file, "--repair", "--db", database, "--yes", "--format", "json")
        #expect(mended.status == 3)
        #expect(mended.errors.contains("warning["))
        #expect(try mended.json["repairs"] != 0)
    }

    @Test("The standard input, a file in a pipe and JSON that is compressed are read")
    func streams() async throws {
        let bytes = try Fixtures.bytes("slate/v2/autumn-week.json")
        let outcome = try await sandbox.slate(["import", "-", "--yes", "--db", sandbox.path("a.db")], input: bytes)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("<stdin> (version 2"))
        try sandbox.write("week.json", bytes)
        let script = "gzip -k week.json && cat week.json.gz | '\(Built.path("slate-backup"))' verify - week.json.gz"
        #expect(try await sandbox.run("/bin/sh", ["-c", script]).status == 0)
    }

    @Test("The newest backup of a folder that verifies is taken, and those that do not are named")
    func newest() async throws {
        try sandbox.backup("Slate-20260105.json", tasks: 5)
        try sandbox.backup("Slate-20260106.json", tasks: 6)
        try sandbox.write("Slate-20260107.json", "{\"schema_version\": 2")
        try sandbox.write("Slate-20260109.txt", "")
        let outcome = try await sandbox.slate(
            "import",
            "--now",
            slateNow,
            "--from",
            ".",
            "--db",
            sandbox.path("slate.db"),
            "--yes"
        )
        #expect(outcome.status == 3)
        #expect(outcome.output.hasPrefix("./Slate-20260106.json (version 2"))
        #expect(outcome.errors.contains("./Slate-20260107.json: warning[slate.unusable-backup]"))
        let asked = try await sandbox.slate(
            "import",
            "--now",
            slateNow,
            "--from",
            ".",
            "--db",
            sandbox.path("other.db")
        )
        #expect(asked.status == 64)
        #expect(asked.errors.contains("Import ./Slate-20260106.json"))
        #expect(try await sandbox.slate("import", "--yes").status == 64)
        #expect(try await sandbox.slate("import", "x.json", "--from", ".", "--yes").status == 64)
        #expect(try await sandbox.slate("import", "--from", "data", "--yes").status == 66)
        #expect(try await sandbox.slate("import", "--from", "missing", "--yes").status == 66)
    }
}
