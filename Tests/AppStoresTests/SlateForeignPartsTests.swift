import FormatKit
@testable import RecordStore
@testable import BZTimer
import CivilTime
import Foundation
import SQLiteDatabase
@testable import Slate
import StrictJSON
import Testing
import TestSupport

@Suite("What the program does not know of a database")
struct SlateForeignPartsTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
        try sandbox.database(holding: try SlateContent.autumnWeek())
    }

    @Test func unknownTablesAreNamedAndExcludedByName() throws {
        let before = try sandbox.exported()
        try sandbox.sql("CREATE TABLE projects (id TEXT); CREATE VIRTUAL TABLE words USING fts5 (title)")
        let error = try storeError { _ = try sandbox.exported() }
        #expect(error?.code == .unknownTable)
        #expect(error?.message.contains("\"projects\"") == true && error?.message.contains("\"words_data\"") == true)
        #expect(error?.message.contains("--exclude projects --exclude words") == true)
        #expect(try storeError { _ = try sandbox.exported(excluding: ["projects"]) }?.code == .unknownTable)
        let words = try sandbox.rows("SELECT name FROM sqlite_master WHERE name LIKE 'words%'")
        #expect(try sandbox.exported(excluding: Set(["projects"] + words)) == before)
        // What is not there, or what is known, cannot be left out.
        let wrong = try storeError { _ = try sandbox.exported(excluding: ["projects", "tasks", "none", "tasks.none"]) }
        #expect(wrong?.code == .exclusion)
        #expect(wrong?.message.contains("\"none\", \"tasks\", \"tasks.none\"") == true)
    }

    /// expo-sqlite's kv-store keeps the app's settings in a table of its own.
    @Test func settingsAreBackedUpAndRestored() throws {
        let without = try sandbox.exported()
        try sandbox.sql(
            """
            CREATE TABLE storage (key TEXT PRIMARY KEY NOT NULL, value TEXT);
            INSERT INTO storage VALUES ('day_start', '04:00'), ('sounds', 'true'), ('none', NULL);
            """
        )
        let bytes = try sandbox.exported()
        let content = try SlateContent.read(bytes)
        #expect(content.unknownMembers["storage"] == ["day_start": "04:00", "none": nil, "sounds": "true"])
        #expect(try sandbox.exported(excluding: ["storage"]) == without)
        // Into a new database, and back into one whose settings were changed since.
        _ = try sandbox.database("new.db", holding: content)
        #expect(try sandbox.exported("new.db") == bytes)
        let all = "SELECT key || '=' || coalesce(value, 'NULL') FROM storage ORDER BY key"
        #expect(try sandbox.rows(all, in: "new.db") == ["day_start=04:00", "none=NULL", "sounds=true"])
        try sandbox.sql("UPDATE storage SET value = 'false'; INSERT INTO storage VALUES ('new', 'x')", in: "new.db")
        _ = try sandbox.writer("new.db").importing(content, .test(.replace))
        #expect(try sandbox.exported("new.db") == bytes)
        // A backup from before them deletes none.
        _ = try sandbox.writer("new.db").importing(SlateContent.read(without), .test(.replace))
        #expect(try sandbox.exported("new.db") == bytes)
        // Another table of that name is nobody's settings.
        try sandbox.sql("ALTER TABLE storage ADD COLUMN extra TEXT")
        #expect(try storeError { _ = try sandbox.exported() }?.code == .unknownTable)
    }

    /// By default kv-store has a file of its own, beside the app's databases.
    @Test func settingsBesideTheDatabaseAreBackedUpAndRestored() throws {
        let without = try sandbox.exported()
        let table = "CREATE TABLE storage (key TEXT PRIMARY KEY NOT NULL, value TEXT);"
        try sandbox.sql(
            table + "INSERT INTO storage VALUES ('day_start', '04:00'), ('sounds', 'true')",
            in: "ExpoSQLiteStorage"
        )
        let bytes = try sandbox.exported()
        let content = try SlateContent.read(bytes)
        #expect(content.unknownMembers["storage"] == ["day_start": "04:00", "sounds": "true"])
        #expect(try sandbox.exported(excluding: ["ExpoSQLiteStorage"]) == without)
        let all = "SELECT key || '=' || coalesce(value, 'NULL') FROM storage ORDER BY key"
        try sandbox.sql(
            "UPDATE storage SET value = 'x'; INSERT INTO storage VALUES ('new', 'y')",
            in: "ExpoSQLiteStorage"
        )
        let changed = try sandbox.rows(all, in: "ExpoSQLiteStorage")
        let result = try sandbox.writer().importing(content, .test(.replace))
        #expect(try sandbox.exported() == bytes)
        #expect(try sandbox.rows(all, in: "ExpoSQLiteStorage") == ["day_start=04:00", "sounds=true"])
        #expect(try sandbox.rows("SELECT count(*) FROM sqlite_master WHERE name = 'storage'") == ["0"])
        let plan = result.plan.parts.first { $0.part == .meta }
        #expect([plan?.count(.update), plan?.count(.remove)] == [2, 1])
        // An undo brings them back, and says which.
        let undo = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(try sandbox.rows(all, in: "ExpoSQLiteStorage") == changed)
        #expect(undo.plan.members?.map(\.key) == ["storage/day_start", "storage/sounds", "storage/new"])
        #expect(undo.plan.members?.first?.fields.first?.old == "04:00")
        // A dry run leaves them alone; merging adds keys and keeps values.
        let scratch = sandbox.path("scratch")
        try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
        _ = try SlateDatabase.dryRun(path, at: scratch + "/slate.db", content, .test(.replace))
        #expect(try sandbox.rows(all, in: "ExpoSQLiteStorage") == changed)
        _ = try sandbox.writer().importing(
            SlateContent.read(
                Array(String(decoding: bytes, as: UTF8.self).replacing("\"sounds\"", with: "\"fresh\"").utf8)
            ),
            .test(.merge, second: 5)
        )
        #expect(try sandbox.rows(all, in: "ExpoSQLiteStorage") == ["day_start=x", "fresh=true", "new=y", "sounds=x"])
        // Two places with settings: a person decides.
        try sandbox.sql(table + "INSERT INTO storage VALUES ('old', '1')")
        #expect(try storeError { _ = try sandbox.exported() }?.code == .settings)
        #expect(
            try SlateContent.read(sandbox.exported(excluding: ["ExpoSQLiteStorage"])).unknownMembers["storage"] == [
                "old": "1"
            ]
        )
        try sandbox.sql("DELETE FROM storage")
        #expect(try SlateContent.read(sandbox.exported()).unknownMembers["storage"]?["new"] == "y")
        // A file of that name with something else in it.
        try sandbox.sql("ALTER TABLE storage ADD COLUMN extra TEXT", in: "ExpoSQLiteStorage")
        let error = try storeError { _ = try sandbox.exported(excluding: ["storage"]) }
        #expect(error?.code == .unknownTable && error?.message.contains("--exclude ExpoSQLiteStorage") == true)
    }

    @Test func malformedSettingsAreRefused() throws {
        let text = String(decoding: try sandbox.exported(), as: UTF8.self)
        for value in ["[]", "\"x\"", "{\"a\": 1}", "{\"a\": {}}"] {
            let bytes = Array(text.replacing("\"tasks\":", with: "\"storage\": \(value),\n  \"tasks\":").utf8)
            let reading = SlateFormat.read(bytes, name: "x.json")
            #expect(reading.content == nil, "\(value)")
            #expect(
                reading.diagnostics.first?.pointer?.description.hasPrefix("/storage") == true,
                "\(reading.diagnostics)"
            )
        }
    }

    @Test func unknownColumnsAreNamedAndExcludedByName() throws {
        let before = try sandbox.exported()
        try sandbox.sql(
            "ALTER TABLE tasks ADD COLUMN priority INTEGER; ALTER TABLE tasks ADD COLUMN \"a b\" TEXT DEFAULT 'x'"
        )
        for purpose in [SlateDatabase.Purpose.reading, .writing(mustExist: true, upgrading: true)] {
            let error = try storeError { _ = try SlateDatabase(path: path, for: purpose) }
            #expect(error?.code == .unknownColumn)
            #expect(error?.message.contains("\"priority\", \"a b\"") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("--exclude tasks.priority") == true)
        }
        #expect(try storeError { _ = try sandbox.exported(excluding: ["tasks.priority"]) }?.code == .unknownColumn)
        #expect(try storeError { _ = try sandbox.exported(excluding: ["priority"]) }?.code == .exclusion)
        #expect(try sandbox.exported(excluding: ["tasks.priority", "tasks.a b"]) == before)
    }

    @Test func columnsAndTablesOfANewerAppAreNamedAtOnce() throws {
        let before = try sandbox.exported()
        try sandbox.sql(
            """
            ALTER TABLE tasks ADD COLUMN priority INTEGER; ALTER TABLE habits ADD COLUMN color TEXT;
            CREATE TABLE projects (id TEXT); CREATE TABLE "my tags" (id TEXT);
            """
        )
        let error = try storeError { _ = try sandbox.exported() }
        #expect(error?.code == .unknownColumn)
        let (columns, tables) =
            ("--exclude tasks.priority --exclude habits.color", "--exclude 'my tags' --exclude projects")
        let words =
            "the tables have columns \"tasks.priority\", \"habits.color\" that this program does not know, and would "
            + "lose; leave out on purpose with \(columns); an export would lack the tables \"my tags\", \"projects\" "
            + "as well: \(tables)"
        #expect(error?.message == words)
        #expect(try sandbox.exported(excluding: ["tasks.priority", "habits.color", "my tags", "projects"]) == before)
    }

    @Test func tablesOfToolsAreNoneOfThePersons() throws {
        let before = try sandbox.exported()
        try sandbox.sql(
            """
            CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, hash TEXT);
            INSERT INTO __drizzle_migrations (hash) VALUES ('x');
            CREATE TABLE android_metadata (locale TEXT);
            INSERT INTO android_metadata VALUES ('en_US');
            CREATE VIEW open_tasks AS SELECT * FROM tasks WHERE is_done = 0;
            ANALYZE;
            """
        )
        #expect(try sandbox.rows("SELECT count(*) FROM sqlite_sequence") == ["1"])
        #expect(try sandbox.exported() == before)
        _ = try sandbox.writer().importing(try SlateContent.made([.tasks: [SlateRow.task("x")]]), .test(.replace))
        #expect(try sandbox.rows("SELECT hash FROM __drizzle_migrations") == ["x"])
        #expect(try sandbox.rows("SELECT locale FROM android_metadata") == ["en_US"])
        #expect(try sandbox.rows("SELECT id FROM open_tasks") == ["x"])
        #expect(try sandbox.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test(arguments: SlateImportMode.allCases)
    func unknownTablesAndColumnsSurviveAnImport(mode: SlateImportMode) throws {
        try sandbox.sql(
            """
            CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT);
            INSERT INTO projects VALUES ('p', 'Garden');
            ALTER TABLE tasks ADD COLUMN priority INTEGER;
            INSERT INTO tasks (id, title, created_at, updated_at, priority) VALUES ('mine', 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 7);
            """
        )
        let row = SlateRow.task("mine", at: "2027-01-01T00:00:00Z")
        let database = try sandbox.writer(excluding: ["projects", "tasks.priority"])
        _ = try database.importing(try SlateContent.made([.tasks: [row]]), .test(mode))
        #expect(try sandbox.rows("SELECT * FROM projects") == ["p|Garden"])
        // A row that stays keeps what the format does not have.
        #expect(try sandbox.rows("SELECT id, title, priority FROM tasks WHERE id = 'mine'") == ["mine|Task mine|7"])
        _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(try sandbox.rows("SELECT id, title, priority FROM tasks WHERE id = 'mine'") == ["mine|x|7"])
    }

    /// Rows that are the same are not written anew: neither their foreign columns nor triggers notice the import.
    @Test func rowsThatStayAreLeftAlone() throws {
        let rows = (1...5).map { SlateRow.task("t\($0)", at: "2026-01-01T00:00:00Z") }
        _ = try sandbox.writer().importing(try SlateContent.made([.tasks: rows]), .test(.replace))
        try sandbox.sql(
            """
            ALTER TABLE tasks ADD COLUMN color TEXT;
            UPDATE tasks SET color = 'red';
            CREATE TABLE log (what TEXT, id TEXT);
            CREATE TRIGGER d AFTER DELETE ON tasks BEGIN INSERT INTO log VALUES ('delete', old.id); END;
            CREATE TRIGGER i AFTER INSERT ON tasks BEGIN INSERT INTO log VALUES ('insert', new.id); END;
            CREATE TRIGGER u AFTER UPDATE ON tasks BEGIN INSERT INTO log VALUES ('update', new.id); END;
            """
        )
        var changed = Array(rows.dropFirst())
        changed[0] = SlateRow.task("t2", title: "New", at: "2026-01-01T00:00:00Z")
        changed.append(SlateRow.task("t6", at: "2026-01-01T00:00:00Z"))
        let database = try sandbox.writer(excluding: ["log", "tasks.color"])
        let result = try database.importing(try SlateContent.made([.tasks: changed]), .test(.replace))
        let part = result.plan.parts.first { $0.part == .table(.tasks) }
        #expect([part?.count(.create), part?.count(.update), part?.count(.remove), part?.unchanged] == [1, 1, 1, 3])
        #expect(try sandbox.rows("SELECT what, id FROM log ORDER BY id") == ["delete|t1", "update|t2", "insert|t6"])
        #expect(
            try sandbox.rows("SELECT id, color FROM tasks ORDER BY id")
                == ["t2|red", "t3|red", "t4|red", "t5|red", "t6|NULL"]
        )
    }

    /// A store that synchronises has triggers, so that its rows are written one by one.
    @Test func uniqueValuesMoveBetweenRowsThatStay() throws {
        func content(_ completions: [(String, String)], _ items: [(String, String)]) throws -> SlateContent {
            try SlateContent.made([
                .habits: [SlateRow.habit("h")],
                .habitCompletions: completions.map { SlateRow.completion($0, "h", "2026-02-\($1)") },
                .dayPlanItems: items.map { SlateRow.item($0, "2026-02-\($1)", "habit", "h") },
            ])
        }
        let old = try content([("a", "01"), ("b", "02"), ("c", "05")], [("i", "01"), ("j", "02")])
        let new = try content([("a", "02"), ("b", "03"), ("c", "05"), ("d", "01")], [("i", "02"), ("j", "01")])
        try sandbox.database("rows.db", holding: old)
        for table in ["habit_completions", "day_plan_items"] {
            try sandbox.sql("CREATE TRIGGER on_\(table) AFTER UPDATE ON \(table) BEGIN SELECT 1; END", in: "rows.db")
        }
        _ = try sandbox.writer("rows.db").importing(new, .test(.replace))
        #expect(
            try sandbox.rows("SELECT id, date FROM habit_completions ORDER BY id", in: "rows.db")
                == ["a|2026-02-02", "b|2026-02-03", "c|2026-02-05", "d|2026-02-01"]
        )
        #expect(
            try sandbox.rows("SELECT id, date FROM day_plan_items ORDER BY id", in: "rows.db")
                == ["i|2026-02-02", "j|2026-02-01"]
        )
    }

    @Test func aColumnThatMustHaveAValueStopsAnImport() throws {
        try sandbox.sql(
            """
            DROP TABLE day_plan;
            CREATE TABLE day_plan (date TEXT PRIMARY KEY, perfect_day INTEGER NOT NULL DEFAULT 0, mood TEXT NOT NULL);
            INSERT INTO day_plan VALUES ('2020-01-01', 1, 'fine');
            """
        )
        let before = try sandbox.rows("SELECT * FROM day_plan")
        let database = try sandbox.writer(excluding: ["day_plan.mood"])
        let content = try SlateContent.made([.dayPlan: ["{\"date\": \"2026-01-01\"}"]])
        let error = try storeError { _ = try database.importing(content, .test(.replace)) }
        #expect(error?.code == .constraint)
        #expect(error?.message.contains("day_plan.mood") == true)
        #expect(try sandbox.rows("SELECT * FROM day_plan") == before)
    }

    @Test func indexesAndTriggersAreKeptAndWork() throws {
        try sandbox.sql(
            """
            CREATE INDEX my_titles ON tasks (title COLLATE NOCASE) WHERE is_done = 0;
            CREATE UNIQUE INDEX "my ""odd"" index" ON habits (lower(id));
            CREATE TABLE changes (id TEXT);
            CREATE TRIGGER count_tasks AFTER INSERT ON tasks BEGIN INSERT INTO changes VALUES (new.id); END;
            """
        )
        let schema = try sandbox.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name")
        let database = try sandbox.writer(excluding: ["changes"])
        for (second, mode) in SlateImportMode.allCases.enumerated() {
            let rows = ["x", "y"].map { SlateRow.task("\($0)\(second)") }
            let content = try SlateContent.made([.tasks: rows, .habits: [SlateRow.habit("h\(second)")]])
            _ = try database.importing(content, .test(mode, second: second))
        }
        #expect(try sandbox.rows("SELECT type, name, sql FROM sqlite_master ORDER BY name") == schema)
        #expect(try sandbox.rows("PRAGMA integrity_check") == ["ok"])
        #expect(try sandbox.rows("SELECT id FROM changes ORDER BY id") == ["x0", "x1", "y0", "y1"])
        let query = "SELECT id FROM tasks INDEXED BY my_titles WHERE is_done = 0 AND title = 'TASK X1' COLLATE NOCASE"
        #expect(try sandbox.rows(query) == ["x1"])
    }

    /// A unique index of the person's that the new rows break.
    @Test func anIndexThatCannotBeMadeAgain() throws {
        let before = try sandbox.exported()
        try sandbox.sql("CREATE UNIQUE INDEX one_title ON tasks (title)")
        let rows = ["a", "b"].map { SlateRow.task($0, title: "Same") }
        for mode in SlateImportMode.allCases {
            let error = try storeError {
                _ = try sandbox.writer().importing(try SlateContent.made([.tasks: rows]), .test(mode))
            }
            #expect(error?.code == .conflict)
            #expect(try sandbox.exported() == before)
            #expect(try sandbox.rows("SELECT name FROM sqlite_master WHERE name = 'one_title'") == ["one_title"])
        }
    }
}
