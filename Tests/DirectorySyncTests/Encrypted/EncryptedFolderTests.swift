import AgeFile
import ArchiveCompression
@testable import DirectorySync
import FolderEncryption
import Foundation
import RecordStore
import StrictJSON
import TestSupport
import Testing

/// Devices that share an encrypted folder.
@Suite("Encrypted folders")
struct EncryptedFolderTests {
    private func pair(_ titles: String...) throws -> (laptop: Device, phone: Device) {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, isEncrypted: true)
        let phone = try Device("Phone", in: sandbox, isEncrypted: true)
        for (index, title) in titles.enumerated() { try laptop.addTask("t\(index + 1)", title) }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (laptop, phone)
    }

    private func keys(_ device: Device) throws -> FolderKeys {
        try #require(try EncryptedRun.keys(device.folder, device.environment))
    }

    private func stored(_ device: Device) throws -> [String] {
        try Transport.files(device.folder).filter { $0.hasPrefix("sealed/") }
    }

    @Test("Changes go both ways, and both devices are up to date")
    func step() throws {
        let (laptop, phone) = try pair("Milk", "Bread")
        #expect(try phone.titles() == ["t1": "Milk", "t2": "Bread"])
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles()["t1"] == "Oat milk")
        try phone.sync()
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
        #expect(try laptop.replica().verify().faults.isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("Nothing in the folder tells a title, a device, an app, a writer or a count")
    func scan() throws {
        let (laptop, phone) = try pair("Buy blue paint", "Renew the passport")
        for number in 0..<8 {
            try laptop.setTitle("t1", "Paint number \(number)")
            try laptop.sync()
        }
        try phone.sync()
        _ = try laptop.replica().compact()
        let words = [
            "paint", "passport", "laptop", "phone", "slate", "tasks", "title", "foldersync test", "satchel-segment",
        ]
        // Random Base64 has a word of five letters now and then, if the case does not count.
        let cased = words + words.map(\.capitalized)
        let hidden = cased + cased.map { Data($0.utf8).map { String(format: "%02x", $0) }.joined() }
        var sizes: [Int] = []
        for file in try Transport.files(laptop.folder) where file != "README.txt" {
            let bytes = try [UInt8](Data(contentsOf: URL(filePath: laptop.folder + "/" + file)))
            let text = file + String(decoding: bytes, as: Unicode.ASCII.self)
            for word in hidden { #expect(!text.contains(word), "\(file) has \(word)") }
            guard file.hasPrefix("sealed/") else { continue }
            sizes.append(bytes.count)
            // What is sealed looks like random bytes: of 1,568 no value is there 40 times.
            var counts = [Int](repeating: 0, count: 256)
            for byte in bytes.dropFirst(64) { counts[Int(byte)] += 1 }
            #expect((counts.max() ?? 0) < 40 + bytes.count / 64, "\(file)")
            let name = file.dropFirst("sealed/".count)
            #expect(name.utf8.count == 65 + SealedName.ending.utf8.count)
        }
        // A mark and a change of one record have one size.
        #expect(Set(sizes).count <= 4, "\(sizes)")
        #expect(!FileManager.default.fileExists(atPath: laptop.folder + "/w"))
    }

    @Test("Each kind of file, turned at any place, is refused and named, and nothing is lost", arguments: [0, 70, 600])
    func turned(_ offset: Int) throws {
        let (laptop, phone) = try pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        for file in try stored(laptop) {
            let path = laptop.folder + "/" + file
            // A device replaces its mark.
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let sound = try [UInt8](Data(contentsOf: URL(filePath: path)))
            for place in [offset, sound.count - 1 - offset] {
                var bad = sound
                bad[place] ^= 0x10
                try Transport.put(bad, path)
                _ = try phone.sync()
                try #require(try phone.titles()["t1"]?.contains("ilk") == true)
                let faults = try phone.replica().verify().faults
                // A mark has no content to read: verify opens changes and states.
                #expect(faults.allSatisfy { $0.path.contains(file) || $0.path.hasSuffix(file) }, "\(faults)")
            }
            try Transport.put(sound, path)
        }
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        #expect(try phone.replica().verify().faults.isEmpty)
    }

    @Test("Files under each other's names, cut and empty files are refused, and read when they are whole")
    func swapped() throws {
        let (laptop, phone) = try pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        try laptop.addTask("t2", "Bread")
        try laptop.sync()
        let before = Set(try stored(phone))
        let files = try stored(laptop)
        let sound = try files.map { try [UInt8](Data(contentsOf: URL(filePath: laptop.folder + "/" + $0))) }
        let fresh = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        _ = try keys(fresh).unlock(AgePassphrase("test"))
        for (index, file) in files.enumerated() {
            try Transport.put(sound[(index + 1) % files.count], laptop.folder + "/" + file)
        }
        try fresh.join()
        let refused = try fresh.sync()
        #expect(try fresh.titles().isEmpty)
        #expect(refused.issues.count { $0.kind == .damaged } >= files.count - 1, "\(refused.issues)")
        for file in files { try Transport.put([], laptop.folder + "/" + file) }
        #expect(try fresh.sync().issues.allSatisfy { $0.kind == .damaged })
        for (index, file) in files.enumerated() {
            try Transport.put(Array(sound[index].prefix(700)), laptop.folder + "/" + file)
        }
        #expect(try fresh.sync().issues.allSatisfy { $0.kind == .damaged })
        for (index, file) in files.enumerated() { try Transport.put(sound[index], laptop.folder + "/" + file) }
        try fresh.sync()
        #expect(try fresh.titles() == ["t1": "Oat milk", "t2": "Bread"])
        #expect(before.isSubset(of: files))
    }

    @Test("A transport's conflict copies, alone or beside the file, change nothing and lose nothing")
    func conflictCopies() throws {
        let (laptop, phone) = try pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        let before = Set(try stored(laptop))
        try laptop.sync()
        for file in try stored(laptop) where !before.contains(file) {
            let copy = file.replacingOccurrences(of: ".sealed", with: ".sync-conflict-20260101-120000-ABCDEFG.sealed")
            try FileManager.default.moveItem(atPath: laptop.folder + "/" + file, toPath: laptop.folder + "/" + copy)
        }
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        let file = try #require(try stored(laptop).first { !$0.contains("conflict") })
        try Transport.bring(
            file,
            from: laptop.folder,
            to: laptop.folder,
            as: file.replacingOccurrences(of: ".sealed", with: " (1).sealed")
        )
        try Transport.put(
            [1, 2, 3],
            laptop.folder + "/" + file.replacingOccurrences(of: ".sealed", with: " (2).sealed")
        )
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.replica().verify().faults.isEmpty)
    }

    @Test("A whole conflict copy is read in the place of a file that was cut")
    func copyOfCutFile() throws {
        let (laptop, phone) = try pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        let before = Set(try stored(laptop))
        try laptop.sync()
        for file in try stored(laptop) where !before.contains(file) {
            let copy = file.replacingOccurrences(of: ".sealed", with: ".sync-conflict-20260101-120000-ABCDEFG.sealed")
            try Transport.bring(file, from: laptop.folder, to: laptop.folder, as: copy)
            let whole = try [UInt8](Data(contentsOf: URL(filePath: laptop.folder + "/" + file)))
            try Transport.put(Array(whole.prefix(300)), laptop.folder + "/" + file)
        }
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.titles() == ["t1": "Oat milk"])
    }

    @Test("A folder that was set back to before a new key is told by sync and status, and repair mends it")
    func setBack() throws {
        let (laptop, phone) = try pair("Milk")
        let before = try Transport.snapshot(laptop.folder)
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        try laptop.sync()
        #expect(try phone.sync().issues.isEmpty)
        for file in try Transport.files(laptop.folder) {
            try FileManager.default.removeItem(atPath: laptop.folder + "/" + file)
        }
        for (file, bytes) in before { try Transport.put([UInt8](bytes), laptop.folder + "/" + file) }
        func isTold(_ issues: [SyncIssue]) -> Bool {
            issues.contains {
                $0.message.contains("key is not there any more") && $0.message.contains("foldersync repair")
            }
        }
        #expect(try isTold(phone.sync().issues))
        #expect(try isTold(phone.replica().status().issues))
        #expect(try isTold(phone.replica().verify().faults))
        #expect(try keys(phone).status().faults.contains { $0.contains("foldersync repair") })
        _ = try laptop.replica().repair()
        #expect(try !isTold(phone.sync().issues))
    }

    @Test("A stale listing changes nothing, and a removed file is published again by repair")
    func stale() throws {
        let (laptop, phone) = try pair("Milk")
        let files = try stored(laptop)
        let kept = try files.map { ($0, try [UInt8](Data(contentsOf: URL(filePath: laptop.folder + "/" + $0)))) }
        for file in files { try FileManager.default.removeItem(atPath: laptop.folder + "/" + file) }
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        _ = try laptop.replica().repair()
        let fresh = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        try fresh.join()
        try fresh.sync()
        #expect(try fresh.titles() == ["t1": "Oat milk"])
        for (file, bytes) in kept { try Transport.put(bytes, laptop.folder + "/" + file) }
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
    }

    @Test("A wrong passphrase changes nothing and is told from a damaged slot")
    func wrongPassphrase() throws {
        let (laptop, _) = try pair("Milk")
        let fresh = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        let before = try Transport.snapshot(laptop.folder)
        do {
            try EncryptedRun.unlock(fresh.folder, fresh.environment, "wrong")
            Issue.record("a wrong passphrase opened the folder")
        } catch let error as EncryptionError {
            #expect(error.code == .wrongPassphrase)
        }
        #expect(try Transport.snapshot(laptop.folder) == before)
        #expect(try !keys(fresh).isUnlocked)
        for slot in try Transport.files(laptop.folder, ending: ".slot") {
            try Transport.put(Array("{\"format\":\"satchel-slot\"}".utf8), laptop.folder + "/" + slot)
        }
        do {
            try EncryptedRun.unlock(fresh.folder, fresh.environment)
            Issue.record("damaged slots opened the folder")
        } catch let error as EncryptionError {
            #expect(error.code == .noSlot && error.message.contains(".slot"), "\(error)")
        }
        // Any device that takes part can write new ones.
        try keys(laptop).setPassphrase(AgePassphrase("other"))
        try EncryptedRun.unlock(fresh.folder, fresh.environment, "other")
        try fresh.join()
        try fresh.sync()
        #expect(try fresh.titles() == ["t1": "Milk"])
    }

    @Test("A damaged and a hostile slot beside a good one are named, and the good one opens the folder")
    func oneGoodSlot() throws {
        let (laptop, _) = try pair("Milk")
        let space = try Replica.space(of: laptop.folder)
        let good = try Slot.passphrase(AgePassphrase("x"), EpochKey(), space: space, workFactor: 10).encoded()
        let hostile = Array(
            String(decoding: good, as: UTF8.self).replacingOccurrences(of: "\"log2n\":10", with: "\"log2n\":40").utf8
        )
        try Transport.put(hostile, "\(laptop.folder)/keys/\(Hex.hash(hostile)).slot")
        try Transport.put([0], "\(laptop.folder)/keys/\(Hex.hash(good)).slot")
        let fresh = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        let faults = try keys(fresh).unlock(AgePassphrase("test"))
        #expect(faults.count == 2 && faults.contains { $0.contains("2^40") }, "\(faults)")
    }

    @Test("The recovery code opens the folder, and a new one replaces the old")
    func recovery() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, isEncrypted: true)
        let locks = try EncryptedRun.locks()
        let space = try Replica.makeSpace(in: laptop.folder, locks, laptop.environment)
        try Replica.join(folder: laptop.folder, space: space, store: laptop.store, laptop.environment)
        try laptop.sync()
        let phone = try Device("Phone", in: sandbox, isEncrypted: true)
        #expect(try keys(phone).unlock(RecoveryCode(reading: locks.recovery.text())).isEmpty)
        let other = RecoveryCode()
        try keys(laptop).setRecoveryCode(other)
        let tablet = try Device("Tablet", in: sandbox, isEncrypted: true)
        #expect(throws: EncryptionError.self) { try self.keys(tablet).unlock(locks.recovery) }
        #expect(try keys(tablet).unlock(other).isEmpty)
    }

    @Test("A device asks to take part, is admitted, and trusts only the member's answer")
    func request() throws {
        let (laptop, _) = try pair("Milk")
        let tablet = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        let words = try keys(tablet).request()
        #expect(try keys(tablet).request() == words && keys(tablet).answers().isEmpty)
        let request = try #require(try keys(laptop).requests().first)
        #expect(request.words == words)
        let answer = try keys(laptop).admit(request)
        // Who carries the folder can answer as well, with a key of his own.
        let space = try Replica.space(of: laptop.folder)
        let forged = EpochKey()
        let file = try [UInt8](
            Data(
                contentsOf: URL(
                    filePath: laptop.folder + "/" + requireOne(Transport.files(laptop.folder, ending: ".request"))
                )
            )
        )
        let asked = try JoinRequest(reading: file, space: space)
        let slot = try Slot.device(asked.publicKey, forged, space: space).encoded()
        try Transport.put(slot, "\(laptop.folder)/keys/\(Hex.hash(slot)).slot")
        let epoch = try FileSealer.seal(
            EpochRecord(number: 9).encoded(space: space),
            path: EpochRecord.path(forged.id),
            space: space,
            forged
        )
        try Transport.put(epoch, "\(laptop.folder)/keys/\(forged.id)-\(Hex.hash(epoch)).epoch")
        let answers = try keys(tablet).answers()
        #expect(answers.count == 2 && answers.count { $0.words == answer } == 1)
        try keys(tablet).accept(requireOne(answers.filter { $0.words == answer }))
        try keys(tablet).announce(tablet.environment.device)
        try FileManager.default.removeItem(atPath: "\(laptop.folder)/keys/\(forged.id)-\(Hex.hash(epoch)).epoch")
        try tablet.join()
        try tablet.sync()
        #expect(try tablet.titles() == ["t1": "Milk"])
        #expect(try keys(laptop).requests().isEmpty)
    }

    @Test("After a rotation all go on, and a removed device reads and writes nothing more")
    func removal() throws {
        let (laptop, phone) = try pair("Milk")
        let thief = try Device("Thief", in: laptop.sandbox, isEncrypted: true)
        try thief.join()
        try thief.sync()
        try laptop.sync()
        let devices = try keys(laptop).rotate(removing: [thief.environment.device.id], EncryptedRun.locks("new"))
        #expect(Set(devices.map(\.name)) == ["Laptop", "Phone"])
        try laptop.setTitle("t1", "Secret")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Secret"])
        try phone.addTask("t2", "Bread")
        #expect(try phone.sync().outbox == nil)
        let outcome = try thief.sync()
        #expect(try thief.titles() == ["t1": "Milk"])
        #expect(outcome.issues.contains { $0.kind == .noKey })
        try thief.setTitle("t1", "Stolen")
        #expect(try thief.sync().outbox != nil)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Secret", "t2": "Bread"])
        // The old passphrase opens nothing any more.
        let old = try Device("Old", in: laptop.sandbox, isEncrypted: true)
        #expect(throws: EncryptionError.self) { try EncryptedRun.unlock(old.folder, old.environment, "test") }
        try EncryptedRun.unlock(old.folder, old.environment, "new")
        try old.join()
        try old.sync()
        #expect(try old.titles() == ["t1": "Secret", "t2": "Bread"])
    }

    @Test("A new key is taken for absent only where the folder can be listed and has no file of it")
    func absentKey() throws {
        let sandbox = try Sandbox()
        let key = EpochKey()
        let files = KeyFolder(sandbox.folder.path, "space")
        #expect(files.hasEpoch(key) == false)
        try FileManager.default.createDirectory(atPath: sandbox.path("keys"), withIntermediateDirectories: false)
        #expect(files.hasEpoch(key) == false)
        try sandbox.write(StoredName.path(.epoch(key.id, hash: String(repeating: "0", count: 32))), "torn")
        #expect(files.hasEpoch(key) == nil)
        // A folder that cannot be listed.
        try sandbox.remove("keys")
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("keys"), withDestinationPath: "keys")
        #expect(files.hasEpoch(key) == nil)
    }

    @Test("A change that was written with the old key while the key was replaced is published again")
    func inFlight() throws {
        let (one, two) = (try Sandbox(), try Sandbox())
        let laptop = try Device("Laptop", in: one, isEncrypted: true)
        let phone = try Device("Phone", in: two, isEncrypted: true)
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.join()
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try laptop.sync()
        // The phone writes while the laptop replaces the key, and neither knows of the other.
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        try laptop.sync()
        let late = try Transport.files(phone.folder)
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk"], "what an old key wrote later does not count")
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Oat milk"])
        #expect(try Set(Transport.files(phone.folder)) != Set(late))
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
        #expect(try laptop.replica().verify().faults.isEmpty)
    }

    @Test("Two that replace the key at the same time come together")
    func twoRotations() throws {
        let (one, two) = (try Sandbox(), try Sandbox())
        let laptop = try Device("Laptop", in: one, isEncrypted: true)
        let phone = try Device("Phone", in: two, isEncrypted: true)
        try laptop.makeSpace()
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.join()
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        _ = try keys(phone).rotate(EncryptedRun.locks())
        try laptop.addTask("t1", "Milk")
        try phone.addTask("t2", "Bread")
        for _ in 0..<4 {
            try laptop.sync()
            try phone.sync()
            try Transport.bring(from: laptop.folder, to: phone.folder)
            try Transport.bring(from: phone.folder, to: laptop.folder)
        }
        #expect(try laptop.titles() == ["t1": "Milk", "t2": "Bread"])
        #expect(try phone.titles() == laptop.titles())
        #expect(try keys(laptop).status().epoch == keys(phone).status().epoch)
        for device in [laptop, phone] { #expect(try device.replica().verify().faults.map(\.kind) == [.twoKeys]) }
        let outcome = try laptop.sync()
        for issues in [outcome.issues, try laptop.replica().status().issues, try laptop.replica().verify().faults] {
            #expect(issues.contains { $0.kind == .twoKeys && $0.message.contains("key rotate") }, "\(issues)")
        }
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        #expect(try !laptop.sync().issues.contains { $0.kind == .twoKeys })
        #expect(try !laptop.replica().status().issues.contains { $0.kind == .twoKeys })
        #expect(try laptop.replica().verify().faults.isEmpty)
    }

    @Test("Slots of another's new key, which arrive before its file, stay where the key is replaced as well")
    func earlySlots() throws {
        let (one, two) = (try Sandbox(), try Sandbox())
        let laptop = try Device("Laptop", in: one, isEncrypted: true)
        let phone = try Device("Phone", in: two, isEncrypted: true)
        try laptop.makeSpace()
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.join()
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        try Transport.bring(from: laptop.folder, to: phone.folder) { $0.hasSuffix(".slot") }
        _ = try keys(phone).rotate(EncryptedRun.locks())
        _ = try keys(phone).setPassphrase(EncryptedRun.locks().passphrase)
        try laptop.addTask("t1", "Milk")
        for _ in 0..<4 {
            try laptop.sync()
            try Transport.bring(from: laptop.folder, to: phone.folder)
            try phone.sync()
            try Transport.bring(from: phone.folder, to: laptop.folder)
        }
        #expect(try phone.titles() == ["t1": "Milk"])
    }

    /// A laptop that replaced its key before a last change of the phone arrived, which nobody has read.
    private func late(
        removing name: String? = nil,
        before edit: (_ phone: Device) throws -> Void = { _ in }
    ) throws -> (laptop: Device, phone: Device) {
        let (one, two) = (try Sandbox(), try Sandbox())
        let laptop = try Device("Laptop", in: one, isEncrypted: true)
        let tablet = try Device("Tablet", in: one, isEncrypted: true)
        let phone = try Device("Phone", in: two, isEncrypted: true)
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        try laptop.sync()
        try tablet.join()
        try tablet.sync()
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.join()
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        try laptop.sync()
        try edit(phone)
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        let removed = [tablet, phone].map(\.environment.device).filter { $0.name == name }.map(\.id)
        _ = try keys(laptop).rotate(removing: Set(removed), EncryptedRun.locks())
        try laptop.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        return (laptop, phone)
    }

    @Test("A change that an old key sealed is named by its device, and counts if a person decides so")
    func lateChange() throws {
        let (laptop, _) = try late()
        let outcome = try laptop.sync()
        for issues in [outcome.issues, try laptop.replica().status().issues] {
            let found = issues.filter { $0.kind == .oldKey }
            #expect(found.map(\.device?.name) == ["Phone"], "\(issues)")
            #expect(found.allSatisfy { $0.message.contains("--accept-old-key") && $0.path.hasPrefix("sealed/") })
        }
        #expect(try laptop.titles() == ["t1": "Milk"])
        #expect(try keys(laptop).acceptLate(isPreview: true) == 1)
        // Those of another app alone stay out.
        #expect(try keys(laptop).acceptLate(of: .study, ArchiveCompression(), isPreview: false) == 0)
        #expect(try keys(laptop).acceptLate(of: .slate, ArchiveCompression(), isPreview: true) == 1)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk"])
        #expect(try keys(laptop).acceptLate(isPreview: false) == 1)
        let taken = try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
        #expect(!taken.issues.contains { $0.kind == .oldKey }, "\(taken.issues)")
        #expect(try keys(laptop).acceptLate(isPreview: true) == 0)
        let fresh = try Device("New", in: laptop.sandbox, isEncrypted: true)
        try fresh.join()
        try fresh.sync()
        #expect(try fresh.titles() == ["t1": "Oat milk"])
    }

    @Test("After a device was removed nothing sealed with the old key is taken in; what that device wrote is not named")
    func lateChangeAfterRemoval() throws {
        let (laptop, phone) = try late(removing: "Tablet")
        let outcome = try laptop.sync()
        let found = outcome.issues.filter { $0.kind == .oldKey }
        #expect(found.map(\.device?.name) == ["Phone"], "\(outcome.issues)")
        #expect(found.allSatisfy { !$0.message.contains("--accept-old-key") })
        #expect(try keys(laptop).acceptLate(isPreview: false) == 0)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Milk"])
        // The phone itself publishes it again.
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.sync()
        try Transport.bring(from: phone.folder, to: laptop.folder)
        let last = try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
        #expect(!last.issues.contains { $0.kind == .oldKey }, "\(last.issues)")
        let (other, _) = try late(removing: "Phone")
        #expect(try !other.sync().issues.contains { $0.kind == .oldKey })
        #expect(try keys(other).acceptLate(isPreview: false) == 0)
        try other.sync()
        #expect(try other.titles() == ["t1": "Milk"])
    }

    @Test(
        "A device that was set back knows what it had sealed with an old key, and takes it in where nobody was removed",
        arguments: [nil, "Tablet"] as [String?]
    )
    func lateChangeOfSetBack(_ removed: String?) throws {
        let (laptop, phone) = try late(removing: removed) { phone in
            // The disk as it was before the change.
            for part in Self.disk(phone) { try FileManager.default.copyItem(atPath: part, toPath: part + ".old") }
        }
        for part in Self.disk(phone) {
            try FileManager.default.removeItem(atPath: part)
            try FileManager.default.moveItem(atPath: part + ".old", toPath: part)
        }
        try Transport.bring(from: laptop.folder, to: phone.folder)
        for device in [phone, laptop, phone] {
            let issue = try #require(try device.sync().issues.first { $0.kind == .oldKey })
            #expect(issue.device?.name == "Phone" && issue.message.contains("was set back"), "\(issue.message)")
            #expect(issue.message.contains("This device was set back") == (device === phone), "\(issue.message)")
            #expect(issue.message.contains("--accept-old-key") == (removed == nil), "\(issue.message)")
            #expect(issue.message.contains("delete the file") == (removed != nil), "\(issue.message)")
        }
        #expect(try keys(phone).acceptLate(isPreview: false) == (removed == nil ? 1 : 0))
        for _ in 0..<2 {
            for (one, other) in [(phone, laptop), (laptop, phone)] {
                try one.sync()
                try Transport.bring(from: one.folder, to: other.folder)
            }
        }
        for device in [laptop, phone] {
            #expect(try device.titles() == ["t1": removed == nil ? "Oat milk" : "Milk"], "\(device.name)")
        }
    }

    /// The files of a device that an image of its disk has.
    private static func disk(_ device: Device) -> [String] {
        [device.store, device.store + ".foldersync", device.sandbox.path("\(device.name)-keys")]
    }

    private func members(_ device: Device) throws -> Set<String> { try Set(keys(device).status().devices.map(\.name)) }

    @Test("A sync writes the note of a device whose join was ended, and one that the folder lost")
    func missingNote() throws {
        let (laptop, phone) = try pair("Milk")
        let tablet = try Device("Tablet", in: laptop.sandbox, isEncrypted: true)
        _ = try keys(tablet).unlock(AgePassphrase("test"))
        try tablet.join()
        #expect(try members(laptop) == ["Laptop", "Phone"])
        try tablet.sync()
        #expect(try members(laptop) == ["Laptop", "Phone", "Tablet"])
        for file in try stored(laptop) { try FileManager.default.removeItem(atPath: laptop.folder + "/" + file) }
        #expect(try members(laptop).isEmpty)
        for device in [laptop, phone, tablet] { try device.sync() }
        #expect(try members(laptop) == ["Laptop", "Phone", "Tablet"])
        _ = try keys(laptop).rotate(EncryptedRun.locks())
        #expect(try !phone.sync().issues.contains { $0.kind == .noKey })
    }

    @Test("A device that was removed takes part again once somebody opens the folder there with today's secret")
    func removedAndFound() throws {
        let (laptop, phone) = try pair("Milk")
        let id = phone.environment.device.id
        _ = try keys(laptop).rotate(removing: [id], EncryptedRun.locks("new"))
        try phone.sync()
        // By itself it does not come back.
        #expect(
            try directoryError { try keys(phone).announce(SyncDevice(id: "\(id)x", name: "Phone")) }?.code == .noKey
        )
        try laptop.sync()
        #expect(try members(laptop) == ["Laptop"] && keys(laptop).status().removed == [id])
        _ = try keys(phone).unlock(AgePassphrase("new"))
        try phone.sync()
        #expect(try members(laptop) == ["Laptop", "Phone"] && keys(laptop).status().removed.isEmpty)
        let devices = try keys(laptop).rotate(EncryptedRun.locks("third"))
        #expect(Set(devices.map(\.name)) == ["Laptop", "Phone"])
        try phone.setTitle("t1", "Oat milk")
        #expect(try phone.sync().outbox == nil)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
        // A second removal counts as the first one did.
        _ = try keys(laptop).rotate(removing: [id], EncryptedRun.locks("fourth"))
        try phone.setTitle("t1", "Stolen")
        #expect(try phone.sync().outbox != nil)
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"] && members(laptop) == ["Laptop"])
    }

    @Test("A folder that is not encrypted any more, or is another's, is refused")
    func downgrade() throws {
        let (laptop, phone) = try pair("Milk")
        let root = try #require(try Transport.files(laptop.folder, ending: ".root").first)
        let space = try Replica.space(of: laptop.folder)
        let plain = "{\"format\":\"satchel-space\",\"version\":1,\"space\":\"\(space)\"}\n"
        try Transport.put(Array(plain.utf8), laptop.folder + "/" + root)
        #expect(try directoryError { try phone.sync() }?.code == .notEncrypted)
        #expect(FolderKeys.isEncrypted(laptop.folder, space: space))
        // What the message says mends it.
        try FileManager.default.removeItem(atPath: laptop.folder + "/" + root)
        _ = try phone.replica().repair()
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Milk"])
        // A device without keys does not take it for a plain one either where the marker is damaged.
        try Transport.put([], laptop.folder + "/" + root)
        let fresh = try Device("Tablet", in: laptop.sandbox)
        try Replica.join(folder: fresh.folder, space: space, store: fresh.store, fresh.environment)
        #expect(try directoryError { try fresh.sync() }?.code == .noKey)
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Milk"])
    }

    @Test("Plain files in an encrypted folder are nobody's")
    func plainFiles() throws {
        let (laptop, phone) = try pair("Milk")
        let other = try Sandbox()
        let mallory = try Device("Mallory", in: other, isEncrypted: false)
        try mallory.addTask("t9", "Forged")
        try mallory.makeSpace()
        try mallory.sync()
        _ = try mallory.replica().compact()
        for file in try Transport.files(mallory.folder) where file.contains("/") {
            try Transport.bring(file, from: mallory.folder, to: laptop.folder)
            let folder = file.prefix { $0 != "/" }
            try Transport.bring(
                file,
                from: mallory.folder,
                to: laptop.folder,
                as: "\(folder) (1)" + file.dropFirst(folder.count)
            )
            try Transport.bring(file, from: mallory.folder, to: laptop.folder, as: "sealed/" + file)
        }
        // Somebody has to know of them, as whoever has the folder can read them.
        let outcome = try phone.sync()
        #expect(outcome.received.isEmpty && outcome.published.isEmpty && outcome.issues.isEmpty)
        #expect(outcome.notes.count == 1 && outcome.notes[0].contains("not encrypted, such as"), "\(outcome.notes)")
        #expect(try phone.titles() == ["t1": "Milk"])
        #expect(try phone.replica().verify().faults.isEmpty)
        #expect(
            try Replica.devices(
                in: phone.folder,
                space: Replica.space(of: phone.folder),
                phone.environment.compression,
                phone.environment.keys
            ).count == 2
        )
    }

    @Test("The keys lie in files that only the user reads, and without them nothing is written")
    func keyFiles() throws {
        let (laptop, phone) = try pair("Milk")
        let folder = laptop.sandbox.path("Phone-keys")
        let manager = FileManager.default
        #expect(try manager.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
        for name in try manager.contentsOfDirectory(atPath: folder) where name != "lock" {
            #expect(try manager.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int == 0o600)
        }
        // The index only saves time.
        let index = try #require(try manager.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".index") })
        try Transport.put(Array("nonsense\n".utf8), folder + "/" + index)
        #expect(try phone.sync().isIdle)
        try checkCutIndex(folder + "/" + index, laptop, phone)
        try manager.removeItem(atPath: folder)
        try phone.setTitle("t1", "Oat milk")
        let before = try Transport.snapshot(phone.folder)
        #expect(try directoryError { try phone.sync() }?.code == .noKey)
        #expect(try Transport.snapshot(phone.folder) == before)
        // Not even where somebody offers a plain folder instead.
        let space = try Replica.space(of: phone.folder)
        let elsewhere = try Sandbox()
        let plain = elsewhere.path("plain")
        try Transport.put(
            Array("{\"format\":\"satchel-space\",\"version\":1,\"space\":\"\(space)\"}\n".utf8),
            "\(plain)/satchel-\(space).root"
        )
        #expect(
            try directoryError { _ = try Replica(folder: plain, store: phone.store, phone.environment).sync() }?.code
                == .noKey
        )
        #expect(try Transport.files(plain).count == 1)
        try EncryptedRun.unlock(phone.folder, phone.environment)
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
    }

    /// Looks at a change whose line of the index a full disk cut, before the change was read.
    private func checkCutIndex(_ index: String, _ laptop: Device, _ phone: Device) throws {
        func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }
        let parts = [phone.store, phone.store + ".foldersync"]
        let before = try parts.map(data)
        try laptop.addTask("cut", "Bread")
        try laptop.sync()
        try phone.sync()
        try data(index).dropLast(9).write(to: URL(filePath: index))
        for (path, bytes) in zip(parts, before) { try bytes.write(to: URL(filePath: path)) }
        try phone.sync()
        #expect(try phone.titles()["cut"] == "Bread")
        // What was written behind a cut line is read as well.
        try laptop.sql("DELETE FROM tasks WHERE id = 'cut'")
        for device in [laptop, phone, phone] { try device.sync() }
        #expect(try phone.titles()["cut"] == nil)
    }

    @Test("Who carries the folder without a key tells whole files from torn ones")
    func carrier() throws {
        let (laptop, _) = try pair("Milk")
        let space = try Replica.space(of: laptop.folder)
        let found = try FolderKeys.completeness(of: laptop.folder, space: space)
        #expect(found.faults.isEmpty)
        #expect(try found.whole == Transport.files(laptop.folder).count { $0.contains("/") })
        let file = try #require(try stored(laptop).first)
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: laptop.folder + "/" + file)))
        try Transport.put(Array(bytes.dropLast()), laptop.folder + "/" + file)
        #expect(try FolderKeys.completeness(of: laptop.folder, space: space).faults.map(\.path) == [file])
    }
}

private func requireOne<Element>(_ elements: [Element]) throws -> Element {
    #expect(elements.count == 1)
    return try #require(elements.first)
}
