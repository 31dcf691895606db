import StrictJSON
import Testing
import TestSupport

/// Merges with a file that cannot contain all of the others: one of an older version, or one that lacks a whole part.
@Suite("What a file of a merge cannot hold is unchanged")
struct OlderMergeTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func write(_ name: String, _ value: JSONValue) throws {
        try sandbox.write(name, value.encoded(.indented))
    }

    private func merged(_ name: String = "out.json") throws -> JSONValue {
        try JSONDocument(parsing: try sandbox.bytes(name)).root.value
    }

    // MARK: BZ Timer

    private func session(_ number: Int, plank: Int = 60) -> JSONValue {
        func block(_ id: String, _ label: String, _ seconds: Int, _ category: String) -> JSONValue {
            [
                "id": .string(id), "label": .string(label), "type": "activity", "mode": "duration",
                "durationSeconds": .number(seconds), "category": .string(category),
            ]
        }
        return [
            "id": .string("s\(number)"), "name": .string("Day \(number)"),
            "items": [block("b1", "Squats", 60, "Mobility"), block("b2", "Plank", plank, "Exercise")],
            "tags": ["legs"],
        ]
    }

    private func file(_ sessions: Int...) -> JSONValue {
        [
            "format": "bztimer", "version": 3, "categories": ["Mobility", "Later"],
            "sessions": .array(sessions.map { session($0) }),
            "activities": [
                [
                    "id": "t1", "label": "Squats", "type": "activity", "mode": "duration", "durationSeconds": 60,
                    "category": "Mobility",
                ]
            ],
        ]
    }

    private func secondVersion() -> JSONValue {
        ["format": "bztimer", "version": 2, "session": session(1, plank: 75)]
    }

    /// A session as the first apps wrote it.
    private func firstVersion() -> JSONValue {
        var session = session(1, plank: 75)
        session["tags"] = nil
        let blocks = (session["items"]?.array ?? []).map { block in
            var block = block
            block["category"] = nil
            (block["reps"], block["perRepSeconds"]) = (0, 0)
            return block
        }
        session["items"] = .array(blocks)
        return session
    }

    @Test("A client's session of an older version changes what it says and nothing else", arguments: [1, 2], [1, 3])
    func sessions(version: Int, count: Int) async throws {
        let base = count == 1 ? file(1) : file(1, 2, 3)
        try write("base.json", base)
        try write("client.json", version == 1 ? firstVersion() : secondVersion())
        var expected = base
        var sessions = base["sessions"]?.array ?? []
        sessions[0] = session(1, plank: 75)
        expected["sessions"] = .array(sessions)
        for sides in [["base.json", "client.json"], ["client.json", "base.json"]] {
            let arguments = ["merge", "base.json"] + sides + ["-o", "out.json", "--yes"]
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let merged = try merged()
            for name in ["sessions", "activities", "categories"] { #expect(merged[name] == expected[name], "\(name)") }
        }
    }

    @Test("Without a base only what an older file says differs")
    func withoutBase() async throws {
        try write("ours.json", file(1, 2))
        try write("client.json", firstVersion())
        let outcome = try await sandbox.bzpack("merge", "ours.json", "client.json", "-o", "out.json")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("1 conflict: "), "\(outcome.output)")
        #expect(try merged()["sessions"] == file(1, 2)["sessions"])
    }

    @Test("A file without activities deletes none, and one with an empty list deletes them")
    func optionalPart() async throws {
        try write("base.json", file(1))
        for (activities, count) in [(JSONValue?.none, 1), (.some(.array([])), 0)] {
            var other = file(1)
            other["activities"] = activities
            try write("other.json", other)
            let arguments = ["merge", "base.json", "base.json", "other.json", "-o", "out.json", "--yes"]
            #expect(try await sandbox.bzpack(arguments).status == 0)
            #expect(try merged()["activities"]?.array?.count == count)
        }
    }

    @Test("Presets of version 1 leave the switches alone")
    func presets() async throws {
        var preset: JSONValue = [
            "id": "1", "name": "Tabata", "getReadySeconds": 10, "workSeconds": 20, "restSeconds": 10, "sets": 1,
            "rounds": 8, "soundEnabled": false, "voiceEnabled": false,
        ]
        try write("base.json", ["format": "gympulse-presets", "version": 2, "presets": [preset]])
        (preset["soundEnabled"], preset["voiceEnabled"], preset["rounds"]) = (nil, nil, 6)
        try write("client.json", [preset])
        let outcome = try await sandbox.bzpack("merge", "base.json", "base.json", "client.json", "-o", "out.json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let found = try merged()["presets"]?.array?.first
        #expect(found?["rounds"] == 6 && found?["soundEnabled"] == false && found?["voiceEnabled"] == false)
    }

    @Test("An update with a session of version 1 keeps categories and tags")
    func update() async throws {
        let store = ["--store", try await sandbox.client(pro: true)]
        try write("base.json", file(1))
        #expect(try await sandbox.bzpack(["import", "base.json"] + store).status == 0)
        try write("client.json", firstVersion())
        let update = ["import", "--update", "client.json"] + store
        let outcome = try await sandbox.bzpack(update)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let shown = try await sandbox.bzpack(["show", "Day 1", "--format", "json"] + store).json
        #expect(shown["tags"] == ["legs"])
        #expect(shown["items"]?.array?.map { $0["category"] } == ["Mobility", "Exercise"])
        #expect(shown["items"]?.array?.map { $0["durationSeconds"] } == [60, 75])
        // What the file says is there by now.
        #expect(try await sandbox.bzpack(update).output.contains("skipped"))
    }

    // MARK: Slate

    private func backup(version: Int, title: String, settings: JSONValue? = ["theme": "dark"]) -> JSONValue {
        func task(_ id: String, _ title: String, after other: JSONValue) -> JSONValue {
            var task: JSONValue = [
                "id": .string(id), "title": .string(title), "created_at": "2026-01-01T08:00:00Z",
                "updated_at": .string(title == "Paint" ? "2026-01-01T08:00:00Z" : "2026-01-02T08:00:00Z"),
            ]
            if version > 1 { task["depends_on_task_id"] = other }
            return task
        }
        var backup: JSONValue = [
            "schema_version": .number(version), "exported_at": "2026-01-07T20:30:00Z", "meta": [:],
            "tasks": [task("a", "Buy paint", after: .null), task("b", title, after: "a")],
            "habits": [], "habit_completions": [], "day_plan": [], "day_plan_items": [],
        ]
        guard version > 1 else { return backup }
        backup["activity_log"] = [
            [
                "id": "l", "timestamp": "2026-01-01T08:00:00Z", "entity_type": "task", "entity_id": "a",
                "action_type": "done",
            ]
        ]
        backup["day_snapshots"] = [["date": "2026-01-01"]]
        backup["storage"] = settings
        return backup
    }

    @Test("A backup of version 1, or without the app's settings, deletes nothing of them", arguments: [1, 2])
    func slate(version: Int) async throws {
        try write("base.json", backup(version: 2, title: "Paint"))
        try write("tablet.json", backup(version: version, title: "Paint the hall", settings: nil))
        for sides in [["base.json", "tablet.json"], ["tablet.json", "base.json"]] {
            let arguments = ["merge"] + sides + ["--base", "base.json", "-o", "out.json", "--yes"]
            let outcome = try await sandbox.slate(arguments)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let merged = try merged()
            #expect(merged["tasks"]?.array?.map { $0["title"] } == ["Buy paint", "Paint the hall"])
            #expect(merged["tasks"]?.array?.last?["depends_on_task_id"] == "a")
            #expect(merged["activity_log"]?.array?.count == 1 && merged["day_snapshots"]?.array?.count == 1)
            #expect(merged["storage"] == ["theme": "dark"])
        }
    }

    @Test("A merging import, and a task that comes back, keep what version 1 cannot hold", arguments: [false, true])
    func database(restores: Bool) async throws {
        let database = ["--db", sandbox.path("slate.db"), "--yes"]
        try write("base.json", backup(version: 2, title: "Paint"))
        try write("tablet.json", backup(version: 1, title: "Paint the hall"))
        #expect(try await sandbox.slate(["import", "base.json"] + database).status == 0)
        let arguments = restores ? ["restore", "tablet.json", "hall"] : ["import", "tablet.json", "--mode", "merge"]
        let outcome = try await sandbox.slate(arguments + database)
        #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
        try await sandbox.exported(sandbox.path("slate.db"), to: "now.json")
        let tasks = try merged("now.json")["tasks"]?.array
        #expect(tasks?.map { $0["title"] } == ["Buy paint", "Paint the hall"])
        #expect(tasks?.last?["depends_on_task_id"] == "a")
    }

    // MARK: Time Tracker and Study Timer

    @Test("An export of Time Tracker of version 1 leaves offsets as they are")
    func tracker() async throws {
        let entry: JSONValue = [
            "id": "a", "name": "Work", "startTime": "2026-03-04T09:00:00+01:00", "endTime": "2026-03-04T12:00:00+01:00",
        ]
        let base: JSONValue = [
            "format": "tracker-export", "version": 2, "exportedAt": "2026-03-05T08:00:00Z", "buttons": [],
            "activities": [entry],
        ]
        try write("base.json", base)
        let start = 1_772_611_200_000
        var old = entry
        old["name"] = "Office"
        old["startTime"] = .number(start)
        old["endTime"] = .number(start + 3 * 3_600_000)
        try write("phone.json", ["activities": [old], "buttons": []])
        let outcome = try await sandbox.tracker("merge", "base.json", "base.json", "phone.json", "-o", "out.json")
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let merged = try merged()["activities"]?.array?.first
        #expect(merged?["name"] == "Office")
        #expect(merged?["startTime"] == entry["startTime"] && merged?["endTime"] == entry["endTime"])
    }

    @Test("A list of Study Timer says nothing of the other table", arguments: ["sessions", "session_history"])
    func study(list: String) async throws {
        let log = try JSONDocument(parsing: Fixtures.bytes("study/v1/tables.json")).root.value
        try write("base.json", log)
        var changed = log[list]?.array ?? []
        if list == "sessions" { changed[0]["title"] = "Geometry" }
        try write("list.json", .array(changed))
        let outcome = try await sandbox.tracker("merge", "base.json", "base.json", "list.json", "-o", "out.json")
        #expect([0, 3].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
        let merged = try merged()
        #expect(merged["sessions"]?.array?.count == log["sessions"]?.array?.count)
        #expect(merged["events"]?.array?.count == log["session_history"]?.array?.count)
        if list == "sessions" { #expect(merged["sessions"]?.array?.first?["title"] == "Geometry") }
    }

    @Test("Categories stay with their blocks where an older app puts one of the same label in front")
    func updateWithNewBlock() async throws {
        let store = ["--store", try await sandbox.client(pro: true)]
        let text = "Squats 20 s [Mobility] / Squats 30 s [Later] / Plank 40 s [Exercise]"
        #expect(try await sandbox.bzpack(["new", "Day", "--text", text] + store).status == 0)
        #expect([0, 3].contains(try await sandbox.bzpack(["export", "v1.json", "--to-version", "1"] + store).status))
        var session = try JSONDocument(parsing: sandbox.bytes("v1.json")).root.value
        session["x-preserved"] = nil
        var items = (session["items"]?.array ?? []).map { block in
            var block = block
            block["category"] = nil
            return block
        }
        items.insert(
            [
                "id": "new", "label": "Squats", "type": "activity", "mode": "duration", "durationSeconds": 15,
                "reps": 0,
                "perRepSeconds": 0,
            ],
            at: 0
        )
        // By their identifiers, and where an import gave others, by their lengths.
        for isKnown in [true, false] {
            if !isKnown { for index in items.indices { items[index]["id"] = .string("other\(index)") } }
            session["items"] = .array(items)
            session["name"] = "Day"
            try write("client.json", session)
            let outcome = try await sandbox.bzpack(["import", "--update", "client.json"] + store)
            #expect(outcome.status == 0 && !outcome.output.contains("categories change"), "\(outcome.output)")
            let shown = try await sandbox.bzpack(["show", "Day", "--format", "json"] + store).json
            let found = shown["items"]?.array?.map { $0["category"]?.string }
            #expect(found == ["Uncategorized", "Mobility", "Later", "Exercise"], "\(isKnown)")
            let undo = ["edit", "Day", "--text", text] + store
            #expect(try await sandbox.bzpack(undo).status == 0)
        }
        // What the file itself says is told.
        #expect(try await sandbox.bzpack(["export", "v3.json"] + store).status == 0)
        let corrected = String(decoding: try sandbox.bytes("v3.json"), as: UTF8.self)
            .replacing("\"category\": \"Later\"", with: "\"category\": \"Mobility\"")
        try sandbox.write("v3.json", corrected)
        let told = try await sandbox.bzpack(["import", "--update", "v3.json"] + store)
        #expect(told.output.contains("categories change: \"Squats\" from Later to Mobility"), "\(told.output)")
    }
}
