import AppList
@testable import DirectorySync
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import foldersync

/// A number that is no integer, as JSON.
private let half = JSONNumber(1.5).map { JSONValue.number($0) } ?? .null

@Suite("Inboxes of declared apps")
struct DeclaredInboxTests {
    private static let schema = """
        CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, title TEXT, stars INTEGER DEFAULT 0, size REAL, data BLOB,
            reads INTEGER NOT NULL DEFAULT 0, tag_id INTEGER REFERENCES tag (id) ON DELETE SET NULL);
        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT);
        """
    private static let rows = """
        INSERT INTO tag VALUES (7, 'work');
        INSERT INTO note (title, stars, size, tag_id) VALUES ('Milk', 2, 1.0, 7), ('Bread', 0, NULL, NULL);
        INSERT INTO setting VALUES ('theme', 'dark');
        """
    private static let notes = """
        SELECT title, stars, (SELECT name FROM tag WHERE tag.id = tag_id) FROM note ORDER BY title
        """
    private let phone = SyncDevice(id: "phone00000000000", name: "Phone")
    private let laptop: DeclaredDevice
    private let format: any InboxFormat

    init() throws {
        laptop = try DeclaredDevice("Laptop", Self.schema, in: Sandbox())
        try laptop.run(Self.rows)
        try laptop.makeSpace()
        let declaration = try DeclaredStores.declaration(in: laptop.store)
        format = try #require(declaration.flatMap { AppStores.all.inbox(of: $0.id, $0) })
    }

    private func document() throws -> JSONValue {
        let store = try AppStores.all.open(laptop.store)
        return try StoreDocument.read(store, as: format, generator: "test", exportedAt: "2026-01-02T00:00:00Z")
    }

    private func reading(_ value: JSONValue) throws -> InboxReading {
        try InboxReading(value.encoded(.indented), name: "f", AppStores.all.inboxes + [format])
    }

    private func read(_ value: JSONValue) throws -> InboxDocument? {
        guard case .document(let document) = try reading(value) else { return nil }
        return document
    }

