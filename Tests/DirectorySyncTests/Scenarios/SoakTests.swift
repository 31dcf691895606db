import AgeFile
import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

/// Three devices that change what they have at random, with transports that deliver what they like when they like, copies of
/// devices, devices and stores that are set back, and synchronisations that end in the middle.
@Suite("A world of three devices")
struct SoakTests {
    /// How many worlds, and from which seed on: `SATCHEL_SYNC_SOAK` and `SATCHEL_SEED` ask for more.
    private static let worlds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SATCHEL_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...UInt64(UInt32.max))
        let count = environment["SATCHEL_SYNC_SOAK"].flatMap(UInt64.init) ?? 4
        return (0..<max(1, count)).map { first &+ $0 }
    }()

    @Test(
        "Whatever happens, all come to the same, and nothing that was entered is lost",
        arguments: worlds,
        ScenarioApp.allCases
    )
    func world(_ seed: UInt64, _ app: ScenarioApp) throws {
        print("world of \(app), seed \(seed)")
        var world = try World(app, seed: seed)
        for _ in 0..<60 { try world.step() }
        try world.apply()
        try world.check()
    }
}

extension SoakTests {
    /// Of a device that was copied twice, a checkpoint knew a branch by the name that it had before it forked again.
    @Test("A branch that forked again is taken from a checkpoint once")
    func branchOfBranch() throws { try world(3_249_490_484, .slate) }

    /// One device learned of the later fork before the earlier one, and another one the other way round.
    @Test("Branches of branches have one name, whichever fork a device learns of first")
    func namesOfBranches() throws { try world(1_805_825_555, .slate) }

    /// A checkpoint's author knew of a fork behind another one that it did not know of, and not the hash of the change before.
    @Test("The last change before a fork is known by the fork's branches")
    func beforeFork() throws { try world(777_011, .slate) }

    /// The folder of a device was set back, too, and its former change was in another one's checkpoint alone.
    @Test("A number that was given twice, once in a checkpoint alone, means two changes")
    func secondNumber() throws { try world(777_057, .declared) }

    /// Two writers are forked at the same number, and one of them came from a checkpoint.
    @Test("The last change before a fork does not get the hash of another writer's change")
    func hashesOfForks() throws { try world(880_070, .declared) }

    /// A checkpoint of a copied device comes before the files that tell whose history it has.
    @Test("A checkpoint with another history under the same numbers waits until it is known whose it is")
    func sameNumbers() throws { try world(910_042, .slate) }
}

/// The devices, what was entered, and what lies ready to be delivered.
private struct World {
    private let app: ScenarioApp
    private let seed: UInt64
    private var random: SeededGenerator
    private var devices: [Device] = []
    private var backups: [Int: Sandbox] = [:]
    private var time = Device.Clock()
    /// Tasks that were added, and those that somebody deleted, so that they may be gone.
    private var added: Set<String> = []
    private var deleted: Set<String> = []
    /// What somebody entered as the title of a task, and what a newer title of the same device replaced.
    private var titles: [String: [String]] = [:]
    private var happened: [String] = []
    private var number = 0
    /// True if a folder was set back.
    private var hasLostFiles = false

    init(_ app: ScenarioApp, seed: UInt64) throws {
        self.app = app
        self.seed = seed
        random = SeededGenerator(seed: seed)
        for name in ["a", "b", "c"] { try addDevice(name) }
    }

    private mutating func addDevice(_ name: String) throws {
        let device = try makeDevice(name)
        if let first = devices.first {
            try Transport.introduce(device.folder, to: first.folder)
            try device.join()
        } else {
            try device.makeSpace()
        }
        devices.append(device)
    }

    /// A device whose names are the same for the same seed.
    private mutating func makeDevice(_ name: String) throws -> Device {
        let device = try Device(name, app == .slate ? .slate : ScenarioApp.declaredID, in: try Sandbox(), clock: time)
        device.environment.writesAtOnce = [nil, 1, 3].randomElement(using: &random) ?? nil
        device.environment.packing.leastRows = [1_000, 1, 4].randomElement(using: &random) ?? nil
        device.environment.packing.blockBytes = 700
        device.seedNames(random.next())
        return device
    }

    // MARK: What happens

