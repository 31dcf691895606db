internal import CSQLite
internal import FileSystem
package import SQLiteDatabase

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The storage of an Android phone: a SQLite database with a table of keys and values.
package struct AsyncStorageDatabase {
    package let path: String

    package func read(_ keys: Set<String>) throws(StoreError) -> AsyncStorage {
        let copy = try ScratchCopy(of: path)
        return try StorePath.translating(path) {
            let queue = try DatabaseQueue(path: copy.path, configuration: Self.configuration)
            // No transaction: its end would fail as well if the database is damaged.
            return try queue.inDatabase { database in
                let (layout, others) = try layout(of: database)
                var storage = AsyncStorage(path: path, layout: layout)
                try read(keys, database, &storage)
                for other in others {
                    var more = AsyncStorage(path: path, layout: other)
                    try read(keys, database, &more)
                    storage.addMissing(of: more)
                }
                return storage
            }
        }
    }

    /// The configuration for a file from anywhere: its schema may call no function, and its values are limited.
    package static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "AsyncStorage"
        configuration.prepareDatabase { database in
            sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(AsyncStorage.largestValue))
            try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        return configuration
    }

    /// Returns the table to read, and others that it could be.
    private func layout(of database: Database) throws -> (AsyncStorage.Layout, others: [AsyncStorage.Layout]) {
        var found: [AsyncStorage.Layout] = []
        for layout in [AsyncStorage.Layout.storage, .catalystLocalStorage] {
            let isTable = try Bool.fetchOne(
                database,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM sqlite_master
                    WHERE type = 'table' AND name = ? COLLATE NOCASE AND sql NOT LIKE 'CREATE VIRTUAL%')
                    """,
                arguments: [layout.rawValue]
            )
            guard isTable == true else { continue }
            let columns = try String.fetchAll(
                database,
                sql: "SELECT lower(name) FROM pragma_table_xinfo(?) WHERE hidden = 0",
                arguments: [layout.rawValue]
            )
            if columns.contains("key"), columns.contains("value") { found.append(layout) }
        }
        guard let first = found.first else {
            let message =
                "the database has no table catalystLocalStorage or Storage with the columns key and value, so it is no"
                + " AsyncStorage"
            throw StoreError(.unrecognized, message, path: path)
        }
        return (first, Array(found.dropFirst()))
    }

    /// Reads all rows in the order of the table, as an index may be damaged.
    ///
    /// Where a row cannot be read, the rows before it count.
    private func read(_ keys: Set<String>, _ database: Database, _ storage: inout AsyncStorage) throws {
        let names = keys.sorted()
        let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
        // A blob gives a text's bytes even if they are not UTF-8; SQLite must convert UTF-16.
        let isUTF8 = try String.fetchOne(database, sql: "PRAGMA encoding") == "UTF-8"
        let value = isUTF8 ? "CAST(value AS BLOB)" : "value"
        let sql = """
            SELECT CASE WHEN wanted THEN key END, kind, CASE WHEN wanted THEN \(value) END FROM (
                SELECT key, value, typeof(value) AS kind, coalesce(key COLLATE BINARY IN (\(places)), 0) AS wanted
                FROM "\(storage.layout.rawValue)" NOT INDEXED)
            """
        var count = 0
        do {
            let rows = try Row.fetchCursor(database, sql: sql, arguments: StatementArguments(names))
            while let row = try rows.next() {
                count += 1
                guard count <= AsyncStorage.mostKeys else {
                    let message = "the table has more than \(AsyncStorage.mostKeys) rows, which is the limit"
                    throw StoreError(.limit, message, path: path)
                }
                guard let key: String = row[0] else {
                    storage.otherKeys += 1
                    continue
                }
                let kind: String = row[1]
                let text: String? = !isUTF8 && kind == "text" ? row[2] : nil
                storage.add(Self.value(text.map { Array($0.utf8) } ?? row[2], kind: kind), for: key)
            }
        } catch let error as DatabaseError where error.resultCode != .SQLITE_NOTADB {
            let detail = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
            let message = "the database cannot be read beyond row \(count) (\(detail)); keys may be missing"
            storage.report("storage.damaged", message)
        }
    }

    private static func value(_ value: [UInt8]?, kind: String) -> StoredValue {
        switch kind {
        case "null": .null
        case "text", "blob": .text(value ?? [])
        default: .unusable("its value is of the type \(kind), and not a text")
        }
    }
}

/// A copy of a database and its journals in a private folder, removed with this object.
package final class ScratchCopy {
    package let path: String
    private let folder: String

    /// - Throws: `storage.unreadable` where the file or a journal beside it cannot be read; `storage.limit`.
    package init(of original: String) throws(StoreError) {
        let parent = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        guard let folder = Files.makeTemporaryFolder(in: parent) else {
            throw StoreError(.inputOutput, "a copy of the database cannot be made in \(parent)", path: original)
        }
        self.folder = folder
        path = "\(folder)/storage.db"
        // SQLite looks for journals beside the file itself, not beside a link to it.
        let source = Files.resolve(original) ?? original
        var rest = AsyncStorage.largestDatabase
        for suffix in ["", "-wal", "-journal"] {
            do throws(StorageFile.Fault) {
                rest -= try StorageFile.copy(source + suffix, to: path + suffix, limit: rest) ?? 0
            } catch {
                StorePath.remove(folder)
                throw StoreError(error.code, error.reason, path: original + suffix)
            }
        }
    }

    deinit { StorePath.remove(folder) }
}
