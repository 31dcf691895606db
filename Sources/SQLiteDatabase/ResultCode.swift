internal import CSQLite

/// A result code of SQLite, primary or extended.
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// SQLite's number.
    public let rawValue: Int32

    /// Makes a result code of SQLite's number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The code without its extension: `SQLITE_CONSTRAINT` for `SQLITE_CONSTRAINT_UNIQUE`.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Tells whether a code is the pattern, or an extension of it.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// SQLite's words for the code.
    var words: String? { sqlite3_errstr(rawValue).map { String(cString: $0) } }
}

/// SQLite's names for its codes; https://sqlite.org/rescode.html tells what each means.
extension ResultCode {
    /// An error without a code of its own, such as a fault in SQL.
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)
    /// The file's mode forbids the access.
    public static let SQLITE_PERM = ResultCode(rawValue: 3)
    /// The statement ended before its time, as its transaction did.
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)
    /// Another connection holds the file.
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)
    /// A statement of this connection holds a table.
    public static let SQLITE_LOCKED = ResultCode(rawValue: 6)
    /// The database cannot be written.
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)
    /// The file is damaged.
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
    /// The disk is full.
    public static let SQLITE_FULL = ResultCode(rawValue: 13)
    /// The file cannot be opened.
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
    /// A constraint refuses the row.
    public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)
    /// A value is of a type that does not fit.
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
    /// The program uses SQLite in a way that SQLite does not allow.
    public static let SQLITE_MISUSE = ResultCode(rawValue: 21)
    /// The authorizer refuses the statement.
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)
    /// The file is no database.
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)

    /// A write-ahead log's index has no room.
    public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: 10 | 19 << 8)
    /// A `CHECK` does not hold.
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode(rawValue: 19 | 1 << 8)
    /// A foreign key leads nowhere.
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(rawValue: 19 | 3 << 8)
    /// A column that must have a value has NULL.
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(rawValue: 19 | 5 << 8)
    /// The primary key exists.
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: 19 | 6 << 8)
    /// A unique value exists.
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 19 | 8 << 8)
    /// The `rowid` exists.
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: 19 | 10 << 8)
}