    @Test("The file that is written is what is read again")
    func output() throws {
        let document = try document()
        let bytes = try InboxOutput(format, document).bytes
        let again = try #require(try read(JSONDocument(parsing: bytes).root.value))
        #expect(again.app == format.app && again.isWhole && again.exportedAt != nil)
        for name in ["tag", "note", "setting"] { #expect(again.value[name] == document[name]) }
        #expect(InboxOutput.name(format, from: SyncDevice(id: "i", name: "Laptop")) == "test-app-synced-laptop.json")
        // What a new row has, and how a number is written, makes no difference.
        var same = document
        same["note"] = .array(
            (document["note"]?.array ?? []).map { note in
                var note = note
                if note["stars"] == nil { note["stars"] = 0 }
                if note["size"] == nil { note["size"] = .null }
                return note
            }
        )
        #expect(try read(same)?.value == again.value)
    }

    @Test("What differs from the phone's last export was changed there")
    func edits() throws {
        var document = try document()
        let first = try #require(try read(document))
        _ = try laptop.replica().take(first.value, isWhole: first.isWhole, exportedAt: nil, from: phone)
        var notes = (document["note"]?.array ?? []).filter { $0["title"] != "Bread" }
        notes[0]["title"] = "Oat milk"
        notes.append(["id": "from-the-phone", "title": "New", "stars": 1, "tag_id": notes[0]["tag_id"] ?? .null])
        document["note"] = .array(notes)
        let export = try #require(try read(document))
        laptop.time.advance(1000)
        _ = try laptop.replica().take(export.value, isWhole: export.isWhole, exportedAt: nil, from: phone)
        try laptop.sync()
        #expect(try laptop.rows(Self.notes) == [#""New"|1|"work""#, #""Oat milk"|2|"work""#])
        #expect(try laptop.rows("SELECT value FROM setting") == [#""dark""#])
        #expect(try laptop.faults() == [])
    }

    /// Returns rows with another value in the first one.
    private static func changed(_ rows: JSONValue?, _ column: String, _ value: JSONValue) -> JSONValue {
        var rows = rows?.array ?? []
        rows[0][column] = value
        return .array(rows)
    }

    @Test("A phone takes back a value that the database rejects")
    func takenBack() throws {
        let device = try DeclaredDevice(
            "Laptop",
            "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, size INTEGER CHECK (size > 0));",
            in: Sandbox()
        )
        try device.run("INSERT INTO item (name, size) VALUES ('Bread', 4)")
        try device.makeSpace()
        let declared = try DeclaredStores.declaration(in: device.store)
        let format = try #require(declared.flatMap { AppStores.all.inbox(of: $0.id, $0) })
        /// - Returns: What is wrong after that.
        func export(size: Int?) throws -> [SyncIssue.Kind] {
            let store = try AppStores.all.open(device.store)
            var document = try StoreDocument.read(store, as: format, generator: "test", exportedAt: "")
            if let size { document["item"] = Self.changed(document["item"], "size", .number(size)) }
            let reading = try InboxReading(document.encoded(.indented), name: "f", AppStores.all.inboxes + [format])
            guard case .document(let export) = reading else { throw CancellationError() }
            device.time.advance(1000)
            _ = try device.replica().take(export.value, isWhole: true, exportedAt: nil, from: phone)
            let issues = try device.sync().issues.map(\.kind)
            let given = try StoreDocument.read(store, as: format, generator: "test", exportedAt: "")
            _ = try device.replica().offer(given, to: phone)
            return issues
        }
        #expect(try export(size: nil) == [])
        #expect(try export(size: 0) == [.rejected])
        #expect(try export(size: 4) == [])
        #expect(try device.rows("SELECT name, size FROM item") == [#""Bread"|4"#])
        #expect(try export(size: 5) == [])
        #expect(try device.rows("SELECT size FROM item") == ["5"])
    }

    /// Returns the items of a device that its phone gets with a file.
    private func give(_ device: DeclaredDevice, _ format: any InboxFormat) throws -> JSONValue {
        let store = try AppStores.all.open(device.store)
        let given = try StoreDocument.read(store, as: format, generator: "test", exportedAt: "")
        _ = try device.replica().offer(given, to: phone)
        return given["item"] ?? []
    }

    /// Takes an export with items, and returns what the phone changed, and what is wrong after that.
    private func take(_ items: JSONValue, _ device: DeclaredDevice) throws -> (records: Int, issues: [SyncIssue.Kind]) {
        device.time.advance(1000)
        let taken = try device.replica().take(["item": items], isWhole: true, exportedAt: nil, from: phone)
        guard case .taken(let outcome) = taken else { throw CancellationError() }
        return (outcome.published.flatMap(\.records).count, try device.sync().issues.map(\.kind))
    }

    /// A device whose phone exported all of its items.
    private func exchanging(
        _ schema: String,
        _ rows: String,
        counter: String? = nil
    ) throws -> (device: DeclaredDevice, format: any InboxFormat, items: JSONValue) {
        let device = try DeclaredDevice("Laptop", schema, in: Sandbox())
        try device.run(rows)
        var declaration = try DatabaseDeclarer.declare(device.store, app: "test-app")
        for (column, one) in declaration.tables[0].columns.enumerated() where one.name == counter {
            declaration.tables[0].columns[column].rule = "counter"
        }
        try device.makeSpace(declaration)
        let declared = try DeclaredStores.declaration(in: device.store)
        let format = try #require(declared.flatMap { AppStores.all.inbox(of: $0.id, $0) })
        let items = try give(device, format)
        _ = try take(items, device)
        return (device, format, items)
    }

    @Test("A counter that both counted alike has both counts, though the phone changed the record besides")
    func counted() throws {
        let schema = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, qty INTEGER);"
        let (device, format, items) = try exchanging(
            schema,
            "INSERT INTO item (name, qty) VALUES ('a', 5)",
            counter: "qty"
        )
        try device.run("UPDATE item SET qty = 8")
        try device.sync()
        _ = try give(device, format)
        _ = try take(Self.changed(Self.changed(items, "qty", 8), "name", "b"), device)
        #expect(try device.rows("SELECT name, qty FROM item") == [#""b"|11"#])
    }

