import CivilTime
import Foundation
import SQLiteDatabase
@testable import Slate
import Testing
import TestSupport

@Suite("Several at once")
struct SlateConcurrencyTests {
    private func content(_ number: Int) throws -> SlateContent {
        try SlateContent.made([.tasks: (0..<50).map { SlateRow.task("\(number)-\($0)") }])
    }

    /// Each import is whole, and each has a copy of what the one before it left.
    @Test func imports() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("slate.db")
        try sandbox.appDatabase()
        let contents = try (0..<5).map(content)
        let bytes = try contents.map { try $0.encoded() }
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: contents.count) { number in
            do {
                let rows = (0..<50).map { SlateRow.task("\(number)-\($0)") }
                let content = try SlateContent.made([.tasks: rows])
                try SlateFile.$lockTimeout.withValue(100) {
                    let database = try SlateDatabase(path: path, for: .writing(mustExist: true, upgrading: false))
                    _ = try database.importing(content, .test(.replace, second: number))
                }
            } catch {
                failures.change { $0.append("\(error)") }
            }
        }
        #expect(failures.value == [])
        let last = try sandbox.exported()
        #expect(bytes.contains(last))
        let copies = SlateSafetyBackups.copies(of: path)
        #expect(copies.map(\.number) == (1...5).reversed())
        var states = [last]
        for copy in copies { states.append(try SlateDatabase(path: copy.path, for: .reading).exported()) }
        // The first copy is that of the database without a row.
        #expect(Set(states.dropLast()) == Set(bytes))
        for second in 0..<5 {
            _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100 + second))
            #expect(try sandbox.exported() == states[second + 1])
        }
    }

    /// Who reads meanwhile sees one of the two states.
    @Test func readersDuringImportsAndUndos() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("slate.db")
        let contents = [try content(0), try content(1)]
        let states = try contents.map { try $0.encoded() }
        try sandbox.database(holding: contents[0])
        let isDone = Locked(false)
        let faults = Locked<[String]>([])
        let readers = DispatchGroup()
        for _ in 0..<2 {
            DispatchQueue.global().async(group: readers) {
                while !isDone.value {
                    do {
                        let exported = try SlateDatabase(path: path, for: .reading).exported()
                        if !states.contains(exported) { faults.change { $0.append("half a state") } }
                    } catch {
                        faults.change { $0.append("\(error)") }
                    }
                }
            }
        }
        for second in 1...10 {
            _ = try sandbox.writer().importing(contents[1], .test(.replace, second: second))
            _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100 + second))
        }
        isDone.change { $0 = true }
        readers.wait()
        #expect(faults.value == [])
    }

    /// What another program writes while an undo keeps the present state is not lost.
    @Test func aChangeDuringAnUndo() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("slate.db")
        try sandbox.database(holding: try content(0))
        _ = try sandbox.writer().importing(try content(1), .test(.replace))
        // What is written before the copy is in the copy.
        let result = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100)) { _ in
            try sandbox.sql("UPDATE tasks SET title = 'mine' WHERE id = '1-0'")
        }
        let copy = try #require(result.safetyBackup)
        let query = "SELECT title FROM tasks WHERE id = '1-0'"
        #expect(try DatabaseQueue(path: copy.path).read { try String.fetchOne($0, sql: query) } == "mine")
    }
}

/// A value that several threads use.
private final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    func change(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}
