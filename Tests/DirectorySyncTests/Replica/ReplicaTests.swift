import DirectorySync
import Foundation
import RecordMerge
import StrictJSON
import Testing
import TestSupport

@Suite("Two devices")
struct ReplicaTests {
    @Test("What one device has, the other gets, and changes of it")
    func twoDevices() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        try phone.join()
        let first = try laptop.sync()
        #expect(first.published.first?.records.contains { $0.name.title == "Milk" } == true)
        let second = try phone.sync()
        #expect(second.written > 0)
        #expect(try phone.titles() == ["t1": "Milk"])
        try phone.setTitle("t1", "Oat milk")
        try phone.addTask("t2", "Bread")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Bread"])
        try laptop.sql("DELETE FROM tasks WHERE id = 't1'")
        try laptop.sync()
        try phone.sync()
        #expect(try phone.titles() == ["t2": "Bread"])
        #expect(try laptop.sync().isIdle)
        #expect(try phone.sync().isIdle)
    }

    @Test("Many new tasks that wait for each other are published, and nothing is written to their own store")
    func manyReferences() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let time = "'2026-01-01T00:00:00Z'"
        // Each waits for one whose key comes far behind it, or before it.
        try laptop.sql(
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO tasks (id, title, created_at, updated_at, depends_on_task_id)
            SELECT printf('n%05d', i), 'Task', \(time), \(time), iif(i % 3 = 0, NULL, printf('n%05d', i * 7 % 1500 / 3 * 3 + 3))
            FROM n
            """
        )
        let question = "SELECT id || ' ' || ifnull(depends_on_task_id, '') FROM tasks ORDER BY id"
        let before = try laptop.column(question)
        let outcome = try laptop.sync()
        #expect(outcome.published.map(\.recordCount).reduce(0, +) == 1_500)
        #expect(outcome.written == 0)
        #expect(try laptop.column(question) == before)
        try phone.sync()
        #expect(try phone.column(question) == before)
        #expect(try laptop.sync().isIdle)
        #expect(try laptop.replica().conflicts().isEmpty)
    }

    @Test("Both change one task: one title is shown, the other is a conflict until somebody decides")
    func conflict() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        phone.time.advance(60_000)
        try phone.setTitle("t1", "Soy milk")
        try laptop.sync()
        #expect(try phone.sync().conflicts == 1)
        #expect(try laptop.sync().conflicts == 1)
        #expect(try laptop.titles() == phone.titles())
        let conflict = try #require(try laptop.replica().conflicts().first)
        #expect(conflict.path == ["title"])
        #expect(conflict.choices.map { $0.value?.string } == ["Soy milk", "Oat milk"])
        #expect(conflict.choices.map { $0.device?.name } == ["Phone", "Laptop"])
        let decision = ConflictDecision(key: .init("tasks", "t1"), path: ["title"], value: .choice(1))
        _ = try laptop.replica().resolve([decision])
        #expect(try laptop.titles() == ["t1": "Oat milk"])
        #expect(try phone.sync().conflicts == 0)
        #expect(try phone.titles() == ["t1": "Oat milk"])
    }

    /// Three devices that all know a task; two of them have changed its title and synchronised.
    private func contested() throws -> (laptop: Device, phone: Device, tablet: Device) {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Phone", "Tablet"].map { try Device($0, in: sandbox) }
        try devices[0].addTask("t1", "Milk")
        try devices[0].makeSpace()
        try devices[0].sync()
        for device in devices[1...] {
            try device.join()
            try device.sync()
        }
        for (device, title) in zip(devices, ["Oat milk", "Soy milk", "Rice milk"]) { try device.setTitle("t1", title) }
        try devices[0].sync()
        try devices[1].sync()
        try devices[0].sync()
        return (devices[0], devices[1], devices[2])
    }

    @Test("A decision is made of what was seen: what arrives meanwhile is a conflict, and not overwritten")
    func decisionSeen() throws {
        let (laptop, phone, tablet) = try contested()
        let conflict = try #require(try laptop.replica().conflicts().first)
        let number = try #require(conflict.choices.firstIndex { $0.value == "Oat milk" })
        try tablet.sync()
        let key = RecordKey("tasks", "t1")
        _ = try laptop.replica().resolve(
            [ConflictDecision(key: key, path: ["title"], value: .choice(number), seen: conflict.choices)]
        )
        for device in [laptop, phone, tablet, laptop] { try device.sync() }
        let left = try #require(try phone.replica().conflicts().first)
        #expect(Set(left.choices.compactMap { $0.value?.string }) == ["Oat milk", "Rice milk"])
        // The list that was chosen from is not the one that stands now.
        #expect(throws: SyncError.self) {
            let decision = ConflictDecision(key: key, path: ["title"], value: .shown, seen: conflict.choices)
            _ = try phone.replica().resolve([decision])
        }
    }

    @Test("A value that the store cannot hold is not published")
    func rejectedDecision() throws {
        let (laptop, phone, _) = try contested()
        let decision = ConflictDecision(key: RecordKey("tasks", "t1"), path: ["title"], value: .value(5))
        #expect(throws: (any Error).self) { try laptop.replica().resolve([decision]) }
        #expect(try laptop.sync().conflicts == 1)
        try phone.addTask("t2", "Bread")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.titles()["t2"] == "Bread")
    }
}
