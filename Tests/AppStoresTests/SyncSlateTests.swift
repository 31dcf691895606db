@testable import RecordStore
@testable import Slate
@testable import AppList
import CivilTime
import StrictJSON
import TestSupport
import Testing

/// Slate's database as synchronisation sees it.
@Suite struct SyncSlateTests {
    private func store(_ sandbox: borrowing Sandbox) throws -> any SyncStore {
        try sandbox.database(holding: try .autumnWeek())
        return try sandbox.linked("slate.db")
    }

    @Test func recordsAreThoseOfTheExport() throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        let document = try #require(try JSONDocument(parsing: try sandbox.exported()).root.value.object)
        var expected: [StoreRecordKey: JSONObject] = [:]
        for table in SlateTable.allCases {
            for row in document[table.name]?.array?.compactMap(\.object) ?? [] {
                let texts = table.syncKey.compactMap { row[$0]?.string }
                let key = texts.count == 1 ? texts[0] : JSONValue.array(texts.map { .string($0) }).text(.canonical)
                expected[StoreRecordKey(table.name, key)] = row
            }
        }
        expected[StoreRecordKey("meta", "")] = document["meta"]?.object
        #expect(expected.count > 20)
        #expect(try store.all() == expected)
    }

    @Test func unknownMembersComeAndGo() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        let store = try sandbox.linked("slate.db")
        let task = try object(
            """
            {"id": "t1", "title": "A", "notes": null, "due_date": null, "scheduled_for": null, "is_done": true,
            "done_at": "2026-01-01T08:00:00Z", "created_at": "2026-01-01T08:00:00Z",
            "updated_at": "2026-01-01T08:00:00Z", "archived": false, "depends_on_task_id": null,
            "colour": {"r": 1.50, "é": [1e3, "\\u2028"]}}
            """
        )
        let completion = try object(
            """
            {"id": "c", "habit_id": "h\\"\\\\", "date": "2026-01-01", "completed_at": "2026-01-01T08:00:00Z", "mood": 3}
            """
        )
        let key = StoreRecordKey("habit_completions", #"["h\"\\","2026-01-01"]"#)
        let meta = try object(
            """
            {"schema_version": "2", "day_start": "04:00", "installed_at": null, "flags": [1, 2]}
            """
        )
        let own = try object(#"{"x-preserved": {"a": 1}}"#)
        let records = [
            StoreRecordKey("tasks", "t1"): task, key: completion, StoreRecordKey("meta", ""): meta,
            StoreRecordKey("", ""): own,
        ]
        #expect(try store.apply(records.map { SyncEdit($0.key, $0.value) }))
        #expect(try store.all() == records)
        #expect(try store.noted() == [])

        var changed = completion
        changed["mood"] = nil
        changed["id"] = "b"
        #expect(try store.apply([SyncEdit(key, changed), SyncEdit(StoreRecordKey("", ""), nil)]))
        #expect(try store.read { try $0.record(key) } == changed)
        #expect(try store.read { try $0.record(StoreRecordKey("", "")) } == nil)
        #expect(try sandbox.rows("SELECT table_name, row_key FROM satchel_extra") == ["meta|flags", "tasks|t1"])

        #expect(try store.apply(records.keys.map { SyncEdit($0, nil) }))
        #expect(try store.all() == [StoreRecordKey("meta", ""): ["schema_version": "2"]])
        #expect(try sandbox.rows("SELECT * FROM satchel_extra") == [])
    }

    @Test func onlyWhatDiffersIsWritten() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql(
            """
            ALTER TABLE activity_log ADD COLUMN weight REAL;
            CREATE TABLE widgets (id TEXT);
            INSERT INTO activity_log VALUES ('l', '2026-01-01T08:00:00Z', 'task', 't', 'done', '{ "a" : 1.0 }', 1.5);
            """
        )
        let store = try sandbox.linked("slate.db")
        let key = StoreRecordKey("activity_log", "l")
        var entry = try #require(try store.read { try $0.record(key) })
        #expect(entry["details"]?.text(.compact) == #"{"a":1.0}"#)
        entry["action_type"] = "undone"
        #expect(try store.apply([SyncEdit(key, entry)]))
        #expect(
            try sandbox.rows("SELECT action_type, details, weight FROM activity_log") == [#"undone|{ "a" : 1.0 }|1.5"#]
        )
    }

    @Test func perfectDaysAreAsGiven() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql("INSERT INTO habits (id, title, created_at, updated_at) VALUES ('h', 'H', '', '')")
        let store = try sandbox.linked("slate.db")
        func day(_ date: String, _ members: JSONObject) -> SyncEdit {
            var row: JSONObject = ["date": .string(date)]
            for member in members { row[member.name] = member.value }
            return SyncEdit(StoreRecordKey("day_plan", date), row)
        }
        let edits = [day("2026-01-01", ["perfect_day": 1]), day("2026-01-02", ["note": "x"])]
        #expect(try store.apply(edits))
        #expect(try sandbox.rows("SELECT * FROM day_plan") == ["2026-01-01|1", "2026-01-02|0"])
        #expect(try store.apply([day("2026-01-01", ["perfect_day": 0])]))
        #expect(try sandbox.rows("SELECT * FROM day_plan") == ["2026-01-01|0", "2026-01-02|0"])
    }

    @Test func theDayOfTheLastOpeningIsTheDevicesOwn() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql("INSERT INTO meta VALUES ('last_open_date', '2026-01-01')")
        let store = try sandbox.linked("slate.db")
        let meta: JSONObject = ["day_start": "04:00", "last_open_date": "2026-02-02"]
        #expect(try store.apply([SyncEdit(StoreRecordKey("meta", ""), meta)]))
        #expect(
            try sandbox.rows("SELECT * FROM meta ORDER BY key")
                == ["day_start|04:00", "last_open_date|2026-01-01", "schema_version|2"]
        )
    }

    @Test func rowsThatCameToHaveOneIdentifierAreBothThere() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        let store = try sandbox.linked("slate.db")
        func completion(_ day: String) throws -> SyncEdit {
            let row = try object(#"{"id": "x", "habit_id": "h", "date": "\#(day)", "completed_at": ""}"#)
            return SyncEdit(StoreRecordKey("habit_completions", #"["h","\#(day)"]"#), row)
        }
        #expect(try store.apply([try completion("2026-01-01"), try completion("2026-01-02")]))
        #expect(
            try sandbox.rows("SELECT id, date FROM habit_completions") == ["x|2026-01-01", "x-2|2026-01-02"]
        )
        let moved = SyncEdit(StoreRecordKey("habit_completions", #"["h","2026-01-01"]"#), nil)
        #expect(try store.apply([try completion("2026-01-02"), moved]))
        #expect(try sandbox.rows("SELECT id, date FROM habit_completions") == ["x|2026-01-02"])
    }

    @Test(arguments: [
        (#"{"id": "t", "title": 5}"#, #"the member "title" is 5, expected text"#),
        (#"{"id": "t"}"#, #"the member "title" is not there, expected text"#),
        (#"{"id": "u", "title": "A"}"#, "its id are not its key"),
        (#"{"id": "t", "title": "A", "is_done": 2}"#, #"the member "is_done" is 2, expected true or false"#),
    ])
    func whatTheStoreCannotHoldIsSaid(_ text: String, reason: String) throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        let store = try sandbox.linked("slate.db")
        let good = SyncEdit(StoreRecordKey("tasks", "s"), ["id": "s", "title": "S"])
        let bad = SyncEdit(StoreRecordKey("tasks", "t"), try object(text))
        let error = try storeError { try store.apply([good, bad]) }
        #expect(error?.code == .rejected)
        #expect(
            error?.message == "the store cannot hold the record \"t\" of tasks: \(reason); nothing was written"
        )
        #expect(try store.all().count == 1)
        #expect(try store.read { try $0.link } == .test(1))
    }

    @Test(
        "Many records come to the same whether they are written together or a few at a time",
        arguments: ["new", "there", "more", "left", "gone"]
    )
    func manyTogether(_ kind: String) throws {
        func written(_ size: Int) throws -> [StoreRecordKey: JSONObject] {
            let sandbox = try Sandbox()
            try sandbox.appDatabase()
            let store = try sandbox.linked("slate.db")
            switch kind {
            case "there":
                try sandbox.sql("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t70', 'Old', '', '')")
            case "left": try sandbox.sql("INSERT INTO satchel_extra VALUES ('tasks', 't70', '{\"colour\": 1}')")
            default: break
            }
            var edits = try (1...120).map { SyncEdit(StoreRecordKey("tasks", "t\($0)"), try task("t\($0)")) }
            if kind == "more" {
                var object = try task("t70")
                object["colour"] = 2
                edits[69] = SyncEdit(edits[69].key, object)
            }
            if kind == "gone" { edits.insert(SyncEdit(StoreRecordKey("tasks", "t0"), nil), at: 70) }
            for start in stride(from: 0, to: edits.count, by: size) {
                #expect(try store.apply(Array(edits[start..<min(start + size, edits.count)])))
            }
            #expect(try store.noted() == [])
            return try store.all()
        }
        let together = try written(200)
        #expect(together.count { $0.key.collection == "tasks" } == 120)
        #expect(together[StoreRecordKey("tasks", "t70")]?["title"] == "T t70")
        #expect(together[StoreRecordKey("tasks", "t70")]?["colour"] == (kind == "more" ? 2 : nil))
        #expect(try together == written(10))
    }

    @Test func oneOfManyThatTheTableRefusesIsNamed() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql("CREATE UNIQUE INDEX titles ON tasks (title)")
        let store = try sandbox.linked("slate.db")
        var edits = try (1...120).map { SyncEdit(StoreRecordKey("tasks", "t\($0)"), try task("t\($0)")) }
        var same = try task("t100")
        same["title"] = "T t3"
        edits[99] = SyncEdit(edits[99].key, same)
        let error = try storeError { try store.apply(edits) }
        #expect(error?.message.contains("\"t100\" of tasks") == true, "\(error?.message ?? "")")
        #expect(try store.ids(of: "tasks") == [])
    }

    private func task(_ id: String) throws -> JSONObject {
        try object(
            """
            {"id": "\(id)", "title": "T \(id)", "notes": null, "due_date": null, "scheduled_for": null,
            "is_done": false, "done_at": null, "created_at": "2026-01-01T08:00:00Z",
            "updated_at": "2026-01-01T08:00:00Z", "archived": false, "depends_on_task_id": null}
            """
        )
    }

    @Test func aConstraintIsSaid() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        let store = try sandbox.linked("slate.db")
        let item = try object(#"{"id": "i", "date": "2026-01-01", "entity_type": "note", "entity_id": "n"}"#)
        let edit = SyncEdit(StoreRecordKey("day_plan_items", #"["2026-01-01","note","n"]"#), item)
        let error = try storeError { try store.apply([edit]) }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains("CHECK constraint failed") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("UPDATE tasks SET is_done = 2", "column is_done"), ("UPDATE tasks SET title = x'00'", "column title"),
        ("INSERT INTO satchel_extra VALUES ('tasks', 't', '{\"title\":1}')", "make no object"),
        ("INSERT INTO satchel_extra VALUES ('tasks', 't', '[]')", "members of satchel_extra"),
    ])
    func aRowThatIsNoRecordIsNamed(_ sql: String, words: String) throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', '', '')")
        let store = try sandbox.linked("slate.db")
        try sandbox.sql(sql)
        let errors = [
            try storeError { _ = try store.all() },
            try storeError { _ = try store.read { try $0.record(StoreRecordKey("tasks", "t")) } },
        ]
        for error in errors {
            #expect(error?.code == .value)
            #expect(error?.message.contains("the row \"t\" of tasks has") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test("A database of version 1 is upgraded only where that is asked for, and a copy is kept first")
    func versionOne() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase(version: 1)
        try sandbox.sql("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', '', '')")
        let store = try AppStores.all.open(sandbox.path("slate.db"))
        let before = try store.all()
        #expect(before.count == 2)
        #expect(try sandbox.rows("SELECT value FROM meta") == ["1"])
        let bytes = try sandbox.bytes("slate.db")
        #expect(try storeError { try store.setLink(.test()) }?.code == .olderVersion)
        #expect(try sandbox.bytes("slate.db") == bytes)

        let upgrade = try #require(try AppStores.all.pendingUpgrade(of: sandbox.path("slate.db")))
        #expect(upgrade.old == 1 && upgrade.new == 2)
        let copy = try #require(try upgrade.run(moment: Timestamp(seconds: 1_767_000_000)))
        #expect(copy.hasSuffix("-before-upgrade.db"))
        #expect(try SlateDatabase(path: copy, for: .reading).version == 1)
        #expect(try AppStores.all.pendingUpgrade(of: sandbox.path("slate.db")) == nil)
        #expect(try upgrade.run(moment: Timestamp(seconds: 1_767_000_001)) == nil)
        try store.setLink(.test())
        #expect(try sandbox.rows("SELECT value FROM meta") == ["2"])
        #expect(try store.all() == before)
    }
}
