import RecordStore
import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

/// A shared directory of a test's own.
final class DirectoryFixture {
    static let space = "0123456789abcdef"
    static let device = SyncDevice(id: "d0d0d0d0d0d0d0d0", name: "Anna's laptop")

    let sandbox: Sandbox
    let directory: SyncDirectory

    /// An empty folder, or one that is a space.
    init(isEmpty: Bool = false) throws {
        sandbox = try Sandbox()
        directory = SyncDirectory(sandbox.folder.path)
        if !isEmpty { try Self.create(directory.path) }
    }

    static func create(_ path: String, space: String = space) throws {
        try SyncDirectory.create(at: path, space: space, device: device, now: "2026-01-07T21:30:00+01:00")
    }

    /// Writes a file that no writer of ours wrote.
    func put(_ path: String, _ bytes: [UInt8]) throws {
        let folder = (sandbox.path(path) as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try sandbox.write(path, bytes)
    }

    /// Publishes a segment and gives the file as it is listed.
    @discardableResult
    func publish(_ bytes: [UInt8], _ writer: String = "anna", _ sequence: Int = 1) throws -> ListedFile {
        let writer = try #require(WriterID(writer))
        let hash = try directory.publish(segment: bytes, writer: writer, sequence: sequence).hash
        return ListedFile(.segment, writer: writer, sequence: sequence, hash: hash)
    }
}

/// The error of the directory that a call throws; nil where it throws none.
func directoryError(_ body: () throws -> Void) throws -> DirectoryError? {
    do {
        try body()
        return nil
    } catch let error as DirectoryError {
        return error
    }
}

/// The error of a segment that a call throws; nil where it throws none.
func segmentError(_ body: () throws -> Void) throws -> SegmentError? {
    do {
        try body()
        return nil
    } catch let error as SegmentError {
        return error
    }
}

/// Segments for tests.
enum Sample {
    static func writer(_ name: String) throws -> WriterID { try #require(WriterID(name)) }

    /// A change of one record, or of as many as are wanted.
    static func change(_ writer: String = "anna", _ sequence: Int = 1, records: Int = 1) throws -> Change {
        let stamp = Stamp(
            Dot(try self.writer(writer), sequence),
            HybridClock(milliseconds: 1_700_000_000_000 + sequence)
        )
        var base = VersionVector()
        if sequence > 1 { base.insert(Dot(stamp.dot.writer, sequence - 1)) }
        let changed = (0..<records).map { number in
            let cell = Cell(CellPath(.member, "title"), [Write(stamp, .string("Milk \(number)"))])
            let version = RecordVersion(stamp, seen: VersionVector(), origins: [Origin(stamp.dot)], cells: [cell])
            return ChangedRecord(RecordKey("tasks", "t\(number)"), version)
        }
        return Change(stamp, base: base, records: changed)
    }

    /// A continuation of a writer, named as all name it.
    static func fork(of writer: WriterID, from sequence: Int, hash: String) throws -> ForkMark {
        let fork = try #require(WriterFork(writer, from: sequence, mark: hash))
        return ForkMark(writer: writer, sequence: sequence, hash: hash, branch: fork.branch)
    }

    static func segment(_ writer: String = "anna", _ sequence: Int = 1, records: Int = 1) throws -> Segment {
        let change = try change(writer, sequence, records: records)
        let previous = sequence > 1 ? ContentHash.of(Array("\(sequence - 1)".utf8)) : nil
        let header = SegmentHeader(
            space: DirectoryFixture.space,
            app: .slate,
            writer: change.stamp.dot.writer,
            sequence: sequence,
            previous: previous,
            heads: change.base.entries.map { WriterHead($0, hash: previous ?? "") },
            clock: change.stamp.clock,
            device: DirectoryFixture.device,
            program: "foldersync 0.1",
            schema: 2,
            records: records
        )
        return Segment(header, change)
    }
}