    @Test("What an export lacks was deleted on the phone, though the file lacks it: an import only adds")
    func ownDeletion() throws {
        let (device, format, items) = try exchanging(
            "CREATE TABLE item (id TEXT PRIMARY KEY, name TEXT UNIQUE);",
            "INSERT INTO item VALUES ('t1', 'Milk'), ('t2', 'Bread')"
        )
        try device.run("DELETE FROM item WHERE id = 't2'")
        try device.sync()
        let left = try give(device, format)
        #expect(left.array?.count == 1)
        #expect(try take(left, device).records == 1)
        // The store rejects what the phone adds, so the file lacks it.
        let rejected = try take(.array((left.array ?? []) + [["id": "t9", "name": "Milk"]]), device)
        #expect(rejected.records == 1 && rejected.issues == [.rejected])
        #expect(try give(device, format) == left)
        let deleted = try take(left, device)
        #expect(deleted.records == 1 && deleted.issues == [])
        #expect(items.array?.count == 2)
    }

    @Test("A column that the phone's app does not have stays as it is, until an update of the app has it")
    func olderApp() throws {
        let device = try DeclaredDevice(
            "Laptop",
            "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, mood TEXT)",
            in: Sandbox()
        )
        try device.run("INSERT INTO note (title, mood) VALUES ('Milk', 'good'), ('Bread', NULL)")
        try device.makeSpace()
        let declared = try DeclaredStores.declaration(in: device.store)
        let format = try #require(declared.flatMap { AppStores.all.inbox(of: $0.id, $0) })
        /// Takes an export of the phone, and returns the laptop's notes.
        func export(_ rows: [JSONValue]) throws -> [String] {
            let document: JSONValue = ["format": "test-app", "note": .array(rows)]
            let reading = try InboxReading(document.encoded(.indented), name: "f", AppStores.all.inboxes + [format])
            guard case .document(let export) = reading else { throw CancellationError() }
            device.time.advance(1000)
            _ = try device.replica().take(
                export.value,
                isWhole: export.isWhole,
                exportedAt: nil,
                columns: export.columns,
                from: phone
            )
            try device.sync()
            return try device.rows("SELECT title, mood FROM note ORDER BY title")
        }
        /// The rows of a file for the phone.
        func offer() throws -> [JSONValue] {
            let store = try AppStores.all.open(device.store)
            let document = try StoreDocument.read(store, as: format, generator: "test", exportedAt: "")
            #expect(try device.replica().offer(document, to: phone))
            return document["note"]?.array ?? []
        }
        /// Returns rows with another value in the one of a title.
        func changed(_ rows: [JSONValue], _ title: String, _ name: String, _ value: JSONValue?) -> [JSONValue] {
            rows.map { row in
                var row = row
                if row["title"]?.string == title { row[name] = value }
                return row
            }
        }
        let own: JSONValue = ["id": "own", "title": "Own"]
        #expect(try export([own]).count == 3)
        // The older app drops the column of what it imports.
        var rows = changed(try offer(), "Milk", "mood", nil)
        #expect(try export(rows) == [#""Bread"|NULL"#, #""Milk"|"good""#, #""Own"|NULL"#])
        rows = changed(rows, "Milk", "title", "Oat milk")
        #expect(try export(rows) == [#""Bread"|NULL"#, #""Oat milk"|"good""#, #""Own"|NULL"#])
        // The updated app has no value yet of what the older one imported.
        rows = changed(rows, "Own", "mood", "new")
        #expect(try export(rows) == [#""Bread"|NULL"#, #""Oat milk"|"good""#, #""Own"|"new""#])
        rows = try offer()
        #expect(try export(rows) == [#""Bread"|NULL"#, #""Oat milk"|"good""#, #""Own"|"new""#])
        rows = changed(rows, "Oat milk", "mood", nil)
        #expect(try export(rows) == [#""Bread"|NULL"#, #""Oat milk"|NULL"#, #""Own"|"new""#])
    }

