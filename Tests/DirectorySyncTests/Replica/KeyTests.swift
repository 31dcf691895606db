import RecordStore
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Keys of records with any character", .timeLimit(.minutes(1)))
struct KeyTests {
    /// Keys that SQLite's texts, SQL's functions and JSON treat in their own way; an empty one is none that the app can read.
    private static let keys = [
        "b", "a", "a\u{0}", "a\u{0}b", "a\u{0}c", "\u{0}", "a b", "ä", "\u{200B}", "\u{7F}", "%_'\"",
    ]

    private func add(_ device: Device, _ key: String, _ title: String) throws {
        let hex = key.utf8.map {
            String($0, radix: 16).count == 1 ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }
        try device.sql(
            """
            INSERT OR REPLACE INTO tasks (id, title, created_at, updated_at)
            VALUES (CAST(x'\(hex.joined())' AS TEXT), '\(title)', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')
            """
        )
    }

    /// The rows of the table, with identifiers in hexadecimal.
    private func rows(_ device: Device) throws -> [String] {
        try device.column("SELECT hex(id) || ' ' || title FROM tasks ORDER BY hex(id)")
    }

    @Test("Records with U+0000 in their keys are added, changed, contested and deleted like any others")
    func edited() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for key in Self.keys { try add(laptop, key, "one") }
        for round in ["two", "three"] {
            for device in [laptop, phone, laptop] { try device.sync() }
            #expect(try rows(phone) == rows(laptop))
            #expect(try rows(phone).count == Self.keys.count + 1)
            #expect(try phone.replica().stateText() == laptop.replica().stateText())
            for (index, key) in Self.keys.enumerated() {
                if index % 2 == 0 { try add(laptop, key, round) }
                if index % 3 == 0 { try add(phone, key, "\(round) here") }
            }
        }
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(
            try laptop.replica().conflicts().map(\.name.key)
                == Self.keys.enumerated().filter { $0.offset % 6 == 0 }.map(\.element).sorted {
                    $0.utf8.lexicographicallyPrecedes($1.utf8)
                }
        )
        try phone.sql("DELETE FROM tasks WHERE id <> 't1'")
        for device in [phone, laptop] { try device.sync() }
        #expect(try rows(laptop).count == 1)
        #expect(try laptop.sync().isIdle)
    }

    @Test("Collections with U+0000 in their names, of an app of tomorrow, are kept and stop nothing")
    func unknownCollections() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let stamp = Stamp(Dot(try Sample.writer("mallory"), 1), HybridClock(milliseconds: 1_767_000_000_000))
        let records = ["odd", "odd\u{0}", "odd\u{0}a", "odd\u{0}b"].flatMap { collection in
            Self.keys.map { key in
                let cell = Cell(CellPath(.member, "title"), [Write(stamp, .string(key))])
                let version = RecordVersion(stamp, seen: VersionVector(), origins: [Origin(stamp.dot)], cells: [cell])
                return ChangedRecord(RecordKey(collection, key), version)
            }
        }
        let change = Change(stamp, base: VersionVector(), records: records)
        let header = SegmentHeader(
            space: try Replica.space(of: laptop.folder),
            app: .slate,
            writer: stamp.dot.writer,
            sequence: 1,
            previous: nil,
            heads: [],
            clock: stamp.clock,
            device: DirectoryFixture.device,
            program: "foldersync 0.1",
            schema: 2,
            records: records.count
        )
        let bytes = try Segment(header, change).encoded()
        try SyncDirectory(laptop.folder).publish(segment: bytes, writer: stamp.dot.writer, sequence: 1)
        for device in [laptop, phone] {
            try device.sync()
            #expect(try device.replica().stateText().contains(#""collection":"odd\u0000b""#))
        }
        try laptop.setTitle("t1", "Cream")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Cream"])
        #expect(try phone.replica().stateText() == laptop.replica().stateText())
    }
}
