@testable import SQLiteDatabase
import Testing

@Suite("Transactions and savepoints")
struct TransactionTests {
    private struct Refused: Error {}

    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)") }
    }

    private func insert(_ id: Int, _ database: Database) throws {
        try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [id])
    }

    private func ids() throws -> [Int] { try queue.read { try Int.fetchAll($0, sql: "SELECT id FROM t ORDER BY id") } }

    @Test("What throws, or says so, leaves nothing")
    func rollingBack() throws {
        #expect(throws: Refused.self) {
            try queue.write { database in
                try insert(1, database)
                throw Refused()
            }
        }
        try queue.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                try insert(2, database)
                #expect(database.isInsideTransaction)
                return .rollback
            }
            #expect(!database.isInsideTransaction)
            try database.inTransaction(.exclusive) {
                try insert(3, database)
                return .commit
            }
        }
        #expect(try ids() == [3])
    }

    @Test("Savepoints nest: each takes back its own changes, and no others")
    func nesting() throws {
        try queue.writeWithoutTransaction { database in
            try database.inSavepoint {
                #expect(database.isInsideTransaction)
                try insert(1, database)
                #expect(throws: Refused.self) {
                    try database.inSavepoint {
                        try insert(2, database)
                        try database.inSavepoint {
                            try insert(3, database)
                            return .commit
                        }
                        throw Refused()
                    }
                }
                try database.inSavepoint {
                    try insert(4, database)
                    try database.inSavepoint {
                        try insert(5, database)
                        return .rollback
                    }
                    return .commit
                }
                return .commit
            }
            #expect(!database.isInsideTransaction)
        }
        #expect(try ids() == [1, 4])
    }

    @Test("A transaction that SQLite has ended is told by the next statement, and the first error stays")
    func aborted() throws {
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { database in
                try insert(2, database)
                try? database.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)")
                #expect(!database.isInsideTransaction)
                try insert(3, database)
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(error?.message == "Transaction was aborted")
        let first = #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "INSERT OR ROLLBACK INTO t VALUES (1)") }
        }
        #expect(first?.extendedResultCode == .SQLITE_CONSTRAINT_PRIMARYKEY)
        #expect(try ids() == [1])
    }

    @Test("A failure that a closure went on after is cleaned up once, and a closure without one costs nothing")
    func cleaningUp() throws {
        queue.inDatabase { database in
            #expect(throws: DatabaseError.self) { try database.execute(sql: "INSERT INTO nothing VALUES (1)") }
            #expect(database.hasFailed)
        }
        queue.inDatabase { #expect(!$0.hasFailed) }
        try queue.write { database in
            try insert(1, database)
            try? database.execute(sql: "INSERT INTO t VALUES (1)")
            #expect(database.hasFailed)
        }
        queue.inDatabase { #expect(!$0.hasFailed && !$0.isInsideTransaction) }
        #expect(try ids() == [1])
    }

    @Test("A commit that a foreign key refuses rolls back")
    func deferred() throws {
        try queue.write {
            try $0.execute(sql: "CREATE TABLE c (t INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)")
        }
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "INSERT INTO c VALUES (9)") }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM c") } == 0)
        try queue.write { database in
            try database.execute(sql: "INSERT INTO c VALUES (9)")
            try insert(9, database)
        }
    }

    @Test("Foreign keys hold unless the configuration says otherwise")
    func foreignKeys() throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let free = try DatabaseQueue(configuration: configuration)
        let sql =
            "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p (id)); INSERT INTO c VALUES (1)"
        try free.write { try $0.execute(sql: sql) }
        #expect(throws: DatabaseError.self) { try queue.write { try $0.execute(sql: sql) } }
    }
}
