import Foundation
import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import Synchronization
import Testing
import TestSupport

@testable import DirectorySync

/// A store that sees what is done while its app is kept waiting.
private final class WatchedStore: SyncStore, @unchecked Sendable {
    private let store: any SyncStore
    private let folder: String
    /// Is called before the store is locked.
    var beforeLock: () throws -> Void = {}
    /// Is called when the store was written, and nothing has been noted of it yet.
    var whenWritten: () throws -> Void = {}
    private(set) var isLocked = false
    private(set) var longest = Duration.zero
    /// Records that were worked out, in all and while the store was locked.
    private(set) var (applied, settledInLock) = (0, 0)
    private(set) var holds = 0
    /// The thread that synchronises: what another one works out keeps nobody waiting.
    private let thread = Thread.current

    init(_ replica: Replica) {
        store = replica.store
        folder = replica.folder
    }

    var app: AppID { store.app }
    var path: String { store.path }
    var collections: [String] { store.collections }
    var wholeCollections: Set<String> { store.wholeCollections }

    func setLink(_ link: SyncLink) throws { try store.setLink(link) }
    func removeLink() throws { try store.removeLink() }
    func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result {
        try store.readUnlocked(body)
    }
    func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result { try store.read(body) }

    /// Is asked of each record that the store is to be given, just when what it shows was worked out.
    func fault(of object: JSONObject, in collection: String) -> String? {
        if Thread.current == thread {
            applied += 1
            if isLocked { settledInLock += 1 }
        }
        return store.fault(of: object, in: collection)
    }

    func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) throws -> Bool {
        try beforeLock()
        holds += 1
        let start = ContinuousClock.now
        defer {
            isLocked = false
            longest = max(longest, ContinuousClock.now - start)
        }
        let isDone = try store.write(expecting: revision, link: link) { writer in
            isLocked = true
            // Nothing of the folder can be read or written meanwhile.
            try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
            defer { try? FileManager.default.moveItem(atPath: folder + ".away", toPath: folder) }
            try body(writer)
        }
        isLocked = false
        try whenWritten()
        return isDone
    }
}

@Suite("How long the app is kept waiting")
struct ShortLockTests {
    /// Synchronises a device, and sees what is done while its store is locked.
    private func sync(
        _ device: Device,
        _ beforeLock: @escaping () throws -> Void = {},
        whenWritten: @escaping () throws -> Void = {}
    ) throws -> (SyncOutcome, WatchedStore) {
        device.time.advance(1000)
        let replica = try device.replica()
        let store = WatchedStore(replica)
        (store.beforeLock, store.whenWritten) = (beforeLock, whenWritten)
        replica.store = store
        return (try replica.sync(), store)
    }

