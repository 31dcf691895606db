import CivilTime
@testable import FormatKit
@testable import RecordStore
@testable import Slate
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("An import that does not do what was planned is taken back")
struct SlateProofTests {
    let sandbox: Sandbox
    let path: String
    let before: [UInt8]

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
        let old = try SlateContent.made(
            meta: "{\"day_start\": \"04:00\"}",
            [
                .tasks: [SlateRow.task("old"), SlateRow.task("both")], .habits: [SlateRow.habit("h")],
                .habitCompletions: [SlateRow.completion("c", "h", "2026-01-01")],
                .dayPlan: ["{\"date\": \"2026-01-01\", \"perfect_day\": 1}"],
            ]
        )
        before = try sandbox.database(holding: old).exported()
    }

    private func file() throws -> SlateContent {
        try SlateContent.made(
            meta: "{\"installed_at\": \"2026-01-01T00:00:00Z\"}",
            [
                .tasks: [SlateRow.task("new"), SlateRow.task("both", title: "Newer", at: "2026-02-01T00:00:00Z")],
                .habits: [SlateRow.habit("h")],
            ]
        )
    }

    /// Triggers that spoil one thing each; those of a merge alone touch what a replace removes anyway.
    static let triggers = [
        ("UPDATE tasks SET title = 'spoilt' WHERE id = new.id", false),
        ("DELETE FROM tasks WHERE id = new.id", false),
        ("UPDATE tasks SET id = 'spoilt' WHERE id = new.id", false),
        ("INSERT OR IGNORE INTO tasks (id, title, created_at, updated_at) VALUES ('more', 'x', '2026', '2026')", false),
        ("INSERT OR REPLACE INTO meta VALUES ('spoilt', 'x')", false),
        ("INSERT OR IGNORE INTO day_plan (date) VALUES ('2030-01-01')", true),
        ("UPDATE tasks SET title = 'spoilt' WHERE id = 'old'", true),
        ("DELETE FROM tasks WHERE id = 'old'", true),
        ("UPDATE habit_completions SET date = '2020-01-01'", true),
        ("DELETE FROM day_plan", true),
        ("UPDATE day_plan SET perfect_day = 0", true),
    ]

    @Test(arguments: triggers, SlateImportMode.allCases)
    func trigger(_ trigger: (sql: String, isOfMerge: Bool), mode: SlateImportMode) throws {
        guard mode == .merge || !trigger.isOfMerge else { return }
        try sandbox.sql("CREATE TRIGGER spoil AFTER INSERT ON tasks BEGIN \(trigger.sql); END")
        let bytes = try sandbox.rows("SELECT * FROM tasks ORDER BY id")
        let error = try storeError { _ = try sandbox.writer().importing(try file(), .test(mode)) }
        // Two rows that get one id are refused before that.
        let isRefused = mode == .replace && error?.code == .conflict && trigger.sql.contains("SET id")
        #expect(error?.code == .notAsPlanned || isRefused, "\(error?.message ?? "no error")")
        #expect(try sandbox.rows("SELECT * FROM tasks ORDER BY id") == bytes)
        #expect(try sandbox.exported() == before)
        #expect(try sandbox.rows("PRAGMA integrity_check") == ["ok"])
    }

    /// An import of a part leaves the others, also where a trigger would not.
    @Test(arguments: [
        "DELETE FROM day_plan", "UPDATE habits SET title = 'spoilt'", "DELETE FROM meta WHERE key = 'day_start'",
        "UPDATE habit_completions SET completed_at = '2020-01-01T00:00:00Z'",
    ])
    func triggerOnAnotherPart(_ sql: String) throws {
        try sandbox.sql("CREATE TRIGGER spoil AFTER INSERT ON tasks BEGIN \(sql); END")
        let options = SlateImportOptions.test(.replace, parts: [.table(.tasks)])
        let error = try storeError { _ = try sandbox.writer().importing(try file(), options) }
        #expect(error?.code == .notAsPlanned)
        #expect(try sandbox.exported() == before)
    }

    @Test func aTriggerThatRefuses() throws {
        try sandbox.sql("CREATE TRIGGER spoil BEFORE INSERT ON tasks BEGIN SELECT RAISE(ABORT, 'not now'); END")
        for mode in SlateImportMode.allCases {
            let error = try storeError { _ = try sandbox.writer().importing(try file(), .test(mode)) }
            #expect(error?.code == .constraint)
            #expect(error?.message.contains("not now") == true)
            #expect(try sandbox.exported() == before)
        }
    }

    /// What a failed import leaves is what was there, and a copy that an undo passes over.
    @Test func afterAFailureTheNextImportAndUndoWork() throws {
        try sandbox.sql("CREATE TRIGGER spoil AFTER INSERT ON tasks BEGIN DELETE FROM tasks WHERE id = new.id; END")
        _ = try storeError { _ = try sandbox.writer().importing(try file(), .test(.replace, second: 1)) }
        try sandbox.sql("DROP TRIGGER spoil")
        let result = try sandbox.writer().importing(try file(), .test(.replace, second: 2))
        _ = try storeError {
            try sandbox.sql("CREATE TRIGGER spoil AFTER INSERT ON tasks BEGIN DELETE FROM tasks WHERE id = new.id; END")
            _ = try sandbox.writer()
                .importing(try SlateContent.made([.tasks: [SlateRow.task("x")]]), .test(.replace, second: 3))
        }
        let undone = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(undone.plan.copy == result.safetyBackup)
        #expect(try sandbox.exported() == before)
    }

    // MARK: Damage

    /// The bytes of a database with many tasks, changed at each place where a text stands.
    private func damage(_ text: String, _ new: String, inIndex: Bool) throws {
        let rows = (1000..<3000).map { SlateRow.task("task-\($0)-end", title: "Title \($0)") }
        try sandbox.database("big.db", holding: try SlateContent.made([.tasks: rows]))
        var bytes = try sandbox.bytes("big.db")
        var places: [Int] = []
        let pattern = Array(text.utf8)
        for start in bytes.indices.dropLast(pattern.count)
        where bytes[start] == pattern[0] && bytes[start..<start + pattern.count].elementsEqual(pattern) {
            // In the table the title follows the key.
            let isInTable = bytes[(start + pattern.count)...].prefix(5).elementsEqual("Title".utf8)
            if isInTable != inIndex { places.append(start) }
        }
        let start = try #require(places.first)
        bytes.replaceSubrange(start..<start + pattern.count, with: Array(new.utf8))
        try sandbox.write("big.db", bytes)
        #expect(try sandbox.rows("PRAGMA integrity_check", in: "big.db") != ["ok"])
    }

    /// A key that the index alone has otherwise comes out as it is in the table, or not at all.
    @Test(arguments: ["task-1777-enx", "task-9777-end", "\u{1}ask-1777-end"])
    func damagedKeyInAnIndex(_ key: String) throws {
        try damage("task-1777-end", key, inIndex: true)
        let error = try storeError {
            let text = try sandbox.exportedText("big.db")
            #expect(text.contains("\"task-1777-end\"") && !text.contains("\"\(key)\""))
            #expect(text.components(separatedBy: "\"title\"").count == 2001)
        }
        #expect(error == nil || error?.code == .corrupt)
    }

    /// Whatever page is damaged, an export is whole or fails.
    @Test func damagedPages() throws {
        let rows = (1000..<5000).map { SlateRow.task("task-\($0)-end", title: "Title \($0)") }
        let content = try SlateContent.made([.tasks: rows])
        let whole = try sandbox.database("big.db", holding: content).exported()
        let bytes = try sandbox.bytes("big.db")
        let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
        let pages = bytes.count / pageSize
        var failures = 0
        for page in 0..<pages {
            for (place, byte) in [(0, UInt8(0xA5)), (3, 0), (8, 0xFF)] {
                var damaged = bytes
                let start = page * pageSize + (page == 0 ? 100 : 0)
                switch place {
                case 0: for index in start..<(page + 1) * pageSize { damaged[index] = byte }
                // The number of cells, and the first of the places of the cells.
                case 3: for index in start + 3...start + 4 { damaged[index] = byte }
                default: for index in start + 8...start + 9 { damaged[index] = byte }
                }
                try sandbox.write("damaged.db", damaged)
                do {
                    let exported = try sandbox.exported("damaged.db")
                    #expect(exported.elementsEqual(whole), "page \(page), \(place)")
                } catch let error as StoreError {
                    failures += 1
                    let codes: [StoreError.Code] = [.corrupt, .notADatabase, .foreign, .notFound, .value, .inputOutput]
                    #expect(codes.contains(error.code), "\(error)")
                }
            }
        }
        #expect(failures > pages)
    }

    @Test func aShortenedFile() throws {
        let rows = (1000..<3000).map { SlateRow.task("task-\($0)-end") }
        let whole = try sandbox.database("big.db", holding: try SlateContent.made([.tasks: rows])).exported()
        let bytes = try sandbox.bytes("big.db")
        for size in [100, 512, 4096, bytes.count / 2, bytes.count - 4096, bytes.count - 1] {
            try sandbox.write("short.db", Array(bytes.prefix(size)))
            var exported: [UInt8] = []
            let error = try storeError { exported = try sandbox.exported("short.db") }
            #expect(error != nil || exported.elementsEqual(whole), "\(size)")
        }
    }
}
