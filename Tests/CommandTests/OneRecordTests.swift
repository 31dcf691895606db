import Foundation
import StrictJSON
import Subprocess
import Testing
import TestSupport

/// One record back from a backup, in the apps besides Slate.
@Suite("One record back")
struct OneRecordTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A deleted session is found and comes back alone, and the restore can be undone")
    func timer() async throws {
        let store = ["--store", try await sandbox.trainer()]
        let backup = sandbox.path("timer.json")
        #expect(try await sandbox.bzpack(["backup", backup] + store).status == 0)
        let before = try await sandbox.bzpack(["show", "Leg day", "--format", "json"] + store).output
        #expect(try await sandbox.bzpack(["session", "delete", "Leg day", "--yes"] + store).status == 0)
        #expect(try await sandbox.bzpack(["new", "Mine", "--text", "A 10 s"] + store).status == 0)
        try sandbox.write("notes.json", "{}")
        let find = ["find", "LEG", "--in", sandbox.folder.path, "--format", "json"]
        let found = try await sandbox.bzpack(find + store)
        #expect(found.status == 3, "\(found.errors)")
        let record = try #require(try found.json["records"]?.array?.first)
        #expect(record["kind"] == "session" && record["inStore"] == false)
        let restore = ["restore", backup, "leg"]
        #expect(try await sandbox.bzpack(restore + ["--dry-run"] + store).status == 0)
        #expect(try await sandbox.bzpack(restore + store).status == 64)
        #expect(try await sandbox.bzpack(["show", "Leg day"] + store).status == 66)
        let done = try await sandbox.bzpack(restore + ["--yes"] + store)
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await sandbox.bzpack(["show", "Leg day", "--format", "json"] + store).output == before)
        #expect(try await sandbox.bzpack(["show", "Mine"] + store).status == 0)
        #expect(try await sandbox.bzpack(restore + store).output.contains("Nothing was changed"))
        // An edited session gets the backup's version in its place.
        #expect(try await sandbox.bzpack(["session", "rename", "Leg day", "Leg morning"] + store).status == 0)
        #expect(try await sandbox.bzpack(restore + ["--yes"] + store).status == 0)
        #expect(try await sandbox.bzpack(["list", "--format", "json"] + store).json["sessions"]?.array?.count == 2)
        let safety = try sandbox.names().filter { $0.contains(".before-") }.sorted()
        #expect(safety.count == 2)
        let undo = ["restore", sandbox.path(safety[0]), "--yes"]
        #expect(try await sandbox.bzpack(undo + store).status == 0)
        #expect(try await sandbox.bzpack(["show", "Leg day"] + store).status == 66)
        #expect(try await sandbox.bzpack(["restore", backup, "nothing like it", "--yes"] + store).status == 66)
    }

    @Test("A session that comes back beside another one of its name says so")
    func namesakes() async throws {
        let store = ["--store", try await sandbox.trainer()]
        let backup = sandbox.path("timer.json")
        #expect(try await sandbox.bzpack(["backup", backup] + store).status == 0)
        #expect(try await sandbox.bzpack(["session", "delete", "Leg day", "--yes"] + store).status == 0)
        #expect(try await sandbox.bzpack(["new", "Leg day", "--text", "A 10 s"] + store).status == 0)
        for option in ["--dry-run", "--yes"] {
            let outcome = try await sandbox.bzpack(["restore", backup, "leg", option] + store)
            #expect(outcome.output.contains("The store has 1 other session of this name"), "\(outcome.output)")
        }
        let list = try await sandbox.bzpack(["list", "--format", "json"] + store).json
        #expect(list["sessions"]?.array?.count == 2)
    }

    @Test("A button with its entries comes back, and undo takes it away again")
    func tracker() async throws {
        let store = try await sandbox.sampleLog()
        let here = ["--store", store]
        let before = try await sandbox.exportedLog(store, to: "log.json")
        try await sandbox.exportedLog(store, to: "log.xml")
        func lose() async throws {
            var lost = 0
            while lost < 3 {
                let week = ["entries", "--from", "2026-02-20", "--to", "2026-03-08", "--format", "json"]
                let entries = try await sandbox.tracker(week + here).json["entries"]?.array ?? []
                let work = try #require(entries.first { $0["name"] == "Work" }?["id"]?.string)
                #expect(try await sandbox.tracker(["entries", "delete", work] + here).status == 0)
                lost += 1
            }
            #expect(try await sandbox.tracker(["buttons", "delete", "Work"] + here).status == 0)
        }
        try await lose()
        let find = ["find", "work", "--in", sandbox.path("log.json"), "--format", "json"]
        let records = try await sandbox.tracker(find + here).json["records"]?.array ?? []
        #expect(records.filter { $0["kind"] == "entry" && $0["inStore"] == false }.count == 3)
        #expect(records.contains { $0["kind"] == "activity" && $0["versions"]?.array?.count == 2 })
        for file in ["log.json", "log.xml"] {
            let restore = ["restore", sandbox.path(file), "wor"]
            let lost = try await sandbox.exportedLog(store, to: "now.json")
            let dry = try await sandbox.tracker(restore + ["--dry-run", "--format", "json"] + here).json
            #expect(dry["entries"] == 3 && dry["buttons"] == 1)
            #expect(try await sandbox.tracker(restore + here).status == 64)
            #expect(try await sandbox.exportedLog(store, to: "now.json") == lost)
            let done = try await sandbox.tracker(restore + ["--yes"] + here)
            #expect(done.status == 0, "\(done.errors)")
            #expect(try await sandbox.exportedLog(store, to: "now.json") == before)
            #expect(try await sandbox.tracker(restore + ["--yes"] + here).output.contains("Nothing was changed"))
            #expect(try await sandbox.tracker(["undo"] + here).status == 0)
            #expect(try await sandbox.exportedLog(store, to: "now.json") == lost)
        }
        // One entry by its id.
        let id = try #require(records.first { $0["kind"] == "entry" }?["id"]?.string)
        let one = try await sandbox.tracker(
            ["restore", sandbox.path("log.json"), id, "--yes", "--format", "json"] + here
        )
        #expect(try one.json["entries"] == 1)
        #expect(try await sandbox.tracker(["restore", sandbox.path("none.json"), "work"] + here).status == 66)
        #expect(try await sandbox.tracker(["restore", sandbox.path("log.json"), "nonsense"] + here).status == 66)
    }

    @Test("Of two equal entries the lost one comes back, and another person's is no other's")
    func twins() async throws {
        let here = ["--store", sandbox.path("log.db"), "--time-zone", "UTC"]
        try sandbox.write(
            "report.csv",
            """
            User,Email,Project,Start date,Start time,End date,End time,Duration
            Ada,a@x,Web,2026-03-02,09:00:00,2026-03-02,10:00:00,01:00:00
            Bob,b@x,Web,2026-03-02,09:00:00,2026-03-02,10:00:00,01:00:00
            Ada,a@x,Ops,2026-03-02,11:00:00,2026-03-02,12:00:00,01:00:00
            Ada,a@x,Ops,2026-03-02,11:00:00,2026-03-02,12:00:00,01:00:00

            """
        )
        #expect(try await sandbox.tracker(["import", sandbox.path("report.csv"), "--yes"] + here).status == 0)
        let all = try await sandbox.exportedLog(sandbox.path("log.db"), to: "all.json")
        let entries = try JSONDocument(parsing: all).root.value["activities"]?.array ?? []
        let bob = entries.first { $0["columns"]?["User"] == "Bob" }
        let twin = entries.last { $0["name"] == "Ops" }
        for (lost, name) in [(bob, "Web"), (twin, "Ops")] {
            let id = try #require(lost?["id"]?.string)
            for wanted in [id, name] {
                #expect(try await sandbox.tracker(["entries", "delete", id] + here).status == 0)
                let restore = ["restore", sandbox.path("all.json"), wanted, "--yes"]
                let done = try await sandbox.tracker(restore + here)
                // The twin overlaps the other one, which is said.
                #expect([0, 3].contains(done.status) && !done.output.contains("Nothing was changed"), "\(done.output)")
                #expect(try await sandbox.exportedLog(sandbox.path("log.db"), to: "now.json") == all)
            }
        }
        // An entry that came again with another id stands for the lost one, once.
        let ids = entries.filter { $0["name"] == "Ops" }.compactMap { $0["id"]?.string }
        for id in ids { #expect(try await sandbox.tracker(["entries", "delete", id] + here).status == 0) }
        let add = ["entries", "add", "Ops", "--start", "2026-03-02T11:00:00Z", "--end", "2026-03-02T12:00:00Z"]
        #expect(try await sandbox.tracker(add + here).status == 0)
        let one = ["restore", sandbox.path("all.json"), "Ops", "--dry-run", "--format", "json"]
        let plan = try await sandbox.tracker(one + here).json
        #expect(plan["entries"] == 1 && plan["same"] == 1)
    }

    @Test("A subject or one session comes back, everything as well, and each can be undone")
    func study() async throws {
        let store = ["--store", sandbox.path("timer.db"), "--now", trackerNow, "--time-zone", "UTC"]
        func study(_ arguments: String...) async throws -> Outcome {
            // find has no moment of its own.
            try await sandbox.tracker(
                ["study"] + arguments + (arguments.first == "find" ? Array(store.prefix(2)) : store)
            )
        }
        func log() async throws -> [UInt8] {
            try sandbox.remove("now.json")
            #expect(try await study("export", sandbox.path("now.json")).status == 0)
            return try sandbox.bytes("now.json")
        }
        #expect(try await study("init", "--sample").status == 0)
        #expect(try await study("export", sandbox.path("all.json")).status == 0)
        let before = try sandbox.bytes("all.json")
        let document = try JSONDocument(parsing: before).root.value
        var part = try #require(document.object)
        let isLatin = { (session: JSONValue) in session["title"] == "Latin" }
        let latin = (document["sessions"]?.array ?? []).filter(isLatin).compactMap { $0["id"]?.string }
        part["sessions"] = .array((document["sessions"]?.array ?? []).filter { !isLatin($0) })
        part["events"] = .array(
            (document["events"]?.array ?? []).filter { !latin.contains($0["session_id"]?.string ?? "") }
        )
        try sandbox.write("part.json", JSONValue.object(part).encoded(.indented))
        let plan = try await study("restore", sandbox.path("part.json"), "--dry-run").output
        #expect(plan.contains("sessions that the backup does not have:\n    \"Latin\", "), "\(plan)")
        #expect(!plan.contains("all devices"), "\(plan)")
        let all = try await study("restore", sandbox.path("part.json"), "--yes", "--format", "json")
        #expect(all.status == 0, "\(all.errors)")
        #expect(try all.json["removed"]?.int == latin.count)
        let found = try await study("find", "lat", "--in", sandbox.path("all.json"), "--format", "json").json
        #expect(found["records"]?.array?.first { $0["kind"] == "subject" }?["inStore"] == false)
        let one = try await study("restore", sandbox.path("all.json"), latin[0], "--yes", "--format", "json").json
        #expect(one["sessions"] == 1 && one["events"] == 4)
        let dry = try await study("restore", sandbox.path("all.json"), "lat", "--dry-run", "--format", "json").json
        #expect(dry["sessions"]?.int == latin.count - 1 && dry["same"] == 1)
        #expect(try await study("restore", sandbox.path("all.json"), "lat").status == 64)
        let done = try await study("restore", sandbox.path("all.json"), "lat", "--yes", "--format", "json")
        #expect(done.status == 0, "\(done.errors)")
        #expect(try await log() == before)
        let safety = try #require(try done.json["safetyCopy"]?.string)
        #expect(try await study("restore", safety, "--yes").status == 0)
        #expect(try await log() != before)
        try sandbox.write("broken.json", "{}")
        #expect(try await study("restore", sandbox.path("broken.json"), "--yes").status == 65)
    }

    @Test("Shells complete buttons and subjects", arguments: [("start", "Work"), ("study start", "Latin")])
    func completions(_ command: (words: String, name: String)) async throws {
        #expect(try await sandbox.tracker("init", "--sample").status == 0)
        #expect(try await sandbox.tracker("study", "init", "--sample").status == 0)
        let words = command.words.split(separator: " ").map(String.init)
        for shell in ["bash", "zsh", "fish"] {
            let outcome = try await sandbox.run(
                Built.path("tracker-export"),
                ["---completion"] + words + ["--", "positional@0", "0", "0"],
                environment: ["SAP_SHELL": shell, "SAP_SHELL_VERSION": "5"]
            )
            #expect(outcome.output.contains(command.name), "\(shell) \(outcome.errors)")
        }
    }
}

