internal import CSQLite
package import SQLiteDatabase
internal import StrictJSON

/// A statement that steps and binds through SQLite's own functions, without making values or strings.
///
/// `Statement` prepares and owns it. Failures throw `DatabaseError`.
package final class StoreStatement {
    private let database: Database
    private let statement: Statement
    private let handle: OpaquePointer?

    /// Prepares a statement.
    ///
    /// - Parameter isCached: Whether to prepare it once for the connection; the caller resets it then.
    package init(_ database: Database, _ sql: String, isCached: Bool = false) throws {
        self.database = database
        statement = try isCached ? database.cachedStatement(sql: sql) : database.makeStatement(sql: sql)
        handle = statement.sqliteStatement
    }

    /// Goes to the next row; returns false at the end.
    @inline(__always)
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// Runs a statement that gives no rows, and makes it ready for the next values.
    @inline(__always)
    package func run() throws {
        let code = sqlite3_step(handle)
        let reset = sqlite3_reset(handle)
        guard code == SQLITE_DONE, reset == SQLITE_OK else { throw failure(code) }
    }

    /// Makes it ready for the next values.
    package func reset() { sqlite3_reset(handle) }

    private func failure(_ code: Int32) -> DatabaseError {
        let error = database.error(code, sql: statement.sql)
        sqlite3_reset(handle)
        return error
    }

    // MARK: Values in

    /// SQLITE_TRANSIENT, which C writes as a cast of -1.
    static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// Binds a text whose memory stays valid until the statement has run.
    @inline(__always)
    package func bind(_ index: Int32, _ text: UnsafeBufferPointer<UInt8>) throws {
        try bind(index, UnsafeRawBufferPointer(text), nil)
    }

    /// Binds a copy of a text.
    package func bind(_ index: Int32, copying text: some Sequence<UInt8>) throws {
        try Array(text).withUnsafeBytes { try bind(index, $0, Self.transient) }
    }

    @inline(__always)
    private func bind(_ index: Int32, _ text: UnsafeRawBufferPointer, _ owner: sqlite3_destructor_type?) throws {
        // Without an address SQLite would store NULL for an empty text.
        guard let start = text.baseAddress else {
            return try check(sqlite3_bind_text(handle, index, "", 0, Self.transient))
        }
        let pointer = start.assumingMemoryBound(to: CChar.self)
        try check(sqlite3_bind_text64(handle, index, pointer, UInt64(text.count), owner, UInt8(SQLITE_UTF8)))
    }

    /// Binds a copy of a text.
    package func bind(_ index: Int32, text: String) throws {
        var text = text
        try text.withUTF8 { try bind(index, UnsafeRawBufferPointer($0), Self.transient) }
    }

    /// Binds a copy of bytes.
    package func bind(_ index: Int32, blob: [UInt8]) throws {
        try blob.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
            try check(sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.transient))
        }
    }

    @inline(__always)
    package func bind(_ index: Int32, _ flag: Bool) throws {
        try check(sqlite3_bind_int64(handle, index, flag ? 1 : 0))
    }

    @inline(__always)
    package func bind(_ index: Int32, _ number: Int) throws {
        try check(sqlite3_bind_int64(handle, index, Int64(number)))
    }

    /// Binds a copy of any value.
    package func bind(_ index: Int32, value: DatabaseValue) throws {
        try check(value.bind(to: statement.sqliteStatement, index))
    }

    @inline(__always)
    package func bindNull(_ index: Int32) throws { try check(sqlite3_bind_null(handle, index)) }

    @inline(__always)
    private func check(_ code: Int32) throws { if code != SQLITE_OK { throw failure(code) } }

    // MARK: Values out

    /// Returns the number in a cell; 0 where it holds none.
    package func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    /// Returns the text in a cell; nil for NULL.
    package func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the bytes in a cell, valid until the next step; nil for NULL.
    package func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard sqlite3_column_type(handle, column) != SQLITE_NULL else { return nil }
        return UnsafeRawBufferPointer(
            start: sqlite3_column_blob(handle, column),
            count: Int(sqlite3_column_bytes(handle, column))
        )
    }

    /// The copied content of a cell.
    enum Cell: Hashable {
        case null
        case integer(Int)
        case real(Double)
        case text(String)
        /// A text that is not UTF-8.
        case badText
        case blob([UInt8])
    }

    func cell(_ column: Int) -> Cell {
        let column = Int32(truncatingIfNeeded: column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(Int(sqlite3_column_int64(handle, column)))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let bytes = UnsafeBufferPointer(
                start: sqlite3_column_text(handle, column),
                count: Int(sqlite3_column_bytes(handle, column))
            )
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .badText
        default: return .blob(bytes(column).map { Array($0) } ?? [])
        }
    }

    /// Binds a cell's value.
    func bind(_ index: Int, cell: Cell) throws {
        let index = Int32(truncatingIfNeeded: index)
        switch cell {
        case .null, .badText: try bindNull(index)
        case .integer(let number): try bind(index, number)
        case .real(let number): try check(sqlite3_bind_double(handle, index, number))
        case .text(let text): try bind(index, text: text)
        case .blob(let bytes): try bind(index, blob: bytes)
        }
    }

    /// The content of a cell; texts are valid until the next step.
    package enum Value {
        case null
        case text(UnsafeBufferPointer<UInt8>)
        case integer(Int)
        /// A real number or a blob, in words.
        case other(String)
    }

    package func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    @inline(__always)
    package func value(_ column: Int) -> Value {
        let column = Int32(truncatingIfNeeded: column)
        switch sqlite3_column_type(handle, column) {
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, column)
            return .text(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(Int(sqlite3_column_int64(handle, column)))
        case SQLITE_FLOAT: return .other("the number \(sqlite3_column_double(handle, column))")
        default: return .other("a blob of \(sqlite3_column_bytes(handle, column)) bytes")
        }
    }
}
