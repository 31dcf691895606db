@testable import DirectorySync
#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    @testable import foldersync

    @Suite("Changes as the kernel tells them")
    struct InotifyTests {
        private let sandbox: Sandbox
        private let events: InotifyEvents

        init() throws {
            sandbox = try Sandbox()
            events = try #require(InotifyEvents(stop: StopSignal(descriptor: -1)))
            try FileManager.default.createDirectory(atPath: sandbox.path("d"), withIntermediateDirectories: true)
        }

        private var applied: Bool { events.wait(atMost: .milliseconds(50)) == .timeUp }

        @Test("A file that comes by its name, by a link or by writing")
        func arrival() throws {
            #expect(events.watch([WatchedFolder(path: sandbox.path("d"))]).isEmpty)
            #expect(applied)
            try sandbox.write("x", "1")
            try FileManager.default.moveItem(atPath: sandbox.path("x"), toPath: sandbox.path("d/a.seg"))
            #expect(events.wait(atMost: .seconds(60)) == .changed)
            try sandbox.write("y", "1")
            try FileManager.default.linkItem(atPath: sandbox.path("y"), toPath: sandbox.path("d/b.seg"))
            #expect(events.wait(atMost: .seconds(60)) == .changed)
            #expect(applied)
            let handle = try #require(FileHandle(forWritingAtPath: sandbox.path("d/b.seg")))
            try handle.write(contentsOf: Data("2".utf8))
            try handle.close()
            #expect(events.wait(atMost: .seconds(60)) == .changed)
        }

        @Test("Hidden files, and files that are read or only opened, are no change")
        func nothing() throws {
            try sandbox.write("d/store.db", "1")
            #expect(events.watch([WatchedFolder(path: sandbox.path("d"))]).isEmpty)
            try sandbox.write("d/.syncthing.a.tmp", "1")
            _ = try sandbox.bytes("d/store.db")
            #expect(applied)
            #expect(events.watch([WatchedFolder(path: sandbox.path("d"), names: ["store.db"])]).isEmpty)
            try #require(FileHandle(forUpdatingAtPath: sandbox.path("d/store.db"))).close()
            try sandbox.write("d/other.db", "1")
            #expect(applied)
            let handle = try #require(FileHandle(forWritingAtPath: sandbox.path("d/store.db")))
            try handle.write(contentsOf: Data("2".utf8))
            #expect(events.wait(atMost: .seconds(60)) == .changed)
        }

        @Test("A folder that went and came anew is watched again; one that is no folder is told")
        func again() throws {
            let folder = WatchedFolder(path: sandbox.path("d"))
            #expect(events.watch([folder]).isEmpty)
            try sandbox.remove("d")
            #expect(events.wait(atMost: .seconds(60)) == .changed)
            #expect(events.watch([folder]).isEmpty)
            try FileManager.default.createDirectory(atPath: sandbox.path("d"), withIntermediateDirectories: true)
            #expect(events.watch([folder]).isEmpty)
            _ = applied
            try sandbox.write("d/a.seg", "1")
            #expect(events.wait(atMost: .seconds(60)) == .changed)
            try sandbox.write("file", "1")
            #expect(events.watch([WatchedFolder(path: sandbox.path("file"))]).keys.sorted() == [sandbox.path("file")])
        }

        @Test("One folder for two purposes: either's names count")
        func both() throws {
            let path = sandbox.path("d")
            #expect(events.watch([WatchedFolder(path: path), WatchedFolder(path: path, names: ["s.db"])]).isEmpty)
            try sandbox.write("d/a.seg", "1")
            #expect(events.wait(atMost: .seconds(60)) == .changed)
        }

        @Test("A signal ends the waiting")
        func stop() throws {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            defer { ends.forEach { close($0) } }
            let stop = StopSignal(descriptor: ends[0])
            let events = try #require(InotifyEvents(stop: stop))
            #expect(!stop.isRaised)
            #expect(PollingEvents(stop: stop).wait(atMost: .milliseconds(20)) == .timeUp)
            var byte: UInt8 = 0
            #expect(write(ends[1], &byte, 1) == 1)
            #expect(stop.isRaised)
            #expect(events.wait(atMost: .seconds(60)) == .stopped)
            #expect(PollingEvents(stop: stop).wait(atMost: .seconds(60)) == .stopped)
        }
    }
#endif
