import StrictJSON
import Testing
import TestSupport

struct HistoryTests {
    let sandbox: Sandbox
    let store: String

    init() async throws {
        sandbox = try Sandbox()
        store = try await sandbox.client(pro: true)
        let outcome = try await bzpack("import", Fixtures.path("bztimer/v3/morning-stretch.json"))
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @discardableResult
    private func bzpack(_ arguments: String...) async throws -> Outcome {
        try await sandbox.bzpack(arguments + ["--store", store])
    }

    private func add(_ day: String, now: String = "2026-05-31T12:00:00Z") async throws {
        let outcome = try await bzpack(
            "history",
            "add",
            "Morning stretch",
            "--completed-at",
            "\(day)T06:30:00Z",
            "--now",
            now,
            "--seconds",
            "150"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    private func days() async throws -> [String] {
        let entries = try await bzpack("history", "--format", "json").json["entries"]?.array ?? []
        return entries.compactMap { ($0["completedAt"]?.string).map { String($0.prefix(10)) } }
    }

    @Test("Entries are listed latest first; statistics follow the given moment and zone")
    func statistics() async throws {
        for day in ["2026-05-20", "2026-05-21", "2026-05-22", "2026-05-30", "2026-05-31"] { try await add(day) }
        #expect(try await days() == ["2026-05-31", "2026-05-30", "2026-05-22", "2026-05-21", "2026-05-20"])
        let arguments = ["--now", "2026-05-31T12:00:00Z", "--time-zone", "Europe/Berlin"]
        let json = try await sandbox.bzpack(["stats", "--store", store, "--format", "json"] + arguments).json
        #expect(json["today"] == "2026-05-31")
        #expect(json["currentStreak"]?.int == 2)
        #expect(json["longestStreak"]?.int == 3)
        #expect(json["week"]?["sessions"]?.int == 2)
        #expect(json["week"]?["minutes"]?.int == 5)
        #expect(json["recent"]?.array?.count == 5)
        let text = try await sandbox.bzpack(["stats", "--store", store] + arguments).output
        #expect(text.contains("Current streak: 2 days\nLongest streak: 3 days\n"))
        #expect(text.contains("Today · Morning stretch · 2 min\nYesterday · "))
        #expect(text.contains("May 22 · Morning stretch · 2 min\n"))
        let late = try await bzpack("stats", "--format", "json", "--now", "2026-06-02T12:00:00Z", "--time-zone", "UTC")
            .json
        #expect(late["currentStreak"]?.int == 0)
        #expect(try await bzpack("stats", "--time-zone", "Mars/Olympus").status == 64)
    }

    @Test("A changed retention removes older history at once, by calendar months")
    func retention() async throws {
        for day in ["2026-02-27", "2026-02-28", "2026-03-01"] { try await add(day) }
        let arguments = [
            "settings", "set", "historyRetention", "3months", "--now", "2026-05-31T06:30:00Z", "--store", store,
        ]
        let dry = try await sandbox.bzpack(arguments + ["--dry-run"])
        #expect(dry.output.contains("Would remove 1 history entry"))
        #expect(try await days().count == 3)
        let asked = try await sandbox.bzpack(arguments)
        let question = "Set historyRetention to 3months and remove 1 history entry older than that?"
        #expect(asked.status == 64 && asked.errors.contains(question), "\(asked.errors)")
        #expect(try await days().count == 3)
        let done = try await sandbox.bzpack(arguments + ["--yes"]).output
        #expect(done.contains("Removed 1 history entry older than that.\nUndo: bzpack restore "), "\(done)")
        #expect(try await days() == ["2026-03-01", "2026-02-28"])
        let safety = sandbox.path(try #require(try sandbox.names().first { $0.contains(".before-") }))
        #expect(try await bzpack("restore", safety, "--yes").status == 0)
        #expect(try await days().count == 3)
        #expect(try await bzpack("settings", "show", "historyRetention").output.contains("unlimited"))
        // Where nothing goes nobody is asked.
        #expect(try await bzpack("settings", "set", "historyRetention", "12months").output.hasSuffix("12months.\n"))
    }

    @Test("Free keeps thirty days, once an entry is added; leaving Pro deletes nothing")
    func free() async throws {
        for day in ["2026-04-01", "2026-05-30"] { try await add(day) }
        #expect(try await bzpack("settings", "set", "isProUser", "false").status == 0)
        #expect(try await days().count == 2)
        let dry = try await bzpack("history", "prune", "--dry-run", "--now", "2026-05-31T12:00:00Z")
        #expect(dry.output.hasSuffix("Would remove 1 history entry.\n"))
        try await add("2026-05-31")
        #expect(try await days() == ["2026-05-31", "2026-05-30"])
        #expect(try await bzpack("history", "export", "h.json").status == 77)
        let old = try await bzpack(
            "history",
            "add",
            "Morning stretch",
            "--completed-at",
            "2026-01-01T00:00:00Z",
            "--now",
            "2026-05-31T12:00:00Z"
        )
        #expect(old.status == 64)
        #expect(try await days().count == 2)
    }

    @Test("History is exported as the app keeps it, oldest first")
    func export() async throws {
        for day in ["2026-05-31", "2026-05-30"] { try await add(day) }
        let outcome = try await bzpack("history", "export", "-")
        #expect(outcome.status == 0)
        let entries = try #require(try outcome.json.array)
        #expect(entries.compactMap { $0["completedAt"]?.string } == ["2026-05-30T06:30:00Z", "2026-05-31T06:30:00Z"])
        #expect(
            entries.first?.object?.names == ["id", "sessionId", "sessionName", "completedAt", "totalDurationSeconds"]
        )
    }

    @Test("Pruning and clearing; entries in the future are refused")
    func removing() async throws {
        for day in ["2026-02-01", "2026-05-30"] { try await add(day) }
        #expect(try await bzpack("history", "prune").output == "Removed 0 history entries.\n")
        #expect(try await bzpack("history", "clear").status == 64)
        #expect(try await bzpack("history", "clear", "--yes").output == "Deleted 2 history entries.\n")
        #expect(try await bzpack("history").output == "No sessions completed yet.\n")
        let future = try await bzpack(
            "history",
            "add",
            "Morning stretch",
            "--completed-at",
            "2026-06-01T00:00:00Z",
            "--now",
            "2026-05-31T00:00:00Z"
        )
        #expect(future.status == 64)
        #expect(try await bzpack("history", "add", "Nobody").status == 66)
        #expect(
            try await bzpack("history", "add", "Morning stretch", "--completed-at", "2026-02-30T00:00:00Z").status == 64
        )
    }

    @Test("An entry that would not be kept is not added, and nothing else goes for it")
    func refused() async throws {
        try await add("2026-03-01")
        let path = store
        let free = try await sandbox.bzpack("settings", "set", "historyRetention", "3months", "--yes", "--store", path)
        #expect(free.status == 0, "\(free.errors)")
        let before = try await days()
        let outcome = try await bzpack(
            "history",
            "add",
            "Morning stretch",
            "--completed-at",
            "2026-01-01T06:30:00Z",
            "--now",
            "2026-07-01T12:00:00Z"
        )
        #expect(outcome.status == 64 && outcome.errors.contains("nothing was changed"), "\(outcome.errors)")
        #expect(try await days() == before)
        let long = try await bzpack("history", "add", "Morning stretch", "--seconds", "20min")
        #expect(long.status == 64 && long.errors.contains("expected a number of seconds"), "\(long.errors)")
    }

    @Test("Times are local ones with their offset, in the zone that is asked for")
    func localTimes() async throws {
        let berlin = ["--time-zone", "Europe/Berlin", "--store", store]
        let add = [
            "history", "add", "Morning stretch", "--completed-at", "2026-11-25 00:20", "--now", "2026-11-25 09:00",
        ]
        let added = try await sandbox.bzpack(add + berlin)
        #expect(added.output.contains("completed at Wed 25 Nov 2026 00:20 +01:00"), "\(added.output)\(added.errors)")
        #expect(try await sandbox.bzpack(["history", "list"] + berlin).output.contains("Wed 25 Nov 2026 00:20 +01:00"))
        #expect(try await bzpack("history").output.contains("Tue 24 Nov 2026 23:20 +00:00"))
        #expect(try await bzpack("history", "list", "--limit", "0").output == "Listed none of 1 history entry.\n")
    }

    @Test("An imported entry goes with the only session of its name, and one that the plan does not keep is named")
    func importing() async throws {
        for day in ["2026-01-01", "2026-05-30"] { try await add(day) }
        #expect(try await bzpack("history", "export", "h.json").status == 0)
        let phone = ["--store", try await sandbox.client("phone.db")]
        #expect(
            try await sandbox.bzpack(["import", Fixtures.path("bztimer/v3/morning-stretch.json")] + phone).status == 0
        )
        for option in [["--dry-run"], []] {
            let arguments = ["history", "import", "h.json", "--now", "2026-05-31T12:00:00Z"] + option + phone
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 3 && outcome.errors.contains("1 entry is older"), "\(outcome.errors)")
            #expect(outcome.output.contains("2 linked to the session of the same name"), "\(outcome.output)")
        }
        let list = try await sandbox.bzpack(["history", "list"] + phone).output
        #expect(!list.contains("(deleted)"), "\(list)")
    }

