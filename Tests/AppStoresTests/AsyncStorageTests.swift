import FormatKit
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// Storages that are damaged, or made to do harm.
struct AsyncStorageTests {
    static let keys: Set = ["settings", "a/../b"]
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func database(_ sql: String, _ name: String = "db") throws -> String {
        let database = try RawDatabase(sandbox.path(name))
        try database.run(sql)
        database.close()
        return sandbox.path(name)
    }

    private func read(_ path: String) throws -> AsyncStorage { try AsyncStorage(reading: path, keys: Self.keys) }

    private func code(_ path: String) -> String? {
        do {
            _ = try AsyncStorage(reading: path, keys: Self.keys)
            return nil
        } catch {
            return error.code.description
        }
    }

    /// The file that an error names.
    private func place(_ path: String) -> String? {
        do {
            _ = try AsyncStorage(reading: path, keys: Self.keys)
            return nil
        } catch {
            return error.path
        }
    }

    @Test(
        "What is no ordinary table of keys and values is no storage",
        arguments: [
            "CREATE TABLE notes (key, value)", "CREATE TABLE Storage (id, text)",
            "CREATE VIEW Storage AS WITH RECURSIVE n(key, value) AS (SELECT 1, 2 UNION ALL SELECT 1, 2 FROM n) SELECT * FROM n",
            "CREATE TABLE Storage (key TEXT, value TEXT AS (hex(zeroblob(100000000))))",
            "CREATE VIRTUAL TABLE Storage USING fts5(key, value)",
        ]
    )
    func shape(_ sql: String) throws {
        #expect(code(try database(sql)) == "storage.unrecognized")
    }

    @Test("Values of any type, and keys that are there twice")
    func values() throws {
        let path = try database(
            """
            CREATE TABLE Storage (key, value);
            INSERT INTO Storage VALUES ('settings', '1'), ('settings', '2'), (NULL, 'x'), (x'61', 'y'), ('a/../b', 3.5);
            CREATE TRIGGER t AFTER INSERT ON Storage BEGIN DELETE FROM Storage; END;
            """
        )
        let storage = try read(path)
        #expect(storage.values["settings"] == .text(Array("1".utf8)))
        #expect(storage.values["a/../b"] == .unusable("its value is of the type real, and not a text"))
        #expect(storage.otherKeys == 2)
        #expect(storage.diagnostics.map(\.code) == ["storage.several-names"])
        #expect(try sandbox.names() == ["db"])
    }

    @Test("Where an app was interrupted while it moved to the newer table, each key counts where it is")
    func bothTables() throws {
        let path = try database(
            """
            PRAGMA encoding = 'UTF-16le';
            CREATE TABLE Storage (key TEXT, value TEXT);
            CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL);
            INSERT INTO Storage VALUES ('settings', '{"é": 1}');
            INSERT INTO catalystLocalStorage VALUES ('settings', 'old'), ('sessionTemplates', '[]');
            """
        )
        let storage = try AsyncStorage(reading: path, keys: ["settings", "sessionTemplates"])
        #expect(storage.values["settings"] == .text(Array("{\"é\": 1}".utf8)))
        #expect(storage.values["sessionTemplates"] == .text(Array("[]".utf8)))
        let message = try #require(storage.diagnostics.first?.message)
        #expect(message.hasSuffix("Storage is used, and the other for sessionTemplates"))
    }

    @Test("Files that are no database, or cut off")
    func damage() throws {
        #expect(
            code(try sandbox.write("text", "SQLite format 3? No, only a text of some length."))
                == "store.not-a-database"
        )
        #expect(code(try sandbox.write("empty", "")) == "storage.unrecognized")
        #expect(code(sandbox.path("missing")) == "store.not-found")
        #expect(code("/dev/null") == "storage.unreadable")
        let path = try database(
            """
            CREATE TABLE Storage (key TEXT NOT NULL, value TEXT, PRIMARY KEY (key));
            INSERT INTO Storage VALUES ('settings', '{}');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO Storage SELECT 'k' || i, hex(zeroblob(500)) FROM n;
            """
        )
        var bytes = try sandbox.bytes("db")
        bytes.replaceSubrange(
            bytes.count / 2..<bytes.count,
            with: repeatElement(0xFF, count: bytes.count - bytes.count / 2)
        )
        try sandbox.write("db", bytes)
        let storage = try read(path)
        #expect(storage.values["settings"] == .text(Array("{}".utf8)))
        #expect(storage.diagnostics.map(\.code) == ["storage.damaged"])
        #expect(try sandbox.bytes("db") == bytes)
    }

    @Test("An iPhone's folder: no path of the manifest's, no links, no other kinds of values")
    func folder() throws {
        let name = StorageFixture.fileName("settings")
        #expect(name == "2e5d8aa3dfa8ef34ca5131d20f9dad51")
        let folder = sandbox.path("phone")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(code(folder) == "storage.unrecognized")
        try sandbox.write("secret", "secret")
        try sandbox.write("phone/manifest.json", #"{"settings":null,"a/../b":7,"../secret":null}"#)
        #expect(
            try read(folder).values["a/../b"] == .unusable("its value in the manifest is neither a string nor null")
        )
        #expect(try read(folder).otherKeys == 1)
        guard case .unusable(let missing) = try read(folder).values["settings"] else { return #expect(Bool(false)) }
        #expect(missing.hasSuffix("\(name), which is missing"))
        let link = sandbox.path("phone/\(name)")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.path("secret"))
        guard case .unusable(let linked) = try read(folder).values["settings"] else { return #expect(Bool(false)) }
        #expect(linked.hasSuffix("it is a symbolic link"))
        try sandbox.remove("phone/\(name)")
        try sandbox.write("phone/\(name)", "{}")
        #expect(try read(folder).values["settings"] == .text(Array("{}".utf8)))
        try sandbox.write("phone/manifest.json", #"{"settings":"1","settings":"2"}"#)
        let damaged = try read(folder)
        #expect(damaged.values["settings"] == .text(Array("{}".utf8)))
        #expect(damaged.diagnostics.map(\.code) == ["storage.manifest"])
        #expect(damaged.diagnostics.first?.position?.column == 17)
        try sandbox.remove("phone/manifest.json")
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path("phone/manifest.json"),
            withDestinationPath: sandbox.path("secret")
        )
        #expect(code(folder) == "storage.unreadable")
        #expect(place(folder) == "\(folder)/manifest.json")
        let path = try database("CREATE TABLE Storage (key, value)")
        try FileManager.default.createSymbolicLink(
            atPath: path + "-wal",
            withDestinationPath: sandbox.path("secret")
        )
        #expect(code(path) == "storage.unreadable" && place(path) == path + "-wal")
    }
}
