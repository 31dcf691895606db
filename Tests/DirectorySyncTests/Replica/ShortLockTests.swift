import AppStores
import Foundation
import RecordMerge
import StrictJSON
import Synchronization
import TestSupport
import Testing

@testable import DirectorySync

/// A store that sees what is done while its app is kept waiting.
private final class WatchedStore: SyncStore, @unchecked Sendable {
    private let store: any SyncStore
    private let folder: String
    /// Is called before the store is locked.
    var beforeLock: () throws -> Void = {}
    private(set) var isLocked = false
    private(set) var longest = Duration.zero
    /// Records that were worked out, in all and while the store was locked.
    private(set) var (settled, settledInLock) = (0, 0)
    private(set) var holds = 0

    init(_ replica: Replica) {
        store = replica.store
        folder = replica.folder
    }

    var app: SyncApp { store.app }
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
        settled += 1
        if isLocked { settledInLock += 1 }
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
        return try store.write(expecting: revision, link: link) { writer in
            isLocked = true
            // Nothing of the folder can be read or written meanwhile.
            try FileManager.default.moveItem(atPath: folder, toPath: folder + ".away")
            defer { try? FileManager.default.moveItem(atPath: folder + ".away", toPath: folder) }
            try body(writer)
        }
    }
}

@Suite("How long the app is kept waiting")
struct ShortLockTests {
    /// Synchronises a device, and sees what is done while its store is locked.
    private func sync(
        _ device: Device,
        _ beforeLock: @escaping () throws -> Void = {}
    ) throws -> (SyncOutcome, WatchedStore) {
        device.time.advance(1000)
        let replica = try device.replica()
        let store = WatchedStore(replica)
        store.beforeLock = beforeLock
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
            #expect(store.settled >= count && store.settledInLock == 0 && store.holds == 1)
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
}
