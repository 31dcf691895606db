import DirectorySync
import Foundation
import RecordMerge
import StrictJSON
import TestSupport
import Testing

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

    @Test("Both change one task: one title is shown, the other is a conflict until somebody decides")
    func conflict() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        let phone = try Device("Phone", in: sandbox)
        try laptop.addTask("t1", "Milk")
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
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
}
