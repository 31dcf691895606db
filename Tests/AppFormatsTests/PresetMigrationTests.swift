import FormatKit
import GymPulse
import StrictJSON
import TestSupport
import Testing

@Suite struct PresetMigrationTests {
    private static let seeds: [UInt64] = Array(1...400)

    /// The migrations that fixtures/presets/vectors/migrations.json describes.
    @Test func vectors() throws {
        let vectors = try #require(PresetFixtures.value("vectors/migrations.json").array)
        #expect(vectors.count == 8)
        for vector in vectors {
            let name = vector["name"]?.string ?? ""
            let from = try #require(vector["from"]?.int)
            let to = try #require(vector["to"]?.int)
            let before = try #require(vector["before"])
            let migrated = try PresetFormat.migrate(before, from: from, to: to)
            #expect(migrated.value == vector["after"], "\(name)")
            let losses = migrated.losses.map { loss -> JSONValue in
                ["pointer": .string(loss.pointer.description), "text": .string(loss.text)]
            }
            #expect(.array(losses) == vector["losses"], "\(name)")
            #expect(migrated.notes.isEmpty, "\(name)")
            #expect(try PresetFormat.migrate(migrated.value, from: to, to: from).value == before, "\(name)")
        }
    }

    @Test(arguments: PresetFixtures.released)
    func releasedFilesSurviveTheRoundTrip(path: String) throws {
        let document = try PresetFixtures.value(path)
        let version = PresetFixtures.version(path)
        let there = try PresetFormat.migrate(document, from: version, to: 3 - version)
        #expect(try PresetFormat.migrate(there.value, from: 3 - version, to: version).value == document)
    }

    @Test func bothVersionsOfAFileAreTheSame() throws {
        let old = PresetFormat.read(try PresetFixtures.bytes("v1/first-timers.json"))
        let new = PresetFormat.read(try PresetFixtures.bytes("v2/first-timers.json"))
        let file = try #require(new.content)
        #expect(old.content == file)
        let written = try file.encoded(version: 1)
        #expect(try written.bytes == PresetFixtures.bytes("v1/first-timers.json"))
        #expect(written.losses.isEmpty)
    }

    /// The switches that are off and the envelope's members are what an older app will not see.
    @Test func lossesAreNamed() throws {
        let document = try PresetFixtures.value("v2/unknown-members.json")
        let down = try PresetFormat.migrate(document, from: 2, to: 1)
        let switches = "that is preserved, and an older app turns it on"
        let members = "is preserved, and an older app does not show it"
        #expect(
            down.losses.map(\.description) == [
                "version 1 cannot hold members beside the presets: \"exportedAt\" \(members) (at /exportedAt)",
                "version 1 cannot hold members beside the presets: \"device\" \(members) (at /device)",
                "version 1 cannot switch the sound off: \(switches) (at /presets/0/soundEnabled)",
                "version 1 cannot switch the voice off: \(switches) (at /presets/0/voiceEnabled)",
            ]
        )
        let first = try #require(down.value.array?.first)
        #expect(first["soundEnabled"] == nil)
        #expect(first["x-preserved"]?["2"]?["soundEnabled"] == false)
        #expect(first["x-preserved"]?["2"]?["envelope"]?["device"] == ["model": "iPhone"])
        #expect(down.value.array?[1]["x-preserved"] == nil)
    }

    /// An older app that turns a switch it does not know has written it: what is parked gives way.
    @Test func whatAnOlderProgramWroteWins() throws {
        let parked: JSONValue = ["2": ["soundEnabled": false, "voiceEnabled": false]]
        var preset = try #require(Preset(id: "p").json.object)
        preset["voiceEnabled"] = nil
        preset["x-preserved"] = parked
        let up = try PresetFormat.migrate([.object(preset)], from: 1, to: 2).value["presets"]?.array?.first
        #expect(up?["soundEnabled"] == true)
        #expect(up?["voiceEnabled"] == false)
        #expect(up?["x-preserved"] == ["1": ["soundEnabled": true], "aside": ["soundEnabled": false]])
    }

    @Test func anEmptyListCannotBeWrittenInVersionOne() {
        let error = #expect(throws: AppFormatError.self) {
            try PresetFile(presets: []).encoded(version: 1)
        }
        #expect(error?.code == .noPresets)
        #expect(throws: AppFormatError.self) { try PresetFile(presets: []).encoded(version: 3) }
    }

    @Test(arguments: [[], nil, 5, [1], ["presets": 5], ["presets": [1]]] as [JSONValue])
    func invalidDocumentsDoNotTrap(document: JSONValue) {
        for (from, to) in [(1, 2), (2, 1)] { _ = try? PresetFormat.migrate(document, from: from, to: to) }
    }

    // MARK: Properties

    @Test(arguments: [(1, 2), (2, 1)])
    func thereAndBackGivesTheSame(from: Int, to: Int) throws {
        for seed in Self.seeds {
            var source = RandomPresets(seed: seed)
            let document = source.document(version: from)
            let there = try PresetFormat.migrate(document, from: from, to: to)
            let back = try PresetFormat.migrate(there.value, from: to, to: from)
            #expect(back.value == document, "seed \(seed): \(text(document)) became \(text(there.value))")
            #expect(from == 2 || there.losses.isEmpty)
            let reading = PresetFormat.read(there.value.encoded(.compact))
            #expect(reading.version == to)
            #expect(reading.isValid, "seed \(seed): \(reading.diagnostics) in \(text(there.value))")
        }
    }

    @Test func theModelKeepsEverything() throws {
        for seed in Self.seeds {
            var source = RandomPresets(seed: seed)
            let document = source.document(version: 2)
            #expect(try PresetFile(json: document).json == document, "seed \(seed): \(text(document))")
        }
    }

    private func text(_ value: JSONValue) -> String { String(decoding: value.encoded(.compact), as: UTF8.self) }
}

