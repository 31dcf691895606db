import FormatKit
import GymPulse
import RecordStore
import StrictJSON
import TestSupport
import Testing

@Suite struct PresetReadingTests {
    private static let samples = ["invalid", "findings"].flatMap { folder in
        PresetFixtures.names(folder).map { "\(folder)/\($0)" }
    }

    @Test(arguments: PresetFixtures.released)
    func releasedFilesAreRead(path: String) throws {
        let reading = PresetFormat.read(try PresetFixtures.bytes(path), name: path, strict: path.contains("first"))
        #expect(reading.diagnostics == [])
        #expect(reading.version == PresetFixtures.version(path))
        #expect(reading.isValid)
    }

    @Test(arguments: PresetFixtures.released.filter { $0.hasPrefix("v2") })
    func currentFilesAreWrittenAsTheyWere(path: String) throws {
        let bytes = try PresetFixtures.bytes(path)
        let file = try #require(PresetFormat.read(bytes).content)
        #expect(try file.encoded().bytes == bytes)
    }

    @Test(arguments: Self.samples)
    func findingsAreExact(path: String) throws {
        let reading = PresetFormat.read(try PresetFixtures.bytes(path + ".json"))
        #expect(lines(reading) == PresetFormat.versions.expected { try PresetFixtures.text(path + ".expected.txt") })
        #expect(reading.isValid == path.hasPrefix("findings"))
    }

    /// What can be mended is said in the file beside it; of everything else a repair says what reading says.
    @Test(arguments: Self.samples)
    func repairsAreExact(path: String) throws {
        let reading = PresetFormat.read(try PresetFixtures.bytes(path + ".json"), repair: true)
        let mended = try? PresetFixtures.text(path + ".repaired.txt")
        #expect(
            lines(reading) == mended
                ?? PresetFormat.versions.expected { try PresetFixtures.text(path + ".expected.txt") }
        )
        #expect(reading.isValid == (mended != nil || path.hasPrefix("findings")))
        #expect(reading.repairCount == (mended == nil ? 0 : 1))
    }

    @Test func fixturesAreThere() {
        #expect(PresetFixtures.released.count == 5)
        #expect(PresetFixtures.names("invalid").count == 60)
        #expect(PresetFixtures.names("findings").count == 2)
    }

    private func lines(_ reading: ParseResult<PresetFile>) -> String { reading.diagnostics.map { "\($0)\n" }.joined() }

    // MARK: Repairs

    private func repaired(_ members: JSONObject) throws -> Preset {
        var preset = try #require(Preset(id: "p").json.object)
        for member in members { preset[member.name] = member.value }
        let document: JSONValue = ["format": "gympulse-presets", "version": 2, "presets": [.object(preset)]]
        let reading = PresetFormat.read(document.encoded(.compact), repair: true)
        return try #require(reading.content?.presets.first, "\(reading.diagnostics)")
    }

    @Test func aRepairDoesWhatTheAppDoes() throws {
        #expect(try repaired(["sets": 0]).sets == 1)
        #expect(try repaired(["sets": -5]).sets == 1)
        #expect(try repaired(["rounds": 100]).rounds == 99)
        #expect(try repaired(["name": " \n"]).name == "New Timer")
        #expect(try repaired(["name": "\u{FEFF} HIIT\t"]).name == "HIIT")
        #expect(try repaired(["workSeconds": 0]).workSeconds == 0)
        #expect(try repaired(["workSeconds": 0]).totalSeconds == 10 + 4 * 60)
        #expect(try repaired(["restSeconds": 0, "x": [1]]).extra == ["x": [1]])
    }

    /// A phase that is skipped is still 0 in what is written: nothing is made up.
    @Test func aSkippedPhaseStaysAsItIs() throws {
        let reading = PresetFormat.read(try PresetFixtures.bytes("invalid/v1-work-zero.json"), repair: true)
        #expect(try reading.migrated(to: 1).value.array?.first?["workSeconds"] == 0)
        #expect(try reading.migrated(to: 2).value["presets"]?.array?.first?["workSeconds"] == 0)
    }

    @Test func allRepairsAreCounted() throws {
        let preset: JSONValue = [
            "id": "p", "name": "", "getReadySeconds": 0, "workSeconds": 0, "restSeconds": 0, "sets": 0, "rounds": 1000,
        ]
        var presets: [JSONValue] = []
        for index in 0..<300 {
            var copy = preset
            copy["id"] = .string("p\(index)")
            presets.append(copy)
        }
        let document: JSONValue = ["format": "gympulse-presets", "version": 2, "presets": .array(presets)]
        let reading = PresetFormat.read(document.encoded(.indented), repair: true)
        #expect(reading.isValid)
        #expect(reading.repairCount == 300 * 7)
        #expect(reading.findingCount == 300 * 7)
        #expect(reading.diagnostics.count == 100)
        #expect(reading.content?.presets.allSatisfy { $0.name == Preset.defaultName && $0.rounds == 99 } == true)
    }

    // MARK: Names

    @Test(
        arguments: [
            ("x", nil), (String(repeating: "e\u{301}", count: 30), nil), (String(repeating: "🇩🇪", count: 30), nil),
            ("a b", nil), ("", "blank"), ("\u{2003}", "blank"), (" x", "white space"), ("x\u{85}", "white space"),
            (String(repeating: "🇩🇪", count: 31), "31 characters"),
        ] as [(String, String?)]
    )
    func namesHaveRules(name: String, fault: String?) {
        if let fault {
            #expect(PresetName.fault(name)?.contains(fault) == true)
        } else {
            #expect(PresetName.fault(name) == nil)
            #expect(PresetName.mended(name) == name)
        }
    }

    // MARK: Hostile input

    @Test func noTruncationOrSubstitutionTraps() throws {
        var random = SeededGenerator(seed: 11)
        let bytes = try PresetFixtures.bytes("v2/unknown-members.json")
        for length in 0..<bytes.count - 1 { #expect(!PresetFormat.read(Array(bytes[..<length]), repair: true).isValid) }
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(Array("\"{}[]:,0-9eatn\\".utf8))
            }
            let reading = PresetFormat.read(changed, repair: true)
            #expect(reading.isValid == reading.diagnostics.allSatisfy { $0.severity != .error })
        }
    }
}
