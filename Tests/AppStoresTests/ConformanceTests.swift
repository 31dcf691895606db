import AppList
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@Suite struct ConformanceTests {
    /// What fills a store, an edit of its app's, and the record that it changes.
    struct Sample: Sendable {
        let app: AppID
        let rows: String
        let edit: String
        let key: StoreRecordKey
    }

    private static let declaration = """
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, size REAL, data BLOB, seen INTEGER NOT NULL DEFAULT 0,
            up INTEGER REFERENCES note (id) ON DELETE SET NULL);
        CREATE TABLE note_tag (note INTEGER NOT NULL REFERENCES note (id), tag INTEGER NOT NULL REFERENCES tag (id),
            PRIMARY KEY (note, tag));
        CREATE TABLE word (word TEXT PRIMARY KEY NOT NULL, used INTEGER);
        """

    private static let time = "'2026-01-01T00:00:00Z'"
    static let samples = [
        Sample(
            app: .slate,
            rows: "INSERT INTO habits (id, title, created_at, updated_at) VALUES ('x', 'X', \(time), \(time)), "
                + "('y', 'Y', \(time), \(time))",
            edit: "UPDATE habits SET title = 'Z' WHERE id = 'x'",
            key: StoreRecordKey("habits", "x")
        ),
        Sample(
            app: .bztimer,
            rows: "INSERT INTO session (id, position, name) VALUES ('x', 1, 'X'), ('y', 2, 'Y')",
            edit: "UPDATE session SET name = 'Z' WHERE id = 'x'",
            key: StoreRecordKey("sessions", "x")
        ),
        Sample(
            app: .tracker,
            rows: "INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('x', 'X', 1767000000000, 1767000600000), "
                + "('y', 'Y', 1767000000000, 1767000600000)",
            edit: "UPDATE activity SET name = 'Z' WHERE id = 'x'",
            key: StoreRecordKey("activities", "x")
        ),
        Sample(
            app: .study,
            rows: "INSERT INTO session (id, device_id, title, status, start_time, accumulated_seconds) VALUES "
                + "('x', 'd', 'X', 'active', '2026-01-01T08:00:00Z', 0), ('y', 'd', 'Y', 'active', '2026-01-01T08:00:00Z', 0)",
            edit: "UPDATE session SET title = 'Z' WHERE id = 'x'",
            key: StoreRecordKey("sessions", "x")
        ),
        Sample(
            app: AppID("notes"),
            rows:
                "INSERT INTO tag VALUES (3, 'red'), (4, 'blue'); INSERT INTO note VALUES (1, 'a', 2.0, x'00ff', 0, 2), "
                + "(2, 'b', NULL, NULL, 1, NULL); INSERT INTO note_tag VALUES (1, 3), (2, 4); INSERT INTO word VALUES ('w', 9)",
            edit: "UPDATE word SET used = 10",
            key: StoreRecordKey("word", "w")
        ),
    ]

    @Test(arguments: samples) func `a store does what synchronisation relies on`(sample: Sample) throws {
        let sandbox = try Sandbox()
        let paths = ["filled", "empty"].map { sandbox.path("\($0).db") }
        for path in paths {
            if AppID.reserved.contains(sample.app) {
                try AppStores.all.make(sample.app, at: path)
                continue
            }
            try DatabaseQueue(path: path).write { try $0.execute(sql: Self.declaration) }
            try DeclaredStores.declare(DatabaseDeclarer.declare(path, app: sample.app.rawValue), path)
        }
        let queue = try DatabaseQueue(path: paths[0])
        try queue.write { try $0.execute(sql: sample.rows) }
        let conformance = StoreAdapterConformance(
            filled: try AppStores.all.open(paths[0]),
            empty: try AppStores.all.open(paths[1])
        ) {
            try queue.write { try $0.execute(sql: sample.edit) }
            return [sample.key]
        }
        #expect(try conformance.faults() == [])
    }
}
