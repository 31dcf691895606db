import AppList
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// A phone that can only export takes part through an inbox.
@Suite("Inboxes, as a program")
struct InboxProgramTests {
    let sandbox: Sandbox
    let laptop: Machine
    let tower: Machine

    init() async throws {
        sandbox = try Sandbox()
        (laptop, tower) = try await Machine.pair(in: sandbox)
        try FileManager.default.createDirectory(atPath: sandbox.path("phone"), withIntermediateDirectories: true)
        let added = try await laptop.run("inbox", "add", "phone", "--device", "Phone")
        #expect(added.status == 0, "\(added.errors)")
    }

    /// An export as the phone makes it.
    private func export(_ titles: [String], at time: String, as name: String, meta: String = "{}") throws {
        let tasks = titles.enumerated().map { index, title in
            """
            {"id": "t\(index + 1)", "title": "\(title)", "notes": null, "due_date": null, "scheduled_for": null, "is_done": false, \
            "done_at": null, "created_at": "2026-01-01T08:00:00Z", "updated_at": "2026-01-01T08:00:00Z", "archived": false, \
            "depends_on_task_id": null}
            """
        }
        try sandbox.write(
            "phone/\(name)",
            """
            {"schema_version": 2, "exported_at": "\(time)", "meta": \(meta), "tasks": [\(tasks.joined(separator: ","))], "habits": [], \
            "habit_completions": [], "day_plan": [], "day_plan_items": [], "activity_log": [], "day_snapshots": []}
            """
        )
    }

    /// The titles in the file that was written for the phone.
    private func given() throws -> [String] {
        let document = try JSONDocument(parsing: try sandbox.bytes("phone/Slate-synced-laptop.json"))
        return (document.root.value["tasks"]?.array ?? []).compactMap { $0["title"]?.string }.sorted()
    }

    @Test("What differs from the last export was changed on the phone, and it gets what all agree on")
    func edits() async throws {
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201.json")
        #expect(try await laptop.run("sync").status == 0)
        try tower.sql(Machine.task("t9", "From the tower"))
        try await tower.run("sync")
        try export(["Oat milk", "New"], at: "2026-02-02T08:00:00Z", as: "Slate-20260202.json")
        let taken = try await laptop.run("sync")
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(taken.output.contains("Phone: took Slate-20260202.json: 2 records"), "\(taken.output)")
        #expect(try laptop.titles() == ["Oat milk", "New", "From the tower"])
        #expect(try given() == ["From the tower", "New", "Oat milk"])
        try await tower.run("sync")
        #expect(try tower.titles() == ["Oat milk", "New", "From the tower"])
        let log = try await tower.run("log", "--limit", "1")
        #expect(log.output.contains("Phone: "), "\(log.output)")
        #expect(try await laptop.run("sync").output == "Slate: in step, nothing to do\n")
        try sandbox.remove("phone/Slate-synced-laptop.json")
        #expect(try await laptop.run("sync").output.contains("Phone: wrote "))
        #expect(try given() == ["From the tower", "New", "Oat milk"])
    }

    @Test("What the phone has yet to import is told until its export shows the import")
    func toImport() async throws {
        let line = "Phone has yet to import Slate-synced-laptop.json."
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        try await laptop.run("sync")
        #expect(try await !laptop.run("status").output.contains("has yet to import"))
        try laptop.sql(Machine.rename("t1", "Oat milk"))
        try await laptop.run("sync")
        #expect(try await laptop.run("status").output.contains(line))
        let json = try await laptop.run("status", "--format", "json").json
        #expect(json["toImport"]?.array?.first?["file"] == "Slate-synced-laptop.json")
        // The phone's export is as what it imported.
        let given = String(decoding: try sandbox.bytes("phone/Slate-synced-laptop.json"), as: UTF8.self)
        let time = try #require(try JSONDocument(parsing: Array(given.utf8)).root["exported_at"]?.string)
        try sandbox.write("phone/Slate-2.json", given.replacing(time, with: "2026-02-02T08:00:00Z"))
        let taken = try await laptop.run("sync")
        #expect(taken.output.contains("Slate-2.json has nothing new"), "\(taken.output)\(taken.errors)")
        #expect(try await !laptop.run("status").output.contains("has yet to import"))
    }

    @Test("An inbox is not this device's own")
    func ownName() async throws {
        try FileManager.default.createDirectory(atPath: sandbox.path("other"), withIntermediateDirectories: true)
        let refused = try await laptop.run("inbox", "add", "other", "--device", "Laptop")
        #expect(refused.status == 64 && refused.errors.contains("\"Laptop\" is this device"), "\(refused)")
        #expect(try await laptop.run("inbox", "add", "other", "--device", "Tablet").status == 0)
    }

