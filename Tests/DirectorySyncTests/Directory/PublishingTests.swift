import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Publishing")
struct PublishingTests {
    private let fixture: DirectoryFixture
    private let anna: WriterID

    init() throws {
        fixture = try DirectoryFixture()
        anna = try Sample.writer("anna")
    }

    @discardableResult
    private func publish(_ bytes: [UInt8], _ sequence: Int = 1) throws -> Int {
        try fixture.directory.publish(segment: bytes, writer: anna, sequence: sequence).written
    }

    private var unfinished: [String] {
        get throws { try fixture.sandbox.names().filter { $0.hasPrefix("tmp/") } }
    }

    @Test("What is there already is not written again")
    func twice() throws {
        #expect(try publish([1, 2, 3]) == 3)
        let before = try FileManager.default.attributesOfItem(atPath: path([1, 2, 3]))
        #expect(try publish([1, 2, 3]) == 0)
        let after = try FileManager.default.attributesOfItem(atPath: path([1, 2, 3]))
        #expect(before[.systemFileNumber] as? NSNumber == after[.systemFileNumber] as? NSNumber)
        #expect(try unfinished == [])
    }

    private func path(_ bytes: [UInt8], _ sequence: Int = 1) -> String {
        fixture.sandbox.path(
            ListedFile(.segment, writer: anna, sequence: sequence, hash: ContentHash.of(bytes)).path
        )
    }

    @Test(
        "A file that a transport cut off or damaged is replaced",
        arguments: [[], [1, 2], [1, 2, 4], [1, 2, 3, 4], [0, 0, 0]]
    )
    func damaged(_ found: [UInt8]) throws {
        try publish([1, 2, 3])
        try Data(found).write(to: URL(filePath: path([1, 2, 3])))
        #expect(try publish([1, 2, 3]) == 3)
        #expect([UInt8](try Data(contentsOf: URL(filePath: path([1, 2, 3])))) == [1, 2, 3])
        #expect(try unfinished == [])
    }

    @Test("Who may write to what is made is for the user's umask to say")
    func permissions() throws {
        let mask = umask(0)
        umask(mask)
        try publish([1])
        for (name, bits) in [("w/anna", 0o777), ("w", 0o777), ("README.txt", 0o666)] {
            let found = try FileManager.default.attributesOfItem(atPath: fixture.sandbox.path(name))[.posixPermissions]
            #expect(found as? Int == bits & ~Int(mask), "\(name)")
        }
    }

    @Test("Folders that a transport did not bring are made")
    func folders() throws {
        for folder in ["w", "tmp", "ckpt"] { try fixture.sandbox.remove(folder) }
        #expect(try publish([1]) == 1)
        #expect(try fixture.directory.listing().segments.count == 1)
    }

