@testable import DirectorySync
import AppList
import CommandSupport
import FileSystem
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import foldersync

@Suite("Inboxes")
struct InboxTests {
    private let sandbox: Sandbox
    private let formats = AppStores.all.inboxes
    /// Long after the files were written.
    private let later = Int(Date().timeIntervalSince1970 + 60) * 1_000_000_000

    init() throws {
        sandbox = try Sandbox()
        try FileManager.default.createDirectory(atPath: sandbox.path("in"), withIntermediateDirectories: true)
    }

    private func scan(_ memory: InboxMemory.Folder = .init(), program: String = "1") throws -> InboxScan {
        try InboxScan(sandbox.path("in"), memory, formats, now: later, program: program)
    }

    private func put(_ fixture: String, _ name: String) throws {
        try sandbox.write("in/\(name)", try Fixtures.bytes(fixture))
    }

    @Test("Exports are told by their content, and come in the order in which they were made")
    func contents() throws {
        let slate = String(decoding: try Fixtures.bytes("slate/v2/new-install.json"), as: UTF8.self)
        let later = try Self.exported(slate, at: "2026-03-02T08:00:00Z")
        let earlier = try Self.exported(slate, at: "2026-03-02T08:30:00+01:00")
        try sandbox.write("in/Slate-1.json", later)
        try sandbox.write("in/Slate-2.json", earlier)
        try put("tracker/v2/offsets.json", "log.json")
        try put("bztimer/v3/leg-day.json", "leg.bztimer")
        try put("study/v2/tables.json", "study.json")
        try sandbox.write("in/notes.json", "{\"a\": 1}")
        try sandbox.write("in/notes.txt", "no export")
        let scan = try scan()
        let slates = scan.found.filter { $0.document.app == .slate }
        #expect(slates.map(\.name) == ["Slate-2.json", "Slate-1.json"])
        #expect(Set(scan.found.map(\.document.app)) == [.slate, .tracker, .bztimer, .study])
        #expect(scan.found.filter { !$0.document.isWhole }.map(\.name) == ["leg.bztimer"])
        #expect(scan.held.isEmpty)
        #expect(scan.memory.files.keys.sorted() == ["notes.json"])
    }

    @Test("Nothing is written for a phone that exported presets only: GymPulse does not import sessions")
    func presets() throws {
        try put("presets/v2/first-timers.json", "presets.json")
        var scan = try scan()
        let presets = try #require(scan.found.first?.document)
        scan.noteApp(of: presets)
        #expect(scan.memory.written.isEmpty)
        // An earlier version remembered the app.
        var memory = InboxMemory.Folder()
        memory.written["bztimer"] = "digest"
        scan = try self.scan(memory)
        scan.noteApp(of: presets, hasOthers: true)
        #expect(scan.memory.written == ["bztimer": "digest"])
        scan.noteApp(of: presets)
        #expect(scan.memory.written.isEmpty)
        try put("bztimer/v3/leg-day.json", "leg.bztimer")
        scan = try self.scan()
        for document in scan.found.map(\.document) { scan.noteApp(of: document, hasOthers: !document.isAnswered) }
        #expect(scan.memory.written.keys.sorted() == ["bztimer"])
    }

    @Test("A file that is named as an export and holds none is told each time; any other is nobody's")
    func namedAsExport() throws {
        for name in ["Slate-20261201.json", "timer.bztimer", "notes.json", "slated.json"] {
            try sandbox.write("in/\(name)", "{\"hello\": 1}")
        }
        let first = try scan()
        #expect(first.found.isEmpty && first.held.map(\.name) == ["Slate-20261201.json", "timer.bztimer"])
        #expect(first.held.allSatisfy { $0.outcome == .unusable && $0.message.contains("named as an export") })
        #expect(try scan(first.memory).held == first.held)
        try put("slate/v2/new-install.json", "Slate-20261201.json")
        #expect(try scan(first.memory).found.map(\.name) == ["Slate-20261201.json"])
    }

    private static func exported(_ text: String, at time: String) throws -> [UInt8] {
        var value = try JSONDocument(parsing: text).root.value
        value["exported_at"] = .string(time)
        return value.encoded(.indented)
    }

    @Test("What was taken is not read again, whatever it is called, until it changes")
    func once() throws {
        try put("slate/v2/new-install.json", "Slate-20260101.json")
        var first = try scan()
        #expect(first.found.count == 1)
        first.note("Slate-20260101.json", .taken)
        #expect(try scan(first.memory).found.isEmpty)
        // Touched, or written once more with the same bytes.
        try put("slate/v2/new-install.json", "Slate-20260101.json")
        let second = try scan(first.memory)
        #expect(second.found.isEmpty)
        // An export that was found and not noted is found again.
        #expect(try scan().found.count == 1)
        try put("slate/v2/autumn-week.json", "Slate-20260101.json")
        #expect(try scan(second.memory).found.count == 1)
    }

