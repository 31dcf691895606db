import AppList
import DirectorySync
import RecordStore
import Testing

/// Databases whose triggers and constraints are in the way of rows that are written one by one.
@Suite struct DeclaredConstraintTests {
    private func syncAll(_ devices: DeclaredDevice...) throws {
        for device in devices + devices + devices { try device.sync() }
    }

    @Test func `new rows of a mapped table arrive beside triggers of the app`() throws {
        let schema = """
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, words INTEGER);
            CREATE TABLE entry (id INTEGER PRIMARY KEY, note_id INTEGER REFERENCES note (id) ON DELETE CASCADE, text TEXT);
            CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT);
            CREATE TRIGGER words AFTER INSERT ON note BEGIN
                UPDATE note SET words = length(NEW.title) WHERE id = NEW.id;
            END;
            CREATE TRIGGER checked BEFORE INSERT ON entry WHEN NEW.text = '' BEGIN SELECT RAISE(ABORT, 'no text'); END;
            CREATE TRIGGER other_checked BEFORE UPDATE ON other WHEN NEW.title = '' BEGIN
                SELECT RAISE(ABORT, 'no title');
            END;
            """
        let (laptop, phone) = try DeclaredDevice.pair(schema)
        try laptop.run(
            "INSERT INTO note (title) VALUES ('a1'), ('a2'); INSERT INTO entry (note_id, text) VALUES (1, 'x'), (2, 'y');"
                + "INSERT INTO other (title) VALUES ('p'), ('q')"
        )
        try phone.run(
            "INSERT INTO note (title) VALUES ('b1'); INSERT INTO entry (note_id, text) VALUES (1, 'z');"
                + "INSERT INTO other (title) VALUES ('r')"
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.sync().issues == [])
            #expect(
                try device.rows(
                    "SELECT text, title, words FROM entry JOIN note ON note.id = note_id ORDER BY title"
                ) == [#""x"|"a1"|2"#, #""y"|"a2"|2"#, #""z"|"b1"|2"#]
            )
            #expect(try device.rows("SELECT title FROM other ORDER BY title") == [#""p""#, #""q""#, #""r""#])
            #expect(try device.faults() == [])
        }
    }

    @Test func `rows that the app deletes with another stay where that stays, and theirs with them`() throws {
        let schema = """
            CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE task (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE,
                title TEXT);
            CREATE TABLE step (id TEXT PRIMARY KEY, task_id INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
                times INTEGER);
            """
        let rows = """
            INSERT INTO list VALUES (1, 'Home'), (2, 'Work');
            INSERT INTO task VALUES (1, 1, 'Paint'), (2, 2, 'Write');
            INSERT INTO step VALUES ('a', 1, 3), ('b', 1, 4), ('c', 2, 5);
            """
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        try syncAll(laptop, phone)
        try laptop.run("DELETE FROM list")
        #expect(try laptop.rows("SELECT * FROM step") == [])
        try phone.run("UPDATE list SET name = 'House' WHERE name = 'Home'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            let all =
                "SELECT name, title, s.id, times FROM step s JOIN task t ON t.id = task_id JOIN list l ON l.id = list_id"
            #expect(try device.rows("\(all) ORDER BY s.id") == [#""House"|"Paint"|"a"|3"#, #""House"|"Paint"|"b"|4"#])
            #expect(try device.sync().issues == [])
            #expect(try device.faults() == [])
        }
    }

    @Test(arguments: [
        ("", "CREATE TRIGGER own BEFORE INSERT ON \"NOTE\" BEGIN SELECT raise(IGNORE); END", #"the trigger "own""#),
        ("UNIQUE ON  CONFLICT\n IGNORE", "INSERT INTO note (title) VALUES ('Milk')", "ON CONFLICT"),
    ])
    func `a row that the database leaves out is rejected, however its SQL is written`(
        _ constraint: String,
        _ sql: String,
        _ cause: String
    ) throws {
        let schema = "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT \(constraint))"
        let (laptop, phone) = try DeclaredDevice.pair(schema)
        try phone.run(sql)
        try laptop.run("INSERT INTO note (title) VALUES ('Milk')")
        try laptop.sync()
        let issues = try phone.sync().issues
        #expect(issues.map(\.kind) == [.rejected])
        #expect(issues.first?.message.contains(cause) == true, "\(issues)")
    }

    @Test func `tables whose triggers would have one name both have all of them`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            """
            CREATE TABLE photo (id INTEGER PRIMARY KEY, name TEXT UNIQUE, note TEXT);
            CREATE TABLE Photo_before (id INTEGER PRIMARY KEY, note TEXT);
            """,
            "INSERT INTO photo VALUES (1, 'sea', 'old')"
        )
        try laptop.run("INSERT OR REPLACE INTO photo VALUES (2, 'sea', 'new')")
        try laptop.run("INSERT INTO Photo_before VALUES (1, 'n')")
        try laptop.sync()
        #expect(try phone.sync().issues == [])
        #expect(try phone.rows("SELECT name, note FROM photo") == [#""sea"|"new""#])
        #expect(try phone.rows("SELECT note FROM Photo_before") == [#""n""#])
        #expect(try laptop.sync().isIdle)
    }

    private static let listsByCode = """
        CREATE TABLE list (id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL);
        CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, list_code TEXT REFERENCES list (code)
        """

    @Test func `a row that a foreign key would delete with another one is kept, and the deletion is rejected`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.listsByCode + " ON DELETE CASCADE ON UPDATE CASCADE)",
            "INSERT INTO list VALUES (1, 'home'), (2, 'work')"
        )
        try syncAll(laptop, phone)
        try phone.run("INSERT INTO item (name, list_code) VALUES ('Milk', 'home')")
        try laptop.run("DELETE FROM list WHERE code = 'home'")
        try laptop.sync()
        for _ in 0..<2 {
            let issues = try phone.sync().issues
            #expect(issues.map(\.kind) == [.rejected])
            let words = #"a foreign key of the table "item", ON DELETE CASCADE, removed the record"#
            #expect(issues.first?.message.contains(words) == true, "\(issues)")
            #expect(try phone.rows("SELECT name FROM item JOIN list ON code = list_code") == [#""Milk""#])
        }
        try laptop.run("INSERT INTO list (code) VALUES ('home')")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.sync().issues == [])
            #expect(try device.rows("SELECT name FROM item JOIN list ON code = list_code") == [#""Milk""#])
        }
    }

    @Test func `what a foreign key changes with another row is published`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.listsByCode + " ON DELETE SET NULL ON UPDATE CASCADE)",
            "INSERT INTO list VALUES (1, 'home'), (2, 'work')"
        )
        try syncAll(laptop, phone)
        for code in ["home", "work"] {
            try phone.run("INSERT INTO item (name, list_code) VALUES ('\(code)', '\(code)')")
        }
        try laptop.run("DELETE FROM list WHERE code = 'home'; UPDATE list SET code = 'office'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT name, list_code FROM item ORDER BY name")
            #expect(rows == [#""home"|NULL"#, #""work"|"office""#], "\(device.name)")
            #expect(try device.sync().issues == [])
        }
    }

    @Test func `a row without a key is named by its rowid`() throws {
        let (laptop, phone) = try DeclaredDevice.pair("CREATE TABLE multi (a TEXT, b TEXT, PRIMARY KEY (a, b))")
        try laptop.run("INSERT INTO multi (rowid, a, b) VALUES (3, 'a', 'b'), (7, NULL, 'c')")
        let issues = try laptop.sync().issues
        #expect(issues.map(\.kind) == [.unreadable])
        #expect(issues.first?.message.hasPrefix(#"the row with rowid 7 of "multi" has no key"#) == true, "\(issues)")
        #expect(try phone.sync().issues == [])
        #expect(try phone.rows("SELECT a, b FROM multi") == [#""a"|"b""#])
        try laptop.run("INSERT INTO multi (a) VALUES ('c'), ('d'), ('e'), ('f'), ('g')")
        let several = try laptop.sync().issues.first?.message ?? ""
        let words = #"6 rows of "multi" have no key: those with rowid 7, 8, 9, 10, 11 and 1 more; kept on this device"#
        #expect(several.hasPrefix(words), "\(several)")
    }

    @Test func `a column that a trigger sets in another table is right on each device`() throws {
        let schema = """
            CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT, waterings INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE care (id INTEGER PRIMARY KEY, plant_id INTEGER REFERENCES plant (id));
            CREATE TRIGGER watered AFTER INSERT ON care BEGIN
                UPDATE plant SET waterings = waterings + 1 WHERE id = NEW.plant_id;
            END;
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO plant (name) VALUES ('fern'); INSERT INTO care (plant_id) VALUES (1), (1), (1)"
        )
        try syncAll(laptop, phone)
        try phone.run("UPDATE plant SET name = 'big fern'; INSERT INTO care (plant_id) SELECT id FROM plant")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT name, waterings FROM plant") == [#""big fern"|4"#])
            #expect(try device.sync().issues == [])
        }
    }

    @Test(arguments: ["NOCASE", "RTRIM"])
    func `keys that the column's collation takes for the same are two records`(_ collation: String) throws {
        let (one, two) = collation == "NOCASE" ? ("Milk", "milk") : ("milk", "milk ")
        let (laptop, phone) = try DeclaredDevice.pair(
            "CREATE TABLE item (name TEXT PRIMARY KEY COLLATE \(collation), note TEXT)"
        )
        try laptop.run("INSERT INTO item VALUES ('\(one)', 'of the laptop')")
        try phone.run("INSERT INTO item VALUES ('\(two)', 'of the phone')")
        try syncAll(laptop, phone)
        // Each keeps its own, and says so.
        #expect(try laptop.rows("SELECT name, note FROM item") == [#""\#(one)"|"of the laptop""#])
        #expect(try phone.rows("SELECT name, note FROM item") == [#""\#(two)"|"of the phone""#])
        for device in [laptop, phone] {
            #expect(try device.sync().issues.map(\.kind) == [.rejected])
            #expect(try device.replica().status().issues.map(\.kind) == [.rejected])
        }
        try phone.run("UPDATE item SET name = 'Bread'")
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.sync().issues == [])
            #expect(try device.rows("SELECT name FROM item ORDER BY name") == [#""Bread""#, #""\#(one)""#])
        }
        // Written otherwise, it is noted.
        try laptop.run("UPDATE item SET name = '\(two)' WHERE name = '\(one)'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(
                try device.rows("SELECT name, note FROM item WHERE name <> 'Bread'") == [#""\#(two)"|"of the laptop""#]
            )
        }
    }

    @Test(
        arguments: [
            "name TEXT NOT NULL UNIQUE", "name TEXT UNIQUE", "name TEXT NOT NULL UNIQUE COLLATE NOCASE",
        ],
        [false, true]
    )
    func `rows that swap unique values arrive`(_ column: String, isRejectedBeside: Bool) throws {
        let schema = """
            CREATE TABLE item (id INTEGER PRIMARY KEY, \(column), place INTEGER NOT NULL, note TEXT, list INTEGER,
                UNIQUE (list, place));
            """
        let rows =
            "INSERT INTO item VALUES (1, 'a', 1, 'A', 7), (2, 'b', 2, 'B', 7), (3, 'c', 3, 'C', 7), (4, 'd', 4, 'D', 7)"
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        if isRejectedBeside {
            try phone.run("INSERT INTO item VALUES (9, 'mine', 9, 'M', 9)")
            try laptop.run("INSERT INTO item VALUES (9, 'other', 9, 'O', 9)")
        }
        // A cycle of three, and one of two in the other unique columns.
        try laptop.run(
            """
            UPDATE item SET name = 'x' WHERE id = 1; UPDATE item SET name = 'a' WHERE id = 2;
            UPDATE item SET name = 'b' WHERE id = 3; UPDATE item SET name = 'c' WHERE id = 1;
            UPDATE item SET place = 99 WHERE id = 3; UPDATE item SET place = 3 WHERE id = 4;
            UPDATE item SET place = 4 WHERE id = 3;
            """
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.sync().issues.count == (isRejectedBeside ? 1 : 0))
            #expect(
                try device.rows("SELECT note, name, place FROM item WHERE list = 7 ORDER BY note")
                    == [#""A"|"c"|1"#, #""B"|"a"|2"#, #""C"|"b"|4"#, #""D"|"d"|3"#]
            )
        }
    }

    @Test func `a new row takes the unique value that another one gave up`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE, note TEXT)",
            "INSERT INTO item VALUES (1, 'a', 'A'), (2, 'b', 'B')"
        )
        try laptop.run(
            "UPDATE item SET code = 'z' WHERE id = 1; INSERT INTO item VALUES (3, 'a', 'C');"
                + "DELETE FROM item WHERE id = 2; INSERT INTO item VALUES (4, 'b', 'D')"
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.sync().issues == [])
            #expect(
                try device.rows("SELECT code, note FROM item ORDER BY note") == [#""z"|"A""#, #""a"|"C""#, #""b"|"D""#]
            )
        }
    }
}
