import CivilTime
@testable import RecordStore
@testable import Slate
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Safety copies and the way back")
struct SlateSafetyTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
    }

    private func content(_ number: Int) throws -> SlateContent {
        try SlateContent.made([.tasks: [SlateRow.task("t\(number)"), SlateRow.task("all")]])
    }

    @discardableResult
    private func importing(_ number: Int) throws -> SlateSafetyBackup {
        let database = try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: true))
        // Of a database that an import makes there is no copy.
        try database.makeTables()
        return try #require(try database.importing(content(number), .test(.replace, second: number)).safetyBackup)
    }

    @discardableResult
    private func undo(to copy: SlateSafetyBackup? = nil, second: Int = 100) throws -> SlateSafetyBackups.UndoResult {
        try SlateSafetyBackups.undo(path, to: copy, moment: Timestamp(seconds: 1_800_000_000 + second))
    }

    private func expect(_ number: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try sandbox.exported() == content(number).encoded(), sourceLocation: sourceLocation)
        #expect(try sandbox.rows("PRAGMA integrity_check") == ["ok"], sourceLocation: sourceLocation)
    }

    @Test func numbersRiseAndTheLastTenStay() throws {
        for number in 1...14 { try importing(number) }
        let copies = SlateSafetyBackups.copies(of: path)
        #expect(copies.map(\.number) == Array((5...14).reversed()))
        #expect(copies.allSatisfy { $0.reason == .beforeImport && !$0.isUsed })
        #expect(copies.first?.path.hasSuffix("/000014-20270115T080014Z-before-import.db") == true)
        #expect(try sandbox.names().count == 12)
        // Whatever the clock says.
        _ = try sandbox.writer().importing(try content(99), .test(.replace, second: -1_000_000))
        #expect(SlateSafetyBackups.copies(of: path).first?.number == 15)
    }

    @Test func eachUndoGoesBackOneImport() throws {
        for number in 1...3 { try importing(number) }
        #expect(try undo().plan.copy.number == 3)
        try expect(2)
        #expect(try undo().plan.copy.number == 2)
        try expect(1)
        try importing(7)
        try undo()
        try expect(1)
        // Before the first import there were only the tables.
        #expect(try undo().plan.then.values.allSatisfy { $0 == 0 })
        let error = try storeError { try undo() }
        #expect(error?.code == .noSafetyBackup)
        #expect(error?.message.contains("none of a change that is still to be undone; --list") == true)
        try importing(8)
        try expect(8)
    }

    @Test func asManyImportsAsThereAreCopiesCanBeUndone() throws {
        for number in 1...13 { try importing(number) }
        for number in (4...13).reversed() {
            #expect(try undo(second: 200 - number).plan.copy.number == number)
            try expect(number - 1)
        }
        let copies = SlateSafetyBackups.copies(of: path)
        #expect(copies.count { $0.reason == .beforeImport } == SlateSafetyBackups.keptCopies)
        #expect(try storeError { try undo() }?.code == .noSafetyBackup)
        // Neither is the state lost from which so many undos began.
        let last = copies.filter { $0.reason == .beforeUndo }.last
        try undo(to: last, second: 300)
        try expect(13)
    }

    @Test func undoingAgainAndAgainLosesNoWayBack() throws {
        for number in 1...2 { try importing(number) }
        for number in 3...14 {
            try importing(number)
            try undo(second: 100 + number)
        }
        try expect(2)
        #expect(try undo(second: 200).plan.copy.number == 2)
        try expect(1)
        let kept = SlateSafetyBackups.copies(of: path).filter { $0.reason == .beforeUndo }
        #expect(kept.count == SlateSafetyBackups.keptCopies)
    }

    @Test func theStateBeforeAnUndoIsKept() throws {
        for number in 1...2 { try importing(number) }
        let result = try undo()
        let kept = try #require(result.safetyBackup)
        #expect(kept.reason == .beforeUndo && kept.number == 3)
        #expect(result.plan.now[.tasks] == 2 && result.plan.then[.tasks] == 2)
        #expect(SlateSafetyBackups.copies(of: path).first { $0.number == 2 }?.isUsed == true)
        try undo(to: kept)
        try expect(2)
        // A copy that was used can be gone back to by name.
        let used = try #require(SlateSafetyBackups.copies(of: path).first { $0.number == 2 })
        try undo(to: used)
        try expect(1)
    }

    @Test func whatIsNotConfirmedIsNotDone() throws {
        for number in 1...2 { try importing(number) }
        let names = try sandbox.names()
        let bytes = try sandbox.bytes("slate.db")
        #expect(throws: CancellationError.self) {
            try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1)) { _ in throw CancellationError() }
        }
        #expect(try sandbox.names() == names)
        #expect(try sandbox.bytes("slate.db") == bytes)
    }

    @Test func withoutAnyImport() throws {
        try sandbox.appDatabase()
        #expect(try storeError { try undo() }?.code == .noSafetyBackup)
        #expect(try sandbox.names() == ["slate.db"])
    }

    /// A copy that an import made before it was interrupted is that of the present state.
    @Test func theCopyOfAnInterruptedImportIsPassedOver() throws {
        for number in 1...2 { try importing(number) }
        try sandbox.sql("ALTER TABLE tasks ADD COLUMN own TEXT; CREATE TABLE own (x)")
        let moment = Timestamp(seconds: 1_800_000_050)
        for _ in 0..<2 { _ = try SlateSafetyBackups.copy(path, reason: .beforeImport, moment: moment) }
        // What was done in the app since then stays: nobody knows whether that import was done.
        try sandbox.sql("UPDATE tasks SET title = 'since then' WHERE id = 'all'")
        let plan = try undo().plan
        #expect(plan.copy.number == 2 && plan.interrupted?.number == 4)
        #expect(plan.changes?[.tasks]?.changed == 1 && plan.changes?[.tasks]?.added == 1)
        try expect(1)
        try undo()
        let error = try storeError { try undo() }
        #expect(error?.code == .noSafetyBackup && error?.message.contains("-before-import.pending.db") == true)
    }

    @Test func whatIsLeftOfAnInterruptedCopyGoes() throws {
        try importing(1)
        let folder = "slate.db.safety"
        for name in [".000002-20270115T080000Z-before-import.db.tmp", ".own.tmp", "own.db", "000003-own"] {
            try sandbox.write("\(folder)/\(name)", "x")
        }
        try importing(2)
        let names = try sandbox.names().filter { $0.hasPrefix(folder + "/") }.map { $0.dropFirst(folder.count + 1) }
        #expect(names.count == 5 && !names.contains { $0.hasSuffix("before-import.db.tmp") }, "\(names)")
        try undo()
        try expect(1)
    }

    @Test(arguments: ["no database", "header", "page", "short", "empty", "gone"])
    func aDamagedCopyChangesNothing(_ damage: String) throws {
        for number in 1...2 { try importing(number) }
        let copy = try #require(SlateSafetyBackups.copies(of: path).first)
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: copy.path)))
        switch damage {
        case "no database": bytes = Array("no database at all, but long enough to look at".utf8)
        case "header": for index in 0..<4096 { bytes[index] = 0xA5 }
        case "page": for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        case "short": bytes.removeLast(bytes.count / 2)
        default: bytes = []
        }
        try Data(bytes).write(to: URL(filePath: copy.path))
        if damage == "gone" { try FileManager.default.removeItem(atPath: copy.path) }
        let before = try sandbox.bytes("slate.db")
        let names = try sandbox.names()
        let error = try storeError { try undo(to: copy) }
        #expect(error?.code == (damage == "gone" ? .cannotOpen : .corrupt), "\(error?.description ?? "")")
        #expect(error?.path == copy.path)
        #expect(try sandbox.bytes("slate.db") == before)
        #expect(try sandbox.names() == names)
    }

    @Test(arguments: ["gone", "no database", "empty", "header", "schema", "pages", "short", "with a journal"])
    func aDatabaseThatIsGoneOrDamagedComesBack(_ damage: String) throws {
        for number in 1...2 { try importing(number) }
        var bytes = try sandbox.bytes("slate.db")
        switch damage {
        case "gone": try sandbox.remove("slate.db")
        case "no database": bytes = Array("no database at all, but long enough to look at".utf8)
        case "empty": bytes = []
        case "header": for index in 0..<100 { bytes[index] = 0xA5 }
        case "schema": for index in 100..<4096 { bytes[index] = 0xA5 }
        case "pages": for index in 4096..<bytes.count { bytes[index] = 0xA5 }
        case "short": bytes.removeLast(bytes.count / 2)
        default:
            bytes = Array("no database at all, but long enough to look at".utf8)
            try sandbox.write("slate.db-journal", [UInt8](repeating: 0xA5, count: 4096))
            try sandbox.write("slate.db-wal", [UInt8](repeating: 0xA5, count: 4096))
        }
        if damage != "gone" { try sandbox.write("slate.db", bytes) }
        let result = try undo()
        try expect(1)
        #expect(result.plan.then[.tasks] == 2)
        #expect((result.safetyBackup == nil) == (damage == "gone"))
        if let kept = result.safetyBackup, damage != "empty" {
            #expect(try [UInt8](Data(contentsOf: URL(filePath: kept.path))).count == bytes.count)
        }
        let names = try sandbox.names().filter { !$0.contains("safety") }
        #expect(names == ["slate.db"], "\(names)")
    }

    /// Tables, columns, triggers and settings that this program does not know come back as well.
    @Test func whatThisProgramDoesNotKnowComesBack() throws {
        try importing(1)
        try sandbox.sql(
            """
            CREATE TABLE projects (id TEXT); INSERT INTO projects VALUES ('garden');
            CREATE INDEX mine ON tasks (title); PRAGMA user_version = 77;
            ALTER TABLE tasks ADD COLUMN own TEXT; UPDATE tasks SET own = 'mine';
            """
        )
        let schema = try sandbox.rows("SELECT sql FROM sqlite_master ORDER BY name")
        let database = try sandbox.writer(excluding: ["tasks.own"])
        _ = try database.importing(try content(2), .test(.replace))
        try sandbox.sql("DROP TABLE projects; DROP INDEX mine; PRAGMA user_version = 0")
        try undo()
        #expect(try sandbox.rows("SELECT sql FROM sqlite_master ORDER BY name") == schema)
        #expect(try sandbox.rows("SELECT own FROM tasks") == ["mine", "mine"])
        #expect(try sandbox.rows("SELECT * FROM projects") == ["garden"])
        #expect(try sandbox.rows("PRAGMA user_version") == ["77"])
    }

    /// Who has the database open sees the state before at once.
    @Test func othersSeeTheUndo() throws {
        for number in 1...2 { try importing(number) }
        let other = try sandbox.plain()
        let query = "SELECT group_concat(id) FROM (SELECT id FROM tasks ORDER BY id)"
        #expect(try other.read { try String.fetchOne($0, sql: query) } == "all,t2")
        try undo()
        #expect(try other.read { try String.fetchOne($0, sql: query) } == "all,t1")
    }
}
