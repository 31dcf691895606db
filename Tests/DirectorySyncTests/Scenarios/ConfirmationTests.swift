import DirectorySync
import Foundation
import SQLiteDatabase
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

    /// The segments of a device's writer in the folder, in order.
    private func segments(_ device: Device) throws -> [String] {
        let state = try DatabaseQueue(path: device.store + ".foldersync")
        let sql = "SELECT value FROM property WHERE name = 'writer'"
        let writer = try #require(try state.read { try String.fetchOne($0, sql: sql) })
        return try Transport.segments(device.folder).filter { $0.hasPrefix("w/\(writer)/") }
    }

    private func remove(_ file: String, _ device: Device) throws {
        try FileManager.default.removeItem(atPath: device.folder + "/" + file)
    }

    @Test("Nobody waits for what only a retired device tells of; what another one tells is missing")
    func retired() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let third = try Device("Third", in: laptop.sandbox)
        try third.join()
        try phone.addTask("p", "Of the phone")
        for device in [third, laptop, phone, third, laptop] { try device.sync() }
        let folder = laptop.sandbox.path("other")
        try Transport.bring(from: laptop.folder, to: folder)
        let fourth = try Device("Fourth", in: laptop.sandbox, folder: folder)
        try fourth.join()
        try fourth.sync()
        try phone.setTitle("t1", "Cream")
        for device in [phone, third] { try device.sync() }
        func bringMark(of device: Device) throws {
            let id = device.environment.device.id
            try Transport.bring(from: laptop.folder, to: folder) { $0.hasPrefix("seen/") && $0.contains(".\(id).") }
        }
        try bringMark(of: third)
        #expect(try peer("Phone", of: fourth).missing == 1)
        // What others have and what did not arrive is no fault of the folder.
        #expect(try fourth.replica().verify().faults.isEmpty)
        try fourth.replica().retire(third.environment.device, isUndone: false)
        #expect(try peer("Phone", of: fourth).missing == 0)
        try bringMark(of: phone)
        #expect(try peer("Phone", of: fourth).missing == 1)
        #expect(try fourth.replica().verify().faults.isEmpty)
        try Transport.bring(from: laptop.folder, to: folder)
        #expect(try peer("Phone", of: fourth).missing == 0 && peer("Phone", of: fourth).unread == 1)
        try fourth.sync()
        #expect(try peer("Phone", of: fourth).missing == 0 && peer("Phone", of: fourth).unread == 0)
    }

    @Test("What an unread checkpoint holds is not missing, but not taken in; what it lacks is missing")
    func unreadCheckpoint() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        for number in 1...3 {
            try phone.addTask("p\(number)", "Of the phone")
            try phone.sync()
        }
        _ = try phone.replica().repair()
        try phone.addTask("p4", "Of the phone")
        try phone.sync()
        let files = try segments(phone)
        #expect(files.count == 4)
        let last = try Data(contentsOf: URL(filePath: phone.folder + "/" + files[3]))
        for file in files { try remove(file, phone) }
        func counts() throws -> [Int] {
            let phone = try peer("Phone", of: laptop)
            return [phone.unread, phone.missing, phone.waiting]
        }
        #expect(try counts() == [3, 1, 0])
        #expect(try laptop.replica().devices().first { !$0.isThis }?.unread == 3)
        try laptop.sync()
        #expect(try counts() == [0, 1, 0])
        #expect(try laptop.titles().keys.sorted() == ["p1", "p2", "p3", "t1"])
        try last.write(to: URL(filePath: phone.folder + "/" + files[3]))
        #expect(try counts() == [1, 0, 0])
        try laptop.sync()
        #expect(try counts() == [0, 0, 0])
    }

    @Test("A checkpoint without any mark is not taken in either")
    func unreadCheckpointAlone() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        try phone.addTask("p", "Of the phone")
        try phone.sync()
        _ = try phone.replica().repair()
        for file in try segments(phone) { try remove(file, phone) }
        try FileManager.default.removeItem(atPath: laptop.folder + "/seen")
        #expect(try peer("Phone", of: laptop).unread == 1 && peer("Phone", of: laptop).missing == 0)
        try laptop.sync()
        #expect(try peer("Phone", of: laptop).unread == 0)
        #expect(try laptop.titles().count == 2)
    }

    @Test("A change that only a transport's copy has is not taken in, and not missing")
    func unreadCopy() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        try phone.addTask("p", "Of the phone")
        try phone.sync()
        let file = try #require(try segments(phone).last)
        let copy = file.dropLast(4) + ".sync-conflict-20260101-120000-ABCDEFG.seg"
        try FileManager.default.moveItem(atPath: phone.folder + "/" + file, toPath: phone.folder + "/" + copy)
        #expect(try peer("Phone", of: laptop).unread == 1 && peer("Phone", of: laptop).missing == 0)
        try laptop.sync()
        #expect(try peer("Phone", of: laptop).unread == 0 && peer("Phone", of: laptop).missing == 0)
        #expect(try laptop.titles().count == 2)
    }

    @Test("A device that was set back is told which changes of its own it has not taken in")
    func setBack() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        let files = [laptop.store, laptop.store + ".foldersync"]
        for file in files { try FileManager.default.copyItem(atPath: file, toPath: file + ".old") }
        try laptop.setTitle("t1", "Cream")
        for device in [laptop, phone] { try device.sync() }
        for file in files {
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.moveItem(atPath: file + ".old", toPath: file)
        }
        #expect(try peer("Laptop", of: laptop).unread == 1 && peer("Laptop", of: laptop).missing == 0)
        try laptop.sync()
        #expect(try peer("Laptop", of: laptop).unread == 0 && peer("Laptop", of: laptop).missing == 0)
        #expect(try laptop.titles() == ["t1": "Cream"])
    }

    @Test("Changes that a device made under the same numbers again are not taken in; those that are known are")
    func fork() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        let folder = laptop.sandbox.path("other")
        try Transport.bring(from: laptop.folder, to: folder)
        let third = try Device("Third", in: laptop.sandbox, folder: folder)
        try third.join()
        try third.sync()
        let shared = try Set(Transport.files(laptop.folder))
        let files = [laptop.store, laptop.store + ".foldersync"]
        for file in files { try FileManager.default.copyItem(atPath: file, toPath: file + ".old") }
        func edit(_ titles: String...) throws {
            for title in titles {
                try laptop.addTask(title, title)
                try laptop.sync()
            }
        }
        try edit("a1", "a2")
        try Transport.bring(from: laptop.folder, to: folder)
        try third.sync()
        // The laptop is set back with the folder.
        for file in try Transport.files(laptop.folder) where !shared.contains(file) { try remove(file, laptop) }
        for file in files {
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.moveItem(atPath: file + ".old", toPath: file)
        }
        try edit("b1", "b2", "b3")
        try Transport.bring(from: laptop.folder, to: folder)
        #expect(try peer("Laptop", of: third).unread == 3)
        // The phone tells the two histories apart.
        try Transport.bring(from: folder, to: laptop.folder)
        try phone.sync()
        _ = try phone.replica().repair()
        try Transport.bring(from: laptop.folder, to: folder)
        for (device, count) in [(third, 3), (laptop, 2)] {
            #expect(try peer("Laptop", of: device).unread == count, "\(device.name)")
            let phone = try peer("Phone", of: device)
            #expect([phone.unread, phone.missing, phone.unconfirmed] == [0, 0, 0], "\(device.name): \(phone)")
            try device.sync()
            #expect(try device.replica().status().peers.allSatisfy { $0.unread == 0 && $0.missing == 0 })
            #expect(try device.titles().count == 6)
        }
    }
}
