import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

struct PresetTests {
    let sandbox: Sandbox
    let store: String

    init() throws {
        sandbox = try Sandbox()
        store = sandbox.path("timer.db")
    }

    private func presets(_ arguments: String...) async throws -> Outcome {
        try await sandbox.bzpack(["presets"] + arguments + ["--store", store])
    }

    @Test("Add, list, export, import elsewhere: the same presets, on the Free plan")
    func sharing() async throws {
        #expect(try await presets("add").output.hasPrefix("Added \"New Timer\""))
        let added = try await presets(
            "add",
            "  Tabata ",
            "--get-ready",
            "0",
            "--work",
            "20",
            "--rest",
            "10",
            "--rounds",
            "8"
        )
        #expect(added.output.hasPrefix("Added \"Tabata\""))
        let list = try await presets("list")
        #expect(list.output.contains("New Timer       10 s  1 min  1 min     1       4  8 min 10 s  on     on"))
        let export = try await presets("export", "presets.json")
        #expect(export.status == 0, "\(export.errors)")
        #expect(export.output == "Exported 2 presets to presets.json (version 2).\n")
        #expect(
            try await sandbox.bzpack("validate", "--strict", "presets.json").output
                == "presets.json: valid (version 2)\n"
        )
        let other = sandbox.path("other.db")
        let imported = try await sandbox.bzpack("presets", "import", "presets.json", "--store", other)
        #expect(imported.status == 0)
        #expect(imported.output.contains("\nImported 2 presets into "))
        let again = try await sandbox.bzpack("presets", "import", "presets.json", "--store", other)
        #expect(
            again.output.hasSuffix(
                "Imported 0 presets; 2 skipped, as the store has the same (--allow-duplicates adds them).\n"
            )
        )
        let twice = try await sandbox.bzpack(
            "presets",
            "import",
            "presets.json",
            "--allow-duplicates",
            "--store",
            other
        )
        #expect(twice.output.contains("\nImported 2 presets into "))
    }

    @Test("A file that was imported comes out as it was but for the identifiers")
    func unknownMembers() async throws {
        let path = Fixtures.path("presets/v2/unknown-members.json")
        #expect(try await presets("import", path).status == 0)
        let export = try await presets("export", "-")
        let ids = try #require(try export.json["presets"]?.array).compactMap { $0["id"]?.string }
        let original = String(decoding: try Fixtures.bytes("presets/v2/unknown-members.json"), as: UTF8.self)
        var text = export.output
        for (id, old) in zip(ids, ["a", "b"]) { text = text.replacing("\"\(id)\"", with: "\"\(old)\"") }
        // Unknown members of the envelope follow the known ones, as they did.
        #expect(text == original)
        let old = try await presets("export", "old.json", "--to-version", "1")
        #expect(old.status == 3)
        #expect(old.errors.contains("warning[migration.loss]: version 1 cannot switch the sound off"))
        #expect(try await sandbox.bzpack("validate", "old.json").status == 0)
    }

    @Test("A changed preset is added with a word about --update, which replaces the one of its name or id")
    func changed() async throws {
        func write(_ id: String, _ work: Int) throws {
            try sandbox.write(
                "g.json",
                """
                [{"id":"\(id)","name":"Tabata","getReadySeconds":0,"workSeconds":\(work),"restSeconds":10,"sets":1,"rounds":8}]
                """
            )
        }
        try write("T", 20)
        #expect(try await presets("import", "g.json").status == 0)
        try write("T", 40)
        let dry = try await presets("import", "g.json", "--dry-run")
        #expect(
            dry.output.contains("; the store has another \"Tabata\", which --update replaces (at /0)"),
            "\(dry.output)"
        )
        let updated = try await presets("import", "g.json", "--update", "--format", "json").json
        #expect(updated["summary"]?["presetsUpdated"] == 1 && updated["summary"]?["presetsCreated"] == 0)
        let listed = try await presets("export", "-").json["presets"]?.array ?? []
        #expect(listed.map { $0["workSeconds"]?.int } == [40])
        // Of several of one name the id tells.
        #expect(try await presets("add", "Tabata").status == 0)
        let id = try #require(listed.first?["id"]?.string)
        try write(id, 30)
        let again = try await presets("import", "g.json", "--update")
        #expect(again.output.contains("Updated 1 preset in "), "\(again.output)")
        let after = try await presets("export", "-").json["presets"]?.array ?? []
        #expect(after.map { $0["workSeconds"]?.int } == [30, 60])
        #expect(try await presets("import", "g.json", "--update", "--allow-duplicates").status == 64)
    }

    private func write(_ file: String, _ presets: (id: String, name: String, rounds: Int)...) throws {
        let list = presets.map { preset in
            """
            {"id":"\(preset.id)","name":"\(preset.name)","getReadySeconds":10,"workSeconds":20,"restSeconds":10,\
            "sets":1,"rounds":\(preset.rounds)}
            """
        }
        try sandbox.write(file, "[\(list.joined(separator: ","))]")
    }

    private func stored() async throws -> [String] {
        try await presets("export", "-").json["presets"]?.array?.map { preset in
            "\(preset["id"]?.string ?? "") \(preset["name"]?.string ?? "") \(preset["rounds"]?.int ?? 0)"
        } ?? []
    }

    @Test("A preset is known by its UUID where its name is another one, and an update can be undone")
    func identifiers() async throws {
        let (a, b, c, d) = (
            "11111111-4F89-41D3-9A0C-0305E82C3301", "22222222-4F89-41D3-9A0C-0305E82C3301",
            "33333333-4F89-41D3-9A0C-0305E82C3301", "44444444-4F89-41D3-9A0C-0305E82C3301"
        )
        try write("g.json", (a, "New Timer", 8), (b, "EMOM", 10))
        #expect(try await presets("import", "g.json").status == 0)
        let before = try await stored()
        #expect(before == ["\(a) New Timer 8", "\(b) EMOM 10"])
        // One was renamed and one changed, and a new one has the first one's earlier name.
        try write("g.json", (c, "New Timer", 9), (a, "Tabata Anna", 8), (b, "EMOM", 12))
        let updated = try await presets("import", "--update", "g.json")
        #expect(updated.output.contains("it takes the place of \"New Timer\" (\(a))"), "\(updated.output)")
        #expect(updated.output.contains("; 2 presets updated.\nUndo: bzpack restore "), "\(updated.output)")
        #expect(try await stored() == ["\(a) Tabata Anna 8", "\(b) EMOM 12", "\(c) New Timer 9"])
        // An identifier that is taken is not given twice; of two of one name none is replaced.
        try write("g.json", (c, "New Timer", 7))
        #expect(try await presets("import", "g.json").status == 0)
        let second = try #require(try await stored().last)
        #expect(second.hasSuffix(" New Timer 7") && !second.hasPrefix(c))
        try write("g.json", (d, "new timer", 6))
        let third = try await presets("import", "--update", "g.json", "--format", "json")
        let reason = "; 2 presets in the store are called \"new timer\" (\(c), \(second.prefix(36))), so it is added"
        let actions = try third.json["files"]?.array?.first?["actions"]?.array ?? []
        #expect(actions.first?["reason"]?.string?.hasSuffix(reason) == true, "\(third.output)")
        #expect(try third.json["safetyCopy"] == .null)
        #expect(try await stored().last == "\(d) new timer 6")
        let names = try sandbox.names().filter { $0.contains(".before-") }
        let safety = sandbox.path(try #require(names.first))
        #expect(try await sandbox.bzpack("restore", safety, "--yes", "--store", store).status == 0)
        #expect(try await stored() == before)
    }

    @Test("A preset that the first of two files adds stays beside that of the second, and one that it has stays itself")
    func severalFiles() async throws {
        try write("a.json", ("1", "Tabata", 8))
        try write("b.json", ("1", "Tabata", 10))
        let added = try await presets("import", "--update", "a.json", "b.json")
        #expect(added.output.contains("Imported 2 presets into "), "\(added.output)")
        #expect(try await stored().map { $0.suffix(2) } == [" 8", "10"])
        let again = try await presets("import", "--update", "b.json", "a.json")
        #expect(again.output.contains("Imported 0 presets; 2 skipped"), "\(again.output)")
        // The second file has what the store has: the first one's preset is another one.
        try write("c.json", ("1", "EMOM", 8))
        try write("d.json", ("1", "EMOM", 10))
        #expect(try await presets("import", "c.json").status == 0)
        let second = try await presets("import", "--update", "d.json", "c.json")
        #expect(second.output.contains("Imported 1 preset into "), "\(second.output)")
        #expect(try await stored().count == 4)
    }

    @Test("A preset of another's name stays where the preset of the file's UUID is there as another file has it")
    func metByUUID() async throws {
        let (a, own) = ("11111111-4F89-41D3-9A0C-0305E82C3301", "22222222-4F89-41D3-9A0C-0305E82C3301")
        try write("store.json", (a, "Tabata", 8), (own, "Tabata", 5))
        #expect(try await presets("import", "store.json").status == 0)
        try write("now.json", (a, "Tabata", 8))
        try write("then.json", (a, "Tabata", 12))
        let updated = try await presets("import", "--update", "now.json", "then.json")
        #expect(updated.status == 0, "\(updated.errors)")
        let stored = try await stored()
        #expect(stored.prefix(2) == ["\(a) Tabata 8", "\(own) Tabata 5"])
        #expect(stored.count == 3 && stored.last?.hasSuffix(" Tabata 12") == true)
        // Nor does the name tell which of two a third one is, though a file has one of them.
        try write("other.json", (a, "Tabata", 8), ("1", "Tabata", 20))
        #expect(try await presets("import", "--update", "other.json").status == 0)
        #expect(try await self.stored().prefix(3) == stored[...])
    }

    @Test("A preset whose unknown members an update kept, or whose sound a bare list cannot switch off, is known again")
    func kept() async throws {
        func write(_ rounds: Int, _ members: String) throws {
            let preset = """
                "id":"1","name":"Tabata","getReadySeconds":10,"workSeconds":20,"restSeconds":10,"sets":1,\
                "rounds":\(rounds)
                """
            try sandbox.write("list.json", "[{\(preset)}]")
            try sandbox.write(
                "file.json",
                #"{"format":"gympulse-presets","version":2,"presets":[{\#(preset),\#(members)}]}"#
            )
        }
        try write(8, #""soundEnabled":false,"voiceEnabled":true,"color":"red""#)
        #expect(try await presets("import", "file.json").status == 0)
        try write(9, #""soundEnabled":false,"voiceEnabled":true"#)
        for file in ["list.json", "file.json"] {
            let count = file == "list.json" ? 1 : 0
            let updated = try await presets("import", "--update", file, "--format", "json").json
            #expect(updated["summary"]?["presetsUpdated"] == .number(count), "\(file) \(updated)")
            #expect(try await presets("import", "--update", file, "--format", "json").json["safetyCopy"] == .null)
            let plain = try await presets("import", file)
            #expect(plain.output.contains("Imported 0 presets; 1 skipped"), "\(plain.output)")
        }
        let stored = try #require(try await presets("export", "-").json["presets"]?.array)
        #expect(stored.map { $0["rounds"]?.int } == [9] && stored.map { $0["color"]?.string } == ["red"])
        #expect(stored.map { $0["soundEnabled"]?.bool } == [false] && stored.map { $0["voiceEnabled"]?.bool } == [true])
        // One that differs from another preset of the file in what it lacks is added.
        try write(9, #""soundEnabled":false,"voiceEnabled":true,"color":"red""#)
        let both = String(decoding: try sandbox.bytes("file.json"), as: UTF8.self)
            .replacing("}]}", with: "},\(plainPreset)]}")
        try sandbox.write("both.json", both)
        let added = try await presets("import", "both.json")
        #expect(added.output.contains("Imported 1 preset into "), "\(added.output) \(added.errors)")
        #expect(try await presets("import", "both.json").output.contains("Imported 0 presets; 2 skipped"))
    }

    private var plainPreset: String {
        """
        {"id":"2","name":"Tabata","getReadySeconds":10,"workSeconds":20,"restSeconds":10,"sets":1,"rounds":9,\
        "soundEnabled":false,"voiceEnabled":true}
        """
    }

    @Test("An update that fails leaves no file of what the store held before")
    func failing() async throws {
        try write("g.json", ("1", "Tabata", 8))
        #expect(try await presets("import", "g.json").status == 0)
        try await DatabaseQueue(path: store).write { database in
            try database.execute(
                sql: "CREATE TRIGGER full BEFORE INSERT ON preset BEGIN SELECT RAISE(ABORT, 'no more'); END"
            )
        }
        try write("g.json", ("1", "Tabata", 9))
        let failed = try await presets("import", "--update", "g.json")
        #expect(failed.status != 0 && failed.status != 3, "\(failed.output)")
        #expect(try await stored().map { $0.suffix(2) } == [" 8"])
        #expect(try !sandbox.names().contains { $0.contains(".before-") })
    }

    @Test("Corrupt data are refused, and with --repair mended and listed")
    func repair() async throws {
        let path = Fixtures.path("presets/invalid/work-zero.json")
        let refused = try await presets("import", path)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("error[schema.minimum]: found 0, expected at least 1"))
        #expect(refused.errors.hasSuffix("nothing was imported\n"))
        let dry = try await presets("import", "--repair", "--dry-run", path)
        #expect(dry.status == 3)
        #expect(dry.output.hasSuffix("Would import 1 preset; 1 repair.\n"))
        #expect(!sandbox.has("timer.db"))
        let imported = try await presets("import", "--repair", path)
        #expect(imported.status == 3)
        #expect(
            imported.errors.contains(
                "warning[schema.minimum]: found 0, expected at least 1; repaired: the work phase is skipped"
            )
        )
        let timeline = try await sandbox.bzpack("timeline", "HIIT", "--store", store)
        #expect(!timeline.output.contains("Work"))
        #expect(timeline.output.hasPrefix("HIIT: 4 min 10 s\n"))
        let export = try await presets("export", "out.json")
        #expect(export.status == 3)
        #expect(export.errors.contains("it was written as it is, and is read with --repair"))
        #expect(try await sandbox.bzpack("validate", "out.json").status == 65)
        #expect(try await sandbox.bzpack("validate", "--repair", "out.json").status == 3)
    }

    @Test("Presets are deleted by name, id or not at all")
    func delete() async throws {
        try #require(try await presets("add", "One").status == 0)
        try #require(try await presets("add", "Two").status == 0)
        #expect(try await presets("delete", "One").status == 64)
        #expect(try await presets("delete", "one", "--yes").output == "Deleted \"One\".\n")
        let missing = try await presets("delete", "One", "--yes")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("the store has no preset \"One\"; there are \"Two\""))
        #expect(try await presets("export", "-", "--preset", "two").json["presets"]?.array?.count == 1)
        // A file of presets that the store no longer has is not replaced unasked.
        #expect(try await presets("export", "two.json").status == 0)
        #expect(try await presets("export", "two.json").status == 0)
        try #require(try await presets("add", "Three").status == 0)
        #expect(try await presets("delete", "Two", "--yes").status == 0)
        let refused = try await presets("export", "two.json")
        #expect(
            refused.status == 64 && refused.errors.contains("which also holds preset \"Two\"?"),
            "\(refused.errors)"
        )
    }

    @Test(
        "What no preset can have is refused on the command line",
        arguments: [
            (["--work", "0"], "--work is 0; expected 1 to 1800"), (["--get-ready", "1801"], "--get-ready is 1801"),
            (["--sets", "100"], "--sets is 100; expected 1 to 99"), (["--rounds=-1"], "--rounds is -1"),
            ([String(repeating: "x", count: 31)], "the name has 31 characters"),
        ]
    )
    func ranges(_ arguments: [String], _ message: String) async throws {
        let outcome = try await sandbox.bzpack(["presets", "add"] + arguments + ["--store", store])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains(message))
        #expect(!sandbox.has("timer.db"))
    }

    @Test("Sessions are no presets, and presets no sessions")
    func wrongFile() async throws {
        let session = try await presets("import", Fixtures.path("bztimer/v3/leg-day.json"))
        #expect(session.status == 65)
        #expect(session.errors.contains("this is a BZ Timer session; use bzpack import"))
        let preset = try await sandbox.bzpack("import", Fixtures.path("presets/v2/first-timers.json"), "--store", store)
        #expect(preset.status == 65)
        #expect(preset.errors.contains("this is a list of GymPulse presets; use bzpack presets import"))
        let version = try await presets("export", "x.json", "--to-version", "3")
        #expect(version.status == 64)
    }

    @Test("A file of presets is inspected, told by its content")
    func inspecting() async throws {
        let outcome = try await sandbox.bzpack("inspect", Fixtures.path("presets/v2/unknown-members.json"))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("unknown-members.json: GymPulse presets, version 2\npresets: 2\n"))
        #expect(outcome.output.contains("\n  Silent boxing: 3 × 12 rounds, 2 h 24 min 30 s\n"))
        #expect(outcome.output.contains("\nunknown members: 4\n  /exportedAt\n"))
        let bad = try await sandbox.bzpack("inspect", Fixtures.path("presets/invalid/sets-zero.json"))
        #expect(bad.status == 65)
        #expect(bad.output.isEmpty)
        #expect(bad.errors.contains("error[schema.minimum]"))
    }

    @Test("A downgrade of presets says what is lost, and comes back whole")
    func migrating() async throws {
        let path = Fixtures.path("presets/v2/unknown-members.json")
        let down = try await sandbox.bzpack("migrate", path, "--to", "1", "--output", "old.json")
        #expect(down.status == 3)
        #expect(down.errors.contains("version 1 cannot switch the sound off"))
        let valid = try await sandbox.bzpack("validate", "old.json")
        #expect(valid.output == "old.json: valid (version 1)\n")
        #expect(try await sandbox.bzpack("migrate", "old.json", "--to", "2", "-o", "new.json").status == 0)
        #expect(try sandbox.bytes("new.json") == Fixtures.bytes("presets/v2/unknown-members.json"))
        // Of presets there is no version 3, and a file of sessions is not replaced by one of presets.
        #expect(try await sandbox.bzpack("migrate", path, "--to", "3").status == 64)
        try sandbox.write("session.bztimer", String(decoding: Fixtures.bytes("bztimer/v3/leg-day.json"), as: UTF8.self))
        #expect(try await sandbox.bzpack("migrate", path, "--to", "2", "-o", "session.bztimer").status == 64)
    }

    @Test(
        "Property lists are read wherever presets are",
        arguments: ["array-binary", "array-xml", "data-binary", "data-xml"]
    )
    func propertyLists(_ name: String) async throws {
        let path = Fixtures.path("presets/plist/\(name).plist")
        #expect(try await sandbox.bzpack("validate", "--strict", path).output.hasSuffix(": valid (version 2)\n"))
        let inspected = try await sandbox.bzpack("inspect", path, "--format", "json")
        #expect(try inspected.json["container"]?["otherKeys"] == 5)
        #expect(
            try await sandbox.bzpack("timeline", "--file", path, "New Timer").output.hasPrefix(
                "New Timer: 8 min 10 s\n"
            )
        )
        #expect(try await sandbox.bzpack("convert", path, "--only", "New Timer").status == 0)
        #expect(try await sandbox.bzpack("presets", "import", path, "--store", "s.db").status == 0)
        #expect(try await sandbox.bzpack("presets", "list", "--store", "s.db").output.contains("Tabata é 🥊"))
    }

    @Test("A property list without presets, and other XML, is refused")
    func otherPropertyLists() async throws {
        try sandbox.write("a.plist", "<plist><dict><key>a</key><true/></dict></plist>")
        for command in [["validate"], ["inspect"], ["presets", "import"], ["convert"]] {
            let outcome = try await sandbox.bzpack(command + ["a.plist"])
            #expect(
                outcome.status == 65 && outcome.errors.contains("error[plist.presets]"),
                "\(command) \(outcome.errors)"
            )
        }
        let workout = try await sandbox.bzpack("presets", "import", Fixtures.path("zwift/intervals.zwo"))
        #expect(workout.status == 65)
    }
}
