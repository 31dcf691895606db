import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

struct SlateUndoTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Undo goes back one import each time, and says where the other states are")
    func twice() async throws {
        let database = try await sandbox.sampleDatabase()
        let first = try await sandbox.exported(database)
        try sandbox.backup("a.json", tasks: 1)
        try sandbox.backup("b.json", tasks: 2)
        #expect(try await sandbox.slate("import", "a.json", "--db", database, "--yes").status == 0)
        let second = try await sandbox.exported(database)
        let imported = try await sandbox.slate("import", "b.json", "--db", database, "--yes", "--format", "json").json
        #expect(sandbox.has("slate.db.safety"))
        #expect(imported["safetyCopy"]?.string?.hasPrefix("\(database).safety/") == true)

        let asked = try await sandbox.slate("undo", "--db", database)
        #expect(asked.status == 64)
        #expect(asked.output.contains("NOW  THEN"))
        let dry = try await sandbox.slate("undo", "--db", database, "--dry-run")
        #expect(dry.status == 0)
        #expect(dry.output.contains("Nothing was changed."))
        #expect(try await sandbox.exported(database) != second)

        let done = try await sandbox.slate("undo", "--db", database, "--yes", "--format", "json")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await sandbox.exported(database) == second)
        #expect(try await sandbox.slate("undo", "--db", database, "--yes").status == 0)
        #expect(try await sandbox.exported(database) == first)

        let kept = try #require(try done.json["safetyCopy"]?.string)
        #expect(try await sandbox.slate("undo", "--db", database, "--yes", "--copy", kept).status == 0)
        let tasks = try await sandbox.slate("stats", "--db", database, "--format", "json").json["counts"]?["tasks"]
        #expect(tasks == 2)
        let list = try await sandbox.slate("undo", "--list", "--db", database)
        #expect(list.output.contains("before an import") && list.output.contains("before an undo"))
        #expect(try await sandbox.slate("undo", "--db", database, "--yes", "--copy", "nope.db").status == 66)
    }

    @Test("Tasks that an undo takes away are named before")
    func named() async throws {
        let database = try await sandbox.sampleDatabase()
        let more = ["--db", database, "--now", "2026-01-09T12:00:00Z", "--time-zone", "UTC"]
        #expect(try await sandbox.slate(["rollover", "--yes"] + more).status == 0)
        let none = try await sandbox.slate("undo", "--db", database, "--dry-run")
        #expect(!none.output.contains("Of tasks"), "\(none.output)")
        for title in ["Pay the rent", "Call the school"] {
            #expect(try await sandbox.slate(["add", title] + more).status == 0)
        }
        let dry = try await sandbox.slate("undo", "--db", database, "--dry-run")
        let line = dry.output.split(separator: "\n").first { $0.hasPrefix("Of tasks these go away: ") } ?? ""
        #expect(line.contains("\"Pay the rent\"") && line.contains("\"Call the school\""), "\(dry.output)")
        let json = try await sandbox.slate("undo", "--db", database, "--dry-run", "--format", "json").json
        let tasks = json["changes"]?.array?.first { $0["table"]?.string == "tasks" }
        #expect(Set(tasks?["titlesGone"]?.array ?? []) == ["Pay the rent", "Call the school"])
    }

    @Test("A newer import that was interrupted once it was done is named in a warning")
    func interrupted() async throws {
        let database = try await sandbox.sampleDatabase()
        try sandbox.backup("a.json", tasks: 1)
        try sandbox.backup("b.json", tasks: 2)
        #expect(try await sandbox.slate("import", "a.json", "--db", database, "--yes").status == 0)
        let imported = try await sandbox.slate("import", "b.json", "--db", database, "--yes", "--format", "json").json
        let done = try #require(imported["safetyCopy"]?.string)
        let pending = String(done.dropLast(3)) + ".pending.db"
        try FileManager.default.moveItem(atPath: done, toPath: pending)
        let dry = try await sandbox.slate("undo", "--db", database, "--dry-run", "--format", "json")
        #expect(dry.errors.contains("warning: \(pending) is newer: it was made before an import"), "\(dry.errors)")
        #expect(try dry.json["interrupted"]?["file"]?.string == pending)
        let named = ["undo", "--db", database, "--yes", "--format", "json", "--copy", pending]
        let undone = try await sandbox.slate(named)
        #expect(try !undone.errors.contains("warning") && undone.json["interrupted"] == .null, "\(undone.errors)")
        // Now it is used, and the one before is next.
        let next = try await sandbox.slate("undo", "--db", database, "--yes")
        #expect(next.status == 0 && !next.errors.contains("warning"), "\(next.errors)")
    }

    @Test("Where there is nothing to go back to it ends with 66")
    func nothing() async throws {
        let outcome = try await sandbox.slate("undo", "--yes")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("slate.no-safety-copy"))
        #expect(try await sandbox.slate("undo", "--list").output.hasPrefix("There are no copies"))
    }

    @Test("A database of version 1 is read as it is, and upgraded with consent alone")
    func older() async throws {
        let database = try await sandbox.sampleDatabase()
        let queue = try DatabaseQueue(path: database)
        try await queue.write { database in
            try database.execute(
                sql: """
                    UPDATE tasks SET depends_on_task_id = NULL; ALTER TABLE tasks DROP COLUMN depends_on_task_id;
                    DROP TABLE activity_log; DROP TABLE day_snapshots;
                    UPDATE meta SET value = '1' WHERE key = 'schema_version';
                    """
            )
        }
        try queue.close()
        let bytes = try sandbox.bytes("slate.db")
        #expect(try await sandbox.slate("stats", "--db", database).status == 0)
        try await sandbox.exported(database)
        try sandbox.backup("a.json", tasks: 1)
        let dry = try await sandbox.slate("import", "a.json", "--db", database, "--dry-run")
        #expect(dry.output.contains("The database is of version 1; it is upgraded to version 2."))
        let asked = try await sandbox.slate("import", "a.json", "--db", database)
        #expect(asked.status == 64)
        #expect(asked.errors.contains("upgrade the database to version 2"))
        #expect(try sandbox.bytes("slate.db") == bytes)
        #expect(try await sandbox.slate("import", "a.json", "--db", database, "--yes").status == 0)
        #expect(try await sandbox.slate("undo", "--db", database, "--yes").status == 0)
        #expect(
            try await sandbox.slate("import", "a.json", "--db", database, "--dry-run").output.contains("version 1;")
        )
    }

    @Test("The advice for a damaged database names that database, as undo alone goes back in the default one")
    func adviceNamesTheStore() async throws {
        let database = try await sandbox.sampleDatabase()
        let bytes = try sandbox.bytes("slate.db")
        try sandbox.write("slate.db", Array(bytes.prefix(5000)))
        let outcome = try await sandbox.slate("today", "--store", database, "--now", slateNow)
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains("slate-backup undo --store "), "\(outcome.errors)")
    }

    @Test("A failure is an object for programs too, and a moment is RFC 3339")
    func forPrograms() async throws {
        let database = try await sandbox.sampleDatabase()
        let failed = try await sandbox.slate("undo", "--db", database, "--yes", "--format", "json")
        #expect(failed.status == 66)
        #expect(try failed.json["files"]?.array?.first?["valid"] == false)
        try sandbox.backup("a.json", tasks: 1)
        let now = ["--now", "2025-11-03T12:00:05Z"]
        #expect(try await sandbox.slate(["import", "a.json", "--db", database, "--yes"] + now).status == 0)
        let list = try await sandbox.slate("undo", "--db", database, "--list", "--format", "json")
        #expect(try list.json["copies"]?.array?.first?["made"] == "2025-11-03T12:00:05Z")
    }
}
