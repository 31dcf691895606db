import Foundation
import Testing
import TestSupport

/// Faults at exact calls of a synchronisation that publishes, takes and writes the store; with `SATCHEL_ALL_FAULTS` set, at
/// all of its calls.
@Suite(.enabled("no C compiler, or no LD_PRELOAD") { await FaultLibrary.isAvailable.value })
struct SyncFaultTests {
    /// A device with something to publish and something to take, and how all is when it has done both undisturbed.
    private struct Prepared {
        let laptop: Peer
        let phone: Peer
        let rows: [String]
        let state: String
        let files: [String: Data]

        static let arguments = ["--now", "2026-03-01T12:00:00Z"]

        init() async throws {
            laptop = try Peer("Laptop")
            phone = try Peer("Phone")
            try laptop.addTasks(5)
            try await laptop.initialise()
            try Transport.bring(from: laptop.folder, to: phone.folder)
            try await phone.join()
            try phone.setTitle("t1", "of the phone")
            try phone.setTitle("t2", "of the phone")
            try phone.removeTask("t3")
            try phone.addTask("phone's")
            try await phone.sync()
            try Transport.bring(from: phone.folder, to: laptop.folder)
            try laptop.setTitle("t2", "of the laptop")
            try laptop.addTask("laptop's")
            try laptop.removeTask("t4")
            let undisturbed = try Peer(cloning: laptop)
            let outcome = try await Self.sync(undisturbed)
            try #require(outcome.status == 3, "\(outcome.errors)\(outcome.output)")
            rows = try undisturbed.rows()
            state = try undisturbed.state()
            files = try Transport.snapshot(undisturbed.folder)
            try await check(undisturbed, "undisturbed")
        }

        static func sync(_ peer: Peer) async throws -> Outcome {
            try await peer.sandbox.run(Built.path("foldersync"), peer.arguments("sync", arguments))
        }

        /// Synchronises without faults: all is as if there had been none, here and, where the files are not the same, on the
        /// other device.
        func finish(_ peer: Peer, _ comment: Comment) async throws {
            let outcome = try await Self.sync(peer)
            #expect(outcome.status == 3, "\(comment): \(outcome.errors)\(outcome.output)")
            #expect(try peer.rows() == rows, comment)
            #expect(try peer.state() == state, comment)
            if try Transport.snapshot(peer.folder) != files { try await check(peer, comment) }
        }

        /// The other device comes to the same.
        func check(_ peer: Peer, _ comment: Comment) async throws {
            let other = try Peer(cloning: phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            let outcome = try await Self.sync(other)
            #expect(outcome.status == 3, "\(comment): \(outcome.errors)\(outcome.output)")
            #expect(try other.rows() == rows, comment)
            #expect(try other.state() == state, comment)
        }
    }

    /// Synchronises once for each fault.
    private func forEachFault(
        _ kinds: [Fault.Kind],
        where isWanted: (FileCall) -> Bool = { _ in true },
        _ body: (Prepared, Peer, Outcome, Comment) async throws -> Void
    ) async throws {
        let prepared = try await Prepared()
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let (_, calls) = try await run(try Peer(cloning: prepared.laptop))
        var count = 0
        let points = FaultLibrary.points(calls, both: kinds.contains(.torn), using: &random)
        for index in points where isWanted(calls[index]) {
            for kind in kinds where kind != .torn || calls[index].name == "write" {
                let fault = Fault(kind: kind, number: index + 1)
                let peer = try Peer(cloning: prepared.laptop)
                let (outcome, _) = try await run(peer, fault)
                try await body(prepared, peer, outcome, "\(fault): \(calls[index].name) \(calls[index].path)")
                count += 1
            }
        }
        print("seed \(seed), \(kinds): \(count) faults at \(calls.count) calls")
        #expect(count > 0)
    }

    private func run(_ peer: Peer, _ fault: Fault? = nil) async throws -> (Outcome, [FileCall]) {
        try await FaultLibrary.run(
            Built.path("foldersync"),
            peer.arguments("sync", Prepared.arguments),
            in: peer.sandbox,
            fault
        )
    }

    @Test("Scenario 11: killed at any call, a synchronisation that is run again comes to the same")
    func kill() async throws {
        try await forEachFault([.kill, .torn]) { prepared, peer, outcome, comment in
            #expect(outcome.status == 137, comment)
            try await prepared.finish(peer, comment)
        }
    }