    @Test("A truncated export is told, left, and tried again when it changes")
    func truncated() throws {
        let bytes = try Fixtures.bytes("slate/v2/autumn-week.json")
        try sandbox.write("in/Slate-20260101.json", Array(bytes.prefix(bytes.count / 2)))
        let first = try scan()
        #expect(first.found.isEmpty)
        let held = try #require(first.held.first)
        #expect(held.outcome == .unusable)
        #expect(held.message.contains("in/Slate-20260101.json:"), "\(held.message)")
        #expect(held.message.contains("json.truncated"))
        #expect(try scan(first.memory).held == first.held)
        #expect(sandbox.has("in/Slate-20260101.json"))
        try sandbox.write("in/Slate-20260101.json", bytes)
        let second = try scan(first.memory)
        #expect(second.found.map(\.name) == ["Slate-20260101.json"])
        #expect(second.held.isEmpty)
    }

    @Test("One of a newer version is held until the program is a newer one; one that breaks the rules is not taken")
    func newer() throws {
        try sandbox.write("in/Slate-3.json", "{\"schema_version\": 3, \"exported_at\": \"2026-01-01T00:00:00Z\"}")
        try sandbox.write("in/Slate-4.json", "{\"schema_version\": 2, \"exported_at\": \"soon\"}")
        let first = try scan()
        #expect(first.found.isEmpty)
        #expect(first.held.map(\.outcome) == [.newer, .unusable])
        #expect(first.held[0].message.contains("version.newer"))
        #expect(try scan(first.memory).held == first.held)
        let updated = try scan(first.memory, program: "2")
        #expect(updated.memory.files["Slate-3.json"]?.program == "2")
    }

    @Test("What an app left behind is mended with a warning, and keeps no device from taking part")
    func mended() throws {
        try put("slate/invalid/dependency-cycle.json", "Slate-1.json")
        let found = try #require(try scan().found.first)
        #expect(!found.document.warnings.isEmpty)
    }

    @Test("What we write there is never taken, and its name tells who wrote it")
    func own() throws {
        let slate = try #require(AppStores.all.inbox(of: .slate))
        let timer = try #require(AppStores.all.inbox(of: .bztimer))
        func named(_ name: String) -> SyncDevice { SyncDevice(id: "k3x9q2", name: name) }
        let name = InboxOutput.name(slate, from: named("Ada's Laptop (2)"))
        #expect(name == "Slate-synced-ada-s-laptop-2.json")
        #expect(InboxOutput.name(timer, from: named("Zoë 2")) == "BZTimer-synced-zo-2-k3x9.bztimer")
        #expect(InboxOutput.name(timer, from: named("Ноутбук")) == "BZTimer-synced-device-k3x9.bztimer")
        #expect(InboxOutput.name(timer, from: named("!")) == "BZTimer-synced-device.bztimer")
        try put("slate/v2/new-install.json", name)
        try put("slate/v2/new-install.json", "Slate-synced-other.sync-conflict-20260101-120000-ABCDEFG.json")
        try put("slate/v2/new-install.json", ".Slate-1.json")
        for copy in ["Copy of \(name)", "Kopie von slate-synced-laptop.json", "Slate-synced-laptop (1).json"] {
            try put("slate/v2/new-install.json", copy)
        }
        let scan = try scan()
        #expect(scan.found.isEmpty && scan.held.isEmpty && scan.memory.files.isEmpty)
    }

    @Test("A copy of what we wrote is no export, whatever it is called")
    func renamedCopy() throws {
        try put("slate/v2/new-install.json", "Slate-synced-laptop.json")
        try put("slate/v2/new-install.json", "from the laptop.json")
        try put("slate/v2/autumn-week.json", "Slate-20260101.json")
        let scan = try scan()
        #expect(scan.found.map(\.name) == ["Slate-20260101.json"] && scan.held.isEmpty)
        #expect(scan.memory.files["from the laptop.json"]?.outcome == .foreign)
    }

    @Test("A copy of an earlier file of ours is no export either")
    func earlierCopy() throws {
        try put("slate/v2/new-install.json", "earlier.json")
        var folder = InboxMemory.Folder()
        folder.remember(output: InboxScan.hash(try Files.read(sandbox.path("in/earlier.json"), limit: 1 << 20)))
        for number in 0..<150 { folder.remember(output: "\(number)") }
        let bytes = InboxMemory(folders: ["in": folder]).json.encoded(.compact)
        let kept = try InboxMemory(reading: bytes, file: "inboxes.json").folders["in"]
        let scan = try scan(kept ?? .init())
        #expect(scan.found.isEmpty && scan.held.isEmpty)
        #expect(scan.memory.files["earlier.json"]?.outcome == .foreign)
    }

    @Test("A file that may have been written within the same tick is read again")
    func ticks() throws {
        try put("slate/v2/new-install.json", "Slate-1.json")
        let now = Int(Date().timeIntervalSince1970 * 1e9)
        var scan = try InboxScan(sandbox.path("in"), .init(), formats, now: now, program: "1")
        scan.note("Slate-1.json", .taken)
        #expect(scan.memory.files["Slate-1.json"]?.stamp == nil)
        var applied = try self.scan(scan.memory)
        #expect(applied.found.isEmpty)
        #expect(applied.memory.files["Slate-1.json"]?.stamp != nil)
        applied.note("Slate-1.json", .older)
        #expect(applied.memory.files["Slate-1.json"]?.outcome == .taken)
    }

