import SQLiteDatabase
import Testing

@Suite("Statements, values and rows")
struct StatementTests {
    private let queue: DatabaseQueue

    init() throws { queue = try DatabaseQueue() }

    @Test(
        "Each value comes back as it was stored",
        arguments: [
            DatabaseValue.null, Int.min.databaseValue, Int.max.databaseValue, 0.databaseValue, 1.5.databaseValue,
            (-Double.infinity).databaseValue, "".databaseValue, "a\u{0}b".databaseValue, "\u{0}".databaseValue,
            "e\u{301}\u{1F600}".databaseValue, [UInt8]().databaseValue, [0, 255, 0].databaseValue, true.databaseValue,
            String(repeating: "x", count: 100_000).databaseValue,
        ]
    )
    func values(_ value: DatabaseValue) throws {
        try queue.inDatabase { database in
            #expect(try Row.fetchOne(database, sql: "SELECT ?", arguments: [value])?.databaseValues == [value])
            try database.execute(sql: "CREATE TABLE t (v); INSERT INTO t VALUES (?)", arguments: [value])
            #expect(
                try Row.fetchOne(database, sql: "SELECT v FROM t")?[0] as DatabaseValue? == (value.isNull ? nil : value)
            )
            let type = try String.fetchOne(database, sql: "SELECT typeof(v) FROM t")
            switch value.storage {
            case .null: #expect(type == "null")
            case .int64: #expect(type == "integer")
            case .double: #expect(type == "real")
            case .string(let text):
                #expect(type == "text")
                let size = try Int.fetchOne(database, sql: "SELECT length(CAST(v AS BLOB)) FROM t")
                #expect(size == text.utf8.count)
            case .blob: #expect(type == "blob")
            }
        }
    }

    @Test("Texts are their bytes: values, cached statements, names and literals")
    func bytes() throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed.databaseValue != decomposed.databaseValue && composed.databaseValue == composed.databaseValue)
        #expect(Set([composed.databaseValue, decomposed.databaseValue]).count == 2)
        // A quote and an accent after it are one character.
        let name = "t\"\u{301}x'\u{301}"
        #expect(Array(name.quotedName.utf8) == Array("\"t\"\"\u{301}x'\u{301}\"".utf8))
        #expect(Array(name.literal.utf8) == Array("'t\"\u{301}x''\u{301}'".utf8))
        try queue.inDatabase { database in
            for text in [composed, decomposed] {
                let statement = try database.cachedStatement(sql: "SELECT \(text.literal)")
                #expect(try String.fetchOne(statement).map { Array($0.utf8) } == Array(text.utf8))
            }
            try database.execute(sql: "CREATE TABLE \(name.quotedName) (\(name.quotedName))")
            #expect(try database.columns(in: name).map(\.name) == [name])
            #expect(try String.fetchOne(database, sql: "SELECT \(name.literal)") == name)
        }
    }

    @Test("A text that is not UTF-8 is read with replaced bytes, and a value is converted as SQLite does")
    func conversions() throws {
        try queue.inDatabase { database in
            #expect(try String.fetchOne(database, sql: "SELECT CAST(x'61ff62' AS TEXT)") == "a\u{FFFD}b")
            let found = try Row.fetchOne(database, sql: "SELECT '12 km' AS a, 7 AS b, NULL AS c, 2.9 AS d, x'61' AS e")
            let row = try #require(found)
            #expect(row["a"] == 12 && row["B"] == "7" && row["d"] == 2 && row["e"] == "a")
            #expect(row["c"] == 0 && row["c"] == "" && row["c"] as Int? == nil && row["none"] as Int? == nil)
            #expect(row["b"] as Bool && !(row["c"] as Bool))
            #expect(row.columnNames == ["a", "b", "c", "d", "e"])
            #expect("\(row)" == #"[a:"12 km" b:7 c:NULL d:2.9 e:Data(1 bytes)]"#)
            #expect(try Int.fetchOne(database, sql: "SELECT '2'") == 2)
            #expect(try Int.fetchOne(database, sql: "SELECT NULL") == nil)
            #expect(try Int.fetchOne(database, sql: "SELECT 1 WHERE 0") == nil)
            let null = #expect(throws: DatabaseError.self) {
                try Int.fetchAll(database, sql: "SELECT 1 UNION SELECT NULL")
            }
            #expect(null?.resultCode == .SQLITE_MISMATCH)
        }
        #expect(Int.fromDatabaseValue("2".databaseValue) == nil && Int.fromDatabaseValue(2.0.databaseValue) == 2)
        #expect(String.fromDatabaseValue(2.databaseValue) == nil)
        #expect(String.fromDatabaseValue([0x61, 0xFF].databaseValue) == nil)
        #expect(Int.converting(1e300.databaseValue) == .max && Int.converting("-9e9x".databaseValue) == -9)
        #expect(2.databaseValue == 2.0.databaseValue && 2.databaseValue != 2.5.databaseValue)
        #expect(Set([2.databaseValue, 2.0.databaseValue]).count == 1)
    }

    @Test("Several statements take their arguments one after the other; too many and too few are refused")
    func arguments() throws {
        try queue.inDatabase { database in
            try database.execute(sql: "CREATE TABLE t (a, b)")
            try database.execute(
                sql: "INSERT INTO t VALUES (?, ?); -- one\n INSERT INTO t VALUES (?2, ?1);; /* none */",
                arguments: [1, "x", nil, 2]
            )
            #expect(
                try Row.fetchAll(database, sql: "SELECT * FROM t").map { "\($0)" } == [#"[a:1 b:"x"]"#, "[a:2 b:NULL]"]
            )
            let lists: [(String, StatementArguments)] = [
                ("INSERT INTO t VALUES (?, ?)", [1]), ("INSERT INTO t VALUES (?, ?)", [1, 2, 3]), ("", [1]),
            ]
            for (sql, arguments) in lists {
                let error = #expect(throws: DatabaseError.self) { try database.execute(sql: sql, arguments: arguments) }
                #expect(error?.resultCode == .SQLITE_MISUSE)
                #expect(error?.message?.hasPrefix("wrong number of statement arguments: ") == true)
            }
            #expect(throws: DatabaseError.self) { try Row.fetchAll(database, sql: "SELECT ?") }
        }
    }

    @Test("An error has the extended code, SQLite's message and the statement")
    func errors() throws {
        try queue.inDatabase { database in
            try database.execute(sql: "CREATE TABLE t (a TEXT UNIQUE NOT NULL CHECK (a <> 'no'))")
            try database.execute(sql: "INSERT INTO t VALUES ('a')")
            let cases: [(String, ResultCode, String)] = [
                ("INSERT INTO t VALUES ('a')", .SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: t.a"),
                ("INSERT INTO t VALUES (NULL)", .SQLITE_CONSTRAINT_NOTNULL, "NOT NULL constraint failed: t.a"),
                ("INSERT INTO t VALUES ('no')", .SQLITE_CONSTRAINT_CHECK, "CHECK constraint failed: a <> 'no'"),
                ("SELECT missing", .SQLITE_ERROR, "no such column: missing"),
                ("INSERT INTO t VALUES (\"b\")", .SQLITE_ERROR, "no such column: b"),
            ]
            for (sql, code, message) in cases {
                for isCached in [false, true, true] {
                    let error = #expect(throws: DatabaseError.self) {
                        if isCached {
                            try database.cachedStatement(sql: sql).execute()
                        } else {
                            try database.execute(sql: " \(sql);")
                        }
                    }
                    #expect(error?.extendedResultCode == code && error?.message == message)
                    let number = code.primaryResultCode.rawValue
                    #expect("\(error as Any)".contains("SQLite error \(number): \(message) - while executing `\(sql)`"))
                }
            }
            #expect(throws: DatabaseError.self) { try database.makeStatement(sql: "SELECT 1; SELECT 2") }
            #expect(throws: DatabaseError.self) { try database.makeStatement(sql: " -- nothing") }
            #expect(try Int.fetchOne(database.makeStatement(sql: "SELECT 1; -- end\n")) == 1)
        }
        #expect(DatabaseError(resultCode: .SQLITE_CONSTRAINT).message == "constraint failed")
    }

    @Test("A cached statement is the same one, also after an error, and follows the tables")
    func caching() throws {
        try queue.inDatabase { database in
            try database.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            let sql = "SELECT * FROM t"
            let statement = try database.cachedStatement(sql: sql)
            #expect(try Row.fetchAll(statement).map(\.columnNames) == [["a"]])
            try database.execute(sql: "ALTER TABLE t ADD b; UPDATE t SET b = 2")
            #expect(try Row.fetchAll(statement).map { "\($0)" } == ["[a:1 b:2]"])
            #expect(try database.cachedStatement(sql: sql) === statement)
            let insert = try database.cachedStatement(sql: "INSERT INTO t VALUES (?, ?)")
            #expect(throws: DatabaseError.self) { try insert.execute(arguments: [1]) }
            try insert.execute(arguments: [3, 4])
            #expect(database.changesCount == 1)
            try database.execute(sql: "UPDATE t SET a = 0")
            #expect(database.changesCount == 2 && database.totalChangesCount >= 4)
            try database.execute(sql: "DROP TABLE t")
            #expect(throws: DatabaseError.self) { try Row.fetchAll(statement) }
        }
    }

    @Test("A cursor that is left, or has ended, keeps no lock")
    func cursors() throws {
        try queue.inDatabase { database in
            try database.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            do {
                let cursor = try Row.fetchCursor(database, sql: "SELECT a FROM t ORDER BY a")
                #expect(try cursor.next()?[0] == 1)
            }
            let numbers = try Int.fetchCursor(database, sql: "SELECT a FROM t WHERE a > ?", arguments: [1])
            var found: [Int] = []
            while let number = try numbers.next() { found.append(number) }
            #expect(found == [2, 3])
            #expect(try numbers.next() == nil)
            try database.execute(sql: "DROP TABLE t")
        }
    }

    @Test("Tables and columns are found whatever the case, temporary and quoted ones too")
    func schema() throws {
        try queue.inDatabase { database in
            try database.execute(
                sql: """
                    CREATE TABLE "a ""b" (x, "y z", s AS (x) STORED); CREATE TEMP TABLE Later (q);
                    CREATE VIEW v AS SELECT 1 AS one
                    """
            )
            #expect(try database.tableExists("A \"B") && database.tableExists("later"))
            #expect(try !database.tableExists("v") && !database.tableExists("none"))
            #expect(try database.columns(in: "a \"b").map(\.name) == ["x", "y z", "s"])
            #expect(try database.columns(in: "LATER").map(\.name) == ["q"])
            let error = #expect(throws: DatabaseError.self) { try database.columns(in: "none") }
            #expect(error?.message == "no such table: none")
        }
    }
}
