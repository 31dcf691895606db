import Foundation
import Testing
import TestSupport

/// Real programs and file systems that carry or hold a shared directory; those that are not there are skipped.
@Suite("Transports", .serialized)
struct TransportTests {
    @Test(
        "rsync in random order, with whatever options people use",
        .needs("rsync")
    )
    func rsync() async throws {
        let program = try #require(Background.find("rsync"))
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        print("rsync, seed \(seed)")
        let peers = try ["Laptop", "Phone", "Tablet"].map { try Peer($0) }
        try await peers[0].initialise()
        for peer in peers.dropFirst() {
            try Transport.introduce(peer, to: peers[0].folder)
            try await peer.join()
        }
        func carry(_ from: Peer, _ to: Peer) async throws {
            let options = [
                ["-a"], ["-rt", "--inplace"], ["-a", "--size-only"], ["-ac", "--exclude=tmp"],
                ["-r", "--delay-updates"],
            ]
            let chosen = options.randomElement(using: &random) ?? []
            let done = try await from.sandbox.run(program, chosen + [from.folder + "/", to.folder + "/"])
            #expect(done.status == 0, "\(done.errors)")
        }
        for round in 0..<12 {
            let peer = try #require(peers.randomElement(using: &random))
            try peer.addTask("\(peer.name) \(round)")
            if round % 3 == 0 { for one in peers { try one.setTitle("Laptop 0", "round \(round)") } }
            let outcome = try await peer.foldersync("sync")
            #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
            let pair = peers.shuffled(using: &random)
            try await carry(pair[0], pair[1])
        }
        for _ in 0..<2 {
            for peer in peers { _ = try await peer.foldersync("sync") }
            for one in peers { for other in peers where other !== one { try await carry(one, other) } }
        }
        #expect(try await inStep(peers[0], peers[1], peers[2], seconds: 0), "seed \(seed)")
        #expect(try peers[2].titles().count == 12)
    }

