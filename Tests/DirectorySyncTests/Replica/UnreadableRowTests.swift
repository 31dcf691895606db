import AppStores
import DirectorySync
import TestSupport
import Testing

@Suite("Rows of the store that hold what they cannot")
struct UnreadableRowTests {
    private func kinds(_ outcome: SyncOutcome) -> [SyncHindrance.Kind] { outcome.hindrances.map(\.kind) }

    private func rows(_ device: Device) throws -> [String] {
        try device.column("SELECT quote(id) || ' ' || quote(title) || ' ' || quote(is_done) FROM tasks ORDER BY 1")
    }

    private static let broken = [
        "UPDATE tasks SET is_done = 7 WHERE id = 't1'", "UPDATE tasks SET title = x'FF00' WHERE id = 't1'",
        "UPDATE tasks SET title = CAST(x'FF' AS TEXT) WHERE id = 't1'",
        "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (NULL, 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')",
    ]

    @Test("They are named and left alone; all others are published and taken in", arguments: broken, [false, true])
    func leftAlone(_ sql: String, whole: Bool) throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread", "Salt")
        try laptop.sql(sql)
        // Without a trigger all rows are compared.
        if whole { try laptop.sql("DROP TRIGGER satchel_tasks_insert") }
        try laptop.setTitle("t2", "Rye")
        try phone.setTitle("t3", "Pepper")
        try phone.addTask("t4", "Rice")
        try phone.sync()
        for round in 0..<3 {
            let outcome = try laptop.sync()
            #expect(kinds(outcome) == [.unreadable], "\(round): \(outcome.hindrances)")
            #expect(outcome.hindrances.first?.message.contains("tasks") == true, "\(outcome.hindrances)")
            #expect(try kinds(laptop.sync()) == [.unreadable])
            if round == 1 { try laptop.sql("DROP TRIGGER satchel_tasks_update") }
        }
        #expect(try laptop.replica().status().hindrances.map(\.kind) == [.unreadable])
        #expect(try laptop.column("SELECT title FROM tasks WHERE id > 't1' ORDER BY id") == ["Rye", "Pepper", "Rice"])
        #expect(try phone.sync().hindrances.isEmpty)
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Rye", "t3": "Pepper", "t4": "Rice"])
        // Corrected, it is like any other.
        try laptop.sql("DELETE FROM tasks WHERE id IS NULL")
        try laptop.sql("UPDATE tasks SET title = 'Cream', is_done = 0 WHERE id = 't1'")
        #expect(try laptop.sync().hindrances.isEmpty)
        try phone.sync()
        #expect(try phone.titles()["t1"] == "Cream")
        #expect(try rows(laptop) == rows(phone))
        #expect(try laptop.sync().isIdle)
    }

    @Test("What others change of such a record does not overwrite the row, and comes in once it is corrected")
    func changedElsewhere() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try laptop.sql("UPDATE tasks SET is_done = 7 WHERE id = 't1'")
        try phone.setTitle("t1", "Oat milk")
        try phone.setTitle("t2", "Rye")
        try phone.sync()
        for _ in 0..<2 { #expect(try kinds(laptop.sync()) == [.unreadable]) }
        #expect(try rows(laptop) == ["'t1' 'Milk' 7", "'t2' 'Rye' 0"])
        try laptop.sql("UPDATE tasks SET is_done = 1, done_at = '2026-01-02T00:00:00Z' WHERE id = 't1'")
        for device in [laptop, phone] { #expect(try device.sync().hindrances.isEmpty) }
        #expect(try rows(laptop) == ["'t1' 'Oat milk' 1", "'t2' 'Rye' 0"])
        #expect(try rows(phone) == rows(laptop))
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("What the app's programs could not read is not published, and not what others would get of it")
    func unreadableRecord() throws {
        let sandbox = try Sandbox()
        let (laptop, phone) = (
            try Device("Laptop", .bztimer, in: sandbox), try Device("Phone", .bztimer, in: sandbox)
        )
        let block = "INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds) VALUES"
        try laptop.sql(
            """
            INSERT INTO session (id, position, name) VALUES ('s1', 1, 'Legs'), ('s2', 2, 'Arms');
            \(block) ('s1', 0, 'b1', 'Squat', 'activity', 'duration', 30);
            """
        )
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sql("UPDATE block SET mode = NULL, extra = '{\"mode\":{\"mode\":\"reps\"}}'")
        try laptop.sql("UPDATE session SET name = 'Arm day' WHERE id = 's2'")
        for _ in 0..<2 {
            let outcome = try laptop.sync()
            #expect(kinds(outcome) == [.unreadable])
            #expect(outcome.hindrances.first?.record?.title == "Legs", "\(outcome.hindrances)")
        }
        #expect(try phone.sync().hindrances.isEmpty)
        #expect(try phone.column("SELECT name FROM session ORDER BY id") == ["Legs", "Arm day"])
        #expect(try phone.column("SELECT mode FROM block") == ["duration"])
        try laptop.sql(
            "UPDATE block SET mode = 'reps', reps = 8, per_rep_seconds = 3, duration_seconds = NULL, extra = NULL"
        )
        #expect(try laptop.sync().hindrances.isEmpty)
        try phone.sync()
        #expect(try phone.column("SELECT mode FROM block") == ["reps"])
        #expect(try phone.rows("block") == laptop.rows("block"))
    }
}
