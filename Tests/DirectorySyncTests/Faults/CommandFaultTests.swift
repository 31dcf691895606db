import Foundation
import Testing
import TestSupport

/// Faults at calls of the commands that make, join, adopt and repair: at some of the calls, chosen by a seed that is printed,
/// or with `SATCHEL_ALL_FAULTS` set at all of them.
@Suite(.enabled("no C compiler, or no LD_PRELOAD") { await FaultLibrary.isAvailable.value })
struct CommandFaultTests {
    /// Calls of a command at which there is a fault of a kind.
    private static let mostCalls = 3

    /// Runs a command once for each fault, each time on a copy of a device.
    private func forEachFault(
        of peer: Peer,
        _ arguments: [String],
        _ body: (Peer, Comment) async throws -> Void
    ) async throws {
        let whole = try Peer(cloning: peer)
        let (undisturbed, calls) = try await run(whole, arguments)
        try #require(undisturbed.status == 0, "\(undisturbed.errors)\(undisturbed.output)")
        try await body(whole, "undisturbed")
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
                // How many calls there are can differ from run to run.
                #expect(kind != .kill || outcome.status == 137 || made.count < fault.number, comment)
                let expected: Set<Int32> = [0, 3, 4, 73, 74, 75, 137]
                #expect(expected.contains(outcome.status), "\(comment): \(outcome.errors)\(outcome.output)")
                try await body(copy, comment)
            }
        }
        print("seed \(seed), \(arguments[0]): \(calls.count) calls")
    }

    private func run(_ peer: Peer, _ arguments: [String], _ fault: Fault? = nil) async throws -> (Outcome, [FileCall]) {
        let options = Array(arguments.dropFirst()).map { $0.replacing("FOLDER", with: peer.folder) }
            .map { $0.replacing("STORE", with: peer.store) }
        let all = peer.arguments(arguments[0], options)
        return try await FaultLibrary.run(Built.path("foldersync"), all, in: peer.sandbox, fault)
    }

    /// A new device gets what a device has.
    private func expectReadable(_ peer: Peer, _ rows: [String], _ comment: Comment) async throws {
        let reader = try Peer("Reader")
        try Transport.bring(from: peer.folder, to: reader.folder)
        try await reader.join()
        #expect(try reader.rows() == rows, comment)
        #expect(try reader.state() == peer.state(), comment)
    }

    @Test("init that was ended, or failed, is done by being run again, or by join where it says so")
    func initialise() async throws {
        let laptop = try Peer("Laptop")
        try laptop.addTasks(3)
        let rows = try laptop.rows()
        let arguments = ["FOLDER", "--store", "STORE", "--name", "Laptop"]
        try await forEachFault(of: laptop, ["init"] + arguments) { peer, comment in
            var (again, _) = try await run(peer, ["init"] + arguments)
            if again.status != 0 {
                #expect(
                    [64, 73].contains(again.status) && again.errors.contains("join"),
                    "\(comment): \(again.errors)"
                )
                (again, _) = try await run(peer, ["join"] + arguments)
                #expect(again.status == 0, "\(comment): \(again.errors)")
            }
            try await peer.sync()
            #expect(try peer.rows() == rows, comment)
            let roots = try FileManager.default.contentsOfDirectory(atPath: peer.folder).count { $0.hasSuffix(".root") }
            #expect(roots == 1, comment)
            try await expectReadable(peer, rows, comment)
        }
    }

    @Test("join that was ended, or failed, is done by being run again")
    func join() async throws {
        let laptop = try Peer("Laptop")
        try laptop.addTasks(3)
        try await laptop.initialise()
        let phone = try Peer("Phone")
        try phone.addTask("t1")
        try phone.addTask("phone's")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        let arguments = ["join", "FOLDER", "--store", "STORE", "--name", "Phone"]
        let undisturbed = try Peer(cloning: phone)
        #expect(try await run(undisturbed, arguments).0.status == 0)
        let rows = try undisturbed.rows()
        #expect(rows.count { $0.hasPrefix("tasks") } == 4)
        try await forEachFault(of: phone, arguments) { peer, comment in
            let (again, _) = try await run(peer, arguments)
            #expect(again.status == 0, "\(comment): \(again.errors)\(again.output)")
            try await peer.sync()
            #expect(try peer.rows() == rows, comment)
            let other = try Peer(cloning: laptop)
            try Transport.bring(from: peer.folder, to: other.folder)
            try await other.sync()
            #expect(try other.rows() == rows, comment)
            #expect(try other.state() == peer.state(), comment)
        }
    }

    @Test("A file beside the store that cannot be made is named, and join is done by being run again")
    func stateFile() async throws {
        let laptop = try Peer("Laptop")
        try laptop.addTasks(1)
        try await laptop.initialise()
        let phone = try Peer("Phone")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        let arguments = ["join", "FOLDER", "--store", "STORE", "--name", "Phone"]
        let calls = try await run(Peer(cloning: phone), arguments).1
        let create = try #require(calls.firstIndex { $0.name == "create" && $0.path.hasSuffix(".foldersync") })
        let (failed, _) = try await run(phone, arguments, Fault(kind: .io, number: create + 1))
        #expect(failed.status == 74)
        #expect(failed.errors.contains(".foldersync: error[sync.io]: the file cannot be made"), "\(failed.errors)")
        #expect(try await run(phone, arguments).0.status == 0)
        #expect(try phone.rows() == laptop.rows())
    }

    @Test("adopt that was ended, or failed, is done by being run again, and nothing is lost or doubled")
    func adopt() async throws {
        let laptop = try Peer("Laptop")
        let phone = try Peer("Phone")
        for peer in [laptop, phone] {
            try peer.addTasks(2)
            try peer.addTask(peer.name)
            try await peer.initialise()
        }
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try Transport.bring(from: laptop.folder, to: phone.folder)
        // One of them leaves its space, whichever of the names is the smaller.
        for (first, second) in [(laptop, phone), (phone, laptop)] {
            try await forEachFault(of: first, ["merge-spaces"]) { peer, comment in
                let (again, _) = try await run(peer, ["merge-spaces"])
                #expect(again.status == 0, "\(comment): \(again.errors)\(again.output)")
                let other = try Peer(cloning: second)
                try Transport.bring(from: peer.folder, to: other.folder)
                #expect(try await other.foldersync("merge-spaces").status == 0, comment)
                try Transport.bring(from: other.folder, to: peer.folder)
                try await peer.sync()
                try Transport.bring(from: peer.folder, to: other.folder)
                try await other.sync()
                #expect(try peer.titles().count == 4, comment)
                #expect(try other.rows() == peer.rows(), comment)
                #expect(try other.state() == peer.state(), comment)
            }
        }
    }

    @Test("repair that was ended, or failed, is done by being run again")
    func repair() async throws {
        let laptop = try Peer("Laptop")
        try laptop.addTasks(3)
        try await laptop.initialise()
        try laptop.setTitle("t1", "later")
        try await laptop.sync()
        let rows = try laptop.rows()
        // The marker is gone, a file is cut off, and so is a copy of the other.
        for file in try Transport.files(laptop.folder) {
            let path = laptop.folder + "/" + file
            if file.hasSuffix(".root") { try FileManager.default.removeItem(atPath: path) }
            guard file.hasSuffix(".seg") else { continue }
            let bytes = try Data(contentsOf: URL(filePath: path))
            let isFirst = file.contains("0000000001-")
            try bytes.dropLast(9).write(to: URL(filePath: isFirst ? path : path.replacing(".seg", with: " (1).seg")))
        }
        try await forEachFault(of: laptop, ["repair"]) { peer, comment in
            let (again, _) = try await run(peer, ["repair"])
            #expect(again.status == 0, "\(comment): \(again.errors)\(again.output)")
            #expect(try await peer.foldersync("verify").status == 0, comment)
            #expect(try peer.rows() == rows, comment)
            try await expectReadable(peer, rows, comment)
        }
    }
}
