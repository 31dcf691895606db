import CivilTime
import FormatKit
@testable import RecordStore
@testable import Slate
import Foundation
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

extension SlateImportOptions {
    static func test(
        _ mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        perfectDays: SlateDays.Recomputation? = nil,
        second: Int = 0
    ) -> SlateImportOptions {
        SlateImportOptions(
            mode: mode,
            parts: parts,
            perfectDays: perfectDays,
            today: CivilDay(number: 20_000),
            moment: Timestamp(seconds: 1_800_000_000 + second)
        )
    }
}

extension SlateContent {
    /// The content of an export made of rows in JSON; what is not given is empty.
    static func made(
        meta: String = "{}",
        exportedAt: String = "2026-01-07T21:30:00+01:00",
        other: String = "",
        _ rows: [SlateTable: [String]] = [:]
    ) throws -> SlateContent {
        let tables = SlateTable.allCases.map { "\"\($0.name)\": [\((rows[$0] ?? []).joined(separator: ",\n"))]" }
        let text =
            "{\"schema_version\": 2, \"exported_at\": \"\(exportedAt)\", \"meta\": \(meta), "
            + tables.joined(separator: ",\n") + "\(other)}"
        return try read(Array(text.utf8))
    }

    static func read(_ bytes: [UInt8]) throws -> SlateContent {
        let reading = SlateFormat.read(bytes)
        return try #require(reading.content, "\(reading.diagnostics)")
    }

    /// The largest of the released files of version 2.
    static func autumnWeek() throws -> SlateContent { try read(try Fixtures.bytes("slate/v2/autumn-week.json")) }
}

extension SlateDatabase {
    /// The export's bytes.
    func exported(at moment: String = "2026-01-07T21:30:00+01:00") throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) {
            sink in
            try export(exportedAt: moment, to: sink)
        }
        return bytes
    }
}

extension Sandbox {
    /// A new database with the content of an export.
    @discardableResult
    func database(_ name: String = "slate.db", holding content: SlateContent) throws -> SlateDatabase {
        let database = try SlateDatabase(path: path(name), for: .writing(mustExist: false, upgrading: true))
        // Of a database that an import makes there would be no copy.
        try database.makeTables()
        _ = try database.importing(content, .test(.replace))
        return database
    }

    /// A database as the app makes it, of a version, without any row.
    func appDatabase(_ name: String = "slate.db", version: Int = 2) throws {
        try sql(SlateSchema.one + (version > 1 ? SlateSchema.oneToTwo : ""), in: name)
    }

    /// Runs SQL as another program would.
    func sql(_ text: String, in name: String = "slate.db") throws {
        let queue = try plain(name)
        try queue.writeWithoutTransaction { try $0.execute(sql: text) }
        try queue.close()
    }

    /// The rows of a query, as text with a bar between columns.
    func rows(_ query: String, in name: String = "slate.db") throws -> [String] {
        let queue = try plain(name)
        defer { try? queue.close() }
        return try queue.read { try Row.fetchAll($0, sql: query) }.map { row in
            row.databaseValues.map { value in
                switch value.storage {
                case .null: "NULL"
                case .string(let text): text
                case .blob(let data): "a blob of \(data.count) bytes"
                default: "\(value)"
                }
            }.joined(separator: "|")
        }
    }

    /// A connection of another program's.
    func plain(_ name: String = "slate.db") throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: path(name), configuration: configuration)
    }

    /// A database that is opened for writing and has to be there.
    func writer(_ name: String = "slate.db", upgrading: Bool = false, excluding: Set<String> = []) throws
        -> SlateDatabase
    {
        try SlateDatabase(
            path: path(name),
            for: .writing(mustExist: true, upgrading: upgrading),
            excluding: excluding
        )
    }

    /// The bytes of an export.
    func exported(_ name: String = "slate.db", excluding: Set<String> = []) throws -> [UInt8] {
        try SlateDatabase(path: path(name), for: .reading, excluding: excluding).exported()
    }

    /// The export as text, for looking into it.
    func exportedText(_ name: String = "slate.db") throws -> String {
        String(decoding: try exported(name), as: UTF8.self)
    }

    /// Copies files, as one who finds them.
    func copy(_ name: String, to other: String) throws {
        try remove(other)
        try FileManager.default.copyItem(atPath: path(name), toPath: path(other))
    }
}

/// The error of the store that is thrown, nil where none is.
func storeError(_ body: () throws -> Void) throws -> StoreError? {
    do {
        try body()
        return nil
    } catch let error as StoreError {
        return error
    }
}

/// A row of a table in JSON.
enum SlateRow {
    static func task(
        _ id: String,
        _ more: String = "",
        title: String? = nil,
        at stamp: String = "2026-01-01T08:00:00Z"
    ) -> String {
        "{\"id\": \"\(id)\", \"title\": \"\(title ?? "Task \(id)")\", \"created_at\": \"2026-01-01T08:00:00Z\", "
            + "\"updated_at\": \"\(stamp)\"\(more)}"
    }

    static func habit(_ id: String, _ more: String = "", at stamp: String = "2026-01-01T08:00:00Z") -> String {
        "{\"id\": \"\(id)\", \"title\": \"Habit \(id)\", \"created_at\": \"2026-01-01T08:00:00Z\", "
            + "\"updated_at\": \"\(stamp)\"\(more)}"
    }

    static func completion(_ id: String, _ habit: String, _ date: String, at stamp: String = "2026-01-01T08:00:00Z")
        -> String
    {
        "{\"id\": \"\(id)\", \"habit_id\": \"\(habit)\", \"date\": \"\(date)\", \"completed_at\": \"\(stamp)\"}"
    }

    static func item(_ id: String, _ date: String, _ type: String, _ entity: String) -> String {
        "{\"id\": \"\(id)\", \"date\": \"\(date)\", \"entity_type\": \"\(type)\", \"entity_id\": \"\(entity)\"}"
    }

    static func log(_ id: String, details: String = "null", at stamp: String = "2026-01-01T08:00:00Z") -> String {
        "{\"id\": \"\(id)\", \"timestamp\": \"\(stamp)\", \"entity_type\": \"task\", \"entity_id\": \"t\", "
            + "\"action_type\": \"done\", \"details\": \(details)}"
    }
}
