import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("A shared directory")
struct SyncDirectoryTests {
    private typealias Fixture = DirectoryFixture

    @Test("A folder with other files becomes a space, and keeps them")
    func create() throws {
        let fixture = try Fixture(isEmpty: true)
        try fixture.sandbox.write("holiday.txt", "mine")
        try Fixture.create(fixture.directory.path)
        #expect(try fixture.directory.spaces().roots == [Fixture.space])
        try fixture.directory.check(Fixture.space)
        #expect(try fixture.sandbox.bytes("holiday.txt") == Array("mine".utf8))
        #expect(
            try fixture.sandbox.names()
                == ["README.txt", "ckpt", "holiday.txt", "satchel-0123456789abcdef.root", "tmp", "w"]
        )
        let marker = String(decoding: try fixture.sandbox.bytes("satchel-0123456789abcdef.root"), as: UTF8.self)
        #expect(
            marker == #"{"format":"satchel-space","version":1,"space":"0123456789abcdef","#
                + #""created":"2026-01-07T21:30:00+01:00","device":{"id":"d0d0d0d0d0d0d0d0","name":"Anna's laptop"}}"#
                + "\n"
        )
    }

    @Test("What is published is listed and can be read")
    func publish() throws {
        let fixture = try Fixture()
        let file = try fixture.publish([1, 2, 3])
        let listing = try fixture.directory.listing()
        #expect(listing.segments == [file])
        #expect(file.path == "w/anna/0000000001-\(ContentHash.of([1, 2, 3])).seg")
        #expect(try fixture.directory.read(file) == [1, 2, 3])
        #expect(try fixture.sandbox.names().filter { $0.hasPrefix("tmp/") } == [])
        #expect(listing.ignored == 1)
    }

    @Test("A folder that is missing, empty or another's is told apart, and stays as it is")
    func check() throws {
        let fixture = try Fixture(isEmpty: true)
        let missing = SyncDirectory(fixture.sandbox.path("nowhere"))
        #expect(try directoryError { try missing.check("a") }?.code == .absent)
        #expect(try directoryError { try fixture.directory.check("a") }?.code == .empty)
        try Fixture.create(fixture.directory.path, space: "b")
        let other = try directoryError { try fixture.directory.check("a") }
        #expect(other?.code == .otherSpace)
        #expect(other?.spaces == ["b"])
        let again = try directoryError { try Fixture.create(fixture.directory.path, space: "a") }
        #expect(again?.code == .exists)
        #expect(try fixture.directory.spaces().roots == ["b"])
    }

    @Test("A folder is made where only it is missing, and not where it may be that nothing is mounted")
    func makesFolder() throws {
        let fixture = try Fixture(isEmpty: true)
        try Fixture.create(fixture.sandbox.path("new/"))
        try SyncDirectory(fixture.sandbox.path("new/")).check(Fixture.space)
        try SyncDirectory(fixture.sandbox.path("new")).check(Fixture.space)
        let nowhere = fixture.sandbox.path("mnt/share")
        #expect(try directoryError { try Fixture.create(nowhere) }?.code == .absent)
        try fixture.sandbox.write("file", "mine")
        for path in ["file", "file/share"].map(fixture.sandbox.path) {
            #expect(try directoryError { try Fixture.create(path) } != nil)
            #expect(try directoryError { try SyncDirectory(path).check(Fixture.space) }?.code == .absent)
        }
        #expect(try fixture.sandbox.bytes("file") == Array("mine".utf8))
        for space in ["", "A", "a.b", "a/b", "../a"] {
            #expect(try directoryError { try Fixture.create(fixture.directory.path, space: space) }?.code == .usage)
        }
    }

    @Test("What is verified is complete, whatever its kind and size")
    func verify() throws {
        let fixture = try Fixture()
        let file = try fixture.publish([1, 2, 3])
        try fixture.directory.verify(file)
        for bytes in [[], [1, 2], [1, 2, 4]] as [[UInt8]] {
            try fixture.put(file.path, bytes)
            #expect(try directoryError { try fixture.directory.verify(file) }?.code == .incomplete)
        }
        try fixture.sandbox.remove(file.path)
        #expect(try directoryError { try fixture.directory.verify(file) }?.code == .gone)
    }
}
