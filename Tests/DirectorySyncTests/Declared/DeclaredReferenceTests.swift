import AppList
import CivilTime
import RecordMerge
import RecordStore
import StrictJSON
import Testing

@testable import DirectorySync
@testable import foldersync

/// References of declared apps, as people read and type them.
@Suite struct DeclaredReferenceTests {
    private let laptop: DeclaredDevice
    private let phone: DeclaredDevice
    private let target: Target

    init() throws {
        let schema = """
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE folder (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT,
                tag_id INTEGER REFERENCES tag (id) ON DELETE SET NULL,
                folder_id INTEGER REFERENCES folder (id) ON DELETE SET NULL);
            """
        let pair = try DeclaredDevice.pair(
            schema,
            "INSERT INTO tag VALUES (1, 'home'), (2, 'work'); INSERT INTO folder VALUES (1, 'F1'), (2, 'F2');"
                + "INSERT INTO note (title) VALUES ('Milk')"
        )
        (laptop, phone) = (pair.laptop, pair.phone)
        target = Target(
            folder: JoinedFolder(path: laptop.folder, space: "fedcba9876543210"),
            store: JoinedStore(app: try #require(AppID(rawValue: "test-app")), path: laptop.store)
        )
    }

    private func move(_ device: DeclaredDevice, to tag: String, _ folder: String) throws {
        try device.run(
            "UPDATE note SET tag_id = (SELECT id FROM tag WHERE name = '\(tag)'),"
                + "folder_id = (SELECT id FROM folder WHERE name = '\(folder)')"
        )
    }

    /// The conflicts of the note's references, the folder's first.
    private func conflicts() throws -> [RecordConflict] {
        try move(laptop, to: "home", "F1")
        try move(phone, to: "work", "F2")
        try laptop.sync()
        try phone.sync()
        try laptop.sync()
        return try laptop.replica().conflicts().sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }

    @Test func `a report names the row that a reference leads to`() throws {
        let conflicts = try conflicts()
        #expect(conflicts.map(\.path) == [["folder_id"], ["tag_id"]])
        let words = ValueWords(target, .utc)
        let lines = conflicts.flatMap { ConflictReport($0, words).lines(.utc) }
        for title in ["F1", "F2", "home", "work"] {
            #expect(lines.contains { $0.contains("  \"\(title)\"  (") }, "\(lines)")
        }
        let report = ConflictReport(conflicts[0], words)
        #expect(Set(conflicts[0].choices.map { report.whole($0.value) }) == ["F1", "F2"])
        try laptop.run("INSERT INTO note (title, tag_id) SELECT 'Bread', id FROM tag WHERE name = 'home'")
        try laptop.sync()
        try laptop.run("UPDATE note SET tag_id = (SELECT id FROM tag WHERE name = 'work') WHERE title = 'Bread'")
        let text = SyncReport(try laptop.sync()).text(target)
        #expect(text.contains("\"work\""), "\(text)")
    }

    @Test func `a typed reference is the title or number of a row`() throws {
        let conflicts = try conflicts()
        let typed = TypedValue(target.app, .utc, now: Timestamp(seconds: 0), store: laptop.store)
        let number = try #require(try laptop.rows("SELECT id FROM folder WHERE name = 'F1'").first)
        #expect(try typed.read(number, for: conflicts[0]) == typed.read("F1", for: conflicts[0]))
        #expect(try typed.read("none", for: conflicts[0]) == .null)
        do {
            _ = try typed.read("nothing", for: conflicts[1])
            Issue.record("the title of no row was taken")
        } catch {
            #expect(error.message == #"tag_id: expected the title or number of a row of tag, or none, found "nothing""#)
        }
        let value = try typed.read("home", for: conflicts[1])
        let decision = ConflictDecision(
            key: RecordKey("note", conflicts[1].name.key),
            path: conflicts[1].path,
            value: .value(value),
            seen: conflicts[1].choices
        )
        _ = try laptop.replica().resolve([decision])
        #expect(try laptop.rows("SELECT name FROM tag JOIN note ON tag_id = tag.id") == [#""home""#])
        try laptop.run("INSERT INTO folder (name) VALUES ('F1')")
        do {
            _ = try typed.read("F1", for: conflicts[0])
            Issue.record("one of two rows was taken")
        } catch {
            #expect(error.message == #"folder_id: 2 rows of folder are called "F1"; give the number of one"#)
        }
        // Two texts together are no row.
        #expect(throws: TypedValue.Fault.self) { try typed.check("F1 / F2", for: conflicts[0]) }
    }

    @Test func `references by texts and bytes have titles, which people can type`() throws {
        let schema = """
            CREATE TABLE person (id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL);
            CREATE TABLE symptom (code TEXT PRIMARY KEY, title TEXT NOT NULL);
            CREATE TABLE log (id INTEGER PRIMARY KEY, at TEXT NOT NULL, person_id BLOB REFERENCES person (id),
                symptom_code TEXT REFERENCES symptom (code));
            """
        let rows = """
            INSERT INTO person VALUES (x'01', 'Ada'), (x'02', 'Ben'), (x'03', 'Cleo');
            INSERT INTO symptom VALUES ('s-1', 'Headache'), ('s-2', 'Nausea'), ('s-3', 'Rash');
            INSERT INTO log VALUES (1, '1 March', x'01', 's-1');
            """
        let (laptop, phone) = try DeclaredDevice.pair(schema, rows)
        try laptop.run("UPDATE log SET person_id = x'02', symptom_code = 's-2'")
        try phone.run("UPDATE log SET person_id = x'03', symptom_code = 's-3'")
        for device in [laptop, phone, laptop] { try device.sync() }
        let target = Target(
            folder: JoinedFolder(path: laptop.folder, space: "fedcba9876543210"),
            store: JoinedStore(app: try #require(AppID(rawValue: "test-app")), path: laptop.store)
        )
        let conflicts = try laptop.replica().conflicts().sorted { $0.path.lexicographicallyPrecedes($1.path) }
        #expect(conflicts.map(\.path) == [["person_id"], ["symptom_code"]])
        let lines = conflicts.flatMap { ConflictReport($0, ValueWords(target, .utc)).lines(.utc) }
        for title in ["Ada", "Ben", "Cleo", "Headache", "Nausea", "Rash"] {
            #expect(lines.contains { $0.contains("  \"\(title)\"  (") }, "\(lines)")
        }
        let typed = TypedValue(
            target.app,
            .utc,
            now: Timestamp(seconds: 0),
            store: laptop.store
        )
        #expect(try typed.read("Cleo", for: conflicts[0]) == ["blob": "Aw=="])
        #expect(try typed.read("Rash", for: conflicts[1]) == "s-3")
        #expect(try typed.read("s-1", for: conflicts[1]) == "s-1")
        #expect(throws: TypedValue.Fault.self) { try typed.read("Cough", for: conflicts[1]) }
    }

    @Test func `a deleted row keeps its title in reports`() throws {
        let key = try #require(DeclaredReferences(laptop.store).keys("F1", of: "folder").first)
        try laptop.run("DELETE FROM folder WHERE name = 'F1'")
        #expect(DeclaredReferences(laptop.store).title(key, of: "folder") == "F1")
        #expect(DeclaredReferences(laptop.store).target(of: "title", in: "note") == nil)
        #expect(DeclaredReferences(laptop.store + ".none").title(key, of: "folder") == nil)
    }

    @Test func `the log names a deleted link by the rows that it led to`() throws {
        let schema = """
            CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
            CREATE TABLE note_tag (note_id INTEGER REFERENCES note (id) ON DELETE CASCADE,
                tag_id INTEGER REFERENCES tag (id) ON DELETE CASCADE, PRIMARY KEY (note_id, tag_id));
            """
        let (laptop, _) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO tag VALUES (1, 'Home'); INSERT INTO note VALUES (1, 'Milk'); INSERT INTO note_tag VALUES (1, 1)"
        )
        try laptop.run("DELETE FROM note_tag")
        try laptop.sync()
        let change = try #require(try laptop.replica().log(limit: 1).first)
        #expect(RecordWords.list(change) == #"deleted note_tag of "Milk, Home""#)
    }

    @Test func `a row that was changed while its parent was deleted is blocked, and named so`() throws {
        let schema = """
            CREATE TABLE cat (id INTEGER PRIMARY KEY, name TEXT, pos INTEGER,
                parent_id INTEGER REFERENCES cat (id) ON DELETE CASCADE);
            """
        let (laptop, phone) = try DeclaredDevice.pair(
            schema,
            "INSERT INTO cat (id, name, parent_id) VALUES (1, 'Recipes', NULL), (2, 'Soups', 1)"
        )
        for device in [phone, laptop] { try device.sync() }
        try laptop.run("DELETE FROM cat WHERE name = 'Recipes'")
        try phone.run("UPDATE cat SET pos = 5 WHERE name = 'Soups'")
        for device in [laptop, phone, laptop] { try device.sync() }
        for device in [laptop, phone] {
            let conflict = try #require(try device.replica().conflicts().first { $0.kind == .deletedRecord })
            #expect(conflict.waitsFor.map(\.title) == ["Recipes"])
            let report = ConflictReport(conflict, ValueWords(schema: nil, .utc))
            let words = "blocked until cat \"Recipes\" returns"
            #expect(report.heading.hasSuffix(words), "\(report.heading)")
            #expect(report.decided(.shown).hasSuffix(words), "\(report.decided(.shown))")
            #expect(try device.replica().status().heldBack == 1)
        }
    }
}