    mutating func step() throws {
        let index = Int.random(in: devices.indices, using: &random)
        let device = devices[index]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try edit(device)
        case 40..<65: try synchronise(device)
        case 65..<88: try deliver(to: device)
        case 88..<91:
            note("backup of \(device.name)")
            backups[index] = try Sandbox(copying: device.sandbox)
        case 91..<94:
            guard let backup = backups[index] else { return }
            note("\(number(of: device)) set back")
            let keepsFolder = Bool.random(using: &random)
            try device.sandbox.replace(from: backup, without: keepsFolder ? ["shared"] : [])
            if !keepsFolder { hasLostFiles = true }
            // What was entered since, and was not published, went with the device.
            titles = [:]
            deleted.formUnion(added)
        case 94..<96: try clone(device)
        case 96: try refuse(device)
        case 97 where device.environment.keys != nil: try changeKeys(device)
        default: try interrupt(device)
        }
    }

    private mutating func note(_ what: String) { happened.append(what) }

    private func number(of device: Device) -> Int { devices.firstIndex { $0 === device } ?? -1 }

    private mutating func edit(_ device: Device) throws {
        number += 1
        // Its own app enters no title that its database does not take.
        if number % 10 == 6, try isRefusing(device) { number += 1 }
        let known = try device.titles().keys.sorted()
        let task = "(SELECT \(app.reference) FROM tasks WHERE id = ?)"
        let id = known.randomElement(using: &random) ?? ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            note("\(number(of: device)) adds n\(number)")
            try device.addTask("n\(number)", "title \(number)")
            if let listing = app.listing("n\(number)", "list \(number % 3)") {
                try device.sql(listing.sql, listing.arguments)
            }
            added.insert("n\(number)")
            titles["n\(number)", default: []].append("title \(number)")
        case 4..<7:
            note("\(number(of: device)) renames \(id) to \(number)")
            try device.setTitle(id, "title \(number)")
            if !id.isEmpty { titles[id, default: []].append("title \(number)") }
        case 7:
            note("\(number(of: device)) deletes \(id)")
            try device.sql("UPDATE tasks SET depends_on_task_id = NULL WHERE depends_on_task_id = \(task)", [id])
            if app == .declared { try device.sql("DELETE FROM day_plan_items WHERE entity_id = \(task)", [id]) }
            try device.sql("DELETE FROM tasks WHERE id = ?", [id])
            deleted.insert(id)
        case 8 where !id.isEmpty:
            note("\(number(of: device)) plans \(id)")
            try device.sql(
                "INSERT OR REPLACE INTO day_plan_items (id, date, entity_type, entity_id) VALUES (?, '2026-01-02', 'task', \(task))",
                ["p\(number)", id]
            )
        default:
            note("\(number(of: device)) ticks \(id)")
            let other = known.randomElement(using: &random)
            try device.sql(
                "UPDATE tasks SET is_done = 1, done_at = ?, depends_on_task_id = \(task) WHERE id = ?",
                ["2026-01-02T00:00:\(10 + number % 50)Z", other, id]
            )
        }
    }

    private mutating func synchronise(_ device: Device) throws {
        note("\(number(of: device)) synchronises")
        time.advance(Int.random(in: -2_000...60_000, using: &random))
        do {
            let outcome = try device.sync()
            if Int.random(in: 0..<12, using: &random) == 0 { _ = try device.replica().compact() }
            // An encrypted world replaces its key now and then, and the new one may come late.
            let kinds: Set<SyncIssue.Kind> =
                device.environment.keys == nil
                ? [.missing, .unshown, .rejected] : [.missing, .unshown, .rejected, .noKey, .oldKey, .twoKeys]
            #expect(outcome.issues.allSatisfy { kinds.contains($0.kind) }, "\(seed): \(outcome.issues)")
        } catch let error as SyncError where error.code == .massChange {
            note("\(number(of: device)) decides")
            try device.sync(Bool.random(using: &random) ? .accept(error.massChange ?? 0) : .discard)
            deleted.formUnion(added)
        }
    }

    private mutating func deliver(to device: Device) throws {
        guard let from = devices.randomElement(using: &random), from !== device else { return }
        let part = Double.random(in: 0.2...1.2, using: &random)
        note("\(number(of: from)) to \(number(of: device)), \(part)")
        for file in try Transport.files(from.folder).shuffled(using: &random)
        where Double.random(in: 0..<1, using: &random) < part {
            try Transport.bring(file, from: from.folder, to: device.folder)
        }
    }

    private mutating func clone(_ device: Device) throws {
        guard devices.count < 5 else { return }
        note("\(number(of: device)) is copied as device \(devices.count)")
        let copy = try makeDevice(device.name)
        try copy.sandbox.replace(from: device.sandbox)
        devices.append(copy)
    }

    /// A device that did not get the newest key opens the folder with the passphrase.
    private func openAgain(_ device: Device) throws {
        guard let keys = try EncryptedRun.keys(device.folder, device.environment),
            try keys.status().faults.contains(where: { $0.contains("key unlock") })
        else { return }
        _ = try keys.unlock(AgePassphrase("test"))
        try unlessLate { try keys.announce(device.environment.device) }
    }

    /// Opens a folder, unless the note of its newest key has not arrived: it is opened again when all is delivered.
    private func unlessLate(_ body: () throws -> Void) throws {
        do { try body() } catch let error as SyncError where error.code == .unpublished {}
    }

    /// A device replaces the folder's key, removes one that nobody knows, or loses its own keys.
    private mutating func changeKeys(_ device: Device) throws {
        guard let keys = try EncryptedRun.keys(device.folder, device.environment) else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            note("\(number(of: device)) loses its keys")
            try device.sandbox.remove("\(device.name)-keys")
            try unlessLate { try EncryptedRun.unlock(device.folder, device.environment) }
        default:
            note("\(number(of: device)) replaces the key")
            // Not before it has the newest one itself.
            _ = try? keys.rotate(EncryptedRun.locks())
        }
    }

    /// A device whose database takes no titles that end in 6 until it does so again, or all is settled.
    private mutating func refuse(_ device: Device) throws {
        note("\(number(of: device)) refuses, or no more")
        if try !isRefusing(device) {
            try device.sql(
                """
                CREATE TRIGGER no6 BEFORE INSERT ON tasks WHEN NEW.title LIKE '%6'
                    BEGIN SELECT RAISE(ABORT, 'no 6'); END;
                CREATE TRIGGER no6b BEFORE UPDATE ON tasks WHEN NEW.title LIKE '%6' AND NEW.title <> OLD.title
                    BEGIN SELECT RAISE(ABORT, 'no 6'); END;
                """
            )
        } else {
            try device.sql("DROP TRIGGER no6; DROP TRIGGER no6b")
        }
    }

    private func isRefusing(_ device: Device) throws -> Bool {
        try !device.column("SELECT name FROM sqlite_master WHERE name = 'no6'").isEmpty
    }

    /// A synchronisation that cannot write the store, or is ended before it could note that it had.
    private mutating func interrupt(_ device: Device) throws {
        note("\(number(of: device)) is interrupted")
        let event = Bool.random(using: &random) ? "INSERT" : "UPDATE"
        let name = device.store.split(separator: "/").last.map(String.init) ?? ""
        try device.sql(
            "CREATE TRIGGER full BEFORE \(event) ON satchel_sync BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        _ = try? device.sync()
        try device.sql("DROP TRIGGER full")
        guard Bool.random(using: &random) else { return }
        note("twice")
        let state = try device.sandbox.bytes(name + ".foldersync")
        let files = Set(try Transport.files(device.folder))
        try synchronise(device)
        guard try Set(Transport.files(device.folder)) == files else { return }
        try device.sandbox.write(name + ".foldersync", state)
    }

    // MARK: The end

    /// Everything is delivered to all.
    mutating func apply() throws {
        for device in devices { try device.sql("DROP TRIGGER IF EXISTS no6; DROP TRIGGER IF EXISTS no6b") }
        for round in 0..<8 {
            for device in devices { try synchronise(device) }
            // Do what the program tells a person whose key was replaced on two devices at the same time.
            if round == 3, let first = devices.first,
                try first.replica().verify().faults.contains(where: { $0.kind == .twoKeys })
            {
                _ = try EncryptedRun.keys(first.folder, first.environment)?.rotate(EncryptedRun.locks())
            }
            // A key that was replaced before a device's note had arrived is not there for it.
            if round > 1 { for device in devices { try openAgain(device) } }
            for one in devices {
                for other in devices where other !== one { try Transport.bring(from: one.folder, to: other.folder) }
            }
        }
        for device in devices { try synchronise(device) }
    }

    func check() throws {
        let comment: Comment = "seed \(seed): \(happened.joined(separator: "; "))"
        let first = try #require(devices.first)
        let state = try first.replica().stateText()
        let rows = try app.rows(first.store)
        for device in devices.dropFirst() {
            let difference = try device.replica().stateText().split(separator: "\n").difference(
                from: state.split(separator: "\n")
            )
            #expect(difference.isEmpty, "\(number(of: device)): \(difference.map(\.self)), \(comment)")
            let others = try app.rows(device.store).difference(from: rows)
            #expect(others.isEmpty, "\(number(of: device)): \(others.map(\.self)), \(comment)")
        }
        let shown = try first.titles()
        let missing = added.subtracting(shown.keys).subtracting(deleted)
        #expect(missing.isEmpty, "\(missing), \(comment)")
        // What was entered last of all for a task is shown, or stands in the state beside what is shown.
        for (id, entered) in titles where shown[id] != nil && !deleted.contains(id) {
            guard let last = entered.last else { continue }
            #expect(state.contains("\"\(last)\""), "\(last) of \(id), \(comment)")
        }
        for device in devices {
            let found = try device.replica().verify()
            let isWhole = found.faults.isEmpty || hasLostFiles && found.faults.allSatisfy { $0.kind == .missing }
            #expect(isWhole && found.differing.isEmpty, "\(found.faults) \(found.differing), \(comment)")
            let last = try device.sync()
            // A file that was nowhere but in a folder that was set back never comes.
            let isWaiting = hasLostFiles && last.issues.allSatisfy { $0.kind == .missing }
            #expect(
                last.isIdle || isWaiting && last.publishedBytes == 0 && last.written == 0,
                "\(number(of: device)): \(last.issues) \(last.notes), \(comment)"
            )
        }
    }
}

extension Sandbox {
    /// A copy of another.
    fileprivate convenience init(copying other: Sandbox) throws {
        try self.init()
        try replace(from: other)
    }

    /// Puts the files of another in place of its own.
    fileprivate func replace(from other: Sandbox, without kept: [String] = []) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !kept.contains(name) {
            try remove(name)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: other.folder.path) where !kept.contains(name) {
            try FileManager.default.copyItem(atPath: other.path(name), toPath: path(name))
        }
    }
}
