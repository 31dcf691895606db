import Foundation
import Testing
import TestSupport

/// What transports do to files on their way; the numbers are those of the design's scenarios.
@Suite("Scenarios of delivery")
struct DeliveryTests {
    /// Two devices that have seen nothing of each other, with so many changes each.
    private func twoApart(_ app: ScenarioApp, _ changes: Int) async throws -> (Peer, Peer) {
        let (laptop, phone) = (try Peer("Laptop", app), try Peer("Phone", app))
        try await laptop.initialise()
        try Transport.introduce(phone, to: laptop.folder)
        try await phone.join()
        for number in 1...max(1, changes) {
            for peer in [laptop, phone] {
                try peer.addTask("\(peer.name)\(number)")
                try await peer.sync()
            }
        }
        return (laptop, phone)
    }

    @Test("Scenario 1: in any order or twice, files come to the same bytes", arguments: ScenarioApp.allCases)
    func anyOrder(_ app: ScenarioApp) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        print("Scenario 1, seed \(seed)")
        let (laptop, phone) = try await twoApart(app, 2)
        try Transport.exchange(laptop, phone)
        for peer in [laptop, phone] { try await peer.sync() }
        for peer in [laptop, phone] {
            try peer.setTitle("Laptop1", "as \(peer.name) has it")
            try await peer.sync()
        }
        try Transport.exchange(laptop, phone)
        for peer in [laptop, phone] { try await peer.sync(3) }
        try expectEqual(laptop, phone)
        for _ in 1...2 {
            let tablet = try Peer("Tablet", app)
            try Transport.introduce(tablet, to: laptop.folder)
            try await tablet.join()
            var files = try Transport.segments(laptop.folder)
            files.shuffle(using: &random)
            for (index, file) in files.enumerated() {
                try Transport.bring(file, from: laptop.folder, to: tablet.folder)
                if index % 3 == 1 {
                    try await tablet.foldersync("sync")
                    if let again = files[..<index].randomElement(using: &random) {
                        try Transport.bring(again, from: laptop.folder, to: tablet.folder)
                    }
                }
            }
            try await tablet.sync(3)
            #expect(try tablet.rows() == laptop.rows())
            try Transport.exchange(laptop, phone, tablet)
            for peer in [laptop, phone] { try await peer.sync(3) }
            try expectEqual(laptop, phone, tablet)
        }
    }

    @Test(
        "Scenario 2: a gap in a writer's changes makes that writer wait, and no other",
        arguments: ScenarioApp.allCases
    )
    func gap(_ app: ScenarioApp) async throws {
        let (laptop, phone) = try await twoApart(app, 3)
        let tablet = try Peer("Tablet", app)
        try Transport.introduce(tablet, to: laptop.folder)
        try await tablet.join()
        let late = try #require(try Transport.segments(laptop.folder).dropFirst().first)
        try Transport.bring(from: laptop.folder, to: tablet.folder) { $0 != late }
        try Transport.bring(from: phone.folder, to: tablet.folder)
        let waiting = try await tablet.sync(3)
        #expect(waiting.issues == ["missing", "missing"])
        #expect(waiting.messages.contains("change 2 of Laptop"))
        #expect(try Set(tablet.titles().keys) == ["Phone1", "Phone2", "Phone3"])
        #expect(try await tablet.foldersync("status").output.contains("change 2 of Laptop"))
        try Transport.bring(late, from: laptop.folder, to: tablet.folder)
        #expect(try await tablet.sync().received == 3)
        try Transport.exchange(laptop, phone, tablet)
        for peer in [laptop, phone] { try await peer.sync() }
        try expectEqual(laptop, phone, tablet)
    }

    @Test("Scenario 3: a change waits for those of other devices that it builds on", arguments: ScenarioApp.allCases)
    func dependency(_ app: ScenarioApp) async throws {
        let (laptop, phone) = try await twoApart(app, 1)
        try Transport.exchange(laptop, phone)
        try await phone.sync()
        try phone.setTitle("Laptop1", "Title of the phone")
        try await phone.sync()
        let tablet = try Peer("Tablet", app)
        try Transport.introduce(tablet, to: laptop.folder)
        try await tablet.join()
        let first = try #require(try laptop.writer())
        try Transport.bring(from: phone.folder, to: tablet.folder) { !$0.hasPrefix("w/\(first)/") }
        let waiting = try await tablet.sync(3)
        #expect(waiting.issues == ["missing"])
        let expected = "changes 1 to 2 of a device that nothing has come from yet"
        #expect(waiting.messages.contains(expected), "\(waiting.messages)")
        #expect(try tablet.titles() == ["Phone1": "Task Phone1"])
        try Transport.exchange(laptop, phone, tablet)
        for peer in [laptop, phone, tablet] { try await peer.sync() }
        #expect(try tablet.titles() == ["Phone1": "Task Phone1", "Laptop1": "Title of the phone"])
        try expectEqual(laptop, phone, tablet)
    }

    /// What may be wrong with a file that has its last name.
    enum Damage: String, CaseIterable { case empty, truncated, flipped, longer }

    @Test(
        "Scenario 4: a damaged file is refused by its hash, stays, and is tried again",
        arguments: ScenarioApp.allCases,
        Damage.allCases
    )
    func damage(_ app: ScenarioApp, _ damage: Damage) async throws {
        let (laptop, phone) = try await twoApart(app, 2)
        let file = try #require(try Transport.segments(laptop.folder).last)
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: laptop.folder + "/" + file)))
        switch damage {
        case .empty: bytes = []
        case .truncated: bytes.removeLast(bytes.count / 2)
        case .flipped: bytes[bytes.count / 2] ^= 0x10
        case .longer: bytes.append(0)
        }
        try Transport.bring(from: laptop.folder, to: phone.folder) { $0 != file }
        try Transport.put(bytes, phone.folder + "/" + file)
        for _ in 1...2 {
            let refused = try await phone.sync(3)
            #expect(["damaged", "not-downloaded"].contains(refused.issues.first), "\(refused.outcome.output)")
            #expect(refused.issues.count == 1)
            #expect(refused.outcome.output.contains(file))
            #expect(try Set(phone.titles().keys) == ["Laptop1", "Phone1", "Phone2"])
        }
        #expect(try [UInt8](Data(contentsOf: URL(filePath: phone.folder + "/" + file))) == bytes)
        try Transport.bring(file, from: laptop.folder, to: phone.folder)
        #expect(try await phone.sync().received == 1)
        try Transport.exchange(laptop, phone)
        try await laptop.sync()
        try expectEqual(laptop, phone)
    }

    /// Names that transports give to what they take for a conflict.
    static let copies = [".sync-conflict-20260101-120000-ABCDEFG", " (conflicted copy 2026-01-01)", " (2)"]

    @Test(
        "Scenario 5: a conflict copy is read: the same is ignored, something else is a fork",
        arguments: ScenarioApp.allCases,
        copies
    )
    func conflictCopies(_ app: ScenarioApp, _ mark: String) async throws {
        let (laptop, phone) = try await twoApart(app, 1)
        try Transport.exchange(laptop, phone)
        for peer in [laptop, phone] { try await peer.sync() }
        let clone = try Peer(cloning: laptop)
        for (peer, word) in [(laptop, "original"), (clone, "copy")] {
            try peer.addTask("of the \(word)")
            try await peer.sync()
        }
        let known = try Transport.segments(phone.folder)
        let original = try #require(try Transport.segments(laptop.folder).first { !known.contains($0) })
        let copy = try #require(try Transport.segments(clone.folder).first { !known.contains($0) })
        #expect(original.split(separator: "-").first == copy.split(separator: "-").first)
        let name = original.replacing(".seg", with: "\(mark).seg")
        try Transport.bring(original, from: laptop.folder, to: phone.folder)
        try Transport.bring(original, from: laptop.folder, to: phone.folder, as: name)
        #expect(try await phone.sync().received == 1)
        #expect(try await phone.sync().isIdle)
        try Transport.bring(copy, from: clone.folder, to: phone.folder, as: name)
        try await phone.sync()
        let tasks: Set<String> = ["Laptop1", "Phone1", "of the original", "of the copy"]
        #expect(try Set(phone.titles().keys) == tasks)
        try Transport.exchange(laptop, clone)
        try Transport.exchange(laptop, phone)
        for peer in [laptop, clone, phone] { try await peer.sync() }
        try Transport.exchange(laptop, clone, phone)
        for peer in [laptop, clone, phone] { try await peer.sync() }
        #expect(try Set(laptop.titles().keys) == tasks)
        try expectEqual(laptop, clone, phone)
    }

    @Test("Scenario 6: files that a listing leaves out change nothing", arguments: ScenarioApp.allCases)
    func omitted(_ app: ScenarioApp) async throws {
        let (laptop, phone) = try await twoApart(app, 2)
        try Transport.exchange(laptop, phone)
        for peer in [laptop, phone] { try await peer.sync() }
        let (rows, state) = (try phone.rows(), try phone.state())
        let files = try Transport.snapshot(phone.folder)
        for part in 0..<4 {
            for (index, file) in files.keys.filter({ $0.hasPrefix("w/") }).sorted().enumerated() where index % 4 == part
            {
                try FileManager.default.removeItem(atPath: phone.folder + "/" + file)
            }
            #expect(try await phone.sync().isIdle)
            #expect(try phone.rows() == rows)
            #expect(try phone.state() == state)
        }
        for (file, bytes) in files { try Transport.put([UInt8](bytes), phone.folder + "/" + file) }
        #expect(try await phone.sync().isIdle)
        #expect(try phone.state() == state)
        try phone.addTask("later")
        try await phone.sync()
        try Transport.exchange(laptop, phone)
        try await laptop.sync()
        try expectEqual(laptop, phone)
    }
}
