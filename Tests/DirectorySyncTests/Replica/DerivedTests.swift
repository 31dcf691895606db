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
