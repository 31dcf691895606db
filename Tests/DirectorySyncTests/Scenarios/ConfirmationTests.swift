import DirectorySync
import Foundation
import StrictJSON
import Testing
import TestSupport

/// Devices say by themselves what they have taken in, and `status` says truthfully what is missing where.
@Suite("Delivery is confirmed")
struct ConfirmationTests {
    private func peer(_ name: String, of device: Device) throws -> ReplicaStatus.Peer {
        try #require(device.replica().status().peers.first { $0.device.name == name })
    }

    private func marks(_ device: Device) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.folder + "/seen").sorted()
    }

    @Test("A device that only takes changes in confirms them one by one, and nobody answers that")
    func partial() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let third = try Device("Third", in: laptop.sandbox)
        try third.join()
        for device in [third, laptop, phone, third, laptop] { try device.sync() }
        for name in ["Phone", "Third"] { #expect(try peer(name, of: laptop).unconfirmed == 0) }
        try laptop.setTitle("t1", "Cream")
        try laptop.sync()
        for name in ["Phone", "Third"] { #expect(try peer(name, of: laptop).unconfirmed == 1) }
        try phone.sync()
        #expect(try peer("Phone", of: laptop).unconfirmed == 0)
        // Who only took the change in knows as well that somebody else has not.
        #expect(try peer("Third", of: phone).unconfirmed == 1)
        let made = laptop.time.now
        for title in ["Butter", "Cheese"] {
            try laptop.setTitle("t1", title)
            try laptop.sync()
        }
        let (late, slow) = (try peer("Phone", of: laptop), try peer("Third", of: laptop))
        #expect(late.unconfirmed == 2 && slow.unconfirmed == 3)
        #expect(late.unconfirmedSince.map { $0 > made } == true && slow.unconfirmedSince.map { $0 <= made } == true)
        for device in [phone, third, laptop] { try device.sync() }
        let files = try Transport.snapshot(laptop.folder)
        for _ in 0..<3 { for device in [laptop, phone, third] { #expect(try device.sync().isIdle) } }
        #expect(try Transport.snapshot(laptop.folder) == files)
        #expect(try marks(laptop).count == 3)
        for device in [laptop, phone, third] {
            #expect(try device.replica().status().peers.allSatisfy { ($0.unconfirmed ?? 0) == 0 && $0.missing == 0 })
        }
        for name in try marks(laptop) {
            #expect(try Transport.snapshot(laptop.folder)["seen/\(name)"]?.isEmpty == true)
        }
    }

    @Test("Of more devices than a name holds each knows what the others have")
    func many() throws {
        let sandbox = try Sandbox()
        let devices = try "abcdefghijklmn".map { try Device("\($0)", in: sandbox) }
        try devices[0].makeSpace()
        for (index, device) in devices.enumerated() {
            if index > 0 { try device.join() }
            try device.addTask("n\(index)", "Task \(index)")
            try device.sync()
        }
        for _ in 0..<2 { for device in devices { try device.sync() } }
        func unconfirmed(_ device: Device) throws -> [Int] {
            try device.replica().status().peers.compactMap(\.unconfirmed)
        }
        for device in devices { #expect(try unconfirmed(device) == Array(repeating: 0, count: 13)) }
        #expect(try marks(devices[0]).count == 14)
        try devices[3].setTitle("n3", "new")
        try devices[3].sync()
        for (index, device) in devices.enumerated() where index != 3 {
            #expect(try unconfirmed(devices[3]).reduce(0, +) == (index < 3 ? 13 - index : 14 - index))
            try device.sync()
        }
        #expect(try unconfirmed(devices[3]).reduce(0, +) == 0)
    }

    @Test("What others have and has not arrived is missing, also of a device of which nothing came")
    func missing() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let third = try Device("Third", in: laptop.sandbox)
        try third.join()
        try third.addTask("t3", "Third")
        for device in [third, laptop, phone] { try device.sync() }
        // The transport brings what the phone says before what it has written.
        let folder = laptop.sandbox.path("other")
        try Transport.bring(from: laptop.folder, to: folder)
        let fourth = try Device("Fourth", in: laptop.sandbox, folder: folder)
        try fourth.join()
        try fourth.sync()
        for _ in 0..<2 {
            try phone.setTitle("t1", "Cream \(phone.time.now)")
            try phone.sync()
        }
        try Transport.bring(from: laptop.folder, to: folder) { $0.hasPrefix("seen/") }
        try fourth.sync()
        #expect(try peer("Phone", of: fourth).missing == 2)
        try Transport.bring(from: laptop.folder, to: folder)
        try fourth.sync()
        #expect(try peer("Phone", of: fourth).missing == 0)
    }

    @Test(
        "A folder that takes no mark keeps nothing from being synchronised; stray names and removed marks are no matter"
    )
    func refused() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.addTask("t2", "Bread")
        for device in [phone, laptop] { try device.sync() }
        try FileManager.default.removeItem(atPath: laptop.folder + "/seen")
        try FileManager.default.createSymbolicLink(atPath: laptop.folder + "/seen", withDestinationPath: "/proc")
        try laptop.setTitle("t1", "Cream")
        let outcome = try laptop.sync()
        #expect(outcome.outbox == nil && outcome.issues.isEmpty)
        try phone.sync()
        #expect(try phone.titles()["t1"] == "Cream")
        #expect(try peer("Phone", of: laptop).unconfirmed == 1)
        try FileManager.default.removeItem(atPath: laptop.folder + "/seen")
        for device in [laptop, phone] { try device.sync() }
        #expect(try peer("Phone", of: laptop).unconfirmed == 0)
        let mark = try #require(marks(laptop).first)
        for name in ["odd", "\(mark) (1)", ".nfs0001", "a.b.00.0a0a0a-1.seen"] {
            try Transport.put([], laptop.folder + "/seen/" + name)
        }
        for device in [laptop, phone, laptop] { #expect(try device.sync().isIdle) }
        #expect(try peer("Phone", of: laptop).unconfirmed == 0)
        #expect(try laptop.replica().status().peers.count == 2)
    }

    @Test("A device that has left does not count, until it comes back")
    func left() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.replica().leave()
        try laptop.setTitle("t1", "Cream")
        try laptop.sync()
        #expect(try peer("Phone", of: laptop).hasLeft)
        try phone.join()
        try phone.sync()
        #expect(try !peer("Phone", of: laptop).hasLeft)
        #expect(try peer("Phone", of: laptop).unconfirmed == 0)
    }

    @Test("Status begins with one sentence that is true")
    func sentence() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let third = Machine("Third", in: sandbox)
        func first(_ machine: Machine) async throws -> String {
            func line() async throws -> String {
                try await machine.run("status").output.split(separator: "\n").first.map(String.init) ?? ""
            }
            var (before, text) = (try await line(), "")
            var json = JSONValue.null
            // The sentence has ages: between two runs one may become a minute more.
            while text != before {
                if !text.isEmpty { before = text }
                json = try await machine.run("status", "--format", "json").json
                text = try await line()
            }
            #expect(json["summary"]?.string == text && json["upToDate"]?.bool == text.contains(" up to date"))
            return text
        }
        #expect(try await first(laptop) == "All 2 devices are up to date.")
        #expect(try await third.run("join", "share", "--create", "slate=\(third.store)", "--name", "Third").status == 0)
        for machine in [laptop, tower, third, laptop] { try await machine.run("sync") }
        for machine in [laptop, tower, third] { #expect(try await first(machine) == "All 3 devices are up to date.") }
        try laptop.sql(Machine.rename("t1", "Cream"))
        #expect(try await first(laptop) == "1 changed record of Slate not synced yet.")
        try await laptop.run("sync")
        try await tower.run("sync")
        let missing = try await first(laptop)
        #expect(missing.hasPrefix("1 change not yet confirmed by Third (made just now, last seen "), "\(missing)")
        #expect(try await first(third) == "1 change of Laptop not yet taken in: run sync.")
        #expect(try await laptop.run("devices", "retire", "Third").status == 0)
        #expect(try await first(laptop) == "All 2 devices are up to date.")
        #expect(try await tower.run("leave", "share", "--yes").status == 0)
        #expect(try await first(laptop) == "This device is up to date; the others have left or are retired.")
        try sandbox.remove("share")
        #expect(try await first(laptop).contains("cannot be used now"))
    }

    @Test("Changes that lie in the folder are counted before a sync reads them, and make their device known")
    func unread() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        try phone.addTask("t2", "Bread")
        try phone.sync()
        #expect(try peer("Phone", of: laptop).unread == 1 && peer("Phone", of: laptop).missing == 0)
        // Its mark is late, or was removed.
        try FileManager.default.removeItem(atPath: laptop.folder + "/seen")
        #expect(try peer("Phone", of: laptop).unread == 1 && peer("Phone", of: laptop).unconfirmed == 0)
        try laptop.sync()
        #expect(try peer("Phone", of: laptop).unread == 0)
    }

    @Test("A device without a mark, as one with an inbox elsewhere, lacks what its changes do not say")
    func withoutMark() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let third = try Device("Third", in: laptop.sandbox)
        try third.join()
        for device in [third, laptop, phone, third] { try device.sync() }
        try third.addTask("t3", "Third")
        for device in [third, laptop, phone] { try device.sync() }
        try FileManager.default.removeItem(atPath: laptop.folder + "/seen")
        try laptop.setTitle("t1", "Cream")
        for device in [laptop, phone] { try device.sync() }
        #expect(try peer("Third", of: laptop).unconfirmed == 1)
        #expect(try peer("Third", of: phone).unconfirmed == 1)
    }
}
