import Foundation
import StrictJSON
import Testing
import TestSupport

struct SlateFolderTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private let days = ["20251101", "20251215", "20260103", "20260104", "20260105", "20260106"]

    private func fill() throws {
        for day in days { try sandbox.backup("Slate-\(day).json", tasks: 1) }
        try sandbox.backup("Slate-20260106-2.json", tasks: 1)
        try sandbox.backup("Slate-20260201.json", tasks: 1)
        try sandbox.write("notes.txt", "mine")
        try sandbox.write("slate-20251101.json", "not in this case")
    }

    @Test("List shows backups, the newest first, and checks them where that is asked for")
    func list() async throws {
        #expect(try await sandbox.slate("list").output == "There are no backups in the folder .\n")
        try fill()
        let outcome = try await sandbox.slate("list", sandbox.folder.path)
        #expect(outcome.status == 0)
        let names = outcome.output.split(separator: "\n").dropFirst().map { $0.split(separator: " ").first ?? "" }
        #expect(names.count == 8)
        #expect(names.first == "Slate-20260201.json")
        #expect(names.last == "Slate-20251101.json")
        #expect(try await sandbox.slate("list", "--verify").status == 0)
        try sandbox.write("Slate-20251101.json", "{}")
        let verified = try await sandbox.slate("list", "--verify")
        #expect(verified.status == 65)
        #expect(verified.output.contains("not valid"))
        #expect(try await sandbox.slate("list", "missing").status == 66)
    }

    @Test("Prune removes what no rule keeps, with a reason for each, and a dry run says the same")
    func prune() async throws {
        try fill()
        let rules = ["prune", ".", "--keep-last", "2", "--keep-monthly", "3", "--now", "2026-01-07T12:00:00Z"]
        let dry = try await sandbox.slate(rules + ["--dry-run"])
        #expect(dry.status == 0)
        #expect(try sandbox.names().count == 10)
        let asked = try await sandbox.slate(rules)
        #expect(asked.status == 64)
        #expect(asked.errors.contains("Remove 3 backups from .?"))
        #expect(try sandbox.names().count == 10)
        let run = try await sandbox.slate(rules + ["--yes"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.replacing("Removed", with: "Would remove") == dry.output)
        #expect(run.output.contains("remove Slate-20260104.json: no rule keeps it\n"))
        #expect(run.output.contains("keep notes.txt: not a backup name: left alone\n"))
        #expect(run.output.contains("keep Slate-20260201.json: dated in the future: left alone\n"))
        #expect(
            try sandbox.names() == [
                "Slate-20251101.json", "Slate-20251215.json", "Slate-20260106-2.json", "Slate-20260106.json",
                "Slate-20260201.json", "notes.txt", "slate-20251101.json",
            ]
        )
    }

    @Test("The last backup that verifies stays, and where none does all stay")
    func verified() async throws {
        for day in days.dropFirst() { try sandbox.write("Slate-\(day).json", "{") }
        let rules = ["prune", ".", "--keep-last", "2", "--yes", "--now", "2026-01-07T12:00:00Z"]
        let none = try await sandbox.slate(rules)
        #expect(none.status == 3)
        #expect(none.errors.contains("no backup in . verifies"))
        #expect(try sandbox.names().count == 5)
        try sandbox.backup("Slate-20251101.json", tasks: 1)
        let one = try await sandbox.slate(rules)
        #expect(one.status == 0)
        #expect(one.output.contains("keep Slate-20251101.json: last 1 of 2"))
        #expect(try sandbox.names().count == 6)
    }

    @Test("A fuller backup than the newest stays, and with --repair one that can be mended verifies")
    func fuller() async throws {
        try sandbox.backup("Slate-20260101.json", tasks: 40)
        for day in days.dropFirst(2) { try sandbox.backup("Slate-\(day).json", tasks: 2) }
        let mendable = try Fixtures.bytes("slate/invalid/dangling-plan-item.json")
        try sandbox.write("Slate-20260107.json", mendable)
        let rules = ["prune", ".", "--keep-last", "1", "--yes", "--now", "2026-01-07T12:00:00Z"]
        let strict = try await sandbox.slate(rules + ["--dry-run"])
        #expect(strict.output.contains("keep Slate-20260106.json: last 1 of 1, the newest that verifies\n"))
        let outcome = try await sandbox.slate(rules + ["--repair"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("keep Slate-20260107.json: last 1 of 1, the newest that verifies\n"))
        #expect(
            outcome.output.contains("keep Slate-20260101.json: holds far more than the newest that verifies\n")
        )
        #expect(try sandbox.names() == ["Slate-20260101.json", "Slate-20260107.json"])
        #expect(try await sandbox.slate("verify", "--restore", "--from", ".", "--now", slateNow).status == 65)
        let mended = try await sandbox.slate("verify", "--restore", "--repair", "--from", ".", "--now", slateNow)
        #expect(mended.status == 3)
        #expect(mended.output.contains("bytes came back the same"))
    }

    @Test("Of two backups on both sides of the date line the one that was exported last is the newest")
    func dateLine() async throws {
        try sandbox.backup("Slate-20260107.json", tasks: 1, exportedAt: "2026-01-07T08:00:00+13:00")
        try sandbox.backup("Slate-20260106.json", tasks: 2, exportedAt: "2026-01-06T20:00:00-10:00")
        let now = ["--now", "2026-01-07T12:00:00Z"]
        let imported = try await sandbox.slate(
            ["import", "--from", ".", "--yes", "--format", "json", "--db", sandbox.path("new.db")] + now
        )
        #expect(try imported.json["file"]?.string?.hasSuffix("Slate-20260106.json") == true, "\(imported.errors)")
        let listed = try await sandbox.slate("list", ".").output
        #expect(listed.split(separator: "\n").dropFirst().first?.hasPrefix("Slate-20260106.json") == true, "\(listed)")
        let pruned = try await sandbox.slate(["prune", ".", "--keep-last", "1", "--yes"] + now)
        #expect(pruned.output.contains("keep Slate-20260106.json: last 1 of 1"), "\(pruned.output)")
        #expect(!sandbox.has("Slate-20260107.json"))
    }

    @Test("A backup of a newer version is called that, and no older one is imported in its place")
    func newerVersion() async throws {
        try sandbox.backup("Slate-20260105.json", tasks: 1, exportedAt: "2026-01-05T20:30:00Z")
        try sandbox.backup("Slate-20260106.json", tasks: 2, exportedAt: "2026-01-06T20:30:00Z")
        let text = String(decoding: try sandbox.bytes("Slate-20260106.json"), as: UTF8.self)
        let newer = text.replacingOccurrences(of: "\"schema_version\": 2", with: "\"schema_version\": 3")
        try sandbox.write("Slate-20260106.json", newer)
        let folder = sandbox.path("")
        let store = ["--db", sandbox.path("new.db")]
        let imported = try await sandbox.slate(["import", "--from", folder, "--yes", "--now", slateNow] + store)
        #expect(imported.status == 65 && imported.errors.contains("update the program"), "\(imported.errors)")
        #expect(!sandbox.has("new.db"))
        let found = try await sandbox.slate(["find", "Task", "--in", folder] + store)
        #expect(found.status == 3 && found.errors.contains("update the program"), "\(found.errors)")
        let listed = try await sandbox.slate("list", "--verify", folder)
        #expect(listed.status == 65 && listed.output.contains("newer version"), "\(listed.output)")
        let pruned = try await sandbox.slate("prune", folder, "--keep-last", "1", "--dry-run", "--now", slateNow)
        #expect(pruned.output.contains("keep Slate-20260106.json: of a newer version"), "\(pruned.output)")
    }

    @Test("Rules that keep nothing are refused", arguments: [[], ["--keep-last", "0"], ["--keep-daily=-1"]])
    func rules(_ rules: [String]) async throws {
        try fill()
        #expect(try await sandbox.slate(["prune", ".", "--yes"] + rules).status == 64)
        #expect(try sandbox.names().count == 10)
    }

    @Test("Links and folders with a backup's name are left alone")
    func others() async throws {
        try fill()
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path("Slate-20240101.json"),
            withDestinationPath: sandbox.path("notes.txt")
        )
        try FileManager.default.createDirectory(
            atPath: sandbox.path("Slate-20240102.json"),
            withIntermediateDirectories: false
        )
        let outcome = try await sandbox.slate(
            "prune",
            ".",
            "--keep-last",
            "1",
            "--yes",
            "--now",
            "2026-01-07T12:00:00Z"
        )
        #expect(outcome.status == 0)
        #expect(sandbox.has("Slate-20240101.json") && sandbox.has("Slate-20240102.json") && sandbox.has("notes.txt"))
    }
}
