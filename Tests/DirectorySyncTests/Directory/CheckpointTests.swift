import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Checkpoints")
struct CheckpointTests {
    private let fixture: DirectoryFixture
    private let anna: WriterID

    init() throws {
        fixture = try DirectoryFixture()
        anna = try Sample.writer("anna")
    }

    private func header(records: Int) throws -> CheckpointHeader {
        var segment = try Sample.segment("anna", 3).header
        segment.records = records
        let fork = try Sample.fork(of: anna, from: 2, hash: ContentHash.of([2]))
        return CheckpointHeader(segment, forks: [fork])
    }

    private func publish(_ lines: [String], header: CheckpointHeader) throws -> ListedFile {
        let published = try fixture.directory.publishCheckpoint(writer: anna, sequence: 3) { sink in
            try sink.write(header)
            for line in lines { try sink.writeLine(Array(line.utf8)) }
        }
        let listed = try #require(try fixture.directory.listing(sizes: true).checkpoints.last)
        #expect(listed.hash == published.hash)
        #expect(listed.size == published.bytes)
        return listed
    }

    private func read(_ file: ListedFile) throws -> (CheckpointHeader?, [String]) {
        var found: CheckpointHeader?
        var lines: [String] = []
        try fixture.directory.readCheckpoint(file) {
            found = $0
        } line: {
            lines.append(String(decoding: $0, as: UTF8.self))
        }
        return (found, lines)
    }

    @Test("A checkpoint comes back as it was, whatever the length of its lines")
    func roundTrip() throws {
        let lengths = [0, 1, 100, 1 << 18, (1 << 18) + 1, 3_000_000, 5, (1 << 17) - 1]
        let lines = lengths.enumerated().map { String(repeating: "\($0 % 10)", count: $1) }
        let header = try header(records: lines.count - 1)
        let file = try publish(lines, header: header)
        let (found, read) = try read(file)
        #expect(found == header)
        #expect(read.map(\.utf8.count) == lengths)
        #expect(read == lines)
        #expect(try fixture.directory.checkpointHeader(of: file) == header)
    }

    @Test("A state's bytes are taken as they are")
    func state() throws {
        var state = MergeState()
        for number in 1...3 {
            let change = try Sample.change("anna", number, records: 40)
            _ = try state.apply(change)
        }
        let header = try header(records: state.records.count)
        try fixture.directory.publishCheckpoint(writer: anna, sequence: 3) { sink in
            try sink.write(header)
            try state.write { try sink.write($0) }
        }
        let file = try #require(try fixture.directory.listing().checkpoints.first)
        let text = try read(file).1.map { $0 + "\n" }.joined()
        #expect(Array(text.utf8) == state.encoded())
        #expect(try MergeState(decoding: Array(text.utf8)) == state)
    }

    @Test("A checkpoint of two hundred megabytes is written and read in flat memory")
    func large() throws {
        let count = 200_000
        var random = SeededGenerator(seed: 1)
        let text = (0..<500_000).map { _ in UInt8.random(in: 97...122, using: &random) }
        let header = try header(records: count - 1)
        let before = peakMemory()
        try fixture.directory.publishCheckpoint(writer: anna, sequence: 3) { sink in
            try sink.write(header)
            for number in 0..<count { try sink.writeLine(Array(text[(number * 7919 % 499_000)...].prefix(1000))) }
        }
        let file = try #require(try fixture.directory.listing().checkpoints.first)
        var bytes = 0
        try fixture.directory.readCheckpoint(file) { _ in
        } line: {
            bytes += $0.count
        }
        #expect(bytes == count * 1000)
        #expect(peakMemory() - before < 64 << 20)
    }

    /// The most memory that the process had at a time, in bytes.
    private func peakMemory() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    @Test("A header that counts other records than there are is refused", arguments: [0, 2, 40])
    func counts(_ records: Int) throws {
        let file = try publish(["state", "one"], header: try header(records: records))
        #expect(try directoryError { _ = try read(file) }?.code == .corrupt)
    }

    @Test("A state whose last line has no end is refused")
    func noEnd() throws {
        let header = try header(records: 0)
        for text in ["state\none", "state"] {
            let hash = try fixture.directory.publishCheckpoint(writer: anna, sequence: 3) { sink in
                try sink.write(header)
                try Array(text.utf8).withUnsafeBytes { try sink.write($0) }
            }.hash
            let file = ListedFile(.checkpoint, writer: anna, sequence: 3, hash: hash)
            let error = try segmentError { _ = try read(file) }
            #expect(error?.code == .corrupt)
            #expect(error?.message == "found no end of the line")
        }
    }

    @Test("What fails while it is written leaves nothing behind")
    func interrupted() throws {
        struct Stop: Error {}
        let header = try header(records: 1)
        #expect(throws: Stop.self) {
            try fixture.directory.publishCheckpoint(writer: anna, sequence: 3) { sink in
                try sink.write(header)
                throw Stop()
            }
        }
        #expect(try fixture.sandbox.names().filter { $0.hasPrefix("tmp/") || $0.hasPrefix("ckpt/") } == [])
    }

    @Test("A checkpoint that is cut off or damaged is not complete, and hands nothing on")
    func damaged() throws {
        let header = try header(records: 1)
        let file = try publish(["state", "one"], header: header)
        let bytes = try fixture.sandbox.bytes(file.path)
        for count in 0..<bytes.count {
            try fixture.put(file.path, Array(bytes[..<count]))
            var handed = 0
            let error = try directoryError {
                try fixture.directory.readCheckpoint(file, header: { _ in handed += 1 }, line: { _ in handed += 1 })
            }
            #expect(error?.code == .incomplete, "cut to \(count)")
            #expect(handed == 0)
            if let code = try directoryError({ _ = try fixture.directory.checkpointHeader(of: file) })?.code {
                #expect(code == .incomplete, "cut to \(count)")
            }
        }
        // What was damaged is replaced by whoever wrote it.
        #expect(try publish(["state", "one"], header: header) == file.withSize(bytes.count))
        #expect(try read(file).1 == ["state", "one"])
    }

    @Test("The header of another checkpoint, or of a newer version, is refused")
    func headers() throws {
        var other = try header(records: 0)
        other.segment.sequence = 4
        let file = try publish(["state"], header: other)
        #expect(try segmentError { _ = try read(file) }?.code == .corrupt)
        let none = ListedFile(.checkpoint, writer: anna, sequence: 9, hash: ContentHash.of([1, 2, 3]))
        try fixture.put(none.path, [1, 2, 3])
        #expect(try directoryError { _ = try read(none) }?.code == .corrupt)
        #expect(try directoryError { _ = try fixture.directory.checkpointHeader(of: none) }?.code == .corrupt)
        try fixture.directory.remove(none)
        var newer = try header(records: 0)
        newer.segment.minimumReader = 2
        try fixture.directory.remove(file)
        let held = try publish(["state"], header: newer)
        #expect(
            try segmentError { _ = try read(held) }?.code == .tooNew(minimumReader: 2, header: newer.segment)
        )
    }
}

extension ListedFile {
    fileprivate func withSize(_ size: Int) -> ListedFile {
        var file = self
        file.size = size
        return file
    }
}
