import Foundation
import RecordMerge
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Files that break the rules stop nobody, and leave no trace")
struct BadFileTests {
    /// Two devices in step, and what somebody else may put into their folder.
    private struct Scene {
        let laptop: Device
        let phone: Device
        let directory: SyncDirectory
        let space: String

        init() throws {
            (laptop, phone) = try Device.pair("Milk")
            directory = SyncDirectory(laptop.folder)
            space = try Replica.space(of: laptop.folder)
        }

        func header(_ writer: String = "x", records: Int = 1, heads: [WriterHead] = []) throws -> SegmentHeader {
            SegmentHeader(
                space: space,
                app: .slate,
                writer: try Sample.writer(writer),
                sequence: 1,
                previous: nil,
                heads: heads,
                clock: HybridClock(milliseconds: 1_767_000_000_000),
                device: SyncDevice(id: "ffffffffffffffff", name: "Stranger"),
                program: "foldersync test",
                schema: 2,
                records: records
            )
        }

        /// Puts a segment of these lines behind its header; gives its path in the folder.
        @discardableResult
        func put(_ lines: [String], writer: String = "x") throws -> String {
            let text = String(decoding: try header(writer).encoded(), as: UTF8.self) + "\n"
            return try put(bytes: lines.reduce(text) { $0 + $1 + "\n" }.compressed(), writer: writer)
        }

        func put(bytes: [UInt8], writer: String = "x") throws -> String {
            let hash = try directory.publish(segment: bytes, writer: Sample.writer(writer), sequence: 1).hash
            return ListedFile(.segment, writer: try Sample.writer(writer), sequence: 1, hash: hash).path
        }

        /// Puts a checkpoint of these lines behind its header; gives its path in the folder.
        func put(checkpoint lines: [String], records: Int, forks: [ForkMark] = []) throws -> String {
            let dot = Dot(try Sample.writer("x"), 1)
            let head = try header(records: records, heads: [WriterHead(dot, hash: ContentHash.of([1]))])
            let hash = try directory.publishCheckpoint(writer: dot.writer, sequence: 1) { sink in
                try sink.write(CheckpointHeader(head, forks: forks))
                for line in lines { try sink.writeLine(Array(line.utf8)) }
            }.hash
            return ListedFile(.checkpoint, writer: dot.writer, sequence: 1, hash: hash).path
        }

        func remove(_ path: String) throws {
            try FileManager.default.removeItem(atPath: laptop.folder + "/" + path)
        }

        /// What both devices know, as a digest; nil where they differ.
        func digest() throws -> String? {
            let digests = try [laptop, phone].map { try $0.replica().verify().digest }
            return digests[0] == digests[1] ? digests[0] : nil
        }
    }

    static let change = #"{"format":"satchel-change","version":1,"by":["x",1,1767000000000],"base":{},"records":1}"#
    static let state = #"{"format":"satchel-state","version":1,"seen":{"x":1},"records":1}"#

    /// A record of a change, with that text for its title.
    static func record(_ title: String) -> String {
        #"{"collection":"tasks","key":"x","version":{"by":["x",1,1767000000000],"cells":[["title",0,\#(title)]]}}"#
    }

    static let faults: [[String]] = [
        ["garbage"],
        [change, "garbage"],
        [change, record(String(repeating: "[", count: 200) + String(repeating: "]", count: 200))],
        [change, record("1e999999999")],
        [change],
        [change, record("1"), record("1")],
        [change, record("\"" + String(repeating: "x", count: 3 << 20) + "\"")],
        [change, record("[" + String(repeating: "0,", count: 600_000) + "0]")],
    ]

    @Test("A segment that cannot be used is named by sync, status and verify, and all else goes on", arguments: faults)
    func segments(_ lines: [String]) throws {
        let scene = try Scene()
        let (laptop, phone) = (scene.laptop, scene.phone)
        let path = try scene.put(lines)
        try laptop.setTitle("t1", "Oat milk")
        for device in [laptop, phone] {
            let found = try device.sync().issues
            #expect(found.map(\.path) == [path] && found.map(\.kind) == [.damaged])
            #expect(try device.replica().status().issues.map(\.path) == [path])
            #expect(try device.replica().verify().faults.map(\.path) == [path])
        }
        #expect(try phone.titles() == ["t1": "Oat milk"])
        #expect(try laptop.replica().compact().issues.map(\.path) == [path])
        #expect(try phone.replica().repair().issues.map(\.path) == [path])
        try scene.remove(path)
        for device in [laptop, phone] {
            #expect(try device.sync().issues.isEmpty)
            #expect(try device.sync().isIdle)
        }
        #expect(try scene.digest() != nil)
    }

