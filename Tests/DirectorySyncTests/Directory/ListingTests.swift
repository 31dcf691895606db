import Foundation
import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Listings")
struct ListingTests {
    private let fixture: DirectoryFixture

    init() throws { fixture = try DirectoryFixture() }

    @Test("Strange files are passed over, and nothing of the layout is")
    func strays() throws {
        let files = try (1...3).map { try fixture.publish([UInt8($0)], "anna", $0) }
        for path in [
            ".git/HEAD", ".stversions/w/anna/x.seg", ".stfolder/x", ".stignore", "desktop.ini", ".DS_Store",
            "notes.txt",
            "w/.DS_Store", "w/Thumbs.db", "w/anna/.nfs0000000000000001",
            "w/anna/~syncthing~\(files[0].path.dropFirst(7)).tmp",
            "w/anna/.syncthing.\(files[0].path.dropFirst(7)).tmp", "w/anna/old/x", "ckpt/x", "W2/x", "lost+found/x",
        ] {
            try fixture.put(path, Array("x".utf8))
        }
        let listing = try fixture.directory.listing()
        #expect(listing.segments == files)
        #expect(listing.packs + listing.checkpoints + listing.doubtful == [])
        #expect(listing.placeholders == [])
        #expect(listing.problems == [])
        // All that is named above, .stversions and W2 and so on once each, and tmp.
        #expect(listing.ignored == 17)
        #expect(listing.spaces.roots == [DirectoryFixture.space])
    }

    @Test("Files are ordered by writer, number and hash, and forks stand side by side")
    func order() throws {
        let expected = try [("anna", 1), ("anna", 2), ("anna", 2), ("anna", 10), ("bob", 1)].enumerated().map {
            try fixture.publish([UInt8($0)], $1.0, $1.1)
        }
        let sorted = expected.sorted {
            ($0.writer.description, $0.sequence, $0.hash) < ($1.writer.description, $1.sequence, $1.hash)
        }
        #expect(try fixture.directory.listing().segments == sorted)
        #expect(Set(sorted).count == 5)
    }

    @Test("A conflict copy is doubtful, and its content tells what it is")
    func conflictCopies() throws {
        let file = try fixture.publish([1, 2, 3])
        let stem = file.path.dropLast(4)
        try fixture.put("\(stem) (Zoë's conflicted copy 2026-01-01).seg", [1, 2, 3])
        try fixture.put("\(stem).sync-conflict-20260101-120000-ABCDEFG.seg", [4])
        let listing = try fixture.directory.listing()
        #expect(listing.segments == [file])
        #expect(listing.doubtful.count == 2)
        let contents = try listing.doubtful.map { try fixture.directory.contents(of: $0) }
        #expect(contents.map(\.bytes) == [[1, 2, 3], [4]])
        #expect(contents.map(\.hash) == [file.hash, ContentHash.of([4])])
        // Only the one that holds what its name says can be read under that name.
        #expect(try fixture.directory.read(listing.doubtful[0]) == [1, 2, 3])
        #expect(try directoryError { _ = try fixture.directory.read(listing.doubtful[1]) }?.code == .incomplete)
    }

    @Test("A folder that a transport doubled or renamed is read as well")
    func doubledFolders() throws {
        let first = try fixture.publish([1])
        try fixture.put("w/anna (1)/\(first.path.dropFirst(7))", [1])
        let second = ContentHash.of([2])
        try fixture.put("w (conflicted copy 2026-01-01)/anna/0000000002-\(second).seg", [2])
        let listing = try fixture.directory.listing()
        #expect(listing.segments.map(\.sequence) == [1, 2])
        #expect(listing.segments[0] == first)
        #expect(listing.segments[1].path.hasPrefix("w (conflicted copy 2026-01-01)/"))
        #expect(try fixture.directory.read(listing.segments[1]) == [2])
        #expect(listing.doubtful.map(\.path) == ["w/anna (1)/\(first.path.dropFirst(7))"])
    }

