import CivilTime
import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// One record back from a backup.
struct SlateRecordTests {
    let sandbox: Sandbox
    let database: String

    /// A database, a backup of it, and an older one of version 1 in an archive.
    init() async throws {
        sandbox = try Sandbox()
        database = try await sandbox.sampleDatabase()
        try FileManager.default.createDirectory(atPath: sandbox.path("backups"), withIntermediateDirectories: true)
        try await sandbox.exported(database, to: "backups/Slate-20260107.json")
        let old = try await sandbox.slate(
            ["export", "--db", database, "--output", sandbox.path("backups/Slate-20260101.slatebackup")]
                + ["--now", "2026-01-01T12:00:00Z", "--schema-version", "1"]
        )
        #expect(old.status == 3, "\(old.errors)")
    }

    /// Removes a task or habit with what belongs to it.
    private func remove(_ id: String) async throws {
        let sql = """
            DELETE FROM tasks WHERE id = '\(id)'; DELETE FROM habits WHERE id = '\(id)';
            UPDATE tasks SET depends_on_task_id = NULL WHERE depends_on_task_id = '\(id)';
            DELETE FROM day_plan_items WHERE entity_id = '\(id)'; DELETE FROM habit_completions WHERE habit_id = '\(id)';
            DELETE FROM activity_log WHERE entity_id = '\(id)';
            """
        try await DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
    }

    @Test("A name that only the database has: the message names the backup, and the record there")
    func renamed() async throws {
        let file = sandbox.path("backups/Slate-20260107.json")
        let sql = "UPDATE habits SET title = 'Stretch & breathe' WHERE id = 'habit-1'"
        try await DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
        _ = try await sandbox.slate("add", "Brand new", "--db", database)
        let way = "slate-backup restore \(file) habit-1"
        for (name, words) in [
            ("breathe", "\"Stretch & breathe\" of the database is \"Stretch\" there: \(way)"),
            ("brand", "nor has it \"Brand new\" of the database"), ("nowhere", "\(file): there is no task or habit"),
        ] {
            let outcome = try await sandbox.slate("restore", file, name, "--db", database, "--yes")
            #expect(outcome.status == 66 && outcome.errors.contains(words), "\(outcome.errors)")
            #expect(outcome.errors.contains(file), "\(outcome.errors)")
        }
    }

