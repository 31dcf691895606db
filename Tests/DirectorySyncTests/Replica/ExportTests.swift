import AppList
import RecordStore
@testable import DirectorySync
import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import foldersync

@Suite("A device that can only export")
struct ExportTests {
    private let phone = SyncDevice(id: "phone00000000000", name: "Phone")

    /// An export with tasks of these titles.
    private func export(_ titles: [String: String]) -> JSONValue {
        let tasks = titles.sorted { $0.key < $1.key }.map { id, title -> JSONValue in
            [
                "id": .string(id), "title": .string(title), "notes": nil, "due_date": nil, "scheduled_for": nil,
                "is_done": false, "done_at": nil, "created_at": "2026-01-01T00:00:00Z",
                "updated_at": "2026-01-01T00:00:00Z", "archived": false, "depends_on_task_id": nil,
            ]
        }
        return ["schema_version": 2, "exported_at": "2026-01-02T00:00:00Z", "tasks": .array(tasks)]
    }

    private func take(_ titles: [String: String], _ laptop: Device, at moment: Int) throws -> SyncOutcome? {
        laptop.time.advance(1000)
        let taken = try laptop.replica().take(export(titles), isWhole: true, exportedAt: moment, from: phone)
        guard case .taken(let outcome) = taken else { return nil }
        try laptop.sync()
        try give(laptop)
        return outcome
    }

    /// Gives the phone a file with all that the laptop has.
    private func give(_ laptop: Device) throws {
        _ = try laptop.replica().offer(document(of: laptop), to: phone)
    }

    private func document(of laptop: Device) throws -> JSONValue {
        try StoreDocument.read(
            AppStores.all.open(laptop.store),
            as: #require(AppStores.all.inbox(of: .slate)),
            generator: "test",
            exportedAt: "2026-01-02T00:00:00Z"
        )
    }

    private func laptop(_ sandbox: Sandbox) throws -> Device {
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.addTask("t1", "Milk")
        try laptop.addTask("t2", "Bread")
        try laptop.makeSpace()
        try laptop.sync()
        return laptop
    }

    @Test("What was changed since the last export is the device's edit; the rest is left as others have it")
    func edits() throws {
        let laptop = try laptop(Sandbox())
        let first = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        #expect(first?.published == [])
        try laptop.setTitle("t2", "Rye bread")
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        let outcome = try #require(try take(["t1": "Oat milk", "t2": "Bread", "p1": "Tea"], laptop, at: 2))
        #expect(Set(outcome.published.flatMap(\.records).map(\.name.key)) == ["t1", "p1"])
        #expect(outcome.published.allSatisfy { $0.device == phone })
        let expected = ["t1": "Oat milk", "t2": "Rye bread", "t3": "Salt", "p1": "Tea"]
        #expect(try laptop.titles() == expected)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("An export twice, and an older one that comes late, change nothing")
    func again() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        _ = try take(["t1": "Oat milk", "t2": "Bread"], laptop, at: 5)
        #expect(try take(["t1": "Oat milk", "t2": "Bread"], laptop, at: 5)?.published.isEmpty == true)
        #expect(try take(["t1": "Milk", "t2": "Bread"], laptop, at: 2) == nil)
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Bread"])
    }