    private func pair(_ count: Int, _ extra: String = "") throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try Device.pair()
        let day = "2026-01-01T00:00:00Z"
        try laptop.sql(
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO tasks (id, title, notes, created_at, updated_at)
            SELECT printf('t%06d', i), 'Task ' || i, 'one two three four five six', '\(day)', '\(day)' FROM n
            """
        )
        try laptop.sync()
        return (laptop, phone)
    }

    @Test("Records are worked out, texts merged and files read before the store is locked", arguments: [40])
    func prepared(_ count: Int) throws {
        let (laptop, phone) = try pair(count)
        let (joined, first) = try sync(phone)
        #expect(joined.written == count)
        try laptop.sql("UPDATE tasks SET notes = 'zero ' || notes")
        try phone.sql("UPDATE tasks SET notes = notes || ' seven', due_date = '2026-02-01'")
        try laptop.sync()
        let (merged, second) = try sync(phone)
        #expect(merged.written == count && merged.conflicts == 0)
        for store in [first, second] {
            #expect(store.applied >= count && store.settledInLock == 0 && store.holds == 1)
            print("\(count) records, store locked for \(store.longest)")
        }
        try laptop.sync()
        let notes = "SELECT DISTINCT notes || due_date FROM tasks"
        for device in [laptop, phone] {
            #expect(try device.column(notes) == ["zero one two three four five six seven2026-02-01"])
        }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
    }

    @Test("For an app that writes all the time only what it writes is worked out while it waits")
    func busy() throws {
        let (laptop, phone) = try pair(300)
        try phone.sync()
        try laptop.sql("UPDATE tasks SET notes = 'zero ' || notes")
        try laptop.sync()
        var round = 0
        let (outcome, store) = try sync(phone) {
            round += 1
            try phone.sql("UPDATE tasks SET title = 'Round \(round)' WHERE id IN ('t000007', 't000008')")
        }
        #expect(outcome.written == 300 && outcome.outbox == nil)
        #expect(store.settledInLock > 0 && store.settledInLock < 10, "\(store.settledInLock)")
        #expect(try phone.column("SELECT DISTINCT notes FROM tasks") == ["zero one two three four five six"])
        #expect(try phone.column("SELECT title FROM tasks WHERE id = 't000007'") == ["Round \(round)"])
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.rows("tasks") == phone.rows("tasks"))
        #expect(try laptop.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test(
        "Ended when an app that writes all the time had been given most, nothing is lost",
        arguments: [1, 2, 3, 4, 5]
    )
    func ended(_ last: Int) throws {
        struct Ended: Error {}
        let (laptop, phone) = try pair(30)
        try phone.sync()
        try laptop.sql("UPDATE tasks SET notes = 'zero ' || notes")
        try laptop.sync()
        var round = 0
        #expect(throws: Ended.self) {
            _ = try sync(phone) {
                round += 1
                if round == last { throw Ended() }
                try phone.sql("UPDATE tasks SET title = 'Round \(round)' WHERE id IN ('t000007', 't000008')")
            }
        }
        try phone.sql("UPDATE tasks SET title = 'Later' WHERE id = 't000009'")
        for device in [phone, laptop, phone] { try device.sync() }
        #expect(try phone.column("SELECT DISTINCT notes FROM tasks") == ["zero one two three four five six"])
        #expect(try phone.column("SELECT title FROM tasks WHERE id = 't000009'") == ["Later"])
        #expect(try laptop.rows("tasks") == phone.rows("tasks"))
        #expect(try laptop.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    // MARK: Many records

    /// A laptop that changed and removed what a phone has, and made more, of which the phone is to write seven at once.
    private func many() throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try pair(40)
        try habit(laptop, "old")
        for device in [laptop, phone] { try device.sync() }
        try laptop.sql("UPDATE tasks SET notes = 'zero ' || notes; DELETE FROM tasks WHERE id >= 't000035'")
        try laptop.sql("UPDATE tasks SET depends_on_task_id = 't000001' WHERE id = 't000034'")
        try laptop.sql("DELETE FROM habit_completions; DELETE FROM habits")
        try habit(laptop, "a new")
        try laptop.syncAccepting()
        phone.environment.writesAtOnce = 7
        return (laptop, phone)
    }

    /// A habit of that name that was done on twenty days.
    private func habit(_ device: Device, _ name: String) throws {
        let day = "2026-01-01T00:00:00Z"
        try device.sql(
            "INSERT INTO habits (id, title, created_at, updated_at) VALUES ('\(name)', '\(name)', '\(day)', '\(day)')"
        )
        for number in 10..<30 {
            try device.sql(
                "INSERT INTO habit_completions (id, habit_id, date, completed_at) VALUES (?, ?, ?, ?)",
                ["\(name) \(number)", name, "2026-01-\(number)", day]
            )
        }
    }

    private func expectEqual(_ laptop: Device, _ phone: Device) throws {
        for device in [phone, laptop, phone] { try device.sync() }
        #expect(try slateRows(laptop.store) == slateRows(phone.store))
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try laptop.replica().conflicts().isEmpty)
        for device in [laptop, phone] {
            #expect(try device.sync().isIdle)
            let found = try device.replica().verify()
            #expect(found.faults.isEmpty && found.differing.isEmpty, "\(found)")
        }
    }

    @Test("The app can write between batches, and never sees what refers to nothing")
    func batches() throws {
        let (laptop, phone) = try many()
        let dangling = """
            SELECT id FROM habit_completions WHERE habit_id NOT IN (SELECT id FROM habits) UNION
            SELECT id FROM tasks WHERE depends_on_task_id NOT IN (SELECT id FROM tasks)
            """
        var round = 0
        let (outcome, store) = try sync(phone) {
            round += 1
            #expect(try phone.column(dangling) == [])
            // What the store has still to be given, and what it was given.
            if round % 2 == 0 { try phone.setTitle("t000033", "Round \(round)") }
            if round == 3 { try phone.setTitle("t000002", "Of the phone") }
        }
        // Forty tasks, two habits and forty completions, but what the app wrote in the way is tried once more.
        #expect(outcome.written >= 80 && store.holds >= 12, "\(outcome.written) \(store.holds)")
        #expect(try phone.titles()["t000033"]?.hasPrefix("Round") == true)
        try expectEqual(laptop, phone)
        #expect(try laptop.titles()["t000002"] == "Of the phone" && laptop.titles().count == 34)
    }

    @Test("Ended between batches, and when one was written that was not noted, nothing is lost", arguments: 1...12)
    func endedBetween(_ last: Int) throws {
        struct Ended: Error {}
        for isWritten in [false, true] {
            let (laptop, phone) = try many()
            var round = 0
            func end() throws {
                round += 1
                if round == last { throw Ended() }
            }
            #expect(throws: Ended.self) {
                _ = isWritten ? try sync(phone, whenWritten: end) : try sync(phone, end)
            }
            // Here another number of records is one batch.
            phone.environment.writesAtOnce = last % 3 == 0 ? nil : last
            try phone.setTitle("t000033", "Later")
            try phone.sync()
            #expect(try phone.titles()["t000033"] == "Later")
            try expectEqual(laptop, phone)
            #expect(try laptop.titles().count == 34)
        }
    }

    /// A laptop with sixty tasks, and a new phone that keeps them in blocks of two and is to write seven at once.
    private func beginning() throws -> (laptop: Device, phone: Device) {
        let (laptop, _) = try pair(60)
        let phone = try Device("New", in: laptop.sandbox)
        phone.environment.packing = PackingLimits(leastRows: 1, blockBytes: 900)
        phone.environment.writesAtOnce = 7
        try phone.join()
        return (laptop, phone)
    }

    @Test("The app of a new device can write between batches, also what is resolved already")
    func newDevice() throws {
        let (laptop, phone) = try beginning()
        var round = 0
        let (_, store) = try sync(phone) {
            round += 1
            guard round == 3 else { return }
            let day = "'2026-01-01T00:00:00Z'"
            for number in [15, 20, 22, 50] {
                try phone.sql(
                    """
                    INSERT OR IGNORE INTO tasks (id, title, notes, created_at, updated_at)
                    VALUES ('t0000\(number)', 'Task \(number)', 'one two three four five six', \(day), \(day))
                    """
                )
            }
            try phone.setTitle("t000002", "Of the phone")
            try phone.sql("DELETE FROM tasks WHERE id = 't000003'")
        }
        #expect(store.holds >= 9)
        try expectEqual(laptop, phone)
        #expect(try laptop.titles()["t000002"] == "Of the phone" && laptop.titles().count == 59)
    }

    @Test("A first sync that ends between batches goes on where it was", arguments: 1...8)
    func firstEnded(_ last: Int) throws {
        struct Ended: Error {}
        for isWritten in [false, true] {
            let (laptop, phone) = try beginning()
            var round = 0
            func end() throws {
                round += 1
                if round == last { throw Ended() }
            }
            #expect(throws: Ended.self) {
                _ = isWritten ? try sync(phone, whenWritten: end) : try sync(phone, end)
            }
            phone.environment.writesAtOnce = last % 3 == 0 ? nil : last
            try phone.addTask("u", "Later")
            try phone.sync()
            try expectEqual(laptop, phone)
            #expect(try laptop.titles().count == 61)
        }
    }

    @Test("An app that writes all the time is given many records in batches, too")
    func busyBatches() throws {
        let (laptop, phone) = try many()
        var round = 0
        let (_, store) = try sync(phone) {
            round += 1
            try phone.setTitle("t000007", "Round \(round)")
        }
        #expect(store.holds >= 12 && store.settledInLock < 10, "\(store.holds) \(store.settledInLock)")
        #expect(try phone.titles()["t000007"] == "Round \(round)")
        try expectEqual(laptop, phone)
    }

    @Test("A record that the store cannot hold stops no batch")
    func rejected() throws {
        let (laptop, phone) = try many()
        let check = "WHEN NEW.id = 't000020' AND NEW.notes LIKE 'zero%' BEGIN SELECT RAISE(ABORT, 'no'); END"
        try phone.sql("CREATE TRIGGER no BEFORE UPDATE ON tasks \(check)")
        let (outcome, _) = try sync(phone)
        #expect(outcome.issues.map(\.kind) == [.rejected])
        #expect(try phone.column("SELECT id FROM tasks WHERE notes NOT LIKE 'zero%'") == ["t000020"])
        // Where one is rejected already, the others come in batches.
        try laptop.sql("UPDATE tasks SET notes = 'zero ' || notes")
        try laptop.sync()
        let (_, store) = try sync(phone)
        #expect(store.holds >= 5)
        try phone.sql("DROP TRIGGER no")
        try expectEqual(laptop, phone)
    }
}
