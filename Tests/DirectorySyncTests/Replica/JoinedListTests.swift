import DirectorySync
import Foundation
import RecordMerge
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

/// The order of lists where a store joins that has an older copy of what others have.
@Suite("The order of lists in a joining store")
struct JoinedListTests {
    private func insertSession(_ device: Device, _ id: String, at place: Int, _ name: String) throws {
        try device.sql("INSERT INTO session (id, position, name) VALUES (?, ?, ?)", [id, place, name])
    }

    private func insertBlocks(_ device: Device, _ blocks: [String], of session: String = "s") throws {
        for (place, block) in blocks.enumerated() {
            try device.sql(
                """
                INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds)
                    VALUES (?, ?, ?, ?, 'activity', 'duration', 30)
                """,
                [session, place, block, block]
            )
        }
    }

    private func blocks(_ device: Device) throws -> [String] {
        try device.column("SELECT id FROM block ORDER BY position")
    }

    /// Two devices with a session; the second joins with its own copy.
    ///
    /// - Parameter seed: The names of the writers differ by it, and with them the order of their positions.
    private func pair(
        _ laptop: (String, [String]),
        _ phone: (String, [String]),
        _ seed: UInt64 = 1
    ) throws -> [Device] {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Phone"].map { try Device($0, .bztimer, in: sandbox) }
        for (index, (device, session)) in zip(devices, [laptop, phone]).enumerated() {
            device.seedNames(seed &* 2 &+ UInt64(index))
            try insertSession(device, "s", at: 1, session.0)
            try insertBlocks(device, session.1)
        }
        try devices[0].makeSpace()
        try devices[0].sync()
        try devices[1].join()
        return devices
    }

    @Test("Blocks that others put in stay between their neighbours", arguments: ["Legs", "Leg day"], UInt64(1)...6)
    func insertedBlocks(name: String, seed: UInt64) throws {
        let devices = try pair(("Legs", ["1", "w", "2", "3", "s"]), (name, ["1", "2", "3"]), seed)
        for device in [devices[1], devices[0], devices[1]] { try device.sync() }
        for device in devices {
            #expect(try blocks(device) == ["1", "w", "2", "3", "s"])
            let paths = try device.replica().conflicts().map(\.path)
            #expect(paths == (name == "Legs" ? [] : [["name"]]))
            #expect(try device.sync().isIdle)
        }
    }

    @Test("A joining store moved nothing, and its own blocks come behind their neighbours", arguments: UInt64(1)...6)
    func otherOrder(seed: UInt64) throws {
        let devices = try pair(("Legs", ["1", "w", "2", "3"]), ("Legs", ["3", "x", "2", "1"]), seed)
        for device in [devices[1], devices[0], devices[1]] { try device.sync() }
        for device in devices {
            #expect(try blocks(device).filter { $0 != "x" } == ["1", "w", "2", "3"])
            #expect(try blocks(device).firstIndex(of: "x").map { [1, 2].contains($0) } == true)
            #expect(try device.replica().conflicts().isEmpty)
            #expect(try device.sync().isIdle)
        }
    }

    @Test("A store that differs in the order alone publishes nothing, and gets the others' order")
    func orderAlone() throws {
        let devices = try pair(("Legs", ["1", "2", "3"]), ("Legs", ["3", "2", "1"]))
        #expect(try devices[1].sync().published.isEmpty)
        #expect(try blocks(devices[1]) == ["1", "2", "3"])
        // From then on it moves what it moves.
        try devices[1].sql("UPDATE block SET position = position + 100; UPDATE block SET position = 102 - position")
        for device in [devices[1], devices[0]] { try device.sync() }
        for device in devices { #expect(try blocks(device) == ["3", "2", "1"]) }
    }

    @Test("What a person moved stays moved where the replica's file is an older copy")
    func olderReplica() throws {
        let devices = try pair(("Legs", []), ("Legs", []))
        let (laptop, phone) = (devices[0], devices[1])
        for device in [phone, laptop] { try device.sync() }
        let file = URL(fileURLWithPath: phone.store + ".foldersync")
        let state = try Data(contentsOf: file)
        try insertSession(laptop, "t", at: 2, "Arms")
        try insertBlocks(laptop, ["1", "2", "3"], of: "t")
        for device in [laptop, phone] { try device.sync() }
        try phone.sql("UPDATE block SET position = position + 100; UPDATE block SET position = 102 - position")
        try state.write(to: file)
        let stopped = #expect(throws: SyncError.self) { try phone.sync() }
        try phone.sync(.accept(try #require(stopped?.massChange)))
        for device in [laptop, phone] { try device.sync() }
        for device in devices { #expect(try blocks(device) == ["3", "2", "1"]) }
    }

    @Test("A block that one moves while another joins is one conflict")
    func movedMeanwhile() throws {
        let devices = try pair(("Legs", ["1", "2", "3", "4"]), ("Leg day", ["1", "2", "3", "4"]))
        try devices[1].sync()
        // The laptop has not read what the phone wrote.
        try devices[0].sql(
            """
            UPDATE block SET position = position + 101;
            UPDATE block SET position = iif(id = '4', 0, position - 100);
            """
        )
        for device in [devices[0], devices[1], devices[0]] { try device.sync() }
        for device in devices {
            #expect(try blocks(device).filter { $0 != "4" } == ["1", "2", "3"])
            let moved = try device.replica().conflicts().filter { $0.kind == .moved }
            #expect(moved.map(\.element) == ["4"])
        }
    }

    @Test("New sessions stay in place where a joining store has all others otherwise", arguments: UInt64(1)...6)
    func sessions(seed: UInt64) throws {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Phone"].map { try Device($0, .bztimer, in: sandbox) }
        for (index, device) in devices.enumerated() {
            device.seedNames(seed &* 2 &+ UInt64(index))
            let ids = index == 0 ? ["a", "n", "b", "c"] : ["a", "b", "c"]
            for (place, id) in ids.enumerated() {
                try insertSession(device, id, at: place, "\(id) \(device.name)")
            }
        }
        try devices[0].makeSpace()
        try devices[0].sync()
        try devices[1].join()
        for device in [devices[1], devices[0], devices[1]] { try device.sync() }
        for device in devices {
            #expect(try device.column("SELECT id FROM session ORDER BY position") == ["a", "n", "b", "c"])
            #expect(try device.replica().conflicts().filter { $0.kind == .moved }.isEmpty)
        }
    }
}