    @Test("References to text keys lead to rows of the export, and what a database works out is left out")
    func textReferences() throws {
        let device = try DeclaredDevice(
            "Laptop",
            """
            CREATE TABLE unit (code TEXT PRIMARY KEY);
            CREATE TABLE item (
                id INTEGER PRIMARY KEY, name TEXT, unit TEXT REFERENCES unit (code), length INTEGER AS (length(name)));
            """,
            in: Sandbox()
        )
        try device.run("INSERT INTO unit VALUES ('g'); INSERT INTO item (name, unit) VALUES ('Flour', 'g')")
        try device.makeSpace()
        let declared = try DeclaredStores.declaration(in: device.store)
        let format = try #require(declared.flatMap { AppStores.all.inbox(of: $0.id, $0) })
        var document = try StoreDocument.read(
            AppStores.all.open(device.store),
            as: format,
            generator: "test",
            exportedAt: "2026-01-02T00:00:00Z"
        )
        func reading() throws -> InboxReading {
            try InboxReading(document.encoded(.indented), name: "f", AppStores.all.inboxes + [format])
        }
        document["item"] = Self.changed(document["item"], "length", 5)
        guard case .document(let export) = try reading() else { throw CancellationError() }
        #expect(export.value["item"]?.array?.first?["length"] == nil && export.warnings.isEmpty)
        document["item"] = Self.changed(document["item"], "unit", "zzz")
        guard case .unusable(let findings) = try reading() else { throw CancellationError() }
        #expect(findings.first?.pointer?.description == "/item/0/unit")
        #expect(findings.first?.message == #"found "zzz", expected the key of a row of "unit""#)
    }

