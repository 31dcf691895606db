import Foundation
import SQLiteDatabase
import Testing
import TestSupport

/// What a folder holds, as far as a person would miss it: the rows of the database, and the bytes of each backup.
struct SlateState: Equatable {
    /// Each table with its rows; empty where there is no database, or a blank one.
    var database: [String]
    /// The files that are named like backups.
    var backups: [String: [UInt8]]

    /// Looks into a folder whose database is `slate.db`.
    ///
    /// - Throws: Where the database fails the integrity check.
    init(of sandbox: Sandbox) throws {
        database = try Self.dump(sandbox.path("slate.db"))
        backups = [:]
        for name in try sandbox.names() where name.hasPrefix("Slate-") { backups[name] = try sandbox.bytes(name) }
    }

    /// All of a database, as text; `damaged` where it is none.
    static func dump(_ path: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read(dump)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            return ["damaged", try String(contentsOfFile: path, encoding: .utf8)]
        }
    }

    private static func dump(_ database: Database) throws -> [String] {
        #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
        let tables = try Row.fetchAll(
            database,
            sql: "SELECT name, sql FROM sqlite_master WHERE sql <> '' ORDER BY name"
        )
        return try tables.flatMap { (row: Row) throws -> [String] in
            let (name, sql): (String, String) = (row[0], row[1])
            guard sql.hasPrefix("CREATE TABLE") else { return [sql] }
            let cells = try database.columns(in: name).map { "quote(\"\($0.name)\")" }.joined(separator: " || ',' || ")
            return try [sql] + String.fetchAll(database, sql: "SELECT \(cells) FROM \(name) ORDER BY 1")
        }
    }
}
