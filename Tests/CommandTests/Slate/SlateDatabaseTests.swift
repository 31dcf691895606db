import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

struct SlateDatabaseTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func database(_ name: String = "slate.db", changed sql: String) async throws -> String {
        let path = try await sandbox.sampleDatabase(name)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return path
    }

    @Test(
        "A table or column that would be missing from the backup makes the export fail, unless it is excluded by name"
    )
    func unknown() async throws {
        let path = try await database(changed: "CREATE TABLE notes (x); ALTER TABLE habits ADD COLUMN color TEXT")
        let export = ["export", "--db", path, "--output", "backup.json"]
        let column = try await sandbox.slate(export)
        #expect(column.status == 65)
        #expect(column.errors.contains("slate.unknown-column") && column.errors.contains("--exclude habits.color"))
        let table = try await sandbox.slate(export + ["--exclude", "habits.color"])
        #expect(table.status == 65)
        #expect(table.errors.contains("slate.unknown-table") && table.errors.contains("--exclude notes"))
        #expect(!sandbox.has("backup.json"))
        #expect(try sandbox.leftovers().isEmpty)
        let both = try await sandbox.slate(export + ["--exclude", "habits.color", "--exclude", "notes"])
        #expect(both.status == 0, "\(both.errors)")
    }

    @Test("What the format does not allow is named by its row, and an older backup stays")
    func values() async throws {
        let good = try await sandbox.sampleDatabase("good.db")
        let before = try await sandbox.exported(good, to: "backup.json")
        let path = try await database(changed: "UPDATE tasks SET due_date = 'soon' WHERE id = 'task-2'")
        let outcome = try await sandbox.slate("export", "--db", path, "--output", "backup.json")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("\(path): error[schema.format]: found the string \"soon\""))
        #expect(outcome.errors.contains("(in the row \"task-2\" of tasks) (at /tasks/1/due_date)"))
        #expect(try sandbox.bytes("backup.json") == before)
        #expect(try sandbox.leftovers().isEmpty)
    }

    @Test(
        "A time of day that the format does not allow is called that, not by a regular expression",
        arguments: [
            "UPDATE habits SET reminder_time = '7:30' WHERE id = 'habit-1'",
            "UPDATE meta SET value = '4' WHERE key = 'day_start'",
        ]
    )
    func times(_ sql: String) async throws {
        let path = try await database(changed: sql)
        let outcome = try await sandbox.slate("export", "--db", path, "--output", "backup.json")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("expected a time of day from 00:00 to 23:59"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("regular expression"), "\(outcome.errors)")
    }

    @Test("References that lead nowhere are exported with a warning")
    func dangling() async throws {
        let path = try await database(changed: "DELETE FROM tasks WHERE id = 'task-2'")
        let outcome = try await sandbox.slate("export", "--db", path, "--output", "backup.json")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[slate.dangling-plan-item]"))
        #expect(try await sandbox.slate("verify", "backup.json").status == 65)
        #expect(try await sandbox.slate("import", "backup.json", "--repair", "--yes").status == 3)
    }

    @Test("Databases that are not to be touched are left as they are, each with its code")
    func foreign() async throws {
        let cases = [
            ("UPDATE meta SET value = '3' WHERE key = 'schema_version'", "store.newer-version"),
            ("DROP TABLE habits", "store.foreign"), ("UPDATE meta SET value = 'two'", "store.foreign"),
        ]
        try sandbox.backup("backup.json", tasks: 1)
        for (index, (sql, code)) in cases.enumerated() {
            let path = try await database("\(index).db", changed: sql)
            let bytes = try sandbox.bytes("\(index).db")
            for command in [["export"], ["stats"], ["import", "backup.json", "--yes"], ["init"]] {
                let outcome = try await sandbox.slate(command + ["--db", path])
                #expect(outcome.status == 65, "\(command) \(outcome.errors)")
                #expect(outcome.errors.contains("\(path): error[\(code)]"))
            }
            #expect(try sandbox.bytes("\(index).db") == bytes)
        }
    }

    @Test("Init makes a database once")
    func initialise() async throws {
        #expect(try await sandbox.slate("init").output.contains("without tasks and habits"))
        let again = try await sandbox.slate("init", "--sample")
        #expect(again.status == 73)
        #expect(again.errors.contains("it was not changed"))
        #expect(try await sandbox.slate("init", "--db", "").status == 64)
        #expect(try await sandbox.slate("init", "--db", sandbox.path("missing/x.db")).status == 73)
        let outcome = try await sandbox.slate("stats", "--format", "json")
        #expect(try outcome.json["counts"]?["tasks"] == 0)
    }

    @Test(
        "A folder that nobody may write to: 73, and nothing is changed",
        .enabled("\(OtherUser.missing)") { await OtherUser.canRun(Built.path("slate-backup")) }
    )
    func readOnly() async throws {
        let path = try await sandbox.sampleDatabase()
        try sandbox.backup("backup.json", tasks: 1)
        for name in [".", "slate.db", "backup.json"] {
            let mode = name == "." ? 0o755 : 0o644
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sandbox.path(name))
        }
        let bytes = try sandbox.bytes("slate.db")
        let program = Built.path("slate-backup")
        let commands = [
            (["export", "--db", path, "--output", sandbox.folder.path], 73), (["stats", "--db", path], 0),
            (["import", sandbox.path("backup.json"), "--db", path, "--yes"], 73),
            (["undo", "--db", path, "--yes"], 66),
        ]
        for (arguments, status) in commands {
            let outcome = try await OtherUser.run(program, arguments, in: sandbox)
            #expect(outcome.status == Int32(status), "\(arguments) \(outcome.errors)")
        }
        #expect(try sandbox.bytes("slate.db") == bytes)
    }
}