    @Test("Killed, and the app goes on: what it changes is compared with what it had", arguments: [false, true])
    func killedAndEdited(_ isDeletion: Bool) async throws {
        let prepared = try await Prepared()
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let (_, calls) = try await run(try Peer(cloning: prepared.laptop))
        let all = FaultLibrary.points(calls, both: false, using: &random).filter {
            calls[$0].path.hasPrefix("store.db")
        }
        let points = FaultLibrary.isEach ? all : Array(all.shuffled(using: &random).prefix(6))
        for index in points {
            let peer = try Peer(cloning: prepared.laptop)
            _ = try await run(peer, Fault(kind: .kill, number: index + 1))
            let hasSeen = try peer.titles()["t1"] == "of the phone"
            let comment: Comment = "seed \(seed), kill:\(index + 1): \(calls[index].path), seen: \(hasSeen)"
            if isDeletion {
                try peer.removeTask("t1")
            } else {
                try peer.sql("UPDATE tasks SET notes = 'n' WHERE id = 't1'")
            }
            let outcome = Synced(try await peer.foldersync("sync", "--format", "json"))
            let title = isDeletion && hasSeen ? nil : "of the phone"
            #expect(try peer.titles()["t1"] == title, comment)
            // Of what both changed; and of the deletion that met a change.
            #expect(outcome.conflicts == (isDeletion && !hasSeen ? 2 : 1), comment)
            let notes = try peer.rows().contains { $0.contains("of the phone") && $0.contains("notes:\"n\"") }
            #expect(notes != isDeletion, comment)
            let other = try Peer(cloning: prepared.phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await other.sync(3)
            #expect(try other.rows() == peer.rows() && other.state() == peer.state(), comment)
        }
        print("seed \(seed): \(points.count) of \(all.count) calls")
    }

    @Test("Scenario 10: where a call fails, nothing is taken for done that was not", arguments: [Fault.Kind.io, .full])
    func failure(_ kind: Fault.Kind) async throws {
        try await forEachFault([kind]) { prepared, peer, outcome, comment in
            #expect([0, 3, 4, 73, 74].contains(outcome.status), "\(comment): \(outcome.errors)\(outcome.output)")
            #expect(!outcome.errors.contains("not an error"), "\(comment): \(outcome.errors)")
            try await prepared.finish(peer, comment)
        }
    }

    @Test("Where a file of the directory was not written and nobody said so, others refuse it, and repair mends it")
    func lost() async throws {
        try await forEachFault([.lost], where: { $0.name == "write" && !$0.path.hasPrefix("store.db") }) {
            prepared,
            peer,
            outcome,
            comment in
            #expect([3, 4, 74].contains(outcome.status), comment)
            let other = try Peer(cloning: prepared.phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            _ = try await Prepared.sync(other)
            #expect(try other.rows() == prepared.phone.rows() || other.rows() == prepared.rows, comment)
            let repaired = try await peer.foldersync("repair")
            #expect([0, 3].contains(repaired.status), "\(comment): \(repaired.errors)\(repaired.output)")
            for file in try Transport.files(other.folder) where try !Transport.files(peer.folder).contains(file) {
                try FileManager.default.removeItem(atPath: other.folder + "/" + file)
            }
            try Transport.bring(from: peer.folder, to: other.folder)
            _ = try await Prepared.sync(other)
            #expect(try other.rows() == peer.rows(), comment)
            #expect(try other.state() == peer.state(), comment)
        }
    }

    @Test("Scenario 47: ended between a checkpoint and the removal of what it holds, nothing is missing")
    func compaction() async throws {
        let laptop = try Peer("Laptop")
        try laptop.addTasks(5)
        try await laptop.initialise()
        for number in 0..<3 {
            try laptop.setTitle("t\(number)", "title \(number)")
            try await laptop.sync()
            #expect(try await laptop.foldersync("compact").status == 0)
        }
        for number in 0..<2 {
            try laptop.setTitle("t\(number)", "title again \(number)")
            try await laptop.sync()
        }
        let rows = try laptop.rows()
        let arguments = ["compact", "--now", "2046-01-01T00:00:00Z"]
        func run(_ peer: Peer, _ fault: Fault? = nil) async throws -> (Outcome, [FileCall]) {
            let program = Built.path("foldersync")
            let all = peer.arguments(arguments[0], Array(arguments.dropFirst()))
            return try await FaultLibrary.run(program, all, in: peer.sandbox, fault)
        }
        let whole = try Peer(cloning: laptop)
        let (outcome, calls) = try await run(whole)
        #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
        #expect(try Transport.files(whole.folder).count < Transport.files(laptop.folder).count)
        var random = SeededGenerator(seed: 47)
        let inFolder = FaultLibrary.points(calls, both: false, using: &random).filter {
            !calls[$0].path.hasPrefix("store.db")
        }
        #expect(inFolder.count > 4)
        for index in inFolder {
            for kind in [Fault.Kind.kill, .io] {
                let comment: Comment = "\(kind):\(index + 1): \(calls[index].name) \(calls[index].path)"
                let peer = try Peer(cloning: laptop)
                let (ended, _) = try await run(peer, Fault(kind: kind, number: index + 1))
                #expect(kind == .io || ended.status == 137, comment)
                for again in [false, true] {
                    if again {
                        let (finished, _) = try await run(peer)
                        #expect(finished.status == 0, "\(comment): \(finished.errors)\(finished.output)")
                    }
                    let reader = try Peer("Reader")
                    try Transport.bring(from: peer.folder, to: reader.folder)
                    try await reader.join()
                    #expect(try reader.rows() == rows, comment)
                }
                try await peer.sync()
                #expect(try peer.rows() == rows, comment)
            }
        }
    }
}