    @Test("The memory comes back from its file, and a damaged or newer one is refused and stays as it is")
    func memory() throws {
        try put("slate/v2/new-install.json", "Slate-1.json")
        try sandbox.write("in/Slate-2.json", "{")
        var scan = try scan()
        scan.note("Slate-1.json", .taken)
        var folder = scan.memory
        folder.written["slate"] = "ab"
        folder.own["slate"] = "2026-01-02"
        let memory = InboxMemory(folders: [sandbox.path("in"): folder])
        let bytes = memory.json.encoded(.indented)
        #expect(try InboxMemory(reading: bytes, file: "f") == memory)
        let earlier: JSONValue = [
            "format": .string(InboxMemory.format), "version": 1, "inboxes": ["in": ["lastOpen": "2026-01-02"]],
        ]
        let old = try InboxMemory(reading: earlier.encoded(.compact), file: "f")
        #expect(old.folders["in"]?.own == ["slate": "2026-01-02"])
        let file = InboxMemoryFile(beside: RegistryFile(path: sandbox.path("sync.json")))
        #expect(try file.read() == InboxMemory())
        let newer: JSONValue = ["format": .string(InboxMemory.format), "version": 2, "inboxes": []]
        let refused: [([UInt8], String)] = [
            (Array(bytes.dropLast(9)), "move it away"), (Array("{\"format\": \"x\"}".utf8), "move it away"),
            (newer.encoded(.compact), "update this one"),
        ]
        for (content, way) in refused {
            try sandbox.write("sync-inboxes.json", content)
            let error = #expect(throws: InboxError.self) { try file.update("in", folder) }
            #expect(error?.message.contains(way) == true && error?.message.contains(file.path) == true)
            #expect(try sandbox.bytes("sync-inboxes.json") == content)
        }
        // What cannot be read is not taken for nothing either.
        try sandbox.remove("sync-inboxes.json")
        try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
        #expect(throws: FileError.self) { try file.read() }
    }

    @Test("What is written for the device is what its own reader takes", arguments: AppID.reserved)
    func output(_ app: AppID) throws {
        let fixture =
            switch app {
            case .bztimer: "bztimer/v3/leg-day.json"
            case .slate: "slate/v2/autumn-week.json"
            case .tracker: "tracker/v2/offsets.json"
            default: "study/v2/tables.json"
            }
        guard case .document(let document) = try InboxReading(try Fixtures.bytes(fixture), name: "f", formats) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let format = try #require(AppStores.all.inbox(of: app))
        let output = try InboxOutput(format, document.value)
        guard case .document(let again) = try InboxReading(output.bytes, name: "f", formats) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        #expect(again.value == document.value)
        #expect(again.app == app)
        #expect(throws: InboxError.self) { try InboxOutput(format, ["schema_version": 2, "version": 1]) }
    }

    @Test("A table that only the migration added is not named: an export of version 1 says nothing of it")
    func addedTables() throws {
        let bytes = try Fixtures.bytes("slate/v1/seed-example.json")
        guard case .document(let document) = try InboxReading(bytes, name: "f", formats) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        #expect(document.value["activity_log"] == nil)
        #expect(document.value["day_snapshots"] == nil)
        #expect(document.value["tasks"]?.array?.isEmpty == false)
    }

    @Test("An inbox that is not there is told")
    func absent() throws {
        let failure = try #require(throws: FileError.self) {
            try InboxScan(sandbox.path("gone"), .init(), formats, now: later, program: "1")
        }
        #expect(failure.isGone)
        #expect(failure.path == sandbox.path("gone"))
    }

    @Test("An export without a time that was taken before is named, and looked at anew once the inbox was removed")
    func earlierPresets() throws {
        func presets(_ seconds: Int) -> String {
            """
            [{"id": "A", "name": "Morning", "getReadySeconds": 10, "workSeconds": \(seconds), "restSeconds": 30, "sets": 1, \
            "rounds": 4}]
            """
        }
        var folder = InboxMemory.Folder()
        for (index, seconds) in [30, 40].enumerated() {
            try sandbox.write("in/presets\(index).json", presets(seconds))
            var scan = try scan(folder)
            #expect(scan.found.count == 1)
            for found in scan.found { scan.note(found.name, .taken) }
            folder = scan.memory
        }
        let scanned = folder
        try sandbox.write("in/presets2.json", presets(30))
        var again = try scan(folder)
        #expect(again.found.isEmpty && again.held.map(\.name) == ["presets2.json"])
        folder = again.memory
        folder.reconsider()
        again = try scan(folder)
        #expect(again.found.map(\.name) == ["presets2.json"])
        // In the place of another export of the device's it is one at once.
        try sandbox.remove("in/presets2.json")
        try sandbox.write("in/presets1.json", presets(30))
        #expect(try scan(scanned).found.map(\.name) == ["presets1.json"])
    }
}