    @Test("A file under this device's own name that holds nothing gives it no other name")
    func ownName() throws {
        let scene = try Scene()
        let writer = try #require(try scene.directory.listing().segments.first?.writer)
        let hash = ContentHash.of([1])
        let path = ListedFile(.segment, writer: writer, sequence: 9, hash: hash).path
        try Data([1]).write(to: URL(filePath: scene.laptop.folder + "/" + path))
        try scene.laptop.setTitle("t1", "Oat milk")
        let outcome = try scene.laptop.sync()
        #expect(outcome.issues.map(\.path) == [path] && outcome.published.map(\.dot.writer) == [writer])
        try scene.remove(path)
        #expect(try scene.laptop.sync().issues.isEmpty)
    }

    @Test("A file that was set aside is not read again until it changes")
    func remembered() throws {
        let scene = try Scene()
        let path = try scene.put(["garbage"])
        #expect(try scene.phone.sync().issues.count == 1)
        // As if it had been read long after it was written.
        let file = try DatabaseQueue(path: scene.phone.store + ".foldersync")
        try file.write { try $0.execute(sql: "UPDATE set_aside SET time = time + 10000000000, message = 'as before'") }
        try file.close()
        #expect(try scene.phone.sync().issues.map(\.message) == ["as before"])
        #expect(try scene.phone.replica().status().issues.map(\.message) == ["as before"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: scene.laptop.folder + "/" + path
        )
        #expect(try scene.phone.sync().issues.first?.message.contains("line 2") == true)
    }

    @Test("Segments that an earlier version kept unread, and cannot be used, are forgotten")
    func heals() throws {
        let scene = try Scene()
        // It waits for a change that never comes.
        let missing = WriterHead(Dot(try Sample.writer("y"), 1), hash: ContentHash.of([7]))
        let base = Self.change.replacing(#""base":{}"#, with: #""base":{"y":1}"#)
        let header = try scene.header(heads: [missing])
        let text = String(decoding: header.encoded(), as: UTF8.self) + "\n\(base)\n\(Self.record("1"))\n"
        let path = try scene.put(bytes: text.compressed())
        #expect(try scene.phone.sync().issues.map(\.kind) == [.missing])
        let file = try DatabaseQueue(path: scene.phone.store + ".foldersync")
        let garbage = try "garbage".compressed()
        try file.write {
            try $0.execute(sql: "UPDATE segment SET bytes = ?, is_checked = 0 WHERE writer = 'x'", arguments: [garbage])
        }
        try file.close()
        try scene.remove(path)
        #expect(try scene.phone.sync().issues.isEmpty)
        #expect(try scene.phone.sync().isIdle)
    }

    static let row = #"{"collection":"tasks","key":"t1","versions":[{"by":["x",1,1767000000000],"cells":[]}]}"#
    static let other = row.replacing("\"t1\"", with: "\"t2\"")

    static let brokenStates: [(lines: [String], records: Int)] = [
        ([state, row, "garbage"], 2),
        ([state, row, row], 2),
        ([state, other, row], 2),
        ([state, row], 2),
        ([state, row, other], 1),
        ([state, row.replacing("[\"x\",1", with: "[\"x\",2")], 1),
        ([state.replacing("\"x\":1", with: "\"x\":2"), row], 1),
        ([state, row, String(repeating: "x", count: 9 << 20)], 2),
    ]

    @Test("A checkpoint that cannot be used is named and never half joined", arguments: 0..<brokenStates.count)
    func checkpoints(_ number: Int) throws {
        let scene = try Scene()
        let (laptop, phone) = (scene.laptop, scene.phone)
        let before = try scene.digest()
        let (lines, records) = Self.brokenStates[number]
        let path = try scene.put(checkpoint: lines, records: records)
        for device in [laptop, phone] {
            #expect(try device.sync().issues.map(\.path) == [path])
            #expect(try device.replica().status().issues.map(\.path) == [path])
        }
        #expect(try scene.digest() == before)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        // Who joins now reads the segments.
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        #expect(try tablet.sync().issues.map(\.path) == [path])
        #expect(try tablet.titles() == ["t1": "Oat milk"])
        try scene.remove(path)
        for device in [laptop, phone, tablet] { #expect(try device.sync().issues.isEmpty) }
        #expect(try scene.digest() != nil)
    }

    @Test("Forks that go in a circle end")
    func circle() throws {
        let scene = try Scene()
        let missing = WriterHead(Dot(try Sample.writer("y"), 1), hash: ContentHash.of([7]))
        let base = Self.change.replacing(#""base":{}"#, with: #""base":{"y":1}"#)
        let header = try scene.header(heads: [missing])
        let text = String(decoding: header.encoded(), as: UTF8.self) + "\n\(base)\n\(Self.record("1"))\n"
        _ = try scene.put(bytes: text.compressed())
        try scene.phone.sync()
        let file = try DatabaseQueue(path: scene.phone.store + ".foldersync")
        try file.write {
            try $0.execute(
                sql: """
                    UPDATE segment SET branch = 'a', heads = '{}' WHERE writer = 'x';
                    INSERT INTO fork VALUES ('b', 1, '1', 'a'), ('a', 1, '2', 'b')
                    """
            )
        }
        try file.close()
        _ = try scene.phone.sync()
        #expect(try scene.phone.titles()["t1"] == "Milk")
        // Nor does a checkpoint bring any whose names are not made as all make them.
        let x = try Sample.writer("x")
        let mark = ForkMark(writer: x, sequence: 1, hash: ContentHash.of([1]), branch: try Sample.writer("a"))
        let path = try scene.put(checkpoint: [Self.state, Self.row], records: 1, forks: [mark])
        #expect(try scene.laptop.sync().issues.map(\.path).contains(path))
    }

    @Test("Equal numbers with equal first digits of the hash are two continuations")
    func wholeHashes() throws {
        let x = try Sample.writer("x")
        let (one, two) = ("0123456789abcdef0123456789abcdef", "01234567ffffffffffffffffffffffff")
        let head = WriterHead(Dot(x, 1), hash: one)
        #expect(head.names(one) && !head.names(two))
        // What early versions wrote is still read.
        #expect(WriterHead(Dot(x, 1), hash: "01234567").names(two))
        let branches = [one, two].map { WriterFork(x, from: 1, mark: $0)?.branch }
        #expect(branches[0] != nil && branches[0] != branches[1])
        let scene = try Scene()
        let header = try scene.header(heads: [WriterHead(Dot(try Sample.writer("y"), 3), hash: two)])
        #expect(try HeaderReader(header.encoded()).segment() == header)
    }

    @Test("Sparse files and headers of very many writers are refused by their size")
    func bounds() throws {
        let scene = try Scene()
        let folder = scene.laptop.folder + "/w/x"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let sizes: [off_t] = [1 << 30, 1 << 41]
        for (number, size) in sizes.enumerated() {
            for path in [
                "\(folder)/000000000\(number + 1)-\(ContentHash.of([1])).seg",
                "\(folder)/000000000\(number + 1)-000000000\(number + 1)-\(ContentHash.of([1])).pack",
                scene.laptop.folder + "/ckpt/x-000000000\(number + 1)-\(ContentHash.of([1])).ck",
            ] {
                #expect(FileManager.default.createFile(atPath: path, contents: nil))
                // Not every file system has files of that size.
                _ = truncate(path, size)
            }
        }
        let heads = try (0..<3_000).map { WriterHead(Dot(try Sample.writer("w\($0)"), 1), hash: ContentHash.of([1])) }
        let vector = heads.sorted().map { "\"\($0.dot.writer)\":1" }.joined(separator: ",")
        let header = try scene.header("z", heads: heads)
        let base = Self.change.replacing(#""base":{}"#, with: "\"base\":{\(vector)}").replacing("\"x\"", with: "\"z\"")
        let text = String(decoding: header.encoded(), as: UTF8.self) + "\n\(base)\n\(Self.record("1"))\n"
        let path = try scene.put(bytes: text.compressed(), writer: "z")
        let found = try scene.phone.sync().issues
        #expect(found.count == 7 && found.contains { $0.path == path && $0.message.contains("at most 2000 writers") })
    }
}

extension String {
    /// The text in a frame of Zstandard.
    func compressed() throws -> [UInt8] {
        var bytes: [UInt8] = []
        let sandbox = try Sandbox()
        let directory = SyncDirectory(sandbox.folder.path)
        let writer = try Sample.writer("any")
        let hash = try directory.publishCheckpoint(writer: writer, sequence: 1) { sink in
            try Array(utf8).withUnsafeBytes { try sink.write($0) }
        }.hash
        let file = ListedFile(.checkpoint, writer: writer, sequence: 1, hash: hash)
        bytes = try Array(Data(contentsOf: URL(filePath: sandbox.path(file.path))))
        return bytes
    }
}
