import BZTimer
import DirectorySync
import RecordStore
import Slate
import Testing
import TestSupport

@Suite("Members that follow from others, and members that nobody knows")
struct DerivedTests {
    private func pair(_ app: AppID, _ sql: String) throws -> (Device, Device) {
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

    @Test("What follows from other members, and another program set, is worked out again")
    func position() throws {
        let (laptop, phone) = try pair(
            .tracker,
            "INSERT INTO button (id, name, color, icon, is_default, position, is_visible) VALUES ('x', 'X', '#112233', 'star', 0, 100, 1)"
        )
        #expect(try phone.rows("button WHERE id = 'x'").count == 1)
        #expect(try laptop.replica().verify().digest == phone.replica().verify().digest)
    }

    /// Rows with a member that the format does not know, and the statements that take it away.
    struct Example: Sendable {
        let app: AppID
        let table: String
        let sql: String
        let without: String
        let null: String
    }

    private static func example(_ app: AppID, _ table: String, _ row: String) -> Example {
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
                INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
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

    @Test(
        "A member that nobody knows is removed by a store that keeps it; what an app left out comes back; null is null",
        arguments: unknown
    )
    func unknownMember(_ example: Example) throws {
        let (laptop, phone) = try pair(example.app, example.sql)
        let rows = try laptop.rows(example.table)
        try phone.sql(example.without)
        let without = try phone.rows(example.table)
        let outcome = try phone.sync()
        if example.app == .slate {
            // The app does not know the member, and leaves it out: that is no reason to take it from all.
            #expect(outcome.published.isEmpty && outcome.written == 1)
            #expect(try phone.rows(example.table).map(sorted) == rows.map(sorted))
        } else {
            #expect(outcome.published.flatMap(\.records).map(\.members) == [["mood"]] && outcome.written == 0)
            #expect(try laptop.sync().written == 1)
            #expect(try laptop.rows(example.table) == without && phone.rows(example.table) == without)
        }
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
        try phone.sql(example.null)
        #expect(try phone.sync().published.flatMap(\.records).map(\.members) == [["mood"]])
        try laptop.sync()
        #expect(try laptop.rows(example.table).map(sorted) == phone.rows(example.table).map(sorted))
        #expect(try laptop.rows(example.table).first?.contains("null") == true)
    }

    @Test("A removed detail stays away, and an earlier moment brings it back or takes it away")
    func detail() throws {
        let (laptop, phone) = try pair(
            .tracker,
            """
            INSERT INTO activity (id, name, start_ms, end_ms, extra)
                VALUES ('a', 'A', 1767000000000, 1767000600000, '{"client":"C","tags":["x","y"]}')
            """
        )
        phone.time.advance(30_000)
        let before = phone.time.now
        phone.time.advance(30_000)
        try phone.sql("UPDATE activity SET extra = '{\"client\":\"C\"}'")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("activity") == phone.rows("activity"))
        #expect(try laptop.rows("activity").first?.contains("tags") == false)
        phone.time.advance(60_000)
        let between = phone.time.now
        phone.time.advance(60_000)
        try phone.sql("UPDATE activity SET extra = '{\"client\":\"C\",\"description\":\"secret\"}'")
        try phone.sync()
        try laptop.sync()
        phone.time.advance(60_000)
        #expect(
            try phone.replica().restore(at: between).published.flatMap(\.records).map(\.members) == [["description"]]
        )
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("activity").first?.contains("secret") == false)
        #expect(try laptop.rows("activity") == phone.rows("activity"))
        _ = try phone.replica().restore(at: before)
        try phone.sync()
        #expect(try phone.rows("activity").first?.contains("tags") == true)
    }

    @Test("What a block and a session have beside what the format knows is removed with it")
    func blocks() throws {
        let (laptop, phone) = try pair(
            .bztimer,
            """
            INSERT INTO session (id, position, name, extra) VALUES ('s', 1, 'S', '{"moods":[1,2]}');
            INSERT INTO block (session_id, position, id, type, label, mode, duration_seconds, extra)
                VALUES ('s', 0, 'b', 'activity', 'B', 'duration', 30, '{"note":"hold"}');
            """
        )
        try phone.sql("UPDATE block SET extra = NULL; UPDATE session SET extra = NULL")
        #expect(try phone.sync().written == 0)
        try laptop.sync()
        for table in ["session", "block"] {
            #expect(try laptop.rows(table) == phone.rows(table))
            #expect(try laptop.rows("\(table) WHERE extra IS NOT NULL").isEmpty)
        }
    }

    private func sorted(_ text: String) -> String { String(text.sorted()) }
}
