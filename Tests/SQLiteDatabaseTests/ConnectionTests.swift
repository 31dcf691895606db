import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Connections to a database")
struct ConnectionTests {
    private let sandbox: Sandbox
    private let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("a.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT UNIQUE)") }
        try queue.close()
    }

    @Test("A file that is no database, a folder and a missing file to read are refused at once")
    func opening() throws {
        let text = try sandbox.write("text.db", String(repeating: "no database ", count: 100))
        let noDatabase = #expect(throws: DatabaseError.self) { _ = try DatabaseQueue(path: text) }
        #expect(noDatabase?.resultCode == .SQLITE_NOTADB)
        #expect(noDatabase?.message == "file is not a database")

        let folder = #expect(throws: DatabaseError.self) { _ = try DatabaseQueue(path: sandbox.folder.path) }
        #expect(folder?.resultCode == .SQLITE_CANTOPEN)
        #expect(folder?.message == "unable to open database file")

        var configuration = Configuration()
        configuration.readonly = true
        let missing = #expect(throws: DatabaseError.self) {
            _ = try DatabaseQueue(path: sandbox.path("none.db"), configuration: configuration)
        }
        #expect(missing?.resultCode == .SQLITE_CANTOPEN)
        #expect(!sandbox.has("none.db"))
    }

    @Test("A preparation runs before the connection is used, and its error ends the opening")
    func preparation() throws {
        struct Unprepared: Error {}
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = 77") }
        let size = try DatabaseQueue(path: path, configuration: configuration).read {
            try Int.fetchOne($0, sql: "PRAGMA cache_size")
        }
        #expect(size == 77)
        configuration.prepareDatabase { _ in throw Unprepared() }
        #expect(throws: Unprepared.self) { _ = try DatabaseQueue(path: path, configuration: configuration) }
    }

    @Test("A reading connection refuses to write, and so does a writing one within read")
    func readOnly() throws {
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        let writer = try DatabaseQueue(path: path)
        for queue in [reader, writer] {
            let refused = #expect(throws: DatabaseError.self) {
                try queue.read { try $0.execute(sql: "INSERT INTO t VALUES (1, 'a')") }
            }
            #expect(refused?.resultCode == .SQLITE_READONLY)
        }
        #expect(throws: DatabaseError.self) { try reader.write { try $0.execute(sql: "DELETE FROM t") } }
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'a')") }
        #expect(try reader.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    }

    @Test("Reading sees one state, whatever others write meanwhile")
    func snapshot() throws {
        let (one, other) = (try DatabaseQueue(path: path), try DatabaseQueue(path: path))
        try one.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") }
        try one.read { database in
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM t") == 0)
            try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'a')") }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM t") == 0)
        }
        #expect(try one.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    }

    @Test("Another connection's lock is an error at once, or after the time to wait")
    func busy() throws {
        let holder = try DatabaseQueue(path: path)
        var patient = Configuration()
        patient.busyMode = .timeout(0.05)
        let queues = [try DatabaseQueue(path: path), try DatabaseQueue(path: path, configuration: patient)]
        try holder.writeWithoutTransaction { database in
            try database.inTransaction(.exclusive) {
                for queue in queues {
                    let start = ContinuousClock.now
                    let refused = #expect(throws: DatabaseError.self) {
                        try queue.write { try $0.execute(sql: "DELETE FROM t") }
                    }
                    #expect(refused?.resultCode == .SQLITE_BUSY)
                    #expect(refused?.message == "database is locked")
                    if queue === queues[1] { #expect(ContinuousClock.now - start >= .milliseconds(40)) }
                }
                return .commit
            }
        }
        try queues[0].write { try $0.execute(sql: "DELETE FROM t") }
    }

    @Test("A connection with an open statement is not closed; one without a queue closes after its last statement")
    func closing() throws {
        let queue = try DatabaseQueue(path: path)
        var cursor: RowCursor? = try queue.inDatabase { database in
            try database.cachedStatement(sql: "SELECT 1").execute()
            let cursor = try Row.fetchCursor(database, sql: "SELECT 1 UNION SELECT 2")
            _ = try cursor.next()
            return cursor
        }
        let refused = #expect(throws: DatabaseError.self) { try queue.close() }
        #expect(refused?.resultCode == .SQLITE_BUSY)
        #expect(try cursor?.next()?[0] == 2)
        cursor = nil
        try queue.close()
        try queue.close()
        let closed = #expect(throws: DatabaseError.self) { try queue.read { _ in } }
        #expect(closed?.resultCode == .SQLITE_MISUSE)
        #expect(closed?.message == "the connection is closed")

        var other: DatabaseQueue? = try DatabaseQueue(path: path)
        var left: RowCursor? = try other?.inDatabase { try Row.fetchCursor($0, sql: "SELECT 1") }
        other = nil
        _ = left.map { ObjectIdentifier($0) }
        left = nil
        try DatabaseQueue(path: path).write { try $0.execute(sql: "DROP TABLE t") }
    }

    @Test("A copy is the whole database, and a failed one changes nothing")
    func backup() throws {
        let source = try DatabaseQueue(path: path)
        try source.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'a'); PRAGMA user_version = 7") }
        let copy = try DatabaseQueue(path: sandbox.path("b.db"))
        try copy.write { try $0.execute(sql: "CREATE TABLE other (x)") }
        try source.backup(to: copy)
        #expect(try copy.read { try String.fetchAll($0, sql: "SELECT name FROM t") } == ["a"])
        #expect(try copy.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == 7)
        #expect(try copy.read { try !$0.tableExists("other") })
        let holder = try DatabaseQueue(path: sandbox.path("b.db"))
        try source.write { try $0.execute(sql: "DELETE FROM t") }
        try holder.writeWithoutTransaction { database in
            try database.inTransaction(.exclusive) {
                let refused = #expect(throws: DatabaseError.self) { try source.backup(to: copy) }
                #expect(refused?.resultCode == .SQLITE_BUSY)
                return .rollback
            }
        }
        #expect(try copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 1)
    }

    @Test("Tasks and threads take turns")
    func turns() async throws {
        let queue = try DatabaseQueue(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await queue.write { database in
                        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM t") ?? 0
                        try database.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [count + 1, "n\(number)"])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT max(id) FROM t") } == 20)
    }
}
