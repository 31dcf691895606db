import AgeFile
import DirectorySync
import FolderEncryption
import Foundation
import RecordStore
import StrictJSON
import TestSupport
import Testing

/// Who carries an encrypted folder changes, cuts, swaps, replays and removes its files, one at a time: devices go on or
/// refuse by name, nothing is lost and nothing forged is taken, and once the true file is back all devices are in step.
@Suite("Hostile carriers")
struct HostileCarrierTests {
    /// What is done to one file.
    enum Act: String, CaseIterable, Sendable {
        case turnedAtBeginning, turnedInMiddle, turnedAtEnd, cut, empty, swappedInKind, swappedWithOther, ofOtherSpace
        case deleted, replayed
    }

    /// An encrypted folder with each kind of file, and what its devices have.
    private struct Scene {
        let sandbox: Sandbox
        /// The true files.
        let files: [String: [UInt8]]
        /// Files that were there before, and were removed.
        let old: [String: [UInt8]]
        let before: [String: String]
        let after: [String: String]

        var folder: String { sandbox.path("shared") }
        func device(_ name: String) throws -> Device { try Device(name, in: sandbox, isEncrypted: true) }
    }

    private static func bytes(_ folder: String) throws -> [String: [UInt8]] {
        try Transport.snapshot(folder).mapValues { [UInt8]($0) }
    }

