import RecordStore
import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("What a file says of other writers")
struct ClaimTests {
    private func writer(_ device: Device) throws -> String {
        try device.replica().withState { try $0.required(.writer) }
    }

    /// Writes a checkpoint without records, which says that it has seen so many changes of each writer.
    private func forge(_ device: Device, by name: String = "evil", _ heads: [(writer: String, sequence: Int)]) throws
        -> String
    {
        let writer = try #require(WriterID(name))
        let heads = try heads.map { head in
            let name = try #require(WriterID(head.writer))
            return WriterHead(Dot(name, head.sequence), hash: String(repeating: "d", count: 32))
        }
        let header = CheckpointHeader(
            SegmentHeader(
                space: try device.replica().space,
                app: .slate,
                writer: writer,
                sequence: 1,
                previous: nil,
                heads: heads,
                clock: HybridClock(milliseconds: device.time.now + 1),
                device: SyncDevice(id: "6666666666666666", name: "Evil"),
                program: "foldersync test",
                schema: 2,
                records: 0
            ),
            forks: []
        )
        let directory = SyncDirectory(device.folder)
        let (hash, _) = try directory.publishCheckpoint(writer: writer, sequence: 1) { sink in
            try sink.write(header)
            let seen = VersionVector(heads.map(\.dot))
            try sink.writeLine(StateHeader(seen: seen, recordCount: 0).encodedLine())
        }
        return directory.absolute(ListedFile(.checkpoint, writer: writer, sequence: 1, hash: hash).path)
    }

    @Test("A checkpoint that claims another device's future changes keeps no edit away, and repair deletes none")
    func future() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try phone.addTask("p", "Plums")
        try phone.sync()
        try laptop.sync()
        let file = try forge(laptop, [("evil", 1), (try writer(phone), 1000)])
        let status = try laptop.replica().status().issues
        let told = try laptop.sync()
        #expect(status == told.issues)
        #expect(try laptop.replica().status().issues == told.issues)
        #expect(told.issues.map(\.kind) == [.unshown] && told.issues.first?.path.contains("evil") == true)
        try phone.addTask("late", "Later")
        try phone.setTitle("p", "Pears")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread", "p": "Pears", "late": "Later"])
        _ = try laptop.replica().repair()
        try phone.sync()
        #expect(try phone.titles() == laptop.titles())
        try FileManager.default.removeItem(atPath: file)
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("A checkpoint that claims the next change of a device is not believed when that change comes and is another")
    func next() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.addTask("p", "Plums")
        try phone.sync()
        try laptop.sync()
        _ = try forge(laptop, [("evil", 1), (try writer(phone), 2)])
        try laptop.sync()
        try phone.addTask("late", "Later")
        try phone.sync()
        // The status says nothing of a writer whose files the next synchronisation reads first.
        #expect(try laptop.replica().status().issues.isEmpty)
        for _ in 0..<2 { #expect(try laptop.sync().issues.count == 1) }
        #expect(try laptop.replica().status().issues == laptop.sync().issues)
        #expect(try laptop.titles() == ["t1": "Milk", "p": "Plums", "late": "Later"])
    }

    @Test("An honest checkpoint that comes before what it tells of waits, and is taken in once that is shown")
    func early() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let tablet = try Device("Tablet", in: laptop.sandbox, folder: laptop.sandbox.path("apart"))
        try phone.addTask("p", "Plums")
        try phone.sync()
        let writer = try writer(phone)
        try Transport.bring(from: laptop.folder, to: tablet.folder) { $0.hasSuffix(".root") || $0.contains(writer) }
        try tablet.join()
        try tablet.sync()
        try phone.setTitle("p", "Pears")
        try phone.sync()
        try laptop.sync()
        _ = try laptop.replica().compact()
        try Transport.bring(from: laptop.folder, to: tablet.folder) { $0.hasPrefix("ckpt/") }
        #expect(try tablet.sync().issues.contains { $0.kind == .unshown })
        #expect(try tablet.titles().isEmpty)
        try Transport.bring(from: laptop.folder, to: tablet.folder)
        #expect(try tablet.sync().issues.isEmpty)
        #expect(try tablet.titles() == ["t1": "Milk", "p": "Pears"])
    }

    @Test("A checkpoint forged in a device's own name deletes what it leaves out, but keeps no later edit away")
    func ownName() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.addTask("p", "Plums")
        try phone.sync()
        try laptop.sync()
        let name = try writer(phone)
        let before = phone.time.now
        let file = try forge(laptop, by: name, [(name, 1000)])
        #expect(try laptop.sync().notes.contains { $0.contains("took in the checkpoint") })
        #expect(try laptop.titles() == ["t1": "Milk"])
        try phone.addTask("late", "Later")
        #expect(try phone.replica().status().massChange?.contains("copied or restored") == true)
        try phone.syncAccepting()
        #expect(try writer(phone) != name)
        try laptop.sync()
        for device in [laptop, phone] { #expect(try device.titles() == ["t1": "Milk", "late": "Later"]) }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        // What it deleted is still in the segments.
        _ = try laptop.replica().restore(at: before)
        for device in [laptop, phone] {
            try device.sync()
            #expect(try device.titles()["p"] == "Plums")
        }
        try FileManager.default.removeItem(atPath: file)
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
    }

    @Test("A change forged under a device's name is an edit, and the device's own next change is kept beside it")
    func ownSegment() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.addTask("p", "Plums")
        try phone.sync()
        try laptop.sync()
        let name = try writer(phone)
        let path = try #require(Transport.files(laptop.folder, ending: ".seg").first { $0.contains(name) })
        let hash = String(path.dropLast(".seg".count).suffix(ContentHash.length))
        _ = try TraceTests.forge(laptop, by: name, 2, heads: [(name, 1)], hash: hash)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk", "p": "Plums", name: "Forged"])
        try phone.addTask("late", "Later")
        #expect(try phone.replica().status().massChange?.contains("copied or restored") == true)
        try phone.syncAccepting()
        try laptop.sync()
        for device in [laptop, phone] {
            #expect(try device.titles() == ["t1": "Milk", "p": "Plums", name: "Forged", "late": "Later"])
        }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }
}
