import DirectorySync
import Foundation
import RecordStore
import StrictJSON
import TestSupport
import Testing

/// Devices whose app is updated at different times: columns and tables come, are renamed, and go.
@Suite struct DeclaredUpdateTests {
    private static let schema = """
        CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT NOT NULL, height REAL);
        CREATE TABLE watering (id INTEGER PRIMARY KEY, plant_id INTEGER NOT NULL REFERENCES plant (id) ON DELETE CASCADE,
            ml INTEGER);
        """
    private static let rows = """
        INSERT INTO plant (name, height) VALUES ('Ficus', 5), ('Palm', 7);
        INSERT INTO watering (plant_id, ml) VALUES (1, 100);
        """

    private func syncAll(_ devices: DeclaredDevice...) throws {
        for device in devices + devices + devices { try device.sync() }
    }

    @Test func `a counter of a joining device is added, and named where the row may be of two devices`() throws {
        let tables = """
            CREATE TABLE med (id TEXT PRIMARY KEY, name TEXT NOT NULL, stock INTEGER NOT NULL DEFAULT 0);
            CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT, stock INTEGER NOT NULL DEFAULT 0);
            """
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], tables)
        let (laptop, phone) = (devices[0], devices[1])
        try laptop.run("INSERT INTO med VALUES ('m1', 'Ibuprofen', 20), ('m2', 'Zinc', 5)")
        try laptop.run("INSERT INTO plant VALUES (1, 'Aloe', 20), (2, 'Basil', 20)")
        var declaration = try DatabaseDeclarer.declare(laptop.store, app: "test-app")
        for table in declaration.tables.indices {
            for column in declaration.tables[table].columns.indices
            where declaration.tables[table].columns[column].name == "stock" {
                declaration.tables[table].columns[column].rule = "counter"
            }
        }
        try laptop.makeSpace(declaration)
        try phone.join()
        try laptop.sync()
        try phone.replica().leave()
        try phone.run("UPDATE med SET stock = 19 WHERE id = 'm1'")
        try phone.run("UPDATE plant SET stock = 19 WHERE id = 1; UPDATE plant SET stock = 22 WHERE id = 2")
        try Replica.join(
            folder: phone.folder,
            space: Replica.space(of: phone.folder),
            store: phone.store,
            phone.environment
        )
        let notes = try phone.sync().notes
        #expect(notes.contains { $0.contains("med \"Ibuprofen\" stock 19 to 20;") }, "\(notes)")
        try laptop.sync()
        for device in devices {
            #expect(try device.rows("SELECT stock FROM med ORDER BY id") == ["39", "5"])
            #expect(try device.rows("SELECT stock FROM plant ORDER BY id") == ["20", "22"])
        }
    }

    /// Takes over what the app's update made of the database.
    private func declare(_ device: DeclaredDevice, counters: [String] = []) throws {
        var declaration = try DatabaseDeclarer.declare(device.store)
        for (table, found) in declaration.tables.enumerated() {
            for (column, one) in found.columns.enumerated() where counters.contains(one.name) {
                declaration.tables[table].columns[column].rule = "counter"
            }
        }
        try device.replica().change(to: declaration)
        try device.sync()
    }

    @Test(arguments: [true, false])
    func `what two people enter in a new column is a conflict or a sum, whoever synced first`(isKnown: Bool) throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        let update =
            "ALTER TABLE plant ADD COLUMN species TEXT; ALTER TABLE plant ADD COLUMN doses INTEGER NOT NULL DEFAULT 0;"
        try laptop.run(update + "UPDATE plant SET species = 'benjamina', doses = 3 WHERE name = 'Ficus'")
        try declare(laptop, counters: ["doses"])
        if isKnown { try phone.sync() }
        try phone.run(
            update + "UPDATE plant SET species = 'lyrata', doses = doses + 10 WHERE name = 'Ficus';"
                + "UPDATE plant SET species = 'areca' WHERE name = 'Palm'"
        )
        try syncAll(phone, laptop)
        let rows = try laptop.rows("SELECT name, height, doses FROM plant ORDER BY name")
        #expect(rows == [#""Ficus"|5.0|13"#, #""Palm"|7.0|0"#], "\(rows)")
        #expect(try laptop.rows("SELECT species FROM plant WHERE name = 'Palm'") == [#""areca""#])
        #expect(try laptop.rows("SELECT * FROM plant") == phone.rows("SELECT * FROM plant"))
        let conflicts = try laptop.replica().conflicts()
        #expect(conflicts.map(\.path) == [["species"]])
        #expect(Set(conflicts.flatMap { $0.choices.map { $0.value?.string } }) == ["benjamina", "lyrata"])
        #expect(try phone.sync().published.isEmpty)
    }

    /// What happens around an update of the phone's app, which adds a column that the laptop's app has filled already.
    enum Moment: CaseIterable {
        case editBeforeUpdate, editWithUpdate, editWithoutEntry, editElsewhere, threeEdits
    }

    @Test(arguments: Moment.allCases)
    func `edits of other columns stay, whenever an update adds a column`(moment: Moment) throws {
        let devices = try DeclaredDevice.group(
            ["Laptop", "Phone", "Tablet"],
            "CREATE TABLE dose (id INTEGER PRIMARY KEY, name TEXT NOT NULL, ml REAL, n INTEGER NOT NULL DEFAULT 0)"
        )
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        let rows = "('Monstera', 250, 1), ('Aloe', 250, 1), ('Basil', 250, 1)"
        try laptop.run("INSERT INTO dose (name, ml, n) VALUES \(rows)")
        var declaration = try DatabaseDeclarer.declare(laptop.store, app: "test-app")
        for (place, column) in declaration.tables[0].columns.enumerated() where column.name == "n" {
            declaration.tables[0].columns[place].rule = "counter"
        }
        try laptop.makeSpace(declaration)
        for device in [phone, tablet] { try device.join() }
        let update = "ALTER TABLE dose ADD COLUMN mood TEXT;"
        let edit = "UPDATE dose SET ml = 11, n = n + 5 WHERE id = 1;"
        let enter = "UPDATE dose SET mood = 'thirsty' WHERE id = 1;"
        func sync(_ devices: DeclaredDevice...) throws { for device in devices { try device.sync() } }
        try laptop.run(update + "UPDATE dose SET mood = 'good' WHERE id = 1")
        if moment == .threeEdits {
            try laptop.run("UPDATE dose SET ml = 12 WHERE id = 1")
            try phone.run(edit)
            try tablet.run("UPDATE dose SET ml = 13, n = n + 7 WHERE id = 1")
        }
        if moment == .editElsewhere { try tablet.run(edit) }
        try laptop.replica().change(to: DatabaseDeclarer.declare(laptop.store))
        try sync(laptop, phone, tablet, laptop, phone)
        switch moment {
        case .editBeforeUpdate:
            try phone.run(edit)
            try sync(phone, laptop)
            try phone.run(update + enter)
        case .editWithUpdate: try phone.run(edit + update + enter)
        case .editWithoutEntry: try phone.run(edit + update)
        case .editElsewhere, .threeEdits: try phone.run(update + enter)
        }
        try syncAll(phone, laptop, tablet)
        let isThree = moment == .threeEdits
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT n FROM dose WHERE id = 1") == [isThree ? "13" : "6"], "\(device.name)")
            if !isThree { #expect(try device.rows("SELECT ml FROM dose WHERE id = 1") == ["11.0"], "\(device.name)") }
        }
        let conflicts = try laptop.replica().conflicts()
        let values = Dictionary(uniqueKeysWithValues: conflicts.map { ($0.path, $0.choices.compactMap(\.value).count) })
        let mood: [[String]: Int] = moment == .editWithoutEntry ? [:] : [["mood"]: 2]
        #expect(values == mood.merging(isThree ? [["ml"]: 3] : [:]) { $1 }, "\(conflicts)")
        #expect(try laptop.rows("SELECT * FROM dose") == phone.rows("SELECT * FROM dose"))
    }

    private static let newParts =
        "ALTER TABLE plant ADD COLUMN species TEXT; CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT);"

    /// Two devices, of which the laptop filled what its app's update added.
    ///
    /// The phone's app was updated since its last sync.
    private func withNewParts() throws -> (laptop: DeclaredDevice, phone: DeclaredDevice) {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        try laptop.run(
            Self.newParts + "UPDATE plant SET species = 'benjamina' WHERE name = 'Ficus'; INSERT INTO place (name) "
                + "VALUES ('Bath'), ('Hall')"
        )
        try declare(laptop)
        try phone.sync()
        #expect(try phone.rows("SELECT count(*) FROM satchel_extra") == ["3"])
        try phone.run(Self.newParts)
        return (laptop, phone)
    }

    /// Checks that both devices have what the laptop entered, and nothing more to say.
    private func expectNewParts(_ devices: DeclaredDevice...) throws {
        for device in devices {
            #expect(
                try device.rows("SELECT name, species FROM plant ORDER BY name") == [
                    #""Ficus"|"benjamina""#, #""Palm"|NULL"#,
                ],
                "\(device.name)"
            )
            let places = try device.rows("SELECT name FROM place ORDER BY name")
            #expect(places == [#""Bath""#, #""Hall""#], "\(device.name)")
            #expect(try device.rows("SELECT count(*) FROM satchel_extra") == ["0"], "\(device.name)")
            #expect(try device.replica().conflicts().isEmpty)
            #expect(try device.sync().published.isEmpty)
        }
    }

    @Test(arguments: ["INSERT ON satchel_app", "DELETE ON satchel_extra", "INSERT ON satchel_sync"], [true, false])
    func `taking over a declaration resumes wherever it was cut`(step: String, isEdited: Bool) throws {
        let (laptop, phone) = try withNewParts()
        try phone.run("CREATE TRIGGER full BEFORE \(step) BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        for _ in 1...2 { #expect(throws: (any Error).self) { try phone.sync() } }
        if isEdited { try phone.run("UPDATE plant SET height = 9 WHERE name = 'Palm'") }
        try phone.run("DROP TRIGGER full")
        try syncAll(phone, laptop)
        try expectNewParts(phone, laptop)
        for device in [laptop, phone] {
            let heights = try device.rows("SELECT height FROM plant ORDER BY name")
            #expect(heights == ["5.0", isEdited ? "9.0" : "7.0"], "\(device.name)")
        }
    }

    @Test func `a value entered after a cut takeover is a conflict with the one that the store kept`() throws {
        let (laptop, phone) = try withNewParts()
        try phone.run("CREATE TRIGGER full BEFORE INSERT ON satchel_app BEGIN SELECT RAISE(ABORT, 'full'); END")
        #expect(throws: (any Error).self) { try phone.sync() }
        try phone.run("DROP TRIGGER full; UPDATE plant SET species = 'lyrata' WHERE name = 'Ficus'")
        try syncAll(phone, laptop)
        let choices = try laptop.replica().conflicts().flatMap { $0.choices.map { $0.value?.string } }
        #expect(Set(choices) == ["benjamina", "lyrata"])
    }

    @Test func `a backup from before the takeover of a declaration gets what it kept beside the tables`() throws {
        let (laptop, phone) = try withNewParts()
        let backup = phone.store + ".backup"
        try FileManager.default.copyItem(atPath: phone.store, toPath: backup)
        try syncAll(phone, laptop)
        try FileManager.default.removeItem(atPath: phone.store)
        try FileManager.default.moveItem(atPath: backup, toPath: phone.store)
        #expect(try phone.sync().published.isEmpty)
        try expectNewParts(phone, laptop)
    }

    @Test(arguments: [
        "CREATE TABLE pest (id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES room (id) ON DELETE CASCADE)",
        "CREATE TABLE pest (id INTEGER PRIMARY KEY, room_id INTEGER REFERENCES room (id) ON DELETE SET NULL)",
    ])
    func `what a new table or column refers to is found, though nothing referred to it before`(table: String) throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            "CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE plant (id INTEGER PRIMARY KEY, name TEXT)",
            "INSERT INTO room VALUES (1, 'Bath'), (2, 'Hall'); INSERT INTO plant VALUES (1, 'Ficus'), (2, 'Palm')"
        )
        let update = table + "; ALTER TABLE plant ADD COLUMN room_id INTEGER REFERENCES room (id) ON DELETE SET NULL;"
        try laptop.run(update + "INSERT INTO pest (room_id) VALUES (1), (2); UPDATE plant SET room_id = id")
        try declare(laptop)
        try phone.run(update)
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT room_id FROM pest ORDER BY 1") == ["1", "2"], "\(device.name)")
            #expect(try device.rows("SELECT room_id FROM plant ORDER BY 1") == ["1", "2"], "\(device.name)")
            #expect(try device.replica().verify().faults.isEmpty)
        }
    }

    @Test func `a new column has its default in rows of an older app, also where that is no literal`() throws {
        let (laptop, phone) = try DeclaredDevice.pair("CREATE TABLE log (id INTEGER PRIMARY KEY, body TEXT)")
        try laptop.run(
            """
            DROP TABLE log;
            CREATE TABLE log (id INTEGER PRIMARY KEY, body TEXT, made TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
                code TEXT NOT NULL DEFAULT (hex('a')));
            """
        )
        try declare(laptop)
        try phone.run("INSERT INTO log (body) VALUES ('Milk')")
        for body in ["Milk", "Oat milk"] {
            try phone.run("UPDATE log SET body = '\(body)'")
            try phone.sync()
            #expect(try laptop.sync().issues == [])
            #expect(try laptop.rows("SELECT body, made > '2000', code FROM log") == ["\"\(body)\"|1|\"61\""])
        }
    }

    @Test func `a declaration may say AUTOINCREMENT of a table that is none`() throws {
        let devices = try DeclaredDevice.group(
            ["Laptop", "Phone"],
            "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, -- no AUTOINCREMENT\n size INTEGER)"
        )
        let (laptop, phone) = (devices[0], devices[1])
        var declaration = try DatabaseDeclarer.declare(laptop.store, app: "test-app")
        declaration.tables[0].isAutoincrement = true
        try laptop.makeSpace(declaration)
        try phone.join()
        for device in devices { try device.run("INSERT INTO item (name) VALUES ('\(device.name)')") }
        try syncAll(laptop, phone)
        for device in devices {
            #expect(try device.rows("SELECT name FROM item ORDER BY name") == [#""Laptop""#, #""Phone""#])
        }
        // It is true from the next declaration on.
        try declare(laptop)
        #expect(try DatabaseDeclarer.declare(laptop.store).table("item")?.isAutoincrement == false)
        #expect(try DatabaseDeclarer.declare(laptop.store).revision == 2)
    }

    @Test func `rows of a new table that two people made with one key are both seen`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        let update = "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT, used INTEGER NOT NULL DEFAULT 0);"
        try laptop.run(update + "INSERT INTO setting VALUES ('theme', 'dark', 4), ('size', 'large', 0)")
        try declare(laptop, counters: ["used"])
        try phone.sync()
        try phone.run(update + "INSERT INTO setting VALUES ('theme', 'light', 5), ('sound', 'on', 0)")
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(
                try device.rows("SELECT name, used FROM setting ORDER BY name") == [
                    #""size"|0"#, #""sound"|0"#, #""theme"|9"#,
                ]
            )
        }
        let choices = try laptop.replica().conflicts().flatMap { $0.choices.map { $0.value?.string } }
        #expect(Set(choices) == ["dark", "light"])
    }

    @Test(arguments: ["ALTER TABLE plant RENAME COLUMN height TO size", "ALTER TABLE plant DROP COLUMN height"])
    func `a column that an update renames or drops goes from the declaration, and nothing else changes`(
        update: String
    ) throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        try laptop.run(update)
        let error = #expect(throws: StoreError.self) { try laptop.sync() }
        #expect(error?.message.contains("has no column \"height\"") == true)
        #expect(error?.message.contains("join FOLDER --app FILE") == true)
        let declaration = try DatabaseDeclarer.declare(laptop.store)
        #expect(declaration.revision == 2)
        #expect(declaration.notes.contains("plant.height is gone from the database"))
        try declare(laptop)
        // The older app of the phone keeps its column, and edits the row.
        try phone.sync()
        try phone.run("UPDATE plant SET name = 'Ficus B' WHERE name = 'Ficus'; UPDATE watering SET ml = 200")
        try syncAll(phone, laptop)
        #expect(try phone.rows("SELECT height FROM plant ORDER BY name") == ["5.0", "7.0"])
        try phone.run(update)
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT name FROM plant ORDER BY name") == [#""Ficus B""#, #""Palm""#])
            #expect(try device.rows("SELECT ml FROM watering") == ["200"])
            #expect(try device.sync().published.isEmpty)
        }
        #expect(try laptop.rows("SELECT * FROM plant ORDER BY name") == phone.rows("SELECT * FROM plant ORDER BY name"))
    }

    @Test func `a table that an update drops goes from the declaration`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        try laptop.run("DROP TABLE watering")
        try declare(laptop)
        try syncAll(phone, laptop)
        #expect(try phone.rows("SELECT ml FROM watering") == ["100"])
        try phone.run("UPDATE plant SET height = 6 WHERE name = 'Ficus'")
        try syncAll(phone, laptop)
        #expect(try laptop.rows("SELECT height FROM plant ORDER BY name") == ["6.0", "7.0"])
    }

    @Test func `a table that an update renames stays on the device, and so do the numbers that refer to it`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            Self.rows,
            "INSERT INTO plant (name) VALUES ('Fern')"
        )
        try syncAll(laptop, phone)
        try laptop.run("ALTER TABLE plant RENAME TO greenery")
        let declaration = try DatabaseDeclarer.declare(laptop.store)
        #expect(declaration.tables.map(\.name) == ["watering"])
        #expect(declaration.local.contains("greenery") && declaration.local.contains("watering.plant_id"))
        #expect(try DatabaseDeclarer.declare(laptop.store).local == declaration.local)
        try declare(laptop)
        try syncAll(phone, laptop)
        #expect(try laptop.sync().published.isEmpty)
        // Nothing that refers to a plant of the phone leads elsewhere.
        let rows = try phone.rows("SELECT plant.name, ml FROM watering JOIN plant ON plant.id = plant_id")
        #expect(rows == [#""Ficus"|100"#], "\(rows)")
        #expect(try phone.rows("SELECT count(*) FROM plant") == ["3"])
    }

    @Test func `a table with another key than before stays on the device, and deletes nothing elsewhere`() throws {
        let schema = "CREATE TABLE book (code TEXT PRIMARY KEY, title TEXT, other TEXT);"
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO book VALUES ('a', 'A', 'x'), ('b', 'B', 'y')"
        )
        try laptop.run(
            "CREATE TABLE b2 (other TEXT PRIMARY KEY, title TEXT); INSERT INTO b2 SELECT other, title FROM book;"
                + "DROP TABLE book; ALTER TABLE b2 RENAME TO book"
        )
        let declaration = try DatabaseDeclarer.declare(laptop.store)
        #expect(declaration.tables.isEmpty && declaration.local == ["book"])
        #expect(try phone.sync().written == 0)
        #expect(try phone.rows("SELECT title FROM book ORDER BY title") == [#""A""#, #""B""#])
    }

    @Test func `what an update fills a new column with is nobody's entry`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(
            Self.schema,
            "INSERT INTO plant (name) VALUES ('Ficus'), ('Palm'), ('Fern')"
        )
        let update = "ALTER TABLE plant ADD COLUMN color TEXT; UPDATE plant SET color = 'none';"
        try laptop.run(update + "UPDATE plant SET color = 'blue' WHERE name = 'Ficus'")
        try declare(laptop)
        try phone.sync()
        try phone.run(update)
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT name, color FROM plant ORDER BY name")
            #expect(rows == [#""Fern"|"none""#, #""Ficus"|"blue""#, #""Palm"|"none""#], "\(rows)")
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test(arguments: [AppDeclaration.OnDelete.setNull, .cascade])
    func `a reference that a new declaration follows is followed in known records`(
        onDelete: AppDeclaration.OnDelete
    ) throws {
        let schema = """
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, tag_id INTEGER);
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            """
            INSERT INTO tag VALUES (1, 'home'), (2, 'work');
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
            INSERT INTO note SELECT i, 'note ' || i, 1 + i % 2 FROM n;
            """
        )
        var declaration = try DatabaseDeclarer.declare(laptop.store)
        declaration.revision += declaration.revision > 1 ? 0 : 1
        for (table, found) in declaration.tables.enumerated() where found.name == "note" {
            for (column, one) in found.columns.enumerated() where one.name == "tag_id" {
                declaration.tables[table].columns[column].reference = .init(table: "tag", onDelete: onDelete)
            }
        }
        try laptop.replica().change(to: declaration)
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.replica().verify().faults.isEmpty) }
        try phone.run("DELETE FROM tag WHERE id = 2")
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT count(*), count(tag_id) FROM note")
            #expect(rows == [onDelete == .setNull ? "1100|550" : "550|550"], "\(device.name)")
            #expect(try device.replica().verify().faults.isEmpty)
        }
    }

    @Test func `a store that lacks what is declared may leave, and join again with a new declaration`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.schema, Self.rows)
        try laptop.run("ALTER TABLE plant RENAME COLUMN height TO size")
        try laptop.replica().leave()
        #expect(try laptop.rows("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == ["0"])
        #expect(try phone.sync().issues == [])
    }

    @Test(arguments: [
        ("quote", #"["author"]"#, false), ("two", #"["a"]"#, false), ("two", #"["c"]"#, false),
        ("two", #"["b", "a"]"#, true), ("one", #"["a"]"#, true), ("part", #"["a"]"#, false), ("seen", #"["a"]"#, false),
    ])
    func `a key that the database does not keep unique is refused`(table: String, key: String, isFitting: Bool) throws {
        let device = try DeclaredDevice(
            "Laptop",
            """
            CREATE TABLE quote (author TEXT, a TEXT, b TEXT, c TEXT);
            CREATE TABLE two (author TEXT, a TEXT, b TEXT, c TEXT, PRIMARY KEY (a, b));
            CREATE TABLE one (author TEXT, a TEXT NOT NULL UNIQUE, b TEXT, c TEXT);
            CREATE TABLE part (author TEXT, a TEXT, b TEXT, c TEXT);
            CREATE UNIQUE INDEX part_a ON part (a) WHERE c IS NULL;
            CREATE VIEW seen AS SELECT * FROM two;
            """,
            in: Sandbox()
        )
        let columns = ["author", "a", "b", "c"].map { "\"\($0)\": {\"kind\": \"text\"}" }.joined(separator: ", ")
        let text = """
            {"format": "satchel-declaration", "version": 1, "app": "my-app", "revision": 1,
             "tables": {"\(table)": {"key": \(key), "columns": {\(columns)}}}}
            """
        let misfit = try DeclaredStores.misfit(AppDeclaration(reading: Array(text.utf8), name: nil), device.store)
        #expect((misfit == nil) == isFitting, "\(misfit ?? "")")
        if table == "seen" { #expect(misfit?.contains("no table \"seen\"") == true) }
    }

    @Test func `rows with one natural key go on getting keys of their own after some of them are gone`() throws {
        let schema =
            "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL); CREATE TABLE other (id INTEGER PRIMARY KEY);"
        let devices = try DeclaredDevice.group(["Laptop", "Phone"], schema)
        var declaration = try DatabaseDeclarer.declare(devices[0].store, app: "test-app")
        for index in declaration.tables.indices where declaration.tables[index].name == "tag" {
            declaration.tables[index].naturalKey = ["name"]
        }
        try devices[0].makeSpace(declaration)
        try devices[0].run("INSERT INTO tag (name) VALUES ('a'), ('a'), ('a')")
        try devices[0].run("DELETE FROM tag WHERE id = 2")
        try devices[0].sync()
        try devices[1].join()
        try devices[1].run("INSERT INTO tag (name) VALUES ('a')")
        try devices[1].run("INSERT INTO tag (name) VALUES ('a')")
        try syncAll(devices[1], devices[0])
        for device in devices {
            #expect(try device.rows("SELECT name FROM tag") == [#""a""#, #""a""#, #""a""#, #""a""#])
        }
    }

    @Test func `rows that refer to each other in a circle are deleted together`() throws {
        let schema = """
            CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, parent INTEGER REFERENCES place (id) ON DELETE CASCADE);
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO place (name) VALUES ('Home'), ('Work'), ('Garden')"
        )
        try laptop.run("UPDATE place SET parent = (SELECT id FROM place WHERE name = 'Home') WHERE name = 'Work'")
        try phone.run("UPDATE place SET parent = (SELECT id FROM place WHERE name = 'Work') WHERE name = 'Home'")
        try syncAll(laptop, phone)
        try phone.run("DELETE FROM place WHERE name = 'Work'")
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT name FROM place") == [#""Garden""#])
            #expect(try device.sync().issues == [])
        }
    }
}