    @Test(
        "A network drive whose listings are stale",
        .needs("rclone", "fusermount", mounts: true)
    )
    func staleListings() async throws {
        let program = try #require(Background.find("rclone"))
        let sandbox = try Sandbox()
        for name in ["served", "one", "two"] {
            try FileManager.default.createDirectory(atPath: sandbox.path(name), withIntermediateDirectories: false)
        }
        let address = "127.0.0.1:\(try Background.freePort())"
        let config = ["--config", sandbox.path("rclone.conf"), "--cache-dir"]
        let server = try Background(
            program,
            ["serve", "webdav", sandbox.path("served"), "--addr", address] + config + [sandbox.path("cache")],
            log: sandbox.path("serve.log")
        )
        defer { server.stop() }
        #expect(try await wait(seconds: longest) { server.said.contains("WebDav Server started") }, "\(server.said)")
        let mounts = try ["one", "two"].map { name in
            let options = ["--webdav-url", "http://\(address)", "--dir-cache-time", "4s", "--vfs-cache-mode", "writes"]
            let cache = config + [sandbox.path("cache-\(name)"), "--vfs-write-back", "1s"]
            let arguments = ["mount", ":webdav:", sandbox.path(name)] + options + cache
            return try Mount(program, arguments, at: sandbox.path(name), log: sandbox.path("\(name).log"))
        }
        defer { withExtendedLifetime(mounts) {} }
        for mount in mounts { #expect(try await wait(seconds: longest) { mount.isThere }, "\(mount.said)") }
        try FileManager.default.createDirectory(atPath: sandbox.path("one/shared"), withIntermediateDirectories: false)
        let laptop = try Peer("Laptop", folder: sandbox.path("one/shared"))
        let phone = try Peer("Phone", folder: sandbox.path("two/shared"))
        try laptop.addTasks(5)
        try await laptop.initialise()
        let hasArrived = try await wait(seconds: longest) {
            try await phone.foldersync("join", phone.folder, "--store", phone.store, "--name", "Phone").status == 0
        }
        try #require(hasArrived)
        for round in 0..<2 {
            for peer in [laptop, phone] {
                try peer.addTask("\(peer.name) \(round)")
                let outcome = try await peer.foldersync("sync")
                #expect([0, 3].contains(outcome.status), "\(outcome.errors)\(outcome.output)")
            }
        }
        #expect(try await inStep(laptop, phone, seconds: longest))
        #expect(try laptop.titles().count == 9)
    }

    @Test(
        "Scenario 14: a file system that takes upper and lower case for the same, and has no names as \"a:b\"",
        .needs("lowntfs-3g", "mkntfs", mounts: true)
    )
    func caseInsensitive() async throws {
        let program = try #require(Background.find("lowntfs-3g"))
        let sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.path("mounted"), withIntermediateDirectories: false)
        try sandbox.write("image", [])
        #expect(truncate(sandbox.path("image"), 16 << 20) == 0)
        let maker = try #require(Background.find("mkntfs"))
        let made = try await sandbox.run(maker, ["-F", "-q", "-f", sandbox.path("image")])
        try #require(made.status == 0, "\(made.errors)")
        let options = ["-o", "ignore_case,windows_names,no_detach", sandbox.path("image"), sandbox.path("mounted")]
        let mount = try Mount(program, options, at: sandbox.path("mounted"), log: sandbox.path("mount.log"))
        defer { withExtendedLifetime(mount) {} }
        #expect(try await wait(seconds: longest) { mount.isThere }, "\(mount.said)")
        let folder = sandbox.path("mounted/Shared")
        let laptop = try Peer("Laptop", folder: folder)
        let phone = try Peer("Phone", folder: sandbox.path("mounted/SHARED"))
        try laptop.addTasks(5)
        try await laptop.initialise()
        try await phone.join()
        for round in 0..<3 {
            for peer in [laptop, phone] {
                try peer.addTask("\(peer.name) \(round)")
                try await peer.sync()
            }
        }
        #expect(try await phone.foldersync("compact").status == 0)
        #expect(try await inStep(laptop, phone, seconds: 0))
        #expect(try laptop.titles().count == 11)
        #expect(try await laptop.foldersync("verify").status == 0)
    }

    @Test(
        "Scenario 10: a full share takes nothing and what is to be published is kept; a full disk changes nothing",
        .enabled("this machine lacks the right to mount a small disk") { await SmallDisk.isAvailable.value }
    )
    func full() async throws {
        let sandbox = try Sandbox()
        let shared = sandbox.path("shared")
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
        let disk = try await SmallDisk(over: shared, kilobytes: 512)
        defer { withExtendedLifetime(disk) {} }
        let laptop = try Peer("Laptop", folder: shared)
        let phone = try Peer("Phone", folder: shared)
        try laptop.addTasks(5)
        try await laptop.initialise()
        try await phone.join()
        try phone.addTask("phone's")
        try await phone.sync()
        try disk.fill(leaving: 0)
        try laptop.addTask("laptop's")
        for _ in 1...2 {
            let kept = try await laptop.sync(4)
            #expect(kept.outbox == 1)
            #expect(try laptop.titles().count == 7)
        }
        try disk.empty()
        #expect(try await laptop.sync().outbox == 0)
        #expect(try await phone.sync().received == 1)
        try expectEqual(laptop, phone)

        let backup = try laptop.backup()
        let own = try await SmallDisk(over: laptop.sandbox.folder.path, kilobytes: 1024)
        defer { withExtendedLifetime(own) {} }
        try laptop.restore(backup)
        try phone.addTasks(200, "many")
        try await phone.sync()
        try own.fill(leaving: 8 << 10)
        let before = try laptop.rows()
        let failed = try await laptop.foldersync("sync")
        #expect(failed.status == 74, "\(failed.errors)\(failed.output)")
        #expect(failed.errors.contains("full") || failed.errors.contains("space"), "\(failed.errors)")
        #expect(try laptop.rows() == before)
        try own.empty()
        try await laptop.sync()
        try expectEqual(laptop, phone)
    }
}
