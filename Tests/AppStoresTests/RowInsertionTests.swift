import RecordStore
import SQLiteDatabase
import Testing

@Suite("Rows that go into a table with one statement")
struct RowInsertionTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.inDatabase { try $0.execute(sql: "CREATE TABLE t (key INTEGER PRIMARY KEY, a UNIQUE, b)") }
    }

    /// Rows of two columns, and an error behind them.
    private final class Rows: RowSource {
        private var rows: ArraySlice<[InsertedValue]>
        private let error: Failure?

        init(_ rows: [[InsertedValue]], error: Failure? = nil) {
            self.rows = rows[...]
            self.error = error
        }

        func next(_ row: UnsafeMutableBufferPointer<InsertedValue>) throws -> Bool {
            guard let values = rows.popFirst() else {
                if let error { throw error }
                return false
            }
            for (column, value) in values.enumerated() { row[column] = value }
            return true
        }
    }

    private struct Failure: Error {}

    private func insert(_ rows: Rows) throws -> [Row] {
        try queue.write { database in
            try database.insert(rows, into: "t", columns: ["a", "b"])
            return try Row.fetchAll(database, sql: "SELECT * FROM t ORDER BY key")
        }
    }

    @Test("Each value is stored, and SQLite numbers the rows")
    func values() throws {
        let text = Array("e\u{301}".utf8)
        try text.withUnsafeBufferPointer { text in
            let rows = try insert(
                Rows([
                    [.integer(.min), .null], [.text(text), .ownText(Array("b".utf8))],
                    [.text(UnsafeBufferPointer(start: nil, count: 0)), .ownText([])],
                ])
            )
            let found: [[DatabaseValue]] = [
                [1.databaseValue, Int.min.databaseValue, .null],
                [2.databaseValue, "e\u{301}".databaseValue, "b".databaseValue],
                [3.databaseValue, "".databaseValue, "".databaseValue],
            ]
            #expect(rows.map(\.databaseValues) == found)
        }
        #expect(try insert(Rows([])).count == 3)
    }

    @Test("An error of the source comes out, and nothing stays")
    func failure() throws {
        #expect(throws: Failure.self) { try insert(Rows([[.integer(1), .null]], error: Failure())) }
        #expect(throws: DatabaseError.self) { try insert(Rows([[.integer(1), .null], [.integer(1), .null]])) }
        #expect(try insert(Rows([])).isEmpty)
    }

    @Test("A table of the file that has the name of the source's is left alone")
    func sameName() throws {
        try queue.inDatabase {
            try $0.execute(sql: "CREATE TABLE satchel_rows (x, y); INSERT INTO satchel_rows VALUES (7, 7)")
        }
        #expect(try insert(Rows([[.integer(1), .null]])).map { $0[1] as Int? } == [1])
    }
}
