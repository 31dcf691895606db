import Foundation
import StrictJSON
import Testing
import TestSupport

/// `bzpack merge` and `slate-backup merge`.
struct MergeTests {
    private func session(_ name: String, tags: [String] = [], blocks: [String] = ["1", "2"]) -> String {
        let items = blocks.map { block in
            #"{"id":"\#(block)","label":"Block \#(block)","type":"activity","mode":"duration","durationSeconds":30,"category":"Work"}"#
        }
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"format":"bztimer","version":3,"categories":[],"sessions":[{"id":"s","name":"\#(name)","items":["#
            + items.joined(separator: ",") + #"],"tags":[\#(tags)]}]}"#
    }

    @Test func `changes of two files come together`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("base.bztimer", session("Legs"))
        try sandbox.write("ours.bztimer", session("Leg day", blocks: ["2", "1"]))
        try sandbox.write("theirs.bztimer", session("Legs", tags: ["new"], blocks: ["1", "2", "3"]))
        let outcome = try await sandbox.bzpack(
            "merge",
            "base.bztimer",
            "ours.bztimer",
            "theirs.bztimer",
            "-o",
            "out.bztimer"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.hasSuffix(", without conflicts.\n"))
        let merged = try JSONDocument(parsing: try sandbox.bytes("out.bztimer")).root.value["sessions"]?.array?.first
        #expect(merged?["name"] == "Leg day")
        #expect(merged?["tags"] == ["new"])
        #expect(merged?["items"]?.array?.compactMap { $0["id"]?.string } == ["2", "1", "3"])
    }

    @Test func `a base that comes through a pipe is read once`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("ours.bztimer", session("Leg day"))
        try sandbox.write("theirs.bztimer", session("Legs", tags: ["new"]))
        let files = ["merge", "--base", "-", "ours.bztimer", "theirs.bztimer"]
        let merged = try await sandbox.bzpack(files, input: Array(session("Legs").utf8))
        #expect(merged.status == 0, "\(merged.errors)")
        #expect(try merged.json["sessions"]?.array?.first?["name"] == "Leg day")
        #expect(try merged.json["sessions"]?.array?.first?["tags"] == ["new"])
        #expect(try await sandbox.bzpack(files, input: []).status == 3)
        let backup = try sandbox.backup("backup.json", tasks: 2)
        let bytes = try sandbox.bytes("backup.json")
        let slate = try await sandbox.slate(["merge", "--base", "-", backup, backup], input: bytes)
        #expect(slate.status == 0, "\(slate.errors)")
        let store = try await sandbox.sampleLog()
        let log = try await sandbox.exportedLog(store, to: "log.json")
        let tracker = try await sandbox.tracker(["merge", "--base", "-", "log.json", "log.json"], input: log)
        #expect(tracker.status == 0, "\(tracker.errors)")
    }

    @Test func `a conflict keeps the first and is reported`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("base.bztimer", session("Legs"))
        try sandbox.write("ours.bztimer", session("Leg day"))
        try sandbox.write("theirs.bztimer", session("Leg night"))
        let arguments = ["merge", "--base", "base.bztimer", "ours.bztimer", "theirs.bztimer"]
        let plain = try await sandbox.bzpack(arguments)
        #expect(plain.status == 3)
        #expect(try plain.json["sessions"]?.array?.first?["name"] == "Leg day")
        #expect(plain.errors.contains("1 conflict: the merged file has what is kept."), "\(plain.errors)")
        #expect(plain.errors.contains(#"session "Leg day", name: "Leg day" is kept, the other file has "Leg night""#))
        let json = try await sandbox.bzpack(arguments + ["-o", "out.bztimer", "--format", "json"])
        #expect(json.status == 3)
        #expect(try json.json["conflicts"]?.array?.first?["others"] == [["value": "Leg night"]])
        try await check(json.output, sandbox)
        #expect(try await sandbox.bzpack(arguments + ["--format", "json"]).status == 64)
        #expect(try await sandbox.bzpack("merge", "ours.bztimer").status == 64)
        #expect(try await sandbox.bzpack("merge", "ours.bztimer", "missing.bztimer").status == 66)
    }

