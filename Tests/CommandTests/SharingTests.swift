import BZTimer
import FormatKit
import StrictJSON
import Testing
import TestSupport

struct SharingTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test(
        "All versions give the same session, on each plan",
        arguments: ["leg-day", "morning-stretch"],
        [false, true]
    )
    func versions(_ name: String, pro: Bool) async throws {
        var digests: [ContentDigest] = []
        for version in 1...BztimerFormat.currentVersion {
            let store = try await sandbox.client("v\(version).db", pro: pro)
            let file = Fixtures.path("bztimer/v\(version)/\(name).json")
            let outcome = try await sandbox.bzpack("import", file, "--store", store)
            #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
            digests += try await sandbox.digests(store)
        }
        #expect(digests.count == BztimerFormat.currentVersion)
        #expect(Set(digests).count == 1)
    }

    @Test("export session.bztimer && validate session.bztimer")
    func exportValidate() async throws {
        let store = try await sandbox.trainer()
        let export = try await sandbox.bzpack("export", "session.bztimer", "--store", store)
        #expect(export.status == 0)
        #expect(export.output == "Exported 1 session to session.bztimer (version \(BztimerFormat.currentVersion)).\n")
        let validate = try await sandbox.bzpack("validate", "session.bztimer", "--strict")
        #expect(validate.status == 0)
        #expect(validate.output == "session.bztimer: valid (version \(BztimerFormat.currentVersion))\n")
        #expect(validate.errors.isEmpty)
    }

    @Test("Export, import, export gives the same content digest", arguments: 1...BztimerFormat.currentVersion)
    func roundTrip(_ version: Int) async throws {
        let trainer = try await sandbox.trainer()
        let client = try await sandbox.client(pro: true)
        let toVersion = ["--to-version", "\(version)"]
        let first = try await sandbox.bzpack(["export", "a.bztimer", "--store", trainer] + toVersion)
        #expect(first.status == 0)
        #expect(!first.errors.contains("migration.loss"))
        let imported = try await sandbox.bzpack("import", "a.bztimer", "--store", client)
        #expect(imported.status == 0, "\(imported.output)\(imported.errors)")
        #expect(try await sandbox.bzpack("export", "b.bztimer", "--store", client).status == 0)
        let before = try await sandbox.bzpack("inspect", "a.bztimer", "--format", "json").json
        let after = try await sandbox.bzpack("inspect", "b.bztimer", "--format", "json").json
        #expect(before["digest"]?.string != nil)
        #expect(before["digest"] == after["digest"])
    }

    @Test("The same store, moment and options give the same bytes")
    func determinism() async throws {
        let store = try await sandbox.trainer()
        let arguments = ["export", "-", "--store", store, "--now", "2026-03-01T07:30:00+01:00"]
        let first = try await sandbox.bzpack(arguments)
        let second = try await sandbox.bzpack(arguments)
        #expect(first.status == 0)
        #expect(first.output == second.output)
        #expect(first.output.contains("\"exportedAt\": \"2026-03-01T06:30:00Z\""))
        #expect(first.output.hasSuffix("}\n"))
        let canonical = try await sandbox.bzpack(arguments + ["--canonical"])
        #expect(canonical.output == String(decoding: try first.json.encoded(.canonical), as: UTF8.self))
    }

    @Test("A pipe carries a session from one store to the other")
    func pipe() async throws {
        let store = try await sandbox.trainer()
        let export = try await sandbox.bzpack("export", "-", "--store", store)
        let outcome = try await sandbox.bzpack("import", "-", "--store", sandbox.path("new.db"), input: export.output)
        #expect(outcome.output.contains("<stdin> (version \(BztimerFormat.currentVersion)):"))
        #expect(try await sandbox.sessions(sandbox.path("new.db")).map(\.name) == ["Leg day"])
        #expect(try await sandbox.bzpack("validate", "-", input: export.output).status == 0)
    }

    @Test("Sessions are chosen by name or id; several need an option")
    func selection() async throws {
        let store = try await sandbox.client(pro: true)
        try sandbox.write("many.bztimer", BztimerFile.generated(sessions: 3).bytes)
        #expect(try await sandbox.bzpack("import", "many.bztimer", "--store", store).status == 0)
        let none = try await sandbox.bzpack("export", "x.bztimer", "--store", store)
        #expect(none.status == 64)
        #expect(none.errors.contains("--session") && none.errors.contains("--all"))
        #expect(!sandbox.has("x.bztimer"))

        let all = try await sandbox.bzpack("export", "-", "--all", "--store", store)
        #expect(try all.json["sessions"]?.array?.count == 3)
        let third = try #require(try await sandbox.sessions(store).last)
        let two = try await sandbox.bzpack(
            "export",
            "-",
            "--session",
            "SESSION 1",
            "--session",
            third.id,
            "--store",
            store
        )
        #expect(try two.json["sessions"]?.array?.map { $0["name"] } == ["Session 1", "Session 3"])
        let unknown = try await sandbox.bzpack("export", "-", "--session", "Session 9", "--store", store)
        #expect(unknown.status == 66)
        #expect(unknown.errors.contains("\"Session 1\""))
        #expect(try await sandbox.bzpack("export", "-", "--all", "--session", "a", "--store", store).status == 64)
        #expect(try await sandbox.bzpack("export", "-", "--all", "--to-version", "2", "--store", store).status == 64)
        #expect(try await sandbox.bzpack("export", "-", "--all", "--to-version", "9", "--store", store).status == 64)
    }

    @Test("A file with sessions that the new one does not hold is replaced with consent only")
    func replacingOthers() async throws {
        let store = try await sandbox.trainer()
        let others = BztimerFile.generated(sessions: 3).bytes
        try sandbox.write("client.bztimer", others)
        let export = ["export", "client.bztimer", "--store", store]
        let migrate = ["migrate", Fixtures.path("bztimer/v3/leg-day.json"), "--to", "2", "-o", "client.bztimer"]
        for command in [export, migrate] {
            let refused = try await sandbox.bzpack(command)
            #expect(refused.status == 64, "\(refused.errors)")
            let question = "Replace client.bztimer, which also holds session \"Session 1\" and 2 more?"
            #expect(refused.errors.contains(question), "\(refused.errors)")
            #expect(try sandbox.bytes("client.bztimer") == others)
        }
        // A store that has the same sessions under other identifiers asks nothing.
        let client = try await sandbox.client(pro: true)
        #expect(try await sandbox.bzpack("import", "client.bztimer", "--store", client).status == 0)
        #expect(try await sandbox.bzpack("export", "client.bztimer", "--all", "--store", client).status == 0)
        // Neither does an export of a session that was changed.
        #expect(try await sandbox.bzpack(export + ["--yes"]).status == 0)
        #expect(try await sandbox.bzpack("edit", "Leg day", "--text", "Squats 45 s", "--store", store).status == 0)
        let again = try await sandbox.bzpack(export)
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test("Exporting needs Pro; importing does not")
    func plan() async throws {
        let store = try await sandbox.client()
        try await sandbox.bzpack("import", Fixtures.path("bztimer/v3/morning-stretch.json"), "--store", store)
        let refused = try await sandbox.bzpack("export", "x.bztimer", "--store", store)
        #expect(refused.status == 77)
        let refusal = "bzpack: Exporting sessions is a Pro feature; importing them is free. Turn Pro on:"
        #expect(refused.errors == "\(refusal) bzpack settings set isProUser true --store \(store)\n")
        let made = try await sandbox.bzpack("init", "--pro", "--store", store)
        #expect(made.status == 73)
        #expect(made.errors.contains("Turn Pro on: bzpack settings set isProUser true"), "\(made.errors)")
        #expect(!sandbox.has("x.bztimer"))
        #expect(try await sandbox.bzpack("settings", "set", "isProUser", "true", "--store", store).status == 0)
        #expect(try await sandbox.bzpack("export", "x.bztimer", "--store", store).status == 0)
    }

    @Test("Saved activities are shared along where that is asked for, and stay linked")
    func activities() async throws {
        let trainer = try await sandbox.trainer()
        let client = try await sandbox.client(pro: true)
        #expect(try await sandbox.bzpack("export", "a.bztimer", "--activities", "--store", trainer).status == 0)
        #expect(try await sandbox.bzpack("import", "a.bztimer", "--store", client).status == 0)
        let library = try await sandbox.bzpack("activity", "list", "--store", client, "--format", "json").json
        let ids = Set((library["activities"]?.array ?? []).compactMap { $0["id"]?.string })
        #expect(ids.count == 3)
        let session = try #require(try await sandbox.sessions(client).first)
        #expect(Set(session.items.compactMap(\.templateId)) == ids)
    }

    @Test("Unknown members survive store and export, at the top of the file as well")
    func unknownMembers() async throws {
        let store = try await sandbox.client(pro: true)
        let path = Fixtures.path("bztimer/v3/unknown-members.json")
        #expect([0, 3].contains(try await sandbox.bzpack("import", path, "--store", store).status))
        let export = try await sandbox.bzpack("export", "out.bztimer", "--activities", "--all", "--store", store)
        #expect(export.status == 0)
        let before = try await sandbox.bzpack("inspect", path, "--format", "json").json
        let after = try await sandbox.bzpack("inspect", "out.bztimer", "--format", "json").json
        let members = (before["unknownMembers"]?.array ?? []).compactMap(\.string)
        #expect(members.count == 6)
        let kept = (after["unknownMembers"]?.array ?? []).compactMap(\.string)
        #expect(kept == members.filter { !$0.hasPrefix("/activities") })
    }
}
