import Foundation
import StrictJSON
import Subprocess
import Testing
import TestSupport

/// Two databases whose backups lie in one folder, and a database that was made anew.
struct SlateSharedFolderTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func slate(_ store: String, _ arguments: String..., day: Int = 1) async throws -> Outcome {
        let more = ["--store", sandbox.path(store), "--now", "2026-03-0\(day)T20:00:00Z"]
        return try await sandbox.run(
            Built.path("slate-backup"),
            arguments + more,
            environment: ["SATCHEL_BACKUPS": sandbox.path("notes.json")]
        )
    }

    /// Makes a database with tasks of its own.
    private func make(_ name: String, tasks count: Int = 5) async throws {
        #expect(try await slate(name, "init").status == 0)
        for number in 0..<count { #expect(try await slate(name, "add", "\(name) \(number)").status == 0) }
    }

    private func backup(_ store: String, day: Int) async throws -> Outcome {
        try await slate(store, "backup", "--to", sandbox.path("b"), "--keep", "2", day: day)
    }

    private func files() throws -> [String] { try sandbox.names().filter { $0.hasPrefix("b/") }.sorted() }

    private static let first = "b/Slate-20260301.slatebackup"

    @Test("A backup replaces, removes and counts none of another database, and says whose it found")
    func apart() async throws {
        for name in ["dad.db", "mum.db"] { try await make(name) }
        #expect(try await backup("dad.db", day: 1).status == 0)
        let dads = try sandbox.bytes(Self.first)
        for _ in 0..<2 {
            let beside = try await backup("mum.db", day: 1)
            #expect(beside.status == 3)
            #expect(beside.errors.contains("warning[slate.other-database]"), "\(beside.errors)")
            #expect(beside.errors.contains(sandbox.path("dad.db")), "\(beside.errors)")
            #expect(beside.errors.contains("slate-backup backup --to FOLDER"), "\(beside.errors)")
            #expect(try files() == ["b/Slate-20260301-2.slatebackup", Self.first])
        }
        let status = try await slate("dad.db", "backup", "status")
        #expect(status.status == 0 && status.output.contains(Self.first), "\(status.output)")
        for day in 2...4 {
            let run = try await backup("mum.db", day: day)
            #expect(run.output.contains("keep Slate-20260301.slatebackup"), "\(run.output)")
        }
        #expect(try sandbox.bytes(Self.first) == dads)
        #expect(try files() == [Self.first, "b/Slate-20260303.slatebackup", "b/Slate-20260304.slatebackup"])
        // Each gets its own back, and for a database without records nobody knows whose is meant.
        let mine = try await slate("dad.db", "import", "--from", sandbox.path("b"), "--yes", day: 5)
        #expect(mine.status == 3 && mine.output.contains("nothing to change"), "\(mine.output)")
        #expect(mine.errors.contains("slate.passed-over"), "\(mine.errors)")
        let new = try await slate("new.db", "import", "--from", sandbox.path("b"), "--yes", day: 5)
        #expect(new.status == 64 && !sandbox.has("new.db"), "\(new.errors)")
        #expect(new.errors.contains("slate-backup import \(sandbox.path(Self.first))"), "\(new.errors)")
    }

    @Test("A file that is named is not replaced by another database's backup")
    func named() async throws {
        for name in ["dad.db", "mum.db"] { try await make(name) }
        let file = sandbox.path("x.json")
        #expect(try await slate("dad.db", "export", "-o", file).status == 0)
        let dads = try sandbox.bytes("x.json")
        let beside = try await slate("mum.db", "export", "-o", file)
        #expect(beside.status == 3 && beside.output.contains("x-2.json"), "\(beside.output)")
        #expect(try sandbox.bytes("x.json") == dads)
        #expect(try await slate("dad.db", "export", "-o", file).status == 0)
    }

    @Test("A database that was made anew is backed up, and takes no old backup away; import names the full one")
    func anew() async throws {
        try await make("old.db", tasks: 30)
        for day in 1...2 { #expect(try await backup("old.db", day: day).status == 0) }
        #expect(try await slate("new.db", "init").status == 0)
        let full = ["b/Slate-20260301.slatebackup", "b/Slate-20260302.slatebackup"]
        for day in 2...4 { #expect(try await backup("new.db", day: day).output.contains("Exported 0 rows")) }
        #expect(try files().filter(full.contains) == full)
        let taken = try await slate("new.db", "import", "--from", sandbox.path("b"), "--yes", day: 5)
        #expect(taken.status == 3, "\(taken.errors)")
        #expect(taken.errors.contains("\(full[1]): warning[slate.passed-over]: it holds far more"), "\(taken.errors)")
        // With some records of its own the first backup warns, and later ones do not.
        for number in 0..<4 { #expect(try await slate("new.db", "add", "New \(number)").status == 0) }
        for file in try files() where !full.contains(file) { try sandbox.remove(file) }
        #expect(try await backup("new.db", day: 5).errors.contains("slate.other-database"))
        #expect(try await backup("new.db", day: 6).status == 0)
        #expect(try files().filter(full.contains) == full)
    }

    @Test("Devices that hold the same records share a folder, also where one lacks most or the file was renamed")
    func together() async throws {
        try await make("laptop.db", tasks: 12)
        try FileManager.default.copyItem(atPath: sandbox.path("laptop.db"), toPath: sandbox.path("tower.db"))
        for number in 0..<3 { #expect(try await slate("tower.db", "add", "Tower \(number)").status == 0) }
        #expect(try await backup("laptop.db", day: 1).status == 0)
        for day in 1...3 { #expect(try await backup("tower.db", day: day).status == 0) }
        #expect(try files() == ["b/Slate-20260302.slatebackup", "b/Slate-20260303.slatebackup"])
    }

    @Test("One record of another's backup makes no family, and a slow change of all records no stranger")
    func slowly() async throws {
        func backup(_ day: Int, _ range: Range<Int>) throws {
            let tasks = range.map { number -> JSONValue in
                let time = "2026-03-0\(day)T20:00:00Z"
                return [
                    "id": .string("t\(number)"), "title": "T", "created_at": .string(time),
                    "updated_at": .string(time),
                ]
            }
            let json: JSONValue = [
                "schema_version": 1, "exported_at": .string("2026-03-0\(day)T20:00:00Z"),
                "meta": ["day_start": "04:00"], "tasks": .array(tasks), "habits": [], "habit_completions": [],
                "day_plan": [], "day_plan_items": [],
            ]
            try sandbox.write("b/Slate-2026030\(day).json", json.encoded(.indented))
        }
        try FileManager.default.createDirectory(atPath: sandbox.path("b"), withIntermediateDirectories: false)
        for day in 1...6 { try backup(day, day * 10..<day * 10 + 20) }
        try backup(7, 69..<200)
        try backup(8, 60..<80)
        let prune = ["prune", sandbox.path("b"), "--keep-last", "1", "--yes", "--now", "2026-03-09T20:00:00Z"]
        #expect(try await sandbox.slate(prune).status == 0)
        // The backup of the 7th holds far more.
        #expect(try files() == ["b/Slate-20260307.json", "b/Slate-20260308.json"])
        try backup(9, 199..<230)
        try sandbox.remove("b/Slate-20260307.json")
        try backup(6, 229..<400)
        let outcome = try await sandbox.slate(prune)
        #expect(outcome.output.contains("keep Slate-20260308.json: has other tasks"), "\(outcome.output)")
        #expect(outcome.output.contains("keep Slate-20260306.json: has other tasks"), "\(outcome.output)")
    }
}
