import DirectorySync
import RecordMerge
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@Suite("What the app changes after a synchronisation that ended between its two commits")
struct InterruptedTests {
    /// Two devices in step, of which the phone changes the titles of t1 and t2; the laptop has taken that in, and its store
    /// has not.
    private func interrupted() throws -> (laptop: Device, phone: Device) {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        for number in 1...3 { try laptop.addTask("t\(number)", "Task \(number)") }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try phone.setTitle("t1", "of the phone")
        try phone.setTitle("t2", "of the phone")
        try phone.sync()
        try laptop.failingToWrite { #expect(throws: (any Error).self) { try laptop.sync() } }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try laptop.titles()["t1"] == "Task 1")
        return (laptop, phone)
    }

    @Test("An edit of another member is no conflict")
    func edit() throws {
        let (laptop, phone) = try interrupted()
        try laptop.sql("UPDATE tasks SET notes = 'of the laptop' WHERE id = 't1'")
        for device in [laptop, phone, laptop] { #expect(try device.sync().conflicts == 0) }
        for device in [laptop, phone] {
            let both = "SELECT title || ', ' || notes FROM tasks WHERE id = 't1'"
            #expect(try device.column(both) == ["of the phone, of the laptop"])
        }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
    }

    @Test("An edit of the same member is one conflict, of that member")
    func sameMember() throws {
        let (laptop, phone) = try interrupted()
        try laptop.setTitle("t1", "of the laptop")
        for device in [laptop, phone] { #expect(try device.sync().conflicts == 1) }
        let conflict = try #require(try phone.replica().conflicts().first)
        #expect(conflict.path == ["title"])
        #expect(Set(conflict.choices.compactMap { $0.value?.string }) == ["of the phone", "of the laptop"])
        // Twice, and ended in between: each is compared with what the store had.
        try laptop.failingToWrite { _ = try? laptop.sync() }
        try laptop.setTitle("t1", "decided")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try phone.titles()["t1"] == "decided")
        #expect(try phone.replica().conflicts().isEmpty)
    }

    @Test("A deletion is not dropped: it met a change, and that is said")
    func deletion() throws {
        let (laptop, phone) = try interrupted()
        try laptop.sql("DELETE FROM tasks WHERE id IN ('t2', 't3')")
        for device in [laptop, phone, laptop] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.titles() == ["t1": "of the phone", "t2": "of the phone"])
            let conflicts = try device.replica().conflicts()
            #expect(conflicts.map(\.name.key) == ["t2"] && conflicts.map(\.kind) == [.deletedRecord])
        }
    }

    @Test("Edits, and again an end between the commits, and more edits")
    func twice() throws {
        let (laptop, phone) = try interrupted()
        try laptop.sql("UPDATE tasks SET notes = 'one' WHERE id = 't1'")
        try laptop.failingToWrite { _ = try? laptop.sync() }
        try laptop.sql("UPDATE tasks SET notes = 'two', due_date = '2026-02-01' WHERE id = 't1'")
        for device in [laptop, phone, laptop] { #expect(try device.sync().conflicts == 0) }
        for device in [laptop, phone] {
            let both = "SELECT title || notes || due_date FROM tasks WHERE id = 't1'"
            #expect(try device.column(both) == ["of the phonetwo2026-02-01"])
        }
    }

    @Test("What an older version of the program left is gone on with, and nothing of it is lost")
    func olderFile() throws {
        let (laptop, phone) = try interrupted()
        try DatabaseQueue(path: laptop.store + ".foldersync").write { database in
            try database.execute(
                sql: """
                    DROP TABLE block; DROP TABLE block_link; DROP TABLE block_name; DROP INDEX record_packed;
                    ALTER TABLE record DROP COLUMN is_packed;
                    DROP TABLE gift; DROP TABLE restored; DROP TABLE set_aside; DROP TABLE too_large; ALTER TABLE segment DROP COLUMN is_checked;
                    DROP INDEX touched_reason; ALTER TABLE touched DROP COLUMN line; ALTER TABLE touched DROP COLUMN vector; DROP TABLE vector;
                    ALTER TABLE touched DROP COLUMN is_contested; ALTER TABLE touched DROP COLUMN is_alone;
                    ALTER TABLE touched DROP COLUMN reason; ALTER TABLE property DROP COLUMN sum; ALTER TABLE head DROP COLUMN sum;
                    ALTER TABLE record DROP COLUMN sum; ALTER TABLE link DROP COLUMN sum; PRAGMA user_version = 1;
                    """
            )
        }
        try laptop.sql("UPDATE tasks SET notes = 'of the laptop' WHERE id = 't1'")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
        #expect(try phone.column("SELECT notes FROM tasks WHERE id = 't1'") == ["of the laptop"])
        #expect(try laptop.titles()["t2"] == "of the phone")
        #expect(try laptop.replica().stateText().contains("of the phone"))
    }

    @Test("The records have the heads that the store had seen once, and a file that has them with each is upgraded")
    func headsWithEachRecord() throws {
        let (laptop, phone) = try interrupted()
        try DatabaseQueue(path: laptop.store + ".foldersync").write { database in
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM vector") == 1)
            try database.execute(
                sql: """
                    ALTER TABLE touched ADD COLUMN heads TEXT;
                    UPDATE touched SET heads = (SELECT heads FROM vector WHERE number = touched.vector);
                    ALTER TABLE touched DROP COLUMN vector; DROP TABLE vector; PRAGMA user_version = 8;
                    """
            )
            #expect(try Int.fetchOne(database, sql: "SELECT count(heads) FROM touched") == 2)
        }
        try laptop.sql("UPDATE tasks SET notes = 'of the laptop' WHERE id = 't1'")
        try laptop.setTitle("t2", "of the laptop")
        for device in [laptop, phone, laptop] { #expect(try device.sync().conflicts == 1) }
        #expect(try phone.replica().conflicts().map(\.name.key) == ["t2"])
        #expect(try phone.column("SELECT title || notes FROM tasks WHERE id = 't1'") == ["of the phoneof the laptop"])
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("After a decision of this device the edit of the old record takes a name of its own")
    func decided() throws {
        let (laptop, phone) = try interrupted()
        try phone.setTitle("t2", "again of the phone")
        try phone.sync()
        try laptop.failingToWrite {
            // Published, and neither seen by the app nor in the store.
            _ = try? laptop.replica().restore(at: laptop.time.now - 3_500)
        }
        try laptop.sql("UPDATE tasks SET notes = 'of the laptop' WHERE id = 't2'")
        for device in [laptop, phone, laptop, phone] { try device.sync() }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
        #expect(try phone.column("SELECT notes FROM tasks WHERE id = 't2'") == ["of the laptop"])
        #expect(try phone.titles()["t2"]?.isEmpty == false)
    }
}

extension Device {
    /// Runs a body while the store cannot be written, as on a disk that is full when all else was done.
    func failingToWrite(_ body: () throws -> Void) throws {
        try sql("CREATE TRIGGER full BEFORE INSERT ON satchel_sync BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        defer { try? sql("DROP TRIGGER full") }
        try body()
    }
}
