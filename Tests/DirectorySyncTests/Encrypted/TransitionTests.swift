import AgeFile
import DirectorySync
import FolderEncryption
import Foundation
import TestSupport
import Testing

/// A plain folder that is encrypted while devices take part in it.
@Suite("Encrypting a plain folder")
struct TransitionTests {
    private func plain(_ device: Device) throws -> [String] {
        try Transport.files(device.folder).filter { file in
            ["w/", "ckpt/", "seen/", "app/"].contains(where: file.hasPrefix)
        }
    }

    /// Three devices, each with a copy of the folder of its own, that transports bring together.
    private func devices() throws -> (Device, Device, Device) {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Phone", "Tower"].map {
            try Device($0, in: sandbox, folder: sandbox.path("share-\($0)"), isEncrypted: false)
        }
        try devices[0].addTask("t1", "Milk")
        try devices[0].addTask("t2", "Bread")
        try devices[0].makeSpace()
        try devices[0].sync()
        for device in devices.dropFirst() {
            try Transport.bring(from: devices[0].folder, to: device.folder)
            try device.join()
            try device.sync()
            try Transport.bring(from: device.folder, to: devices[0].folder)
        }
        try devices[0].sync()
        for device in devices.dropFirst() { try Transport.bring(from: devices[0].folder, to: device.folder) }
        return (devices[0], devices[1], devices[2])
    }

    /// Synchronises the devices, and brings what each writes and removes to the others.
    private func exchange(_ devices: Device...) throws {
        for one in devices {
            for other in devices where other !== one { try Transport.bring(from: one.folder, to: other.folder) }
        }
        for _ in 0..<3 {
            for device in devices {
                let before = try Set(Transport.files(device.folder))
                try device.sync()
                let removed = try before.subtracting(Transport.files(device.folder))
                for other in devices where other !== device {
                    for file in removed { try? FileManager.default.removeItem(atPath: other.folder + "/" + file) }
                    try Transport.bring(from: device.folder, to: other.folder)
                }
            }
        }
    }

    @Test("Devices go over one by one; the plain files go with the last, and nothing is lost")
    func step() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread", isEncrypted: false)
        try phone.setTitle("t2", "Rye bread")
        try phone.sync()
        try EncryptedRun.encrypt(laptop)
        #expect(try !plain(laptop).isEmpty)
        try laptop.sync()
        #expect(try laptop.titles()["t2"] == "Rye bread")
        let before = try phone.rows("tasks")
        try phone.setTitle("t1", "Oat milk")
        let refused = try directoryError { try phone.sync() }
        #expect(refused?.code == .noKey && refused?.message.contains("foldersync join") == true)
        #expect(try phone.rows("tasks").count == before.count && !plain(laptop).isEmpty)
        let waiting = try laptop.sync()
        #expect(waiting.notes.contains { $0.contains("Phone") && $0.contains("plain files") }, "\(waiting.notes)")
        try EncryptedRun.goOver(phone)
        try phone.sync()
        #expect(try plain(laptop).isEmpty)
        try laptop.sync()
        try phone.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Rye bread"] && phone.titles() == laptop.titles())
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
        #expect(try laptop.replica().verify().faults.isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        // A new device needs nothing else.
        let tablet = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        try tablet.join()
        try tablet.sync()
        #expect(try tablet.titles() == laptop.titles())
    }

    @Test("Where the device cannot keep its keys, the folder stays plain, and the encryption goes on later")
    func withoutPlaceForKeys() throws {
        let (laptop, _) = try Device.pair("Milk", "Bread", isEncrypted: false)
        laptop.environment.keys = KeyStore(folder: try laptop.sandbox.write("taken", "no folder"))
        #expect(throws: DirectoryError.self) { try EncryptedRun.encrypt(laptop) }
        #expect(try EncryptedRun.keys(laptop.folder, laptop.environment)?.progress() == .begun)
        #expect(try !plain(laptop).isEmpty)
        laptop.environment.keys = nil
        try laptop.setTitle("t1", "Oat milk")
        #expect(try laptop.sync().outbox == nil)
        EncryptedRun.allowKeys(laptop)
        let keys = try #require(try EncryptedRun.keys(laptop.folder, laptop.environment))
        let passphrase = try AgePassphrase("test")
        _ = try keys.encrypt(goingOnWith: passphrase, laptop.environment.device, laptop.environment)
        #expect(try keys.progress() == .encrypted && keys.isUnlocked)
        #expect(try laptop.sync().outbox == nil)
    }

    @Test("What devices wrote before they knew is taken in, however late it arrives", arguments: [false, true])
    func late(_ isRotated: Bool) throws {
        let (laptop, phone, tower) = try devices()
        try tower.setTitle("t1", "Written by the tower")
        try tower.addTask("t3", "Only the tower has it")
        try tower.sync()
        _ = try tower.replica().compact()
        try EncryptedRun.encrypt(laptop)
        try laptop.sync()
        if isRotated {
            _ = try #require(try EncryptedRun.keys(laptop.folder, laptop.environment)).rotate(EncryptedRun.locks())
        }
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try EncryptedRun.goOver(phone)
        try exchange(laptop, phone)
        try Transport.bring(from: tower.folder, to: laptop.folder)
        try exchange(laptop, phone)
        #expect(try phone.titles()["t3"] == "Only the tower has it")
        #expect(try phone.titles()["t1"] == "Written by the tower")
        try Transport.bring(from: phone.folder, to: tower.folder)
        try EncryptedRun.goOver(tower)
        try tower.setTitle("t2", "and now encrypted")
        try exchange(tower, laptop, phone)
        #expect(try laptop.titles()["t2"] == "and now encrypted")
        for device in [laptop, phone, tower] { #expect(try plain(device).isEmpty, "\(device.name)") }
        #expect(try laptop.replica().stateText() == tower.replica().stateText())
        #expect(try laptop.replica().verify().faults.isEmpty)
    }

    @Test("A device that was retired, and comes back when nothing plain is taken in any more, brings what it wrote")
    func back() throws {
        let (laptop, phone, tower) = try devices()
        try tower.addTask("t3", "Written a year ago")
        try tower.sync()
        try EncryptedRun.encrypt(laptop)
        try laptop.replica().retire(tower.environment.device, isUndone: false)
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try EncryptedRun.goOver(phone)
        try exchange(phone, laptop)
        #expect(try plain(laptop).isEmpty)
        laptop.time.advance(365 * 86_400_000)
        try Transport.bring(from: tower.folder, to: laptop.folder)
        let note = try laptop.sync().notes
        #expect(note.contains { $0.contains("not encrypted") && $0.contains("w/") }, "\(note)")
        #expect(try laptop.titles()["t3"] == nil)
        try Transport.bring(from: laptop.folder, to: tower.folder)
        try EncryptedRun.goOver(tower)
        try exchange(tower, laptop, phone)
        #expect(try laptop.titles()["t3"] == "Written a year ago" && phone.titles() == laptop.titles())
        for device in [laptop, phone, tower] { #expect(try plain(device).isEmpty, "\(device.name)") }
    }

    @Test("When all have gone over, nothing plain is taken in, also where the mark of that is hidden")
    func forged() throws {
        let (laptop, phone, tower) = try devices()
        // Who carries the folder makes a change in a copy from before.
        let thief = try Device(
            "Thief",
            in: laptop.sandbox,
            folder: laptop.sandbox.path("share-Thief"),
            isEncrypted: false
        )
        try Transport.bring(from: laptop.folder, to: thief.folder)
        try thief.join()
        try thief.sync()
        try EncryptedRun.encrypt(laptop)
        for device in [phone, tower] {
            try Transport.bring(from: laptop.folder, to: device.folder)
            try EncryptedRun.goOver(device)
        }
        try exchange(laptop, phone, tower)
        try exchange(laptop, phone, tower)
        #expect(try plain(laptop).isEmpty)
        try thief.addTask("forged", "Pay the carrier")
        try thief.setTitle("t1", "Forged")
        try thief.sync()
        let sealed = try Transport.files(phone.folder).filter { $0.hasPrefix("sealed/") }
        for hidden in [""] + sealed {
            let bytes = try? Data(contentsOf: URL(filePath: phone.folder + "/" + hidden))
            if !hidden.isEmpty { try FileManager.default.removeItem(atPath: phone.folder + "/" + hidden) }
            for file in try plain(thief) { try Transport.bring(file, from: thief.folder, to: phone.folder) }
            let outcome = try phone.sync()
            #expect(try phone.titles()["forged"] == nil && phone.titles()["t1"] == "Milk", "\(hidden)")
            if hidden.isEmpty { #expect(outcome.notes.contains { $0.contains("not encrypted") }, "\(outcome.notes)") }
            if !hidden.isEmpty { try bytes?.write(to: URL(filePath: phone.folder + "/" + hidden)) }
        }
    }

    @Test("Two devices that encrypt the folder at once come together when each opens the other's keys")
    func twice() throws {
        let (laptop, phone, tower) = try devices()
        try tower.addTask("t3", "Eggs")
        try tower.sync()
        try EncryptedRun.encrypt(laptop, "laptop's")
        try EncryptedRun.encrypt(phone, "phone's")
        try phone.setTitle("t1", "Oat milk")
        try laptop.sync()
        try phone.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try Transport.bring(from: phone.folder, to: laptop.folder)
        let told = try laptop.sync().issues.map(\.message)
        #expect(told.contains { $0.contains("key unlock") }, "\(told)")
        for (device, passphrase) in [(laptop, "phone's"), (phone, "laptop's")] {
            let keys = try #require(try EncryptedRun.keys(device.folder, device.environment))
            _ = try keys.unlock(AgePassphrase(passphrase))
            try keys.announce(device.environment.device)
        }
        try exchange(laptop, phone)
        #expect(try laptop.titles()["t1"] == "Oat milk")
        let keys = try #require(try EncryptedRun.keys(laptop.folder, laptop.environment))
        _ = try keys.rotate(EncryptedRun.locks("both"))
        try exchange(laptop, phone)
        #expect(try keys.status().faults.isEmpty)
        try Transport.bring(from: tower.folder, to: laptop.folder)
        try Transport.bring(from: laptop.folder, to: tower.folder)
        try EncryptedRun.goOver(tower, "both")
        try exchange(laptop, phone, tower)
        #expect(try phone.titles()["t3"] == "Eggs" && laptop.titles() == phone.titles())
        #expect(try tower.titles() == laptop.titles())
        #expect(try plain(laptop).isEmpty)
        #expect(try laptop.replica().stateText() == tower.replica().stateText())
    }

    @Test("A device that has not gone over writes no marker that says the folder is plain")
    func marker() throws {
        let (laptop, phone) = try Device.pair("Milk", isEncrypted: false)
        try EncryptedRun.encrypt(laptop)
        let root = try #require(try Transport.files(laptop.folder).first { $0.hasSuffix(".root") })
        try FileManager.default.removeItem(atPath: laptop.folder + "/" + root)
        #expect(try directoryError { _ = try phone.replica().repair() } != nil)
        #expect(try !Transport.files(laptop.folder).contains { $0.hasSuffix(".root") })
        _ = try laptop.replica().repair()
        try laptop.sync()
        try EncryptedRun.goOver(phone)
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Milk"])
    }
}
