import AppList
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import TestSupport
import Testing

@testable import DirectorySync

/// Columns that an update of the app drops, brings back, renames, fills, or gives another type.
@Suite struct DeclaredColumnTests {
    private static let intake = """
        CREATE TABLE intake (id INTEGER PRIMARY KEY, at TEXT NOT NULL, amount INTEGER, note TEXT,
            mood INTEGER NOT NULL DEFAULT 5)
        """
    private static let rows = """
        INSERT INTO intake (at, amount, note, mood)
            VALUES ('1 May', 1, 'with milk', 9), ('2 May', 1, 'late', 8), ('3 May', 1, NULL, 5)
        """

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

    private func syncAll(_ devices: DeclaredDevice...) throws {
        for device in devices + devices { try device.sync() }
    }

    // MARK: Columns that come back

    @Test(arguments: [true, false])
    func `a column that comes back has the values that the devices have`(isDeclaredByPhone: Bool) throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.intake, Self.rows)
        try laptop.run("ALTER TABLE intake DROP COLUMN note; ALTER TABLE intake DROP COLUMN mood")
        try declare(laptop)
        try syncAll(phone, laptop)
        try laptop.run("UPDATE intake SET amount = 5 WHERE at = '1 May'")
        try syncAll(laptop, phone)
        try laptop.run(
            "ALTER TABLE intake ADD COLUMN note TEXT; ALTER TABLE intake ADD COLUMN mood INTEGER NOT NULL DEFAULT 5"
        )
        try declare(isDeclaredByPhone ? phone : laptop)
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT at, amount, note, mood FROM intake ORDER BY at")
            let expected = [#""1 May"|5|"with milk"|9"#, #""2 May"|1|"late"|8"#, #""3 May"|1|NULL|5"#]
            #expect(rows == expected, "\(device.name)")
        }
        #expect(try laptop.replica().conflicts().isEmpty)
    }

    @Test func `what was entered in a column while it was not declared is a conflict when it comes back`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.intake, Self.rows)
        try laptop.run("ALTER TABLE intake DROP COLUMN note")
        try declare(laptop)
        try syncAll(phone, laptop)
        try phone.run("UPDATE intake SET note = 'with water' WHERE at = '1 May'")
        try syncAll(phone, laptop)
        try laptop.run("ALTER TABLE intake ADD COLUMN note TEXT")
        try declare(laptop)
        try syncAll(phone, laptop)
        let texts = try laptop.replica().conflicts().flatMap { $0.choices.map { $0.value?.string } }
        #expect(Set(texts) == ["with milk", "with water"])
        #expect(try laptop.rows("SELECT note FROM intake") == phone.rows("SELECT note FROM intake"))
        #expect(try laptop.rows("SELECT note FROM intake WHERE at = '2 May'") == [#""late""#])
    }

    @Test(arguments: [
        "ALTER TABLE intake RENAME COLUMN note TO remark", "ALTER TABLE intake DROP COLUMN note",
    ])
    func `a store without a column that others have is as it was given`(update: String) throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.intake, Self.rows)
        try laptop.run(update)
        try declare(laptop)
        try phone.sync()
        try phone.run(update)
        try syncAll(phone, laptop)
        try laptop.run("UPDATE intake SET amount = 7 WHERE at = '1 May'")
        try syncAll(laptop, phone)
        let found = try [laptop, phone].map { try $0.replica().verify() }
        #expect(found.map(\.differing) == [[], []])
        #expect(found[0].digest == found[1].digest)
    }

    // MARK: What an update fills in

    @Test func `a counter that an update fills is counted once where its value is known`() throws {
        let schema = "CREATE TABLE med (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, stock INTEGER NOT NULL)"
        let devices = try DeclaredDevice.group(["Laptop", "Phone", "Tablet"], schema)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try laptop.run("INSERT INTO med (name, stock) VALUES ('Ramipril', 12), ('Metformin', 7), ('Zinc', 3)")
        try laptop.makeSpace()
        for device in [phone, tablet] { try device.join() }
        let update = "ALTER TABLE med ADD COLUMN taken INTEGER NOT NULL DEFAULT 0; UPDATE med SET taken = stock;"
        try laptop.run(update)
        try declare(laptop, counters: ["taken"])
        for device in [phone, tablet] { try device.sync() }
        try phone.run(update + "UPDATE med SET taken = taken + 1 WHERE name = 'Ramipril'")
        try tablet.run(update)
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try device.rows("SELECT taken FROM med ORDER BY name") == ["7", "13", "3"], "\(device.name)")
        }
    }

    @Test func `a counter that people counted in each row before it was declared keeps what they counted`() throws {
        let schema = "CREATE TABLE page (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)"
        let (laptop, phone) = try DeclaredDevice.pair(schema, "INSERT INTO page (name) VALUES ('a'), ('b'), ('c')")
        for device in [laptop, phone] {
            try device.run("ALTER TABLE page ADD COLUMN views INTEGER NOT NULL DEFAULT 0")
            try device.sync()
        }
        try laptop.run("UPDATE page SET views = 5")
        try phone.run("UPDATE page SET views = id + 1")
        try declare(laptop, counters: ["views"])
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT views FROM page ORDER BY name") == ["7", "8", "9"], "\(device.name)")
        }
    }

    // MARK: Types

    private static let box = "CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT NOT NULL, lot INTEGER)"
    private static let boxes = "INSERT INTO box (name, lot) VALUES ('Ramipril', 123), ('Metformin', 5)"
    private func retype(_ type: String) -> String {
        """
        CREATE TABLE box2 (id INTEGER PRIMARY KEY, name TEXT NOT NULL, lot \(type));
        INSERT INTO box2 SELECT * FROM box; DROP TABLE box; ALTER TABLE box2 RENAME TO box;
        """
    }

    @Test func `another type of a column is declared, and no device changes its values`() throws {
        let sandbox = try Sandbox()
        let laptop = try DeclaredDevice("Laptop", Self.box, in: sandbox)
        let phone = try DeclaredDevice("Phone", Self.box, in: sandbox)
        try laptop.run(Self.boxes)
        try laptop.makeSpace()
        try phone.join()
        try laptop.run(retype("TEXT") + "UPDATE box SET lot = '000123' WHERE id = 1")
        let declaration = try DatabaseDeclarer.declare(laptop.store)
        #expect(declaration.tables[0].column("lot")?.kind == .text)
        #expect(declaration.tables[0].column("lot")?.type == "TEXT")
        #expect(declaration.revision == 2)
        #expect(declaration.notes.contains { $0.contains("box.lot was INTEGER and is TEXT now") })
        try declare(laptop)
        // The phone's column cannot hold it: it says so, and takes the other record.
        try laptop.run("UPDATE box SET name = 'Metformin 500' WHERE id = 2")
        try laptop.sync()
        let issues = try phone.sync().issues
        #expect(issues.map(\.kind) == [.rejected])
        #expect(issues.first?.message.contains(#"the column "lot" has the type INTEGER"#) == true, "\(issues)")
        #expect(try phone.rows("SELECT name, lot FROM box") == [#""Ramipril"|123"#, #""Metformin 500"|5"#])
        try phone.run("UPDATE box SET name = 'Ramipril 5' WHERE id = 1")
        _ = try phone.replica().repair()
        try syncAll(phone, laptop)
        #expect(
            try laptop.rows("SELECT name, lot FROM box") == [#""Ramipril 5"|"000123""#, #""Metformin 500"|"5""#]
        )
        try phone.run(retype("TEXT"))
        try syncAll(phone, laptop)
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.rows("SELECT * FROM box") == laptop.rows("SELECT * FROM box"))
        #expect(try phone.replica().verify().differing.isEmpty)
    }

    private static let articles = "CREATE TABLE article (sku TEXT PRIMARY KEY, code ANY, note TEXT)"

    /// - Parameter type: The column's type in the declaration; older programs declared the name.
    @Test(arguments: [nil, "ANY"])
    func `a text of digits stays one where the store is made of the declaration`(type: String?) throws {
        let sandbox = try Sandbox()
        let laptop = try DeclaredDevice("Laptop", Self.articles + " STRICT", in: sandbox)
        try laptop.run("INSERT INTO article (sku, code) VALUES ('flour', '0049123'), ('oil', 12), ('rum', '3.10')")
        var declaration = try DatabaseDeclarer.declare(laptop.store, app: "test-app")
        #expect(declaration.tables[0].columns[1].type == nil)
        declaration.tables[0].columns[1].type = type
        try laptop.makeSpace(declaration)
        let phone = try DeclaredDevice("Phone", nil, in: sandbox)
        try AppStores.all.make(AppID("test-app"), at: phone.store, declaration)
        try phone.join()
        try phone.run("UPDATE article SET note = 'seen'")
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT code FROM article ORDER BY sku")
            #expect(rows == [#""0049123""#, "12", #""3.10""#], "\(device.name)")
            #expect(try device.replica().verify().differing.isEmpty)
        }
        // A store that an older program made has a column that makes numbers of texts.
        let tablet = try DeclaredDevice("Tablet", Self.articles, in: sandbox)
        try tablet.join()
        let issues = try tablet.sync().issues
        #expect(issues.map(\.kind) == [.rejected, .rejected])
        #expect(issues.first?.message.contains(#"the column "code" has the type ANY"#) == true, "\(issues)")
        #expect(try tablet.rows("SELECT code FROM article") == ["12"])
    }

    @Test func `a column of the type ANY is declared as what it is in a table that is not STRICT`() throws {
        let device = try DeclaredDevice("Laptop", Self.articles, in: Sandbox())
        #expect(try DatabaseDeclarer.declare(device.store).tables[0].columns[1].type == "NUMERIC")
    }

    @Test func `whole numbers pass between a column of real numbers and one of integers`() throws {
        let trigger = """
            CREATE TABLE pill (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER);
            CREATE TRIGGER pill_up AFTER UPDATE OF name ON pill BEGIN UPDATE pill SET n = n + 1 WHERE id = NEW.id; END;
            """
        let (laptop, phone) = try DeclaredDevice.pair(Self.box + ";" + trigger, Self.boxes)
        try laptop.run(retype("REAL"))
        try declare(laptop)
        try laptop.run("UPDATE box SET lot = 3.5 WHERE id = 2; UPDATE box SET name = 'R' WHERE id = 1")
        try phone.sync()
        try phone.run("UPDATE box SET lot = 9 WHERE id = 1")
        try syncAll(laptop, phone)
        #expect(try laptop.rows("SELECT name, lot FROM box") == [#""R"|9.0"#, #""Metformin"|3.5"#])
        #expect(try phone.rows("SELECT name, lot FROM box") == [#""R"|9"#, #""Metformin"|3.5"#])
        for device in [laptop, phone] {
            #expect(try device.replica().conflicts().isEmpty)
            #expect(try device.replica().verify().differing.isEmpty)
            _ = try device.replica().repair()
            #expect(try device.sync().published.isEmpty)
        }
    }

    @Test func `numbers pass between a column of texts and one of real numbers`() throws {
        let schema = "CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT NOT NULL, lot TEXT)"
        let rows = "INSERT INTO box (name, lot) VALUES ('Ramipril', '72.5'), ('Metformin', '3'), ('Zinc', NULL)"
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        try laptop.run(retype("REAL"))
        try phone.run("UPDATE box SET lot = '80.5' WHERE id = 1")
        try phone.sync()
        try declare(laptop)
        try syncAll(phone, laptop)
        let taken = try laptop.rows("SELECT lot FROM box ORDER BY name")
        #expect(taken == ["3.0", "80.5", "NULL"])
        try laptop.run("UPDATE box SET lot = 1.25 WHERE name = 'Metformin'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            let issues = try device.sync().issues
            #expect(issues.isEmpty, "\(device.name): \(issues.map(\.message))")
            #expect(try device.replica().verify().differing.isEmpty, "\(device.name)")
            _ = try device.replica().repair()
            #expect(try device.sync().published.isEmpty, "\(device.name)")
        }
        let given = try phone.rows("SELECT lot FROM box ORDER BY name")
        #expect(given == [#""1.25""#, #""80.5""#, "NULL"])
    }

    @Test func `a key of another type is named, and a counter that becomes a text is none any more`() throws {
        let schema =
            "CREATE TABLE item (code INTEGER NOT NULL, place TEXT NOT NULL, n INTEGER, PRIMARY KEY (code, place))"
        let laptop = try DeclaredDevice("Laptop", schema, in: Sandbox())
        var declaration = try DatabaseDeclarer.declare(laptop.store)
        declaration.tables[0].columns[2].rule = "counter"
        try DeclaredStores.declare(declaration, laptop.store)
        try laptop.run("DROP TABLE item; " + schema.replacing("INTEGER", with: "TEXT"))
        let again = try DatabaseDeclarer.declare(laptop.store)
        #expect(again.tables[0].column("code")?.kind == .integer)
        #expect(again.notes.contains { $0.hasPrefix("item.code is part of the key, was INTEGER and is TEXT now") })
        #expect(again.tables[0].column("n")?.kind == .text)
        #expect(again.tables[0].column("n")?.rule == "register")
    }

    // MARK: Notes

    @Test func `a new table whose rows an update made is named, and a settled note is not told again`() throws {
        let schema = """
            CREATE TABLE dose (id INTEGER PRIMARY KEY, name TEXT NOT NULL, at TEXT);
            CREATE TABLE history (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TRIGGER note AFTER UPDATE ON dose BEGIN INSERT INTO history (name) VALUES (OLD.name); END;
            """
        let laptop = try DeclaredDevice("Laptop", schema, in: Sandbox())
        try laptop.run("INSERT INTO dose (name, at) VALUES ('Ramipril', '08:00')")
        var declaration = try DatabaseDeclarer.declare(laptop.store)
        #expect(declaration.openNotes.contains { $0.contains("history gets rows from the trigger note") })
        declaration.tables.removeAll { $0.name == "history" }
        declaration.local.append("history")
        try DeclaredStores.declare(declaration, laptop.store)
        try laptop.run(
            "CREATE TABLE time (id INTEGER PRIMARY KEY, dose_id INTEGER NOT NULL REFERENCES dose (id), at TEXT NOT NULL);"
                + "INSERT INTO time (dose_id, at) SELECT id, at FROM dose; ALTER TABLE dose DROP COLUMN at"
        )
        let again = try DatabaseDeclarer.declare(laptop.store)
        #expect(again.revision == 2)
        #expect(again.notes.contains { $0.hasPrefix("time is new and has rows") })
        #expect(!again.openNotes.contains { $0.contains("history gets rows") })
    }

    // MARK: Restoring

    @Test func `restoring to a time before an update leaves the columns that did not exist then`() throws {
        let (laptop, phone) = try DeclaredDevice.pair(Self.intake, Self.rows)
        laptop.time.advance(10_000)
        let moment = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        let update =
            "ALTER TABLE intake RENAME COLUMN note TO remark; ALTER TABLE intake ADD COLUMN pulse INTEGER NOT NULL DEFAULT 50;"
        try laptop.run(update)
        try declare(laptop)
        try phone.run(update)
        try phone.sync()
        try phone.run("UPDATE intake SET amount = 10, pulse = 60 WHERE at = '1 May'")
        try syncAll(phone, laptop)
        _ = try laptop.replica().restore(at: moment)
        try phone.sync()
        for device in [laptop, phone] {
            let rows = try device.rows("SELECT amount, remark, pulse FROM intake ORDER BY at")
            #expect(rows == [#"1|"with milk"|60"#, #"1|"late"|50"#, "1|NULL|50"])
        }
    }

    @Test(arguments: [true, false])
    func `restoring an owner leaves what waits for it as it is now`(isOpen: Bool) throws {
        let schema = """
            CREATE TABLE medicine (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE dose (id INTEGER PRIMARY KEY, medicine_id INTEGER NOT NULL REFERENCES medicine (id)
                ON DELETE CASCADE, at TEXT NOT NULL, amount INTEGER NOT NULL);
            """
        let rows = """
            INSERT INTO medicine (name) VALUES ('Ramipril');
            INSERT INTO dose (medicine_id, at, amount) VALUES (1, '08:00', 1), (1, '20:00', 1);
            """
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        let moment = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        try phone.run("UPDATE dose SET amount = 3 WHERE at = '08:00'")
        try phone.sync()
        try laptop.run("DELETE FROM medicine")
        try syncAll(laptop, phone)
        if !isOpen {
            for conflict in try phone.replica().conflicts() {
                let key = RecordKey(conflict.name.collection, conflict.name.key)
                _ = try phone.replica().resolve([ConflictDecision(key: key, path: conflict.path, value: .shown)])
            }
            try syncAll(phone, laptop)
        }
        let medicine = try #require(
            try laptop.replica().pastRecords(at: moment).first { $0.name.collection == "medicine" }
        )
        _ = try laptop.replica().restore(at: moment, of: RecordKey(medicine.name.collection, medicine.name.key))
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("SELECT at, amount FROM dose ORDER BY at") == [#""08:00"|3"#, #""20:00"|1"#])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }
}
