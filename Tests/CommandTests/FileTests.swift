import BZTimer
import FormatKit
import RecordStore
import StrictJSON
import Testing
import TestSupport

struct FileTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Every valid fixture is valid", arguments: 1...BztimerFormat.currentVersion)
    func valid(_ version: Int) async throws {
        let files = try Fixtures.names(in: "bztimer/v\(version)").map(Fixtures.path)
        let outcome = try await sandbox.bzpack(["validate", "--format", "json"] + files)
        let reports = try #require(try outcome.json["files"]?.array)
        #expect(reports.count == files.count)
        #expect(reports.allSatisfy { $0["valid"] == true && $0["version"]?.int == version })
        #expect([0, 3].contains(outcome.status))
    }

    @Test("Every invalid fixture ends with 65 and a finding that names file and code")
    func invalid() async throws {
        // Presets are no sessions, but files that validate knows.
        let sessions = try Fixtures.names(in: "bztimer/invalid").filter { !$0.contains("is-gympulse") }
        let presets = try Fixtures.names(in: "presets/invalid").filter { !$0.contains("is-bztimer") }
        for name in sessions + presets where name.hasSuffix(".json") {
            let path = Fixtures.path(name)
            let outcome = try await sandbox.bzpack("validate", path)
            #expect(outcome.status == 65, "\(name)")
            #expect(outcome.errors.hasPrefix(path + ":"), "\(name)")
            #expect(outcome.errors.contains("error["), "\(name)")
            let isNewer = outcome.errors.contains("error[version.newer]")
            let verdict = isNewer ? "of a newer version, not checked" : "not valid"
            #expect(outcome.output.hasPrefix("\(path): \(verdict)"), "\(name)")
        }
    }

    @Test("All faults are reported, at most a hundred, and the rest is counted")
    func cap() async throws {
        let blocks = String(repeating: "{},", count: 200) + "{}"
        try sandbox.write("bad.json", "{\"id\":\"s\",\"name\":\"n\",\"items\":[\(blocks)]}")
        let outcome = try await sandbox.bzpack("validate", "bad.json", "--format", "json")
        #expect(outcome.status == 65)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 101)
        #expect(lines.last?.hasPrefix("… and ") ?? false)
        let report = try #require(try outcome.json["files"]?.array?.first)
        #expect(report["diagnostics"]?.array?.count == 100)
        #expect(report["findings"]?.int ?? 0 > 200)
    }

    @Test("Unknown members are reported where that is asked for")
    func strict() async throws {
        let path = Fixtures.path("bztimer/v3/unknown-members.json")
        #expect(try await sandbox.bzpack("validate", path).errors.contains("unknown-member") == false)
        let outcome = try await sandbox.bzpack("validate", "--strict", path)
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains(":19:11: warning[schema.unknown-member]"))
        #expect(outcome.errors.contains("(at /sessions/0/items/0/intensity)"))
    }

    @Test("The worst of several files decides on the exit code")
    func several() async throws {
        let good = Fixtures.path("bztimer/v3/leg-day.json")
        let bad = Fixtures.path("bztimer/invalid/json-nan.json")
        #expect(try await sandbox.bzpack("validate", good).status == 0)
        #expect(try await sandbox.bzpack("validate", good, bad).status == 65)
        let outcome = try await sandbox.bzpack("validate", "missing", bad, good)
        #expect(outcome.status == 66)
        #expect(outcome.output.split(separator: "\n").count == 3)
    }

    @Test("A downgrade says what is lost, and comes back whole")
    func migrate() async throws {
        let path = Fixtures.path("bztimer/v3/leg-day.json")
        let down = try await sandbox.bzpack("migrate", path, "--to", "1", "--output", "old.bztimer")
        #expect(down.status == 0)
        #expect(down.output == "Wrote old.bztimer.\n")
        #expect(down.errors.contains("note[migration.note]") && !down.errors.contains("migration.loss"))
        let old = try JSONDocument(parsing: sandbox.bytes("old.bztimer")).root.value
        #expect(old["tags"] == ["legs", "client Sarah"] && old["scheduledDaysOfWeek"] != nil)
        #expect(old["items"]?.array?.contains { $0["category"] == "PT – Knee Mobility" } == true)
        #expect(try await sandbox.bzpack("validate", "old.bztimer").output == "old.bztimer: valid (version 1)\n")
        let up = try await sandbox.bzpack("migrate", "old.bztimer", "--to", "3")
        #expect(up.status == 0)
        let original = try JSONDocument(parsing: Fixtures.bytes("bztimer/v3/leg-day.json")).root.value
        #expect(try up.json == original)
        let canonical = try await sandbox.bzpack("migrate", path, "--to", "3", "--canonical")
        #expect(canonical.output == original.text(.canonical))
    }

    @Test("A migration that cannot be made leaves no file")
    func migrateFailure() async throws {
        let library = Fixtures.path("bztimer/v3/library.json")
        let several = try await sandbox.bzpack("migrate", library, "--to", "2", "-o", "x.bztimer")
        #expect(several.status == 65)
        #expect(several.errors.contains("bztimer.session-count"))
        #expect(try await sandbox.bzpack("migrate", library, "--to", "4", "-o", "x.bztimer").status == 64)
        #expect(!sandbox.has("x.bztimer"))
    }

    @Test("What is no .bztimer file is not replaced unasked")
    func overwriting() async throws {
        let path = Fixtures.path("bztimer/v3/leg-day.json")
        try sandbox.write("notes.txt", "mine")
        let refused = try await sandbox.bzpack("migrate", path, "--to", "3", "-o", "notes.txt")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--yes"))
        #expect(try sandbox.bytes("notes.txt") == Array("mine".utf8))
        #expect(try await sandbox.bzpack("migrate", path, "--to", "3", "-o", "notes.txt", "--yes").status == 0)
        #expect(try await sandbox.bzpack("migrate", path, "--to", "3", "-o", "notes.txt").status == 0)
    }

    @Test("Inspecting counts unknown members and gives the digest")
    func inspect() async throws {
        let outcome = try await sandbox.bzpack("inspect", Fixtures.path("bztimer/v2/unknown-members.json"))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("BZ Timer, version 2\n"))
        #expect(outcome.output.contains("unknown members: 6\n  /device\n"))
        let slate = try await sandbox.bzpack("inspect", Fixtures.path("bztimer/invalid/is-slate.json"))
        #expect(slate.status == 65)
        #expect(slate.errors.contains("this is a Slate backup; use slate-backup"))
    }
}