    @Test("Why entries went is said in full: the setting, the plan or both")
    func reasons() async throws {
        let now = ["--now", "2026-11-21T12:00:00Z"]
        try sandbox.write(
            "old.json",
            """
            [{"id":"a","sessionId":null,"sessionName":"One","completedAt":"2026-01-07T20:30:00Z","totalDurationSeconds":60},
            {"id":"b","sessionId":null,"sessionName":"One","completedAt":"2026-10-07T20:30:00Z","totalDurationSeconds":60}]
            """
        )
        func run(_ arguments: String...) async throws -> String {
            let outcome = try await sandbox.bzpack(arguments + ["--store", store] + now)
            #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
            return outcome.output
        }
        func add(_ settings: [(String, String)]) async throws -> String {
            for (name, value) in settings { _ = try await run("settings", "set", name, value, "--yes") }
            _ = try await run("history", "import", "old.json")
            return try await run("history", "add", "Morning")
        }
        let session = try await add([("isProUser", "true"), ("historyRetention", "3months")])
        #expect(session.contains("Removed 1 older entry, as historyRetention is 3months."), "\(session)")
        let both = try await add([("isProUser", "false")])
        let reason = "Removed 2 older entries, as the Free plan keeps 30 days and historyRetention is 3months."
        #expect(both.contains(reason), "\(both)")
        let plan = try await add([("isProUser", "true"), ("historyRetention", "unlimited"), ("isProUser", "false")])
        #expect(plan.contains("Removed 2 older entries, as the Free plan keeps 30 days."), "\(plan)")
    }

