import Foundation
import RecordMerge
import TestSupport
import Testing

@testable import DirectorySync

/// Clocks that were wrong for a while, and what is dated by them.
@Suite("Clocks that are days ahead or behind")
struct ClockTests {
    private static let year = 365 * 86_400_000

    /// Edits and synchronises a device whose clock is ahead, and sets the clock right again.
    private func ahead(_ device: Device, _ edit: () throws -> Void) throws {
        device.time.advance(Self.year)
        try edit()
        try device.sync()
        device.time.advance(-Self.year)
    }

    private func writer(_ device: Device) throws -> String {
        try device.replica().withState { try $0.required(.writer) }
    }

    @Test("A clock that was a year ahead for one sync dates no later change wrongly, and both devices say so")
    func yearAhead() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try ahead(laptop) { try laptop.setTitle("t1", "Oat milk") }
        #expect(try phone.sync().notes.contains { $0.hasPrefix("the clock of Laptop was ahead: it dated a change ") })
        #expect(try laptop.replica().status().clockFault?.contains("the next sync dates new changes") == true)
        try laptop.addTask("t2", "Bread")
        #expect(try laptop.sync().notes.contains { $0.hasPrefix("the last change of this device is dated ") })
        #expect(try laptop.sync().notes.isEmpty)
        #expect(try laptop.replica().status().clockFault == nil)
        try phone.sync()
        try phone.addTask("t3", "Eggs")
        try phone.sync()
        try laptop.sync()
        for device in [laptop, phone] {
            let log = try device.replica().log(limit: 10)
            #expect(log.prefix(3).map { $0.records.first?.name.key } == ["t3", "t2", "t1"], "\(device.name)")
            let isAhead = log.map { $0.milliseconds > device.time.now + 86_400_000 }
            #expect(isAhead.prefix(3) == [false, false, true] && isAhead.count { $0 } == 1, "\(device.name)")
        }
        // What existed at a time is not taken for later, and a restore is taken back.
        let moment = max(laptop.time.now, phone.time.now)
        for device in [laptop, phone] { device.time.advance(60_000) }
        try phone.sql("DELETE FROM tasks WHERE id = 't3'")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.replica().differences(toMoment: moment).map(\.name.key) == ["t3"])
        let restored = try laptop.replica().restore(at: moment)
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Bread", "t3": "Eggs"])
        _ = try laptop.replica().restore(at: #require(restored.undoMoment))
        #expect(try laptop.titles() == ["t1": "Oat milk", "t2": "Bread"])
        // Of two values the later one is shown.
        try phone.sync()
        try laptop.setTitle("t1", "Soy milk")
        phone.time.advance(3_600_000)
        try phone.setTitle("t1", "Rice milk")
        for device in [laptop, phone, laptop] { try device.sync() }
        for device in [laptop, phone] { #expect(try device.titles()["t1"] == "Rice milk", "\(device.name)") }
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }

    @Test("A restore right after a change of a clock that was ahead marks it, and is taken back whole")
    func takenBack() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let before = phone.time.now
        phone.time.advance(60_000)
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        try ahead(laptop) { try laptop.addTask("t2", "Bread") }
        try phone.sync()
        let found = try phone.replica().differences(toMoment: before)
        #expect(found.first { $0.name.key == "t2" }?.edit?.isDatedAhead == true)
        #expect(found.first { $0.name.key == "t1" }?.edit?.isDatedAhead == false)
        let restored = try phone.replica().restore(at: before)
        #expect(try phone.titles() == ["t1": "Milk"])
        _ = try phone.replica().restore(at: #require(restored.undoMoment))
        #expect(try phone.titles() == ["t1": "Oat milk", "t2": "Bread"])
        try laptop.sync()
        #expect(try laptop.titles() == phone.titles())
    }

    @Test("A clock that is behind what others wrote is told, and changes no dates")
    func behind() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try phone.setTitle("t1", "Oat milk")
        try phone.sync()
        try laptop.sync()
        try laptop.addTask("t2", "Bread")
        try laptop.sync()
        let name = try writer(laptop)
        laptop.time.advance(-Self.year)
        try laptop.addTask("t3", "Eggs")
        #expect(try laptop.sync().notes.contains { $0.contains("set its date and time right") })
        #expect(try laptop.sync().notes.isEmpty)
        #expect(try laptop.replica().status().clockFault?.contains("set its date and time right") == true)
        #expect(try writer(laptop) == name)
        #expect(try laptop.replica().log(limit: 1).first?.records.first?.name.key == "t3")
        laptop.time.advance(Self.year)
        try laptop.addTask("t4", "Salt")
        #expect(try laptop.sync().notes.isEmpty)
        #expect(try writer(laptop) == name && laptop.replica().status().clockFault == nil)
        try phone.sync()
        #expect(try phone.titles() == laptop.titles())
    }

    @Test("A device that was away takes in a checkpoint from after a clock was ahead, where older files are gone")
    func checkpointAfterwards() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try ahead(laptop) { try laptop.setTitle("t1", "Oat milk") }
        try phone.sync()
        // The phone is away until the files of what follows are in checkpoints alone.
        try ahead(laptop) { try laptop.addTask("t2", "Bread") }
        for title in ["Soy milk", "Rice milk"] {
            try laptop.setTitle("t1", title)
            try laptop.sync()
            _ = try laptop.replica().compact()
            laptop.time.advance(8 * 86_400_000)
        }
        #expect(try EncryptedRun.isOn || Transport.files(laptop.folder).count { $0.hasSuffix(".seg") } == 0)
        phone.time.advance(16 * 86_400_000)
        let taken = try phone.sync()
        #expect(taken.issues.isEmpty, "\(taken.issues)")
        #expect(try phone.titles() == ["t1": "Rice milk", "t2": "Bread"])
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
    }
}
