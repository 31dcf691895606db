import BZTimer
import CivilTime
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// Stores with a record that cannot be read: everything else goes on, with a warning.
struct DamageTests {
    let sandbox: Sandbox
    let store: String

    init() async throws {
        sandbox = try Sandbox()
        store = try await sandbox.client(pro: true)
        try sandbox.write("many.bztimer", BztimerFile.generated(sessions: 3).bytes)
        try await sandbox.bzpack("import", "many.bztimer", "--store", store)
    }

    private func sql(_ text: String) async throws {
        try await DatabaseQueue(path: store).write { try $0.execute(sql: text) }
    }

    private func breakSession() async throws -> String {
        let id = try #require(try await sandbox.sessions(store).first).id
        try await sql("UPDATE block SET duration_seconds = 0 WHERE session_id = '\(id)'")
        return id
    }

    @Test("A session that cannot be read does not stand in the way of the others")
    func session() async throws {
        let id = try await breakSession()
        for arguments in [
            ["list"], ["show", "Session 2"], ["stats"], ["export", "-", "--session", "Session 2"],
            ["session", "rename", "Session 2", "Second"], ["history", "add", "Second"],
            ["session", "delete", "Second", "--yes"],
        ] {
            let outcome = try await sandbox.bzpack(arguments + ["--store", store])
            #expect(outcome.status == 3, "\(arguments) \(outcome.errors)")
            #expect(outcome.errors.contains("warning[store.record]"))
            #expect(outcome.errors.contains("bzpack session delete '\(id)' --store "))
        }
        #expect(try await sandbox.bzpack("settings", "--store", store).status == 0)
        let all = try await sandbox.bzpack("export", "-", "--all", "--store", store)
        #expect(all.status == 65)
        #expect(all.output.isEmpty)
        let deleted = try await sandbox.bzpack("session", "delete", id, "--yes", "--store", store)
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(try await sandbox.bzpack("list", "--store", store).status == 0)
    }

    @Test("A page names the command that says why a session or a preset cannot be read")
    func page() async throws {
        _ = try await breakSession()
        let presets = Fixtures.path("presets/v1/first-timers.json")
        #expect(try await sandbox.bzpack("presets", "import", presets, "--store", store).status == 0)
        try await sql("UPDATE preset SET sets = -1 WHERE name = 'HIIT'")
        #expect(try await sandbox.bzpack("open", "--export", sandbox.path("pages"), "--store", store).status == 3)
        let page = String(decoding: try sandbox.bytes("pages/index.html"), as: UTF8.self)
        for command in [["list"], ["presets", "list"]] {
            let words = "cannot be read: <code>bzpack \(command.joined(separator: " ")) --store "
            #expect(page.contains(words), "\(page)")
            let outcome = try await sandbox.bzpack(command + ["--store", store])
            #expect(outcome.status == 3 && outcome.errors.contains("warning[store.record]"), "\(outcome.errors)")
        }
    }

    @Test("An update is made beside a session that cannot be read, and what the store held is copied as it was")
    func update() async throws {
        let id = try await breakSession()
        var session = try #require(try await sandbox.sessions(store).last)
        session.items[0].timing = .duration(seconds: 7)
        let file = BztimerFile(exporting: [session], generator: "test", exportedAt: Timestamp(seconds: 0))
        try sandbox.write("changed.bztimer", file.bytes)
        func copies() throws -> [String] { try sandbox.names().filter { $0.contains(".before-") } }
        func blocks(_ path: String) async throws -> Int? {
            try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM block") }
        }
        let count = try await blocks(store)
        let updated = try await sandbox.bzpack(
            ["import", "--update", "changed.bztimer", "--format", "json", "--store", store]
        )
        #expect(updated.status == 3, "\(updated.errors)")
        #expect(try updated.json["summary"]?["sessionsUpdated"] == 1)
        let copy = try #require(try updated.json["safetyCopy"]?.string)
        #expect(try copies() == [String(copy.split(separator: "/").last ?? "")] && copy.hasSuffix(".db"))
        #expect(try await blocks(copy) == count)
        // In the place of the store it is the store as it was.
        try sandbox.write("timer-again.db", sandbox.bytes(copies()[0]))
        let put = sandbox.path("timer-again.db")
        let again = try await sandbox.bzpack("session", "delete", id, "--yes", "--store", put)
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("A file is imported again beside a saved activity of it that cannot be read")
    func activity() async throws {
        let file = Fixtures.path("bztimer/v3/library.json")
        #expect(try await sandbox.bzpack("import", file, "--store", store).status == 0)
        try await sql("UPDATE template SET mode = 'duration', duration_seconds = 0")
        let again = try await sandbox.bzpack("import", "--allow-duplicates", file, "--store", store)
        #expect(again.status == 3 && again.errors.contains("warning[store.record]"), "\(again.errors)")
        #expect(again.output.contains("create activity"), "\(again.output)")
    }

    @Test("A shorter retention is set beside a session that cannot be read; a no leaves no file")
    func retention() async throws {
        let added = try await sandbox.bzpack(
            ["history", "add", "Session 2", "--completed-at", "2020-01-07T20:30:00Z", "--store", store]
        )
        #expect(added.status == 0, "\(added.errors)")
        _ = try await breakSession()
        let set = ["settings", "set", "historyRetention", "3months", "--store", store]
        #expect(try await sandbox.bzpack(set).status == 64)
        #expect(try !sandbox.names().contains { $0.contains(".before-") })
        let done = try await sandbox.bzpack(set + ["--yes"])
        #expect(done.output.contains("Removed 1 history entry") && done.output.contains(".db: put that in its place"))
        #expect(try sandbox.names().contains { $0.contains(".before-") && $0.hasSuffix(".db") })
    }

    @Test("A blank custom category can be deleted")
    func category() async throws {
        try await sql("UPDATE settings SET custom_categories = '[\"Mobility\", \" \"]'")
        let list = try await sandbox.bzpack("list", "--store", store)
        #expect(list.status == 3)
        #expect(list.output.contains("Session 1"))
        #expect(list.errors.contains("bzpack categories delete"))
        #expect(try await sandbox.bzpack("export", "-", "--all", "--store", store).status == 3)
        #expect(try await sandbox.bzpack("categories", "rename", "Mobility", "Stretch", "--store", store).status == 0)
        #expect(try await sandbox.bzpack("settings", "--store", store).status == 3)
        #expect(try await sandbox.bzpack("categories", "delete", " ", "--store", store).status == 0)
        let settings = try await sandbox.bzpack("settings", "--store", store, "--format", "json")
        #expect(settings.status == 0)
        #expect(try settings.json["customCategories"]?.array == ["Stretch"])
    }
}
