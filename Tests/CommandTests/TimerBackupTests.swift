import Foundation
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

@Suite("BZ Timer's store as a whole")
struct TimerBackupTests {
    let sandbox: Sandbox
    init() throws { sandbox = try Sandbox() }

    /// What a store holds, as its backup has it, but for when that was made.
    private func content(_ store: String) async throws -> JSONObject {
        let outcome = try await sandbox.bzpack("backup", "-", "--store", store)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var object = try #require(try outcome.json.object)
        object["createdAt"] = nil
        return object
    }

    @Test("The name of a command of slate-backup is no file by mistake", arguments: ["status", "schedule"])
    func commandNames(_ word: String) async throws {
        let store = try await sandbox.client()
        let refused = try await sandbox.bzpack("backup", word, "--store", store)
        #expect(refused.status == 64 && refused.errors.contains("satchel doctor"), "\(refused.errors)")
        #expect(!sandbox.has(word))
        #expect(try await sandbox.bzpack("backup", sandbox.path(word), "--store", store).status == 0)
    }

    @Test("A backup brings everything back, and the restore can be undone")
    func roundTrip() async throws {
        let store = try await sandbox.trainer()
        #expect(try await sandbox.bzpack("settings", "set", "preCountdownSeconds", "5", "--store", store).status == 0)
        #expect(
            try await sandbox.bzpack(
                "presets",
                "import",
                Fixtures.path("presets/v1/first-timers.json"),
                "--store",
                store
            ).status == 0
        )
        let before = try await content(store)
        #expect(before["history"]?.array?.isEmpty == false && before["presets"]?.array?.isEmpty == false)
        #expect(try await sandbox.bzpack("backup", sandbox.path("b.json"), "--store", store).status == 0)
        // On a new device.
        let made = try await sandbox.bzpack("restore", sandbox.path("b.json"), "--store", sandbox.path("new.db"))
        #expect(made.status == 0, "\(made.errors)")
        #expect(try await content(sandbox.path("new.db")) == before)
        // Over another store, and back.
        let other = try await sandbox.client()
        #expect(try await sandbox.bzpack("new", "Mine", "--text", "A 10 s", "--store", other).status == 0)
        let mine = try await content(other)
        let restored = try await sandbox.bzpack("restore", sandbox.path("b.json"), "--store", other, "--yes")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(try await content(other) == before)
        let safety = try #require(try sandbox.names().first { $0.hasPrefix("client.db.before-") })
        #expect(try await sandbox.bzpack("restore", sandbox.path(safety), "--store", other, "--yes").status == 0)
        #expect(try await content(other) == mine)
    }

    @Test("A backup that cannot be used changes nothing")
    func refused() async throws {
        let store = try await sandbox.trainer()
        let before = try await content(store)
        for text in [
            "", "[]", "{\"format\": \"bztimer-backup\", \"version\": 2}", "{\"format\": \"bztimer\", \"version\": 1}",
            "{\"format\": \"bztimer-backup\", \"version\": 1, \"sessions\": [{\"id\": \"a\", \"name\": \"\"}]}",
            "{\"format\": \"bztimer-backup\", \"version\": 1, \"history\": [{\"id\": \"a\"}]}",
        ] {
            try sandbox.write("bad.json", text)
            let outcome = try await sandbox.bzpack("restore", sandbox.path("bad.json"), "--store", store, "--yes")
            #expect(outcome.status == 65, "\(text)")
        }
        #expect(try await sandbox.bzpack("restore", sandbox.path("none.json"), "--store", store, "--yes").status == 66)
        #expect(try await content(store) == before)
    }

    @Test("The history that is exported can be imported, once")
    func history() async throws {
        let store = try await sandbox.trainer()
        let file = sandbox.path("history.json")
        #expect(try await sandbox.bzpack("history", "export", file, "--store", store).status == 0)
        let other = try await sandbox.client(pro: true)
        let first = try await sandbox.bzpack("history", "import", file, "--store", other)
        #expect(first.status == 0, "\(first.errors)")
        #expect(try await sandbox.bzpack("history", "import", file, "--store", other).output.contains("skipped"))
        let entries = try await content(other)["history"]?.array?.compactMap { $0["completedAt"]?.string }
        #expect(try await content(store)["history"]?.array?.compactMap { $0["completedAt"]?.string } == entries)
        try sandbox.write("bad.json", "[{\"id\": \"x\"}]")
        #expect(try await sandbox.bzpack("history", "import", sandbox.path("bad.json"), "--store", other).status == 65)
    }

    @Test("A corrected session replaces the one of its name, which keeps its identifier")
    func update() async throws {
        let trainer = try await sandbox.client("trainer.db", pro: true)
        #expect(
            try await sandbox.bzpack("new", "Tabata", "--text", "8 x (Work 20 s / Rest 10 s)", "--store", trainer)
                .status == 0
        )
        let file = sandbox.path("session.bztimer")
        #expect(try await sandbox.bzpack("export", file, "--store", trainer).status == 0)
        let client = try await sandbox.client()
        #expect(try await sandbox.bzpack("import", file, "--store", client).status == 0)
        let before = try await content(client)["sessions"]?.array?.first?["id"]?.string
        #expect(
            try await sandbox.bzpack("edit", "Tabata", "--text", "8 x (Work 30 s / Rest 10 s)", "--store", trainer)
                .status == 0
        )
        #expect(try await sandbox.bzpack("export", file, "--yes", "--store", trainer).status == 0)
        let dry = try await sandbox.bzpack(
            "import",
            "--update",
            "--dry-run",
            file,
            "--store",
            client,
            "--format",
            "json"
        )
        #expect(try dry.json["summary"]?["sessionsUpdated"]?.int == 1)
        #expect(try await sandbox.bzpack("import", "--update", file, "--store", client).status == 0)
        let sessions = try await content(client)["sessions"]?.array ?? []
        #expect(sessions.count == 1)
        #expect(sessions.first?["id"]?.string == before)
        #expect(sessions.first?["items"]?.array?.first?["durationSeconds"]?.int == 30)
    }

    @Test("--update keeps what the file does not have, names what takes another value or goes, and can be undone")
    func updateKeeps() async throws {
        func file(_ name: String, _ squats: Int, _ more: String = "", tags: String = "") throws -> String {
            try sandbox.write(
                name,
                """
                {"format":"bztimer","version":3,"categories":[],"sessions":[{"id":"s1","name":"Leg day"\(tags),"items":[
                {"id":"b1","label":"Squats","type":"activity","mode":"reps","reps":\(squats),"perRepSeconds":3,\
                "category":"Exercise"}\(more)]}]}
                """
            )
        }
        let plank = """
            ,{"id":"b2","label":"Plank","type":"activity","mode":"duration","durationSeconds":45,"category":"Exercise",\
            "notes":"elbows"}
            """
        let client = try await sandbox.client()
        #expect(try await sandbox.bzpack("import", file("v1.bztimer", 12, plank), "--store", client).status == 0)
        let own = """
            tags: mine
            days: Tue Fri
            Squats 12 x 3 s [Exercise] {color=#ff0000} -- left knee
            Plank 45 s [Exercise] -- elbows
            """
        #expect(try await sandbox.bzpack("edit", "Leg", "--text", own, "--store", client).status == 0)
        let before = try await content(client)["sessions"]
        let v2 = try file("v2.bztimer", 15)
        let changes = "lengths change: \"Squats\" from 12 x 3 s to 15 x 3 s"
        let gone = "blocks that go: \"Plank\" with its notes \"elbows\""
        let dry = try await sandbox.bzpack("import", "--update", "--dry-run", v2, "--store", client)
        #expect(dry.output.contains(changes) && dry.output.contains(gone), "\(dry.output)")
        #expect(!dry.output.contains("Undo:") && !dry.output.contains("tags change"))
        let done = try await sandbox.bzpack("import", "--update", v2, "--store", client)
        #expect(done.output.contains(changes) && done.output.contains("\nUndo: bzpack restore "), "\(done.output)")
        let text = try await sandbox.bzpack("show", "Leg", "--as", "text", "--store", client).output
        let kept = "Squats 15 x 3 s [Exercise] {color=#ff0000} -- left knee\n"
        #expect(text == "name: Leg day\ntags: mine\ndays: Tue Fri\n" + kept)
        // The same file again changes nothing, and a value that the file has takes the place of the store's.
        let again = try await sandbox.bzpack("import", "--update", v2, "--store", client)
        #expect(again.output.contains("skip session") && !again.output.contains("Undo:"), "\(again.output)")
        let tagged = try file("v3.bztimer", 15, tags: ",\"tags\":[\"new\"]")
        let replaced = try await sandbox.bzpack("import", "--update", tagged, "--store", client)
        #expect(replaced.output.contains("; tags change from mine to new (at"), "\(replaced.output)")
        let names = try sandbox.names().filter { $0.contains(".before-") }.sorted { ($0.count, $0) < ($1.count, $1) }
        let safety = try #require(names.first)
        #expect(try await sandbox.bzpack("restore", sandbox.path(safety), "--yes", "--store", client).status == 0)
        #expect(try await content(client)["sessions"] == before)
    }

    @Test("Of several sessions of one name --update replaces each of the store's once, and none that a file has")
    func updatesEachOnce() async throws {
        func file(_ name: String, _ lengths: [Int]) throws -> String {
            let sessions = lengths.map { seconds in
                """
                {"id":"s\(seconds)","name":"Workout","items":[{"id":"x","label":"w","type":"activity","mode":"duration",\
                "durationSeconds":\(seconds),"category":"Work"}]}
                """
            }
            let list = sessions.joined(separator: ",")
            return try sandbox.write(
                name,
                "{\"format\":\"bztimer\",\"version\":3,\"categories\":[],\"sessions\":[\(list)]}"
            )
        }
        let cases = [
            (files: [[10, 20, 30]], left: [10, 20, 30]), ([[20, 10]], [10, 20]), ([[20, 30]], [20, 30]),
            ([[20], [30]], [20, 30]), ([[20], [10]], [10, 20]), ([[20]], [20]),
        ]
        for (number, (files, left)) in cases.enumerated() {
            let store = sandbox.path("weeks\(number).db")
            #expect(try await sandbox.bzpack("import", file("had.json", [10]), "--store", store).status == 0)
            let paths = try files.enumerated().map { try file("week\($0.offset).json", $0.element) }
            #expect(try await sandbox.bzpack(["import", "--update", "--store", store] + paths).status == 0)
            let listed = try await sandbox.bzpack("list", "--store", store, "--format", "json")
            let found = try listed.json["sessions"]?.array?.compactMap { $0["totalSeconds"]?.int } ?? []
            #expect(found.sorted() == left, "\(files): \(listed.output)")
        }
        // Which of several is meant nobody can tell: none is replaced, and the report says why.
        let store = sandbox.path("several.db")
        #expect(try await sandbox.bzpack("import", file("two.json", [10, 20]), "--store", store).status == 0)
        let added = try await sandbox.bzpack("import", "--update", file("third.json", [30]), "--store", store)
        let ids = try await content(store)["sessions"]?.array?.prefix(2).compactMap { $0["id"]?.string } ?? []
        let reason = "; 2 sessions in the store are called \"Workout\" (\(ids.joined(separator: ", "))), so it is added"
        #expect(added.output.contains(reason), "\(added.output)")
    }

    @Test("A backup is valid, inspect shows it, and a dry run of restore names what goes away")
    func checkAndPlan() async throws {
        let store = try await sandbox.client(pro: true)
        func add(_ name: String) async throws {
            let added = try await sandbox.bzpack("new", name, "--text", "A 10 s", "--store", store)
            #expect(added.status == 0, "\(added.errors)")
        }
        try await add("Old one")
        let backup = sandbox.path("b.json")
        let past = ["--now", "2020-01-07T20:30:00Z"]
        #expect(try await sandbox.bzpack(["backup", backup, "--store", store] + past).status == 0)
        let valid = try await sandbox.bzpack("validate", backup)
        #expect(
            valid.status == 0 && valid.output.hasSuffix("b.json: valid (version 1)\n"),
            "\(valid.output)\(valid.errors)"
        )
        let shown = try await sandbox.bzpack("inspect", backup)
        #expect(shown.status == 0 && shown.output.contains("session \"Old one\""), "\(shown.output)\(shown.errors)")
        let json = try await sandbox.bzpack("inspect", backup, "--format", "json").json
        #expect(json["format"] == "bztimer-backup" && json["createdAt"] == "2020-01-07T20:30:00Z", "\(json)")
        #expect(json["sessions"]?.array?.contains { $0["name"] == "Old one" } == true, "\(json)")
        // A record that cannot be used has its place.
        let text = String(decoding: try sandbox.bytes("b.json"), as: UTF8.self)
        try sandbox.write("bad.json", text.replacingOccurrences(of: "\"Old one\"", with: "7"))
        let bad = try await sandbox.bzpack("validate", sandbox.path("bad.json"))
        #expect(bad.status == 65 && bad.errors.contains("/sessions/0/name"), "\(bad.errors)")

        for number in 1...12 { try await add("New \(number)") }
        let plan = try await sandbox.bzpack("restore", backup, "--dry-run", "--store", store)
        #expect(plan.status == 0 && plan.output.contains("Goes away: session \"New "), "\(plan.output)\(plan.errors)")
        #expect(plan.output.contains(" and 2 more.") && plan.output.contains("The store is newer"), "\(plan.output)")
        #expect(!plan.output.contains("\"Old one\""), "\(plan.output)")
    }

    @Test("A backup of a newer version is called that")
    func newerVersion() async throws {
        let store = try await sandbox.client(pro: true)
        #expect(try await sandbox.bzpack("backup", sandbox.path("b.json"), "--store", store).status == 0)
        let text = String(decoding: try sandbox.bytes("b.json"), as: UTF8.self)
        try sandbox.write("newer.json", text.replacingOccurrences(of: "\"version\": 1", with: "\"version\": 2"))
        for arguments in [["restore", "--yes", "--store", store], ["validate"], ["inspect"]] {
            let outcome = try await sandbox.bzpack(arguments + [sandbox.path("newer.json")])
            #expect(outcome.status == 65, "\(arguments[0]): \(outcome.errors)")
            #expect(outcome.errors.contains("error[version.newer]"), "\(outcome.errors)")
            #expect(outcome.errors.contains("update the program"), "\(outcome.errors)")
        }
    }

    @Test("A preset that was repaired is in the backup, and comes back out of it and of what a restore keeps")
    func repairedPreset() async throws {
        let store = try await sandbox.client(pro: true)
        try sandbox.write(
            "damaged.json",
            #"[{"id":"A","name":"Morning","getReadySeconds":10,"workSeconds":0,"restSeconds":30,"sets":1,"rounds":4}]"#
        )
        #expect(try await sandbox.bzpack("backup", sandbox.path("old.json"), "--store", store).status == 0)
        let taken = try await sandbox.bzpack(
            "presets",
            "import",
            sandbox.path("damaged.json"),
            "--repair",
            "--store",
            store
        )
        #expect(taken.status == 3, "\(taken.errors)")
        #expect(try await sandbox.bzpack("new", "Since then", "--text", "A 10 s", "--store", store).status == 0)
        let before = try await content(store)
        let restored = try await sandbox.bzpack("restore", sandbox.path("old.json"), "--yes", "--store", store)
        #expect(restored.status == 0, "\(restored.errors)")
        let safety = try #require(try sandbox.names().first { $0.contains(".before-") })
        #expect(try await sandbox.bzpack("restore", sandbox.path(safety), "--yes", "--store", store).status == 0)
        #expect(try await content(store) == before)
    }

    @Test("What a store cannot take of a backup is found before anything is changed, with its line")
    func handEdited() async throws {
        let store = try await sandbox.trainer()
        #expect(try await sandbox.bzpack("presets", "add", "P", "--store", store).status == 0)
        #expect(
            try await sandbox.bzpack("settings", "set", "warningSecondsBeforeEnd", "20", "--store", store).status == 0
        )
        let backup = sandbox.path("b.json")
        #expect(try await sandbox.bzpack("backup", backup, "--store", store).status == 0)
        let before = try await content(store)
        let whole = try JSONDocument(parsing: sandbox.bytes("b.json")).root.value
        var changed: [(fault: String, backup: JSONValue)] = []
        for collection in ["sessions", "activities", "presets", "history"] {
            let records = try #require(whole[collection]?.array)
            var twice = whole
            twice[collection] = .array(records + records.prefix(1))
            changed.append(("(at /\(collection)/\(records.count)/id)", twice))
        }
        var bare = whole
        bare["settings"] = nil
        changed.append(("found no member \"settings\"", bare))
        var categories = whole
        categories["settings"]?["customCategories"] = ["Knie", "knie", "Exercise"]
        changed.append(("(at /settings/customCategories)", categories))
        for (fault, backup) in changed {
            let path = try sandbox.write("edited.json", String(decoding: backup.encoded(.indented), as: UTF8.self))
            for arguments in [["validate"], ["restore", "--dry-run"], ["restore", "--yes"]] {
                let place = arguments[0] == "validate" ? [] : ["--store", store]
                let outcome = try await sandbox.bzpack(arguments + [path] + place)
                #expect(outcome.status == 65, "\(arguments) \(fault): \(outcome.output)\(outcome.errors)")
                #expect(outcome.errors.contains(fault), "\(outcome.errors)")
                #expect(outcome.errors.contains(/edited\.json:[0-9]+:[0-9]+: error/), "\(outcome.errors)")
            }
        }
        #expect(try await content(store) == before)
    }

    @Test("A preset whose name is too long for the app is backed up and brought back")
    func longPresetName() async throws {
        let store = try await sandbox.trainer()
        #expect(try await sandbox.bzpack("presets", "add", "P", "--store", store).status == 0)
        let name = String(repeating: "n", count: 31)
        try await DatabaseQueue(path: store).write { try $0.execute(sql: "UPDATE preset SET name = '\(name)'") }
        let backup = sandbox.path("b.json")
        for arguments in [["backup", backup], ["restore", "--yes", backup], ["backup", sandbox.path("c.json")]] {
            let outcome = try await sandbox.bzpack(arguments + ["--store", store])
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
        #expect(try String(decoding: sandbox.bytes("c.json"), as: UTF8.self).contains("\"\(name)\""))
    }

    @Test("One session comes back from a backup of which another part cannot be used")
    func oneOfAnEditedBackup() async throws {
        let store = try await sandbox.trainer()
        #expect(try await sandbox.bzpack("backup", sandbox.path("b.json"), "--store", store).status == 0)
        var backup = try JSONDocument(parsing: sandbox.bytes("b.json")).root.value
        backup["settings"] = nil
        // A store, and so its earlier backups, may hold blocks of one identifier.
        var sessions = try #require(backup["sessions"]?.array)
        let items = try #require(sessions.first?["items"]?.array)
        sessions[0]["items"] = .array(items + items.prefix(1))
        backup["sessions"] = .array(sessions)
        let path = try sandbox.write("edited.json", String(decoding: backup.encoded(.indented), as: UTF8.self))
        let id = try #require(sessions.first?["id"]?.string)
        #expect(try await sandbox.bzpack("restore", path, "--yes", "--store", store).status == 65)
        let outcome = try await sandbox.bzpack("restore", path, id, "--yes", "--store", store)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let session = try await sandbox.bzpack("export", "--session", id, sandbox.path("s.bztimer"), "--store", store)
        #expect(session.status == 0, "\(session.errors)")
        #expect(try await sandbox.bzpack("validate", sandbox.path("s.bztimer")).status == 0)
    }

    @Test("A file that is no backup is named, with the command that takes it")
    func otherFiles() async throws {
        let store = try await sandbox.trainer()
        let file = sandbox.path("s.bztimer")
        #expect(try await sandbox.bzpack("export", file, "--store", store).status == 0)
        let restored = try await sandbox.bzpack("restore", file, "--yes", "--store", store)
        #expect(restored.status == 65 && restored.errors.contains("use bzpack import"), "\(restored.errors)")
        let history = sandbox.path("h.json")
        #expect(try await sandbox.bzpack("history", "export", history, "--store", store).status == 0)
        let imported = try await sandbox.bzpack("import", history, "--store", store)
        #expect(imported.status == 65 && imported.errors.contains("use bzpack history import"), "\(imported.errors)")
    }

    @Test("Of names that differ in case a restore brings the one back that is written")
    func exactName() async throws {
        let store = try await sandbox.client(pro: true)
        for name in ["Leg day", "leg day"] {
            let new = ["new", name, "--allow-duplicates", "--text", "A 5 s", "--store", store]
            #expect(try await sandbox.bzpack(new).status == 0)
        }
        let backup = sandbox.path("b.json")
        #expect(try await sandbox.bzpack("backup", backup, "--store", store).status == 0)
        #expect(try await sandbox.bzpack("restore", backup, "leg day", "--yes", "--store", store).status == 0)
        let several = try await sandbox.bzpack("restore", backup, "LEG DAY", "--yes", "--store", store)
        #expect(several.status == 64, "\(several.errors)")
        for words in [#""LEG DAY" names 2 sessions, activities or presets: "#, "; name one by its id"] {
            #expect(several.errors.contains(words), "\(several.errors)")
        }
    }

    @Test("History whose length differs stays, and is named")
    func historyLength() async throws {
        let store = try await sandbox.trainer()
        let file = sandbox.path("h.json")
        #expect(try await sandbox.bzpack("history", "export", file, "--store", store).status == 0)
        var entries = try #require(try JSONDocument(parsing: sandbox.bytes("h.json")).root.value.array)
        entries[0]["totalDurationSeconds"] = 7_200
        try sandbox.write("h.json", String(decoding: JSONValue.array(entries).encoded(.indented), as: UTF8.self))
        let imported = try await sandbox.bzpack("history", "import", file, "--store", store)
        #expect(imported.status == 3 && imported.errors.contains("2 h in the file"), "\(imported.errors)")
        entries[0]["totalDurationSeconds"] = "long"
        try sandbox.write("h.json", String(decoding: JSONValue.array(entries).encoded(.indented), as: UTF8.self))
        let refused = try await sandbox.bzpack("history", "import", file, "--store", store)
        #expect(refused.status == 65 && refused.errors.contains("found \"long\", expected"), "\(refused.errors)")
        let negative = ["history", "add", "Leg day", "--seconds", "-5", "--store", store]
        #expect(try await sandbox.bzpack(negative).errors.contains("--seconds must be from 0"))
    }
}