    @Test("What the phone is given has the day on which the phone was last open, not this device's")
    func lastOpening() async throws {
        try laptop.sql("INSERT OR REPLACE INTO meta VALUES ('last_open_date', '2026-02-05')")
        for (day, title) in [("2026-02-01", "Milk"), ("2026-02-02", "Oat milk")] {
            let meta = "{\"last_open_date\": \"\(day)\"}"
            try export([title], at: "\(day)T08:00:00Z", as: "Slate-\(day).json", meta: meta)
            #expect(try await laptop.run("sync").status == 0)
            let given = try JSONDocument(parsing: try sandbox.bytes("phone/Slate-synced-laptop.json")).root.value
            #expect(given["meta"]?["last_open_date"]?.string == day)
        }
        let own = try AppStores.all.open(laptop.store).read { try $0.record(StoreRecordKey("meta", "")) }
        #expect(own?["last_open_date"] == "2026-02-05")
    }

    @Test("Throwing away what a store has throws away nothing that the phone exported")
    func discarding() async throws {
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        #expect(try await laptop.run("sync").status == 0)
        try laptop.sql(Machine.task("t9", "Own"))
        try export(["Oat milk", "New"], at: "2026-02-02T08:00:00Z", as: "Slate-2.json")
        let outcome = try await laptop.run("sync", "--discard-local")
        #expect(outcome.output.contains("took Slate-2.json: 2 records"), "\(outcome.output)\(outcome.errors)")
        #expect(try laptop.titles() == ["Oat milk", "New"])
        #expect(try given() == ["New", "Oat milk"])
    }

