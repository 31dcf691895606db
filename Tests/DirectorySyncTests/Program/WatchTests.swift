@testable import DirectorySync
import Foundation
import RecordStore
import Testing
import TestSupport

@testable import foldersync

@Suite("Watching")
struct WatchTests {
    typealias Instant = ContinuousClock.Instant
    private let start = ContinuousClock.now

    private func after(_ seconds: Double) -> Instant { start + .milliseconds(Int(seconds * 1_000)) }

    @Test("It looks a second after the last change, ten after the first at the latest, else after the interval")
    func pace() {
        var pace = Pace(interval: .seconds(60), now: start)
        #expect(pace.due == after(60))
        pace.change(at: after(5))
        #expect(pace.due == after(6))
        pace.change(at: after(5.5))
        #expect(pace.due == after(6.5))
        for tenth in 60..<200 { pace.change(at: after(Double(tenth) / 10)) }
        #expect(pace.due == after(15))
        pace.look(at: after(15), didSomething: true, failed: false)
        #expect(pace.due == after(75))
        pace.change(at: after(74.9))
        #expect(pace.due == after(75))
    }

    @Test("Failures are tried again more and more seldom, and never later than the interval")
    func failures() {
        var pace = Pace(interval: .seconds(60), now: start)
        var waits: [Duration] = []
        for _ in 0..<8 {
            pace.look(at: start, didSomething: false, failed: true)
            waits.append(pace.due - start)
        }
        #expect(waits == [2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        pace.look(at: start, didSomething: false, failed: false)
        #expect(pace.due == after(60))
    }

    @Test("Changes that come to nothing are waited for longer, until one comes to something")
    func ownChanges() {
        var pace = Pace(interval: .seconds(60), now: start)
        var waits: [Duration] = []
        for _ in 0..<6 {
            pace.change(at: start)
            waits.append(pace.due - start)
            pace.look(at: start, didSomething: false, failed: false)
        }
        #expect(waits == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        pace.change(at: start)
        pace.look(at: start, didSomething: true, failed: false)
        pace.change(at: start)
        #expect(pace.due == after(1))
    }

    @Test("A fault is told once, and its end")
    func once() {
        var told = OnceTold()
        #expect(told.news("/a", nil) == nil)
        #expect(told.news("/a", "gone") == "gone")
        #expect(told.news("/a", "gone") == nil)
        #expect(told.news("/b", "gone") == "gone")
        #expect(told.news("/a", "full") == "full")
        #expect(told.news("/a", nil) == "/a: works again")
        #expect(told.news("/a", nil) == nil)
        #expect(told.news("/a", "gone") == "gone")
        // The end names what the fault was about.
        #expect(told.news("/a", "full", naming: "/share") == "full")
        #expect(told.news("/a", nil) == "/share: works again")
    }

    @Test("Of a folder all names count that transports do not hide, of a store's folder those of the store")
    func concern() {
        let whole = WatchedFolder(path: "/d")
        #expect(whole.concerns("0000000001-ab.seg"))
        for name in [".syncthing.x.tmp", "~syncthing~x", "tmp", ".nfs0001", "slate.db.foldersync-wal"] {
            #expect(!whole.concerns(name))
        }
        let store = WatchedFolder(path: "/s", names: ["slate.db", "slate.db-wal"])
        #expect(store.concerns("slate.db") && store.concerns("slate.db-wal"))
        #expect(!store.concerns("slate.db.foldersync") && !store.concerns("slate.db-journal"))
    }