    @Test func `without a base an element is named by its value`() async throws {
        let sandbox = try Sandbox()
        try sandbox.write("ours.bztimer", session("Legs", tags: ["a"]))
        try sandbox.write("theirs.bztimer", session("Legs", tags: ["b"]))
        let outcome = try await sandbox.bzpack("merge", "ours.bztimer", "theirs.bztimer", "-o", "out.bztimer")
        #expect(outcome.status == 3)
        for tag in ["a", "b"] {
            let line = "session \"Legs\", tags \"\(tag)\": only one of the files has it; it is kept\n"
            #expect(outcome.output.contains(line), "\(outcome.output)")
        }
    }

    private func check(_ output: String, _ sandbox: Sandbox) async throws {
        try sandbox.write("result.json", output)
        let schema = SharedFolder.project.appending(path: "Schemas/cli/merge.schema.json").path
        let report = try await sandbox.bzpack("schema", "check", "--strict", schema, "result.json")
        #expect(report.status == 0, "\(report.errors)")
    }

    @Test func `files of different formats are refused, and versions are brought together`() async throws {
        let sandbox = try Sandbox()
        let presets = Fixtures.path("presets/v2/unknown-members.json")
        let session = Fixtures.path("bztimer/v3/leg-day.json")
        #expect(try await sandbox.bzpack("merge", presets, session).status == 65)
        #expect(try await sandbox.bzpack("merge", presets, presets, presets, "-o", "x.json").status == 0)
        let old = Fixtures.path("bztimer/v1/leg-day.json")
        let outcome = try await sandbox.bzpack("merge", old, session, old, "-o", "y.bztimer")
        #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
    }

