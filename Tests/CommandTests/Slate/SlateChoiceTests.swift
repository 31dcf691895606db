import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

struct SlateChoiceTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A backup dated in the future is passed over with a warning, and taken where it is named")
    func future() async throws {
        try sandbox.backup("Slate-20260106.json", tasks: 2)
        try sandbox.backup("Slate-20300101.json", tasks: 1)
        let database = sandbox.path("slate.db")
        let from = ["--from", ".", "--now", slateNow]
        let verified = try await sandbox.slate(["verify"] + from)
        #expect(verified.status == 3)
        #expect(verified.output == "./Slate-20260106.json: valid (version 2)\n")
        #expect(verified.errors.contains("./Slate-20300101.json: warning[slate.future-backup]"))
        let imported = try await sandbox.slate(["import", "--db", database, "--yes"] + from)
        #expect(imported.status == 3)
        #expect(imported.output.hasPrefix("./Slate-20260106.json"))
        #expect(imported.errors.contains("slate.future-backup"))
        #expect(try await sandbox.slate("import", "Slate-20300101.json", "--db", database, "--yes").status == 0)
        try sandbox.remove("Slate-20260106.json")
        for command in [["verify"], ["import", "--yes"]] {
            let none = try await sandbox.slate(command + from)
            #expect(none.status == 66)
            #expect(none.errors.contains("Slate-20300101.json") && none.errors.contains("dated in the future"))
        }
    }

    @Test("Where --repair would take a newer backup, that is said")
    func mendable() async throws {
        try sandbox.backup("Slate-20260105.json", tasks: 2)
        try sandbox.write("Slate-20260106.json", try Fixtures.bytes("slate/invalid/dangling-plan-item.json"))
        try sandbox.write("Slate-20260107.json", "{")
        let from = ["import", "--db", sandbox.path("slate.db"), "--yes", "--from", ".", "--now", slateNow]
        let outcome = try await sandbox.slate(from)
        #expect(outcome.status == 3)
        #expect(outcome.output.hasPrefix("./Slate-20260105.json"))
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("./Slate-20260106.json") && $0.contains("--repair corrects") })
        #expect(lines.contains { $0.hasPrefix("./Slate-20260107.json") && $0.contains("see slate-backup verify") })
        let mended = try await sandbox.slate(from + ["--repair"])
        #expect(mended.output.hasPrefix("./Slate-20260106.json"))
    }

    @Test("Only what the format does not have can be left out, and hints are fit for a shell")
    func exclusions() async throws {
        let path = try await sandbox.sampleDatabase()
        for name in ["nonsense", "day_plan", "tasks.notes", "meta"] {
            let outcome = try await sandbox.slate("export", "--db", path, "--exclude", name)
            #expect(outcome.status == 64, "\(name)")
            #expect(outcome.errors.contains("error[slate.exclude]: \"\(name)\" cannot be left out; there is nothing"))
        }
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE \"Ada's notes\" (x); ALTER TABLE habits ADD color") }
        try queue.close()
        let wrong = try await sandbox.slate("stats", "--db", path, "--exclude", "nonsense")
        #expect(wrong.errors.contains("what can be: --exclude 'Ada'\\''s notes' --exclude habits.color"))
        let hint = try await sandbox.slate("export", "--db", path, "--exclude", "habits.color")
        #expect(hint.status == 65)
        #expect(hint.errors.contains("--exclude 'Ada'\\''s notes'"))
        let command =
            "'\(Built.path("slate-backup"))' export --db '\(path)' --exclude 'Ada'\\''s notes' --exclude habits.color"
        #expect(try await sandbox.run("/bin/sh", ["-c", command]).status == 0)
    }

    @Test("A database that cannot be exported or opened: the message says what to do")
    func waysOut() async throws {
        let path = try await sandbox.sampleDatabase()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "UPDATE tasks SET due_date = 'soon' WHERE id = 'task-2'") }
        let schema = try await sandbox.slate("export", "--db", path)
        #expect(schema.status == 65)
        #expect(schema.errors.contains("until then keep a copy of the database file itself"))
        try await queue.write { try $0.execute(sql: "UPDATE tasks SET due_date = x'00' WHERE id = 'task-2'") }
        try queue.close()
        let value = try await sandbox.slate("export", "--db", path)
        #expect(value.status == 65)
        #expect(value.errors.contains("until then keep a copy of the database file itself"))
        try sandbox.backup("backup.json", tasks: 1)
        try sandbox.write("none.db", "no database, and long enough that nobody could take it for an empty one, either")
        for command in [["import", "backup.json", "--yes"], ["export"], ["stats"]] {
            let outcome = try await sandbox.slate(command + ["--db", sandbox.path("none.db")])
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("move the file away and import a backup"), "\(outcome.errors)")
        }
    }
}
