@testable import RecordStore
@testable import Slate
@testable import AppList
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

/// What the triggers note, and what they are taken for.
@Suite struct SyncJournalTests {
    private static let content = """
        INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t1', 'A', '', ''), ('t2', 'B', '', '');
        INSERT INTO habit_completions VALUES ('c1', 'h1', '2026-01-01', ''), ('c2', 'h2', '2026-01-01', '');
        INSERT INTO day_plan_items VALUES ('i1', '2026-01-01', 'task', 't1');
        INSERT INTO satchel_extra VALUES ('tasks', 't1', '{"a":1}'), ('habit_completions', 'c1', '{"a":1}');
        """

    private func store(_ sandbox: borrowing Sandbox) throws -> any SyncStore {
        try sandbox.appDatabase()
        try sandbox.sql(SlateSchema.makeExtraTable)
        try sandbox.sql(Self.content)
        return try sandbox.linked("slate.db")
    }

    @Test(arguments: [
        ("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t3', '', '', '')", ["tasks t3"]),
        ("INSERT OR IGNORE INTO tasks (id, title, created_at, updated_at) VALUES ('t3', '', '', '')", ["tasks t3"]),
        ("UPDATE OR FAIL tasks SET title = 'C' WHERE id = 't1'", ["tasks t1"]),
        ("UPDATE tasks SET id = 't9' WHERE id = 't1'", ["tasks t1", "tasks t9"]),
        ("UPDATE OR REPLACE tasks SET id = 't2' WHERE id = 't1'", ["tasks t1", "tasks t2"]),
        ("REPLACE INTO tasks (id, title, created_at, updated_at) VALUES ('t1', 'X', '', '')", ["tasks t1"]),
        (
            "REPLACE INTO tasks (rowid, id, title, created_at, updated_at) VALUES (1, 't3', '', '', '')",
            ["tasks t1", "tasks t3"]
        ),
        ("DELETE FROM tasks", ["tasks t1", "tasks t2"]),
        (
            "REPLACE INTO habit_completions VALUES ('c1', 'h3', '2026-01-01', '')",
            [#"habit_completions ["h1","2026-01-01"]"#, #"habit_completions ["h3","2026-01-01"]"#]
        ),
        (
            "REPLACE INTO habit_completions VALUES ('c2', 'h1', '2026-01-01', '')",
            [#"habit_completions ["h1","2026-01-01"]"#, #"habit_completions ["h2","2026-01-01"]"#]
        ),
        (
            "UPDATE habit_completions SET date = '2026-01-02' WHERE id = 'c1'",
            [#"habit_completions ["h1","2026-01-01"]"#, #"habit_completions ["h1","2026-01-02"]"#]
        ),
        (
            "UPDATE OR REPLACE habit_completions SET id = 'c2' WHERE id = 'c1'",
            [#"habit_completions ["h1","2026-01-01"]"#, #"habit_completions ["h2","2026-01-01"]"#]
        ),
        (
            "INSERT INTO habit_completions VALUES ('c9', 'h1', '2026-01-01', 'x') "
                + "ON CONFLICT (habit_id, date) DO UPDATE SET completed_at = 'x'",
            [#"habit_completions ["h1","2026-01-01"]"#]
        ),
        ("DELETE FROM day_plan_items WHERE id = 'i1'", [#"day_plan_items ["2026-01-01","task","t1"]"#]),
        ("UPDATE satchel_extra SET members = '{}' WHERE table_name = 'tasks'", ["tasks t1"]),
        (
            "DELETE FROM satchel_extra WHERE table_name = 'habit_completions'",
            [#"habit_completions ["h1","2026-01-01"]"#]
        ),
        ("REPLACE INTO satchel_extra VALUES ('', '', '{}'), ('meta', 'k', '1')", [" ", "meta "]),
        ("UPDATE meta SET value = '03:00'", ["meta "]),
    ])
    func whatAnAppWritesIsNoted(_ sql: String, expected: [String]) throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        let (before, journal) = (try store.all(), try store.journal())
        #expect(journal.keys == [] && journal.isIntact)
        if sql.hasPrefix("UPDATE meta") {
            try sandbox.sql("INSERT INTO meta VALUES ('day_start', '04:00')")
            try sandbox.sql("UPDATE meta SET value = '03:00' WHERE key = 'day_start'")
        } else {
            try sandbox.sql(sql)
        }
        #expect(try store.noted() == expected)
        #expect(try store.unnoted(since: before) == [])
        #expect(try store.journal().revision > journal.revision)
    }

    @Test func eachWriteChangesTheRevision() throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        var revisions = [try store.journal().revision]
        for conflict in ["", "OR ABORT", "OR FAIL", "OR IGNORE", "OR REPLACE", "OR ROLLBACK"] {
            try sandbox.sql("UPDATE \(conflict) tasks SET title = title || 'x' WHERE id = 't1'")
            revisions.append(try store.journal().revision)
        }
        #expect(try store.noted() == ["tasks t1"])
        #expect(try store.apply([]))
        revisions.append(try store.journal().revision)
        #expect(Set(revisions).count == 8 && revisions == revisions.sorted())
    }

    @Test(arguments: [
        "quote\" and \\ back", "\u{1}\u{1F}\u{7F}", "\u{2028}\u{2029}", "🏋️‍♀️", "e\u{301}é", "a\0b", "", "\n", "$row",
        "x'00'", "[\"h\",1]",
    ])
    func hostileKeysAreThose(_ text: String) throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        let before = try store.all()
        try sandbox.plain().write { database in
            let statement = try StoreStatement(
                database,
                "INSERT INTO habit_completions VALUES (?, ?, '2026-01-01', '')"
            )
            try statement.bind([Array(text.utf8), Array(text.utf8)])
            try statement.run()
            let task = try StoreStatement(
                database,
                "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, '', '', '')"
            )
            try task.bind([Array(text.utf8)])
            try task.run()
        }
        let key = StoreRecordKey("habit_completions", JSONValue.array([.string(text), "2026-01-01"]).text(.canonical))
        #expect(try store.journal().keys == [key, StoreRecordKey("tasks", text)])
        #expect(try store.unnoted(since: before) == [])
        #expect(try store.read { try $0.record(key) }?["habit_id"] == .string(text))
    }

    @Test(arguments: ["CAST(x'ff' AS TEXT)", "NULL", "x'6162'"])
    func keysOfNoTextAreFound(_ value: String) throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        try sandbox.sql("INSERT INTO tasks (id, title, created_at, updated_at) VALUES (\(value), 'x', '', '')")
        #expect(try !store.journal().isIntact)
        #expect(try storeError { _ = try store.all() }?.code == .value)
        try sandbox.sql("DELETE FROM tasks WHERE title = 'x'")
        try store.setLink(.test())
        #expect(try store.journal().isIntact)
    }

    @Test func aRebuiltTableIsNoticed() throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        try sandbox.sql(
            """
            CREATE TABLE new_tasks AS SELECT * FROM tasks;
            DROP TABLE tasks;
            ALTER TABLE new_tasks RENAME TO tasks;
            """
        )
        let revision = try store.journal().revision
        #expect(try !store.journal().isIntact)
        #expect(try !store.write(expecting: revision, link: .test(2)) { try $0.apply([], orders: [:]) })
        try store.setLink(.test(2))
        #expect(try store.journal().isIntact)
    }

    /// As SQLite recommends it for changes that ALTER TABLE cannot make.
    @Test(arguments: SlateTable.allCases.map(\.name) + ["meta"])
    func anAppCanMakeEachTableAnew(table: String) throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        let sql = try #require(try sandbox.rows("SELECT sql FROM sqlite_master WHERE name = '\(table)'").first)
        try sandbox.sql(
            """
            PRAGMA foreign_keys = OFF;
            BEGIN;
            \(sql.replacing("CREATE TABLE \(table)", with: "CREATE TABLE new_\(table)"));
            INSERT INTO new_\(table) SELECT * FROM \(table);
            DROP TABLE \(table);
            ALTER TABLE new_\(table) RENAME TO \(table);
            COMMIT;
            """
        )
        #expect(try !store.journal().isIntact)
        try store.setLink(.test(2))
        #expect(try store.journal().isIntact)
    }

    @Test(arguments: [
        "DROP TRIGGER satchel_tasks_update", "DROP TABLE satchel_extra", "DROP TABLE satchel_journal",
        "CREATE UNIQUE INDEX one ON tasks (title)",
        "CREATE TRIGGER satchel_x AFTER INSERT ON tasks BEGIN SELECT 1; END",
    ])
    func whatIsMissingIsNoticed(_ sql: String) throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        try sandbox.sql(sql)
        #expect(try !store.journal().isIntact)
        try store.setLink(.test(2))
        #expect(try store.journal().isIntact)
    }

    @Test func anotherUniqueIndexIsWatched() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql(
            """
            \(Self.content.split(separator: ";")[0]);
            CREATE UNIQUE INDEX one ON tasks (title COLLATE NOCASE);
            CREATE UNIQUE INDEX two ON habits (lower(title));
            """
        )
        let store = try sandbox.linked("slate.db")
        try sandbox.sql("REPLACE INTO tasks (id, title, created_at, updated_at) VALUES ('t3', 'a', '', '')")
        #expect(try store.noted() == ["tasks t1", "tasks t3"])
        try sandbox.sql("INSERT INTO habits (id, title, created_at, updated_at) VALUES ('h', 'a', '', '')")
        #expect(try !store.journal().isIntact)
    }