    @Test("What a device was given does not come back with its export, where somebody deleted it meanwhile")
    func givenAndDeleted() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.addTask("t4", "Pepper")
        try laptop.sync()
        try give(laptop)
        try laptop.sql("DELETE FROM tasks WHERE id IN ('t3', 't4')")
        try laptop.sync()
        // It imported that, and changed one of them.
        let imported = ["t1": "Milk", "t2": "Bread", "t3": "Salt", "t4": "White pepper"]
        #expect(try take(imported, laptop, at: 2)?.published.flatMap(\.records).map(\.name.key) == ["t4"])
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread", "t4": "White pepper"])
        // It was given that t3 is gone, and can make it anew.
        _ = try take(["t1": "Milk", "t2": "Bread", "t4": "White pepper"], laptop, at: 3)
        _ = try take(imported, laptop, at: 4)
        #expect(try laptop.titles() == imported)
    }

    @Test("A device that imported what it was given has seen it: nothing conflicts, and it can delete it")
    func imported() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        try give(laptop)
        // Between the import and the export the laptop changes the task again.
        try laptop.setTitle("t1", "Soy milk")
        try laptop.sync()
        _ = try take(["t1": "Oat milk", "t2": "Rye", "t3": "Salt"], laptop, at: 2)
        #expect(try laptop.titles() == ["t1": "Soy milk", "t2": "Rye", "t3": "Salt"])
        #expect(try laptop.sync().conflicts == 0)
        _ = try take(["t1": "Soy milk", "t2": "Rye"], laptop, at: 3)
        #expect(try laptop.titles() == ["t1": "Soy milk", "t2": "Rye"])
    }

    @Test("An import shows by anything that only the file had: what the export lacks then was deleted on the device")
    func deletedAfterImport() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.addTask("t4", "Pepper")
        try laptop.sync()
        try give(laptop)
        // A later file, which it did not import.
        try laptop.addTask("t5", "Flour")
        try laptop.sync()
        try give(laptop)
        let outcome = try take(["t1": "Milk", "t2": "Bread", "t4": "White pepper"], laptop, at: 2)
        #expect(Set(outcome?.published.flatMap(\.records).map(\.name.key) ?? []) == ["t3", "t4"])
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread", "t4": "White pepper", "t5": "Flour"])
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("A record of a file that nobody here knows of any more, as after a restore, shows no import of the new file")
    func fileOfBefore() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.addTask("t4", "Pepper")
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'")
        try laptop.sync()
        try give(laptop)
        let outcome = try take(["t1": "Milk", "t2": "Bread", "t3": "Salt"], laptop, at: 2)
        #expect(outcome?.published.isEmpty == true)
        #expect(try laptop.titles() == ["t1": "Oat milk", "t3": "Salt", "t4": "Pepper"])
    }

    @Test("An export without anything that only the file had is one of a device that did not import it")
    func unknownImport() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        try give(laptop)
        _ = try take(["t1": "Milk"], laptop, at: 2)
        #expect(try laptop.titles() == ["t1": "Milk", "t3": "Salt"])
    }

    @Test("An import of an older file takes nothing away that the device exported since")
    func olderFile() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        try give(laptop)
        _ = try take(["t1": "Oat milk", "t2": "Bread", "p1": "Tea"], laptop, at: 2)
        // The import replaced the tea and the oat milk.
        _ = try take(["t1": "Milk", "t2": "Rye", "t3": "Salt"], laptop, at: 3)
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Rye", "t3": "Salt", "p1": "Tea"])
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("An import of the later of two files that have a record takes nothing away that others changed since")
    func laterFile() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        try give(laptop)
        // The next file has the salt, and the tea as well.
        _ = try take(["t1": "Milk", "t2": "Bread", "p1": "Tea"], laptop, at: 2)
        try laptop.setTitle("p1", "Green tea")
        try laptop.sync()
        let outcome = try take(["t1": "Milk", "t2": "Bread", "t3": "Salt", "p1": "Tea"], laptop, at: 3)
        #expect(outcome?.published == [])
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread", "t3": "Salt", "p1": "Green tea"])
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test(
        "The last record of a collection that came with a file is deleted, unless the export does not name the collection",
        arguments: [true, false]
    )
    func lastOfCollection(isNamed: Bool) throws {
        let laptop = try laptop(Sandbox())
        try laptop.sql(
            "INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('i1', '2026-01-02', 'task', 't1')"
        )
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        func export(_ titles: [String: String]) -> JSONValue {
            var document = self.export(titles)
            if isNamed { document["day_plan_items"] = [] }
            return document
        }
        func take(_ document: JSONValue, at moment: Int) throws {
            laptop.time.advance(1000)
            _ = try laptop.replica().take(document, isWhole: true, exportedAt: moment, from: phone)
            try laptop.sync()
            try give(laptop)
        }
        try take(export(["p1": "Tea"]), at: 1)
        // The phone imported the file, and its owner took the task out of the plan.
        try take(export(["t1": "Milk", "t2": "Bread", "t3": "Salt", "p1": "Tea"]), at: 2)
        #expect(try laptop.column("SELECT id FROM day_plan_items") == (isNamed ? [] : ["i1"]))
    }

    /// Slate's example in version 2, or as version 1 has it.
    ///
    /// - Parameters:
    ///   - isUpdated: Whether it is that of an app of version 2 that was of version 1 before.
    ///   - change: Changes the tasks.
    private func autumn(
        version: Int,
        isUpdated: Bool = false,
        _ change: (inout [JSONValue]) -> Void = { _ in }
    ) throws -> InboxDocument {
        var value = try JSONDocument(parsing: Fixtures.bytes("slate/v2/autumn-week.json")).root.value
        var tasks = value["tasks"]?.array ?? []
        for table in ["activity_log", "day_snapshots"] where version == 1 || isUpdated {
            value[table] = isUpdated ? [] : nil
        }
        for index in tasks.indices where version == 1 || isUpdated {
            tasks[index]["depends_on_task_id"] = isUpdated ? .null : nil
        }
        change(&tasks)
        value["schema_version"] = .number(version)
        value["tasks"] = .array(tasks)
        return try reading(value)
    }

    private func reading(_ value: JSONValue) throws -> InboxDocument {
        let reading = try InboxReading(value.encoded(.compact), name: "export", AppStores.all.inboxes)
        guard case .document(let document) = reading else { throw CocoaError(.fileReadCorruptFile) }
        return document
    }

    private func take(
        _ document: InboxDocument,
        _ laptop: Device,
        at moment: Int,
        from device: SyncDevice? = nil
    ) throws {
        laptop.time.advance(1000)
        _ = try laptop.replica().take(
            document.value,
            isWhole: document.isWhole,
            exportedAt: moment,
            version: document.version,
            unsaid: document.unsaid,
            from: device ?? phone
        )
        try laptop.sync()
        if document.app == .slate { try give(laptop) }
    }

    @Test("Entries of a phone that only exports stay with their buttons, before and after it imports what it gets")
    func buttons() throws {
        let laptop = try Device("Laptop", .tracker, in: Sandbox())
        try laptop.sql(
            """
            INSERT INTO button (id, name, color, icon, is_default, position, is_visible)
                VALUES ('study', 'Study', '#112233', 'star', 1, 0, 1)
            """
        )
        try laptop.makeSpace()
        try laptop.sync()
        func document() throws -> JSONValue {
            try StoreDocument.read(
                AppStores.all.open(laptop.store),
                as: #require(AppStores.all.inbox(of: .tracker)),
                generator: "test",
                exportedAt: "2026-01-02T00:00:00Z"
            )
        }
        func activity(_ number: Int, _ button: String) -> JSONValue {
            [
                "id": .string("a\(number)"), "name": "Uni", "buttonId": .string(button),
                "startTime": .string("2026-01-0\(number)T08:00:00Z"),
                "endTime": .string("2026-01-0\(number)T09:00:00Z"),
            ]
        }
        func names() throws -> [String] {
            try laptop.column("SELECT b.name FROM activity a JOIN button b ON b.id = a.button_id ORDER BY a.id")
        }
        for count in 1...3 {
            let document: JSONValue = [
                "format": "tracker-export", "version": 2,
                "buttons": [
                    [
                        "id": "study", "name": .string(count < 3 ? "Uni" : "College"), "color": "#112233",
                        "icon": "star", "isDefault": true, "position": 0, "isVisible": true,
                    ]
                ],
                "activities": .array((1...count).map { activity($0, "study") }),
            ]
            try take(reading(document), laptop, at: count)
            #expect(try names() == Array(repeating: count < 3 ? "Uni" : "College", count: count))
        }
        #expect(try laptop.column("SELECT name FROM button ORDER BY name") == ["College", "Study"])
        // It imports the file, and tracks with both buttons.
        _ = try laptop.replica().offer(document(), to: phone)
        var imported = try document()
        let college = try #require(try laptop.column("SELECT id FROM button WHERE name = 'College'").first)
        let activities = imported["activities"]?.array ?? []
        imported["activities"] = .array(activities + [activity(4, "study"), activity(5, college)])
        try take(reading(imported), laptop, at: 4)
        #expect(try names() == ["College", "College", "College", "Study", "College"])
        #expect(try laptop.column("SELECT name FROM button ORDER BY name") == ["College", "Study"])
        #expect(try laptop.replica().conflicts().isEmpty)
    }

    private static let newTables = ["activity_log", "day_snapshots", "tasks WHERE depends_on_task_id IS NOT NULL"]

    @Test("An export of an older version deletes and clears nothing of what that version lacks", arguments: [1, 2])
    func olderVersion(first version: Int) throws {
        let laptop = try laptop(Sandbox())
        try take(autumn(version: version), laptop, at: 1)
        let before = try Self.newTables.map { try laptop.rows($0) }
        #expect(before.allSatisfy { $0.isEmpty == (version == 1) })
        try take(autumn(version: 1) { $0[0]["title"] = "Changed on the phone" }, laptop, at: 2)
        #expect(try Self.newTables.map { try laptop.rows($0) } == before)
        #expect(try laptop.rows("tasks WHERE title = 'Changed on the phone'").count == 1)
        // After its update the app has all of it again.
        try take(autumn(version: 2), laptop, at: 3)
        #expect(try laptop.rows("activity_log").count == 6)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("The first exports of an app that was updated clear nothing that it did not know", arguments: [1, 2])
    func updatedApp(first version: Int) throws {
        let laptop = try laptop(Sandbox())
        try take(autumn(version: version), laptop, at: 1)
        if version == 1 {
            try laptop.sql("UPDATE tasks SET depends_on_task_id = 't1' WHERE title = 'Paint the hallway'")
            try laptop.sync()
        }
        let before = try Self.newTables.map { try laptop.rows($0) }
        try take(autumn(version: 1), laptop, at: 2)
        for moment in 3...4 {
            try take(autumn(version: 2, isUpdated: true), laptop, at: moment)
            #expect(try Self.newTables.map { try laptop.rows($0) } == before)
        }
        try take(autumn(version: 2, isUpdated: true) { $0[0]["title"] = "Changed" }, laptop, at: 5)
        #expect(try Self.newTables.map { try laptop.rows($0).count } == before.map(\.count))
        #expect(try laptop.rows("tasks WHERE title = 'Changed'").count == 1)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("An app that has what the newer version added says with it what was deleted, also after an older export")
    func returnedApp() throws {
        let laptop = try laptop(Sandbox())
        try take(autumn(version: 2), laptop, at: 1)
        try take(autumn(version: 1), laptop, at: 2)
        let dependent = try laptop.rows(Self.newTables[2]).count
        try take(
            autumn(version: 2) { tasks in
                guard let index = tasks.firstIndex(where: { $0["depends_on_task_id"]?.string != nil }) else { return }
                tasks[index]["depends_on_task_id"] = .null
            },
            laptop,
            at: 3
        )
        #expect(try laptop.rows(Self.newTables[2]).count == dependent - 1)
        #expect(try laptop.rows("activity_log").count == 6)
    }

    @Test("What others deleted does not come back with an export of an older version", arguments: [1, 2])
    func deletedBeforeOlderExport(first version: Int) throws {
        let laptop = try laptop(Sandbox())
        try take(autumn(version: version), laptop, at: 1)
        try laptop.sql("DELETE FROM tasks WHERE title = 'Paint the hallway'; DELETE FROM activity_log")
        try laptop.sync()
        for moment in 2...3 {
            try take(autumn(version: 1), laptop, at: moment)
            #expect(try laptop.rows("tasks WHERE title = 'Paint the hallway'").isEmpty)
        }
        if version == 2 { try take(autumn(version: 2), laptop, at: 4) }
        #expect(try laptop.rows("tasks WHERE title = 'Paint the hallway'").isEmpty)
        #expect(try laptop.rows("activity_log").isEmpty)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("A phone of an older version that imports what it was given clears nothing of what its version lacks")
    func olderImport() throws {
        let laptop = try laptop(Sandbox())
        try take(autumn(version: 1), laptop, at: 1)
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't1' WHERE title = 'Call dentist'")
        try laptop.addTask("t9", "New on the laptop")
        try laptop.sync()
        try give(laptop)
        var imported = try document(of: laptop)
        imported["schema_version"] = 1
        for table in ["activity_log", "day_snapshots"] { imported[table] = nil }
        imported["tasks"] = .array(
            (imported["tasks"]?.array ?? []).map { task in
                var task = task
                task["depends_on_task_id"] = nil
                return task
            }
        )
        try take(reading(imported), laptop, at: 2)
        #expect(try laptop.rows("tasks WHERE title = 'Call dentist' AND depends_on_task_id = 't1'").count == 1)
        #expect(try laptop.titles()["t9"] == "New on the laptop")
    }

    @Test("A list of Study Timer says nothing of the other table, and what it lacks of its own is deleted")
    func list() throws {
        let laptop = try Device("Laptop", .study, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        func count() throws -> [Int] {
            try ["session", "event"].map { try laptop.rows($0).count }
        }
        func list(_ name: String, dropping count: Int = 0) throws -> InboxDocument {
            let value = try JSONDocument(parsing: Fixtures.bytes("study/v1/\(name).json")).root.value
            return try reading(.array((value.array ?? []).dropLast(count)))
        }
        try take(list("sessions"), laptop, at: 1)
        try take(list("session_history"), laptop, at: 2)
        let all = try count()
        #expect(all.allSatisfy { $0 > 1 })
        try take(list("sessions"), laptop, at: 3)
        #expect(try count() == all)
        try take(list("session_history", dropping: 1), laptop, at: 4)
        #expect(try count() == [all[0], all[1] - 1])
    }

    @Test("A session stays with its events, of which an export lacks both, or the store", arguments: [true, false])
    func keptEvents(isDeletedByPhone: Bool) throws {
        let laptop = try Device("Laptop", .study, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        let log = try JSONDocument(parsing: Fixtures.bytes("study/v2/tables.json")).root.value
        let session = try #require(log["sessions"]?.array?.first)
        let id = try #require(session["id"]?.string)
        let events = (log["events"]?.array ?? []).filter { $0["session_id"]?.string == id }
        #expect(!events.isEmpty)
        try take(reading(log), laptop, at: 1)
        var changed = log
        if isDeletedByPhone {
            try laptop.sql("UPDATE session SET title = 'Other' WHERE id = '\(id)'")
            changed["sessions"] = .array((log["sessions"]?.array ?? []).filter { $0["id"]?.string != id })
            changed["events"] = .array((log["events"]?.array ?? []).filter { $0["session_id"]?.string != id })
        } else {
            try laptop.sql("DELETE FROM event WHERE session_id = '\(id)'; DELETE FROM session WHERE id = '\(id)'")
            var renamed = try #require(session.object)
            renamed["title"] = "Other"
            let others = (log["sessions"]?.array ?? []).filter { $0["id"]?.string != id }
            changed["sessions"] = .array([.object(renamed)] + others)
        }
        try laptop.sync()
        try take(reading(changed), laptop, at: 2)
        #expect(try laptop.column("SELECT title FROM session WHERE id = '\(id)'") == ["Other"])
        #expect(try laptop.rows("event WHERE session_id = '\(id)'").count == events.count)
    }

    @Test("Sessions of BZ Timer's older versions are taken one after the other, whatever others there are")
    func olderSessions() throws {
        let laptop = try Device("Laptop", .bztimer, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        let files = ["v2/leg-day", "v1/morning-stretch", "v1/unicode"]
        for (moment, name) in files.enumerated() {
            let value = try JSONDocument(parsing: Fixtures.bytes("bztimer/\(name).json")).root.value
            try take(reading(value), laptop, at: moment + 1)
        }
        #expect(try laptop.rows("session").count == 3)
    }

    @Test("A session as the first apps wrote it clears neither categories nor tags")
    func firstAppsSession() throws {
        let laptop = try Device("Laptop", .bztimer, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        func file(_ version: Int) throws -> JSONValue {
            try JSONDocument(parsing: Fixtures.bytes("bztimer/v\(version)/leg-day.json")).root.value
        }
        func labels() throws -> [String] {
            try laptop.column("SELECT coalesce(category, '-') FROM block ORDER BY position")
                + laptop.column("SELECT coalesce(tags, '-') FROM session")
        }
        try take(reading(file(2)), laptop, at: 1)
        let before = try labels()
        var session = try #require(file(1).object)
        var blocks = session["items"]?.array ?? []
        for index in blocks.indices { blocks[index]["x-preserved"] = nil }
        blocks[0]["durationSeconds"] = 360
        session["items"] = .array(blocks)
        (session["x-preserved"], session["tags"]) = (nil, nil)
        try take(reading(.object(session)), laptop, at: 2)
        #expect(try labels() == before)
        let lengths = "SELECT coalesce(CAST(duration_seconds AS TEXT), '-') FROM block ORDER BY position"
        #expect(try laptop.column(lengths).first == "360")
    }

    /// A task as the phone exports it.
    private func task(_ changes: JSONObject) -> JSONValue {
        var document = export(["t1": "Milk"])
        var task = document["tasks"]?.array?.first ?? [:]
        for change in changes { task[change.name] = change.value }
        document["tasks"] = [task]
        return document
    }

    private func published(_ document: JSONValue, _ laptop: Device, at moment: Int) throws -> [SyncedChange] {
        laptop.time.advance(1000)
        let taken = try laptop.replica().take(document, isWhole: true, exportedAt: moment, from: phone)
        guard case .taken(let outcome) = taken else { return [] }
        try laptop.sync()
        return outcome.published
    }

    private func set(_ text: String, _ laptop: Device) throws {
        laptop.time.advance(1000)
        try laptop.sql("UPDATE tasks SET \(text), updated_at = '2026-01-03T00:00:00Z' WHERE id = 't1'")
        try laptop.sync()
    }

    /// A laptop with one task, whose phone exported it and then got a file with a change of the task.
    private func changedTask(_ first: String, _ change: String, had: JSONObject) throws -> Device {
        let laptop = try Device("Laptop", in: Sandbox())
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        try laptop.sync()
        try set(first, laptop)
        _ = try published(task(had), laptop, at: 1)
        try give(laptop)
        try set(change, laptop)
        try give(laptop)
        return laptop
    }

    private static let edited: JSONObject = ["due_date": "2026-03-20", "updated_at": "2026-01-05T00:00:00Z"]

    @Test(
        "A record that came with a file and was edited in another member says nothing new of the rest",
        arguments: [
            ("title = 'Milk'", "title = 'Oat milk'", "title = 'Soy milk'", ["title": "Oat milk"], "Soy milk"),
            ("notes = 'buy'", "notes = 'buy two'", "notes = 'buy'", ["notes": "buy two"], "Milk"),
            ("notes = 'buy'", "notes = 'buy two'", "notes = 'buy ten'", ["notes": "buy two"], "Milk"),
        ] as [(String, String, String, JSONObject, String)]
    )
    func editedAfterImport(first: String, change: String, since: String, imported: JSONObject, title: String) throws {
        var had: JSONObject = ["updated_at": "2026-01-03T00:00:00Z"]
        if first.contains("notes") { had["notes"] = "buy" }
        let laptop = try changedTask(first, change, had: had)
        try set(since, laptop)
        try give(laptop)
        let before = try laptop.column("SELECT title || ' ' || coalesce(notes, '') FROM tasks")
        var export = had
        for member in imported { export[member.name] = member.value }
        for member in Self.edited { export[member.name] = member.value }
        #expect(try published(task(export), laptop, at: 2).flatMap(\.records).count == 1)
        #expect(try laptop.column("SELECT title || ' ' || coalesce(notes, '') FROM tasks") == before)
        #expect(try laptop.column("SELECT due_date FROM tasks") == ["2026-03-20"])
        #expect(try laptop.titles()["t1"] == title)
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("A text that came with a file and was continued does not come twice")
    func continuedText() throws {
        let had: JSONObject = ["notes": "the crown", "updated_at": "2026-01-03T00:00:00Z"]
        let laptop = try changedTask("notes = 'the crown'", "notes = 'the crown, pay 80 euros'", had: had)
        var export = had
        export["notes"] = "the crown, pay 80 euros in cash"
        _ = try published(task(export), laptop, at: 2)
        #expect(try laptop.column("SELECT notes FROM tasks") == ["the crown, pay 80 euros in cash"])
        #expect(try laptop.sync().conflicts == 0)
    }

    @Test("Who did not import a file loses nothing to others: an edit of the same member conflicts")
    func notImported() throws {
        let had: JSONObject = ["updated_at": "2026-01-03T00:00:00Z"]
        let laptop = try changedTask("title = 'Milk'", "title = 'Oat milk', notes = 'two'", had: had)
        var export = had
        for (name, value) in [("title", "Oat milk"), ("notes", "three")] { export[name] = .string(value) }
        _ = try published(task(export), laptop, at: 2)
        let conflict = try #require(try laptop.replica().conflicts().first)
        #expect(Set(conflict.choices.compactMap { $0.value?.string }) == ["two", "three"])
    }

    @Test("What two people do alike shows no import: a tick that the laptop set and took back is the phone's")
    func ownTick() throws {
        let had: JSONObject = ["updated_at": "2026-01-03T00:00:00Z"]
        let laptop = try changedTask("title = 'Milk'", "is_done = 1", had: had)
        try set("is_done = 0", laptop)
        let export: JSONObject = ["is_done": true, "updated_at": "2026-01-05T00:00:00Z"]
        #expect(try published(task(export), laptop, at: 2).flatMap(\.records).count == 1)
        #expect(try laptop.column("SELECT is_done FROM tasks") == ["1"])
    }

    @Test("Notes that the laptop cleared and the phone replaced conflict")
    func clearedText() throws {
        let had: JSONObject = ["notes": "buy two", "updated_at": "2026-01-03T00:00:00Z"]
        let laptop = try changedTask("notes = 'buy two'", "notes = NULL", had: had)
        var export = had
        for (name, value) in [("notes", "call mum"), ("updated_at", "2026-01-05T00:00:00Z")] {
            export[name] = .string(value)
        }
        _ = try published(task(export), laptop, at: 2)
        let conflict = try #require(try laptop.replica().conflicts().first)
        #expect(conflict.choices.contains { $0.value?.string == "call mum" })
    }

    @Test("A phone that exported presets only is known from one that exported sessions as well")
    func presets() throws {
        let laptop = try Device("Laptop", .bztimer, in: Sandbox())
        try laptop.makeSpace()
        try laptop.sync()
        func file(_ name: String) throws -> InboxDocument {
            try reading(JSONDocument(parsing: Fixtures.bytes(name)).root.value)
        }
        let tablet = SyncDevice(id: "tablet0000000000", name: "Tablet")
        try take(file("bztimer/v3/leg-day.json"), laptop, at: 1, from: tablet)
        let presets = try file("presets/v2/first-timers.json")
        try take(presets, laptop, at: 2)
        #expect(try !laptop.replica().hasExports(of: phone, besides: presets.value))
        try take(file("bztimer/v3/leg-day.json"), laptop, at: 3)
        try take(presets, laptop, at: 4)
        #expect(try laptop.replica().hasExports(of: phone, besides: presets.value))
    }

    @Test("An older file than the last export shows nothing: what the phone took back itself counts as its edit")
    func ownEarlierValue() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        try give(laptop)
        let first = export(["t1": "Oat milk", "t2": "Bread", "p1": "Tea"])
        _ = try published(first, laptop, at: 2)
        var second = export(["t1": "Milk", "t2": "Bread"])
        second["tasks"] = .array(
            (second["tasks"]?.array ?? []).map { task in
                var task = task
                task["updated_at"] = "2026-01-05T00:00:00Z"
                if task["id"]?.string == "t1" { task["due_date"] = "2026-03-20" }
                return task
            }
        )
        _ = try published(second, laptop, at: 3)
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread", "t3": "Salt"])
    }

    @Test("A deletion that came with a file is nobody's again, and what was restored since stays", arguments: [1, 2])
    func importedDeletion(files: Int) throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        let row = "('t2', 'Bread', 0, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 0)"
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'")
        try laptop.sync()
        try give(laptop)
        if files == 2 {
            try laptop.sql("INSERT INTO tasks (id, title, is_done, created_at, updated_at, archived) VALUES \(row)")
            try laptop.sync()
            try give(laptop)
        }
        #expect(try take(["t1": "Milk"], laptop, at: 2)?.published == [])
        #expect(try laptop.titles() == (files == 2 ? ["t1": "Milk", "t2": "Bread"] : ["t1": "Milk"]))
        // The phone had these records, so it deleted them itself.
        #expect(try take(["p1": "Tea"], laptop, at: 3)?.published.isEmpty == false)
        #expect(try laptop.titles()["t1"] == nil)
    }

    @Test("A device that has the value which is shown has not seen the others that stand beside it")
    func shownValue() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        _ = try take(["t1": "Soy milk", "t2": "Bread"], laptop, at: 2)
        #expect(try laptop.titles()["t1"] == "Soy milk")
        // It never imported the file that it was given then.
        _ = try take(["t2": "Bread"], laptop, at: 3)
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Bread"])
    }

    @Test("A first export without a reference to a task that is gone says nothing of it")
    func lostReference() throws {
        let laptop = try laptop(Sandbox())
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't1' WHERE id = 't2'")
        try laptop.sync()
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        try laptop.sql("UPDATE tasks SET depends_on_task_id = NULL WHERE id = 't2'")
        try laptop.sync()
        _ = try take(["t2": "Bread"], laptop, at: 1)
        #expect(try laptop.replica().conflicts() == [])
    }

    @Test("A habit that is taken up on the device changes no day that was worked out before")
    func pastDay() throws {
        let laptop = try laptop(Sandbox())
        let moment = "2025-12-01T00:00:00Z"
        try laptop.sql(
            """
            INSERT INTO habits (id, title, active, created_at, updated_at)
                VALUES ('h1', 'Read', 1, '\(moment)', '\(moment)'), ('h2', 'Run', 0, '\(moment)', '\(moment)');
            INSERT INTO habit_completions VALUES ('c1', 'h1', '2026-01-01', '2026-01-01T08:00:00Z');
            INSERT INTO day_plan VALUES ('2026-01-01', 1);
            """
        )
        try laptop.sync()
        func take(_ change: (inout JSONValue) -> Void, at exportedAt: Int) throws {
            var document = try document(of: laptop)
            change(&document)
            laptop.time.advance(1000)
            _ = try laptop.replica().take(document, isWhole: true, exportedAt: exportedAt, from: phone)
            try laptop.sync()
            try give(laptop)
        }
        let day = "SELECT CAST(perfect_day AS TEXT) FROM day_plan"
        // The phone was merely opened on that day.
        try take({ $0["day_plan"] = [["date": "2026-01-01", "perfect_day": 0]] }, at: 1)
        #expect(try laptop.column(day) == ["1"])
        try take({ $0["habits"] = .array(($0["habits"]?.array ?? []).map(Self.active)) }, at: 2)
        #expect(try laptop.column("SELECT id FROM habits WHERE active = 1 ORDER BY id") == ["h1", "h2"])
        #expect(try laptop.column(day) == ["1"])
    }

    private static func active(_ habit: JSONValue) -> JSONValue {
        var habit = habit
        habit["active"] = true
        return habit
    }

    @Test("Both changed one title: it is a conflict that names both")
    func conflict() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 1)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        _ = try take(["t1": "Soy milk", "t2": "Bread"], laptop, at: 2)
        let conflict = try #require(try laptop.replica().conflicts().first)
        #expect(Set(conflict.choices.compactMap { $0.value?.string }) == ["Oat milk", "Soy milk"])
        #expect(Set(conflict.choices.compactMap { $0.device?.name }) == ["Laptop", "Phone"])
    }

    @Test("Exports are packed, and their files go when a checkpoint has held them for a week")
    func compaction() throws {
        let laptop = try laptop(Sandbox())
        for number in 0..<20 {
            try laptop.setTitle("t2", "Bread \(number)")
            try laptop.sync()
        }
        var moment = 0
        func listing(after count: Int) throws -> DirectoryListing {
            for _ in 0..<count {
                moment += 1
                laptop.time.advance(1000)
                let titles = ["t1": "Milk \(moment)", "t2": "Bread 19"]
                _ = try laptop.replica().take(export(titles), isWhole: true, exportedAt: moment, from: phone)
            }
            return try laptop.replica().directory.listing()
        }
        let few = try listing(after: 64)
        #expect(few.packs.count == 1 && few.segments.count == 21 + CompactionPolicy.keptLoose)
        let many = try listing(after: CompactionPolicy.mostSegments - 64)
        #expect(many.checkpoints.count == 1)
        let last = try #require(many.checkpoints.first).sequence
        laptop.time.advance(CompactionPolicy.grace)
        let later = try listing(after: CompactionPolicy.mostLoose)
        let left = (later.segments + later.packs).filter { $0.writer == later.checkpoints[0].writer }
        #expect(left.allSatisfy { $0.last > last })
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk \(moment)", "t2": "Bread 19"])
        #expect(try laptop.replica().verify().faults.isEmpty)
    }

    @Test("An export with a moment to come does not make all others older")
    func future() throws {
        let laptop = try laptop(Sandbox())
        _ = try take(["t1": "Milk", "t2": "Bread"], laptop, at: 4_000_000_000_000)
        #expect(try take(["t1": "Oat milk", "t2": "Bread"], laptop, at: 5) != nil)
        #expect(try laptop.titles()["t1"] == "Oat milk")
    }
}