    @Test func `an item that was moved and planned again keeps both days`() async throws {
        let sandbox = try Sandbox()
        func write(_ name: String, _ items: [(id: String, day: String)]) throws {
            let rows = items.map {
                #"{"id":"\#($0.id)","date":"\#($0.day)","entity_type":"task","entity_id":"t"}"#
            }
            try sandbox.write(
                name,
                """
                {"schema_version": 2, "exported_at": "2026-02-01T08:00:00Z", "meta": {}, "tasks": [{"id": "t", "title": "Milk", \
                "is_done": false, "created_at": "2026-01-01T08:00:00Z", "updated_at": "2026-01-01T08:00:00Z"}], "habits": [], \
                "habit_completions": [], "day_plan": [], "activity_log": [], "day_snapshots": [], \
                "day_plan_items": [\(rows.joined(separator: ","))]}
                """
            )
        }
        try write("base.json", [("p", "2026-01-01")])
        try write("ours.json", [("p", "2026-01-02"), ("q", "2026-01-01")])
        let outcome = try await sandbox.slate("merge", "base.json", "ours.json", "base.json", "-o", "merged.json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let items =
            try JSONDocument(parsing: try sandbox.bytes("merged.json")).root.value["day_plan_items"]?.array ?? []
        #expect(Set(items.compactMap { $0["date"]?.string }) == ["2026-01-01", "2026-01-02"])
        #expect(Set(items.compactMap { $0["id"]?.string }).count == 2)
    }

    @Test func `of a circle the task that was changed last waits no more, whichever file is the first`() async throws {
        let sandbox = try Sandbox()
        try sandbox.backup("base.json", tasks: 2)
        func change(_ task: Int, waitsFor other: Int, at moment: String) throws -> String {
            var document = try JSONDocument(parsing: try sandbox.bytes("base.json")).root.value
            var tasks = document["tasks"]?.array ?? []
            tasks[task]["depends_on_task_id"] = .string("t\(other)")
            tasks[task]["updated_at"] = .string(moment)
            document["tasks"] = .array(tasks)
            return try sandbox.write("t\(task).json", document.encoded(.indented))
        }
        _ = try change(0, waitsFor: 1, at: "2026-01-08T10:00:00+01:00")
        _ = try change(1, waitsFor: 0, at: "2026-01-08T09:30:00Z")
        for files in [["t0.json", "t1.json"], ["t1.json", "t0.json"]] {
            let arguments = ["merge"] + files + ["--base", "base.json", "-o", "merged.json", "--yes"]
            let outcome = try await sandbox.slate(arguments)
            #expect(outcome.status == 3)
            let line =
                #"tasks t1 "Task 1" depends_on_task_id: tasks waited for each other: "Task 0" waits for "Task 1" "#
                + #"waits for "Task 0"; it is now null"#
            #expect(outcome.output.contains(line), "\(outcome.output)\(outcome.errors)")
            let merged = try JSONDocument(parsing: try sandbox.bytes("merged.json")).root.value["tasks"]?.array
            #expect(merged?.map { $0["depends_on_task_id"] } == ["t1", .null])
        }
    }

    @Test func `of a circle a dependency that neither file touched stays`() async throws {
        let sandbox = try Sandbox()
        try sandbox.backup("base.json", tasks: 3)
        func change(_ name: String, of file: String, _ values: [(task: Int, member: String, value: JSONValue)]) throws {
            var document = try JSONDocument(parsing: try sandbox.bytes(file)).root.value
            var tasks = document["tasks"]?.array ?? []
            for value in values { tasks[value.task][value.member] = value.value }
            document["tasks"] = .array(tasks)
            try sandbox.write(name, document.encoded(.indented))
        }
        let (dependency, moment) = ("depends_on_task_id", "updated_at")
        try change("base.json", of: "base.json", [(2, dependency, "t0")])
        try change("ours.json", of: "base.json", [(0, dependency, "t1"), (0, moment, "2026-01-09T09:00:00Z")])
        let theirs: [(task: Int, member: String, value: JSONValue)] = [
            (1, dependency, "t2"), (1, moment, "2026-01-10T09:00:00Z"),
            (2, "title", "Other"), (2, moment, "2026-01-12T09:00:00Z"),
        ]
        try change("theirs.json", of: "base.json", theirs)
        for files in [["ours.json", "theirs.json"], ["theirs.json", "ours.json"]] {
            let outcome = try await sandbox.slate(
                ["merge"] + files + ["--base", "base.json", "-o", "merged.json", "--yes"]
            )
            #expect(outcome.status == 3, "\(outcome.errors)")
            let merged = try JSONDocument(parsing: try sandbox.bytes("merged.json")).root.value["tasks"]?.array
            #expect(merged?.map { $0[dependency] } == ["t1", .null, "t0"], "\(outcome.output)")
        }
    }

    @Test func `conflict copies of Slate's backups come together`() async throws {
        let sandbox = try Sandbox()
        try sandbox.backup("Slate-20260107.json", tasks: 3)
        try sandbox.write("base.json", try sandbox.bytes("Slate-20260107.json"))
        let copy = "Slate-20260107.sync-conflict-20260108-101112-ABCDEFG.json"
        let text = String(decoding: try sandbox.bytes("base.json"), as: UTF8.self)
        try sandbox.write(copy, text.replacing("Task 1", with: "Task one"))
        try sandbox.write("Slate-20260107.json", text.replacing("Task 2", with: "Task two"))
        let arguments = ["merge", "Slate-20260107.json", copy]
        let outcome = try await sandbox.slate(arguments + ["--base", "base.json", "-o", "merged.json"])
        #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
        let merged = try JSONDocument(parsing: try sandbox.bytes("merged.json")).root.value
        #expect(merged["tasks"]?.array?.map { $0["title"] } == ["Task 0", "Task one", "Task two"])
        // Without a base all that differs is reported.
        let blind = try await sandbox.slate(arguments + ["-o", "blind.json", "--format", "json"])
        #expect(blind.status == 3)
        #expect(try blind.json["conflicts"]?.array?.count == 2)
        try await check(blind.output, sandbox)
        #expect(try await sandbox.slate("verify", "blind.json", "merged.json").status == 0)
    }

    @Test func `settings of Slate are merged key by key`() async throws {
        let sandbox = try Sandbox()
        let base = String(decoding: try Fixtures.bytes("slate/v2/autumn-week.json"), as: UTF8.self)
        for (name, settings) in [
            ("base", #"{"theme": "dark", "zoom": "1"}"#), ("ours", #"{"theme": "light", "zoom": "1", "x": "1"}"#),
            ("theirs", #"{"theme": "dark", "zoom": "2"}"#), ("other", #"{"theme": "blue", "zoom": "1"}"#),
        ] {
            try sandbox.write(
                "\(name).json",
                base.replacing("\"tasks\":", with: "\"storage\": \(settings),\n\"tasks\":")
            )
        }
        let tool = Built.path("slate-backup")
        let clean = try await sandbox.run(tool, ["merge", "base.json", "ours.json", "theirs.json", "-o", "out.json"])
        #expect(clean.status == 0, "\(clean.output)\(clean.errors)")
        let merged = try JSONDocument(parsing: try sandbox.bytes("out.json")).root.value
        #expect(merged["storage"] == ["theme": "light", "x": "1", "zoom": "2"])
        let both = try await sandbox.run(tool, ["merge", "base.json", "ours.json", "other.json", "-o", "-"])
        #expect(
            both.status == 3 && both.errors.contains("theme: \"light\" is kept, the other file has \"blue\""),
            "\(both.errors)"
        )
    }

    @Test func `exports of Time Tracker and logs of Study Timer come together`() async throws {
        let sandbox = try Sandbox()
        func export(_ names: [String], running: String) -> JSONValue {
            let buttons = names.enumerated().map { index, name -> JSONValue in
                [
                    "id": .string("\(running)\(index)"), "name": .string(name), "color": "#102030", "icon": "x",
                    "isDefault": true, "position": .number(index), "isVisible": true,
                ]
            }
            let start: JSONValue = .string("2026-01-0\(running)T08:00:00Z")
            return [
                "format": "tracker-export", "version": 2, "buttons": .array(buttons),
                "activities": [
                    ["id": .string(running), "name": "Work", "buttonId": .string("\(running)0"), "startTime": start]
                ],
            ]
        }
        try sandbox.write("ours.json", export(["Work", "Sleep"], running: "1").encoded(.indented))
        try sandbox.write("theirs.json", export(["Work", "Sleep"], running: "2").encoded(.indented))
        let tool = Built.path("tracker-export")
        let outcome = try await sandbox.run(tool, ["merge", "ours.json", "theirs.json", "-o", "out.json"])
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("two activities ran at once"))
        let merged = try JSONDocument(parsing: try sandbox.bytes("out.json")).root.value
        #expect(merged["buttons"]?.array?.count == 2)
        #expect(merged["activities"]?.array?.map { $0["buttonId"] } == ["10", "10"])
        #expect(merged["activities"]?.array?.first?["endTime"] == "2026-01-02T08:00:00Z")
        let log = try Fixtures.names(in: "study/v2").first ?? ""
        let study = try await sandbox.run(tool, ["merge", Fixtures.path(log), Fixtures.path(log), "-o", "log.json"])
        #expect(study.status == 0, "\(study.errors)")
        #expect(try await sandbox.run(tool, ["merge", Fixtures.path(log), "ours.json"]).status == 65)
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/git"), "this machine lacks git")
    )
    func `git merges with it`() async throws {
        let sandbox = try Sandbox()
        func git(_ arguments: String..., expecting status: Int32 = 0) async throws {
            let outcome = try await sandbox.run(
                "/usr/bin/git",
                ["-c", "user.name=x", "-c", "user.email=x@x"] + arguments
            )
            #expect(outcome.status == status, "\(arguments): \(outcome.output)\(outcome.errors)")
        }
        try await git("init", "-q", "-b", "main", ".")
        try await git("config", "merge.bzpack.driver", "'\(Built.path("bzpack"))' merge %O %A %B -o %A")
        try sandbox.write(".gitattributes", "*.bztimer merge=bzpack\n")
        try sandbox.write("legs.bztimer", session("Legs"))
        try await git("add", ".gitattributes", "legs.bztimer")
        try await git("commit", "-q", "-m", "base")
        try await git("checkout", "-q", "-b", "other")
        try sandbox.write("legs.bztimer", session("Legs", tags: ["theirs"]))
        try await git("commit", "-q", "-a", "-m", "theirs")
        try await git("checkout", "-q", "main")
        try sandbox.write("legs.bztimer", session("Leg day"))
        try await git("commit", "-q", "-a", "-m", "ours")
        try await git("merge", "-q", "-m", "merged", "other")
        let merged = try JSONDocument(parsing: try sandbox.bytes("legs.bztimer")).root.value["sessions"]?.array?.first
        #expect(merged?["name"] == "Leg day" && merged?["tags"] == ["theirs"])
        // Both change the name: git says that there is a conflict, and the file has ours.
        try await git("checkout", "-q", "other")
        try sandbox.write("legs.bztimer", session("Night", tags: ["theirs"]))
        try await git("commit", "-q", "-a", "-m", "theirs")
        try await git("checkout", "-q", "main")
        try await git("merge", "-q", "-m", "merged", "other", expecting: 1)
        let kept = try JSONDocument(parsing: try sandbox.bytes("legs.bztimer")).root.value["sessions"]?.array?.first
        #expect(kept?["name"] == "Leg day")
    }

    /// The start of one file behind the end of the other: together they are no entry, and each alone is one.
    @Test func `times that do not go together are those of the first file`() async throws {
        let sandbox = try Sandbox()
        func log(_ start: String, _ end: String, _ hours: Double, _ others: String = "") -> String {
            #"{"format":"tracker-export","version":2,"exportedAt":"2026-03-05T08:00:00Z","buttons":[],"activities":[{"id":"a","#
                + #""name":"Work","startTime":"2026-03-04T\#(start):00Z","endTime":"2026-03-04T\#(end):00Z","duration":\#(Int(hours * 3_600_000))}\#(others)]}"#
        }
        let other =
            #",{"id":"b","name":"Tea","startTime":"2026-03-04T15:00:00Z","endTime":"2026-03-04T16:00:00Z","duration":3600000}"#
        try sandbox.write("base.json", log("09:00", "12:00", 3))
        try sandbox.write("ours.json", log("11:00", "12:00", 1))
        try sandbox.write("theirs.json", log("09:00", "10:30", 1.5, other))
        let outcome = try await sandbox.tracker("merge", "base.json", "ours.json", "theirs.json", "-o", "out.json")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("endTime"), "\(outcome.output)")
        let merged = try JSONDocument(parsing: try sandbox.bytes("out.json")).root.value["activities"]?.array ?? []
        #expect(merged.map { $0["id"]?.string } == ["a", "b"])
        let times = ["startTime", "endTime"].compactMap { merged.first?[$0]?.string.map { String($0.prefix(16)) } }
        #expect(times == ["2026-03-04T11:00", "2026-03-04T12:00"])
    }