    @Test("A placeholder is told from a file, by its name or because nothing is on the disk")
    func placeholders() throws {
        let file = try fixture.publish([1, 2, 3])
        try fixture.sandbox.remove(file.path)
        let name = file.path.dropFirst(7)
        try fixture.put("w/anna/.\(name).icloud", [])
        var listing = try fixture.directory.listing()
        #expect(listing.placeholders == ["w/anna/.\(name).icloud"])
        #expect(listing.segments == [])
        try fixture.sandbox.remove("w/anna/.\(name).icloud")
        #expect(truncate(fixture.sandbox.path(file.path), 3) != 0)
        try fixture.put(file.path, [])
        #expect(truncate(fixture.sandbox.path(file.path), 1 << 16) == 0)
        listing = try fixture.directory.listing()
        let error = try directoryError { _ = try fixture.directory.read(try #require(listing.segments.first)) }
        #expect(error?.code == .notDownloaded)
    }

    @Test("What went away between listing and reading is gone, and no more than that")
    func gone() throws {
        let file = try fixture.publish([1])
        try fixture.sandbox.remove(file.path)
        #expect(try directoryError { _ = try fixture.directory.read(file) }?.code == .gone)
        try fixture.directory.remove(file)
        try fixture.sandbox.remove("w")
        #expect(try fixture.directory.listing().segments == [])
        #expect(try directoryError { _ = try fixture.directory.read(file) }?.code == .gone)
    }

    @Test(
        "A folder that may not be read is said, and the others are read",
        .enabled(if: OtherUser.isAvailable, "\(OtherUser.missing)")
    )
    func unreadableFolder() throws {
        let file = try fixture.publish([1], "bob")
        try fixture.publish([1], "anna")
        #expect(chmod(fixture.sandbox.path("w/anna"), 0) == 0)
        defer { chmod(fixture.sandbox.path("w/anna"), 0o755) }
        let directory = fixture.directory
        let listing = try OtherUser.run { try directory.listing() }
        #expect(listing.segments == [file])
        #expect(listing.problems.map(\.path) == [fixture.sandbox.path("w/anna")])
        #expect(listing.problems.map(\.code) == [.inputOutput])
    }

    @Test("Sizes are there where they are asked for")
    func sizes() throws {
        try fixture.publish([1, 2, 3])
        #expect(try fixture.directory.listing().segments.map(\.size) == [nil])
        #expect(try fixture.directory.listing(sizes: true).segments.map(\.size) == [3])
    }

    @Test("Only files of the layout are removed")
    func remove() throws {
        let file = try fixture.publish([1])
        try fixture.directory.remove(file)
        #expect(!fixture.sandbox.has(file.path))
        try fixture.sandbox.write("mine.txt", "mine")
        for path in [
            "mine.txt", "../mine.txt", "w/../mine.txt", "README.txt", "w/anna/../../mine.txt", "", "/etc/passwd",
        ] {
            let forged = ListedFile(.segment, path: path, writer: file.writer, sequence: 1, hash: file.hash)
            #expect(try directoryError { try fixture.directory.remove(forged) }?.code == .usage, "\(path)")
        }
        #expect(fixture.sandbox.has("mine.txt"))
    }

    @Test("A thousand files are listed in milliseconds")
    func speed() throws {
        for writer in ["anna", "bob", "carla", "dora"] {
            for number in 1...250 {
                let hash = ContentHash.of([UInt8(number & 255), 7])
                try fixture.put(
                    ListedFile(.segment, writer: try Sample.writer(writer), sequence: number, hash: hash).path,
                    []
                )
            }
        }
        let times = try (0..<5).map { _ in
            var count = 0
            let time = try ContinuousClock().measure { count = try fixture.directory.listing().segments.count }
            #expect(count == 1000)
            return time
        }
        // Generous: an unoptimised build beside other tests.
        #expect(times.min() ?? .zero < .milliseconds(250))
    }
}