    @Test("A run that was ended before it wrote the phone's file leaves that to the next one")
    func ended() async throws {
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        #expect(try await laptop.run("sync").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("."))
        let memory = try #require(names.first { $0.contains("inboxes") })
        let files = try [memory, "phone/Slate-synced-laptop.json"].map { ($0, try sandbox.bytes($0)) }
        try tower.sql(Machine.task("t9", "From the tower"))
        try await tower.run("sync")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try given() == ["From the tower", "Milk"])
        // What a run leaves that is killed between the store and the file.
        for (name, bytes) in files { try sandbox.write(name, bytes) }
        #expect(try await laptop.run("sync").status == 0)
        #expect(try given() == ["From the tower", "Milk"])
        #expect(try await laptop.run("sync").output == "Slate: in step, nothing to do\n")
    }

    @Test("Who joins again is told of the inbox that is gone; added again, it is the same device's")
    func joinedAgain() async throws {
        try export(["Milk", "Two"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try await laptop.run("leave", "share", "--yes").status == 0)
        let joined = try await laptop.run("join", "share", "--store", laptop.store)
        #expect(
            joined.output.contains("foldersync inbox add FOLDER --device Phone"),
            "\(joined.output)\(joined.errors)"
        )
        #expect(try await laptop.run("inbox", "add", "phone", "--device", "Phone").status == 0)
        try export(["Two"], at: "2026-02-02T08:00:00Z", as: "Slate-2.json")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Two"])
        let devices = try await laptop.run("devices")
        #expect(devices.output.components(separatedBy: "Phone").count == 2, "\(devices.output)")
    }

    @Test("What the phone deleted goes; what it never had stays")
    func deletion() async throws {
        try export(["Milk", "Two"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        try await laptop.run("sync")
        try tower.sql(Machine.task("t9", "From the tower"))
        try await tower.run("sync")
        try export(["Milk"], at: "2026-02-02T08:00:00Z", as: "Slate-2.json")
        try await laptop.run("sync")
        #expect(try laptop.titles() == ["Milk", "From the tower"])
    }

    @Test("An older export that comes late changes nothing, and neither does one that comes twice")
    func late() async throws {
        try export(["Newer"], at: "2026-02-02T08:00:00Z", as: "Slate-2.json")
        try await laptop.run("sync")
        try export(["Older"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        let older = try await laptop.run("sync")
        #expect(older.output.contains("Slate-1.json is older"), "\(older.output)\(older.errors)")
        #expect(try laptop.titles() == ["Newer"])
        try laptop.sql(Machine.rename("t1", "Edited since"))
        try export(["Newer"], at: "2026-02-02T08:00:00Z", as: "Slate-2 (1).json")
        try await laptop.run("sync")
        #expect(try laptop.titles() == ["Edited since"])
    }

    @Test("A truncated export and one of a newer version are told each time, left, and taken when they can be")
    func unusable() async throws {
        try export(["Milk", "Whole"], at: "2026-02-02T08:00:00Z", as: "Slate-1.json")
        let whole = try sandbox.bytes("phone/Slate-1.json")
        try sandbox.write("phone/Slate-1.json", Array(whole.prefix(100)))
        try sandbox.write("phone/Slate-2.json", "{\"schema_version\": 3, \"exported_at\": \"2026-03-01T00:00:00Z\"}")
        for _ in 0..<2 {
            let outcome = try await laptop.run("sync")
            #expect(outcome.status == 3)
            #expect(outcome.errors.contains("Phone: cannot be used: ") && outcome.errors.contains("json.truncated"))
            #expect(outcome.errors.contains("Phone: held until this program is a newer one: "), "\(outcome.errors)")
        }
        #expect(try laptop.titles() == ["Milk"])
        let list = try await laptop.run("inbox", "list", "--format", "json")
        #expect(try list.json["inboxes"]?.array?.first?["held"]?.array?.count == 2)
        try sandbox.write("phone/Slate-1.json", whole)
        try sandbox.remove("phone/Slate-2.json")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Milk", "Whole"])
    }

    @Test(
        "An export that lacks most of what the phone had is not taken before a person decides, and keeps no other from it"
    )
    func massChange() async throws {
        let many = (1...40).map { "Task \($0)" }
        try laptop.sql(Machine.rename("t1", "Task 1"))
        try export(many, at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        try await laptop.run("sync")
        #expect(try laptop.titles().count == 40)
        try export([], at: "2026-02-02T08:00:00Z", as: "Slate-2.json")
        for _ in 0..<2 {
            let stopped = try await laptop.run("sync")
            #expect(stopped.status == 5, "\(stopped.output)\(stopped.errors)")
            #expect(stopped.errors.contains("Phone: Slate-2.json is not taken: "), "\(stopped.errors)")
        }
        #expect(try laptop.titles().count == 40)
        let json = try await laptop.run("sync", "--format", "json").json
        #expect(json["inboxes"]?.array?.first?["failure"]?["status"]?.int == 5)
        // The phone is itself again.
        try export(many + ["One more"], at: "2026-02-03T08:00:00Z", as: "Slate-3.json")
        try await laptop.run("sync")
        #expect(try laptop.titles().count == 41)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles().count == 41)
    }

    @Test("A dry run takes and writes nothing; an export of an app that is not here is told")
    func dryRun() async throws {
        try export(["Milk", "Dry"], at: "2026-02-01T08:00:00Z", as: "Slate-1.json")
        let dry = try await laptop.run("sync", "--dry-run")
        #expect(dry.output.contains("Phone: would take Slate-1.json"))
        #expect(try laptop.titles() == ["Milk"])
        #expect(!sandbox.has("phone/Slate-synced-laptop.json"))
        try sandbox.write("phone/log.json", try Fixtures.bytes("tracker/v2/offsets.json"))
        let outcome = try await laptop.run("sync")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("log.json is an export of Time Tracker"), "\(outcome.errors)")
        #expect(try laptop.titles() == ["Milk", "Dry"])
        try sandbox.remove("phone/log.json")
        try sandbox.remove("phone")
        let gone = try await laptop.run("sync")
        #expect(gone.status == 66)
        #expect(gone.errors.contains("phone"))
        let removed = try await laptop.run("inbox", "remove", "phone")
        #expect(removed.status == 0)
        #expect(removed.output.contains("foldersync devices retire Phone"), "\(removed.output)")
        #expect(try await laptop.run("sync").status == 0)
    }

    @Test("An export that arrives again changes nothing, by whatever name")
    func again() async throws {
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201.json")
        try await laptop.run("sync")
        try export(["Milk", "Bread"], at: "2026-02-02T08:00:00Z", as: "Slate-20260202.json")
        try await laptop.run("sync")
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201 (1).json")
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Milk", "Bread"])
    }

    @Test("A phone that is retired on another device changes nothing and gets nothing, until that is taken back")
    func retired() async throws {
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201.json")
        for machine in [laptop, tower] { try await machine.run("sync") }
        #expect(try await tower.run("devices", "retire", "Phone").status == 0)
        try tower.sql(Machine.task("t9", "Secret"))
        try await tower.run("sync")
        let told = try await laptop.run("sync")
        #expect(told.status == 3 && told.errors.contains("Phone is retired"), "\(told.errors)")
        #expect(try given() == ["Milk"])
        try export(["Thief"], at: "2026-02-03T08:00:00Z", as: "Slate-20260203.json")
        #expect(try await laptop.run("sync").status == 3)
        #expect(try laptop.titles() == ["Milk", "Secret"])
        let refused = try await laptop.run("devices", "retire", "--undo", "Phone")
        #expect(refused.status == 64 && refused.errors.contains("Tower"), "\(refused.errors)")
        #expect(try await tower.run("devices", "retire", "--undo", "Phone").status == 0)
        #expect(try await laptop.run("sync").status == 0)
        #expect(try laptop.titles() == ["Thief", "Secret"])
    }

    @Test("An inbox has not the name of a device that takes part, and is renamed with its phone")
    func names() async throws {
        let refused = try await laptop.run("inbox", "add", ".", "--device", "Tower")
        #expect(refused.status == 64, "\(refused.errors)")
        try export(["Milk"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201.json")
        try await laptop.run("sync")
        #expect(try await laptop.run("devices", "rename", "Phone", "Pixel").status == 0)
        #expect(try await laptop.run("inbox").output.contains("Pixel"))
    }

    @Test("What the first export of a phone changed in a known record is not called added")
    func firstExport() async throws {
        try export(["Oat milk", "New"], at: "2026-02-01T08:00:00Z", as: "Slate-20260201.json")
        try await laptop.run("sync")
        try await tower.run("sync")
        for machine in [laptop, tower] {
            let log = try await machine.run("log").output
            #expect(log.contains("changed task \"Oat milk\" ("), "\(log)")
            #expect(log.contains("title \"Milk\" → \"Oat milk\""), "\(log)")
            #expect(!log.contains("added task \"Oat milk\"") && log.contains("added task \"New\""), "\(log)")
        }
    }
}
