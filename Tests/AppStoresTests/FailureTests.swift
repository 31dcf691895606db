import BZTimer
import FormatKit
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

struct FailureTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("timer.db")
    }

    private func code(_ purpose: BztimerStore.Purpose) -> StoreError.Code? {
        do throws(StoreError) {
            _ = try BztimerStore(path: path, for: purpose)
            return nil
        } catch {
            #expect(error.path == path)
            return error.code
        }
    }

    private func makeStore(sessions: Int = 1) throws {
        let store = try BztimerStore(path: path, for: .writing(mustExist: false))
        try store.write { records in
            for number in 0..<sessions { try records.insert(Samples.session("s\(number)")) }
        }
    }

    private func sql(_ text: String) throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: text) }
    }

    @Test("A store that is not there is made by what is written first; where that fails, there is none")
    func missing() throws {
        struct Refused: Error {}
        #expect(code(.reading) == .notFound)
        #expect(code(.writing(mustExist: true)) == .notFound)
        #expect(code(.writing(mustExist: false)) == nil)
        #expect(throws: Refused.self) {
            try BztimerStore(path: path, for: .writing(mustExist: false)).write { _ in throw Refused() }
        }
        #expect(try sandbox.names() == [])
        try BztimerStore(path: path, for: .writing(mustExist: false)).makeTables()
        #expect(code(.reading) == nil)
    }

    @Test("Of two that make one store, the first of which fails, the second loses nothing")
    func abandoned() throws {
        struct Refused: Error {}
        var first: BztimerStore? = try BztimerStore(path: path, for: .writing(mustExist: false))
        let second = try BztimerStore(path: path, for: .writing(mustExist: false))
        #expect(throws: Refused.self) { try first?.write { _ in throw Refused() } }
        first = nil
        #expect(try sandbox.names() == [])
        #expect(throws: StoreError.self) { try second.makeTables() }
        try makeStore()
        #expect(try BztimerStore(path: path, for: .reading).read { try $0.sessions() }.count == 1)
    }

    @Test("An empty file is a store that was not made yet")
    func empty() throws {
        try sandbox.write("timer.db", "")
        #expect(code(.reading) == .notFound)
        #expect(code(.writing(mustExist: false)) == nil)
    }

    @Test("A folder, and a folder that is not there", arguments: [".", "none/timer.db"])
    func noFile(_ name: String) throws {
        let path = sandbox.path(name)
        for purpose in [BztimerStore.Purpose.reading, .writing(mustExist: false)] {
            do throws(StoreError) {
                _ = try BztimerStore(path: path, for: purpose)
                Issue.record("opened \(path)")
            } catch {
                #expect(error.code == .cannotOpen || error.code == .notFound)
            }
        }
    }

    @Test("A file that is no database stays as it is")
    func noDatabase() throws {
        let text = String(repeating: "{\"format\":\"bztimer\"}\n", count: 100)
        try sandbox.write("timer.db", text)
        #expect(code(.reading) == .notADatabase)
        #expect(code(.writing(mustExist: false)) == .notADatabase)
        #expect(try sandbox.bytes("timer.db") == Array(text.utf8))
    }

    @Test("A database of another program stays as it is")
    func foreign() throws {
        try sql("CREATE TABLE bookmarks (url TEXT)")
        let before = try sandbox.bytes("timer.db")
        #expect(code(.reading) == .foreign)
        #expect(code(.writing(mustExist: false)) == .foreign)
        #expect(try sandbox.bytes("timer.db") == before)
    }

    @Test("A newer version is refused with both numbers")
    func newer() throws {
        try makeStore()
        try sql("PRAGMA user_version = 7")
        let before = try sandbox.bytes("timer.db")
        for purpose in [BztimerStore.Purpose.reading, .writing(mustExist: false)] {
            do throws(StoreError) {
                _ = try BztimerStore(path: path, for: purpose)
                Issue.record("opened a newer store")
            } catch {
                #expect(error.code == .newerVersion)
                #expect(error.message.contains("version 7") && error.message.contains("up to 2"))
            }
        }
        #expect(try sandbox.bytes("timer.db") == before)
    }

    @Test("A damaged database is named as one")
    func corrupt() throws {
        try makeStore(sessions: 200)
        var bytes = try sandbox.bytes("timer.db")
        for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        try sandbox.write("timer.db", bytes)
        #expect(throws: StoreError.self) {
            do {
                _ = try BztimerStore(path: path, for: .reading).read { try $0.sessions() }
            } catch let error as StoreError {
                #expect(error.code == .corrupt)
                throw error
            }
        }
    }

    @Test("A truncated database is named as one")
    func truncated() throws {
        try makeStore(sessions: 200)
        let bytes = try sandbox.bytes("timer.db")
        try sandbox.write("timer.db", Array(bytes.prefix(bytes.count / 2)))
        #expect(throws: StoreError.self) {
            _ = try BztimerStore(path: path, for: .reading).read { try $0.sessions() }
        }
    }

    @Test(
        "A record that cannot be read is left out and reported, and the others are read",
        arguments: [
            "UPDATE block SET duration_seconds = 0 WHERE position = 0 AND session_id = 's1'",
            "UPDATE session SET extra = '{\"a\":' WHERE id = 's1'",
            "UPDATE block SET extra = '[1]' WHERE position = 0 AND session_id = 's1'",
        ]
    )
    func record(_ damage: String) throws {
        try makeStore(sessions: 3)
        try sql(damage)
        let before = try sandbox.bytes("timer.db")
        let store = try BztimerStore(path: path, for: .reading)
        #expect(try store.read { try $0.sessions() }.map(\.id) == ["s0", "s2"])
        #expect(try store.read { try $0.sessions() }.count == 2)
        #expect(store.faults.map(\.kind) == [.session])
        #expect(store.faults.first?.id == "s1")
        #expect(store.faults.first?.name == "Leg day")
        #expect(try sandbox.bytes("timer.db") == before)
        let writer = try BztimerStore(path: path, for: .writing(mustExist: true))
        _ = try writer.read { try $0.sessions() }
        try writer.write { try $0.deleteSession(id: "s1") }
        #expect(writer.faults.isEmpty)
        #expect(try BztimerStore(path: path, for: .reading).read { try $0.sessions() }.count == 2)
    }

    @Test("Settings that cannot be read have defaults, and stay as they are until they are set")
    func settings() throws {
        try makeStore()
        let store = try BztimerStore(path: path, for: .writing(mustExist: true))
        try store.write { try $0.save(TimerSettings()) }
        try sql("UPDATE settings SET pre_countdown_seconds = 7, custom_categories = '[\"A\", \" \"]', is_pro_user = 1")
        var settings = try store.read { try $0.settings() }
        #expect(settings.preCountdownSeconds == 3)
        #expect(settings.customCategories == ["A", " "])
        #expect(settings.isProUser)
        #expect(store.faults.map(\.id) == ["preCountdownSeconds", "customCategories"])
        settings.customCategories = []
        try store.write { try $0.save(settings, setting: "customCategories") }
        #expect(store.faults.map(\.id) == ["preCountdownSeconds"])
        #expect(try stored("SELECT pre_countdown_seconds || custom_categories FROM settings") == "7[]")
        try store.write { try $0.save(settings, setting: "preCountdownSeconds") }
        #expect(try stored("SELECT pre_countdown_seconds FROM settings") == "3")
    }

    private func stored(_ query: String) throws -> String? {
        try DatabaseQueue(path: path).read { try String.fetchOne($0, sql: query) }
    }

    @Test("What an interrupted first opening of version 0.1.0 left is a store that was not made yet")
    func earlyTable() throws {
        try sql("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        #expect(code(.reading) == .notFound)
        #expect(code(.writing(mustExist: true)) == .notFound)
        try BztimerStore(path: path, for: .writing(mustExist: false)).makeTables()
        #expect(code(.reading) == nil)
        #expect(try stored("SELECT name FROM sqlite_master WHERE name LIKE 'grdb%'") == nil)
    }

    @Test("A migrator's table with rows is that of another program")
    func foreignMigrator() throws {
        try sql("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        try sql("INSERT INTO grdb_migrations VALUES ('v1')")
        #expect(code(.writing(mustExist: false)) == .foreign)
    }

    @Test("A database without tables is a store that was not made yet")
    func blankDatabase() throws {
        try sql("CREATE TABLE t (x); DROP TABLE t; VACUUM")
        #expect(code(.reading) == .notFound)
        #expect(code(.writing(mustExist: false)) == nil)
    }

    @Test("Many who make one store at the same time all succeed")
    func together() async throws {
        for round in 0..<20 {
            let path = sandbox.path("together-\(round).db")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let store = try BztimerStore(path: path, for: .writing(mustExist: false))
                        try store.write { try $0.insert(Samples.session("s\(number)")) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try BztimerStore(path: path, for: .reading).read { try $0.sessions() }.count == 8)
        }
    }

    @Test("Two records with one id")
    func conflict() throws {
        try makeStore()
        let store = try BztimerStore(path: path, for: .writing(mustExist: true))
        do {
            try store.write { try $0.insert(Samples.session("s0")) }
            Issue.record("stored the same id twice")
        } catch let error as StoreError {
            #expect(error.code == .conflict)
        }
    }

    @Test("What an interrupted writer left half-way is undone by the next one who opens, even for reading")
    func hotJournal() throws {
        try makeStore(sessions: 200)
        let before = try sandbox.bytes("timer.db")
        try DatabaseQueue(path: path).inDatabase { database in
            // With hardly a cache, changed pages go to the file long before the commit, and the old ones to the journal.
            try database.execute(
                sql: "PRAGMA cache_size = 4; BEGIN; UPDATE block SET label = 'half'; DELETE FROM session"
            )
            try sandbox.write("crash.db", try sandbox.bytes("timer.db"))
            try sandbox.write("crash.db-journal", try sandbox.bytes("timer.db-journal"))
            try database.execute(sql: "ROLLBACK")
        }
        #expect(try sandbox.bytes("crash.db") != before)
        let sessions = try BztimerStore(path: sandbox.path("crash.db"), for: .reading).read { try $0.sessions() }
        #expect(sessions.count == 200)
        #expect(sessions.allSatisfy { $0.items.first?.label == "Get ready" })
        #expect(try sandbox.bytes("crash.db") == before)
        #expect(!sandbox.has("crash.db-journal"))
    }
}