    @Test func `a conflict names session, block and length, and all categories in use are listed`() async throws {
        let sandbox = try Sandbox()
        let base = session("Legs")
        let start = #""label":"Block 2","type":"activity","mode":"duration","durationSeconds":"#
        func length(_ seconds: Int) -> String { base.replacing("\(start)30", with: "\(start)\(seconds)") }
        try sandbox.write("base.bztimer", base)
        try sandbox.write("ours.bztimer", length(25))
        try sandbox.write("theirs.bztimer", length(100))
        let merge = ["merge", "base.bztimer", "ours.bztimer", "theirs.bztimer", "-o", "out.bztimer"]
        let told = try await sandbox.bzpack(merge)
        let line = "session \"Legs\", block 2 \"Block 2\", length: 25 s is kept, the other file has 1 min 40 s\n"
        #expect(told.status == 3 && told.output.contains(line), "\(told.output)")
        let mine = base.replacing(#""categories":[]"#, with: #""categories":["Knee"]"#)
            .replacing(#""category":"Work"}]"#, with: #""category":"Knee"}]"#)
        try sandbox.write("base.bztimer", mine)
        try sandbox.write("ours.bztimer", mine.replacing("Legs", with: "Leg day"))
        try sandbox.write("theirs.bztimer", #"{"format":"bztimer","version":3,"categories":[],"sessions":[]}"#)
        let kept = try await sandbox.bzpack(merge + ["--yes"])
        #expect(kept.output.contains("session \"Leg day\": deleted in one file and changed"), "\(kept.output)")
        #expect(try JSONDocument(parsing: sandbox.bytes("out.bztimer")).root.value["categories"] == ["Knee"])
    }
}
