import DirectorySync
import RecordMerge
import RecordStore
import StrictJSON
import Testing

/// The scenarios of merging over a declared app with autoincrement keys and a foreign key.
///
/// A declared app cannot have three of them: moves in a list (32 to 35), two running timers (39) and perfect days. Its
/// tables have no order that sync keeps, and only the apps' own code knows the rules of the other two.
@Suite struct DeclaredScenarioTests {
    private static let schema = """
        CREATE TABLE list (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, note TEXT, size REAL, day TEXT, hour TEXT, body TEXT,
            count INTEGER NOT NULL DEFAULT 0, best INTEGER, first INTEGER, open INTEGER NOT NULL DEFAULT 0,
            after_id INTEGER REFERENCES item (id) ON DELETE SET NULL,
            list_id INTEGER NOT NULL REFERENCES list (id) ON DELETE CASCADE);
        """
    private static let rules = ["body": "text", "count": "counter", "best": "max", "first": "min", "open": "local"]
    private static let items = """
        SELECT title, note, size, day, hour, body, count, best, first, list.name FROM item
            LEFT JOIN list ON list.id = list_id ORDER BY title
        """

    /// Two devices in step, with two items in a list; the second one had other rows of the same numbers.
    private func pair() throws -> (laptop: DeclaredDevice, phone: DeclaredDevice) {
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], Self.schema)
        let (laptop, phone) = (devices[0], devices[1])
        try phone.run("INSERT INTO list (name) VALUES ('Other'); INSERT INTO item (title, list_id) VALUES ('Oil', 1)")
        try laptop.run(
            """
            INSERT INTO list (name) VALUES ('Home');
            INSERT INTO item (title, body, list_id) VALUES ('Milk', 'one two three', 1), ('Bread', '', 1);
            """
        )
        var declaration = try DatabaseDeclarer.declare(laptop.store, app: "items")
        let table = try #require(declaration.tables.firstIndex { $0.name == "item" })
        for (place, column) in declaration.tables[table].columns.enumerated() {
            if let rule = Self.rules[column.name] { declaration.tables[table].columns[place].rule = rule }
            if ["day", "hour"].contains(column.name) { declaration.tables[table].columns[place].group = "when" }
        }
        try laptop.makeSpace(declaration)
        try phone.join()
        try meet(laptop, phone)
        return (laptop, phone)
    }

    /// Lets both come in step.
    private func meet(
        _ laptop: DeclaredDevice,
        _ phone: DeclaredDevice,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        for device in [laptop, phone, laptop, phone] { try device.sync() }
        #expect(try laptop.rows(Self.items) == phone.rows(Self.items), sourceLocation: location)
        for device in [laptop, phone] { #expect(try device.faults() == [], sourceLocation: location) }
    }

    /// The values of a column of an item on both devices, which have to be the same.
    private func value(_ column: String, _ title: String, _ devices: DeclaredDevice...) throws -> [String] {
        let values = try devices.map { try $0.rows("SELECT \(column) FROM item WHERE title = '\(title)'") }
        #expect(Set(values).count == 1)
        return values[0]
    }

    private func conflicts(_ device: DeclaredDevice) throws -> [String] {
        try device.replica().conflicts().map { "\($0.kind) \($0.name.title ?? "") \($0.path.joined(separator: "/"))" }
    }

    @Test func `26 different columns of a row come together`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("UPDATE item SET note = 'fresh' WHERE title = 'Milk'")
        try phone.run("UPDATE item SET size = 1.5 WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("note, size", "Milk", laptop, phone) == [#""fresh"|1.5"#])
        #expect(try conflicts(laptop) == [])
    }

    @Test func `27 and 40 the later of two values is shown, the other conflicts until someone decides`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("UPDATE item SET note = 'one' WHERE title = 'Milk'")
        try laptop.sync()
        phone.time.advance(60_000)
        try phone.run("UPDATE item SET note = 'two' WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("note", "Milk", laptop, phone) == [#""two""#])
        #expect(try conflicts(laptop) == ["value Milk note"])
        // Decided differently twice, it is an ordinary conflict, until one decides who knows both.
        let number = try #require(laptop.replica().conflicts().first?.choices.firstIndex { $0.value?.string == "one" })
        try decide(laptop, .choice(number))
        try decide(phone, .choice(1 - number))
        try meet(laptop, phone)
        #expect(try conflicts(laptop) == ["value Milk note"])
        try decide(phone, .choice(0))
        try meet(laptop, phone)
        #expect(try conflicts(laptop) == [])
    }

    private func decide(_ device: DeclaredDevice, _ value: ConflictDecision.Value) throws {
        let conflict = try #require(device.replica().conflicts().first)
        let decision = ConflictDecision(
            key: RecordKey(conflict.name.collection, conflict.name.key),
            path: conflict.path,
            value: value,
            seen: conflict.kind == .value ? conflict.choices : nil
        )
        device.time.advance(1000)
        _ = try device.replica().resolve([decision])
    }

    @Test func `28 the same value twice is no conflict`() throws {
        let (laptop, phone) = try pair()
        for device in [laptop, phone] { try device.run("UPDATE item SET note = 'same' WHERE title = 'Bread'") }
        try meet(laptop, phone)
        #expect(try value("note", "Bread", laptop, phone) == [#""same""#])
        #expect(try conflicts(laptop) == [])
    }

    @Test func `29 a row that one deletes and another changes survives whole and is flagged`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("DELETE FROM item WHERE title = 'Milk'")
        try phone.run("UPDATE item SET note = 'kept' WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("note, body", "Milk", laptop, phone) == [#""kept"|"one two three""#])
        #expect(try conflicts(laptop) == ["deletedRecord Milk "])
    }

    @Test func `30 a row that both delete stays deleted, and a deletion that is undone is no change`() throws {
        let (laptop, phone) = try pair()
        for device in [laptop, phone] { try device.run("DELETE FROM item WHERE title = 'Bread'") }
        try laptop.run(
            """
            CREATE TEMP TABLE kept AS SELECT * FROM item WHERE title = 'Milk';
            DELETE FROM item WHERE title = 'Milk';
            INSERT INTO item SELECT * FROM kept;
            """
        )
        try meet(laptop, phone)
        #expect(try laptop.rows("SELECT title FROM item ORDER BY title") == [#""Milk""#, #""Oil""#])
        #expect(try conflicts(laptop) == [])
    }

    @Test func `31 an item of a deleted list is held, and comes back with the list`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("DELETE FROM list WHERE name = 'Home'")
        try phone.run("INSERT INTO item (title, list_id) SELECT 'Salt', id FROM list WHERE name = 'Home'")
        try meet(laptop, phone)
        #expect(try phone.rows("SELECT title FROM item") == [#""Oil""#])
        try laptop.run("INSERT INTO list (name) VALUES ('Home')")
        try meet(laptop, phone)
        #expect(try value("list_id = (SELECT id FROM list WHERE name = 'Home')", "Salt", laptop, phone) == ["1"])
    }

    @Test func `31 what refers to a held item refers to it again where it moves to another list`() throws {
        let (laptop, phone) = try pair()
        let milk = "(SELECT id FROM item WHERE title = 'Milk')"
        try phone.run("UPDATE item SET after_id = \(milk) WHERE title = 'Oil'")
        try meet(laptop, phone)
        try laptop.run("DELETE FROM list WHERE name = 'Home'", foreignKeys: false)
        try laptop.sync()
        #expect(try laptop.rows("SELECT title, after_id FROM item") == [#""Oil"|NULL"#])
        try phone.run("UPDATE item SET list_id = (SELECT id FROM list WHERE name = 'Other') WHERE title = 'Milk'")
        try phone.sync()
        try meet(laptop, phone)
        for device in [laptop, phone] { #expect(try value("after_id = \(milk)", "Oil", device) == ["1"]) }
    }

    @Test func `31 an item that moves out of a list before another deletes it keeps what only this device knows`()
        throws
    {
        let (laptop, phone) = try pair()
        try laptop.run("INSERT INTO list (name) VALUES ('Work')")
        try meet(laptop, phone)
        // Both changes come to the phone at once, whose database deletes the items of a deleted list.
        try phone.run("UPDATE item SET open = 7 WHERE title = 'Milk'")
        try phone.run("UPDATE item SET after_id = (SELECT id FROM item WHERE title = 'Milk') WHERE title = 'Oil'")
        try phone.sync()
        try laptop.sync()
        try laptop.run("UPDATE item SET list_id = (SELECT id FROM list WHERE name = 'Work') WHERE title = 'Milk'")
        try laptop.run("DELETE FROM list WHERE name = 'Home'")
        try meet(laptop, phone)
        let list = "(SELECT name FROM list WHERE id = list_id)"
        #expect(try value(list, "Milk", laptop, phone) == [#""Work""#])
        #expect(try phone.rows("SELECT open FROM item WHERE title = 'Milk'") == ["7"])
        #expect(try phone.rows("SELECT count(after_id) FROM item WHERE title = 'Oil'") == ["1"])
    }

    @Test(arguments: [false, true])
    func `31 a reference that the database clears leads there again where another keeps its target`(isEdited: Bool)
        throws
    {
        let (laptop, phone) = try pair()
        let milk = "(SELECT id FROM item WHERE title = 'Milk')"
        try phone.run("UPDATE item SET after_id = \(milk) WHERE title = 'Oil'")
        try meet(laptop, phone)
        try laptop.run("UPDATE item SET note = 'kept' WHERE title = 'Milk'")
        try laptop.sync()
        // The database of the phone sets after_id to NULL.
        try phone.run("DELETE FROM item WHERE title = 'Milk'")
        if isEdited { try phone.run("UPDATE item SET note = 'olive' WHERE title = 'Oil'") }
        try meet(laptop, phone)
        for device in [laptop, phone] { #expect(try value("after_id = \(milk)", "Oil", device) == ["1"]) }
        #expect(try value("note", "Oil", laptop, phone) == [isEdited ? #""olive""# : "NULL"])
    }

    @Test(arguments: [true, false])
    func `31 of an item of a deleted list that another changed, it can be decided whether it goes`(isKept: Bool) throws
    {
        let (laptop, phone) = try pair()
        try laptop.run("DELETE FROM list WHERE name = 'Home'")
        try phone.run("UPDATE item SET note = 'kept' WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try phone.rows("SELECT title FROM item") == [#""Oil""#])
        #expect(try conflicts(laptop) == ["deletedRecord Milk "])
        try decide(laptop, isKept ? .shown : .removed)
        try meet(laptop, phone)
        #expect(try conflicts(phone) == [])
        try laptop.run("INSERT INTO list (name) VALUES ('Home')")
        try meet(laptop, phone)
        #expect(try value("note", "Milk", laptop, phone) == (isKept ? [#""kept""#] : []))
    }

    @Test func `36 rows that refer to each other in a circle stay as they are`() throws {
        let (laptop, phone) = try pair()
        func put(_ title: String, after other: String) -> String {
            "UPDATE item SET after_id = (SELECT id FROM item WHERE title = '\(other)') WHERE title = '\(title)'"
        }
        try laptop.run(put("Milk", after: "Bread"))
        try phone.run(put("Bread", after: "Milk"))
        try meet(laptop, phone)
        let sql = "SELECT i.title, o.title FROM item i JOIN item o ON o.id = i.after_id ORDER BY 1"
        for device in [laptop, phone] {
            #expect(try device.rows(sql) == [#""Bread"|"Milk""#, #""Milk"|"Bread""#])
        }
    }

    @Test func `37 each rule that a declaration knows`() throws {
        let (laptop, phone) = try pair()
        try laptop.run(
            """
            UPDATE item SET count = count + 2, best = 7, first = 3, open = 1, body = 'zero one two three',
                day = '2026-01-01', hour = '08:00' WHERE title = 'Milk'
            """
        )
        try phone.run(
            """
            UPDATE item SET count = count + 3, best = 9, first = 5, open = 2, body = 'one two three four',
                day = '2026-02-02', hour = NULL WHERE title = 'Milk'
            """
        )
        try meet(laptop, phone)
        let shown = try value("count, best, first, body", "Milk", laptop, phone)
        #expect(shown == [#"5|9|3|"zero one two three four""#])
        for (device, open) in [(laptop, "1"), (phone, "2")] { #expect(try value("open", "Milk", device) == [open]) }
        let pairs = [#""2026-01-01"|"08:00""#, #""2026-02-02"|NULL"#]
        #expect(try pairs.contains(value("day, hour", "Milk", laptop, phone)[0]))
    }

    @Test func `37 a counter that one device counts back to zero keeps what others count`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("UPDATE item SET count = 2 WHERE title = 'Milk'")
        try meet(laptop, phone)
        try laptop.run("UPDATE item SET count = count - 2 WHERE title = 'Milk'")
        try phone.run("UPDATE item SET count = count + 3 WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("count", "Milk", laptop, phone) == ["3"])
        try laptop.run("UPDATE item SET count = 0 WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("count", "Milk", laptop, phone) == ["0"])
        for device in [laptop, phone] {
            #expect(try device.sync().isIdle)
            #expect(try device.replica().verify().differing.isEmpty)
        }
    }

    @Test(arguments: [0, 1]) func `a device that left and joins again counts nothing twice`(_ more: Int) throws {
        let (laptop, phone) = try pair()
        try laptop.run("UPDATE item SET count = 3 WHERE title = 'Milk'")
        try meet(laptop, phone)
        try phone.replica().leave()
        try phone.run("UPDATE item SET note = 'here', count = count + \(more) WHERE title = 'Milk'")
        try phone.join()
        try meet(laptop, phone)
        #expect(try value("count", "Milk", laptop, phone) == ["\(3 + more)"])
    }

    @Test func `a text key begins with a line feed`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            """
            CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT);
            CREATE TABLE part (id INTEGER PRIMARY KEY, setting TEXT REFERENCES setting (name) ON DELETE SET NULL);
            """
        )
        try laptop.run("INSERT INTO setting VALUES (char(10) || 'x', 'a'), (char(10) || '2', 'b'), ('', 'c')")
        try laptop.run("INSERT INTO part (setting) SELECT name FROM setting")
        try laptop.sync()
        try phone.sync()
        try phone.run("UPDATE setting SET value = value || '!'")
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT value FROM setting ORDER BY value") == [#""a!""#, #""b!""#, #""c!""#])
            let parts = "SELECT value FROM part JOIN setting ON setting.name = part.setting ORDER BY value"
            #expect(try device.rows(parts) == [#""a!""#, #""b!""#, #""c!""#])
            #expect(try device.replica().verify().differing.isEmpty)
        }
    }

    @Test func `27 a conflict of a row that refers to a deleted one can be decided`() throws {
        let (laptop, phone) = try pair()
        let put = "after_id = (SELECT id FROM item WHERE title = 'Bread')"
        try laptop.run("UPDATE item SET note = 'one', \(put) WHERE title = 'Milk'")
        try phone.run("DELETE FROM item WHERE title = 'Bread'; UPDATE item SET note = 'two' WHERE title = 'Milk'")
        try meet(laptop, phone)
        #expect(try value("after_id", "Milk", laptop, phone) == ["NULL"])
        let number = try #require(laptop.replica().conflicts().first?.choices.firstIndex { $0.value?.string == "one" })
        try decide(laptop, .choice(number))
        try meet(laptop, phone)
        #expect(try value("note", "Milk", laptop, phone) == [#""one""#])
        #expect(try conflicts(phone) == [])
    }

    @Test func `38 rows that both devices make by themselves are one, with the rows of both`() throws {
        let (laptop, phone) = try pair()
        try phone.run("INSERT INTO list (name) VALUES ('Before')")
        for device in [laptop, phone] {
            try device.run("INSERT INTO list (name) VALUES ('Work')")
            try device.run(
                "INSERT INTO item (title, list_id) SELECT '\(device.name)', id FROM list WHERE name = 'Work'"
            )
        }
        try meet(laptop, phone)
        let sql = "SELECT title FROM item JOIN list ON list.id = list_id WHERE name = 'Work' ORDER BY title"
        for device in [laptop, phone] {
            #expect(try device.rows(sql) == [#""Laptop""#, #""Phone""#])
            #expect(try device.rows("SELECT count(*) FROM list WHERE name = 'Work'") == ["1"])
        }
    }

    @Test func `a row of a natural key that REPLACE writes anew stays the same record`() throws {
        let (laptop, phone) = try pair()
        try laptop.run("INSERT INTO list (name) VALUES ('Work')")
        try meet(laptop, phone)
        // As programs do that set one value of a name: the row gets another number.
        try laptop.run("INSERT OR REPLACE INTO list (name) VALUES ('Work')")
        try phone.run("INSERT INTO item (title, list_id) SELECT 'Call', id FROM list WHERE name = 'Work'")
        try meet(laptop, phone)
        for device in [laptop, phone] {
            #expect(try value("(SELECT name FROM list WHERE list.id = list_id)", "Call", device) == [#""Work""#])
            #expect(try device.sync().issues.isEmpty)
        }
    }
}
