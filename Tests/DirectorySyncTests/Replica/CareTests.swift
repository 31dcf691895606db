import DirectorySync
import Foundation
import RecordMerge
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@Suite("A replica in trouble, and its care")
struct CareTests {
    private func pair() throws -> (Sandbox, Device, Device) {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        for number in 0..<30 { try laptop.addTask("t\(number)", "Task \(number)") }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (sandbox, laptop, phone)
    }

    private func copy(_ from: String, _ to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    @Test("A device that is copied with its state: both go on, under names of their own")
    func clone() throws {
        let (sandbox, laptop, phone) = try pair()
        let clone = try Device("Clone", in: sandbox)
        try copy(laptop.store, clone.store)
        try copy(laptop.store + ".foldersync", clone.store + ".foldersync")
        try laptop.setTitle("t1", "by the laptop")
        try clone.setTitle("t2", "by the clone")
        try laptop.addTask("a", "A")
        try clone.addTask("b", "B")
        try laptop.sync()
        try clone.syncAccepting()
        try phone.sync()
        for _ in 0..<2 { for device in [laptop, clone, phone] { try device.sync() } }
        for device in [laptop, clone, phone] {
            let titles = try device.titles()
            #expect(titles["t1"] == "by the laptop")
            #expect(titles["t2"] == "by the clone")
            #expect(titles.count == 32)
        }
        try laptop.setTitle("t3", "later")
        try laptop.sync()
        try clone.sync()
        try phone.sync()
        let digests = try [laptop, clone, phone].map { try $0.replica().verify().digest }
        #expect(Set(digests).count == 1)
    }

    @Test("Both copies publish without having seen each other: a fork, with the same names everywhere")
    func fork() throws {
        let (sandbox, laptop, phone) = try pair()
        let clone = try Device("Clone", in: sandbox, folder: sandbox.path("elsewhere"))
        try copy(laptop.store, clone.store)
        try copy(laptop.store + ".foldersync", clone.store + ".foldersync")
        try copy(laptop.folder, clone.folder)
        try laptop.setTitle("t1", "by the laptop")
        try clone.setTitle("t2", "by the clone")
        for device in [laptop, clone] {
            try device.sync()
            try device.addTask("of \(device.environment.device.id)", "new")
            try device.sync()
        }
        try phone.sync()
        try phone.setTitle("t3", "by the phone, which has seen the laptop's")
        try phone.sync()
        // Now the transport brings both together.
        let files = try FileManager.default.subpathsOfDirectory(atPath: clone.folder)
        for file in files where file.hasSuffix(".seg") {
            let target = laptop.folder + "/" + file
            guard !FileManager.default.fileExists(atPath: target) else { continue }
            try FileManager.default.copyItem(atPath: clone.folder + "/" + file, toPath: target)
        }
        let moved = try Device("Moved", in: sandbox)
        try copy(clone.store, moved.store)
        try copy(clone.store + ".foldersync", moved.store + ".foldersync")
        for _ in 0..<3 { for device in [laptop, moved, phone] { try device.sync() } }
        let all = try [laptop, moved, phone].map { try $0.titles() }
        #expect(all[0] == all[1] && all[1] == all[2])
        #expect(all[0]["t1"] == "by the laptop" && all[0]["t2"] == "by the clone")
        #expect(all[0].count == 32)
        // The files tell which branch each author had seen.
        let shown = try phone.replica().document(at: phone.time.now)
        #expect(shown["tasks"]?.array?.count == 32)
        let digests = try [laptop, moved, phone].map { try $0.replica().verify().digest }
        #expect(Set(digests).count == 1)
    }

    @Test("A store that lost most of its records stops the synchronisation until somebody decides")
    func massChange() throws {
        let (_, laptop, phone) = try pair()
        try laptop.sql("DELETE FROM tasks WHERE id <> 't1'")
        let error = #expect(throws: SyncError.self) { try laptop.sync() }
        #expect(error?.code == .massChange)
        #expect(error?.message.contains("29 of 31") == true)
        #expect(try phone.sync().isIdle)
        try laptop.sync(.discard)
        #expect(try laptop.titles().count == 30)
        #expect(try phone.sync().isIdle)
        try laptop.sql("DELETE FROM tasks WHERE id <> 't1'")
        for number in [28, 30] {
            let other = #expect(throws: SyncError.self) { try laptop.sync(.accept(number)) }
            #expect(other?.massChange == 29 && other?.message.contains("found --accept-mass-change \(number)") == true)
        }
        try laptop.sync(.accept(29))
        try phone.sync()
        #expect(try phone.titles().count == 1)
    }

    @Test("A store that was set back to an older copy of itself stops the synchronisation")
    func setBack() throws {
        let (sandbox, laptop, phone) = try pair()
        try copy(laptop.store, sandbox.path("old.db"))
        try laptop.setTitle("t1", "new")
        try laptop.sync()
        try copy(sandbox.path("old.db"), laptop.store)
        let error = #expect(throws: SyncError.self) { try laptop.sync() }
        #expect(error?.code == .massChange)
        try laptop.sync(.discard)
        #expect(try laptop.titles()["t1"] == "new")
        try phone.sync()
        #expect(try phone.titles()["t1"] == "new")
    }

    @Test("A device set back with its state goes on under a new name, and reads what it wrote")
    func setBackWithState() throws {
        let (sandbox, laptop, phone) = try pair()
        try copy(laptop.store, sandbox.path("old.db"))
        try copy(laptop.store + ".foldersync", sandbox.path("old.db.foldersync"))
        try laptop.setTitle("t1", "new")
        try laptop.sync()
        try copy(sandbox.path("old.db"), laptop.store)
        try copy(sandbox.path("old.db.foldersync"), laptop.store + ".foldersync")
        try laptop.setTitle("t2", "after")
        try laptop.syncAccepting()
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles()["t1"] == "new")
        #expect(try laptop.titles() == phone.titles())
    }