/// Goals of Study Timer.
struct StudyGoalTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func study(_ arguments: String..., now: String = "2026-03-06T12:00:00Z") async throws -> Outcome {
        try await sandbox.tracker(
            ["study"] + arguments + ["--store", sandbox.path("timer.db"), "--now", now, "--time-zone", "UTC"]
        )
    }

    @Test("A goal is kept beside the store, and the summary says what is left")
    func goal() async throws {
        #expect(try await study("init").status == 0)
        let none = try await study("goal").output
        #expect(none.contains("Set one: tracker-export study goal SUBJECT 10h/week --store "), "\(none)")
        #expect(try await study("start", "Maths", "--at", "2026-03-02T09:00:00Z").status == 0)
        #expect(try await study("stop", "--at", "2026-03-02T12:30:00Z").status == 0)
        #expect(try await study("goal", "mat", "10h/week").status == 0)
        #expect(try await study("goal", "Latin", "1h30m/day", "--new").status == 0)
        func goals(_ arguments: String...) async throws -> [String] {
            let outcome = try await sandbox.tracker(
                ["study"] + arguments + ["--store", sandbox.path("timer.db"), "--time-zone", "UTC", "--format", "json"]
            )
            return try outcome.json["goals"]?.array?.map { goal in
                let left = goal["leftSeconds"]?.int ?? -1
                return "\(goal["subject"]?.string ?? "") \(left) \(goal["reached"] == true)"
            } ?? []
        }
        let now = ["--now", "2026-03-06T12:00:00Z"]
        #expect(try await goals("summary", now[0], now[1]) == ["Latin 5400 false", "Maths 23400 false"])
        #expect(try await goals("goal", now[0], "2026-03-09T12:00:00Z") == ["Latin 5400 false", "Maths 36000 false"])
        #expect(try await study("goal", "Maths", "3h 30min/week").status == 0)
        #expect(try await goals("summary", now[0], now[1]) == ["Latin 5400 false", "Maths 0 true"])
        #expect(try await study("summary").output.contains("reached"))
        for wrong in ["10h", "h/week", "0h/week", "10h/year", "25h/day", "9x/week"] {
            #expect(try await study("goal", "Maths", wrong).status == 64, "\(wrong)")
        }
        #expect(try await study("goal", "Latin", "--off").status == 0)
        #expect(try await study("goal", "Latin", "--off").status == 66)
        #expect(try await goals("goal", now[0], now[1]) == ["Maths 0 true"])
        try sandbox.write("timer.db.goals.json", "[]")
        #expect(try await study("summary").status == 65)
    }
}

/// Names by any part that fits one.
struct PartialNameTests {
    @Test("A button is named by a part of its name, unless several have it")
    func buttons() async throws {
        let sandbox = try Sandbox()
        let here = ["--store", try await sandbox.sampleLog(), "--now", trackerNow]
        let started = try await sandbox.tracker(["start", "entert", "--format", "json"] + here)
        #expect(started.output.contains("Entertainment"), "\(started.errors)")
        let several = try await sandbox.tracker(["start", "e"] + here)
        #expect(several.status == 64, "\(several.errors)")
        #expect(try await sandbox.tracker(["start", "nonsense"] + here).status == 66)
        // --new makes what has no button of that very name.
        #expect(try await sandbox.tracker(["start", "Wor", "--new"] + here).status == 0)
        #expect(try await sandbox.tracker(["buttons", "--store", here[1]]).output.contains("Wor "))
    }
}
