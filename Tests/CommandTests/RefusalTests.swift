import BZTimer
import Foundation
import StrictJSON
import Testing
import TestSupport

/// What the program refuses, and what it says beside a result.
struct RefusalTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test(
        "A file that is no valid .bztimer file of a known version is not replaced without a question",
        arguments: [
            "{\"id\":\"order-17\",\"customer\":\"Ada\",\"items\":[{\"sku\":1}]}",
            "{\"format\":\"bztimer\",\"hello\":1}",
            "{\"format\":\"bztimer\",\"version\":9,\"sessions\":[]}", "",
        ]
    )
    func replacing(_ text: String) async throws {
        let store = try await sandbox.trainer()
        try sandbox.write("old.bztimer", text)
        let source = Fixtures.path("bztimer/v3/leg-day.json")
        for arguments in [
            ["export", "old.bztimer", "--store", store], ["migrate", source, "--to", "3", "-o", "old.bztimer"],
        ] {
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--yes"))
            #expect(try sandbox.bytes("old.bztimer") == Array(text.utf8))
        }
        #expect(try await sandbox.bzpack("export", "old.bztimer", "--yes", "--store", store).status == 0)
        #expect(try await sandbox.bzpack("export", "old.bztimer", "--store", store).status == 0)
    }

    @Test(
        "No output replaces a database, whatever is answered",
        arguments: [
            ["bzpack", "export", "db"], ["bzpack", "backup", "db"], ["bzpack", "history", "export", "db"],
            ["slate-backup", "merge", "s", "s", "-o", "db"],
            ["bzpack", "merge", "b", "b", "-o", "db"], ["bzpack", "migrate", "b", "--to", "2", "-o", "db"],
            ["bzpack", "pack", "b", "-o", "db"],
            ["tracker-export", "merge", "t", "t", "-o", "db"],
            ["tracker-export", "migrate", "t", "--to", "1", "-o", "db"],
        ]
    )
    func databases(_ arguments: [String]) async throws {
        let store = try await sandbox.trainer()
        let before = try sandbox.bytes("trainer.db")
        let files = [
            "db": store, "b": Fixtures.path("bztimer/v3/leg-day.json"), "s": Fixtures.path("slate/v2/autumn-week.json"),
            "t": Fixtures.path("tracker/v2/offsets.json"),
        ]
        let takesStore = ["export", "backup", "history"].contains(arguments[1])
        let all = arguments.dropFirst().map { files[$0] ?? $0 } + (takesStore ? ["--store", store] : []) + ["--yes"]
        let outcome = try await sandbox.run(Built.path(arguments[0]), all)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("\(store) is a database, which this does not replace; name another file"))
        #expect(try sandbox.bytes("trainer.db") == before)
    }

    @Test(
        "Wrong command lines that look like others",
        arguments: [
            ["export", "-dash2.bztimer"], ["help", "nope"], ["help", "session", "nope"], ["validate", "-", "-"],
            ["import", "-", "x", "-"], ["session", "rename", "a", "  "], ["activity", "rename", "a", "\t"],
            ["session", "duplicate", "a", "--name", " "], ["activity", "duplicate", "a", "--label", ""],
        ]
    )
    func usage(_ arguments: [String]) async throws {
        let outcome = try await sandbox.bzpack(arguments)
        #expect(outcome.status == 64, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }

    @Test("Help is help")
    func help() async throws {
        for arguments in [["-h"], ["export", "-h"], ["help"], ["help", "session", "rename"], ["session", "--help"]] {
            #expect(try await sandbox.bzpack(arguments).status == 0, "\(arguments)")
        }
    }

    @Test("A moment or a time zone that cannot be read is told what it should be")
    func time() async throws {
        let store = try await sandbox.trainer()
        let now = try await sandbox.bzpack("stats", "--now", "someday", "--store", store)
        #expect(now.status == 64)
        #expect(now.errors.contains("2026-11-21T14:30:00Z"))
        let bzpack = Built.path("bzpack")
        for (zone, status) in [("Mars/Base", 64), ("Europe/Berlin", 0), (":UTC", 0), ("", 0)] {
            let outcome = try await sandbox.run("/usr/bin/env", ["TZ=\(zone)", bzpack, "stats", "--store", store])
            #expect(outcome.status == status, "\(zone) \(outcome.errors)")
        }
    }

    @Test("A store or an output that cannot be made ends with 73 and a plain reason")
    func create() async throws {
        let store = try await sandbox.trainer()
        try sandbox.write("file", "")
        #expect(try await sandbox.bzpack("init", "--store", sandbox.path(".")).status == 73)
        let long = String(repeating: "x", count: 300)
        #expect(try await sandbox.bzpack("export", long, "--store", store).status == 73)
        let home = "XDG_DATA_HOME=\(sandbox.path("file"))/data"
        let outcome = try await sandbox.run("/usr/bin/env", [home, Built.path("bzpack"), "init"])
        #expect(outcome.status == 73)
        #expect(outcome.errors.contains("is no folder"), "\(outcome.errors)")
    }

    @Test("Warnings in a file end with 3 in every command that reads it")
    func warnings() async throws {
        try sandbox.write("warn.bztimer", BztimerFile.generated(sessions: 1, blocks: 0).bytes)
        for arguments in [
            ["validate"], ["inspect"], ["migrate", "--to", "3"], ["import", "--store", sandbox.path("new.db")],
        ] {
            let outcome = try await sandbox.bzpack(arguments + ["warn.bztimer"])
            #expect(outcome.status == 3, "\(arguments) \(outcome.errors)")
        }
    }

    @Test("Members of the top level that are not written or stored are named")
    func envelopes() async throws {
        let store = try await sandbox.client(pro: true)
        for (name, number) in [("a", 1), ("b", 2), ("c", 1)] {
            var file = BztimerFile.generated(sessions: 1, named: name == "c" ? "a" : name)
            file.extra["club"] = .number(number + (name == "c" ? 5 : 0))
            try sandbox.write("\(name).bztimer", file.bytes)
        }
        #expect(try await sandbox.bzpack("import", "a.bztimer", "b.bztimer", "--store", store).status == 0)
        let export = try await sandbox.bzpack("export", "out.bztimer", "--all", "--store", store)
        #expect(export.status == 0)
        #expect(export.errors.contains("note[envelope.conflict]"))
        #expect(export.errors.contains("that of the session \"a 1\" is written"))
        let same = try await sandbox.bzpack("import", "a.bztimer", "--store", store)
        #expect(same.errors.isEmpty)
        #expect(same.output.contains("--allow-duplicates adds sessions"))
        let skipped = try await sandbox.bzpack("import", "c.bztimer", "--dry-run", "--store", store)
        #expect(skipped.status == 0)
        #expect(skipped.errors.contains("note[envelope.skipped]"))
        // An update takes the sessions, and keeps what came with them.
        var file = BztimerFile.generated(sessions: 1, named: "a", blocks: 2)
        file.extra["club"] = 7
        try sandbox.write("d.bztimer", file.bytes)
        let updated = try await sandbox.bzpack("import", "--update", "d.bztimer", "--store", store)
        #expect(updated.status == 0 && updated.output.contains("Undo: "), "\(updated.output)")
        #expect(updated.errors.contains("note[envelope.skipped]"))
    }

    @Test("An import whose report cannot be written says that it is done")
    func fullStream() async throws {
        let store = sandbox.path("new.db")
        let file = Fixtures.path("bztimer/v3/leg-day.json")
        let command = "'\(Built.path("bzpack"))' import '\(file)' --store '\(store)' >/dev/full"
        let outcome = try await sandbox.run("/bin/sh", ["-c", command])
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("what was asked for is done, only the report is missing"))
        #expect(try await sandbox.sessions(store).count == 1)
    }

    @Test("On the Free plan a copy of a session has no custom categories")
    func duplicate() async throws {
        let store = try await sandbox.trainer()
        try await sandbox.bzpack("settings", "set", "isProUser", "false", "--store", store)
        let outcome = try await sandbox.bzpack("session", "duplicate", "Leg day", "--name", "Copy", "--store", store)
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("\"Mobility\" becomes \"Uncategorized\""))
        let sessions = try await sandbox.sessions(store)
        #expect(sessions.map { $0.items.contains { $0.category == "Mobility" } } == [true, false])
    }

    @Test("Long names are cut in the list, and only there")
    func longNames() async throws {
        let store = try await sandbox.trainer()
        let name = String(repeating: "体", count: 50)
        try await sandbox.bzpack("session", "rename", "Leg day", name, "--store", store)
        let list = try await sandbox.bzpack("list", "--store", store)
        #expect(list.output.contains("\(name.prefix(29))…"))
        #expect(!list.output.contains(name))
        #expect(try await sandbox.bzpack("show", name, "--store", store).output.contains(name))
    }
}
