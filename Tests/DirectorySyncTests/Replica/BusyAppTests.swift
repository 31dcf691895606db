import FormatKit
import RecordMerge
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

/// A store whose app writes each time before it is locked, and after a write that left its records out.
private final class BusyStore: SyncStore, @unchecked Sendable {
    private let store: any SyncStore
    private let write: () throws -> Void
    private let whileRead: () throws -> Void
    private let whenLeftOut: () throws -> Void
    private(set) var attempts = 0

    init(
        _ store: any SyncStore,
        whileRead: @escaping () throws -> Void = {},
        whenLeftOut: @escaping () throws -> Void = {},
        _ write: @escaping () throws -> Void = {}
    ) {
        self.whenLeftOut = whenLeftOut
        self.store = store
        self.write = write
        self.whileRead = whileRead
    }

    var app: AppID { store.app }
    var path: String { store.path }
    var collections: [String] { store.collections }
    var wholeCollections: Set<String> { store.wholeCollections }

    func setLink(_ link: SyncLink) throws { try store.setLink(link) }
    func removeLink() throws { try store.removeLink() }
    func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result { try store.read(body) }
    func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result {
        try store.readUnlocked {
            let result = try body($0)
            try whileRead()
            return result
        }
    }

    func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) throws -> Bool {
        attempts += 1
        try write()
        let isDone = try store.write(expecting: revision, link: link, body)
        if isDone, revision == nil { try whenLeftOut() }
        return isDone
    }
}

@Suite("An app that writes all the time")
struct BusyAppTests {
    /// Synchronises a device whose app writes meanwhile; the replica is locked no longer than this takes.
    private func sync(_ device: Device, _ write: @escaping () throws -> Void) throws -> (SyncOutcome, attempts: Int) {
        device.time.advance(1000)
        let replica = try device.replica()
        let busy = BusyStore(replica.store, write)
        replica.store = busy
        return (try replica.sync(), busy.attempts)
    }

    @Test("A synchronisation ends all the same, and neither side's edits are lost", arguments: ["t1", "t2", "t3"])
    func busy(_ written: String) throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread", "Salt")
        try laptop.setTitle("t1", "Cream")
        try phone.setTitle("t2", "Rye")
        try phone.addTask("t4", "Rice")
        try phone.sync()
        var round = 0
        let (outcome, attempts) = try sync(laptop) {
            round += 1
            try laptop.sql("UPDATE tasks SET notes = 'round \(round)' WHERE id = '\(written)'")
        }
        #expect(attempts > 1 && attempts < 10)
        #expect(outcome.outbox == nil && outcome.issues.isEmpty)
        #expect(try laptop.titles() == ["t1": "Cream", "t2": "Rye", "t3": "Salt", "t4": "Rice"])
        #expect(try laptop.column("SELECT notes FROM tasks WHERE id = '\(written)'") == ["round \(round)"])
        try phone.sync()
        #expect(try phone.titles() == laptop.titles())
        #expect(try phone.column("SELECT notes FROM tasks WHERE id = '\(written)'") == ["round \(round)"])
        #expect(try laptop.sync().isIdle)
        #expect(try phone.sync().isIdle)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        #expect(try laptop.replica().conflicts().isEmpty)
    }

    @Test("What the app does to records that were just written, before that is noted, is its own doing")
    func afterWriting() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for (id, title) in [("t4", "Rice"), ("t5", "Oats")] { try phone.addTask(id, title) }
        try phone.sync()
        laptop.time.advance(1000)
        var (round, times) = (0, 0)
        try {
            let replica = try laptop.replica()
            replica.store = BusyStore(
                replica.store,
                whenLeftOut: {
                    times += 1
                    guard times == 1 else { return }
                    try laptop.sql("DELETE FROM tasks WHERE id = 't4'")
                    try laptop.setTitle("t5", "Barley")
                },
                {
                    round += 1
                    try laptop.sql("UPDATE tasks SET notes = 'round \(round)' WHERE id = 't1'")
                }
            )
            _ = try replica.sync()
        }()
        #expect(times > 0)
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.titles() == ["t1": "Milk", "t5": "Barley"])
        #expect(try phone.titles() == laptop.titles())
        #expect(try laptop.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("The app can write while its changes are read, and these are read anew then")
    func whileRead() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread", "Salt")
        try laptop.setTitle("t1", "Cream")
        var times = 0
        // The replica is locked no longer than this takes.
        let outcome = try {
            let replica = try laptop.replica()
            replica.store = BusyStore(
                replica.store,
                whileRead: {
                    times += 1
                    try laptop.sql("UPDATE tasks SET title = 'Butter' WHERE id = 't1'")
                    try laptop.setTitle("t2", "Rye")
                }
            )
            return try replica.sync()
        }()
        #expect(times == 1 && outcome.published.count == 1)
        #expect(outcome.published.first?.recordCount == 2)
        try phone.sync()
        #expect(try phone.titles() == ["t1": "Butter", "t2": "Rye", "t3": "Salt"])
        #expect(try phone.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("What both change meanwhile is a conflict")
    func contested() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.setTitle("t1", "Cream")
        try phone.sync()
        var round = 0
        laptop.time.advance(100_000)
        _ = try sync(laptop) {
            round += 1
            try laptop.setTitle("t1", "Milk \(round)")
        }
        for device in [phone, laptop] { try device.sync() }
        #expect(try laptop.titles() == phone.titles())
        let conflict = try #require(try phone.replica().conflicts().first)
        #expect(Set(conflict.choices.map { $0.value?.string }) == ["Milk \(round)", "Cream"])
    }
}
