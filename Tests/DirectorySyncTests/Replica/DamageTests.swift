import DirectorySync
import Foundation
import Testing
import TestSupport

@Suite("Damaged copies, and a marker that is gone")
struct DamageTests {
    private func segment(_ device: Device) throws -> String {
        let files = try FileManager.default.subpathsOfDirectory(atPath: device.folder)
        return device.folder + "/" + (try #require(files.first { $0.hasSuffix(".seg") }))
    }

    private func data(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    private func copy(_ path: String, as name: String, _ bytes: Data) throws -> String {
        let copy = path.replacing(/[^\/]*$/, with: name)
        try bytes.write(to: URL(filePath: copy))
        return copy
    }

    @Test("A damaged copy of a file that is whole is named by verify and removed by repair, and no matter for sync")
    func damagedCopy() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let path = try segment(laptop)
        let name = try #require(path.split(separator: "/").last.map(String.init))
        let whole = try data(path)
        let names = [
            name.replacing(".seg", with: ".sync-conflict-20260101-120000-ABCDEFG.seg"), "Copy of \(name)",
            name.replacing(".seg", with: " (1).seg"),
        ]
        let copies = try [whole.prefix(40), whole.prefix(7), Data()].enumerated().map { index, bytes in
            try copy(path, as: names[index], bytes)
        }
        for device in [laptop, phone] { #expect(try device.sync().isIdle) }
        let faults = try phone.replica().verify().faults
        #expect(faults.count == 3 && faults.allSatisfy { $0.kind == .damaged && $0.message.contains("which is whole") })
        let preview = try phone.replica().previewRepair().notes
        #expect(preview.count { $0.contains("would remove") } == 3)
        let notes = try phone.replica().repair().notes
        #expect(notes.count { $0.hasPrefix("removed") && $0.contains("a damaged copy of w/") } == 3)
        #expect(copies.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
        #expect(try data(path) == whole)
        #expect(try phone.replica().verify().faults.isEmpty)
    }

    @Test("A damaged copy of a file that never came is named by each synchronisation, and stays")
    func damagedAlone() throws {
        let (laptop, phone) = try Device.pair("Milk")
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        let files = try FileManager.default.subpathsOfDirectory(atPath: phone.folder)
        let second = try #require(files.first { $0.contains("0000000002-") })
        let path = phone.folder + "/" + second
        let whole = try data(path)
        let damaged = try copy(path, as: second.replacing(/^.*\//, with: "Copy of "), whole.dropLast(9))
        try FileManager.default.removeItem(atPath: path)
        #expect(try phone.sync().issues.map(\.kind) == [.damaged])
        #expect(try phone.replica().repair().issues.map(\.kind) == [.damaged])
        #expect(FileManager.default.fileExists(atPath: damaged))
        // Whole it is as good as the file.
        try whole.write(to: URL(filePath: damaged))
        #expect(try phone.sync().issues.isEmpty)
        #expect(try phone.titles() == ["t1": "Oat milk"])
    }

    @Test("Repair leaves a file that is still arriving, which this device wrote before it was set back")
    func arriving() throws {
        let (laptop, _) = try Device.pair("Milk")
        let parts = [laptop.store, laptop.store + ".foldersync"]
        let before = try parts.map(data)
        try laptop.setTitle("t1", "Oat milk")
        try laptop.sync()
        for (path, bytes) in zip(parts, before) { try bytes.write(to: URL(filePath: path)) }
        let files = try FileManager.default.subpathsOfDirectory(atPath: laptop.folder)
        let path = laptop.folder + "/" + (try #require(files.first { $0.contains("0000000002-") }))
        let whole = try data(path)
        try whole.dropLast(20).write(to: URL(filePath: path))
        _ = try laptop.replica().repair()
        #expect(FileManager.default.fileExists(atPath: path))
        try whole.write(to: URL(filePath: path))
        try laptop.sync()
        #expect(try laptop.titles() == ["t1": "Oat milk"])
    }

    @Test("A marker that was deleted is written anew by repair, and only where files of the space are there")
    func marker() throws {
        let (laptop, phone) = try Device.pair("Milk")
        let names = try FileManager.default.contentsOfDirectory(atPath: laptop.folder)
        let marker = laptop.folder + "/" + (try #require(names.first { $0.hasSuffix(".root") }))
        try FileManager.default.removeItem(atPath: marker)
        let error = #expect(throws: DirectoryError.self) { try laptop.sync() }
        #expect(error?.code == .empty && error?.message.contains("foldersync repair") == true)
        #expect(try laptop.replica().previewRepair().notes.first?.contains("would write") == true)
        #expect(!FileManager.default.fileExists(atPath: marker))
        #expect(try laptop.replica().repair().notes.first == "wrote the folder's missing marker again")
        #expect(FileManager.default.fileExists(atPath: marker))
        #expect(try phone.sync().issues.isEmpty && laptop.sync().isIdle)
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        try tablet.sync()
        #expect(try tablet.titles() == ["t1": "Milk"])
        // An empty folder is one that is not mounted; one with files of another space is another one.
        try FileManager.default.moveItem(atPath: laptop.folder, toPath: laptop.folder + "-away")
        try FileManager.default.createDirectory(atPath: laptop.folder, withIntermediateDirectories: false)
        #expect(throws: DirectoryError.self) { try laptop.replica().repair() }
        let other = try Device("Other", in: laptop.sandbox, folder: laptop.sandbox.path("other"))
        try other.addTask("o", "O")
        try other.makeSpace()
        try other.sync()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.folder) where !name.hasSuffix(".root") {
            try FileManager.default.copyItem(atPath: other.folder + "/" + name, toPath: laptop.folder + "/" + name)
        }
        #expect(throws: DirectoryError.self) { try laptop.replica().repair() }
        let left = try FileManager.default.contentsOfDirectory(atPath: laptop.folder)
        #expect(!left.contains { $0.hasSuffix(".root") })
    }
}