    @Test(
        "A read-only share takes nothing, says so, and can still be read",
        .enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)")
    )
    func readOnly() throws {
        try publish([1])
        let directory = fixture.directory
        let names = try fixture.sandbox.names()
        let anna = anna
        try OtherUser.run {
            for writer in [anna, try Sample.writer("bob")] {
                let error = try directoryError { try directory.publish(segment: [2], writer: writer, sequence: 2) }
                #expect(error?.code == .readOnly)
                #expect(error?.errno == EACCES)
            }
            #expect(
                try directoryError { try directory.publishPack([(1, ContentHash.of([1]), [1])], writer: anna) }?.code
                    == .readOnly
            )
            #expect(
                try directoryError { try directory.publishCheckpoint(writer: anna, sequence: 1) { _ in } }?.code
                    == .readOnly
            )
            // What is there already needs no writing.
            #expect(try directory.publish(segment: [1], writer: anna, sequence: 1).written == 0)
            let file = try #require(try directory.listing().segments.first)
            #expect(try directory.read(file) == [1])
            #expect(try directoryError { try directory.remove(file) }?.code == .readOnly)
        }
        #expect(try fixture.sandbox.names() == names)
    }

    @Test(
        "A full disk takes nothing, says so, and takes it once there is room",
        .enabled("this machine lacks the right to mount a small disk") { await SmallDisk.isAvailable.value }
    )
    func full() async throws {
        let sandbox = try Sandbox()
        let disk = try await SmallDisk(over: sandbox.folder.path, kilobytes: 1024)
        defer { withExtendedLifetime(disk) {} }
        try DirectoryFixture.create(sandbox.folder.path)
        let directory = SyncDirectory(sandbox.folder.path)
        var random = SeededGenerator(seed: 1)
        let large = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try directory.publish(segment: [1], writer: anna, sequence: 1)
        try disk.fill(leaving: 64 << 10)
        let names = try sandbox.names()
        let anna = anna
        let failures = [
            try directoryError { try directory.publish(segment: large, writer: anna, sequence: 2) },
            try directoryError { try directory.publishPack([(1, ContentHash.of(large), large)], writer: anna) },
            try directoryError {
                try directory.publishCheckpoint(writer: anna, sequence: 1) { sink in
                    try large.withUnsafeBytes { try sink.write($0) }
                }
            },
        ]
        for failure in failures {
            #expect(failure?.code == .noSpace)
            #expect(failure?.errno == ENOSPC)
        }
        #expect(try sandbox.names().filter { !$0.hasPrefix("w/anna") } == names.filter { !$0.hasPrefix("w/anna") })
        #expect(try directory.listing().segments.count == 1)
        try disk.empty()
        #expect(try directory.publish(segment: large, writer: anna, sequence: 2).written == large.count)
    }

    @Test("What was left unfinished is removed by the one that began it, and by nobody else")
    func leftovers() throws {
        try fixture.put("tmp/anna.1", [1])
        try fixture.put("tmp/annabel.1", [1])
        try fixture.put("tmp/marker.2", [1])
        try fixture.directory.removeUnfinished(of: anna)
        #expect(try unfinished == ["tmp/annabel.1", "tmp/marker.2"])
        try fixture.sandbox.remove("tmp")
        try fixture.directory.removeUnfinished(of: anna)
    }

    @Test("Nothing is written under a name that no listing finds")
    func names() throws {
        for writer in ["a.b", "a-b", ".", "..", "-"] {
            let writer = try Sample.writer(writer)
            #expect(
                try directoryError { try fixture.directory.publish(segment: [1], writer: writer, sequence: 1) }?.code
                    == .usage
            )
        }
        for sequence in [0, -1, 1 << 53 + 1] {
            #expect(try directoryError { _ = try publish([1], sequence) }?.code == .usage)
        }
        #expect(try fixture.directory.listing().segments == [])
    }

    @Test("A directory that went away while it was used is said to be")
    func unmounted() throws {
        try FileManager.default.removeItem(atPath: fixture.directory.path)
        #expect(try directoryError { _ = try publish([1]) }?.code == .gone)
        #expect(try directoryError { _ = try fixture.directory.listing() }?.code == .absent)
        #expect(try directoryError { try fixture.directory.check(DirectoryFixture.space) }?.code == .absent)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path))
    }

    @Test("A segment that is cut off or damaged at any byte is refused")
    func everyByte() throws {
        let bytes = try Sample.segment().encoded()
        let file = try fixture.publish(bytes)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << bit
                try fixture.put(file.path, flipped)
                #expect(try directoryError { _ = try fixture.directory.read(file) }?.code == .incomplete)
            }
            try fixture.put(file.path, Array(bytes[..<index]))
            #expect(try directoryError { _ = try fixture.directory.read(file) }?.code == .incomplete)
        }
        for other in [bytes + [0], [UInt8](repeating: 0, count: bytes.count)] {
            try fixture.put(file.path, other)
            #expect(try directoryError { _ = try fixture.directory.read(file) }?.code == .incomplete)
        }
    }

    @Test("A folder, a pipe or a link in the place of a file neither blocks nor is read")
    func strangePlaces() throws {
        let file = try fixture.publish([1])
        let path = fixture.sandbox.path(file.path)
        for make in [
            { mkfifo(path, 0o644) }, { mkdir(path, 0o755) }, { symlink("/dev/zero", path) }, { symlink(path, path) },
        ] {
            _ = Glibc.remove(path)
            #expect(make() == 0)
            #expect(try directoryError { _ = try fixture.directory.read(file) } != nil)
        }
    }
}
