import BZTimer
import GymPulse
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

struct PresetStoreTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("timer.db")
    }

    private func writing() throws -> BztimerStore { try BztimerStore(path: path, for: .writing(mustExist: false)) }
    private func reading() throws -> BztimerStore { try BztimerStore(path: path, for: .reading) }
    private func sql(_ text: String) throws { try DatabaseQueue(path: path).write { try $0.execute(sql: text) } }

    @Test("Presets survive with their unknown members, in their order")
    func roundTrip() throws {
        let first = Preset(id: "b", name: "Boxing", workSeconds: 180, voiceEnabled: false, extra: try Samples.extra())
        let second = Preset(id: "a", name: "NUL \u{0}", getReadySeconds: 0, restSeconds: 0, sets: 99)
        let envelope = try Samples.extra()
        try writing().write { records in
            try records.insert(first, envelope: envelope)
            try records.insert(second)
        }
        let stored = try reading().read { try $0.envelopedPresets() }
        #expect(stored.map { $0.record.json.text(.compact) } == [first, second].map { $0.json.text(.compact) })
        #expect(stored.map(\.envelope) == [envelope, [:]])
    }

    @Test("A preset is deleted, and an id is there once")
    func delete() throws {
        let store = try writing()
        try store.write { try $0.insert(Preset(id: "a")) }
        #expect(throws: StoreError.self) { try store.write { try $0.insert(Preset(id: "a")) } }
        #expect(try store.read { try $0.presets() }.count == 1)
        try store.write { try $0.deletePreset(id: "a") }
        #expect(try store.read { try $0.presets() }.isEmpty)
        #expect(try store.read { try $0.isEmpty() })
    }

    @Test("A preset that a backup brings back alone keeps its place and what came with it")
    func restoredAlone() throws {
        let store = try writing()
        let envelope = try Samples.extra()
        try store.write { records in
            try records.insert(Preset(id: "a", name: "Boxing"), envelope: envelope)
            try records.insert(Preset(id: "b", name: "Tabata"))
        }
        let backup = try store.read { try TimerBackup($0, createdAt: nil, generator: "test") }
        let record = try #require(backup.records.first { $0.id == "a" })
        try store.write { try $0.replace(Preset(id: "a", name: "Changed")) }
        #expect(try store.read { try $0.presets() }.map(\.name) == ["Changed", "Tabata"])
        try store.write { try backup.restore(record, to: $0) }
        let stored = try store.read { try $0.envelopedPresets() }
        #expect(stored.map(\.record.name) == ["Boxing", "Tabata"])
        #expect(stored.map(\.envelope) == [envelope, [:]])
        // One that is gone comes behind the others.
        try store.write { records in
            try records.deletePreset(id: "a")
            try backup.restore(record, to: records)
        }
        #expect(try store.read { try $0.envelopedPresets() }.map(\.envelope) == [[:], envelope])
    }

    @Test("A preset that cannot be read is left out and stays")
    func fault() throws {
        try writing().write { records in
            try records.insert(Preset(id: "a"))
            try records.insert(Preset(id: "b", name: "Broken"))
        }
        try sql("UPDATE preset SET sets = 100 WHERE id = 'b'")
        let store = try reading()
        #expect(try store.read { try $0.presets() }.map(\.id) == ["a"])
        #expect(store.faults.map(\.description).first?.contains("the preset \"b\" cannot be read") == true)
        let writer = try writing()
        _ = try writer.read { try $0.presets() }
        try writer.write { try $0.deletePreset(id: "b") }
        #expect(writer.faults.isEmpty)
    }

    @Test("A store of version 1 is read as it is, and gets its table when it is written to")
    func versionOne() throws {
        try writing().write { try $0.insert(Samples.session("s1")) }
        try sql("DROP TABLE preset; PRAGMA user_version = 1")
        let before = try sandbox.bytes("timer.db")
        #expect(try reading().read { try $0.presets() }.isEmpty)
        #expect(try sandbox.bytes("timer.db") == before)
        try writing().write { try $0.insert(Preset(id: "a")) }
        let (sessions, presets) = try reading().read { (try $0.sessions(), try $0.presets()) }
        #expect(sessions.map(\.id) == ["s1"])
        #expect(presets.map(\.id) == ["a"])
    }

    private static let unique = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    @Test("An import adds each preset once, and keeps a UUID alone, as others may have \"a\" too")
    func plans() throws {
        let store = try writing()
        let file = PresetFile(
            presets: [
                Preset(id: "a", name: "HIIT"), Preset(id: Self.unique, name: "Tabata"), Preset(id: "c", name: "HIIT"),
            ],
            extra: ["device": "phone"]
        )
        var count = 0
        func run(again: Bool) throws -> [String] {
            try store.write { records in
                var state = PresetImportState(presets: try records.presets())
                let plan = ImportPlan(importing: file, into: &state, allowsDuplicates: again) {
                    count += 1
                    return "new-\(count)"
                }
                try records.apply(plan)
                #expect(try records.presets() == state.presets)
                return plan.actions.map(\.verb.rawValue)
            }
        }
        #expect(try run(again: false) == ["create", "create", "skip"])
        #expect(try run(again: false) == ["skip", "skip", "skip"])
        #expect(try run(again: true) == ["create", "create", "create"])
        let stored = try reading().read { try $0.envelopedPresets() }
        #expect(stored.map(\.record.id) == ["new-1", Self.unique, "new-2", "new-3", "new-4"])
        #expect(stored.allSatisfy { $0.envelope == ["device": "phone"] })
    }
}
