import Foundation
import TestSupport
import Testing

/// Faults at calls of the commands that make, join and change an encrypted folder: at some of the calls, chosen by a seed
/// that is printed, or with `SATCHEL_ALL_FAULTS` set at all of them.
///
/// Afterwards nothing is lost, and the next command goes on.
@Suite(.enabled("no C compiler, or no LD_PRELOAD") { await FaultLibrary.isAvailable.value })
struct KeyFaultTests {
    /// Calls of a command at which there is a fault of a kind.
    private static let mostCalls = 1

    /// Runs a command once for each fault, each time on a copy of a device.
    private func forEachFault(
        of peer: Peer,
        _ arguments: [String],
        expected: Set<Int32> = [0],
        _ body: (Peer, Outcome, Comment) async throws -> Void
    ) async throws {
        let whole = try Peer(cloning: peer)
        let (undisturbed, calls) = try await run(whole, arguments)
        try #require(expected.contains(undisturbed.status), "\(undisturbed.errors)\(undisturbed.output)")
        try await body(whole, undisturbed, "undisturbed")
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        for kind in [Fault.Kind.kill, .io, .full] {
            let all = FaultLibrary.points(calls, both: false, using: &random)
            let points = FaultLibrary.isEach ? all : Array(all.shuffled(using: &random).prefix(Self.mostCalls))
            for index in points {
                let fault = Fault(kind: kind, number: index + 1)
                let copy = try Peer(cloning: peer)
                let (outcome, made) = try await run(copy, arguments, fault)
                let comment: Comment = "seed \(seed), \(fault): \(calls[index].name) \(calls[index].path)"
                #expect(kind != .kill || outcome.status == 137 || made.count < fault.number, comment)
                #expect(
                    expected.union([0, 3, 4, 73, 74, 75, 137]).contains(outcome.status),
                    "\(comment): \(outcome.errors)\(outcome.output)"
                )
                try await body(copy, outcome, comment)
            }
        }
        print("seed \(seed), \(arguments.prefix(2)): \(calls.count) calls")
    }

    private func run(_ peer: Peer, _ arguments: [String], _ fault: Fault? = nil) async throws -> (Outcome, [FileCall]) {
        let all = arguments.map {
            $0.replacing("FOLDER", with: peer.folder).replacing("STORE", with: peer.store)
                .replacing("HOME", with: peer.sandbox.folder.path)
        }
        return try await FaultLibrary.run(
            Built.path("foldersync"),
            peer.arguments(all[0], Array(all.dropFirst())),
            in: peer.sandbox,
            fault
        )
    }

    /// Runs a command that has to go well.
    @discardableResult
    private func command(
        _ peer: Peer,
        _ arguments: [String],
        _ comment: Comment = "",
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let (outcome, _) = try await run(peer, arguments)
        #expect(
            outcome.status == 0,
            "\(comment): \(peer.name), \(arguments): \(outcome.errors)\(outcome.output)",
            sourceLocation: location
        )
        return outcome
    }

    private static let passphrase = ["--passphrase-file", "HOME/passphrase"]
    private static let make = ["--store", "STORE", "--name", "Laptop", "--encrypt"] + passphrase

    private func peer(_ name: String) throws -> Peer {
        let peer = try Peer(name)
        try peer.sandbox.write("passphrase", "correct horse\n")
        return peer
    }

    private func joining(_ name: String) -> [String] {
        ["join", "FOLDER", "--store", "STORE", "--name", name] + Self.passphrase
    }

    /// A device that made an encrypted folder with three tasks.
    private func laptop() async throws -> Peer {
        let laptop = try peer("Laptop")
        try laptop.addTasks(3)
        try await command(laptop, ["init", "FOLDER"] + Self.make + ["--recovery-file", "HOME/recovery"])
        return laptop
    }

    /// Two devices that know of each other.
    private func pair() async throws -> (laptop: Peer, phone: Peer) {
        let laptop = try await laptop()
        let phone = try peer("Phone")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try await command(phone, joining("Phone"))
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try await laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try await phone.sync()
        return (laptop, phone)
    }

    /// A device that has nothing but the folder and the passphrase gets what a device has.
    private func expectReadable(_ peer: Peer, _ comment: Comment) async throws {
        let reader = try self.peer("Reader")
        try Transport.bring(from: peer.folder, to: reader.folder)
        try await command(reader, joining("Reader"), comment)
        #expect(try reader.rows() == peer.rows(), comment)
        #expect(try reader.state() == peer.state(), comment)
        #expect(try await command(reader, ["verify"], comment).status == 0)
    }

    /// Both devices edit, and come in step.
    private func expectInStep(_ laptop: Peer, _ phone: Peer, _ comment: Comment) async throws {
        try laptop.setTitle("t1", "of the laptop")
        try phone.setTitle("t2", "of the phone")
        for _ in 0..<2 {
            for (one, other) in [(laptop, phone), (phone, laptop)] {
                try await command(one, ["sync"], comment)
                try Transport.bring(from: one.folder, to: other.folder)
            }
        }
        try await command(laptop, ["sync"], comment)
        #expect(try laptop.titles()["t2"] == "of the phone" && phone.titles()["t1"] == "of the laptop", comment)
        try expectEqual(laptop, phone)
    }

    @Test("init --encrypt that was ended, or failed, is done by being run again, or by join where it says so")
    func initialise() async throws {
        let laptop = try peer("Laptop")
        try laptop.addTasks(3)
        let rows = try laptop.rows()
        let arguments = ["init", "FOLDER"] + Self.make
        try await forEachFault(of: laptop, arguments + ["--recovery-file", "HOME/recovery"]) { peer, _, comment in
            var (again, _) = try await run(peer, arguments + ["--recovery-file", "HOME/another"])
            if again.status != 0 {
                #expect(
                    [64, 73].contains(again.status) && again.errors.contains("join"),
                    "\(comment): \(again.errors)"
                )
                (again, _) = try await run(peer, joining("Laptop"))
                #expect(again.status == 0, "\(comment): \(again.errors)")
            }
            try await command(peer, ["sync"], comment)
            #expect(try peer.rows() == rows, comment)
            #expect(try Transport.files(peer.folder, ending: ".root").count == 1, comment)
            #expect(try Transport.files(peer.folder).allSatisfy { !$0.hasPrefix("w/") }, comment)
            try await expectReadable(peer, comment)
        }
    }

    @Test("join that was ended, or failed, is done by being run again")
    func join() async throws {
        let laptop = try await laptop()
        let phone = try peer("Phone")
        try phone.addTask("t1")
        try phone.addTask("phone's")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try await forEachFault(of: phone, joining("Phone")) { peer, _, comment in
            try await command(peer, joining("Phone"), comment)
            let other = try Peer(cloning: laptop)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await expectInStep(other, peer, comment)
            #expect(try peer.titles().count == 4, comment)
        }
    }

    @Test(
        "key rotate that was ended, or failed, leaves one key or the other, and devices come in step",
        arguments: [false, true]
    )
    func rotate(_ isAgain: Bool) async throws {
        let (laptop, phone) = try await pair()
        let arguments = ["key", "rotate"] + Self.passphrase
        try await forEachFault(of: laptop, arguments + ["--recovery-file", "HOME/second"]) { peer, outcome, comment in
            if isAgain { try await command(peer, arguments + ["--recovery-file", "HOME/third"], comment) }
            let other = try Peer(cloning: phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await expectInStep(peer, other, comment)
            try await expectReadable(peer, comment)
            // A code that was written down opens the folder, unless the command said that it failed.
            guard outcome.status == 0, !isAgain else { return }
            let reader = try self.peer("Reader")
            try reader.sandbox.write("code", peer.sandbox.bytes("second"))
            try Transport.bring(from: peer.folder, to: reader.folder)
            let code = ["--recovery-file", "HOME/code"]
            try await command(reader, ["join", "FOLDER", "--store", "STORE", "--name", "Reader"] + code, comment)
        }
    }

    @Test("devices remove that was ended, or failed, is done by being run again", arguments: [false, true])
    func remove(_ isAgain: Bool) async throws {
        let (laptop, phone) = try await pair()
        let thief = try peer("Thief")
        try Transport.bring(from: laptop.folder, to: thief.folder)
        try await command(thief, joining("Thief"))
        for other in [laptop, phone] {
            try Transport.bring(from: thief.folder, to: other.folder)
            try await command(other, ["sync"])
        }
        let arguments = ["devices", "remove", "Thief"] + Self.passphrase
        try await forEachFault(of: laptop, arguments + ["--recovery-file", "HOME/second"]) { peer, outcome, comment in
            var isRemoved = outcome.status == 0
            if isAgain {
                let (again, _) = try await run(peer, arguments + ["--recovery-file", "HOME/third"])
                #expect(again.status == 0 || isRemoved || again.errors.contains("Thief"), "\(comment): \(again.errors)")
                isRemoved = true
            }
            let other = try Peer(cloning: phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await expectInStep(peer, other, comment)
            try await expectReadable(peer, comment)
            guard isRemoved else { return }
            let removed = try Peer(cloning: thief)
            try Transport.bring(from: peer.folder, to: removed.folder)
            _ = try await run(removed, ["sync"])
            #expect(try !removed.titles().values.contains("of the laptop"), comment)
        }
    }

    @Test("devices admit and the device's own join that were ended, or failed, are done by being run again")
    func admit() async throws {
        let laptop = try await laptop()
        let tablet = try peer("Tablet")
        try Transport.bring(from: laptop.folder, to: tablet.folder)
        let asking = ["join", "FOLDER", "--store", "STORE", "--name", "Tablet"]
        func words(_ outcome: Outcome) throws -> String {
            let found = try #require((outcome.errors + outcome.output).firstMatch(of: /these words: ([a-z ]+)[.\n]/))
            return String(found.1)
        }
        // The request.
        try await forEachFault(of: tablet, asking + ["--request"], expected: [75]) { peer, _, comment in
            let (asked, _) = try await run(peer, asking + ["--request"])
            #expect(asked.status == 75, "\(comment): \(asked.errors)")
            let member = try Peer(cloning: laptop)
            try Transport.bring(from: peer.folder, to: member.folder)
            let (shown, _) = try await run(member, ["devices", "admit"])
            #expect(try shown.errors.contains(words(asked)), "\(comment): \(shown.errors)")
        }
        let (asked, _) = try await run(tablet, asking + ["--request"])
        try Transport.bring(from: tablet.folder, to: laptop.folder)
        // The answer.
        let admission = ["devices", "admit", "--words", try words(asked)]
        try await forEachFault(of: laptop, admission) { peer, _, comment in
            let answer = try words(try await command(peer, admission, comment))
            let new = try Peer(cloning: tablet)
            try Transport.bring(from: peer.folder, to: new.folder)
            try await command(new, asking + ["--words", answer], comment)
            try Transport.bring(from: new.folder, to: peer.folder)
            try await expectInStep(peer, new, comment)
        }
        // Its use.
        let answer = try words(try await command(laptop, admission))
        try Transport.bring(from: laptop.folder, to: tablet.folder)
        try await forEachFault(of: tablet, asking + ["--words", answer]) { peer, _, comment in
            let (again, _) = try await run(peer, asking + ["--words", answer])
            if again.status != 0 { try await command(peer, asking, comment) }
            let member = try Peer(cloning: laptop)
            try Transport.bring(from: peer.folder, to: member.folder)
            try await expectInStep(member, peer, comment)
        }
    }

    @Test("encrypt that was ended, or failed, leaves a plain folder or an encrypted one, and goes on")
    func encrypt() async throws {
        let laptop = try peer("Laptop")
        try laptop.addTasks(3)
        try await command(laptop, ["init", "FOLDER", "--store", "STORE", "--name", "Laptop", "--no-encrypt"])
        let phone = try peer("Phone")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try await command(phone, ["join", "FOLDER", "--store", "STORE", "--name", "Phone"])
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try await laptop.sync()
        try phone.setTitle("t0", "before it knew")
        try await command(phone, ["sync"])
        let arguments = ["encrypt", "FOLDER"] + Self.passphrase
        try await forEachFault(of: laptop, arguments + ["--recovery-file", "HOME/first"]) { peer, outcome, comment in
            // Whatever was left, this device and its folder are usable as they are.
            let (sync, _) = try await run(peer, ["sync"])
            #expect(sync.status == 0 || sync.status == 77 && sync.errors.contains("join"), "\(comment): \(sync.errors)")
            let (again, _) = try await run(peer, arguments + ["--recovery-file", "HOME/second"])
            if again.status != 0 {
                // It was encrypted, and only this device's own file of keys is not there.
                #expect(again.status == 77 && again.errors.contains("join"), "\(comment): \(again.errors)")
                try await command(peer, ["join", "FOLDER"] + Self.passphrase, comment)
            }
            try await command(peer, ["sync"], comment)
            let other = try Peer(cloning: phone)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await command(other, ["join", "FOLDER"] + Self.passphrase, comment)
            try Transport.bring(from: other.folder, to: peer.folder)
            try await expectInStep(peer, other, comment)
            #expect(try peer.titles()["t0"] == "before it knew", comment)
            try await expectReadable(peer, comment)
            try await command(peer, ["sync"], comment)
            #expect(
                try Transport.files(peer.folder).allSatisfy { !$0.hasPrefix("w/") && !$0.hasPrefix("seen/") },
                comment
            )
            let codes = ["first", "second"].filter { (try? peer.sandbox.bytes($0)) != nil }
            let reader = try self.peer("Reader")
            try Transport.bring(from: peer.folder, to: reader.folder)
            var statuses: [Int32] = []
            for name in codes {
                try reader.sandbox.write("code", peer.sandbox.bytes(name))
                let code = ["--recovery-file", "HOME/code"]
                statuses.append(
                    try await run(reader, ["join", "FOLDER", "--store", "STORE", "--name", "Reader"] + code).0.status
                )
                if statuses.last == 0 { break }
            }
            #expect(statuses.last == 0, "\(comment): \(codes) \(statuses)")
        }
    }
}
