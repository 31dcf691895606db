import CivilTime
@testable import RecordStore
@testable import Slate
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

@Suite("Databases of version 1")
struct SlateVersionOneTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
        try sandbox.appDatabase(version: 1)
        try sandbox.sql(
            """
            INSERT INTO meta VALUES ('day_start', '05:00');
            INSERT INTO tasks (id, title, created_at, updated_at) VALUES
                ('a', 'First', '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z'),
                ('b', 'Second', '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z');
            INSERT INTO day_plan_items VALUES ('i', '2026-01-01', 'task', 'a');
            """
        )
    }

    private func content() throws -> SlateContent {
        try SlateContent.made(
            meta: "{\"day_start\": \"05:00\"}",
            [
                .tasks: [
                    SlateRow.task("a", title: "First"), SlateRow.task("b", title: "Second"),
                ],
                .dayPlanItems: [SlateRow.item("i", "2026-01-01", "task", "a")],
            ]
        )
    }

    @Test func isReadAsItIs() throws {
        let before = try sandbox.bytes("slate.db")
        let database = try SlateDatabase(path: path, for: .reading)
        #expect(database.version == 1)
        #expect(try database.exported() == content().encoded())
        #expect(try database.read { try $0.count(.activityLog) } == 0)
        #expect(try database.read { try $0.plan(content(), mode: .replace) }.isEmpty)
        #expect(try sandbox.bytes("slate.db") == before)
        #expect(try sandbox.names() == ["slate.db"])
    }

    @Test func isNotWrittenToWithoutConsent() throws {
        let before = try sandbox.bytes("slate.db")
        let error = try storeError { _ = try sandbox.writer() }
        #expect(error?.code == .olderVersion)
        #expect(error?.message.contains("version 1") == true && error?.message.contains("version 2") == true)
        #expect(try sandbox.bytes("slate.db") == before)
    }

    @Test func isUpgradedWithTheImportAndComesBackWithTheUndo() throws {
        let exported = try sandbox.exported()
        let schema = try sandbox.rows("SELECT sql FROM sqlite_master ORDER BY name")
        let new = try SlateContent.autumnWeek()
        let database = try sandbox.writer(upgrading: true)
        let result = try database.importing(new, .test(.replace))
        #expect(try database.exported(at: new.exportedAt) == new.encoded())
        #expect(try sandbox.rows("SELECT value FROM meta WHERE key = 'schema_version'") == ["2"])
        #expect(try sandbox.rows("SELECT count(*) FROM sqlite_master WHERE name = 'idx_activity_log_entity'") == ["1"])
        let copy = try #require(result.safetyBackup)
        #expect(try SlateDatabase(path: copy.path, for: .reading).version == 1)

        _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(try SlateDatabase(path: path, for: .reading).version == 1)
        #expect(try sandbox.exported() == exported)
        #expect(try sandbox.rows("SELECT sql FROM sqlite_master ORDER BY name") == schema)
    }

    /// Nothing to import is no reason to upgrade; opening alone is none either.
    @Test func isNotUpgradedForNothing() throws {
        let before = try sandbox.bytes("slate.db")
        for mode in SlateImportMode.allCases {
            let result = try sandbox.writer(upgrading: true).importing(try content(), .test(mode))
            #expect(result.plan.isEmpty && result.safetyBackup == nil)
        }
        #expect(try sandbox.bytes("slate.db") == before)
        #expect(try sandbox.names() == ["slate.db"])
    }

    @Test func staysWhereAnImportFails() throws {
        let before = try sandbox.exported()
        try sandbox.sql("CREATE TRIGGER spoil AFTER INSERT ON tasks BEGIN DELETE FROM tasks WHERE id = new.id; END")
        let rows = try sandbox.rows("SELECT * FROM tasks")
        let error = try storeError {
            _ = try sandbox.writer(upgrading: true).importing(try SlateContent.autumnWeek(), .test(.replace))
        }
        #expect(error?.code == .reference || error?.code == .notAsPlanned)
        #expect(try SlateDatabase(path: path, for: .reading).version == 1)
        #expect(try sandbox.rows("SELECT * FROM tasks") == rows)
        #expect(try sandbox.exported() == before)
        #expect(throws: CancellationError.self) {
            _ = try sandbox.writer(upgrading: true)
                .importing(try SlateContent.autumnWeek(), .test(.replace), confirm: { _ in throw CancellationError() })
        }
        #expect(try SlateDatabase(path: path, for: .reading).version == 1)
    }

    @Test func tablesOfVersion2InADatabaseThatSays1AreUnknown() throws {
        try sandbox.sql("CREATE TABLE activity_log (id TEXT PRIMARY KEY, what TEXT)")
        try sandbox.sql("INSERT INTO activity_log VALUES ('x', 'lost')")
        #expect(try storeError { _ = try sandbox.exported() }?.code == .unknownTable)
    }
}
