import AppList
import RecordStore
import DirectorySync
import Testing

@Suite struct DeclaredSyncTests {
    private static let schema = """
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, title TEXT, body TEXT, stars INTEGER DEFAULT 0, size REAL, data BLOB,
            parent INTEGER REFERENCES note (id) ON DELETE SET NULL);
        CREATE TABLE note_tag (
            note_id INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE,
            tag_id INTEGER NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
            PRIMARY KEY (note_id, tag_id));
        """
    private static let titles = """
        SELECT n.title, p.title, (SELECT group_concat(name) FROM (SELECT name FROM note_tag JOIN tag ON tag.id = tag_id
            WHERE note_id = n.id ORDER BY name)) FROM note n LEFT JOIN note p ON p.id = n.parent ORDER BY n.title
        """

    @Test func `two devices give out the same numbers for different rows`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO tag VALUES (1, 'work'), (2, 'home'); INSERT INTO note (title) VALUES ('A1'), ('A2');"
                + "INSERT INTO note_tag VALUES (1, 1), (2, 2)",
            "INSERT INTO tag VALUES (1, 'home'), (2, 'play'); INSERT INTO note (title) VALUES ('B1'), ('B2');"
                + "UPDATE note SET parent = 1 WHERE id = 2; INSERT INTO note_tag VALUES (1, 1), (2, 2)"
        )
        let expected = [
            #""A1"|NULL|"work""#, #""A2"|NULL|"home""#, #""B1"|NULL|"home""#, #""B2"|"B1"|"play""#,
        ]
        for device in [laptop, phone] {
            #expect(try device.rows(Self.titles) == expected)
            #expect(try device.faults() == [])
            #expect(try device.rows("SELECT count(*) FROM tag") == ["3"])
        }
    }

    @Test func `edits of one row come together column by column`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO note (title) VALUES ('a')")
        try laptop.run("UPDATE note SET body = 'text', data = x'00ff', size = 2.0")
        try phone.run("UPDATE note SET stars = 5; INSERT INTO note (title, parent) SELECT 'b', id FROM note")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            let sql = "SELECT body, stars, size, typeof(size), hex(data) FROM note WHERE title = 'a'"
            #expect(try device.rows(sql) == [#""text"|5|2.0|"real"|"00FF""#])
            #expect(try device.rows(Self.titles) == [#""a"|NULL|NULL"#, #""b"|"a"|NULL"#])
        }
    }

    @Test func `concurrent values of a column are a conflict`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO note (title, body) VALUES ('a', '0')")
        try laptop.run("UPDATE note SET body = 'one'")
        try phone.run("UPDATE note SET body = 'two'")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("SELECT body FROM note") == phone.rows("SELECT body FROM note"))
        let conflicts = try laptop.replica().conflicts()
        #expect(conflicts.count == 1)
        #expect(conflicts.first?.name.title == "a")
    }

    @Test func `a number that is given out again is another record`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO note (title) VALUES ('keep'), ('old'); INSERT INTO tag VALUES (1, 't');"
                + "INSERT INTO note_tag VALUES (2, 1)"
        )
        try phone.run("UPDATE note SET stars = 3 WHERE title = 'old'")
        try laptop.run("DELETE FROM note WHERE title = 'old'")
        try laptop.run("INSERT INTO note (title) VALUES ('new'); INSERT INTO note_tag VALUES (2, 1)")
        #expect(try laptop.rows("SELECT id FROM note WHERE title = 'new'") == ["2"])
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        // What was edited without knowing of the deletion is not lost, and nothing of it is in the new note.
        for device in [laptop, phone] {
            let notes = try device.rows("SELECT title, stars FROM note ORDER BY title")
            #expect(notes == [#""keep"|0"#, #""new"|0"#, #""old"|3"#])
            #expect(try device.faults() == [])
        }
    }

    @Test func `a row that is written anew with its number and title stays the same record`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO note (title, body) VALUES ('a', 'x')")
        try laptop.run("DELETE FROM note; INSERT INTO note (id, title, body) VALUES (1, 'a', 'y')")
        try phone.run("UPDATE note SET stars = 2")
        try laptop.run("INSERT OR REPLACE INTO note (id, title, body) VALUES (1, 'a', 'z')")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT title, body, stars FROM note") == [#""a"|"z"|2"#])
        }
    }

    @Test func `a renamed key goes with its row`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO note (title) VALUES ('a'); INSERT INTO tag VALUES (1, 't'); INSERT INTO note_tag VALUES (1, 1)"
        )
        let sql = "UPDATE tag SET name = 'renamed'; UPDATE note SET id = 70; UPDATE note_tag SET note_id = 70"
        try laptop.run(sql, foreignKeys: false)
        try phone.run("UPDATE note SET stars = 1")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.rows(Self.titles) == [#""a"|NULL|"renamed""#])
            #expect(try device.rows("SELECT stars FROM note") == ["1"])
        }
    }

    @Test func `rows that refer to a row whose number changes stay the same records`() throws {
        let schema = """
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
            CREATE TABLE note_tag (note_id INTEGER NOT NULL REFERENCES note (id) ON DELETE CASCADE ON UPDATE CASCADE,
                tag TEXT NOT NULL, weight INTEGER, PRIMARY KEY (note_id, tag));
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO note VALUES (1, 'a'), (2, 'b'); INSERT INTO note_tag VALUES (1, 'red', 1), (2, 'blue', 2)"
        )
        let links = "SELECT title, tag, weight FROM note_tag JOIN note ON id = note_id ORDER BY title"
        func expect(_ rows: [String]) throws {
            for device in [laptop, phone, laptop] { #expect(try device.sync().issues == [], "\(device.name)") }
            for device in [laptop, phone] {
                #expect(try device.rows(links) == rows, "\(device.name)")
                #expect(try device.replica().verify().differing.isEmpty, "\(device.name)")
            }
        }
        // SQLite changes the link before the note's trigger runs.
        try laptop.run("UPDATE note SET id = 50 WHERE id = 2")
        #expect(try laptop.sync().published.isEmpty)
        try expect([#""a"|"red"|1"#, #""b"|"blue"|2"#])
        try laptop.run("UPDATE note SET id = 60 WHERE id = 50; UPDATE note_tag SET weight = 3 WHERE note_id = 60")
        try expect([#""a"|"red"|1"#, #""b"|"blue"|3"#])
        try phone.run("UPDATE note_tag SET weight = 4 WHERE tag = 'blue'")
        try expect([#""a"|"red"|1"#, #""b"|"blue"|4"#])
        try laptop.run("DELETE FROM note_tag WHERE tag = 'blue'")
        try expect([#""a"|"red"|1"#])
        // The app writes the link before the row that it refers to.
        try laptop.run(
            "INSERT INTO note_tag VALUES (7, 'green', 1); INSERT INTO note VALUES (7, 'c')",
            foreignKeys: false
        )
        try expect([#""a"|"red"|1"#, #""c"|"green"|1"#])
    }

    @Test func `rows that two devices put at one position are both kept`() throws {
        let schema = """
            CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE item (id INTEGER PRIMARY KEY, list_id INTEGER NOT NULL REFERENCES list (id),
                pos INTEGER NOT NULL, name TEXT NOT NULL, UNIQUE (list_id, pos));
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO list VALUES (1, 'Shop'); INSERT INTO item VALUES (1, 1, 1, 'Eggs')"
        )
        try laptop.run("INSERT INTO item (list_id, pos, name) VALUES (1, 2, 'Milk')")
        try phone.run("INSERT INTO item (list_id, pos, name) VALUES (1, 2, 'Bread')")
        try laptop.sync()
        #expect(try phone.sync().issues.map(\.kind) == [.rejected])
        #expect(try laptop.sync().issues.map(\.kind) == [.rejected])
        try phone.run("UPDATE item SET pos = 3 WHERE name = 'Bread'")
        for device in [phone, laptop, phone] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.sync().issues == [])
            #expect(try device.replica().conflicts().isEmpty)
            let names = try device.rows("SELECT name, pos FROM item ORDER BY pos")
            #expect(names == [#""Eggs"|1"#, #""Milk"|2"#, #""Bread"|3"#], "\(device.name)")
        }
    }

    @Test func `a row of a deleted one is blocked, and comes back with it`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO note (title) VALUES ('a'), ('b'); INSERT INTO tag VALUES (1, 't')"
        )
        try laptop.run("DELETE FROM note WHERE title = 'a'")
        try phone.run("INSERT INTO note_tag VALUES (1, 1); UPDATE note SET parent = 1 WHERE title = 'b'")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT count(*) FROM note_tag") == ["0"])
            #expect(try device.rows(Self.titles) == [#""b"|NULL|NULL"#])
            #expect(try device.faults() == [])
        }
    }

    @Test func `copies of one database have the same records`() throws {
        let rows = "INSERT INTO note (title) VALUES ('a'), ('b'), ('b'); INSERT INTO tag VALUES (4, 't')"
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, rows, rows)
        #expect(try laptop.rows("SELECT id, title FROM note") == [#"1|"a""#, #"2|"b""#, #"3|"b""#])
        #expect(try phone.rows("SELECT count(*) FROM note") == ["3"])
        // Leaving and joining again makes nothing double.
        try phone.replica().leave()
        try phone.run("UPDATE note SET body = 'meanwhile' WHERE id = 1")
        try phone.join()
        try laptop.sync()
        #expect(try laptop.rows("SELECT body FROM note") == [#""meanwhile""#, "NULL", "NULL"])
    }

    @Test func `rows that only look alike by their numbers are not the same`() throws {
        let schema =
            "CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT);"
            + "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, up INTEGER REFERENCES item (id),"
            + " list INTEGER REFERENCES list (id));"
        func rows(_ name: String) -> String {
            "INSERT INTO list VALUES (1, '\(name)');"
                + "INSERT INTO item VALUES (1, 'top', NULL, 1), (2, 'below', 1, NULL), (3, 'both', NULL, NULL)"
        }
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows("mine"), rows("yours"))
        let sql = """
            SELECT i.name, l.name, u.name, ul.name FROM item i LEFT JOIN list l ON l.id = i.list
                LEFT JOIN item u ON u.id = i.up LEFT JOIN list ul ON ul.id = u.list ORDER BY 1, 2, 4
            """
        let expected = [
            #""below"|NULL|"top"|"mine""#, #""below"|NULL|"top"|"yours""#, #""both"|NULL|NULL|NULL"#,
            #""top"|"mine"|NULL|NULL"#, #""top"|"yours"|NULL|NULL"#,
        ]
        for device in [laptop, phone] { #expect(try device.rows(sql) == expected) }
    }

    @Test func `a store is made of the declaration`() throws {
        let (laptop, _) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO note (title) VALUES ('a'); INSERT INTO tag VALUES (9, 't'); INSERT INTO note_tag VALUES (1, 9)"
        )
        let declaration = try #require(Replica.declarations(in: laptop.folder).first)
        let path = laptop.folder + "-new.db"
        try AppStores.all.make(AppID("test-app"), at: path, declaration)
        try Replica.join(
            folder: laptop.folder,
            space: Replica.space(of: laptop.folder),
            store: path,
            laptop.environment
        )
        _ = try Replica(folder: laptop.folder, store: path, laptop.environment).sync()
        let made = try DatabaseDeclarer.declare(path)
        #expect(made.tables.map(\.name).sorted() == ["note", "note_tag", "tag"])
        #expect(made.revision == 1)
        #expect(made.table("note")?.columns.map(\.name) == declaration.table("note")?.columns.map(\.name))
    }

    @Test func `a new column waits on devices that do not have it yet`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO note (title) VALUES ('a')")
        try laptop.run(
            "ALTER TABLE note ADD COLUMN color TEXT; UPDATE note SET color = 'red'; CREATE TABLE place (id INTEGER PRIMARY KEY,"
                + " name TEXT); INSERT INTO place (name) VALUES ('p')"
        )
        let changed = try DatabaseDeclarer.declare(laptop.store)
        #expect(changed.revision == 2)
        try laptop.replica().change(to: changed)
        try laptop.sync()
        // The phone's app is older: it edits the note, and the new column travels on.
        try phone.sync()
        try phone.run("UPDATE note SET body = 'old app'")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("SELECT body, color FROM note") == [#""old app"|"red""#])
        try phone.run("ALTER TABLE note ADD COLUMN color TEXT; CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT)")
        try phone.sync()
        #expect(try phone.rows("SELECT body, color FROM note") == [#""old app"|"red""#])
        #expect(try phone.rows("SELECT name FROM place") == [#""p""#])
        #expect(try phone.sync().published.isEmpty)
        #expect(try laptop.sync().received.isEmpty)
    }

    @Test func `an older copy of the database goes on`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO note (title) VALUES ('a')")
        try phone.run("DROP TABLE satchel_app; DROP TABLE satchel_sync")
        try laptop.run("INSERT INTO note (title) VALUES ('b')")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.rows("SELECT title FROM note ORDER BY title") == [#""a""#, #""b""#])
        #expect(try laptop.sync().received.isEmpty)
    }

    @Test func `a record whose parent is rejected names it by its title`() throws {
        let tables = """
            CREATE TABLE author (id INTEGER PRIMARY KEY, first TEXT, last TEXT NOT NULL, UNIQUE (first, last));
            CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                author_id INTEGER NOT NULL REFERENCES author (id) ON DELETE RESTRICT);
            """
        let (laptop, phone) = try DeclaredDevice.pair(tables)
        for (device, title) in [(laptop, "Excession"), (phone, "Matter")] {
            try device.run("INSERT INTO author (first, last) VALUES ('Iain', 'Banks')")
            try device.run("INSERT INTO book (title, author_id) VALUES ('\(title)', 1)")
        }
        try phone.sync()
        let issues = try laptop.sync().issues.filter { $0.kind == .rejected }
        let book = try #require(issues.first { $0.record?.collection == "book" })
        #expect(book.record?.title == "Matter")
        #expect(book.message.hasPrefix("it refers to \"Banks\" of author, which"), "\(book.message)")
        #expect(issues.first { $0.record?.collection == "author" }?.record?.title == "Banks")
    }

    @Test func `what a constraint refuses is rejected by name`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, "INSERT INTO tag VALUES (1, 'a'), (2, 'b')")
        try laptop.run("UPDATE tag SET name = 'same' WHERE name = 'a'")
        try phone.run("UPDATE tag SET name = 'same' WHERE name = 'b'")
        try laptop.sync()
        let outcome = try phone.sync()
        let issue = try #require(outcome.issues.first { $0.kind == .rejected })
        #expect(issue.record?.collection == "tag")
        #expect(issue.message.contains("UNIQUE"))
        // It is written as soon as it can be.
        try phone.run("UPDATE tag SET name = 'other' WHERE name = 'same'")
        #expect(try phone.sync().issues.filter { $0.kind == .rejected }.isEmpty)
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT name FROM tag ORDER BY name") == [#""other""#, #""same""#])
        }
    }

    /// Nobody saw that the row was deleted, and its number given out again.
    @Test(arguments: [true, false])
    func `a number that is given out again while the triggers are away is another record`(leaves: Bool) throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO note (title, body, stars) VALUES ('Other', 'x', 0), ('Tax', 'income 43210', 2)"
        )
        if leaves {
            try phone.replica().leave()
        } else {
            try phone.run(
                """
                CREATE TABLE n2 AS SELECT * FROM note; DROP TABLE note;
                CREATE TABLE note (
                    id INTEGER PRIMARY KEY, title TEXT, body TEXT, stars INTEGER DEFAULT 0, size REAL, data BLOB,
                    parent INTEGER REFERENCES note (id) ON DELETE SET NULL);
                INSERT INTO note SELECT * FROM n2; DROP TABLE n2;
                """,
                foreignKeys: false
            )
        }
        try phone.run("UPDATE note SET title = 'Renamed' WHERE title = 'Other'")
        try phone.run("DELETE FROM note WHERE title = 'Tax'; INSERT INTO note (title) VALUES ('Birthday')")
        try laptop.run("UPDATE note SET size = 1.5 WHERE title = 'Tax'")
        try laptop.sync()
        if leaves { try phone.join() } else { try phone.sync() }
        for device in [laptop, phone, laptop] { try device.sync() }
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT title, body, stars, size FROM note ORDER BY title")
            let expected = [#""Birthday"|NULL|0|NULL"#, #""Renamed"|"x"|0|NULL"#, #""Tax"|"income 43210"|2|1.5"#]
            #expect(rows == expected, "\(rows)")
        }
    }

    /// Nothing keeps rows of `item` and `link` from leading nowhere.
    @Test(arguments: ["", "AUTOINCREMENT"])
    func `no other row gets the number of a row that this device lacks`(kind: String) throws {
        let schema = """
            CREATE TABLE list (id INTEGER PRIMARY KEY \(kind), name TEXT);
            CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, list_id INTEGER NOT NULL);
            CREATE TABLE link (item_id INTEGER, list_id INTEGER, PRIMARY KEY (item_id, list_id));
            CREATE TRIGGER seen AFTER UPDATE ON link BEGIN SELECT 1; END;
            """
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], schema)
        let (laptop, phone) = (devices[0], devices[1])
        try laptop.run(
            "INSERT INTO list (name) VALUES ('one'), ('two'), ('three');"
                + "INSERT INTO item (name, list_id) VALUES ('old', 3); INSERT INTO link VALUES (1, 3)"
        )
        try laptop.makeSpace()
        try laptop.run("DELETE FROM list WHERE name = 'three'")
        try laptop.sync()
        try phone.join()
        try phone.run("INSERT INTO list (name) VALUES ('Work')")
        for device in [phone, laptop, phone] { try device.sync() }
        let lists = "SELECT name FROM list ORDER BY name"
        let items = "SELECT list.name FROM item JOIN list ON list.id = list_id"
        let links = "SELECT list.name FROM link JOIN list ON list.id = list_id"
        for device in devices {
            #expect(try device.rows(lists) == [#""Work""#, #""one""#, #""two""#])
            #expect(try device.rows("SELECT name FROM item") == [#""old""#])
            #expect(try device.rows(items) + device.rows(links) == [])
        }
        // The row was only late: references lead to it, and it has a number as the app gives them out.
        try laptop.run("INSERT INTO list (id, name) VALUES (3, 'three')")
        for device in [laptop, phone, laptop] { #expect(try device.sync().issues.isEmpty) }
        for device in devices {
            #expect(try device.rows(lists) == [#""Work""#, #""one""#, #""three""#, #""two""#])
            #expect(try device.rows(items) + device.rows(links) == [#""three""#, #""three""#])
            #expect(try device.rows("SELECT count(*) FROM list WHERE id < 1") == ["0"])
        }
        #expect(try phone.sync().published.isEmpty)
    }

    private static let entries = """
        CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL%);
        CREATE TABLE entry (id INTEGER PRIMARY KEY, title TEXT, category_id INTEGER);
        """

    /// Expects that the entry leads nowhere on each device, also after edits of both, and has its number on the laptop.
    private func expectNowhere(_ laptop: DeclaredDevice, _ phone: DeclaredDevice) throws {
        for device in [laptop, phone] {
            try device.run("UPDATE entry SET title = title || '.'")
            for device in [laptop, phone, laptop, phone] { #expect(try device.sync().issues == []) }
            for device in [laptop, phone] {
                let rows = try device.rows("SELECT name FROM entry LEFT JOIN category c ON c.id = category_id")
                #expect(rows == ["NULL"], "\(device.name)")
                #expect(try device.rows("SELECT count(*) FROM category") == ["2"], "\(device.name)")
            }
            #expect(try laptop.rows("SELECT category_id FROM entry") == ["5"])
        }
        #expect(try laptop.rows("SELECT title FROM entry") == phone.rows("SELECT title FROM entry"))
    }

    @Test func `a reference to a row that was made anew under another number leads to no other row`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.entries.replacing("%", with: " UNIQUE"),
            "INSERT INTO category VALUES (5, 'Work'), (6, 'Sport'); INSERT INTO entry VALUES (1, 'Run', 5)",
            "INSERT INTO category VALUES (5, 'Sport')"
        )
        #expect(try phone.rows("SELECT name FROM entry JOIN category c ON c.id = category_id") == [#""Work""#])
        try laptop.run("DELETE FROM category WHERE name = 'Work'; INSERT INTO category VALUES (7, 'Work')")
        try expectNowhere(laptop, phone)
    }

    @Test func `a number that refers to no row leads to no row of another device`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.entries.replacing("%", with: ""),
            "INSERT INTO category VALUES (1, 'Work'); INSERT INTO entry VALUES (1, 'Run', 5)",
            "INSERT INTO category VALUES (5, 'Sport')"
        )
        try expectNowhere(laptop, phone)
        // The app gives the number to a new row: now the entry leads to that.
        try laptop.run("INSERT INTO category VALUES (5, 'Home')")
        for device in [laptop, phone] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT name FROM entry JOIN category c ON c.id = category_id") == [#""Home""#])
        }
    }

    @Test func `references lead to a late row that had to wait for its unique value`() throws {
        let schema = """
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
            CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, tag_id INTEGER);
            """
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], schema)
        let (laptop, phone) = (devices[0], devices[1])
        try laptop.run("INSERT INTO tag VALUES (1, 'a'); INSERT INTO item VALUES (1, 'Milk', 1)")
        try laptop.makeSpace()
        try laptop.run("DELETE FROM tag")
        try laptop.sync()
        try phone.join()
        try laptop.run("INSERT INTO tag VALUES (2, 'a')")
        for device in [laptop, phone] { try device.sync() }
        try laptop.run("UPDATE tag SET name = 'b' WHERE id = 2; INSERT INTO tag VALUES (1, 'a')")
        for device in [laptop, phone] { #expect(try device.sync().issues == []) }
        try phone.run("UPDATE item SET title = 'Oat milk'")
        for device in [phone, laptop] { try device.sync() }
        for device in devices {
            let rows = try device.rows("SELECT title, name FROM item LEFT JOIN tag ON tag.id = tag_id")
            #expect(rows == [#""Oat milk"|"a""#], "\(device.name)")
        }
    }

    @Test func `a row that is renamed while the triggers are away stays the same record`() throws {
        let schema =
            "CREATE TABLE list (id INTEGER PRIMARY KEY, title TEXT, open INTEGER DEFAULT 0, edited TEXT);"
            + "CREATE TABLE item (id INTEGER PRIMARY KEY, title TEXT, list_id INTEGER REFERENCES list (id) ON DELETE CASCADE);"
        let rows = (1...5).map { "INSERT INTO list (title, edited) VALUES ('L\($0)', '2026-01-01T08:00:00Z');" }
            .joined()
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        try phone.replica().leave()
        try phone.run("UPDATE list SET title = title || ' renamed', edited = '2026-02-01T08:00:00Z'")
        try laptop.run("INSERT INTO item (title, list_id) SELECT 'new', id FROM list WHERE title = 'L5'")
        try laptop.sync()
        try phone.join()
        for device in [laptop, phone, laptop] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT count(*) FROM list") == ["5"])
            #expect(try device.rows("SELECT list.title FROM item JOIN list ON list.id = list_id") == [#""L5 renamed""#])
        }
    }
}
