import DirectorySync
import RecordStore
import Testing
import TestSupport

@Suite("Rows of the store that hold what they cannot")
struct UnreadableRowTests {
    private func kinds(_ outcome: SyncOutcome) -> [SyncIssue.Kind] { outcome.issues.map(\.kind) }

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
            #expect(kinds(outcome) == [.unreadable], "\(round): \(outcome.issues)")
            #expect(outcome.issues.first?.message.contains("tasks") == true, "\(outcome.issues)")
            #expect(try kinds(laptop.sync()) == [.unreadable])
            if round == 1 { try laptop.sql("DROP TRIGGER satchel_tasks_update") }
        }
        #expect(try laptop.replica().status().issues.map(\.kind) == [.unreadable])
        #expect(try laptop.column("SELECT title FROM tasks WHERE id > 't1' ORDER BY id") == ["Rye", "Pepper", "Rice"])
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Rye", "t3": "Pepper", "t4": "Rice"])
        // Corrected, it is like any other.
        try laptop.sql("DELETE FROM tasks WHERE id IS NULL")
        try laptop.sql("UPDATE tasks SET title = 'Cream', is_done = 0 WHERE id = 't1'")
        #expect(try laptop.sync().issues.isEmpty)
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
        for device in [laptop, phone] { #expect(try device.sync().issues.isEmpty) }
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
            #expect(outcome.issues.first?.record?.title == "Legs", "\(outcome.issues)")
        }
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.column("SELECT name FROM session ORDER BY id") == ["Legs", "Arm day"])
        #expect(try phone.column("SELECT mode FROM block") == ["duration"])
        try laptop.sql(
            "UPDATE block SET mode = 'reps', reps = 8, per_rep_seconds = 3, duration_seconds = NULL, extra = NULL"
        )
        #expect(try laptop.sync().issues.isEmpty)
        try phone.sync()
        #expect(try phone.column("SELECT mode FROM block") == ["reps"])
        #expect(try phone.rows("block") == laptop.rows("block"))
    }

    /// Rows that a store holds and the app's own reader of exports refuses: how to spoil and how to mend one.
    struct Refused: Sendable, CustomTestStringConvertible {
        let app: AppID
        let rows: String
        let bad: String
        let good: String
        let edit: String
        let read: String
        var testDescription: String { bad }
    }

    private static let slateRows = """
        INSERT INTO tasks (id, title, created_at, updated_at) VALUES
        ('t1', 'Milk', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
        ('t2', 'Bread', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')
        """

    private static func slate(_ column: String, _ bad: String, _ good: String) -> Refused {
        Refused(
            app: .slate,
            rows: slateRows,
            bad: "UPDATE tasks SET \(column) = \(bad) WHERE id = 't1'",
            good: "UPDATE tasks SET \(column) = \(good) WHERE id = 't1'",
            edit: "UPDATE tasks SET title = 'Rye' WHERE id = 't2'",
            read: "SELECT quote(\(column)) || title FROM tasks ORDER BY id"
        )
    }

    private static let refused = [
        slate("created_at", "'garbage'", "'2025-01-01T00:00:00Z'"), slate("due_date", "'2026-02-30'", "'2026-02-28'"),
        slate("depends_on_task_id", "''", "'t2'"),
        Refused(
            app: .slate,
            rows: slateRows,
            bad: "INSERT INTO meta (key, value) VALUES ('day_start', '25:00')",
            good: "UPDATE meta SET value = '03:00' WHERE key = 'day_start'",
            edit: "UPDATE tasks SET title = 'Rye' WHERE id = 't2'",
            read: "SELECT value FROM meta WHERE key = 'day_start' UNION ALL SELECT title FROM tasks"
        ),
        Refused(
            app: .study,
            rows: """
                INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds) VALUES
                ('s1', 'd', 'Maths', 'completed', '2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', 3600),
                ('s2', 'd', 'Physics', 'active', '2026-01-02T10:00:00Z', NULL, 0)
                """,
            bad: "UPDATE session SET end_time = '2026-01-01T09:00:00Z' WHERE id = 's1'",
            good: "UPDATE session SET end_time = '2026-01-01T12:00:00Z' WHERE id = 's1'",
            edit: "UPDATE session SET title = 'Rye' WHERE id = 's2'",
            read: "SELECT title || coalesce(end_time, '') FROM session ORDER BY id"
        ),
    ]

    @Test("What the app's reader would refuse stays on its device, by name, and all else goes on", arguments: refused)
    func refusedByReader(_ row: Refused) throws {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", row.app, in: sandbox), try Device("Phone", row.app, in: sandbox))
        try laptop.sql(row.rows)
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        let before = try phone.column(row.read)
        try laptop.sql(row.bad)
        try laptop.sql(row.edit)
        for _ in 0..<2 {
            let outcome = try laptop.sync()
            #expect(kinds(outcome) == [.unreadable])
            #expect(outcome.issues.first?.record != nil, "\(outcome.issues)")
        }
        #expect(try phone.sync().issues.isEmpty)
        let after = try phone.column(row.read)
        #expect(after != before && after.contains { $0.contains("Rye") })
        #expect(after.first == before.first)
        try laptop.sql(row.good)
        #expect(try laptop.sync().issues.isEmpty)
        try phone.sync()
        #expect(try phone.column(row.read) == laptop.column(row.read))
    }

    @Test("What ends before its start, as two devices moved one each, ends at it until somebody corrects that")
    func mergedUnreadable() throws {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", .tracker, in: sandbox), try Device("Phone", .tracker, in: sandbox))
        try laptop.sql(
            "INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('s1', 'Maths', 1767000000000, 1767007200000)"
        )
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sql("UPDATE activity SET start_ms = 1767005400000")
        try phone.sql("UPDATE activity SET end_ms = 1767003600000")
        try laptop.sync()
        // Each change can be read; together they would be refused by the app.
        for device in [phone, laptop] {
            #expect(try device.sync().issues.isEmpty)
            #expect(try device.column("SELECT end_ms - start_ms FROM activity") == ["0"])
            #expect(try device.replica().conflicts().count == 1)
        }
        // Whoever corrects it corrects it everywhere.
        try laptop.sql("UPDATE activity SET end_ms = 1767009000000")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.sync().issues.isEmpty && phone.sync().issues.isEmpty)
        #expect(try laptop.rows("activity") == phone.rows("activity"))
    }
}