    /// A laptop that went on after the phone's last sync: packs, checkpoints, segments, marks, notes, two epochs, slots of
    /// each kind and a request.
    private static func scene() throws -> Scene {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, isEncrypted: true)
        let phone = try Device("Phone", in: sandbox, isEncrypted: true)
        try laptop.addTask("t1", "Milk")
        try laptop.addTask("t2", "Bread")
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sync()
        var old = try bytes(laptop.folder)
        for number in 0..<4 {
            try laptop.setTitle("t1", "Milk \(number)")
            try laptop.sync()
        }
        try phone.sync()
        try old.merge(bytes(laptop.folder)) { $1 }
        let before = try phone.titles()
        _ = try laptop.replica().compact()
        let keys = try #require(try EncryptedRun.keys(laptop.folder, laptop.environment))
        _ = try keys.rotate(EncryptedRun.locks())
        try laptop.setTitle("t2", "Rye bread")
        try laptop.sync()
        try laptop.addTask("t3", "Salt")
        try laptop.sync()
        let tablet = try Device("Tablet", in: sandbox, isEncrypted: true)
        _ = try #require(try EncryptedRun.keys(tablet.folder, tablet.environment)).request()
        let files = try bytes(laptop.folder).filter { !$0.key.hasPrefix("README") }
        return Scene(
            sandbox: sandbox,
            files: files,
            old: old.filter { files[$0.key] == nil },
            before: before,
            after: try laptop.titles()
        )
    }

    private static func kind(_ file: String) -> String { String(file.split(separator: ".").last ?? "") }

    /// What the carrier shows in place of a file; nil where it shows none.
    private static func changed(_ file: String, _ act: Act, _ scene: Scene, _ other: [String: [UInt8]]) -> [UInt8]? {
        var bytes = scene.files[file] ?? []
        func turn(_ place: Int) { bytes[max(0, min(place, bytes.count - 1))] ^= 0x10 }
        let peers = scene.files.keys.sorted().filter { $0 != file }
        switch act {
        case .turnedAtBeginning: turn(8)
        case .turnedInMiddle: turn(bytes.count / 2)
        case .turnedAtEnd: turn(bytes.count - 1)
        case .cut: bytes.removeLast(bytes.count / 3)
        case .empty: bytes = []
        case .swappedInKind: bytes = peers.first { kind($0) == kind(file) }.flatMap { scene.files[$0] } ?? []
        case .swappedWithOther: bytes = peers.last { kind($0) != kind(file) }.flatMap { scene.files[$0] } ?? []
        case .ofOtherSpace: bytes = other.keys.sorted().first { kind($0) == kind(file) }.flatMap { other[$0] } ?? []
        case .replayed: bytes = scene.old.keys.sorted().first { kind($0) == kind(file) }.flatMap { scene.old[$0] } ?? []
        case .deleted: return nil
        }
        return bytes
    }

    /// Does what a device does, and returns what it named: issues, or the error by which it refused.
    private static func named(_ body: () throws -> [String]) throws -> [String] {
        do {
            return try body()
        } catch let error as DirectoryError {
            return ["\(error)"]
        } catch let error as EncryptionError {
            return [error.message]
        } catch let error as SyncError {
            return ["\(error)"]
        }
    }

    private static func copy(_ scene: Scene) throws -> Scene {
        let sandbox = try Sandbox()
        for name in try FileManager.default.contentsOfDirectory(atPath: scene.sandbox.folder.path) {
            try FileManager.default.copyItem(atPath: scene.sandbox.path(name), toPath: sandbox.path(name))
        }
        return Scene(
            sandbox: sandbox,
            files: scene.files,
            old: scene.old,
            before: scene.before,
            after: scene.after
        )
    }

    /// A device of a copied sandbox, whose store is there.
    private static func device(_ name: String, _ scene: Scene) throws -> Device {
        let empty = try Sandbox()
        let store = scene.sandbox.path("\(name).db")
        for ending in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: store + ending) {
            try FileManager.default.moveItem(atPath: store + ending, toPath: empty.path("kept" + ending))
        }
        let device = try scene.device(name)
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: store + ending)
            guard FileManager.default.fileExists(atPath: empty.path("kept" + ending)) else { continue }
            try FileManager.default.moveItem(atPath: empty.path("kept" + ending), toPath: store + ending)
        }
        return device
    }

    @Test("One file of each kind at a time", arguments: Act.allCases)
    func each(_ act: Act) throws {
        let made = try Self.scene()
        let other = try Self.scene().files
        let kinds = Set(made.files.keys.map(Self.kind))
        #expect(kinds == ["root", "epoch", "slot", "request", "sealed"])
        for file in made.files.keys.sorted() {
            let scene = try Self.copy(made)
            let (laptop, phone) = (try Self.device("Laptop", scene), try Self.device("Phone", scene))
            try phone.addTask("p", "Of the phone")
            let path = scene.folder + "/" + file
            let shown = Self.changed(file, act, scene, other)
            if let shown { try Transport.put(shown, path) } else { try FileManager.default.removeItem(atPath: path) }
            let comment: Comment = "\(act) \(file)"
            let said = try Self.named { try phone.sync().issues.map { "\($0.path) \($0.message)" } }
            let titles = try phone.titles()
            #expect(titles["p"] == "Of the phone", comment)
            for (id, title) in titles where id != "p" {
                #expect(title == scene.before[id] || title == scene.after[id], "\(comment): \(id) is \(title)")
            }
            #expect(Set(scene.before.keys).isSubset(of: titles.keys), comment)
            // What is missing cannot be noticed by who has not seen it; everything else is named.
            var all = scene.after
            all["p"] = "Of the phone"
            if titles != all && act != .deleted { #expect(!said.isEmpty, "\(comment): not in step, and nothing said") }
            let faults = try Self.named { try phone.replica().verify().faults.map { "\($0.path) \($0.message)" } }
            let isThere = FileManager.default.fileExists(atPath: path)
            if ["slot", "epoch", "request"].contains(Self.kind(file)), isThere, act != .deleted {
                #expect(faults.contains { $0.contains(file) }, "\(comment): \(faults)")
            }
            let fresh = try Device("Fresh", in: scene.sandbox, isEncrypted: true)
            _ = try Self.named {
                try fresh.join()
                return try fresh.sync().issues.map(\.message)
            }
            for (id, title) in try fresh.titles() where id != "p" {
                #expect(title == scene.before[id] || title == scene.after[id], "\(comment): \(id) is \(title)")
            }
            // The carrier brings the true file back.
            if let bytes = scene.files[file] { try Transport.put(bytes, path) }
            if try fresh.titles().isEmpty { try fresh.join() }
            for _ in 0..<2 { for device in [phone, laptop, fresh] { try device.sync() } }
            for device in [phone, laptop, fresh] {
                #expect(try device.titles() == all, "\(comment): \(device.name)")
                let left = try device.replica().verify().faults
                #expect(left.isEmpty, "\(comment): \(device.name): \(left)")
            }
        }
    }

    @Test("False passphrase slots do not hide the true one, and a wrong passphrase says what was tried")
    func falseSlots() throws {
        let scene = try Self.scene()
        let space = try Replica.space(of: scene.folder)
        let epoch = try #require(try Transport.files(scene.folder, ending: ".epoch").first)
        let id = epoch.dropFirst("keys/".count).prefix(32)
        func plant(_ count: Int) throws {
            for _ in 0..<count {
                let forged = EpochKey()
                let slot = try Slot.passphrase(AgePassphrase("x"), forged, space: space, workFactor: 10).encoded()
                let text = String(decoding: slot, as: UTF8.self).replacingOccurrences(of: "\(forged.id)", with: id)
                try Transport.put(Array(text.utf8), "\(scene.folder)/keys/\(Hex.hash(Array(text.utf8))).slot")
            }
        }
        try plant(40)
        let fresh = try Device("Fresh", in: scene.sandbox, isEncrypted: true)
        try fresh.join()
        try fresh.sync()
        #expect(try fresh.titles() == scene.after)
        try plant(40)
        let late = try Device("Late", in: scene.sandbox, isEncrypted: true)
        let said = try Self.named {
            try EncryptedRun.unlock(late.folder, late.environment, "wrong")
            return []
        }
        #expect(said.contains { $0.contains("\(FolderKeys.mostTried) of 81 slots were tried") }, "\(said)")
    }

    @Test("Hostile parameters of scrypt are refused by reading alone, which derives nothing")
    func hostileScrypt() throws {
        let good = try Slot.passphrase(AgePassphrase("x"), EpochKey(), space: "s", workFactor: 10).encoded()
        let text = String(decoding: good, as: UTF8.self)
        let found = "\"log2n\":10,\"r\":8,\"p\":1"
        for (log2n, blocks, lanes) in [
            ("40", "8", "1"), ("18", "8", "1"), ("9", "8", "1"), ("10", "1073741824", "1"), ("10", "8", "1073741823"),
            ("17", "9", "1"), ("63", "8", "1"), ("-1", "8", "1"), ("0", "0", "0"), ("16.5", "8", "1"),
            ("1e40", "8", "1"), ("99999999999999999999", "8", "1"), ("\"17\"", "8", "1"),
        ] {
            let hostile = text.replacingOccurrences(
                of: found,
                with: "\"log2n\":\(log2n),\"r\":\(blocks),\"p\":\(lanes)"
            )
            #expect(hostile != text)
            do {
                _ = try Slot(reading: Array(hostile.utf8), space: "s")
                Issue.record("2^\(log2n), \(blocks), \(lanes) was taken")
            } catch {
                #expect(error.code == .workFactor || error.code == .damaged, "\(error)")
            }
        }
    }

    @Test("Where all slots and the epoch's file are lost, a device that takes part writes them again")
    func lostKeys() throws {
        let scene = try Self.scene()
        for file in try Transport.files(scene.folder) where file.hasPrefix("keys/") {
            try FileManager.default.removeItem(atPath: scene.folder + "/" + file)
        }
        let laptop = try Self.device("Laptop", scene)
        #expect(try laptop.replica().verify().faults.contains { $0.message.contains("run foldersync repair") })
        let notes = try laptop.replica().repair().notes
        #expect(notes.contains { $0.contains("key passphrase") } && notes.contains { $0.contains("key recovery") })
        #expect(notes.contains { $0.contains("the slot of the device Phone") }, "\(notes)")
        let phone = try Self.device("Phone", scene)
        try phone.sync()
        #expect(try phone.titles() == scene.after)
        let keys = try #require(try EncryptedRun.keys(laptop.folder, laptop.environment))
        try keys.setPassphrase(AgePassphrase("test"))
        let code = RecoveryCode()
        try keys.setRecoveryCode(code)
        #expect(try laptop.replica().verify().faults.isEmpty)
        let fresh = try Device("Fresh", in: scene.sandbox, isEncrypted: true)
        try fresh.join()
        try fresh.sync()
        #expect(try fresh.titles() == scene.after)
        let other = try Device("Other", in: scene.sandbox, isEncrypted: true)
        #expect(try #require(try EncryptedRun.keys(other.folder, other.environment)).unlock(code).isEmpty)
    }

    @Test("After two rotations at once a new recovery code opens both keys")
    func forkedRecovery() throws {
        let (one, two) = (try Sandbox(), try Sandbox())
        let laptop = try Device("Laptop", in: one, isEncrypted: true)
        let phone = try Device("Phone", in: two, isEncrypted: true)
        try laptop.makeSpace()
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.join()
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        for device in [laptop, phone] {
            let keys = try #require(try EncryptedRun.keys(device.folder, device.environment))
            _ = try keys.rotate(EncryptedRun.locks())
            try device.addTask(device.name, device.name)
            try device.sync()
        }
        for _ in 0..<2 {
            try Transport.bring(from: laptop.folder, to: phone.folder)
            try Transport.bring(from: phone.folder, to: laptop.folder)
            try laptop.sync()
            try phone.sync()
        }
        let code = RecoveryCode()
        try #require(try EncryptedRun.keys(laptop.folder, laptop.environment)).setRecoveryCode(code)
        let fresh = try Device("Fresh", in: one, isEncrypted: true)
        _ = try #require(try EncryptedRun.keys(fresh.folder, fresh.environment)).unlock(code)
        try fresh.join()
        #expect(try fresh.sync().issues.map(\.kind) == [.twoKeys])
        #expect(Set(try fresh.titles().keys) == ["Laptop", "Phone"])
    }
}
