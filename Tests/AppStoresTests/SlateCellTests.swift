@testable import RecordStore
import Foundation
import SQLiteDatabase
@testable import Slate
import StrictJSON
import Testing
import TestSupport

@Suite("Cells of every awkward kind")
struct SlateCellTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
        try sandbox.database(holding: try Self.content())
    }

    static func content() throws -> SlateContent {
        try SlateContent.made(
            meta: "{\"day_start\": \"04:00\"}",
            [
                .tasks: [SlateRow.task("a"), SlateRow.task("b", ", \"depends_on_task_id\": \"a\"")],
                .habits: [SlateRow.habit("h")],
                .habitCompletions: [SlateRow.completion("c", "h", "2026-01-01")],
                .dayPlan: ["{\"date\": \"2026-01-01\", \"perfect_day\": 1}"],
                .dayPlanItems: [SlateRow.item("i", "2026-01-01", "habit", "h")],
                .activityLog: [SlateRow.log("l", details: "{\"n\": 1.50}")],
                .daySnapshots: ["{\"date\": \"2026-01-01\", \"habits\": []}"],
            ]
        )
    }

    /// What no export can hold, and what the message says.
    static let faults = [
        ("UPDATE tasks SET title = x'00FF' WHERE id = 'b'", "tasks", "\"b\"", "a blob of 2 bytes", "title"),
        ("UPDATE tasks SET is_done = 2 WHERE id = 'b'", "tasks", "\"b\"", "the number 2", "is_done"),
        ("UPDATE tasks SET is_done = -1 WHERE id = 'b'", "tasks", "\"b\"", "the number -1", "is_done"),
        ("UPDATE tasks SET archived = 'yes' WHERE id = 'b'", "tasks", "\"b\"", "the text \"yes\"", "archived"),
        ("UPDATE tasks SET is_done = 0.5 WHERE id = 'b'", "tasks", "\"b\"", "the number 0.5", "is_done"),
        (
            "UPDATE tasks SET depends_on_task_id = x'61' WHERE id = 'b'", "tasks", "\"b\"", "a blob",
            "depends_on_task_id"
        ),
        ("UPDATE tasks SET title = CAST(x'4180FF' AS TEXT) WHERE id = 'b'", "tasks", "\"b\"", "no UTF-8", "title"),
        ("UPDATE tasks SET notes = CAST(x'EDA080' AS TEXT) WHERE id = 'b'", "tasks", "\"b\"", "no UTF-8", "notes"),
        ("UPDATE tasks SET notes = 'long enough ' || CAST(x'C3' AS TEXT)", "tasks", "\"a\"", "no UTF-8", "notes"),
        ("UPDATE tasks SET id = CAST(x'C328' AS TEXT) WHERE id = 'b'", "tasks", "a row", "no UTF-8", "id"),
        ("UPDATE tasks SET id = NULL WHERE id = 'b'", "tasks", "a row", "NULL", "id"),
        ("UPDATE tasks SET id = x'62' WHERE id = 'b'", "tasks", "a row", "a blob", "id"),
        ("UPDATE habits SET active = NULL", "habits", "", "", ""),
        ("UPDATE habit_completions SET date = x'00'", "habit_completions", "\"c\"", "a blob", "date"),
        ("UPDATE day_plan SET perfect_day = 7", "day_plan", "\"2026-01-01\"", "the number 7", "perfect_day"),
        ("UPDATE day_plan SET date = x'00'", "day_plan", "a row", "a blob", "date"),
        ("UPDATE activity_log SET details = x'7B7D'", "activity_log", "\"l\"", "a blob", "details"),
        (
            "UPDATE activity_log SET details = CAST(x'7B22FF227D' AS TEXT)", "activity_log", "\"l\"", "no UTF-8",
            "details"
        ),
        ("UPDATE day_snapshots SET habits = x'5B5D'", "day_snapshots", "\"2026-01-01\"", "a blob", "habits"),
        ("UPDATE meta SET value = x'00' WHERE key = 'day_start'", "meta", "\"day_start\"", "no text", ""),
        ("UPDATE meta SET value = CAST(x'FF' AS TEXT) WHERE key = 'day_start'", "meta", "\"day_start\"", "UTF-8", ""),
        ("INSERT INTO meta VALUES (NULL, 'x')", "meta", "", "key", ""),
        ("INSERT INTO meta VALUES (CAST(x'FF' AS TEXT), 'x')", "meta", "", "key", ""),
    ]

    /// An export fails and says where; nothing traps, whatever else is asked.
    @Test(arguments: faults)
    func fault(_ sql: String, _ table: String, _ row: String, _ found: String, _ column: String) throws {
        // Databases that others made may lack what the app's own demand.
        if sql.contains("active = NULL") {
            #expect(throws: DatabaseError.self) { try sandbox.sql(sql) }
            return
        }
        try sandbox.sql(sql)
        let database = try SlateDatabase(path: path, for: .reading)
        let error = try storeError { _ = try database.exported() }
        #expect(error?.code == .value)
        for word in [table, row, found, column] where !word.isEmpty {
            #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        }
        _ = try storeError {
            try database.read { records in
                _ = try (records.habits(), records.taskCounts(), records.plannedDays(), records.completions())
                _ = try records.metaTexts()
            }
        }
        for mode in SlateImportMode.allCases {
            let options = SlateImportOptions.test(mode, perfectDays: .all)
            try sandbox.copy("slate.db", to: "copy.db")
            let content = try SlateContent.made([.tasks: [SlateRow.task("new")]])
            let error = try storeError { _ = try sandbox.writer("copy.db").importing(content, options) }
            #expect(
                error == nil || error?.code == .value || error?.code == .reference,
                "\(mode) \(error?.message ?? "")"
            )
        }
    }

    /// A good file takes the place of what cannot be read.
    @Test(arguments: faults.map(\.0).filter { $0.contains("= 'b'") && !$0.contains("SET id") })
    func aReplaceMendsWhatCannotBeRead(_ sql: String) throws {
        let before = try sandbox.exported()
        try sandbox.sql(sql)
        let database = try sandbox.writer()
        let result = try database.importing(try Self.content(), .test(.replace))
        #expect(result.plan.count(.update) == 1)
        #expect(result.plan.parts.flatMap(\.actions).first?.reason.contains("cannot be read") == true)
        #expect(try database.exported() == before)
    }

    @Test func aMergeLeavesWhatCannotBeRead() throws {
        try sandbox.sql("UPDATE tasks SET title = x'00FF' WHERE id = 'b'")
        let row = SlateRow.task("b", at: "2027-01-01T00:00:00Z")
        let result = try sandbox.writer().importing(
            try SlateContent.made([.tasks: [row, SlateRow.task("n")]]),
            .test(.merge)
        )
        #expect(result.plan.count(.keep) == 1)
        #expect(result.plan.count(.create) == 1)
        #expect(try sandbox.rows("SELECT id, hex(title) FROM tasks WHERE id = 'b'") == ["b|00FF"])
    }

    /// Numbers in a column of text are text to SQLite.
    @Test func numbersInTextColumns() throws {
        try sandbox.sql("UPDATE tasks SET title = 12, notes = 1.5 WHERE id = 'b'")
        let text = try sandbox.exportedText()
        #expect(text.contains("\"title\": \"12\"") && text.contains("\"notes\": \"1.5\""))
    }

    /// What the app wrote where JSON should be comes out as text, and back in as it was.
    @Test(arguments: [
        "", " ", "no JSON", "[1]", "\"text\"", "null", "7", "{\"a\": 1, \"a\": 2}", "{\"n\": 1e400}", "{\"a\": 1} x",
        "{",
        "{\"a\": \"\u{0}\"}", "\u{FEFF}{}",
        String(repeating: "{\"a\":", count: 200) + "1" + String(repeating: "}", count: 200),
        String(repeating: "{\"a\":", count: 126) + "1" + String(repeating: "}", count: 126),
        "quote \" and \\ and \u{1F3CB}",
    ])
    func textsThatAreNoJSONObject(_ text: String) throws {
        let queue = try sandbox.plain()
        try queue.writeWithoutTransaction { database in
            let hex = Data(text.utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try database.execute(sql: "UPDATE activity_log SET details = CAST(x'\(hex)' AS TEXT)")
        }
        try queue.close()
        let exported = try sandbox.exported()
        let content = try SlateContent.read(exported)
        #expect(try JSONDocument(parsing: exported).root["activity_log"]?[0]?["details"]?.string == text)
        try sandbox.database("second.db", holding: content)
        #expect(try sandbox.exported("second.db") == exported)
        let query = "SELECT hex(details), typeof(details) FROM activity_log"
        #expect(try sandbox.rows(query, in: "second.db") == sandbox.rows(query))
        #expect(try sandbox.writer().importing(content, .test(.replace)).plan.isEmpty)
    }

    /// JSON comes out as it is, however it is laid out, and with its numbers as they are written.
    @Test(arguments: [
        (
            "{\"n\": 1.50,\n\t\"m\":1E2, \"big\": 123456789012345678901234567890 }",
            "{\"n\":1.50,\"m\":1E2,\"big\":123456789012345678901234567890}"
        ),
        ("{}", "{}"), ("  {\"\\u0061\": \"\\u00e9\\/\"}", "{\"a\":\"é/\"}"),
        ("{\"é\":1,\"e\u{301}\":2}", "{\"é\":1,\"e\u{301}\":2}"),
        (
            String(repeating: "{\"a\":", count: 125) + "1" + String(repeating: "}", count: 125),
            String(repeating: "{\"a\":", count: 125) + "1" + String(repeating: "}", count: 125)
        ),
    ])
    func JSONAsItIs(_ text: String, _ compact: String) throws {
        try sandbox.sql("UPDATE activity_log SET details = '\(text)'")
        let exported = try sandbox.exported()
        #expect(
            try JSONDocument(parsing: exported).root["activity_log"]?[0]?["details"]?.value.text(.compact) == compact
        )
        let content = try SlateContent.read(exported)
        #expect(try sandbox.writer().importing(content, .test(.replace)).plan.isEmpty)
        try sandbox.database("second.db", holding: content)
        #expect(try sandbox.rows("SELECT details FROM activity_log", in: "second.db") == [compact])
        #expect(try sandbox.exported("second.db") == exported)
    }

    /// Texts of every kind come back byte for byte, as keys and as values.
    @Test(arguments: [
        "", "\\u0000", "a\\u0000b", "\\u0000a", "\\\"\\\\\\n\\u0001\\u007f", "é", "e\\u0301",
        "\u{1F469}\u{200D}\u{1F680}",
        "\u{FFFD}\u{FFFF}\u{10FFFF}\u{E000}", "\u{202E}\u{FEFF}", "'; DROP TABLE tasks; --", "%s %n ? ?1 :a @b $c",
    ])
    func textsComeBack(_ text: String) throws {
        let other = "{\"k\(text)\": \"v\(text)\", \"null\(text)\": null, \"n\(text)\": 1.0}"
        let id = "x\(text)"
        let content = try SlateContent.made(
            meta: other,
            other: ", \"top\(text)\": \(other)",
            [
                .tasks: [
                    SlateRow.task(id, ", \"notes\": \"\(text)\", \"u\(text)\": \(other)", title: text),
                    SlateRow.task("y\(text)", ", \"depends_on_task_id\": \"\(id)\""),
                ],
                .habits: [SlateRow.habit(id)],
                .habitCompletions: [SlateRow.completion(id, id, "2026-01-01")],
                .dayPlanItems: [SlateRow.item(id, "2026-01-01", "task", id)],
                .activityLog: [SlateRow.log(id, details: other)],
                .daySnapshots: [
                    "{\"date\": \"2026-01-01\", \"habits\": [\(other), \"\(text)\"], \"slate_tasks\": \"\(text)\"}"
                ],
            ]
        )
        let expected = try content.encoded()
        let database = try sandbox.database("new.db", holding: content)
        #expect(try database.exported() == expected)
        #expect(try database.read { try $0.count(.tasks) } == 2)
        for mode in SlateImportMode.allCases {
            #expect(try sandbox.writer("new.db").importing(content, .test(mode)).plan.isEmpty)
        }
        // The same facts under other ids.
        let facts = try SlateContent.made([
            .tasks: [SlateRow.task(id)], .habits: [SlateRow.habit(id)],
            .habitCompletions: [SlateRow.completion("other", id, "2026-01-01")],
            .dayPlanItems: [SlateRow.item("other", "2026-01-01", "task", id)],
        ])
        let plan = try database.read { try $0.plan(facts, mode: .merge) }
        #expect(plan.count(.skip) == 2 && plan.isEmpty)
    }

    @Test func longTextsComeBack() throws {
        let long = String(repeating: "0123456789abcdé", count: 327_680)
        let content = try SlateContent.made(
            meta: "{\"m\": \"\(long)\"}",
            [
                .tasks: [SlateRow.task("a", ", \"notes\": \"\(long)\", \"own\": \"\(long)\"")],
                .activityLog: [SlateRow.log("l", details: "{\"d\": \"\(long)\"}")],
            ]
        )
        #expect(try sandbox.database("new.db", holding: content).exported() == content.encoded())
    }

    /// Order is that of UTF-8, in which U+FFFF precedes U+10000; in UTF-16 it does not.
    @Test func rowsLieInTheOrderOfTheirBytes() throws {
        let ids = ["\u{10000}", "\u{FFFF}", "Z", "a", "é", "\u{1F3CB}", "A\u{0}", "A", "A "]
        for name in ["new.db", "again.db"] {
            let rows = ids.shuffled().map { SlateRow.task($0.replacingOccurrences(of: "\u{0}", with: "\\u0000")) }
            try sandbox.database(name, holding: try SlateContent.made([.tasks: rows]))
        }
        let exported = try sandbox.exported("new.db")
        #expect(try sandbox.exported("again.db") == exported)
        let found = try JSONDocument(parsing: exported).root["tasks"]?.elements.compactMap { $0["id"]?.string } ?? []
        #expect(found.map { Array($0.utf8) } == ids.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func referencesThatLeadNowhereAreWarnedOf() throws {
        try sandbox.sql(
            """
            DELETE FROM habits;
            UPDATE tasks SET depends_on_task_id = 'gone' WHERE id = 'b';
            INSERT INTO tasks (id, title, created_at, updated_at, depends_on_task_id) VALUES
                ('p', 'x', '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z', 'q'),
                ('q', 'x', '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z', 'p');
            """
        )
        let database = try SlateDatabase(path: path, for: .reading)
        let export = try database.export(exportedAt: "2026-01-07T21:30:00+01:00") { _ in }
        #expect(
            export.warnings.map(\.code) == [
                "slate.dangling-plan-item", "slate.dangling-dependency", "slate.dependency-cycle",
            ]
        )
        #expect(export.counts[.tasks] == 4)
        #expect(export.warnings[2].message.contains("\"x\" → \"x\" → \"x\""))
    }
}
