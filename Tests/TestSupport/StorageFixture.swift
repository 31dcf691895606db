internal import Crypto
internal import CSQLite
internal import Foundation

/// A phone's storage as a test wants it, written the way the phones do.
public struct StorageFixture: Sendable {
    /// Keys and values in their order; nil is a key without a value.
    public var values: [(key: String, value: String?)]

    /// A storage with those values.
    public init(_ values: [(key: String, value: String?)]) { self.values = values }

    /// How an Android database is laid out.
    public enum Table: String, Sendable, CaseIterable {
        /// That of React Native.
        case catalystLocalStorage
        /// The newer one, of Room.
        case storage = "Storage"
    }

    /// Writes an Android database, with what the phone adds of its own.
    ///
    /// - Parameters:
    ///   - path: A file that is made.
    ///   - table: The table.
    ///   - log: Whether the rows are left in a write-ahead log beside the file, as of an app that was running.
    public func write(toDatabase path: String, _ table: Table, log: Bool = false) throws {
        let create =
            switch table {
            case .catalystLocalStorage: "CREATE TABLE catalystLocalStorage (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
            case .storage: "CREATE TABLE `Storage` (`key` TEXT NOT NULL, `value` TEXT, PRIMARY KEY(`key`))"
            }
        let working = log ? path + "-working" : path
        let database = try RawDatabase(working)
        defer { database.close() }
        if log { try database.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") }
        try database.run("CREATE TABLE android_metadata (locale TEXT); PRAGMA user_version = 1; \(create)")
        for (key, value) in values {
            let row = "\(Self.quoted(key)), \(Self.quoted(value))"
            try database.run("INSERT INTO \(table.rawValue) (key, value) VALUES (\(row))")
        }
        guard log else { return }
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: working + suffix, toPath: path + suffix)
        }
        database.close()
        try FileManager.default.removeItem(atPath: working)
    }

    /// Writes an iPhone's folder: values of more than 1,024 characters get a file of their own.
    ///
    /// - Parameter folder: A folder, which is made.
    public func write(toFolder folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var members: [String] = []
        for (key, value) in values {
            if let value, value.utf16.count <= 1_024 {
                members.append("\(Self.json(key)):\(Self.json(value))")
                continue
            }
            members.append("\(Self.json(key)):null")
            if let value { try Data(value.utf8).write(to: URL(filePath: "\(folder)/\(Self.fileName(key))")) }
        }
        let manifest = "{\(members.joined(separator: ","))}"
        try Data(manifest.utf8).write(to: URL(filePath: "\(folder)/manifest.json"))
    }

    private static func quoted(_ text: String?) -> String {
        text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
    }

    /// The name of the file of a long value: the MD5 of its key.
    public static func fileName(_ key: String) -> String {
        Insecure.MD5.hash(data: Data(key.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    /// A JSON string; a slash is escaped, as on an iPhone.
    private static func json(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/": escaped += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\"\(escaped)\""
    }
}

/// A SQLite file that a test makes with statements of its own.
public final class RawDatabase {
    /// A statement that SQLite refused.
    public struct Failure: Error {
        /// What SQLite said.
        public let message: String
    }

    private var handle: OpaquePointer?

    /// Opens or makes a database.
    public init(_ path: String) throws {
        guard sqlite3_open(path, &handle) == SQLITE_OK else { throw Failure(message: "cannot open \(path)") }
        // Another process may be at it for a moment.
        sqlite3_busy_timeout(handle, 20_000)
    }

    deinit { close() }

    /// Runs statements.
    public func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) != SQLITE_OK else { return }
        throw Failure(message: sqlite3_errmsg(handle).map { String(cString: $0) } ?? sql)
    }

    /// Closes the database.
    public func close() {
        sqlite3_close(handle)
        handle = nil
    }
}
