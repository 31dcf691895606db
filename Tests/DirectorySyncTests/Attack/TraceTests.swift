import RecordStore
import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Files that must leave no trace")
struct TraceTests {
    /// Writes a segment of a task under a writer's name.
    static func forge(
        _ device: Device,
        by name: String = "evil",
        _ sequence: Int = 1,
        heads: [(writer: String, sequence: Int)] = [],
        clock: Int? = nil,
        minimumReader: Int = 1,
        hash: String? = nil,
        key: String? = nil,
        title: String = "Forged",
        notesBytes: Int = 0
    ) throws -> String {
        let writer = try #require(WriterID(name))
        let clock = HybridClock(milliseconds: clock ?? device.time.now)
        let stamp = Stamp(Dot(writer, sequence), clock)
        let hash = hash ?? String(repeating: "d", count: 32)
        let heads = try heads.map { head in
            WriterHead(Dot(try #require(WriterID(head.writer)), head.sequence), hash: hash)
        }
        let key = key ?? name
        let notes = name + String(repeating: "x", count: max(0, notesBytes - name.utf8.count))
        let members: [(String, JSONValue)] = [
            ("created_at", "2026-01-01T00:00:00Z"), ("id", .string(key)),
            ("notes", notesBytes > 0 ? .string(notes) : .null), ("title", .string(title)),
            ("updated_at", "2026-01-01T00:00:00Z"),
        ].filter { $0.0 != "notes" || notesBytes > 0 }
        let cells = members.map { Cell(CellPath(.member, $0.0), [Write(stamp, $0.1)]) }
        let version = RecordVersion(stamp, seen: VersionVector(), origins: [Origin(stamp.dot)], cells: cells)
        let header = SegmentHeader(
            space: try device.replica().space,
            app: .slate,
            writer: writer,
            sequence: sequence,
            previous: heads.first { $0.dot.writer == writer }.map { _ in hash },
            heads: heads,
            clock: clock,
            device: SyncDevice(id: "6666666666666666", name: "Evil"),
            program: "foldersync test",
            schema: 2,
            minimumReader: minimumReader,
            records: 1
        )
        let change = Change(
            stamp,
            base: VersionVector(heads.map(\.dot)),
            records: [ChangedRecord(RecordKey("tasks", key), version)]
        )
        let bytes = try Segment(header, change).encoded()
        let directory = SyncDirectory(device.folder)
        let (name, _) = try directory.publish(segment: bytes, writer: writer, sequence: sequence)
        return directory.absolute(ListedFile(.segment, writer: writer, sequence: sequence, hash: name).path)
    }

    @Test("A change that waits for ever, or is too new, is forgotten when its file is gone", arguments: [false, true])
    func forgotten(_ isTooNew: Bool) throws {
        let (laptop, phone) = try Device.pair("Milk")
        let devices = try laptop.replica().devices().count
        let file =
            isTooNew
            ? try Self.forge(laptop, minimumReader: 9)
            : try Self.forge(laptop, 7, heads: [("evil", 6)], clock: 253_402_300_000_000)
        for _ in 0..<2 { #expect(try laptop.sync().issues.map(\.kind) == [isTooNew ? .tooNew : .missing]) }
        try FileManager.default.removeItem(atPath: file)
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
        #expect(try laptop.replica().status().issues.isEmpty)
        #expect(try laptop.replica().devices().count == devices)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        #expect(try laptop.replica().log(limit: 1).first.map { $0.milliseconds < laptop.time.now + 1 } == true)
        try phone.sync()
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("A change that waits is kept while its file is there, and taken in when what it builds on comes")
    func kept() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for title in ["Oat milk", "Soy milk"] {
            try laptop.setTitle("t1", title)
            try laptop.sync()
        }
        let files = try Transport.files(laptop.folder, ending: ".seg").sorted()
        let middle = laptop.folder + "/" + files[1]
        try FileManager.default.moveItem(atPath: middle, toPath: laptop.sandbox.path("aside"))
        for _ in 0..<2 { #expect(try phone.sync().issues.map(\.kind) == [.missing]) }
        try FileManager.default.moveItem(atPath: laptop.sandbox.path("aside"), toPath: middle)
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.titles() == ["t1": "Soy milk"])
    }

    @Test("The largest clock of another device moves the next edit's by a day at most")
    func clock() throws {
        let (laptop, phone) = try Device.pair("Milk")
        _ = try Self.forge(phone, clock: (1 << 48) - 1)
        try laptop.sync()
        #expect(try laptop.titles()["evil"] == "Forged")
        try laptop.setTitle("evil", "Mended")
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        let changes = try laptop.replica().log(limit: 5).filter { $0.device.name == "Laptop" }
        #expect(changes.count == 2 && changes.allSatisfy { $0.milliseconds <= laptop.time.now + 86_400_001 })
        try phone.sync()
        // Who has seen a value replaces it, whatever its clock.
        for device in [laptop, phone] { #expect(try device.titles() == ["t1": "Oat milk", "evil": "Mended"]) }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test(
        "A marker that names a space which is not here changes nothing, and adopt goes nowhere",
        arguments: ["satchel-SPACE.into-abc", "satchel-abc.into-SPACE", "satchel-SPACE.into-SPACE"]
    )
    func adoption(_ name: String) throws {
        let (laptop, phone) = try Device.pair("Milk")
        let space = try laptop.replica().space
        try Data().write(to: URL(filePath: laptop.folder + "/" + name.replacing("SPACE", with: space)))
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        #expect(try Replica.mergeSpaces(folder: laptop.folder, store: laptop.store, laptop.environment) == space)
        #expect(try laptop.sync().isIdle)
    }

    @Test("A folder that somebody replaced by a link is never followed", arguments: ["tmp", "ckpt"])
    func link(_ name: String) throws {
        let (laptop, phone) = try Device.pair("Milk")
        let (target, place) = (laptop.sandbox.path("elsewhere"), laptop.folder + "/" + name)
        let writer = try laptop.replica().withState { try $0.required(.writer) }
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(filePath: target + "/\(writer).mine"))
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
        try laptop.setTitle("t1", "Oat milk")
        #expect(try laptop.sync().outbox?.count == (name == "tmp" ? 1 : nil))
        _ = try? laptop.replica().compact()
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["\(writer).mine"])
        try FileManager.default.removeItem(atPath: place)
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
    }

    @Test("A writer's folder that somebody replaced by a link takes nothing, and what was to be published is kept")
    func writersLink() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let writer = try laptop.replica().withState { try $0.required(.writer) }
        let place = laptop.folder + "/w/" + writer
        let target = laptop.sandbox.path("elsewhere")
        try FileManager.default.moveItem(atPath: place, toPath: target)
        let before = try FileManager.default.contentsOfDirectory(atPath: target)
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: target)
        try laptop.setTitle("t1", "Oat milk")
        #expect(try laptop.sync().outbox?.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == before)
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.moveItem(atPath: target, toPath: place)
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
    }
}
