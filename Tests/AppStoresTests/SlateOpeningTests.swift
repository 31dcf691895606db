@testable import RecordStore
@testable import Slate
import AppList
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("What is no Slate database is told apart and stays as it is")
struct SlateOpeningTests {
    let sandbox: Sandbox
    let path: String
    static let purposes: [SlateDatabase.Purpose] = [
        .reading, .writing(mustExist: true, upgrading: true), .writing(mustExist: false, upgrading: true),
    ]

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
    }

    /// Opens for each purpose; the file must be as before.
    private func expect(
        _ code: StoreError.Code,
        saying words: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try sandbox.bytes("slate.db")
        for purpose in Self.purposes {
            let error = try storeError { _ = try SlateDatabase(path: path, for: purpose) }
            #expect(error?.code == code, "\(purpose)", sourceLocation: sourceLocation)
            #expect(error?.path == path, sourceLocation: sourceLocation)
            #expect(
                words.isEmpty || error?.message.contains(words) == true,
                "\(error?.message ?? "")",
                sourceLocation: sourceLocation
            )
        }
        #expect(try sandbox.bytes("slate.db") == before, sourceLocation: sourceLocation)
        #expect(try sandbox.names() == ["slate.db"], sourceLocation: sourceLocation)
    }

    @Test func noFile() throws {
        for purpose in Self.purposes.dropLast() {
            #expect(try storeError { _ = try SlateDatabase(path: path, for: purpose) }?.code == .notFound)
        }
        #expect(try sandbox.names() == [])
        let error = try storeError { _ = try SlateDatabase(path: sandbox.path("none/slate.db"), for: Self.purposes[2]) }
        #expect(error?.code == .cannotOpen)
    }

    @Test func anEmptyFileIsOneThatNothingWasMadeIn() throws {
        try sandbox.write("slate.db", "")
        for purpose in Self.purposes.dropLast() {
            #expect(try storeError { _ = try SlateDatabase(path: path, for: purpose) }?.code == .notFound)
        }
        let content = try SlateContent.autumnWeek()
        let database = try sandbox.database(holding: content)
        #expect(try database.exported(at: content.exportedAt) == content.encoded())
    }

    @Test func folderAndSpecialFile() throws {
        for path in [sandbox.folder.path, "/dev/null"] {
            for purpose in Self.purposes {
                #expect(try storeError { _ = try SlateDatabase(path: path, for: purpose) }?.code == .cannotOpen)
            }
        }
    }

    @Test(
        "A database in a folder that may not be entered is not told as missing",
        .enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)")
    )
    func closedFolder() throws {
        let folder = sandbox.path("closed")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try SlateDatabase(path: "\(folder)/slate.db", for: Self.purposes[2]).makeTables()
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.folder.path)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder) }
        for purpose in Self.purposes {
            let error = try OtherUser.run {
                try storeError { _ = try SlateDatabase(path: "\(folder)/slate.db", for: purpose) }
            }
            #expect(error?.code == .cannotOpen, "\(purpose)")
            #expect(error?.message.contains("permission denied") == true, "\(error?.message ?? "")")
            #expect(error?.message.contains(folder) == true, "\(error?.message ?? "")")
        }
    }

    @Test func filesThatAreNoDatabase() throws {
        try sandbox.write("slate.db", try Fixtures.bytes("slate/v2/autumn-week.json"))
        try expect(.notADatabase)
        var generator = SeededGenerator(seed: 7)
        try sandbox.write("slate.db", (0..<8192).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try expect(.notADatabase, saying: "encrypted")
        try sandbox.write("slate.db", [UInt8](repeating: 0, count: 8192))
        try expect(.notADatabase)
    }

    @Test(arguments: [
        "CREATE TABLE bookmarks (url TEXT)", "CREATE VIEW tasks AS SELECT 1 AS id",
        "PRAGMA application_id = 1196444487; CREATE TABLE x (y); DROP TABLE x",
        "CREATE TABLE meta (key TEXT, value TEXT); CREATE TABLE tasks (id TEXT)",
    ])
    func databaseOfAnotherProgram(_ sql: String) throws {
        try sandbox.sql(sql)
        try expect(.foreign, saying: "not Slate's")
    }

    @Test(arguments: ["3", "10", "99999999999999999999", "0000000000000000000000000000003"])
    func newerVersion(_ version: String) throws {
        try sandbox.appDatabase()
        try sandbox.sql("UPDATE meta SET value = '\(version)' WHERE key = 'schema_version'")
        try expect(.newerVersion, saying: version)
    }

    @Test(arguments: [
        "DELETE FROM meta", "UPDATE meta SET value = NULL", "UPDATE meta SET value = ''", "UPDATE meta SET value = '0'",
        "UPDATE meta SET value = '-2'", "UPDATE meta SET value = 'two'", "UPDATE meta SET value = x'32'",
        "UPDATE meta SET value = '2' || char(0) || '9'", "UPDATE meta SET value = ' 2'",
    ])
    func versionThatIsNone(_ sql: String) throws {
        try sandbox.appDatabase()
        try sandbox.sql(sql)
        try expect(.foreign, saying: "meta.schema_version is")
    }

    @Test(arguments: [
        ("DROP TABLE habits", "no table habits"), ("DROP TABLE day_snapshots", "no table day_snapshots"),
        ("ALTER TABLE tasks DROP COLUMN notes", "tasks has no column notes"),
        ("ALTER TABLE tasks DROP COLUMN depends_on_task_id", "tasks has no column depends_on_task_id"),
        ("ALTER TABLE day_plan RENAME COLUMN perfect_day TO perfect", "day_plan has no column perfect_day"),
    ])
    func missingTableOrColumn(_ sql: String, _ words: String) throws {
        try sandbox.appDatabase()
        try sandbox.sql(sql)
        try expect(.foreign, saying: words)
    }

    @Test(arguments: ["UTF-16le", "UTF-16be"])
    func otherEncodings(_ name: String) throws {
        try sandbox.sql("PRAGMA encoding = '\(name)';" + SlateSchema.one + SlateSchema.oneToTwo)
        try expect(.encoding, saying: "UTF-16")
        // Sync says so as well, and not that no app knows the file.
        #expect(try storeError { _ = try AppStores.all.app(of: path) }?.code == .encoding)
        try sandbox.remove("slate.db")
        try sandbox.sql("PRAGMA encoding = '\(name)'; CREATE TABLE x (y); DROP TABLE x")
        try expect(.encoding, saying: "UTF-16")
        try sandbox.sql("CREATE TABLE x (y)")
        #expect(try AppStores.all.app(of: path) == nil)
    }

    /// The app may have made the tables with more care than needed.
    @Test func otherLayoutsOfTheSameTables() throws {
        let content = try SlateContent.autumnWeek()
        let schema = (SlateSchema.one + SlateSchema.oneToTwo)
            .replacingOccurrences(
                of: "date TEXT PRIMARY KEY, perfect_day INTEGER NOT NULL DEFAULT 0)",
                with:
                    "date TEXT PRIMARY KEY, perfect_day INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID"
            )
            .replacingOccurrences(of: "completed_habit_ids TEXT\n);", with: "completed_habit_ids TEXT\n) STRICT;")
            .replacingOccurrences(of: "id TEXT PRIMARY KEY", with: "id TEXT PRIMARY KEY NOT NULL")
        #expect(schema.contains("WITHOUT ROWID") && schema.contains("STRICT"))
        try sandbox.sql("PRAGMA page_size = 1024; PRAGMA auto_vacuum = FULL;" + schema)
        try sandbox.sql("ALTER TABLE tasks ADD COLUMN words INTEGER AS (length(title))")
        let database = try sandbox.database(holding: content)
        #expect(try database.exported(at: content.exportedAt) == content.encoded())
        #expect(
            try sandbox.rows("SELECT count(*) FROM tasks WHERE words = length(title)") == ["\(content.count(.tasks))"]
        )
    }
}