    @Test("A run that the store has under another id is not imported again, and the report says so")
    func sameRun() async throws {
        let file = "other.json"
        func write(_ entries: (id: String, name: String, moment: String, seconds: Int)...) throws {
            let list = entries.map { entry in
                """
                {"id":"\(entry.id)","sessionId":null,"sessionName":"\(entry.name)","completedAt":"\(entry.moment)",\
                "totalDurationSeconds":\(entry.seconds)}
                """
            }
            try sandbox.write(file, "[\(list.joined(separator: ","))]")
        }
        let now = ["--now", "2026-11-21T12:00:00Z"]
        try write(("a", "One", "2026-11-20T17:00:00Z", 60), ("b", "Two", "2026-11-20T17:30:00Z", 60))
        let first = try await sandbox.bzpack(["history", "import", file, "--store", store] + now)
        #expect(first.output.hasPrefix("Imported 2 history entries into "), "\(first.output)\(first.errors)")
        try write(
            ("z", "One", "2026-11-20T18:00:00+01:00", 60),
            ("y", "Two", "2026-11-20T17:30:00.000Z", 60),
            ("x", "Two", "2026-11-20T17:30:01Z", 60),
            ("w", "Two", "2026-11-20T17:30:01Z", 60),
            ("b", "Two", "2026-11-20T17:30:00Z", 60)
        )
        // Each entry of the store stands for one of the file: b for itself, a for z.
        for option in [["--dry-run"], []] {
            let again = try await sandbox.bzpack(["history", "import", file, "--store", store] + option + now)
            #expect(again.status == 0, "\(again.errors)")
            let reasons =
                "; 1 skipped, as the store has the same; 1 skipped, as the store has the same run under another id.\n"
            #expect(again.output.contains("3 history entries") && again.output.hasSuffix(reasons), "\(again.output)")
        }
        let third = try await sandbox.bzpack(["history", "import", file, "--store", store] + now)
        #expect(third.output.hasPrefix("Imported 0 history entries; 4 skipped, as the store has the same; 1 "))
        #expect(try await bzpack("history", "export", "-").json.array?.count == 5)
        // A file arrives whole in an empty store, also where two of its entries differ in their identifiers alone.
        let new = sandbox.path("new.db")
        let whole = try await sandbox.bzpack(["history", "import", file, "--store", new] + now)
        #expect(whole.output.hasPrefix("Imported 5 history entries into "), "\(whole.output)\(whole.errors)")
        let twice = try await sandbox.bzpack(["history", "import", file, "--store", new] + now)
        #expect(twice.output.hasPrefix("Imported 0 history entries; 5 skipped"), "\(twice.output)\(twice.errors)")
    }
}
