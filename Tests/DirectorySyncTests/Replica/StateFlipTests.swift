import DirectorySync
import Foundation
import SQLiteDatabase
import Testing
import TestSupport

@Suite("Bits that flip in the state")
struct StateFlipTests {
    /// Two devices in step, with tasks of which one waits for another, and a conflict.
    private func pair() throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try Device.pair("Milk", "Bread and butter", "Salt")
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't2' WHERE id = 't1'")
        try laptop.setTitle("t3", "Sea salt")
        try phone.setTitle("t3", "Rock salt")
        for device in [laptop, phone, laptop] { try device.sync() }
        return (laptop, phone)
    }

    private static let columns: [(table: String, key: [String], columns: [String])] = [
        ("record", ["collection", "key"], ["line", "place", "base", "conflicts", "sum"]),
        ("head", ["writer"], ["sequence", "hash", "sum"]), ("property", ["name"], ["value", "sum"]),
    ]

    /// A value with one bit flipped.
    private func flipped(_ value: DatabaseValue, bit: Int) -> DatabaseValue {
        func flip(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            if !bytes.isEmpty { bytes[bit / 8 % bytes.count] ^= 1 << (bit % 8) }
            return bytes
        }
        switch value.storage {
        case .int64(let number): return (number ^ (1 << (bit % 63))).databaseValue
        // A bit that makes no UTF-8 would be found without a checksum.
        case .string(let text): return String(decoding: flip(Array(text.utf8)), as: UTF8.self).databaseValue
        case .blob(let data): return flip(data).databaseValue
        default: return value
        }
    }

    @Test("Each flip in a row is noticed when the row is read, and says what to do")
    func rows() throws {
        let (laptop, phone) = try pair()
        let state = laptop.store + ".foldersync"
        var count = 0
        try laptop.setTitle("t1", "Cream")
        for (table, key, columns) in Self.columns {
            let rows = try DatabaseQueue(path: state).read {
                try Row.fetchAll($0, sql: "SELECT \((key + columns).joined(separator: ", ")) FROM \(table)")
            }
            #expect(!rows.isEmpty)
            for row in rows {
                for (index, column) in columns.enumerated() {
                    let value = row[key.count + index] as DatabaseValue
                    guard !value.isNull else { continue }
                    let condition = key.map { "\($0) = ?" }.joined(separator: " AND ")
                    let keys = key.indices.map { row[$0] as DatabaseValue }
                    func set(_ value: DatabaseValue) throws {
                        let sql = "UPDATE \(table) SET \(column) = ? WHERE \(condition)"
                        try DatabaseQueue(path: state).write {
                            try $0.execute(sql: sql, arguments: StatementArguments([value] + keys))
                        }
                    }
                    for bit in [3, 101] {
                        let other = flipped(value, bit: bit)
                        guard other != value else { continue }
                        count += 1
                        try set(other)
                        defer { try? set(value) }
                        let error = #expect(throws: SyncError.self, "\(table) \(keys) \(column) \(bit)") {
                            if table != "property" { _ = try laptop.replica().verify() }
                            // Verifying does not ask for all properties, and without an edit nobody asks for the clock.
                            if table == "property" { for _ in 0..<2 { try laptop.sync() } }
                        }
                        #expect(error?.code == .state && error?.message.contains("join") == true, "\(error as Any)")
                    }
                }
            }
        }
        #expect(count > 60)
        for device in [laptop, phone] { try device.sync() }
        #expect(try laptop.replica().verify().digest == phone.replica().verify().digest)
        #expect(try phone.titles()["t1"] == "Cream")
    }

    @Test("Each flip in a block is noticed when a record of it is read")
    func blocks() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        laptop.environment.packing = PackingLimits(leastRows: 1, blockBytes: 2_000)
        for number in 1...12 { try laptop.addTask("t\(number)", "Task \(number)") }
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't2' WHERE id = 't1'")
        try laptop.makeSpace()
        for _ in 0..<2 {
            try laptop.sync()
            try laptop.setTitle("t3", "Task 33")
        }
        try laptop.sync()
        #expect(try laptop.replica().verify().faults.isEmpty)
        let state = laptop.store + ".foldersync"
        let blocks = try DatabaseQueue(path: state).read { database in
            try Row.fetchAll(database, sql: "SELECT number, lines FROM block").map { ($0[0] as Int, $0[1] as [UInt8]) }
        }
        #expect(blocks.count > 1)
        for (number, lines) in blocks {
            func set(_ lines: [UInt8]) throws {
                try DatabaseQueue(path: state).write {
                    try $0.execute(
                        sql: "UPDATE block SET lines = ? WHERE number = ?",
                        arguments: [lines, number]
                    )
                }
            }
            for bit in [3, lines.count * 4, lines.count * 8 - 1] {
                var other = lines
                other[bit / 8] ^= 1 << (bit % 8)
                try set(other)
                let error = #expect(throws: SyncError.self, "block \(number), bit \(bit)") {
                    _ = try laptop.replica().verify()
                }
                #expect(error?.code == .state && error?.message.contains("join") == true, "\(error as Any)")
            }
            try set(lines)
        }
        #expect(try laptop.replica().verify().faults.isEmpty)
        for change in [
            "UPDATE block SET is_waiting = 1 - is_waiting WHERE number = 1",
            "UPDATE block_link SET target = target + 64", "DELETE FROM block_link", "DELETE FROM block_name",
        ] {
            let copy = try sandbox.bytes("Laptop.db.foldersync")
            try DatabaseQueue(path: state).write { try $0.execute(sql: change) }
            let error = #expect(throws: SyncError.self, "\(change)") { _ = try laptop.replica().verify() }
            #expect(error?.code == .state, "\(change): \(error as Any)")
            try Data(copy).write(to: URL(fileURLWithPath: state))
        }
    }

    @Test("A state file of before is upgraded")
    func upgrade() throws {
        let (laptop, phone) = try pair()
        let whole = try laptop.replica().verify().digest
        try DatabaseQueue(path: laptop.store + ".foldersync").write { database in
            for table in ["property", "head", "record", "link"] {
                try database.execute(sql: "ALTER TABLE \(table) DROP COLUMN sum")
            }
            try database.execute(
                sql: """
                    DROP TABLE block; DROP TABLE block_link; DROP TABLE block_name; DROP INDEX record_packed;
                    ALTER TABLE record DROP COLUMN is_packed; DROP TABLE gift; DROP TABLE restored;
                    ALTER TABLE touched DROP COLUMN is_contested; ALTER TABLE touched DROP COLUMN is_alone;
                    ALTER TABLE touched DROP COLUMN vector; ALTER TABLE touched ADD COLUMN heads TEXT; DROP TABLE vector;
                    PRAGMA user_version = 4
                    """
            )
        }
        #expect(try laptop.replica().verify().digest == whole)
        try laptop.setTitle("t2", "Rye")
        for device in [laptop, phone] { try device.sync() }
        #expect(try phone.titles()["t2"] == "Rye")
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("A flip is noticed when the record is changed, nothing is changed then, and joining anew heals it")
    func healed() throws {
        let (laptop, phone) = try pair()
        let state = laptop.store + ".foldersync"
        // In the file itself, wherever the title lies.
        var bytes = try Data(contentsOf: URL(filePath: state))
        let title = Data("Bread and butter".utf8)
        var place = bytes.startIndex
        var count = 0
        while let range = bytes.range(of: title, in: place..<bytes.endIndex) {
            bytes[range.lowerBound + 3] ^= 4
            place = range.upperBound
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(filePath: state))
        #expect(throws: SyncError.self) { _ = try laptop.replica().verify() }
        try laptop.setTitle("t2", "Rye")
        let files = try FileManager.default.subpathsOfDirectory(atPath: laptop.folder).sorted()
        let error = #expect(throws: SyncError.self) { try laptop.sync() }
        #expect(error?.code == .state && error?.message.contains("move the file away") == true)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: laptop.folder).sorted() == files)
        try FileManager.default.removeItem(atPath: state)
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: state + end) }
        try laptop.join()
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.rows("tasks") == phone.rows("tasks"))
        #expect(try laptop.titles()["t1"] == "Milk" && laptop.titles().count == 3)
    }
}
