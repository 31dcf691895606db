import ArchiveIO
import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// What a person gives by mistake, or finds on a disk.
struct SlateEdgeTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func zip(_ entries: [(String, [UInt8])]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            let writer = try ArchiveWriter(.zip, to: sink)
            for (name, content) in entries { try writer.add(name, bytes: content) }
            try writer.finish()
        }
        return bytes
    }

    @Test("An archive without a manifest says so, and of a damaged manifest the manifest's fault is reported")
    func manifests() async throws {
        let json = try Fixtures.bytes("slate/v2/autumn-week.json")
        try sandbox.write("plain.zip", try zip([("Slate.json", json)]))
        for command in ["verify", "inspect"] {
            let outcome = try await sandbox.slate(command, "plain.zip")
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("note[slate.no-manifest]"))
        }
        let cases = [
            ("", "manifest.syntax"), ("[]", "manifest."), ("{\"format\": \"slatebackup\", \"format\": 1}", "manifest."),
            ("{\"files\": [], \"digest\": \"\"}", "manifest."), ("{\"name\": \"another\"}", "archive.several-json"),
        ]
        for (manifest, code) in cases {
            try sandbox.write("x.zip", try zip([("manifest.json", Array(manifest.utf8)), ("Slate.json", json)]))
            let outcome = try await sandbox.slate("verify", "x.zip")
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains("error[\(code)"), "\(manifest) \(outcome.errors)")
        }
        let source = BackupFile(
            "Slate-20260107.json",
            content: .bytes(json),
            counts: [BackupManifest.Count(table: "notes", records: 3)]
        )
        let bytes = try BackupArchive.bytes([source], manifest: BackupManifest(format: .slatebackup), packing: .zip)
        try sandbox.write("x.slatebackup", bytes)
        let counted = try await sandbox.slate("verify", "x.slatebackup")
        #expect(counted.status == 65)
        #expect(counted.errors.contains("3 rows in notes, a table that Slate's format does not have"))
    }

    @Test("Stats warns of a day start that is none, and counts no marks of days to come")
    func stats() async throws {
        let path = try await sandbox.sampleDatabase()
        let before = try await sandbox.slate("stats", "--db", path, "--now", slateNow, "--format", "json").json
        let queue = try DatabaseQueue(path: path)
        try await queue.write {
            try $0.execute(sql: "INSERT INTO day_plan (date, perfect_day) VALUES ('2099-01-01', 1)")
            try $0.execute(sql: "UPDATE meta SET value = '25:00' WHERE key = 'day_start'")
            try $0.execute(sql: "UPDATE habits SET active = 0 WHERE title = 'Stretch'")
        }
        try queue.close()
        let outcome = try await sandbox.slate("stats", "--db", path, "--now", slateNow)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[slate.day-start]") && outcome.errors.contains("25:00"))
        #expect(outcome.output.contains("1 inactive habit not shown.\n"))
        let marked = try #require(before["perfectDays"]?.number?.int)
        #expect(outcome.output.contains("Perfect days: \(marked)\n"), "\(outcome.output)")
        for arguments in [["today"], ["add", "Paint the door"], ["rollover", "--yes"]] {
            let other = try await sandbox.slate(arguments + ["--db", path, "--now", slateNow])
            #expect(other.status == 3, "\(arguments[0]): \(other.errors)")
            #expect(other.errors.contains("warning[slate.day-start]"), "\(arguments[0]): \(other.errors)")
        }
    }

    @Test("An archive is written and read whatever its ratio: rows that are alike compress well")
    func ratio() async throws {
        let path = try await sandbox.sampleDatabase()
        let queue = try DatabaseQueue(path: path)
        try await queue.write {
            try $0.execute(
                sql: "UPDATE tasks SET notes = replace(hex(zeroblob(34000000)), '0', 'x') WHERE id = 'task-2'"
            )
        }
        try queue.close()
        let outcome = try await sandbox.slate("export", "--db", path, "--output", "big.slatebackup")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try sandbox.leftovers().isEmpty && sandbox.has("big.slatebackup"))
        let verified = try await sandbox.slate("verify", "big.slatebackup")
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test("What could not be read back is not written, and the message has the size and the limit")
    func tooLarge() async throws {
        let path = try await sandbox.sampleDatabase()
        let queue = try DatabaseQueue(path: path)
        try await queue.write {
            // A control character takes six bytes in JSON.
            try $0.execute(
                sql: "UPDATE tasks SET notes = replace(hex(zeroblob(45000000)), '0', char(1)) WHERE id = 'task-2'"
            )
        }
        try queue.close()
        let outcome = try await sandbox.slate("export", "--db", path, "--output", "big.json")
        #expect(outcome.status == 65 && outcome.errors.contains("536870912"), "\(outcome.errors)")
        #expect(try sandbox.leftovers().isEmpty && !sandbox.has("big.json"))
    }

    @Test("A file with a hole, or beyond the limit, is refused without reading all of it")
    func holes() async throws {
        for (name, head, size, expected) in [
            ("hole.json", "", 400 << 20, "hole"), ("head.json", "{\"version\": 2,\n", 400 << 20, "hole"),
            ("large.json", "{", 3 << 30, "536870912"),
        ] {
            let path = try sandbox.write(name, head)
            #expect(truncate(path, off_t(size)) == 0)
            for arguments in [["verify"], ["import", "--db", sandbox.path("new.db")]] {
                let outcome = try await sandbox.slate([arguments[0], name] + arguments.dropFirst())
                #expect(outcome.status == 65 && outcome.errors.contains(expected), "\(outcome.errors)")
            }
            for arguments in [["validate"], ["import", "--store", sandbox.path("new.db"), "--time-zone", "UTC"]] {
                let outcome = try await sandbox.tracker([arguments[0], name] + arguments.dropFirst())
                #expect(outcome.status == 65 && outcome.errors.contains(expected), "\(outcome.errors)")
            }
            #expect(!sandbox.has("new.db"))
            try sandbox.remove(name)
        }
    }

    @Test("With --verbose a plan lists what it holds, rows without a title as well")
    func verbose() async throws {
        try sandbox.backup("many.json", tasks: 12)
        let short = try await sandbox.slate("import", "many.json", "--dry-run")
        #expect(short.output.contains("create tasks: … and 7 more (--verbose lists up to 20)\n"), "\(short.output)")
        let long = try await sandbox.slate("import", "many.json", "--dry-run", "--verbose")
        #expect(long.output.contains("create tasks t11 ") && !long.output.contains("more"), "\(long.output)")
        let week = Fixtures.path("slate/v2/autumn-week.json")
        let rows = try await sandbox.slate("import", week, "--dry-run", "--verbose")
        #expect(rows.output.contains("create day_plan_items "), "\(rows.output)")
    }

    @Test("A plan names what it keeps by its title in the database")
    func keptTitle() async throws {
        let later = try sandbox.backup("later.json", tasks: 1, exportedAt: "2026-01-08T00:00:00Z")
        #expect(try await sandbox.slate("import", later, "--yes").status == 0)
        let text = String(decoding: try sandbox.bytes("later.json"), as: UTF8.self)
            .replacing("Task 0", with: "Older").replacing("2026-01-08", with: "2026-01-01")
        try sandbox.write("older.json", text)
        let plan = try await sandbox.slate("import", "older.json", "--mode", "merge", "--dry-run")
        #expect(plan.output.contains("keep tasks t0 \"Task 0\""), "\(plan.output)")
    }

    @Test("Names, moments, devices and folders that cannot be meant are refused")
    func refusals() async throws {
        let path = try await sandbox.sampleDatabase()
        let command = "'\(Built.path("slate-backup"))' export --db '\(path)' --output \"$(printf 'bad\\377.json')\""
        let name = try await sandbox.run("/bin/sh", ["-c", command])
        #expect(name.status == 64)
        #expect(name.errors.contains("is no UTF-8"))
        #expect(try sandbox.names().allSatisfy { !$0.hasPrefix("bad") })
        let moment = ["--now", "9999-12-31T23:59:59Z", "--time-zone", "Asia/Tokyo"]
        #expect(try await sandbox.slate(["export", "--db", path] + moment).status == 64)
        let device = try await sandbox.slate("verify", "/dev/zero")
        #expect(device.status == 66)
        #expect(device.errors.contains("it is a device"))
        #expect(try await sandbox.slate("init", "--db", sandbox.folder.path).status == 73)
        #expect(try await sandbox.slate("init", "--db", sandbox.path("x.db"), "--exclude", "x").status == 64)
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE satchel_extra (x)") }
        try queue.close()
        let extra = try await sandbox.slate("export", "--db", path)
        #expect(extra.status == 65)
        #expect(extra.errors.contains("satchel_extra has no column table_name"), "\(extra.errors)")
    }
}
