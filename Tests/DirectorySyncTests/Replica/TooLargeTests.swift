import Foundation
import RecordMerge
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

@Suite("What no device could read back is not published")
struct TooLargeTests {
    @Test("A note that is too large stays where it is, is named, and stops nothing else")
    func note() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        let large = String(repeating: "word ", count: 600_000)
        try laptop.sql("UPDATE tasks SET notes = ? WHERE id = 't1'", [large])
        try laptop.setTitle("t2", "Rye bread")
        try laptop.addTask("t3", large)
        let found = try laptop.sync()
        #expect(found.issues.map(\.kind) == [.tooLarge, .tooLarge])
        #expect(found.issues.compactMap(\.record?.key) == ["t1", "t3"])
        #expect(found.issues.allSatisfy { $0.message.contains("at most 2097152") })
        #expect(try laptop.replica().status().issues.count == 2)
        let verified = try laptop.replica().verify()
        #expect(verified.faults.count == 2 && verified.differing.isEmpty)
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Rye bread"])
        // What others change of it does not reach the store, which alone has the note, and is not lost.
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        #expect(try laptop.sync().issues.count == 2)
        #expect(try laptop.sync().received.isEmpty)
        #expect(try laptop.column("SELECT notes FROM tasks WHERE id = 't1'") == [large])
        // Once it is short all comes together.
        try laptop.sql("UPDATE tasks SET notes = 'short' WHERE id = 't1'")
        try laptop.sql("DELETE FROM tasks WHERE id = 't3'")
        #expect(try laptop.sync().issues.isEmpty)
        try phone.sync()
        #expect(try laptop.rows("tasks") == phone.rows("tasks"))
        #expect(try phone.column("SELECT title || notes FROM tasks WHERE id = 't1'") == ["Oat milkshort"])
        #expect(try phone.replica().conflicts().isEmpty)
    }

    @Test("Concurrent values that are too large together are decided by the next edit, which is published")
    func concurrent() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        // What was written without knowledge of each other, 30 times 200 KB of one task's notes, later than the task itself.
        laptop.time.advance(1_000)
        for number in 1...30 {
            let name = "evil\(number)"
            _ = try TraceTests.forge(laptop, by: name, key: "t1", title: "From \(name)", notesBytes: 200_000)
        }
        for device in [laptop, phone] { try device.sync() }
        #expect(try laptop.replica().conflicts().count > 0)
        try laptop.setTitle("t1", "Oat milk")
        let found = try laptop.sync()
        #expect(found.issues.isEmpty)
        #expect(found.notes.contains { $0.contains("the concurrent values of notes were too large together") })
        #expect(try laptop.sync().notes.isEmpty)
        try phone.sync()
        #expect(try phone.titles()["t1"] == "Oat milk")
        #expect(try phone.column("SELECT length(notes) FROM tasks WHERE id = 't1'") == ["200000"])
        #expect(try phone.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try laptop.replica().stateText().utf8.count < 1 << 20)
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
    }

    @Test("Records that are alike compress more than a thousand times, and are read all the same")
    func alike() throws {
        let stamp = Stamp(Dot(try Sample.writer("anna"), 1), HybridClock(milliseconds: 1_700_000_000_001))
        let text = String(repeating: "y", count: 80_000)
        let records = (0..<1_000).map { number in
            let cells = [Cell(CellPath(.member, "details"), [Write(stamp, .string(text))])]
            let version = RecordVersion(stamp, seen: VersionVector(), origins: [Origin(stamp.dot)], cells: cells)
            return ChangedRecord(RecordKey("activity_log", "l\(1000 + number)"), version)
        }
        var header = try Sample.segment("anna", 1).header
        header.records = records.count
        let bytes = try Segment(header, Change(stamp, base: VersionVector(), records: records)).encoded()
        #expect(bytes.count < 80_000)
        var count = 0
        try Segment.read(bytes) { _ in
        } record: { _ in
            count += 1
        }
        #expect(count == records.count)
    }

    @Test("Large records are cut into several changes")
    func cut() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for number in 0..<12 { try laptop.addTask("n\(number)", String(repeating: "\(number) ", count: 300_000)) }
        let published = try laptop.sync().published
        #expect(published.count > 1 && published.reduce(0) { $0 + $1.recordCount } == 12)
        #expect(try phone.sync().received.count == published.count)
        #expect(try laptop.rows("tasks") == phone.rows("tasks"))
    }

    @Test("Nothing is removed behind a checkpoint that lacks what is known, though its hash is right")
    func compared() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try laptop.setTitle("t2", "Rye bread")
        try laptop.sync()
        _ = try laptop.replica().compact()
        let directory = SyncDirectory(laptop.folder)
        let file = try #require(try directory.listing().checkpoints.first)
        var lines: [[UInt8]] = []
        var header: CheckpointHeader?
        try directory.readCheckpoint(file) {
            header = $0
        } line: {
            lines.append(Array($0))
        }
        // One record less: all counts are right, and so is the hash.
        var changed = try #require(header)
        changed.segment.records -= 1
        lines.removeLast()
        let state = StateHeader(seen: changed.segment.base, recordCount: changed.segment.records)
        let hash = try directory.publishCheckpoint(writer: file.writer, sequence: file.sequence) { sink in
            try sink.write(changed)
            for line in [state.encodedLine()] + lines.dropFirst() { try sink.writeLine(line) }
        }.hash
        let other = ListedFile(.checkpoint, writer: file.writer, sequence: file.sequence, hash: hash)
        try directory.remove(file)
        let queue = try DatabaseQueue(path: laptop.store + ".foldersync")
        try queue.write { try $0.execute(sql: "UPDATE checkpoint SET name = ? WHERE is_own", arguments: [other.path]) }
        try queue.close()
        laptop.time.advance(9 * 86_400_000)
        try laptop.setTitle("t1", "Oat milk")
        let notes = try laptop.replica().compact().notes
        #expect(notes.contains { $0.hasPrefix(other.path) && $0.contains("nothing is removed") })
        try directory.remove(other)
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        try tablet.sync()
        #expect(try tablet.titles() == ["t1": "Oat milk", "t2": "Rye bread"])
        try phone.sync()
        #expect(try phone.titles() == tablet.titles())
    }
}
