import Foundation
import Testing
import TestSupport

/// What `slate-backup … --format json` prints is what the schemas in Schemas/cli promise.
struct SlateResultSchemaTests {
    private static let week = Fixtures.path("slate/v2/autumn-week.json")
    private static let broken = Fixtures.path("slate/invalid/date-slashes.json")
    private static let cyclic = Fixtures.path("slate/invalid/dependency-cycle.json")

    static let commands: [(schema: String, arguments: [String])] = [
        ("export", ["export"]),
        ("export", ["export", "--archive", "zip", "--schema-version", "1"]),
        ("export", ["export", "--output", "x.slatebackup"]),
        ("import", ["import", week, "--dry-run"]),
        ("import", ["import", week, "--yes", "--recompute-perfect-days", "all"]),
        ("import", ["import", cyclic, "--yes", "--repair", "--mode", "merge"]),
        ("import", ["import", broken, "--yes"]),
        ("import", ["import", "missing.json", "--yes"]),
        ("undo", ["undo", "--list"]),
        ("undo", ["undo", "--dry-run"]),
        ("undo", ["undo", "--yes"]),
        ("stats", ["stats"]),
        ("stats", ["stats", "--month"]),
        ("stats", ["stats", week, "--from", "2025-10-01", "--to", "2025-11-03"]),
        ("calendar", ["calendar", "-o", "slate.ics"]),
        ("export", ["export", "--output", "missing/x.json"]),
        ("calendar", ["calendar", "--folder", "."]),
        ("backup-status", ["backup", "status"]),
        ("today", ["today"]),
        ("change", ["add", "Buy milk", "--due", "tomorrow", "--plan", "today"]),
        ("change", ["done", "passport"]),
        ("change", ["undone", "passport"]),
        ("change", ["plan", "passport", "today"]),
        ("change", ["unplan", "passport"]),
        ("change", ["habit", "tick", "water"]),
        ("change", ["habit", "untick", "water"]),
        ("habits", ["habit", "list", "--all"]),
        ("rollover", ["rollover", "--dry-run"]),
        ("rollover", ["rollover", "--yes", "--now", "+2d"]),
        ("search", ["search", "p"]),
        ("find", ["find", "passport", "--in", week]),
        ("find", ["find", "passport", "--in", broken]),
        ("restore", ["restore", week, "passport", "--dry-run"]),
        ("restore", ["restore", week, "passport", "--yes"]),
        ("restore", ["restore", "missing.json", "passport", "--yes"]),
    ]

    static let files: [(schema: String, arguments: [String])] = [
        ("verify", ["verify", "--restore", week, broken, "missing.json", Fixtures.path("slate/v1/seed-example.json")]),
        ("inspect", ["inspect", Fixtures.path("slate/v2/unknown-members.json")]),
        ("inspect", ["inspect", broken]),
        ("diff", ["diff", week, Fixtures.path("slate/v2/languages.json")]),
        ("diff", ["diff", week, week]),
        ("diff", ["diff", week, broken]),
        ("list", ["list"]),
        ("list", ["list", "--verify"]),
        ("prune", ["prune", ".", "--keep-last", "1", "--dry-run"]),
        ("prune", ["prune", ".", "--keep-last", "1", "--yes"]),
    ]

    private static func path(_ name: String) -> String {
        SharedFolder.project.appending(path: "Schemas/cli/\(name).schema.json").path
    }

    @Test("Results from a database", arguments: commands)
    func database(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let database = try await sandbox.sampleDatabase()
        if command.schema == "undo" {
            let outcome = try await sandbox.slate(["import", Self.week, "--yes", "--db", database])
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try await check(command.schema, command.arguments + ["--db", database], sandbox)
    }

    @Test("Results from files", arguments: files)
    func file(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        try sandbox.backup("Slate-20260106.json", tasks: 3)
        try sandbox.backup("Slate-20260107.json", tasks: 2)
        try await check(command.schema, command.arguments, sandbox)
    }

    @Test("Results where there is no database", arguments: ["export", "stats", "today", "search"])
    func missing(_ command: String) async throws {
        let sandbox = try Sandbox()
        let arguments = command == "search" ? [command, "x"] : [command]
        try await check(command, arguments + ["--db", sandbox.path("missing.db")], sandbox)
    }

    private func check(_ schema: String, _ arguments: [String], _ sandbox: Sandbox) async throws {
        let outcome = try await sandbox.slate(arguments + ["--format", "json"])
        try sandbox.write("result.json", outcome.output)
        let report = try await sandbox.bzpack(
            "schema",
            "check",
            "--strict",
            "--register",
            Self.path("common"),
            "--register",
            Self.path("slate-common"),
            Self.path("slate-\(schema)"),
            "result.json"
        )
        #expect(!outcome.output.isEmpty, "\(outcome.errors)")
        #expect(report.status == 0, "\(outcome.errors)\(report.errors)\(outcome.output)")
    }
}
