internal import CSQLite

/// A value in a database.
public struct DatabaseValue: Hashable, Sendable, CustomStringConvertible {
    /// The value as SQLite stores it.
    public enum Storage: Hashable, Sendable {
        /// NULL.
        case null
        /// An integer.
        case int64(Int64)
        /// A real number.
        case double(Double)
        /// A text, whole: it may contain U+0000. Bytes that are not UTF-8 are U+FFFD.
        case string(String)
        /// Bytes.
        case blob([UInt8])
    }

    /// The value as SQLite stores it.
    public let storage: Storage

    /// NULL.
    public static let null = DatabaseValue(.null)

    init(_ storage: Storage) { self.storage = storage }

    /// Reads a column of the row on which a statement is.
    init(_ statement: OpaquePointer, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: storage = .int64(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: storage = .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            // The text comes first: SQLite may convert it, and counts the bytes of what it gave last.
            let start = sqlite3_column_text(statement, column)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
            storage = .string(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(statement, column)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
            storage = .blob([UInt8](bytes))
        default: storage = .null
        }
    }

    /// Binds a copy of the value to a parameter; returns SQLite's code.
    package func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        // SQLITE_TRANSIENT, which C writes as a cast of -1: SQLite makes a copy.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch storage {
        case .null: return sqlite3_bind_null(statement, index)
        case .int64(let number): return sqlite3_bind_int64(statement, index, number)
        case .double(let number): return sqlite3_bind_double(statement, index, number)
        case .string(var text):
            return text.withUTF8 { bytes in
                // Without an address SQLite would bind NULL for an empty text.
                guard let start = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { start in
                    let (count, encoding) = (UInt64(bytes.count), UInt8(SQLITE_UTF8))
                    return sqlite3_bind_text64(statement, index, start, count, transient, encoding)
                }
            }
        case .blob(let bytes):
            return bytes.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_bind_zeroblob(statement, index, 0)
                }
                return sqlite3_bind_blob64(statement, index, start, UInt64(bytes.count), transient)
            }
        }
    }

    /// True if it is NULL.
    public var isNull: Bool { storage == .null }

    /// The value as SQL has it, a text as Swift does, and the number of bytes of a blob.
    public var description: String {
        switch storage {
        case .null: "NULL"
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): String(reflecting: text)
        case .blob(let bytes): "Data(\(bytes.count) bytes)"
        }
    }
}

extension DatabaseValue {
    /// Compares two values; an integer equals the real number with the same value, and a text the same bytes alone.
    public static func == (one: DatabaseValue, two: DatabaseValue) -> Bool {
        switch (one.storage, two.storage) {
        case (.int64(let one), .double(let two)), (.double(let two), .int64(let one)): Int64(exactly: two) == one
        case (.string(let one), .string(let two)): one.hasSameBytes(as: two)
        default: one.storage == two.storage
        }
    }

    /// Hashes the value, as equality compares it.
    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .int64(let number): Storage.double(Double(number)).hash(into: &hasher)
        case .string(let text): text.hashBytes(into: &hasher)
        default: storage.hash(into: &hasher)
        }
    }
}