    @Test("A new row of the phone with a record's natural key is that record, also when it is renamed later")
    func naturalKey() throws {
        var document: JSONValue = [
            "format": "test-app", "setting": [],
            "tag": [["id": "mine", "name": "work"], ["id": "new", "name": "play"]],
            "note": [["id": "n", "title": "Fig", "tag_id": "mine"], ["id": "m", "title": "Other", "tag_id": "new"]],
        ]
        func take() throws {
            let read = try #require(try read(document))
            _ = try laptop.replica().take(read.value, isWhole: false, exportedAt: nil, from: phone)
            #expect(try laptop.sync().issues == [])
            #expect(try laptop.faults() == [])
        }
        try take()
        #expect(
            try laptop.rows(Self.notes) == [
                #""Bread"|0|NULL"#, #""Fig"|0|"work""#, #""Milk"|2|"work""#, #""Other"|0|"play""#,
            ]
        )
        document["tag"] = [["id": "mine", "name": "job"], ["id": "new", "name": "play"]]
        try take()
        #expect(try laptop.rows("SELECT name FROM tag ORDER BY name") == [#""job""#, #""play""#])
        #expect(try laptop.rows("SELECT id FROM tag WHERE name = 'job'") == ["7"])
    }

    @Test("A table that is not there at all says nothing of its rows")
    func partial() throws {
        #expect(try read(["format": "test-app", "note": []])?.isWhole == false)
        guard case .foreign = try reading(["format": "another-app", "note": []]) else {
            Issue.record("the export of another app was not foreign")
            return
        }
    }

    @Test(
        "Rows that no record can be made of are found, with their place",
        arguments: [
            ("note", ["id": 1, "title": "a"]), ("note", ["title": "a"]), ("note", ["id": "a", "title": [1]]),
            ("note", 5), ("tag", ["id": "a"]), ("tag", ["id": "a", "name": .null]), ("setting", ["value": "a"]),
        ] as [(String, JSONValue)]
    )
    func refused(_ table: String, _ row: JSONValue) throws {
        var export: JSONValue = ["format": "test-app"]
        export[table] = [row]
        guard case .unusable(let findings) = try reading(export) else {
            Issue.record("the row was taken")
            return
        }
        #expect(findings.map(\.code) == ["declared.row"])
        #expect(findings.first?.position != nil)
        #expect(throws: (any Error).self) { try InboxOutput(format, export) }
    }

    @Test(
        "Values that are not of their column's kind are found, with their place and what was expected",
        arguments: [
            ("note", ["id": "a", "stars": "5"], "/note/0/stars", #"is "5", expected an integer"#),
            ("note", ["id": "a", "stars": half], "/note/0/stars", "is 1.5, expected an integer"),
            ("note", ["id": "a", "size": "big"], "/note/0/size", #"is "big", expected a number"#),
            ("note", ["id": "a", "title": 5], "/note/0/title", "is 5, expected a text"),
            (
                "note", ["id": "a", "data": "abc"], "/note/0/data",
                #"is "abc", expected bytes, such as {"blob": "AAEC"}"#
            ),
            ("note", ["id": "a", "reads": .null], "/note/0/reads", "is null, expected a value"),
            ("note", ["id": "a", "tag_id": half], "/note/0/tag_id", #"is 1.5, expected the key of a row of "tag""#),
            (
                "note", ["id": "a", "tag_id": "no"], "/note/0/tag_id",
                #"found "no", expected the key of a row of "tag""#
            ),
            ("tag", ["id": "a", "name": .null], "/tag/0/name", "is null, expected a value"),
        ] as [(String, JSONValue, String, String)]
    )
    func kinds(_ table: String, _ row: JSONValue, _ place: String, _ message: String) throws {
        var export: JSONValue = ["format": "test-app", "tag": []]
        export[table] = [row]
        guard case .unusable(let findings) = try reading(export) else {
            Issue.record("the row was taken")
            return
        }
        #expect(findings.map(\.code) == ["declared.row"])
        #expect(findings.first?.pointer?.description == place)
        #expect(findings.first?.position != nil)
        #expect(findings.first?.message.hasSuffix(message) ?? false, "\(findings)")
    }

    @Test("What programs wrote into a column of another kind is written for the phone, and read again")
    func otherKinds() throws {
        let device = try DeclaredDevice(
            "Other",
            "CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, r REAL);",
            in: Sandbox()
        )
        try device.run("INSERT INTO item (n, r) VALUES ('a', 1), (1.5, 2)")
        let declaration = try DatabaseDeclarer.declare(device.store, app: "test-app")
        #expect(declaration.tables[0].columns.map(\.kind) == [.integer, .any, .real])
        let row: JSONValue = ["id": "a", "n": "text"]
        #expect(throws: Never.self) {
            try InboxOutput(format, ["format": "test-app", "note": [["id": "a", "stars": "5"]]])
        }
        let other = try #require(AppStores.all.inbox(of: declaration.id, declaration))
        let export: JSONValue = ["format": "test-app", "item": [row]]
        guard case .document(let document) = try InboxReading(export.encoded(.indented), name: "f", [other]) else {
            Issue.record("the row was not taken")
            return
        }
        #expect(document.value["item"] == [row])
    }

    @Test("A member without a column is kept, and told once")
    func unknownMember() throws {
        let rows: JSONValue = [["id": "a", "colour": "red"], ["id": "b", "colour": "blue"]]
        let document = try #require(try read(["format": "test-app", "note": rows]))
        #expect(document.value["note"] == rows)
        #expect(document.warnings.map(\.code) == ["declared.unknown-member"])
        #expect(document.warnings.first?.pointer?.description == "/note/0/colour")
    }

    @Test("Two rows with one key are found")
    func twice() throws {
        let export: JSONValue = ["format": "test-app", "setting": [["name": "a"], ["name": "a", "value": "b"]]]
        guard case .unusable(let findings) = try reading(export) else {
            Issue.record("the rows were taken")
            return
        }
        #expect(findings.count == 1)
    }
}
