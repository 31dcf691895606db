internal import CSQLite

/// A failure of SQLite's.
struct DatabaseError: Error, CustomStringConvertible {
    let description: String
}

/// A database, with just what the measurement needs.
final class Database {
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        // No other thread uses it.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw DatabaseError(description: "\(path) cannot be opened")
        }
        self.handle = handle
        try execute("PRAGMA cache_size = -16384")
    }

    deinit { sqlite3_close_v2(handle) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    func statement(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw error(sql) }
        return Statement(statement, self)
    }

    fileprivate func error(_ what: String) -> DatabaseError {
        DatabaseError(description: "\(what): \(String(cString: sqlite3_errmsg(handle)))")
    }

    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    /// Reads under one lock, instead of one for each statement.
    func read<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        return try body()
    }
}

/// A statement that is run many times.
final class Statement {
    private let handle: OpaquePointer
    private let database: Database
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    fileprivate init(_ handle: OpaquePointer, _ database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            let start = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            _ = sqlite3_bind_text(handle, index, start, Int32(bytes.count), Self.transient)
        }
    }

    func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

    func bind(_ index: Int32, _ bytes: [UInt8]?) {
        guard let bytes else { return _ = sqlite3_bind_null(handle, index) }
        _ = bytes.withUnsafeBytes {
            sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), Self.transient)
        }
    }

    /// Goes to the next row; false where there is none, and the statement can be run anew.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        sqlite3_reset(handle)
        guard code == SQLITE_DONE else { throw database.error("step") }
        return false
    }

    func run() throws { _ = try step() }

    func reset() { sqlite3_reset(handle) }

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    /// The bytes of a text or a blob; good until the next step.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    /// A number that differs where the columns from the first on do.
    func fingerprint(columns: Int32) -> Int64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low &+ 0x9E37_79B9_7F4A_7C15
        }
        for column in 0..<columns {
            // A value is read without the lock that each function of a column takes.
            let value = sqlite3_column_value(handle, column)
            if sqlite3_value_type(value) == SQLITE_INTEGER {
                mix(1)
                mix(UInt64(bitPattern: sqlite3_value_int64(value)))
                continue
            }
            let start = sqlite3_value_blob(value)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
            mix(UInt64(bytes.count) << 8 | 2)
            var index = 0
            while index + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index += 8
            }
            var rest: UInt64 = 0
            while index < bytes.count {
                rest = rest << 8 | UInt64(bytes[index])
                index += 1
            }
            mix(rest)
        }
        return Int64(bitPattern: hash)
    }
}
