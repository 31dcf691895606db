import CivilTime
@testable import RecordStore
@testable import Slate
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Journals, locks and permissions", .serialized)
struct SlateJournalTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
    }

    private func setMode(_ mode: Int, _ name: String = "") throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sandbox.path(name))
    }

    /// A database whose last task is in its write-ahead log alone.
    private func makeHotWAL() throws {
        try sandbox.database("source.db", holding: try SlateContent.made([.tasks: [SlateRow.task("in-the-file")]]))
        let source = try sandbox.plain("source.db")
        try source.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try database.execute(
                sql:
                    "INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('in-the-log', 'x', '2026-01-01', '2026')"
            )
        }
        try sandbox.copy("source.db", to: "slate.db")
        try sandbox.copy("source.db-wal", to: "slate.db-wal")
        try source.close()
        #expect(try !sandbox.bytes("slate.db").contains(Array("in-the-log".utf8)))
    }

    /// A database in the midst of a change that nobody will end.
    private func makeHotJournal() throws -> [UInt8] {
        let content = try SlateContent.made([.tasks: (0..<2000).map { SlateRow.task("task-\($0)") }])
        let exported = try sandbox.database("source.db", holding: content).exported()
        let source = try sandbox.plain("source.db")
        try source.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA cache_size = 5; PRAGMA cache_spill = ON; BEGIN IMMEDIATE")
            try database.execute(sql: "UPDATE tasks SET title = title || ' changed and longer than it was before'")
            try sandbox.copy("source.db", to: "slate.db")
            try sandbox.copy("source.db-journal", to: "slate.db-journal")
            try database.execute(sql: "ROLLBACK")
        }
        try source.close()
        #expect(try sandbox.bytes("slate.db").contains(Array("changed and longer".utf8)))
        return exported
    }

    @Test func rowsInTheLogAreExportedAndTheFileStays() throws {
        try makeHotWAL()
        let before = try sandbox.bytes("slate.db")
        let log = try sandbox.bytes("slate.db-wal")
        let text = try sandbox.exportedText()
        #expect(text.contains("\"in-the-log\"") && text.contains("\"in-the-file\""))
        #expect(try sandbox.bytes("slate.db") == before)
        #expect(try sandbox.bytes("slate.db-wal") == log)
    }

    @Test func anImportIntoADatabaseWithALogAndItsUndo() throws {
        try makeHotWAL()
        let before = try sandbox.exported()
        let new = try SlateContent.autumnWeek()
        let database = try sandbox.writer()
        let result = try database.importing(new, .test(.replace))
        #expect(try database.exported(at: new.exportedAt) == new.encoded())
        #expect(try sandbox.rows("PRAGMA journal_mode") == ["wal"])
        // The copy is one file, which nothing has to be beside.
        let copy = try #require(result.safetyBackup)
        #expect(try Array([UInt8](Data(contentsOf: URL(filePath: copy.path)))[18...19]) == [1, 1])
        _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100))
        #expect(try sandbox.exported() == before)
        #expect(try sandbox.rows("PRAGMA journal_mode") == ["wal"])
        let names = try sandbox.names().filter { $0.hasPrefix("slate.db.safety/") }
        #expect(names.count == 2 && names.allSatisfy { $0.hasSuffix(".db") }, "\(names)")
    }

    @Test(.enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"))
    func aLogInAFolderThatCannotBeWrittenTo() throws {
        try makeHotWAL()
        let names = try sandbox.names()
        try setMode(0o555)
        defer { try? setMode(0o755) }
        for purpose in [SlateDatabase.Purpose.reading, .writing(mustExist: true, upgrading: true)] {
            let error = try OtherUser.run { try storeError { _ = try SlateDatabase(path: path, for: purpose) } }
            #expect(error?.code == .hotWAL, "\(error.map(\.description) ?? "")")
        }
        #expect(try sandbox.names() == names)
    }

    @Test(.enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"))
    func aDatabaseInWALModeWithoutALogInAFolderThatCannotBeWrittenTo() throws {
        try makeHotWAL()
        try sandbox.remove("slate.db-wal")
        try setMode(0o555)
        defer { try? setMode(0o755) }
        let error = try OtherUser.run { try storeError { _ = try SlateDatabase(path: path, for: .reading) } }
        #expect(error?.code == .readOnly || error?.code == .cannotOpen)
        #expect(error?.message.contains("WAL mode") == true)
    }

    @Test func anInterruptedChangeIsTakenBack() throws {
        let exported = try makeHotJournal()
        #expect(try sandbox.exported() == exported)
        #expect(try !sandbox.names().contains("slate.db-journal"))
    }

    @Test func anInterruptedChangeIsTakenBackBeforeAnImport() throws {
        let exported = try makeHotJournal()
        let result = try sandbox.writer().importing(try SlateContent.autumnWeek(), .test(.merge))
        let copy = try #require(result.safetyBackup)
        #expect(try SlateDatabase(path: copy.path, for: .reading).exported() == exported)
    }

    @Test(.enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"))
    func anInterruptedChangeInAFolderThatCannotBeWrittenTo() throws {
        _ = try makeHotJournal()
        let before = try sandbox.bytes("slate.db")
        let names = try sandbox.names()
        try setMode(0o555)
        defer { try? setMode(0o755) }
        for purpose in [SlateDatabase.Purpose.reading, .writing(mustExist: true, upgrading: true)] {
            let error = try OtherUser.run { try storeError { _ = try SlateDatabase(path: path, for: purpose) } }
            #expect(error?.code == .hotJournal, "\(error.map(\.description) ?? "")")
        }
        #expect(try sandbox.names() == names)
        #expect(try sandbox.bytes("slate.db") == before)
    }

    @Test(.enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"))
    func readingWhereNothingCanBeWritten() throws {
        let content = try SlateContent.autumnWeek()
        try sandbox.database(holding: content)
        try setMode(0o444, "slate.db")
        try setMode(0o555)
        defer { try? setMode(0o755) }
        let exported = try OtherUser.run {
            try SlateDatabase(path: path, for: .reading).exported(at: content.exportedAt)
        }
        #expect(try exported == content.encoded())
    }

    @Test(.enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"))
    func unreadable() throws {
        try sandbox.database(holding: try SlateContent.autumnWeek())
        try setMode(0o000, "slate.db")
        let error = try OtherUser.run { try storeError { _ = try SlateDatabase(path: path, for: .reading) } }
        #expect(error?.code == .cannotOpen)
    }

    @Test(
        .enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)"),
        arguments: ["the file", "the folder", "the folder of the copies"]
    )
    func importingWhereNothingCanBeWritten(_ what: String) throws {
        let old = try SlateContent.made([.tasks: [SlateRow.task("a")]])
        try sandbox.database(holding: old)
        for name in try [""] + sandbox.names() {
            try FileManager.default.setAttributes([.ownerAccountID: 65534], ofItemAtPath: sandbox.path(name))
        }
        let before = try sandbox.bytes("slate.db")
        let names = try sandbox.names()
        switch what {
        case "the file": try setMode(0o444, "slate.db")
        case "the folder": try setMode(0o555)
        default: try setMode(0o555, "slate.db.safety")
        }
        defer {
            try? setMode(0o755)
            try? setMode(0o755, "slate.db.safety")
        }
        let content = try SlateContent.autumnWeek()
        let error = try OtherUser.run {
            try storeError { _ = try sandbox.writer().importing(content, .test(.replace)) }
        }
        #expect(error?.code == .readOnly || error?.code == .cannotOpen, "\(error.map(\.description) ?? "")")
        #expect(error?.path == path)
        #expect(try sandbox.bytes("slate.db") == before)
        #expect(try sandbox.names() == names)
    }

    // MARK: Locks

    private func impatient<Result>(_ body: () throws -> Result) throws -> Result {
        try SlateFile.$lockTimeout.withValue(0.1) { try body() }
    }

    @Test func heldByAWriter() throws {
        let old = try SlateContent.made([.tasks: [SlateRow.task("a")]])
        let exported = try sandbox.database(holding: old).exported()
        let names = try sandbox.names()
        let other = try sandbox.plain()
        try other.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            // Who reads is not kept from it.
            #expect(try sandbox.exported() == exported)
            let error = try impatient {
                try storeError { _ = try sandbox.writer().importing(try SlateContent.autumnWeek(), .test(.replace)) }
            }
            #expect(error?.code == .busy)
            try database.execute(sql: "ROLLBACK")
        }
        #expect(try sandbox.names() == names)
        #expect(try sandbox.exported() == exported)
    }

    @Test func heldByOneWhoExcludesAll() throws {
        try sandbox.database(holding: try SlateContent.made([.tasks: [SlateRow.task("a")]]))
        let copy = try #require(SlateSafetyBackups.copies(of: path).first)
        let other = try sandbox.plain()
        try other.writeWithoutTransaction { database in
            try database.execute(sql: "BEGIN EXCLUSIVE")
            try impatient { () throws -> Void in
                #expect(try storeError { _ = try sandbox.exported() }?.code == .busy)
                #expect(try storeError { _ = try sandbox.writer() }?.code == .busy)
                let moment = Timestamp(seconds: 1_800_000_100)
                #expect(
                    try storeError { _ = try SlateSafetyBackups.undo(path, to: copy, moment: moment) }?.code == .busy
                )
            }
            try database.execute(sql: "ROLLBACK")
        }
        #expect(try sandbox.exportedText().contains("\"a\""))
        #expect(SlateSafetyBackups.copies(of: path) == [copy])
    }

    /// A reader in the middle of its reading keeps an import from being committed: then it is taken back.
    @Test func heldByAReader() throws {
        try sandbox.database(holding: try SlateContent.made([.tasks: [SlateRow.task("a")]]))
        let exported = try sandbox.exported()
        let other = try sandbox.plain()
        try other.read { database in
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM tasks")
            let error = try impatient {
                try storeError { _ = try sandbox.writer().importing(try SlateContent.autumnWeek(), .test(.replace)) }
            }
            #expect(error?.code == .busy)
        }
        try other.close()
        #expect(try sandbox.exported() == exported)
        #expect(try !sandbox.names().contains("slate.db-journal"))
        _ = try sandbox.writer().importing(try SlateContent.autumnWeek(), .test(.replace))
    }

    @Test func readingLeavesNothingBehind() throws {
        try sandbox.database(holding: try SlateContent.autumnWeek())
        let (names, bytes) = (try sandbox.names(), try sandbox.bytes("slate.db"))
        let database = try SlateDatabase(path: path, for: .reading)
        _ = try database.exported()
        _ = try database.read { records in
            _ = try (records.habits(), records.taskCounts(), records.plannedDays(), records.metaTexts())
            return try records.plan(try SlateContent.made(), mode: .replace)
        }
        #expect(try sandbox.names() == names)
        #expect(try sandbox.bytes("slate.db") == bytes)
    }
}

extension [UInt8] {
    fileprivate func contains(_ other: [UInt8]) -> Bool { Data(self).range(of: Data(other)) != nil }
}