    @Test("A checkpoint from before a device was set back takes nothing away that the device wrote since")
    func setBackBeforeCheckpoint() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.addTask("t1", "first")
        try laptop.makeSpace()
        try laptop.sync()
        let parts = [laptop.store, laptop.store + ".foldersync"]
        for part in parts { try copy(part, sandbox.path("old-" + (part as NSString).lastPathComponent)) }
        try FileManager.default.copyItem(atPath: laptop.folder, toPath: sandbox.path("old-shared"))
        try laptop.setTitle("t1", "second")
        try laptop.sync()
        try laptop.setTitle("t1", "third")
        try laptop.sync()
        let before = try Set(Transport.files(laptop.folder))
        _ = try laptop.replica().compact()
        let checkpoints = try Set(Transport.files(laptop.folder)).subtracting(before).filter {
            EncryptedRun.isOn || $0.hasSuffix(".ck")
        }
        #expect(!checkpoints.isEmpty)
        try FileManager.default.moveItem(atPath: laptop.folder, toPath: sandbox.path("former"))
        // The disk as it was, and what the person does then.
        for part in parts { try copy(sandbox.path("old-" + (part as NSString).lastPathComponent), part) }
        try FileManager.default.moveItem(atPath: sandbox.path("old-shared"), toPath: laptop.folder)
        laptop.time.advance(3_600_000)
        try laptop.addTask("t2", "written since")
        try laptop.sync()
        for file in checkpoints { try Transport.bring(file, from: sandbox.path("former"), to: laptop.folder) }
        for _ in 0..<2 { try laptop.sync() }
        #expect(try laptop.titles()["t2"] == "written since")
        // When the rest has arrived, both histories are there.
        try Transport.bring(from: sandbox.path("former"), to: laptop.folder)
        for _ in 0..<2 { try laptop.sync() }
        #expect(try laptop.titles() == ["t1": "third", "t2": "written since"])
    }

    /// A laptop's disk is restored, and the phone joined when the laptop's files were in checkpoints alone.
    ///
    /// - Parameters:
    ///   - laterEdits: The number of edits that the laptop makes before its folder is up to date.
    ///   - clock: -1 where the laptop's clock was set back, too.
    @Test(
        "A device that joined from a checkpoint gets what a restored device writes under earlier numbers",
        arguments: [1, 3, 6],
        [1, -1]
    )
    func restoredAfterCompaction(_ laterEdits: Int, _ clock: Int) throws {
        try restoredAfterCompaction(laterEdits, clock: clock, bringsFirst: true)
        try restoredAfterCompaction(laterEdits, clock: clock, bringsFirst: false)
    }

    private func restoredAfterCompaction(_ laterEdits: Int, clock: Int, bringsFirst: Bool) throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.makeSpace()
        let tower = try Device("Tower", in: sandbox, folder: sandbox.path("tower-shared"), clock: laptop.time)
        func exchange(_ devices: [Device]) throws {
            for one in devices {
                for other in devices where other !== one { try Transport.bring(from: one.folder, to: other.folder) }
            }
        }
        for number in 1...5 {
            if number == 3 {
                try exchange([laptop, tower])
                for part in [laptop.store, laptop.store + ".foldersync"] {
                    if number == 3, part == laptop.store { try laptop.sync() }
                    try copy(part, sandbox.path("old-" + (part as NSString).lastPathComponent))
                }
                try FileManager.default.copyItem(atPath: laptop.folder, toPath: sandbox.path("old-shared"))
            }
            try laptop.addTask("t\(number)", "Task \(number)")
            try laptop.sync()
            laptop.time.advance(60_000)
            if number == 1 {
                try exchange([laptop, tower])
                try tower.join()
                try tower.sync()
            }
        }
        try exchange([laptop, tower])
        try tower.sync()
        // A week passes twice: the laptop's files are in checkpoints alone.
        for _ in 1...3 {
            for device in [laptop, tower] {
                _ = try device.replica().compact()
                laptop.time.advance(8 * 86_400_000)
            }
        }
        try FileManager.default.removeItem(atPath: tower.folder)
        try FileManager.default.copyItem(atPath: laptop.folder, toPath: tower.folder)
        #expect(try !Transport.files(laptop.folder).contains { $0.hasSuffix(".seg") || $0.hasSuffix(".pack") })
        let phone = try Device("Phone", in: sandbox, folder: sandbox.path("phone-shared"), clock: laptop.time)
        try exchange([laptop, phone])
        try phone.join()
        try phone.sync()
        #expect(try phone.titles().count == 5)
        // The disk as it was.
        let parts = [laptop.store, laptop.store + ".foldersync"]
        for part in parts { try copy(sandbox.path("old-" + (part as NSString).lastPathComponent), part) }
        try FileManager.default.moveItem(atPath: laptop.folder, toPath: sandbox.path("former"))
        try FileManager.default.copyItem(atPath: sandbox.path("old-shared"), toPath: laptop.folder)
        if clock < 0 { laptop.time.advance(-27 * 86_400_000) }
        for number in 1...laterEdits {
            laptop.time.advance(3_600_000)
            try laptop.addTask("later \(number)", "Later \(number)")
            try laptop.sync()
        }
        if bringsFirst { try Transport.bring(from: laptop.folder, to: phone.folder) }
        for round in 0..<4 {
            if !bringsFirst || round > 0 { try exchange([laptop, tower, phone]) }
            for device in [laptop, tower, phone] { try device.sync() }
        }
        let expected = Set((1...5).map { "Task \($0)" } + (1...laterEdits).map { "Later \($0)" })
        for device in [laptop, tower, phone] {
            #expect(try Set(device.titles().values) == expected, "\(device.name)")
            #expect(try device.sync().isIdle, "\(device.name)")
            #expect(try device.replica().stateText() == laptop.replica().stateText(), "\(device.name)")
        }
    }

    @Test("A third device keeps what was written since a set-back, whatever another one's checkpoint from before tells")
    func checkpointOfAnother() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.addTask("t1", "first")
        try laptop.makeSpace()
        try laptop.sync()
        let phone = try Device("Phone", in: sandbox, folder: sandbox.path("phone-shared"))
        let tower = try Device("Tower", in: sandbox, folder: sandbox.path("tower-shared"))
        for device in [phone, tower] {
            try Transport.bring(from: laptop.folder, to: device.folder)
            try device.join()
            try device.sync()
        }
        let parts = [laptop.store, laptop.store + ".foldersync"]
        for part in parts { try copy(part, sandbox.path("old-" + (part as NSString).lastPathComponent)) }
        try FileManager.default.copyItem(atPath: laptop.folder, toPath: sandbox.path("old-shared"))
        for title in ["second", "third"] {
            try laptop.setTitle("t1", title)
            try laptop.sync()
        }
        // The phone has all of that, and writes a checkpoint.
        try Transport.bring(from: laptop.folder, to: phone.folder)
        try phone.sync()
        let before = try Set(Transport.files(phone.folder))
        _ = try phone.replica().compact()
        let checkpoints = try Set(Transport.files(phone.folder)).subtracting(before)
        #expect(!checkpoints.isEmpty)
        // The laptop's disk as it was, and what the person does then.
        try FileManager.default.removeItem(atPath: laptop.folder)
        for part in parts { try copy(sandbox.path("old-" + (part as NSString).lastPathComponent), part) }
        try FileManager.default.moveItem(atPath: sandbox.path("old-shared"), toPath: laptop.folder)
        laptop.time.advance(3_600_000)
        try laptop.addTask("t2", "written since")
        try laptop.sync()
        try Transport.bring(from: laptop.folder, to: tower.folder)
        try tower.sync()
        #expect(try tower.titles() == ["t1": "first", "t2": "written since"])
        for file in checkpoints { try Transport.bring(file, from: phone.folder, to: tower.folder) }
        for _ in 0..<2 { try tower.sync() }
        #expect(try tower.titles()["t2"] == "written since")
        let devices = [laptop, phone, tower]
        for _ in 0..<3 {
            for device in devices {
                for other in devices where other !== device {
                    try Transport.bring(from: other.folder, to: device.folder)
                }
                try device.sync()
            }
        }
        for device in devices { #expect(try device.titles() == ["t1": "third", "t2": "written since"]) }
    }

    @Test("After compaction and the grace a new device takes the checkpoint, and old files go")
    func compaction() throws {
        let (sandbox, laptop, phone) = try pair()
        _ = try laptop.replica().compact()
        laptop.time.advance(8 * 86_400_000)
        try laptop.setTitle("t1", "later")
        try laptop.sync()
        _ = try laptop.replica().compact()
        let files = try FileManager.default.subpathsOfDirectory(atPath: laptop.folder)
        #expect(files.count { $0.hasSuffix(".ck") } == 2)
        #expect(files.count { $0.hasSuffix(".seg") } == 0)
        let tablet = try Device("Tablet", in: sandbox)
        try tablet.join()
        try tablet.sync()
        try phone.sync()
        #expect(try tablet.titles() == laptop.titles())
        #expect(try phone.titles() == laptop.titles())
        let digests = try [laptop, phone, tablet].map { try $0.replica().verify().digest }
        #expect(Set(digests).count == 1)
    }

    @Test("The last files that hold a change stay, whatever the clock said", arguments: [400, -2_000])
    func jumpingClock(days: Int) throws {
        let (sandbox, laptop, phone) = try pair()
        laptop.time.advance(days * 86_400_000)
        for number in 0..<2 {
            try laptop.setTitle("t1", "\(number), by a wrong clock")
            try laptop.sync()
            _ = try laptop.replica().compact()
        }
        laptop.time.advance(-days * 86_400_000)
        try laptop.setTitle("t2", "by a right clock")
        try laptop.sync()
        _ = try laptop.replica().compact()
        for number in 0..<40 {
            for device in [laptop, phone] {
                try device.setTitle("of \(device.name)", "\(number)")
                try device.sync()
            }
        }
        laptop.time.advance(8 * 86_400_000)
        try laptop.setTitle("t3", "a week later")
        try laptop.sync()
        let tablet = try Device("Tablet", in: sandbox)
        tablet.time.advance(9 * 86_400_000)
        try tablet.join()
        #expect(try tablet.sync().issues.isEmpty)
        #expect(try tablet.titles() == laptop.titles())
    }

    @Test("After repair a new device gets everything, though a file of a lost device is gone", arguments: [1, 2, 3])
    func lostFile(number: Int) throws {
        let (sandbox, laptop, phone) = try pair()
        for change in 2...3 {
            try laptop.setTitle("t1", "change \(change)")
            try laptop.sync()
        }
        try phone.sync()
        try phone.setTitle("t2", "of the phone")
        try phone.sync()
        try removeFile(number, of: laptop)
        let faults = try phone.replica().verify().faults
        #expect(faults.map(\.kind) == [.gone] && faults.first?.device?.name == "Laptop", "\(faults)")
        _ = try phone.replica().repair()
        #expect(try phone.replica().verify().faults.isEmpty)
        // Only the last file itself says how far its writer got.
        if number == 3 { try phone.replica().retire(laptop.environment.device, isUndone: false) }
        let tablet = try Device("Tablet", in: sandbox)
        try tablet.join()
        #expect(try tablet.sync().issues.isEmpty)
        #expect(try tablet.titles() == phone.titles())
    }

    /// Removes a segment of a device from the folder.
    private func removeFile(_ number: Int, of device: Device) throws {
        let sql = "SELECT writer FROM segment WHERE is_own LIMIT 1"
        let state = try DatabaseQueue(path: device.store + ".foldersync")
        let writer = try #require(try state.read { try String.fetchOne($0, sql: sql) })
        let files = try FileManager.default.subpathsOfDirectory(atPath: device.folder)
        let file = try #require(files.first { $0.hasPrefix("w/\(writer)/000000000\(number)-") })
        try FileManager.default.removeItem(atPath: device.folder + "/" + file)
    }

    @Test("A device that leaves publishes what the folder lost of it")
    func leavingWhole() throws {
        let (_, laptop, phone) = try pair()
        try phone.addTask("of the phone", "new")
        try phone.sync()
        try removeFile(1, of: phone)
        try phone.replica().leave()
        try laptop.sync()
        #expect(try laptop.titles() == phone.titles())
    }

    @Test("A checkpoint whose writing was ended before it was noted goes in its turn")
    func unnotedCheckpoint() throws {
        let (_, laptop, _) = try pair()
        func compact() throws {
            try laptop.setTitle("t1", "at \(laptop.time.now)")
            try laptop.sync()
            _ = try laptop.replica().compact()
        }
        try compact()
        try DatabaseQueue(path: laptop.store + ".foldersync").write { try $0.execute(sql: "DELETE FROM checkpoint") }
        for _ in 0..<3 {
            laptop.time.advance(8 * 86_400_000)
            try compact()
        }
        let files = try FileManager.default.subpathsOfDirectory(atPath: laptop.folder)
        #expect(files.count { $0.hasSuffix(".ck") } == 2)
    }

    @Test("What an author had seen stays beside the store only until its change is applied and published")
    func shortSegments() throws {
        let (_, laptop, phone) = try pair()
        for number in 0..<3 {
            for device in [laptop, phone] {
                try device.setTitle("t\(number)", "by \(device.name)")
                try device.sync()
            }
        }
        try laptop.sync()
        for device in [laptop, phone] {
            let heads = try DatabaseQueue(path: device.store + ".foldersync").read {
                try String.fetchAll($0, sql: "SELECT heads FROM segment")
            }
            #expect(heads.count == 7 && Set(heads) == ["{}"])
        }
    }

    @Test("A record that several changes made is reported as added once")
    func addedOnce() throws {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", in: sandbox), try Device("Phone", in: sandbox))
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        for title in ["Oat milk", "Soy milk"] {
            try laptop.sync()
            try laptop.setTitle("t1", title)
        }
        try laptop.sync()
        try phone.join()
        let tasks = try phone.sync().received.flatMap(\.records).filter { $0.name.collection == "tasks" }
        #expect(tasks.map(\.action) == [.added])
    }

    @Test("Everything as it was: shown, and restored as edits")
    func history() throws {
        let (_, laptop, phone) = try pair()
        let before = laptop.time.now
        laptop.time.advance(60_000)
        try laptop.setTitle("t1", "wrong")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'")
        try laptop.sync()
        let shown = try laptop.replica().document(at: before)
        #expect(shown["tasks"]?.array?.count == 30)
        #expect(try laptop.replica().differences(toMoment: before).count == 2)
        let change = try #require(try laptop.replica().log(limit: 1).first)
        #expect(change.records.count == 2)
        #expect(change.records.first { $0.action == .deleted }?.name.title == "Task 2")
        _ = try laptop.replica().restore(at: before)
        phone.time.advance(120_000)
        try phone.sync()
        #expect(try phone.titles()["t1"] == "Task 1")
        #expect(try phone.titles()["t2"] == "Task 2")
    }

    @Test("Two devices that began apart go on together without doubles")
    func adopt() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, folder: sandbox.path("one"))
        let phone = try Device("Phone", in: sandbox, folder: sandbox.path("two"))
        for device in [laptop, phone] {
            try device.addTask("t1", "Milk")
            try device.addTask(device.environment.device.id, "Own")
            try device.makeSpace()
            try device.sync()
        }
        try FileManager.default.createDirectory(atPath: sandbox.path("shared"), withIntermediateDirectories: true)
        for device in [laptop, phone] {
            for file in try FileManager.default.subpathsOfDirectory(atPath: device.folder) {
                let target = sandbox.path("shared") + "/" + file
                guard !FileManager.default.fileExists(atPath: target) else { continue }
                try FileManager.default.copyItem(atPath: device.folder + "/" + file, toPath: target)
            }
        }
        let shared = sandbox.path("shared")
        for device in [laptop, phone] {
            let outcome = try Replica(folder: shared, store: device.store, device.environment).sync()
            #expect(outcome.issues.contains { $0.kind == .severalSpaces })
        }
        for device in [laptop, phone] {
            _ = try Replica.mergeSpaces(folder: shared, store: device.store, device.environment)
        }
        for _ in 0..<2 {
            for device in [laptop, phone] {
                _ = try Replica(folder: shared, store: device.store, device.environment).sync()
            }
        }
        #expect(try laptop.titles().count == 3)
        #expect(try laptop.titles() == phone.titles())
    }

    @Test("A store goes over to another space only when nothing of it is undecided")
    func undecidedSpaces() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, folder: sandbox.path("one"))
        let tablet = try Device("Tablet", in: sandbox, folder: sandbox.path("one"))
        let phone = try Device("Phone", in: sandbox, folder: sandbox.path("two"))
        // The space with the least name stays.
        let makeName = laptop.environment.makeName
        for (device, letter) in [(laptop, "z"), (phone, "a")] {
            device.environment.makeName = { String(repeating: letter, count: $0) }
            try device.addTask("t1", "Milk")
            try device.makeSpace()
            device.environment.makeName = makeName
            try device.sync()
        }
        try tablet.join()
        try tablet.sync()
        try laptop.setTitle("t1", "Oat milk")
        try tablet.setTitle("t1", "Soy milk")
        for device in [laptop, tablet, laptop] { try device.sync() }
        for file in try FileManager.default.subpathsOfDirectory(atPath: phone.folder) {
            let target = laptop.folder + "/" + file
            guard !FileManager.default.fileExists(atPath: target) else { continue }
            try FileManager.default.copyItem(atPath: phone.folder + "/" + file, toPath: target)
        }
        #expect(try laptop.replica().previewMergingSpaces().outcome.notes.contains { $0.contains("1 open conflict") })
        let error = #expect(throws: SyncError.self) {
            try Replica.mergeSpaces(folder: laptop.folder, store: laptop.store, laptop.environment)
        }
        #expect(error?.code == .severalSpaces && error?.message.contains("foldersync conflicts") == true)
        let conflict = try #require(try laptop.replica().conflicts().first)
        let key = RecordKey(conflict.name.collection, conflict.name.key)
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: conflict.path, value: .shown)])
        let space = try Replica.mergeSpaces(folder: laptop.folder, store: laptop.store, laptop.environment)
        #expect(space == String(repeating: "a", count: 16))
    }

    @Test("What lies beside a store is for its user alone")
    func privateFiles() throws {
        let (_, laptop, _) = try pair()
        try laptop.sql("DELETE FROM tasks WHERE id <> 't1'")
        let dropped = try #require(try laptop.sync(.discard).droppedFile)
        for path in [laptop.store + ".foldersync", dropped] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(path)")
        }
    }

    @Test("A dry run says what would happen, and does nothing")
    func preview() throws {
        let (_, laptop, phone) = try pair()
        try laptop.setTitle("t1", "new")
        let outcome = try laptop.replica().preview()
        #expect(outcome.published.first?.records.first?.name.title == "new")
        #expect(try phone.sync().isIdle)
        try laptop.sync()
        #expect(try phone.replica().preview().written == 1)
        #expect(try phone.titles()["t1"] == "Task 1")
        #expect(try phone.sync().written == 1)
    }

    @Test("Files of this device that somebody removed are missed, and what they held is published again")
    func removedFiles() throws {
        let (sandbox, laptop, _) = try pair()
        try FileManager.default.removeItem(atPath: laptop.folder + "/w")
        #expect(try laptop.replica().verify().faults.map(\.kind) == [.gone])
        _ = try laptop.replica().repair()
        #expect(try laptop.replica().verify().faults.isEmpty)
        let tablet = try Device("Tablet", in: sandbox)
        try tablet.join()
        try tablet.sync()
        #expect(try tablet.titles().count == 30)
    }

    @Test("What a device and the folder on its disk lost is missed everywhere, and comes back by repair here and there")
    func folderSetBack() throws {
        let (sandbox, laptop, phone) = try pair()
        let tablet = try Device("Tablet", in: sandbox)
        let devices = [laptop, phone, tablet]
        try tablet.join()
        try tablet.sync()
        let parts = [laptop.store, laptop.store + ".foldersync", laptop.folder]
        for part in parts { try copy(part, sandbox.path("old-" + (part as NSString).lastPathComponent)) }
        try laptop.setTitle("t1", "after the image")
        try laptop.sync()
        try phone.sync()
        try phone.addTask("p", "Of the phone")
        try phone.sync()
        for part in parts { try copy(sandbox.path("old-" + (part as NSString).lastPathComponent), part) }
        // A listing may lag behind for a while.
        for device in devices { device.time.advance(2 * 3_600_000) }
        #expect(try laptop.sync().issues.isEmpty)
        #expect(try phone.sync().issues.map(\.kind) == [.gone])
        let issues = try phone.replica().status().issues
        #expect(issues.map(\.kind) == [.gone, .gone], "\(issues)")
        #expect(Set(issues.map(\.device?.name)) == ["Laptop", "Phone"])
        #expect(try phone.replica().verify().faults.contains { $0.kind == .gone })
        #expect(try phone.replica().repair().issues.isEmpty)
        #expect(try phone.replica().verify().faults.isEmpty)
        for device in [laptop, tablet] {
            let told = try device.sync().issues
            #expect(told.map(\.kind) == [.unshown], "\(told)")
            #expect(try device.replica().verify().faults.map(\.kind) == [.unshown])
        }
        #expect(try laptop.replica().status().issues.first?.message.contains("run foldersync repair here") == true)
        #expect(try laptop.replica().repair().issues.isEmpty)
        for _ in 0..<2 { for device in devices { try device.sync() } }
        try laptop.setTitle("t2", "later")
        for _ in 0..<2 { for device in devices { try device.sync() } }
        for device in devices {
            let titles = try device.titles()
            #expect([titles["t1"], titles["p"], titles["t2"]] == ["after the image", "Of the phone", "later"])
            #expect(try device.sync().isIdle, "\(device.name)")
            #expect(try device.replica().verify().faults.isEmpty)
            #expect(try device.replica().stateText() == laptop.replica().stateText())
        }
    }

    @Test("What a sync publishes late is not called gone, though the folder was listed before")
    func latePublishing() throws {
        let (_, laptop, _) = try pair()
        let temporary = laptop.folder + "/tmp"
        try FileManager.default.removeItem(atPath: temporary)
        try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: "/proc")
        try laptop.setTitle("t1", "late")
        #expect(try laptop.sync().outbox?.count == 1)
        laptop.time.advance(2 * 3_600_000)
        try FileManager.default.removeItem(atPath: temporary)
        let outcome = try laptop.sync()
        #expect(outcome.late.count == 1 && outcome.issues.isEmpty, "\(outcome.issues)")
        #expect(try laptop.replica().status().issues.isEmpty)
    }

    /// Two histories of one number, of which no file is left, are told by checkpoints alone.
    @Test("Where two changes of one number have no file any more, leaving and joining lets all go on")
    func twoChangesWithoutFiles() throws {
        let (sandbox, laptop, phone) = try pair()
        let tablet = try Device("Tablet", in: sandbox)
        let devices = [laptop, phone, tablet]
        try tablet.join()
        for _ in 0..<2 { for device in devices { try device.sync() } }
        let files = [laptop.store, laptop.store + ".foldersync"]
        for file in files { try copy(file, file + ".image") }
        // Each of the two others gets another change 2 of the laptop, whose file is lost.
        for (task, other) in [("t1", phone), ("t2", tablet)] {
            for file in files { try copy(file + ".image", file) }
            laptop.time.advance(60_000)
            try laptop.setTitle(task, "\(task) from then")
            for device in [laptop, other] { try device.sync() }
            try removeFile(2, of: laptop)
            for file in try FileManager.default.contentsOfDirectory(atPath: laptop.folder + "/seen") {
                try FileManager.default.removeItem(atPath: laptop.folder + "/seen/" + file)
            }
        }
        for _ in 0..<2 {
            for device in devices { _ = try device.replica().repair() }
            for device in devices { try device.sync() }
        }
        for device in devices {
            let issues = try device.sync().issues
            let isTold = issues.allSatisfy { $0.kind == .missing && $0.message.contains("holds another change 2 of") }
            #expect(!issues.isEmpty && isTold, "\(issues)")
            #expect(issues.allSatisfy { $0.message.contains("foldersync leave and then foldersync join here") })
        }
        for device in devices {
            try device.replica().leave()
            try device.join()
            try device.sync()
        }
        for _ in 0..<2 { for device in devices { try device.sync() } }
        let values = try Set(laptop.replica().conflicts().flatMap(\.choices).compactMap(\.value?.string))
        let shown = try Set(laptop.titles().values)
        for title in ["t1 from then", "t2 from then"] { #expect(values.union(shown).contains(title)) }
        try phone.addTask("new", "after all")
        for _ in 0..<2 { for device in devices { try device.sync() } }
        for device in devices {
            #expect(try device.sync().isIdle, "\(device.name)")
            #expect(try device.titles() == laptop.titles() && device.titles()["new"] == "after all")
            let found = try device.replica().verify()
            #expect(try found.faults.isEmpty && found.digest == laptop.replica().verify().digest, "\(found.faults)")
        }
    }

    @Test("A file that a cloud drive did not fetch is not called gone")
    func notFetched() throws {
        let (_, laptop, phone) = try pair()
        guard !EncryptedRun.isOn else { return }
        let file = try #require(try Transport.segments(laptop.folder).first)
        let parts = file.split(separator: "/")
        let placeholder = parts.dropLast().joined(separator: "/") + "/." + (parts.last ?? "") + ".icloud"
        try FileManager.default.moveItem(
            atPath: laptop.folder + "/" + file,
            toPath: laptop.folder + "/" + placeholder
        )
        for device in [laptop, phone] {
            #expect(try device.replica().verify().faults.map(\.kind) == [.notDownloaded])
        }
    }

    @Test("Before the first change nothing was: a restore to then is refused")
    func beforeAll() throws {
        let (_, laptop, _) = try pair()
        #expect(throws: SyncError.self) { _ = try laptop.replica().restore(at: 1000) }
        #expect(try laptop.titles().count == 30)
    }

    @Test("A store that was moved with its state goes on where it lies now")
    func moved() throws {
        let (sandbox, laptop, phone) = try pair()
        let moved = try Device("Moved", in: sandbox)
        try copy(laptop.store, moved.store)
        try copy(laptop.store + ".foldersync", moved.store + ".foldersync")
        for path in [laptop.store, laptop.store + ".foldersync"] { try FileManager.default.removeItem(atPath: path) }
        try moved.join()
        try moved.setTitle("t1", "moved")
        try moved.sync()
        try phone.sync()
        #expect(try phone.titles()["t1"] == "moved")
        #expect(throws: (any Error).self) { try laptop.replica() }
    }

    @Test("A planned task that is deleted takes its plan item with it, on both devices")
    func deletedPlan() throws {
        let (_, laptop, phone) = try pair()
        try laptop.sql(
            """
            INSERT INTO day_plan (date) VALUES ('2026-01-05');
            INSERT INTO day_plan_items (id, date, entity_type, entity_id) VALUES ('p', '2026-01-05', 'task', 't1');
            UPDATE tasks SET depends_on_task_id = 't1' WHERE id = 't2';
            """
        )
        try laptop.sync()
        try phone.sync()
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        try laptop.sync()
        try phone.sync()
        for table in ["day_plan_items", "tasks"] { #expect(try laptop.rows(table) == phone.rows(table)) }
        #expect(try laptop.rows("day_plan_items").isEmpty)
    }
}
