import AppStores
import DirectorySync
import TestSupport
import Testing

@Suite("Members that follow from others, and members that nobody knows")
struct DerivedTests {
    private func pair(_ app: SyncApp, _ sql: String) throws -> (Device, Device) {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", app, in: sandbox)
        let phone = try Device("Phone", app, in: sandbox)
        try laptop.sql(sql)
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sync()
        return (laptop, phone)
    }

    @Test("A day that another program calls perfect is what its habits make of it, on each device")
    func perfectDay() throws {
        let (laptop, phone) = try pair(
            .slate,
            """
            INSERT INTO habits (id, title, created_at, updated_at) VALUES ('h', 'Run', '2026-01-01', '2026-01-01');
            INSERT INTO day_plan (date, perfect_day) VALUES ('2026-01-02', 0);
            """
        )
        try phone.sql("UPDATE day_plan SET perfect_day = 1")
        let outcome = try phone.sync()
        #expect(outcome.published.isEmpty && outcome.written == 0)
        #expect(try phone.column("SELECT perfect_day FROM day_plan") == ["0"])
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
        // What is so stays so.
        try phone.sql(
            """
            INSERT INTO habit_completions (id, habit_id, date, completed_at) VALUES ('c', 'h', '2026-01-02', '2026-01-02');
            UPDATE day_plan SET perfect_day = 1;
            """
        )
        for device in [phone, laptop] { try device.sync() }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
        #expect(try laptop.column("SELECT perfect_day FROM day_plan") == ["1"])
    }

    @Test("The seconds of a session that another program set follow from its events, on each device")
    func accumulatedSeconds() throws {
        let (laptop, phone) = try pair(
            .study,
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'completed', '2026-01-01T08:00:00Z', '2026-01-01T08:10:00Z', 600);
            INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e1', 's', 'started', '2026-01-01T08:00:00Z'),
                ('e2', 's', 'stopped', '2026-01-01T08:10:00Z');
            """
        )
        try phone.sql("UPDATE session SET accumulated_seconds = 7")
        #expect(try phone.sync().published.isEmpty)
        #expect(try phone.column("SELECT accumulated_seconds FROM session") == ["600"])
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
    }

    /// Rows with a member that the format does not know, and the statements that take it away.
    struct Example: Sendable {
        let app: SyncApp
        let table: String
        let sql: String
        let without: String
        let null: String
    }

    private static func example(_ app: SyncApp, _ table: String, _ row: String) -> Example {
        Example(
            app: app,
            table: table,
            sql: "INSERT INTO \(table) \(row)",
            without: "UPDATE \(table) SET extra = NULL",
            null: "UPDATE \(table) SET extra = '{\"mood\":null}'"
        )
    }

    static let unknown = [
        Example(
            app: .slate,
            table: "satchel_extra",
            sql: """
                INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', '2026', '2026');
                CREATE TABLE satchel_extra (table_name TEXT NOT NULL, row_key TEXT NOT NULL, members TEXT NOT NULL,
                    PRIMARY KEY (table_name, row_key)) WITHOUT ROWID;
                INSERT INTO satchel_extra VALUES ('tasks', 't', '{"mood":"good","energy":2}');
                """,
            without: "UPDATE satchel_extra SET members = '{\"energy\":2}'",
            null: "UPDATE satchel_extra SET members = '{\"energy\":2,\"mood\":null}'"
        ),
        example(.bztimer, "session", "(id, position, name, extra) VALUES ('s', 1, 'S', '{\"mood\":\"good\"}')"),
        example(
            .tracker,
            "activity",
            """
            (id, name, start_ms, end_ms, extra) VALUES ('a', 'A', 1767000000000, 1767000600000, '{"mood":"good"}')
            """
        ),
        example(
            .study,
            "session",
            """
            (id, device_id, title, status, start_time, accumulated_seconds, extra)
            VALUES ('s', 'd', 'S', 'active', '2026-01-01T08:00:00Z', 0, '{"mood":"good"}')
            """
        ),
    ]

    @Test("A member that nobody knows and a program left out comes back; null is null for all", arguments: unknown)
    func unknownMember(_ example: Example) throws {
        let (laptop, phone) = try pair(example.app, example.sql)
        let rows = try laptop.rows(example.table)
        // A program that does not know a member leaves it out: that is no reason to take it from all.
        try phone.sql(example.without)
        let outcome = try phone.sync()
        #expect(outcome.published.isEmpty && outcome.written == 1)
        #expect(try phone.rows(example.table).map(sorted) == rows.map(sorted))
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
        try phone.sql(example.null)
        #expect(try phone.sync().published.flatMap(\.records).map(\.members) == [["mood"]])
        try laptop.sync()
        #expect(try laptop.rows(example.table).map(sorted) == phone.rows(example.table).map(sorted))
        #expect(try laptop.rows(example.table).first?.contains("null") == true)
    }

    private func sorted(_ text: String) -> String { String(text.sorted()) }
}
