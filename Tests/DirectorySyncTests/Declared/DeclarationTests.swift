import AppList
import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@Suite struct DeclarationTests {
    private static let good = """
        {"format": "satchel-declaration", "version": 1, "app": "my-app", "revision": 1, "tables": {"t": {"key": ["id"], "mapped": true, "columns": {"id": {"kind": "integer"}, "a": {"kind": "text"}}}}}
        """

    private func faults(_ text: String) -> [Diagnostic] {
        do {
            _ = try AppDeclaration(reading: Array(text.utf8), name: "my.app.json")
            return []
        } catch {
            return (error as? DeclarationError)?.diagnostics ?? []
        }
    }

    @Test(arguments: [
        (#""version": 1"#, #""version": 2"#, "schema.const", "/version"),
        (#""app": "my-app""#, #""app": "slate""#, "declaration.invalid", "/app"),
        (#""key": ["id"]"#, #""key": ["no"]"#, "declaration.invalid", "/tables/t/key/0"),
        (#""key": ["id"]"#, #""key": ["a"]"#, "declaration.invalid", "/tables/t/key"),
        (#""kind": "text""#, #""kind": "string""#, "schema.enum", "/tables/t/columns/a/kind"),
        (
            #""kind": "text""#, #""kind": "text", "x-merge": "counter""#, "declaration.invalid",
            "/tables/t/columns/a/x-merge"
        ),
        (
            #""kind": "text""#, #""kind": "text", "references": {"table": "u"}"#, "declaration.invalid",
            "/tables/t/columns/a/references/table"
        ),
        (
            #""kind": "text""#, #""kind": "text", "type": "TEXT PRIMARY KEY""#, "declaration.invalid",
            "/tables/t/columns/a/type"
        ),
        (
            #""kind": "text""#, #""kind": "text", "type": "TEXT); DROP TABLE t""#, "schema.pattern",
            "/tables/t/columns/a/type"
        ),
        (
            #""kind": "text""#, #""kind": "text", "default": "x", "sql": "y""#, "schema.additionalProperties",
            "/tables/t/columns/a/sql"
        ),
        (#""t": {"#, #""satchel_key": {"#, "declaration.invalid", "/tables/satchel_key"),
        (#""t": {"#, #""a$row": {"#, "schema.pattern", "/tables"),
    ])
    func `a fault is named with its place`(found: String, put: String, code: String, place: String) throws {
        #expect(faults(Self.good) == [])
        let range = try #require(Self.good.range(of: found))
        let diagnostics = faults(Self.good.replacingCharacters(in: range, with: put))
        let fault = try #require(diagnostics.first)
        #expect(fault.code == code)
        #expect(fault.pointer?.description.hasPrefix(place) ?? false, "\(diagnostics)")
        #expect(fault.position?.line == 1)
    }

    @Test func `names and literals of a declaration are never SQL`() throws {
        let text = Self.good.replacingOccurrences(of: #""t": {"#, with: #""t\"); DROP TABLE x; --": {"#)
            .replacingOccurrences(
                of: #""a": {"kind": "text"}"#,
                with: #""a'\"": {"kind": "text", "default": "'); DROP TABLE x"}"#
            )
        let declaration = try AppDeclaration(reading: Array(text.utf8), name: nil)
        let sandbox = try Sandbox()
        let path = sandbox.path("made.db")
        try AppStores.all.make(AppID("my-app"), at: path, declaration)
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: #"INSERT INTO "t""); DROP TABLE x; --" (id) VALUES (1)"#) }
        #expect(
            try queue.read { try String.fetchOne($0, sql: #"SELECT "a'""" FROM "t""); DROP TABLE x; --""#) }
                == "'); DROP TABLE x"
        )
    }

    @Test func `what cannot take part is named with its reason`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("Any App.db")
        try DatabaseQueue(path: path).write { database in
            try database.execute(
                sql: """
                    CREATE TABLE no_key (a);
                    CREATE VIRTUAL TABLE words USING fts5 (a);
                    CREATE VIEW seen AS SELECT 1;
                    CREATE TABLE schema_version (id INTEGER PRIMARY KEY);
                    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, changed TEXT, twice TEXT AS (name || name),
                        list_id INTEGER, other REAL DEFAULT 1.5);
                    CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE NOT NULL);
                    CREATE UNIQUE INDEX lists ON list (name);
                    CREATE TRIGGER touch AFTER UPDATE ON item BEGIN
                        UPDATE item SET changed = datetime('now') WHERE id = NEW.id; END;
                    CREATE TABLE needs (id INTEGER PRIMARY KEY, a);
                    CREATE TRIGGER foreign_function AFTER INSERT ON needs BEGIN SELECT their_function(NEW.a); END;
                    """
            )
        }
        let declaration = try DatabaseDeclarer.declare(path)
        #expect(declaration.app == "any-app")
        #expect(declaration.tables.map(\.name) == ["item", "list"])
        for name in ["no_key", "words", "words_data", "schema_version", "needs", "item.twice"] {
            #expect(declaration.local.contains(name), "\(name)")
            #expect(declaration.notes.contains { $0.hasPrefix("\(name) stays on the device: ") }, "\(name)")
        }
        let item = try #require(declaration.table("item"))
        #expect(item.isMapped && item.title == ["name"])
        #expect(item.column("changed")?.rule == "local")
        #expect(item.column("list_id")?.reference == AppDeclaration.Reference(table: "list", onDelete: .keep))
        let initial = try #require(JSONNumber(1.5))
        #expect(item.column("other")?.initial == .value(.number(initial)))
        #expect(declaration.table("list")?.naturalKey == ["name"])
        #expect(declaration.table("list")?.column("name")?.collation == "NOCASE")
        // What it writes is read.
        let again = try AppDeclaration(reading: declaration.json.encoded(.indented), name: nil)
        #expect(again == declaration)
    }

    /// Returns the declaration of a database that the SQL makes.
    private func declaration(of sql: String) throws -> AppDeclaration {
        let sandbox = try Sandbox()
        let path = sandbox.path("app.db")
        try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
        return try DatabaseDeclarer.declare(path)
    }

    @Test func `a record is called by a name, else by a text that every row has, and by no key of a program`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE author (id INTEGER PRIMARY KEY, first TEXT, last TEXT NOT NULL, UNIQUE (first, last));
                CREATE TABLE quote (id TEXT PRIMARY KEY, page REAL, body TEXT);
                CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT);
                CREATE TABLE med (med_id TEXT PRIMARY KEY, unit TEXT NOT NULL, name TEXT);
                CREATE TABLE seen (id TEXT PRIMARY KEY, at INTEGER);
                """
        )
        let titles = ["author": ["last"], "quote": ["body"], "setting": ["key"], "med": ["name"], "seen": []]
        for (table, title) in titles { #expect(declaration.table(table)?.title == title, "\(table)") }
    }

    @Test func `columns that triggers set in any table stay on the device`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT, waterings INTEGER NOT NULL DEFAULT 0, seen TEXT);
                CREATE TABLE care (id INTEGER PRIMARY KEY, plant_id INTEGER REFERENCES plant (id), amount INTEGER);
                CREATE TABLE history (id INTEGER PRIMARY KEY, old TEXT);
                CREATE VIRTUAL TABLE words USING fts5 (name);
                CREATE VIEW both AS SELECT name FROM plant;
                CREATE TRIGGER added AFTER INSERT ON care BEGIN
                    UPDATE Plant SET waterings = waterings + 1 WHERE id = NEW.plant_id; END;
                CREATE TRIGGER removed AFTER DELETE ON care BEGIN
                    UPDATE plant SET "waterings" = waterings - 1 WHERE id = OLD.plant_id; END;
                CREATE TRIGGER kept AFTER UPDATE ON plant BEGIN INSERT INTO history (old) VALUES (OLD.name); END;
                CREATE TRIGGER limited AFTER INSERT ON history BEGIN DELETE FROM history WHERE id < NEW.id - 9; END;
                CREATE TRIGGER found AFTER INSERT ON plant BEGIN INSERT INTO words (name) VALUES (NEW.name); END;
                CREATE TRIGGER by_view INSTEAD OF UPDATE ON both BEGIN UPDATE plant SET name = NEW.name; END;
                """
        )
        let rules = declaration.tables.flatMap { table in
            table.columns.filter(\.isLocal).map { "\(table.name).\($0.name)" }
        }
        #expect(rules == ["plant.waterings"])
        // Sync writes no view, so that trigger runs for the app alone.
        for note in [
            "plant.waterings stays on the device: the triggers added, removed set it",
            "history gets rows from the trigger kept on every device, so that one change makes several:"
                + #" move history from "tables" to "local""#,
            "history loses rows by the trigger limited on every device, also those that others added: where that is wrong,"
                + #" move history from "tables" to "local""#,
            "plant has the trigger found, which runs when rows of other devices are written as well",
        ] { #expect(declaration.notes.contains(note), "\(declaration.notes)") }
    }

    @Test(arguments: [
        ("stamp = CASE WHEN done = 1 THEN 'x = 1, b = 2' ELSE NULL END WHERE a = NEW.a", ["stamp"]),
        ("(stamp, \"b\") = (SELECT a, c FROM item WHERE done = 1), [a] = 1 /* , c = 2 */", ["stamp", "a", "b"]),
        (
            "stamp = (a IS DISTINCT FROM b), c = a IS DISTINCT FROM b, b = ';' FROM (SELECT 1 AS done)",
            ["stamp", "b", "c"]
        ),
        ("a=max(b,c)--, b = 1\n WHERE done=1", ["a"]),
    ])
    func `only what a trigger assigns stays on the device`(assignments: String, columns: [String]) throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE item (id INTEGER PRIMARY KEY, done INTEGER, stamp TEXT, a TEXT, b TEXT, c TEXT);
                CREATE TRIGGER "begin" AFTER UPDATE OF done ON item BEGIN UPDATE OR IGNORE item SET \(assignments); END;
                """
        )
        #expect(declaration.tables[0].columns.filter(\.isLocal).map(\.name) == columns)
    }

    @Test func `a store that is made of a declaration has its collations, and what it lacks is named`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE p (name TEXT PRIMARY KEY COLLATE nocase, ml INT CHECK (ml > 0), note TEXT COLLATE rtrim) STRICT;
                CREATE TABLE q (id INTEGER PRIMARY KEY, "check" TEXT UNIQUE ON CONFLICT IGNORE, strict TEXT DEFAULT 'check');
                CREATE UNIQUE INDEX some ON q (strict) WHERE strict > '';
                CREATE UNIQUE INDEX folded ON q (lower(strict));
                CREATE TABLE r (id INTEGER PRIMARY KEY, q_id INTEGER REFERENCES q (id) DEFERRABLE INITIALLY DEFERRED);
                CREATE TABLE s (a TEXT PRIMARY KEY, b TEXT UNIQUE COLLATE NoCase) WITHOUT ROWID;
                CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE binary);
                """
        )
        #expect(
            declaration.tables.flatMap { $0.columns.map(\.collation) }.compactMap(\.self) == [
                "NOCASE", "RTRIM", "NOCASE",
            ]
        )
        #expect(
            declaration.notes.filter { $0.contains("--create") } == [
                "p: --create leaves out CHECK, STRICT",
                "q: --create leaves out the unique index some, the unique index folded, ON CONFLICT",
                "r: --create leaves out DEFERRABLE", "s: --create leaves out WITHOUT ROWID",
            ]
        )
        let sandbox = try Sandbox()
        let path = sandbox.path("made.db")
        try AppStores.all.make(declaration.id, at: path, declaration)
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "INSERT INTO p (name) VALUES ('Milk')") }
        #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "INSERT INTO p (name) VALUES ('milk')") }
        }
    }

    @Test func `a foreign key that is not followed is named with its reason`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE multi (a TEXT, b TEXT, c TEXT UNIQUE, PRIMARY KEY (a, b));
                CREATE TABLE child (id INTEGER PRIMARY KEY, a TEXT, b TEXT, FOREIGN KEY (a, b) REFERENCES multi (a, b));
                CREATE TABLE single (id TEXT PRIMARY KEY, c TEXT UNIQUE);
                CREATE TABLE version (a TEXT PRIMARY KEY);
                CREATE TABLE other (id INTEGER PRIMARY KEY, s TEXT REFERENCES single (c), n TEXT REFERENCES version (a));
                """
        )
        for note in [
            "child.a and child.b refer to multi, by several columns: their values are sent as they are",
            "child: --create leaves out the foreign key to multi",
            "other.s refers to single, by another column than its key: its value is sent as it is",
            "other.n refers to version, which takes no part: its value is sent as it is",
        ] { #expect(declaration.notes.contains(note), "\(declaration.notes)") }
    }

    @Test func `a comment or a name makes no table AUTOINCREMENT`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE item (id INTEGER PRIMARY KEY, -- no AUTOINCREMENT needed
                    "autoincrement" TEXT);
                CREATE TABLE list (id INTEGER PRIMARY KEY AutoIncrement, name TEXT);
                """
        )
        #expect(declaration.table("item")?.isAutoincrement == false)
        #expect(declaration.table("list")?.isAutoincrement == true)
    }

    @Test(arguments: [
        ("pos INTEGER NOT NULL, UNIQUE (list_id, pos)", []),
        ("sort_order INTEGER NOT NULL, UNIQUE (list_id, sort_order)", []),
        ("orderIndex INTEGER NOT NULL, UNIQUE (list_id, orderIndex)", []),
        ("purchase_order INTEGER NOT NULL UNIQUE", ["purchase_order"]),
        ("order_number INTEGER NOT NULL, UNIQUE (list_id, order_number)", ["list_id", "order_number"]),
        ("position TEXT NOT NULL, UNIQUE (list_id, position)", ["list_id", "position"]),
        (
            "rank INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (list_id, rank), UNIQUE (list_id, name)",
            ["list_id", "name"]
        ),
    ])
    func `a position in a list is no name`(columns: String, key: [String]) throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE item (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list (id), \(columns));
                """
        )
        #expect(declaration.table("item")?.naturalKey == key)
        let isNoted = declaration.notes.contains { $0.contains("as a position is no name; the later one is rejected") }
        #expect(isNoted == key.isEmpty)
    }

    @Test func `a unique column that a trigger sets is no key`() throws {
        let declaration = try declaration(
            of: """
                CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, slug TEXT NOT NULL UNIQUE DEFAULT '');
                CREATE TRIGGER slugs AFTER INSERT ON item BEGIN UPDATE item SET slug = NEW.id WHERE id = NEW.id; END;
                """
        )
        #expect(declaration.tables[0].naturalKey == [])
        let again = try AppDeclaration(reading: declaration.json.encoded(.indented), name: nil)
        #expect(again == declaration)
    }

    @Test(arguments: [
        ("1.db", "app-1"), ("2024 budget.db", "budget"), ("---.db", "app"), ("slate.db", "app-slate"),
        ("x.db", "app-x"), ("My Notes!.sqlite", "my-notes"), ("50%.db", "app-50"),
    ])
    func `a database's name gives the app a sensible one`(file: String, app: String) throws {
        let sandbox = try Sandbox()
        let path = sandbox.path(file)
        let database = try RawDatabase(path)
        try database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)")
        database.close()
        #expect(try DatabaseDeclarer.declare(path).app == app)
    }
}