/// Valid documents of presets with all that may go wrong in a migration.
private struct RandomPresets {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document(version: Int) -> JSONValue {
        var presets: [JSONValue] = []
        for index in 0..<Int.random(in: 1...3, using: &random) {
            var preset: JSONObject = [
                "id": .string("p\(index)"), "name": random.pick(["HIIT", "Übung", "🏋️"]), "getReadySeconds": 0,
                "workSeconds": 20, "restSeconds": 10, "sets": 1, "rounds": 8,
            ]
            for name in ["soundEnabled", "voiceEnabled"] where version == 2 || random.chance(30) {
                preset[name] = .bool(random.chance(50))
            }
            addUnknown(to: &preset, ["envelope", "presets"])
            presets.append(.object(preset))
        }
        guard version == 2 else { return .array(presets) }
        var envelope: JSONObject = ["format": "gympulse-presets", "version": 2, "presets": .array(presets)]
        addUnknown(to: &envelope, ["envelope"])
        return .object(envelope)
    }

    private mutating func addUnknown(to object: inout JSONObject, _ tempting: [String]) {
        for name in ["x", "1"] + tempting where random.chance(20) && object[name] == nil { object[name] = value() }
        if random.chance(50) { object["x-preserved"] = preserved(depth: 2) }
    }

    private mutating func value() -> JSONValue {
        random.pick([true, false, 1, "text", .null, [], ["device": 1], ["format": 1], ["x-preserved": ["1": ["a": 1]]]])
    }

    /// Foreign values of that name, and some of the very form that a migration writes.
    private mutating func preserved(depth: Int) -> JSONValue {
        guard depth > 0, random.chance(80) else { return random.pick([.null, [:], ["own": 1], ["2": [:]]]) }
        var object = JSONObject()
        for key in ["1", "2", "own", "aside"] where random.chance(40) {
            object[key] = key == "own" ? preserved(depth: depth - 1) : .object(parked(depth: depth))
        }
        return .object(object)
    }

    private mutating func parked(depth: Int) -> JSONObject {
        var object = JSONObject()
        for name in ["soundEnabled", "voiceEnabled", "envelope", "x"] where random.chance(40) { object[name] = value() }
        if depth > 0, random.chance(30) { object["aside"] = .object(parked(depth: depth - 1)) }
        return object
    }
}
