import Foundation
import StrictJSON
import Testing
import TestSupport

struct SlateExportTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A backup in a folder is named after its own local date, and the same data give the same bytes")
    func folder() async throws {
        let database = try await sandbox.sampleDatabase()
        try FileManager.default.createDirectory(atPath: sandbox.path("b"), withIntermediateDirectories: false)
        let arguments = ["export", "--plain", "--db", database, "--output", sandbox.path("b"), "--now", slateNow]
        let first = try await sandbox.slate(arguments + ["--time-zone", "Pacific/Auckland"])
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output == "Exported 65 rows to \(sandbox.path("b"))/Slate-20260108.json (version 2).\n")
        #expect(first.errors.isEmpty)
        let bytes = try sandbox.bytes("b/Slate-20260108.json")
        #expect(String(decoding: bytes, as: UTF8.self).contains("\"exported_at\": \"2026-01-08T09:30:00+13:00\""))
        let again = try await sandbox.slate(arguments + ["--time-zone", "Pacific/Auckland", "--format", "json"])
        #expect(try again.json["replaced"] == true)
        #expect(try sandbox.bytes("b/Slate-20260108.json") == bytes)
        #expect(try await sandbox.slate(arguments + ["--time-zone", "America/New_York"]).status == 0)
        #expect(sandbox.has("b/Slate-20260107.json"))
        #expect(try sandbox.leftovers().isEmpty)
    }

    @Test("In a folder it is compressed, and a tenth of the size; .json, -, --plain and an older version are plain")
    func compressed() async throws {
        let database = try await sandbox.sampleDatabase()
        let here = ["export", "--db", database, "--now", slateNow]
        #expect(
            try await sandbox.slate(here).output == "Exported 65 rows to ./Slate-20260107.slatebackup (version 2).\n"
        )
        #expect(try await sandbox.slate(here + ["--plain"]).output.contains("./Slate-20260107.json "))
        #expect(try sandbox.bytes("Slate-20260107.slatebackup").count * 3 < sandbox.bytes("Slate-20260107.json").count)
        let old = try await sandbox.slate(here + ["--schema-version", "1", "--now", "2026-01-08T20:30:00Z"])
        #expect(old.output.contains("./Slate-20260108.json "))
        let inspected = try await sandbox.slate("inspect", "Slate-20260107.slatebackup", "--format", "json").json
        #expect(inspected["container"]?.string == "slatebackup, tar.zst" || inspected["container"]?.string != nil)
        let diff = try await sandbox.slate("diff", "Slate-20260107.json", "Slate-20260107.slatebackup")
        #expect(diff.status == 0, "\(diff.output)")
        for wrong in [["-o", "x.slatebackup", "--plain"], ["--plain", "--archive", "zip"]] {
            #expect(try await sandbox.slate(here + wrong).status == 64)
        }
        #expect(!sandbox.has("x.slatebackup"))
    }

    @Test("Without --output it goes into the current folder; - is the standard output, with nothing else on it")
    func places() async throws {
        let database = try await sandbox.sampleDatabase()
        let here = try await sandbox.slate("export", "--plain", "--db", database, "--now", slateNow)
        #expect(here.output == "Exported 65 rows to ./Slate-20260107.json (version 2).\n")
        let stream = try await sandbox.slate("export", "--db", database, "--now", slateNow, "--output", "-")
        #expect(stream.status == 0)
        #expect(Array(stream.output.utf8) == (try sandbox.bytes("Slate-20260107.json")))
        let both = try await sandbox.slate("export", "--db", database, "--output", "-", "--format", "json")
        #expect(both.status == 64)
    }

    @Test("Archives are the same for the same data, hold the same JSON, and a name asks for one")
    func archives() async throws {
        let database = try await sandbox.sampleDatabase()
        let json = try await sandbox.exported(database)
        for (name, extra) in [
            ("a.slatebackup", []), ("a.zip", ["--archive", "zip"]), ("b.tar.zst", ["--archive", "tar.zst"]),
        ] {
            let arguments = ["export", "--db", database, "--now", slateNow, "--output", sandbox.path(name)] + extra
            #expect(try await sandbox.slate(arguments).status == 0)
            let bytes = try sandbox.bytes(name)
            #expect(try await sandbox.slate(arguments).status == 0)
            #expect(try sandbox.bytes(name) == bytes)
            let restored = sandbox.path("from-\(name).db")
            #expect(try await sandbox.slate("import", name, "--db", restored, "--yes").status == 0)
            #expect(try await sandbox.exported(restored, to: "again.json") == json)
            let inspected = try await sandbox.slate("inspect", name, "--format", "json").json
            #expect(inspected["container"]?.string?.hasPrefix("slatebackup, ") == true)
            #expect(inspected["generator"]?.string?.hasPrefix("slate-backup ") == true)
        }
    }

    @Test("Version 1 says what is lost, ends with 3, and comes back whole")
    func downgrade() async throws {
        let database = try await sandbox.sampleDatabase()
        let json = try await sandbox.exported(database)
        let old = sandbox.path("old.json")
        let outcome = try await sandbox.slate(
            ["export", "--db", database, "--output", old, "--schema-version", "1", "--now", slateNow]
        )
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[migration.loss]"))
        #expect(outcome.output.hasSuffix("(version 1).\n"))
        let inspected = try await sandbox.slate("inspect", old, "--format", "json").json
        #expect(inspected["version"] == 1)
        #expect(try await sandbox.slate("import", old, "--db", sandbox.path("new.db"), "--yes").status == 0)
        #expect(try await sandbox.exported(sandbox.path("new.db"), to: "again.json") == json)
        for version in ["0", "3", "-1"] {
            let outcome = try await sandbox.slate("export", "--db", database, "--schema-version=\(version)")
            #expect(outcome.status == 64)
        }
    }

    @Test("What an older version preserves is not missing from the backup")
    func preservedRows() async throws {
        let database = sandbox.path("slate.db")
        try FileManager.default.createDirectory(atPath: sandbox.path("b"), withIntermediateDirectories: false)
        #expect(try await sandbox.slate("init", "--db", database).status == 0)
        for number in 1...25 {
            #expect(try await sandbox.slate("add", "Task \(number)", "--db", database, "--now", slateNow).status == 0)
        }
        let export = ["export", "--db", database, "--output", sandbox.path("b"), "--now", slateNow]
        #expect(try await sandbox.slate(export).status == 0)
        let older = try await sandbox.slate(export + ["--schema-version", "1"])
        #expect(older.status == 3 && older.errors.contains("25 rows of activity_log: they are preserved"))
        #expect(!older.errors.contains("slate.shrunk"), "\(older.errors)")
    }

    @Test("A backup with far fewer rows is kept beside the one before, with a warning")
    func shrunk() async throws {
        try sandbox.backup("many.json", tasks: 100)
        try sandbox.backup("few.json", tasks: 10)
        let database = sandbox.path("slate.db")
        try FileManager.default.createDirectory(atPath: sandbox.path("b"), withIntermediateDirectories: false)
        let export = ["export", "--plain", "--db", database, "--output", sandbox.path("b"), "--now", slateNow, "--yes"]
        #expect(try await sandbox.slate("import", "many.json", "--db", database, "--yes").status == 0)
        #expect(try await sandbox.slate(export).status == 0)
        let many = try sandbox.bytes("b/Slate-20260107.json")
        #expect(try await sandbox.slate("import", "few.json", "--db", database, "--yes").status == 0)
        for _ in 0..<2 {
            let beside = try await sandbox.slate(export)
            #expect(beside.status == 3)
            #expect(beside.errors.contains("warning[slate.shrunk]: kept beside the new backup"))
            #expect(beside.output.contains("Slate-20260107-2.json"))
            #expect(try sandbox.names().filter { $0.hasPrefix("b/") }.count == 2)
        }
        let next = try await sandbox.slate(
            ["export", "--db", database, "--output", sandbox.path("b"), "--now", "2026-01-09T12:00:00Z"]
        )
        // The newest older one is the small one by now.
        #expect(next.status == 0, "\(next.errors)")
        try sandbox.remove("b/Slate-20260107-2.json")
        let after = try await sandbox.slate(
            ["export", "--db", database, "--output", sandbox.path("b"), "--now", "2026-01-08T12:00:00Z"]
        )
        #expect(after.status == 3)
        #expect(after.errors.contains("slate.shrunk") && after.errors.contains("Slate-20260107.json"))
        #expect(try sandbox.bytes("b/Slate-20260107.json") == many)
        let file = try await sandbox.slate(
            ["export", "--db", database, "--output", sandbox.path("b/Slate-20260107.json"), "--now", slateNow]
        )
        #expect(file.status == 3)
        #expect(sandbox.has("b/Slate-20260107-2.json"))
        #expect(try sandbox.bytes("b/Slate-20260107.json") == many)
    }

    @Test("What is no backup is not replaced: beside it in a folder, by consent where it is named")
    func taken() async throws {
        let database = try await sandbox.sampleDatabase()
        try sandbox.write("Slate-20260107.json", "my own notes")
        let beside = try await sandbox.slate("export", "--plain", "--db", database, "--now", slateNow)
        #expect(beside.status == 3)
        #expect(beside.errors.contains("warning[slate.name-taken]"))
        #expect(sandbox.has("Slate-20260107-2.json"))
        let named = ["export", "--db", database, "--now", slateNow, "--output", "Slate-20260107.json"]
        let asked = try await sandbox.slate(named)
        #expect(asked.status == 64)
        #expect(asked.errors.contains("--yes"))
        #expect(try sandbox.bytes("Slate-20260107.json") == Array("my own notes".utf8))
        #expect(try await sandbox.slate(named + ["--yes"]).status == 0)
        #expect(try sandbox.bytes("Slate-20260107.json") == sandbox.bytes("Slate-20260107-2.json"))
    }

    @Test("Where nothing can be written it ends with 73, and nothing is left")
    func cannotCreate() async throws {
        let database = try await sandbox.sampleDatabase()
        for output in ["missing/", "missing/x.json", "/dev/null", ""] {
            let outcome = try await sandbox.slate("export", "--db", database, "--output", output)
            #expect(outcome.status == 73, "\(output) \(outcome.errors)")
        }
        let full = try await sandbox.run(
            "/bin/sh",
            ["-c", "'\(Built.path("slate-backup"))' export --db '\(database)' --output - > /dev/full"]
        )
        #expect(full.status == 74)
        #expect(try sandbox.leftovers().isEmpty)
    }

    @Test("What an interrupted export left is removed by the next one, and what one holds is not")
    func leftovers() async throws {
        let database = try await sandbox.sampleDatabase()
        try sandbox.write(".satchel-1-0.tmp", "half")
        try sandbox.write(".satchel-notes.txt", "mine")
        let held = try PendingFileHolder(sandbox.folder.path)
        #expect(try await sandbox.slate("export", "--db", database).status == 0)
        #expect(try sandbox.names().filter { $0.hasPrefix(".satchel-") } == [held.name, ".satchel-notes.txt"].sorted())
    }
}