    @Test("What is watched: the shared folder with each writer's, the stores, the inboxes, the registry")
    func folders() throws {
        let sandbox = try Sandbox()
        for name in ["d/w/aaaaaaaaaaaa", "d/w/bbbbbbbbbbbb"] {
            try FileManager.default.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: true)
        }
        let directory = sandbox.path("d")
        let folder = JoinedFolder(
            path: directory,
            space: "fedcba9876543210",
            stores: [JoinedStore(app: .slate, path: "/s/slate.db"), JoinedStore(app: .tracker, path: "/s/tracker.db")],
            inboxes: [Inbox(path: "/phone", device: .init(id: "aaaaaaaaaaaaaaaa", name: "Phone"))]
        )
        let watched = WatchedFolder.all(of: [folder], registry: "/r/foldersync.json")
        let whole = watched.filter { $0.names == nil }.map(\.path)
        #expect(
            Set(whole)
                == Set(["", "/w", "/ckpt", "/w/aaaaaaaaaaaa", "/w/bbbbbbbbbbbb"].map { directory + $0 } + ["/phone"])
        )
        #expect(
            watched.first { $0.path == "/s" }?.names
                == ["slate.db", "slate.db-wal", "tracker.db", "tracker.db-wal"]
        )
        #expect(watched.first { $0.path == "/r" }?.names == ["foldersync.json"])
    }

    @Test("File systems of a network are known by the table of mounts")
    func mounts() {
        let table = MountTable(
            """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 22 0:40 / /mnt/my\\040share rw - nfs4 host:/export rw,vers=4.2
            31 22 0:41 / /home/ada/Cloud rw shared:2 master:3 - fuse.rclone remote: rw
            32 22 0:42 / /home/ada/Cloud/local rw - tmpfs tmpfs rw
            33 22 0:43 / /over rw - nfs host:/a rw
            34 22 8:2 / /over rw - xfs /dev/sdb rw
            broken line
            """
        )
        #expect(table.networkType(of: "/home/ada/Sync") == nil)
        #expect(table.networkType(of: "/mnt/my share/Sync") == "nfs4")
        #expect(table.networkType(of: "/mnt/my shares") == nil)
        #expect(table.networkType(of: "/home/ada/Cloud") == "fuse.rclone")
        #expect(table.networkType(of: "/home/ada/Cloud/local/x") == nil)
        #expect(table.networkType(of: "/over/x") == nil)
    }

    /// Events by a script, on a clock of its own.
    private final class Script: FileEvents {
        var steps: [(seconds: Double, wakeup: Wakeup)]
        var time = ContinuousClock.now
        var watched: [[WatchedFolder]] = []

        init(_ steps: [(Double, Wakeup)]) { self.steps = steps }

        func watch(_ folders: [WatchedFolder]) -> [String: String] {
            watched.append(folders)
            return ["/nowhere": "no inotify"]
        }

        func wait(atMost duration: Duration) -> Wakeup {
            guard let step = steps.first else { return .stopped }
            let length = Duration.milliseconds(Int(step.seconds * 1_000))
            guard length <= duration else {
                time += duration
                steps[0].seconds -= Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
                return .timeUp
            }
            time += length
            steps.removeFirst()
            return step.wakeup
        }
    }

    @Test("It looks at once, after changes and after the interval, and ends between two looks")
    func loop() throws {
        let script = Script([(5, .changed), (0.2, .changed), (100, .stopped)])
        let start = script.time
        var looks: [Duration] = []
        var reported = 0
        let loop = WatchLoop(
            interval: .seconds(60),
            events: script,
            folders: { [WatchedFolder(path: "/d")] },
            look: {
                looks.append(script.time - start)
                return WatchLoop.Round(didSomething: false, failed: false)
            },
            unwatched: { _ in reported += 1 },
            now: { script.time }
        )
        try loop.run()
        #expect(looks == [.zero, .milliseconds(6_200), .milliseconds(66_200)])
        #expect(reported == 1)
        #expect(script.watched.count == 3)
    }

    @Test("Until all is settled it goes on while there is something to do")
    func applied() throws {
        let script = Script([(100, .changed)])
        var looks = 0
        let loop = WatchLoop(
            interval: .seconds(2),
            untilSettled: true,
            events: script,
            folders: { [] },
            look: {
                looks += 1
                return WatchLoop.Round(didSomething: looks < 3, failed: false)
            },
            now: { script.time }
        )
        try loop.run()
        #expect(looks == 3)
    }
}
