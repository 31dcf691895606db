package import SQLiteDatabase

/// An error of a store: it cannot be used, or an operation failed.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of the error; new codes may follow.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable text of the code, as listed in docs/diagnostics.md.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no store at that path.
        public static let notFound = Code("store.not-found")
        /// The store cannot be created or opened where it should be.
        public static let cannotOpen = Code("store.cannot-open")
        /// The file is not an SQLite database.
        public static let notADatabase = Code("store.not-a-database")
        /// The file is a database of another program.
        public static let foreign = Code("store.foreign")
        /// The app's database is in another encoding than UTF-8.
        public static let encoding = Code("store.encoding")
        /// A newer version of the program wrote the store.
        public static let newerVersion = Code("store.newer-version")
        /// The database has an older version, and nobody agreed to its upgrade.
        public static let olderVersion = Code("store.older-version")
        /// The database has changes in a journal that SQLite cannot apply.
        public static let hotJournal = Code("store.hot-journal")
        /// The database has changes in a write-ahead log that SQLite cannot read.
        public static let hotWAL = Code("store.hot-wal")
        /// The database has a table that an export would leave out.
        public static let unknownTable = Code("slate.unknown-table")
        /// The database has a column that an export would leave out.
        public static let unknownColumn = Code("slate.unknown-column")
        /// The table or column to leave out does not exist, or belongs to the format.
        public static let exclusion = Code("slate.exclude")
        /// Both the database and expo-sqlite's own file beside it hold the app's settings.
        public static let settings = Code("slate.settings")
        /// A cell holds a value that its column cannot.
        public static let value = Code("slate.value")
        /// An import would leave references that lead nowhere, or in circles.
        public static let reference = Code("slate.reference")
        /// The written rows differ from the plan; the import was undone.
        public static let notAsPlanned = Code("slate.not-as-planned")
        /// There is no safety backup to restore.
        public static let noSafetyBackup = Code("slate.no-safety-copy")
        /// The file or folder is not a phone's storage.
        public static let unrecognized = Code("storage.unrecognized")
        /// A file of a phone's storage cannot be read.
        public static let unreadable = Code("storage.unreadable")
        /// A phone's storage is larger than the limit.
        public static let limit = Code("storage.limit")
        /// The database is damaged.
        public static let corrupt = Code("store.corrupt")
        /// A record holds a value that its type cannot.
        public static let record = Code("store.record")
        /// The store or its folder cannot be written to.
        public static let readOnly = Code("store.read-only")
        /// Another program holds the store.
        public static let busy = Code("store.busy")
        /// The database rejects a row.
        public static let constraint = Code("store.constraint")
        /// The store rejects a record of another device.
        public static let rejected = Code("store.rejected")
        /// Two records have the same identifier.
        public static let conflict = Code("store.conflict")
        /// The disk is full, or reading or writing failed.
        public static let inputOutput = Code("store.io")
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what failed and what to do, without a final full stop.
    public let message: String
    /// The store's path.
    public let path: String

    /// Makes an error.
    public init(_ code: Code, _ message: String, path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// Makes an error of SQLite's report.
    package init(_ error: DatabaseError, path: String) {
        let detail = error.reason
        switch error.resultCode {
        case .SQLITE_NOTADB:
            self.init(.notADatabase, "the file is not an SQLite database, or it is encrypted", path: path)
        case .SQLITE_CORRUPT:
            self.init(.corrupt, "the database is damaged (\(detail)); restore it from a copy", path: path)
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(.readOnly, "the store or its folder cannot be written to (\(detail))", path: path)
        case .SQLITE_CANTOPEN where StorePath.isUnreadable(path):
            self.init(.cannotOpen, "permission denied: the file may not be read", path: path)
        case .SQLITE_CANTOPEN:
            self.init(.cannotOpen, "the store cannot be opened or created there (\(detail))", path: path)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.busy, "another program holds the store; try again when it has ended", path: path)
        case .SQLITE_CONSTRAINT where !error.isConflict:
            self.init(.constraint, "the database does not take a row (\(detail)); nothing was changed", path: path)
        case .SQLITE_CONSTRAINT:
            self.init(.conflict, "the store already holds such a record (\(detail))", path: path)
        default:
            self.init(.inputOutput, "reading or writing the store failed (\(detail))", path: path)
        }
    }

    /// Code, message and path in one line.
    public var description: String { "\(path): error[\(code)]: \(message)" }
}

extension DatabaseError {
    /// SQLite's message; for a failed copy of a database SQLite keeps only the code.
    fileprivate var reason: String {
        // The index of a write-ahead log has no room; SQLite only says "disk I/O error".
        if extendedResultCode == .SQLITE_IOERR_SHMSIZE { return "disk I/O error; the disk is full, or fails" }
        let words = message == "not an error" ? DatabaseError(resultCode: extendedResultCode).message : message
        let line = words?.split(whereSeparator: \.isNewline).joined(separator: ", ")
        return line ?? "SQLite error \(extendedResultCode.rawValue)"
    }

    /// True if a constraint failed because such a row exists.
    fileprivate var isConflict: Bool {
        switch extendedResultCode {
        case .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_ROWID:
            true
        default: false
        }
    }
}
