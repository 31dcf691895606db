import Foundation
import Testing
import TestSupport

/// What `tracker-export … --format json` prints is what the schemas in Schemas/cli promise.
struct TrackerResultSchemaTests {
    static let commands: [(schema: String, arguments: [String])] = [
        ("status", ["status"]), ("running", ["start", "Meal"]), ("summary", ["summary"]),
        ("summary", ["summary", "--date", "2026-03-05"]), ("summary", ["summary", "--month"]),
        ("summary", ["summary", "--from", "2026-03-01", "--to", "2026-03-02", "--gaps"]),
        ("entries", ["entries", "--week"]), ("change", ["entries", "edit", "last", "--note", "Night"]),
        ("change", ["entries", "add", "Work", "--start", "08:00", "--end", "09:00"]),
        ("change", ["entries", "delete", "last"]),
        ("change", ["buttons", "add", "Garden", "--order", "1"]), ("buttons", ["buttons"]),
        ("change", ["buttons", "delete", "Meal"]),
        ("import", ["import", "log.json", "--yes"]),
        ("import", ["import", "log.xml", "--dry-run"]),
        ("import", ["import", "rows.csv", "--time-zone", "UTC", "--yes"]),
        ("import", ["import", "broken.json", "--yes"]),
        ("verify", ["verify"]), ("restore", ["restore", "log.json", "work", "--dry-run"]),
    ]

    static let files: [(schema: String, arguments: [String])] = [
        ("validate", ["validate", "log.json", "broken.json", "missing.json", "log.xml"]),
        ("verify", ["verify", "log.json", "broken.json", "missing.json"]),
    ]

    static let study: [(schema: String, arguments: [String])] = [
        ("study-change", ["start", "Latin"]), ("study-status", ["status"]), ("study-sessions", ["sessions"]),
        ("study-goal", ["goal", "Latin", "2h/week"]),
        ("study-restore", ["restore", "copy.db", "latin", "--dry-run"]),
        ("tracker-summary", ["summary"]), ("tracker-summary", ["summary", "--date", "2026-03-05"]),
    ]

    @Test("Results from a store of Study Timer", arguments: study)
    func studyResults(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let store = ["--store", sandbox.path("timer.db"), "--now", trackerNow, "--time-zone", "UTC"]
        #expect(try await sandbox.tracker(["study", "init", "--sample"] + store).status == 0)
        #expect(try await sandbox.tracker(["study", "goal", "Algebra", "3h/week"] + store).status == 0)
        try sandbox.write("copy.db", sandbox.bytes("timer.db"))
        try await check(command.schema, ["study"] + command.arguments + store, sandbox)
    }

    private static func path(_ name: String) -> String {
        SharedFolder.project.appending(path: "Schemas/cli/\(name).schema.json").path
    }

    @Test("Results from a store", arguments: commands)
    func store(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let store = try await sandbox.sampleLog()
        try await prepare(sandbox, store)
        try await check("tracker-\(command.schema)", command.arguments + ["--store", store], sandbox)
    }

    @Test("Results from files", arguments: files)
    func file(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        try await prepare(sandbox, try await sandbox.sampleLog())
        try await check("tracker-\(command.schema)", command.arguments, sandbox)
    }

    private func prepare(_ sandbox: Sandbox, _ store: String) async throws {
        try await sandbox.exportedLog(store, to: "log.json")
        try await sandbox.exportedLog(store, to: "log.xml")
        let rows = ["2026-02-30 09:00,2026-02-30 10:00", "2026-02-28 09:00,2026-02-28 10:00"].map { "Web,\($0)\n" }
        try sandbox.write("rows.csv", "Project,Start,End\n\(rows.joined())")
        try sandbox.write("broken.json", "{\"format\": \"tracker-export\", \"version\": 2, \"activities\": [{}]}")
    }

    private func check(_ schema: String, _ arguments: [String], _ sandbox: Sandbox) async throws {
        let outcome = try await sandbox.tracker(arguments + ["--format", "json"])
        try sandbox.write("result.json", outcome.output)
        let common = ["--register", Self.path("common")]
        let report = try await sandbox.bzpack(
            ["schema", "check", "--strict"] + common + [Self.path(schema), "result.json"]
        )
        #expect(!outcome.output.isEmpty, "\(outcome.errors)")
        #expect(report.status == 0, "\(outcome.errors)\(report.errors)\(outcome.output)")
    }
}