    @Test("A deleted habit is found in backups of both versions and comes back with its completions")
    func habit() async throws {
        let before = try await sandbox.exported(database)
        try await remove("habit-1")
        try sandbox.write("backups/notes.json", "{}")
        let found = try await sandbox.slate("find", "stretch", "--db", database, "--in", sandbox.path("backups"))
        #expect(found.status == 3, "\(found.errors)")
        #expect(found.output.contains("Slate-20260107.json") && found.output.contains("does not have"))
        try sandbox.remove("backups/notes.json")
        let arguments = ["find", "STRETCH", "--db", database, "--in", sandbox.path("backups"), "--format", "json"]
        let record = try #require(try await sandbox.slate(arguments).json["records"]?.array?.first)
        #expect(record["inDatabase"] == false && record["kind"] == "habit")
        #expect(record["versions"]?.array?.first?["files"]?.array?.count == 2)

        let file = sandbox.path("backups/Slate-20260107.json")
        let dry = try await sandbox.slate("restore", file, "stretch", "--db", database, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("create 14 completions"))
        #expect(try await sandbox.slate("restore", file, "stretch", "--db", database).status == 64)
        #expect(try await sandbox.exported(database) != before)
        let done = try await sandbox.slate("restore", file, "stretch", "--db", database, "--yes")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await sandbox.exported(database) == before)
        #expect(try await sandbox.slate("undo", "--db", database, "--yes").status == 0)
        #expect(try await sandbox.exported(database) != before)
    }

    @Test("A habit that comes back makes a day perfect only where the backup calls it so, and the report names the day")
    func restoredDays() async throws {
        var document = try JSONDocument(parsing: Array(try await sandbox.exported(database))).root.value
        func rows(_ table: String) -> [JSONValue] { document[table]?.array ?? [] }
        // The other habits were never done, and are paused since.
        let habits = rows("habits").map { habit -> JSONValue in
            var habit = habit
            if habit["id"] != "habit-1" { (habit["active"], habit["updated_at"]) = (false, "2026-01-07T08:00:00Z") }
            return habit
        }
        let completions = rows("habit_completions").filter { $0["habit_id"] == "habit-1" }
        let days = completions.compactMap { $0["date"]?.string }.sorted()
        let last = try #require(days.last)
        document["habits"] = .array(habits)
        document["habit_completions"] = .array(completions)
        (document["day_snapshots"], document["day_plan_items"]) = ([], [])
        func flags(_ perfect: String?) -> JSONValue {
            .array(days.map { ["date": .string($0), "perfect_day": $0 == perfect ? 1 : 0] })
        }
        document["day_plan"] = flags(last)
        let backup = try sandbox.write("habit.json", document.text(.compact))
        document["day_plan"] = flags(nil)
        document["habits"] = .array(habits.filter { $0["id"] != "habit-1" })
        document["habit_completions"] = []
        try sandbox.write("without.json", document.text(.compact))
        #expect(try await sandbox.slate("import", "without.json", "--db", database, "--yes").status == 0)
        let arguments = ["restore", backup, "stretch", "--db", database]
        let dry = try await sandbox.slate(arguments + ["--dry-run"])
        let words = " 1 perfect day would change. Perfect then: \(last). Nothing was changed."
        #expect(dry.output.contains(words) && !dry.output.contains(" day\n"), "\(dry.output)")
        let done = try await sandbox.slate(arguments + ["--yes", "--format", "json"])
        #expect(try done.json["perfectDays"] == [["day": .string(last), "perfect": true]])
        // A day that comes back as a whole becomes perfect, too.
        document["day_plan"] = []
        try sandbox.write("empty.json", document.text(.compact))
        #expect(try await sandbox.slate("import", "empty.json", "--db", database, "--yes").status == 0)
        let whole = try await sandbox.slate(arguments + ["--dry-run"])
        #expect(whole.output.contains("create 1 day\n") && whole.output.contains(words), "\(whole.output)")
    }

    @Test("A task comes back from version 1 in an archive, and with the task that it waits for")
    func task() async throws {
        try await remove("task-3")
        try await remove("task-2")
        let archive = sandbox.path("backups/Slate-20260101.slatebackup")
        let done = try await sandbox.slate("restore", archive, "fence", "--db", database, "--yes", "--format", "json")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try done.json["changed"] == true)
        let tasks = try await sandbox.slate("search", "paint", "--db", database, "--format", "json").json["tasks"]?
            .array
        #expect(Set((tasks ?? []).compactMap { $0["id"]?.string }) == ["task-2", "task-3"])
        #expect(
            try await sandbox.slate("today", "--db", database, "--now", slateNow).output.contains("Paint the fence")
        )
    }

    @Test("An edited task gets its earlier state back; one that is as it was is left alone")
    func edited() async throws {
        let file = sandbox.path("backups/Slate-20260107.json")
        #expect(try await sandbox.slate("done", "passport", "--db", database).status == 0)
        let again = try await sandbox.slate("restore", file, "dentist", "--db", database, "--yes", "--format", "json")
        #expect(try again.json["changed"] == false && again.json["safetyCopy"] == .null)
        let done = try await sandbox.slate("restore", file, "passport", "--db", database, "--yes")
        #expect(done.status == 0, "\(done.errors)")
        let task = try await sandbox.slate("search", "passport", "--db", database, "--format", "json").json
        #expect(task["tasks"]?.array?.first?["done"] == false)
    }

    @Test(
        "A changed task comes back whatever time of change the database has, and its plans with it",
        arguments: [slateNow, "2099-01-01T00:00:00Z"]
    )
    func replaced(updatedAt: String) async throws {
        let before = try await sandbox.exported(database)
        let file = sandbox.path("backups/Slate-20260107.json")
        let query = "SELECT updated_at FROM tasks WHERE id = 'task-2'"
        let store = try DatabaseQueue(path: database)
        let original = try #require(try await store.read { try String.fetchOne($0, sql: query) })
        let sql = """
            UPDATE tasks SET title = 'Paint', archived = 1, updated_at = '\(updatedAt)' WHERE id = 'task-2';
            UPDATE day_plan_items SET date = '2026-01-06' WHERE entity_id = 'task-2';
            """
        try await store.write { try $0.execute(sql: sql) }
        let arguments = ["restore", file, "buy paint", "--db", database, "--now", slateNow, "--yes"]
        let done = try await sandbox.slate(arguments)
        #expect(done.status == 0, "\(done.errors)")
        #expect(done.output.contains("update 1 task \"Buy paint\"") && done.output.contains("update 1 plan item"))
        let stamp = try await store.read { try String.fetchOne($0, sql: query) }
        #expect(stamp.flatMap(Timestamp.init) == Timestamp(updatedAt))
        let rest = "UPDATE tasks SET updated_at = '\(original)' WHERE id = 'task-2'"
        try await store.write { try $0.execute(sql: rest) }
        #expect(try await sandbox.exported(database) == before)
    }

    @Test("find counts each file once, and the database as no other file")
    func eachFileOnce() async throws {
        let file = sandbox.path("backups/Slate-20260107.json")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link.json"), withDestinationPath: file)
        let places = [file, sandbox.path("backups"), sandbox.path("link.json"), database].flatMap { ["--in", $0] }
        let find = ["find", "stretch", "--db", database]
        let found = try await sandbox.slate(find + places + ["--format", "json"])
        let versions = try #require(try found.json["records"]?.array?.first?["versions"]?.array)
        let files = versions.flatMap { $0["files"]?.array ?? [] }.compactMap { $0["file"]?.string }
        #expect(files == [database, file, sandbox.path("backups/Slate-20260101.slatebackup")])
        let alone = try await sandbox.slate(find + ["--in", database])
        #expect(alone.output.contains(database) && !alone.output.contains("other file"), "\(alone.output)")
        // A file of a folder that was named as well has to be a backup.
        try sandbox.write("backups/notes.json", "{}")
        let named = ["--in", sandbox.path("backups"), "--in", sandbox.path("backups/notes.json")]
        #expect(try await sandbox.slate(find + named).status == 65)
    }

    @Test("A restore into a database of version 1 says that it upgrades it, in the plan and in JSON")
    func olderDatabase() async throws {
        let file = sandbox.path("backups/Slate-20260107.json")
        let sql = """
            DELETE FROM day_plan_items WHERE entity_id = 'task-1'; DELETE FROM activity_log; DELETE FROM tasks;
            ALTER TABLE tasks DROP COLUMN depends_on_task_id; DROP TABLE activity_log; DROP TABLE day_snapshots;
            UPDATE meta SET value = '1' WHERE key = 'schema_version';
            """
        try await DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
        let words = "The database is of version 1; it is upgraded to version 2."
        let restore = ["restore", file, "passport", "--db", database]
        let dry = try await sandbox.slate(restore + ["--dry-run"])
        #expect(dry.output.contains(words), "\(dry.output)\(dry.errors)")
        #expect(try await sandbox.slate(restore + ["--dry-run", "--format", "json"]).json["upgrades"] == true)
        let done = try await sandbox.slate(restore + ["--yes"])
        #expect(done.status == 0 && done.output.contains(words), "\(done.errors)")
        let again = try await sandbox.slate(restore + ["--yes", "--format", "json"])
        #expect(try again.json["upgrades"] == false && !again.output.contains(words))
    }

    @Test("A safety copy of the database is a source as well, and find names it")
    func safetyCopy() async throws {
        try sandbox.backup("a.json", tasks: 1)
        #expect(try await sandbox.slate("import", "a.json", "--db", database, "--yes").status == 0)
        let found = try await sandbox.slate("find", "passport", "--db", database, "--format", "json").json
        let files = found["records"]?.array?.first?["versions"]?.array?.first?["files"]?.array
        let copy = try #require(files?.first?["file"]?.string)
        #expect(files?.first?["asOf"]?.string != nil)
        #expect(try await sandbox.slate("restore", copy, "passport", "--db", database, "--yes").status == 0)
        #expect(try await sandbox.slate("search", "passport", "--db", database).output.contains("Renew the passport"))
    }

    @Test("What cannot be used or is not there changes nothing")
    func failures() async throws {
        let before = try await sandbox.exported(database)
        let file = sandbox.path("backups/Slate-20260107.json")
        try sandbox.write("broken.json", "{")
        #expect(try await sandbox.slate("restore", file, "zebra", "--db", database, "--yes").status == 66)
        let several = try await sandbox.slate("restore", file, "paint", "--db", database, "--yes")
        #expect(several.status == 64 && several.errors.contains(" tasks or habits: "), "\(several.errors)")
        #expect(try await sandbox.slate("restore", "broken.json", "x", "--db", database, "--yes").status == 65)
        #expect(try await sandbox.slate("restore", "missing.json", "x", "--db", database, "--yes").status == 66)
        #expect(try await sandbox.slate("find", "x", "--in", "broken.json", "--db", database).status == 65)
        #expect(try await sandbox.exported(database) == before)
    }
}
