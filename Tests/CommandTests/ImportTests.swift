import BZTimer
import Foundation
import GymPulse
import StrictJSON
import Testing
import TestSupport

struct ImportTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("The first import makes the default store")
    func defaultStore() async throws {
        let outcome = try await sandbox.bzpack("import", Fixtures.path("bztimer/v3/morning-stretch.json"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(sandbox.has("data/satchel/bztimer.db"))
        #expect(try await sandbox.bzpack("list").output.contains("Morning stretch"))
    }

    @Test("A dry run prints the plan that the run carries out, and changes nothing")
    func dryRun() async throws {
        let files = ["bztimer/v3/library.json", "bztimer/v1/leg-day.json"].map(Fixtures.path)
        let dry = try await sandbox.bzpack(["import", "--dry-run", "--store", sandbox.path("new.db")] + files)
        #expect(!sandbox.has("new.db"))
        let store = try await sandbox.client()
        let before = try sandbox.bytes("client.db")
        let plan = try await sandbox.bzpack(["import", "--dry-run", "--store", store] + files)
        #expect(try sandbox.bytes("client.db") == before)
        let run = try await sandbox.bzpack(["import", "--store", store] + files)
        #expect(dry.output == plan.output)
        let report = run.output.replacing(#/ into \S+?\.db/#, with: "")
        #expect(plan.output.replacing("Would import", with: "Imported") == report)
        #expect([dry.status, plan.status, run.status] == [3, 3, 3])
    }

    @Test("Free maps custom categories and lists each; Pro adds them once")
    func categories() async throws {
        let file = Fixtures.path("bztimer/v3/library.json")
        let free = try await sandbox.client("free.db")
        let mapped = try await sandbox.bzpack("import", file, "--store", free, "--format", "json")
        #expect(mapped.status == 3)
        let remaps = try #require(try mapped.json["files"]?.array?.first?["actions"]?.array).filter {
            $0["action"] == "remap" && $0["subject"] == "category"
        }
        #expect(!remaps.isEmpty)
        #expect(remaps.allSatisfy { $0["reason"]?.string?.contains("becomes \"Uncategorized\"") ?? false })
        #expect(remaps.allSatisfy { $0["pointer"]?.string?.hasSuffix("/category") ?? false })
        let categories = try await sandbox.sessions(free).flatMap { $0.items.compactMap(\.category) }
        #expect(categories.allSatisfy { Categories.builtIn(matching: $0) == $0 })

        let pro = try await sandbox.client("pro.db", pro: true)
        #expect(try await sandbox.bzpack("import", file, "--store", pro).status == 0)
        let added = try await sandbox.bzpack("categories", "--store", pro, "--format", "json").json["custom"]?.array
        #expect(added?.count == 2)
        #expect(Set(added ?? []).count == added?.count)
    }

    @Test("The same content is skipped and named, unless --allow-duplicates")
    func again() async throws {
        let store = try await sandbox.client(pro: true)
        let file = Fixtures.path("bztimer/v2/morning-stretch.json")
        #expect(try await sandbox.bzpack("import", file, "--store", store).status == 0)
        let skipped = try await sandbox.bzpack("import", file, "--store", store)
        #expect(skipped.status == 0)
        #expect(skipped.output.contains("skip session \"Morning stretch\""))
        #expect(try await sandbox.sessions(store).count == 1)
        #expect(try await sandbox.bzpack("import", file, "--allow-duplicates", "--store", store).status == 0)
        let sessions = try await sandbox.sessions(store)
        #expect(sessions.count == 2)
        #expect(Set(sessions.map(\.id)).count == 2)
    }

    @Test("The Free plan takes five sessions; nothing is deleted by leaving Pro")
    func limit() async throws {
        let store = try await sandbox.client()
        try sandbox.write("seven.bztimer", BztimerFile.generated(sessions: 7).bytes)
        let partly = try await sandbox.bzpack("import", "seven.bztimer", "--store", store)
        #expect(partly.status == 3)
        #expect(partly.output.contains("refuse session \"Session 6\": Free plan allows up to 5 sessions."))
        #expect(try await sandbox.sessions(store).count == 5)
        let refused = try await sandbox.bzpack("import", "seven.bztimer", "--store", store)
        #expect(refused.status == 77)
        #expect(refused.errors == "bzpack: Free plan allows up to 5 sessions.\n")

        try await sandbox.bzpack("settings", "set", "isProUser", "true", "--store", store)
        #expect(try await sandbox.bzpack("import", "seven.bztimer", "--store", store).status == 0)
        try await sandbox.bzpack("settings", "set", "isProUser", "false", "--store", store)
        #expect(try await sandbox.sessions(store).count == 7)
        let duplicate = try await sandbox.bzpack("session", "duplicate", "Session 1", "--store", store)
        #expect(duplicate.status == 77)
        #expect(duplicate.errors == "bzpack: Free plan allows up to 5 sessions.\n")
        let deleted = try await sandbox.bzpack("session", "delete", "Session 1", "Session 7", "--yes", "--store", store)
        #expect(deleted.status == 0)
        #expect(try await sandbox.sessions(store).count == 5)
    }

    @Test("The Free plan takes twenty activities")
    func activityLimit() async throws {
        let store = try await sandbox.client()
        var file = BztimerFile.generated(sessions: 1)
        file.activities = (1...21).map {
            BlockTemplate(id: "a\($0)", label: "Activity \($0)", timing: .duration(seconds: $0), category: "Work")
        }
        try sandbox.write("library.bztimer", file.bytes)
        let outcome = try await sandbox.bzpack("import", "library.bztimer", "--store", store)
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("refuse activity \"Activity 21\": Free plan allows up to 20"))
        let list = try await sandbox.bzpack("activity", "list", "--store", store, "--format", "json").json
        #expect(list["activities"]?.array?.count == 20)
        #expect(try await sandbox.bzpack("activity", "duplicate", "Activity 1", "--store", store).status == 77)
    }

    @Test(
        "One file that cannot be used leaves the store as it is",
        arguments: ["json-truncated", "version-newer", "is-slate"]
    )
    func allOrNothing(_ fault: String) async throws {
        let store = try await sandbox.client()
        let before = try sandbox.bytes("client.db")
        let good = Fixtures.path("bztimer/v3/leg-day.json")
        let bad = Fixtures.path("bztimer/invalid/\(fault).json")
        let outcome = try await sandbox.bzpack("import", good, bad, good, "--store", store)
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("\(bad):") && outcome.errors.contains(" error["))
        #expect(outcome.errors.hasSuffix("bzpack: nothing was imported\n"))
        #expect(try sandbox.bytes("client.db") == before)
        let missing = try await sandbox.bzpack("import", good, "missing.bztimer", bad, "--store", store)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("missing.bztimer") && missing.errors.contains(bad))
        #expect(try sandbox.bytes("client.db") == before)
    }

    @Test("Identifiers of sessions and blocks are new")
    func identifiers() async throws {
        let store = try await sandbox.client(pro: true)
        let file = Fixtures.path("bztimer/v3/leg-day.json")
        let outcome = try await sandbox.bzpack("import", file, "--store", store, "--format", "json")
        let created = try outcome.json["files"]?.array?.first?["actions"]?.array?.compactMap { $0["id"]?.string }
        let session = try #require(try await sandbox.sessions(store).first)
        #expect(created == [session.id])
        #expect(UUID(uuidString: session.id) != nil)
        #expect(session.items.allSatisfy { UUID(uuidString: $0.id) != nil })
        #expect(Set(session.items.map(\.id)).count == session.items.count)
    }
}