    @Test func anAppThatWroteMeanwhileIsNotOverwritten() throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        let revision = try store.journal().revision
        try sandbox.sql("UPDATE tasks SET title = 'mine' WHERE id = 't1'")
        let edit = SyncEdit(StoreRecordKey("tasks", "t1"), nil)
        #expect(try !store.write(expecting: revision, link: .test(2)) { try $0.apply([edit], orders: [:]) })
        #expect(try sandbox.rows("SELECT title FROM tasks WHERE id = 't1'") == ["mine"])
        #expect(try store.noted() == ["tasks t1"])
        var other = SyncLink.test(2)
        other.replica = "another"
        let now = try store.journal().revision
        #expect(try !store.write(expecting: now, link: other) { try $0.apply([edit], orders: [:]) })
        #expect(try store.write(expecting: now, link: .test(2)) { try $0.apply([edit], orders: [:]) })
        #expect(try store.read { try $0.link } == .test(2))
    }

    @Test func whatIsRemovedIsGone() throws {
        let sandbox = try Sandbox()
        let store = try store(sandbox)
        #expect(try AppStores.all.open(sandbox.path("slate.db")).read { try $0.link } == .test())
        try store.removeLink()
        #expect(try store.read { try $0.link } == nil)
        #expect(try !store.journal().isIntact)
        #expect(try sandbox.rows("SELECT name FROM sqlite_master WHERE name LIKE 'satchel%'") == ["satchel_extra"])
        try sandbox.sql("DELETE FROM tasks")
    }

    @Test func theJournalModeStays() throws {
        let sandbox = try Sandbox()
        try sandbox.appDatabase()
        try sandbox.sql("PRAGMA journal_mode = WAL")
        let store = try sandbox.linked("slate.db")
        #expect(try store.apply([SyncEdit(StoreRecordKey("tasks", "t"), ["id": "t", "title": "T"])]))
        #expect(try sandbox.rows("PRAGMA journal_mode") == ["wal"])
        #expect(try store.all().count == 2)
    }
}
