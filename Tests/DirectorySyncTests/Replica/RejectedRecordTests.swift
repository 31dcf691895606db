import BZTimer
import DirectorySync
import Foundation
import RecordMerge
import RecordStore
import Slate
import StrictJSON
import Testing
import TestSupport

@Suite("Records from another device that the store cannot hold")
struct RejectedRecordTests {
    /// Two devices in step with the tasks t1 "Milk" and t2 "Bread"; the phone's app takes no title twice.
    private func pair() throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.sql("CREATE UNIQUE INDEX one_title ON tasks (title)")
        try phone.sync()
        return (laptop, phone)
    }

    private func expectInStep(_ devices: Device..., at location: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<2 { for device in devices { try device.sync() } }
        for device in devices {
            #expect(try device.sync().isIdle, sourceLocation: location)
            #expect(try slateRows(device.store) == slateRows(devices[0].store), sourceLocation: location)
            #expect(
                try device.replica().stateText() == devices[0].replica().stateText(),
                sourceLocation: location
            )
        }
    }

    @Test("A new record with a value that the store has already is rejected; all others are written")
    func added() throws {
        let (laptop, phone) = try pair()
        try laptop.addTask("t3", "Milk")
        try laptop.addTask("t4", "Salt")
        try laptop.sync()
        let outcome = try phone.sync()
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Bread", "t4": "Salt"])
        let held = try #require(outcome.issues.first)
        #expect(outcome.issues.count == 1 && held.kind == .rejected && held.device?.name == "Laptop")
        #expect(held.record?.key == "t3" && held.record?.title == "Milk")
        #expect(held.message.contains("UNIQUE"), "\(held.message)")
        #expect(try phone.replica().status().issues == outcome.issues)
        // It is known here, and its missing from the store is no deletion.
        let again = try phone.sync()
        #expect(again.published.isEmpty && again.written == 0 && again.issues == outcome.issues)
        try laptop.sync()
        #expect(try laptop.titles()["t3"] == "Milk")
        #expect(try phone.replica().stateText() == laptop.replica().stateText())
        #expect(try phone.replica().verify().differing.isEmpty)
        // Nor is it where the store is compared as a whole.
        try phone.sql("DROP TRIGGER satchel_tasks_insert")
        #expect(try phone.sync().published.isEmpty)
        // As soon as it fits it is there.
        try laptop.setTitle("t3", "Oat milk")
        try laptop.sync()
        #expect(try phone.sync().issues.isEmpty)
        try expectInStep(laptop, phone)
    }

    @Test("What is changed here, or in the store's tables, lets it in by itself", arguments: [true, false])
    func fitsLater(_ isEdit: Bool) throws {
        let (laptop, phone) = try pair()
        try laptop.addTask("t3", "Milk")
        try laptop.sync()
        try phone.sync()
        if isEdit { try phone.setTitle("t1", "Soy milk") } else { try phone.sql("DROP INDEX one_title") }
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.titles()["t3"] == "Milk")
        try expectInStep(laptop, phone)
    }

    @Test("An edit of a record whose change is rejected is one of what the store has")
    func editedMeanwhile() throws {
        let (laptop, phone) = try pair()
        try laptop.setTitle("t2", "Milk")
        try laptop.sync()
        #expect(try phone.sync().issues.first?.record?.key == "t2")
        #expect(try phone.titles()["t2"] == "Bread")
        try phone.sql("UPDATE tasks SET notes = 'rye' WHERE id = 't2'")
        let outcome = try phone.sync()
        #expect(outcome.published.flatMap(\.records).map(\.members) == [["notes"]])
        #expect(outcome.conflicts == 0 && outcome.issues.count == 1)
        #expect(try laptop.sync().conflicts == 0)
        #expect(try laptop.column("SELECT title || ' ' || notes FROM tasks WHERE id = 't2'") == ["Milk rye"])
        // A title of its own meets the one that it had not seen.
        try phone.setTitle("t2", "Rye bread")
        #expect(try phone.sync().conflicts == 1)
        let choices = try #require(try phone.replica().conflicts().first).choices
        #expect(Set(choices.compactMap { $0.value?.string }) == ["Milk", "Rye bread"])
        try phone.setTitle("t2", "Dark bread")
        try expectInStep(laptop, phone)
        #expect(try laptop.titles()["t2"] == "Dark bread")
    }

    @Test("A deletion of a record whose change is rejected is reported, as any that meets a change")
    func deletedMeanwhile() throws {
        let (laptop, phone) = try pair()
        try laptop.setTitle("t2", "Milk")
        try laptop.sync()
        try phone.sync()
        try phone.sql("DELETE FROM tasks WHERE id = 't2'")
        #expect(try phone.sync().issues.first?.kind == .rejected)
        try laptop.sync()
        #expect(try laptop.replica().conflicts().map(\.kind) == [.deletedRecord])
        #expect(try laptop.titles()["t2"] == "Milk")
        try laptop.setTitle("t2", "Toast")
        try expectInStep(laptop, phone)
    }

    @Test("Records that refer to one that is rejected wait, and come with it")
    func references() throws {
        let (laptop, phone) = try pair()
        try laptop.addTask("t3", "Milk")
        try laptop.addTask("t0", "Drink")
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't3' WHERE id = 't0'")
        try laptop.sql(
            "INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p', '2026-01-02', 'task', 't3')"
        )
        try laptop.sync()
        let outcome = try phone.sync()
        #expect(outcome.issues.map { $0.record?.collection } == ["day_plan_items", "tasks", "tasks"])
        #expect(outcome.issues.first?.message.contains("\"Milk\" of tasks") == true)
        #expect(try phone.titles().keys.sorted() == ["t1", "t2"])
        #expect(try phone.sync().published.isEmpty)
        try phone.sql("DELETE FROM tasks WHERE id = 't1'")
        #expect(try phone.sync().issues.isEmpty)
        try expectInStep(laptop, phone)
        #expect(try phone.rows("day_plan_items").count == 1)
    }

    @Test("A deletion that the store refuses leaves the row, and is no new record of this device")
    func refusedDeletion() throws {
        let (laptop, phone) = try pair()
        try phone.sql("CREATE TRIGGER kept BEFORE DELETE ON tasks BEGIN SELECT RAISE(ABORT, 'tasks stay'); END")
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        try laptop.sync()
        let outcome = try phone.sync()
        #expect(outcome.issues.map { $0.record?.title } == ["Milk"])
        #expect(outcome.issues.first?.message.contains("tasks stay") == true)
        #expect(try phone.titles()["t1"] == "Milk")
        #expect(try phone.sync().published.isEmpty)
        #expect(try laptop.sync().received.isEmpty)
        try phone.sql("DROP TRIGGER kept")
        #expect(try phone.sync().issues.isEmpty)
        try expectInStep(laptop, phone)
    }

    @Test("Titles that move on from task to task are written though each is in the way of the next")
    func chain() throws {
        let (laptop, phone) = try pair()
        try laptop.setTitle("t1", "Bread")
        try laptop.setTitle("t2", "Toast")
        try laptop.sync()
        #expect(try phone.sync().issues.isEmpty)
        try expectInStep(laptop, phone)
    }

    @Test("Ended after the store was written and before that was noted: what was rejected is not taken for written")
    func recovered() throws {
        let (laptop, phone) = try pair()
        try laptop.addTask("t3", "Milk")
        try laptop.addTask("t4", "Salt")
        try laptop.sync()
        try phone.failingToWrite { _ = try? phone.sync() }
        #expect(try phone.titles().count == 2)
        let state = try Data(contentsOf: URL(filePath: phone.store + ".foldersync"))
        try phone.sync()
        try state.write(to: URL(filePath: phone.store + ".foldersync"))
        let outcome = try phone.sync()
        #expect(outcome.published.flatMap(\.records) == [] && outcome.issues.count == 1)
        #expect(try phone.titles()["t4"] == "Salt")
        try laptop.sync()
        #expect(try laptop.titles()["t3"] == "Milk")
        try phone.setTitle("t1", "Soy milk")
        try expectInStep(laptop, phone)
    }

    @Test("In the store of each app", arguments: AppID.reserved)
    func apps(_ app: AppID) throws {
        let (table, row) =
            switch app {
            case .slate:
                (
                    "habits",
                    "(id, title, created_at, updated_at) VALUES ('x', 'X', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')"
                )
            case .bztimer: ("session", "(id, position, name) VALUES ('x', 1, 'X')")
            case .tracker: ("activity", "(id, name, start_ms, end_ms) VALUES ('x', 'X', 1767000000000, 1767000600000)")
            default:
                (
                    "session",
                    """
                    (id, device_id, title, status, start_time, accumulated_seconds) VALUES
                    ('x', 'd', 'X', 'active', '2026-01-01T08:00:00Z', 0)
                    """
                )
            }
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", app, in: sandbox)
        let phone = try Device("Phone", app, in: sandbox)
        try laptop.makeSpace()
        try phone.join()
        try phone.sync()
        try phone.sql("CREATE TRIGGER none BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'full'); END")
        try laptop.sql("INSERT INTO \(table) \(row)")
        try laptop.sync()
        #expect(try phone.sync().issues.map { $0.record?.title } == ["X"])
        #expect(try phone.sync().published.isEmpty)
        try phone.sql("DROP TRIGGER none")
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.rows(table).count == 1)
        #expect(try laptop.sync().isIdle)
    }

    @Test("Many among more: all others are written, the first are named, and the journal goes on")
    func many() throws {
        let (laptop, phone) = try pair()
        try phone.sql(
            "CREATE TRIGGER no7 BEFORE INSERT ON tasks WHEN NEW.title LIKE '%7' BEGIN SELECT RAISE(ABORT, '7'); END"
        )
        try laptop.sql(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
            INSERT INTO tasks (id, title, created_at, updated_at) SELECT 'n' || i, 'Task ' || i, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' FROM n
            """
        )
        try laptop.sync()
        let outcome = try phone.sync()
        #expect(outcome.written == 2250 && outcome.issues.count == 51)
        #expect(outcome.issues.last?.message.hasPrefix("200 more records are rejected") == true)
        #expect(try phone.titles().count == 2252)
        try phone.setTitle("n1", "own")
        #expect(try phone.sync().published.flatMap(\.records).map(\.name.key) == ["n1"])
        // Nothing is tried for ever.
        #expect(try phone.sync().written == 0)
        try phone.sql("DROP TRIGGER no7")
        #expect(try phone.sync().written == 250)
        try expectInStep(laptop, phone)
    }
}
