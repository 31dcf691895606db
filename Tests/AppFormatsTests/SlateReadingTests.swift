import FormatKit
import RecordStore
import Slate
import StrictJSON
import TestSupport
import Testing

@Suite struct SlateReadingTests {
    /// The faults that can be mended; what comes of it is in a file beside each.
    private static let repairable = SlateFixtures.names("invalid").filter { name in
        (try? SlateFixtures.bytes("invalid/\(name).repaired.txt")) != nil
    }

    private func lines(_ reading: ParseResult<SlateContent>) -> String {
        reading.diagnostics.map { "\($0)\n" }.joined()
    }

    // MARK: Files

    @Test(arguments: SlateFixtures.released)
    func releasedFilesAreRead(path: String) throws {
        let reading = SlateFormat.read(try SlateFixtures.bytes(path), name: path)
        #expect(reading.isValid, "\(reading.diagnostics)")
        #expect(reading.version == SlateFixtures.version(path))
        #expect(reading.identity == .slate)
        #expect(reading.diagnostics.allSatisfy { $0.code == "slate.missing-time" && $0.severity == .warning })
        #expect(reading.diagnostics.isEmpty == !path.hasSuffix("seed-example.json"))
    }

    /// What was read and written again is the same file, to the byte, where it was of the current version.
    @Test(arguments: SlateFixtures.released.filter { $0.hasPrefix("v2") && !$0.contains("defaults") })
    func currentFilesAreWrittenAsTheyWere(path: String) throws {
        let bytes = try SlateFixtures.bytes(path)
        let content = try #require(SlateFormat.read(bytes).content)
        #expect(try content.encoded() == bytes)
    }

    /// A string that holds the JSON of its column is that JSON.
    @Test func stringsOfJSONAreJSON() throws {
        let bytes = try SlateFixtures.bytes("v2/texts-in-json-columns.json")
        let text = String(decoding: bytes, as: UTF8.self)
        let quoted = text.replacing("{\n        \"was\": 1\n      }", with: #""{\"was\": 1}""#)
        #expect(quoted != text)
        #expect(try SlateFormat.read(Array(quoted.utf8)).content?.encoded() == bytes)
    }

    /// What is written is read as the same again.
    @Test(arguments: SlateFixtures.released)
    func writingIsStable(path: String) throws {
        let written = try #require(SlateFormat.read(SlateFixtures.bytes(path)).content).encoded()
        let again = SlateFormat.read(written)
        #expect(again.diagnostics.isEmpty)
        #expect(try again.content?.encoded() == written)
    }

    @Test func oneExportInBothVersionsIsTheSameContent() throws {
        let old = try #require(SlateFormat.read(SlateFixtures.bytes("v1/autumn-week.json")).content)
        #expect(try old.encoded() == SlateFixtures.bytes("v2/autumn-week.json"))
        #expect(old.count(.activityLog) == 6)
        #expect(old.count == 38)
    }

    /// The example of the app's description, as it stands there.
    @Test func theAppsOwnExampleIsRead() throws {
        let content = try #require(SlateFormat.read(SlateFixtures.bytes("v1/seed-example.json")).content)
        let written = try JSONDocument(parsing: content.encoded()).root.value
        let at = JSONValue.string("2025-09-22T15:04:05-07:00")
        let task: JSONValue = [
            "id": "…", "title": "…", "notes": nil, "due_date": "2025-09-25", "scheduled_for": nil, "is_done": false,
            "done_at": nil, "created_at": at, "updated_at": at, "archived": false, "depends_on_task_id": nil,
        ]
        let habit: JSONValue = [
            "id": "…", "title": "…", "notes": nil, "active": true, "reminder_time": nil, "created_at": at,
            "updated_at": at,
        ]
        let completion: JSONValue = ["id": "…", "habit_id": "…", "date": "2025-09-22", "completed_at": at]
        let item: JSONValue = ["id": "…", "date": "2025-09-22", "entity_type": "task", "entity_id": "…"]
        #expect(
            written == [
                "schema_version": 2, "exported_at": at, "meta": ["schema_version": "2", "day_start": "04:00"],
                "tasks": [task],
                "habits": [habit], "habit_completions": [completion],
                "day_plan": [["date": "2025-09-22", "perfect_day": 1]], "day_plan_items": [item], "activity_log": [],
                "day_snapshots": [],
            ]
        )
    }

    /// Flags are written as the app's own example has them, defaults in full, rows in the order of their keys.
    @Test func flagsAndDefaultsAreWrittenOneWay() throws {
        let content = try #require(SlateFormat.read(SlateFixtures.bytes("v2/flags-and-defaults.json")).content)
        let written = try JSONDocument(parsing: content.encoded()).root.value
        func column(_ table: String, _ name: String) -> [JSONValue?] { (written[table]?.array ?? []).map { $0[name] } }
        #expect(column("tasks", "id") == ["a", "b", "c"])
        #expect(column("tasks", "is_done") == [false, true, false])
        #expect(column("tasks", "archived") == [false, false, true])
        #expect(column("tasks", "depends_on_task_id") == ["b", .null, .null])
        #expect(column("habits", "active") == [true, true, false])
        #expect(column("day_plan", "date") == ["2025-12-29", "2025-12-30", "2025-12-31"])
        #expect(column("day_plan", "perfect_day") == [0, 0, 1])
        #expect(column("activity_log", "details") == [.null])
        #expect(written["day_snapshots"]?.array?.first?.object?.count == 6)
        #expect(written["meta"]?.object?.names == ["schema_version", "last_open_date", "day_start"])
        #expect(written["meta"]?["schema_version"] == "2")
    }

    // MARK: Findings

    /// What is said of a file is in the one beside it; those in `invalid` have one fault and those in `findings` are valid.
    @Test(
        arguments: ["invalid", "findings"].flatMap { folder in SlateFixtures.names(folder).map { "\(folder)/\($0)" } }
    )
    func findingsAreExact(path: String) throws {
        let reading = SlateFormat.read(try SlateFixtures.bytes(path + ".json"))
        #expect(lines(reading) == SlateFormat.versions.expected { try SlateFixtures.text(path + ".expected.txt") })
        #expect(reading.isValid == path.hasPrefix("findings"))
        #expect(reading.repairCount == 0)
    }

    /// A repair lists each mend as a warning, and what it gives is valid.
    @Test(arguments: repairable)
    func repairsAreExact(name: String) throws {
        let reading = SlateFormat.read(try SlateFixtures.bytes("invalid/\(name).json"), repair: true)
        #expect(lines(reading) == (try SlateFixtures.text("invalid/\(name).repaired.txt")))
        #expect(reading.repairCount == reading.diagnostics.count)
        #expect(reading.diagnostics.allSatisfy { $0.severity == .warning })
        let again = SlateFormat.read(try #require(reading.content).encoded())
        #expect(again.isValid && again.diagnostics.isEmpty, "\(again.diagnostics)")
    }

    @Test func ofTwoRowsForADayThePerfectOneStays() throws {
        let bytes = try SlateFixtures.bytes("invalid/duplicate-day-perfect.json")
        let content = try #require(SlateFormat.read(bytes, repair: true).content)
        let written = try JSONDocument(parsing: content.encoded()).root.value
        #expect(written["day_plan"]?.array == [["date": "2026-01-06", "perfect_day": 1]])
    }

    @Test(arguments: SlateFixtures.names("invalid").filter { !repairable.contains($0) })
    func whatIsNotUnderstoodIsNotRepaired(name: String) throws {
        let bytes = try SlateFixtures.bytes("invalid/\(name).json")
        let reading = SlateFormat.read(bytes, repair: true)
        #expect(!reading.isValid)
        #expect(lines(reading) == lines(SlateFormat.read(bytes)))
    }

    @Test func fixturesAreThere() {
        #expect(SlateFixtures.released.count == 10)
        #expect(SlateFixtures.names("invalid").count == 79)
        #expect(SlateFixtures.names("findings").count == 6)
        #expect(Self.repairable.count == 20)
    }

    @Test func theNameIsInEveryLine() {
        let reading = SlateFormat.read(Array("[1]".utf8), name: "a b.json")
        #expect(
            lines(reading) == "a b.json:1:1: error[format.other]: found a list whose first element is a number, "
                + "expected a Slate backup: an object with \"schema_version\" (at the top level)\n"
        )
    }

    @Test func allFaultsAreCountedAndTheFirstHundredKept() throws {
        var document = try SlateFixtures.value("v2/new-install.json")
        let task: JSONValue = ["id": "t", "title": "A", "created_at": "2026-01-01T00:00:00Z"]
        document["tasks"] = .array(Array(repeating: task, count: 500))
        let reading = SlateFormat.read(document.encoded(.indented))
        #expect(!reading.isValid)
        #expect(reading.diagnostics.count == 100)
        // No row says when it was changed, and each but the first repeats its id.
        #expect(reading.findingCount == 500 + 499)
    }

    // MARK: Unknown members

    @Test(arguments: ["v1/autumn-week.json", "v2/autumn-week.json", "v2/languages.json", "v2/new-install.json"])
    func whatAnAppWritesIsKnown(path: String) throws {
        let reading = SlateFormat.read(try SlateFixtures.bytes(path), strict: true)
        #expect(reading.diagnostics.filter { $0.pointer?.tokens.first != "meta" } == [])
    }

    @Test(arguments: ["v1/own-members.json", "v2/unknown-members.json"])
    func unknownMembersAreReportedOnce(path: String) throws {
        let reading = SlateFormat.read(try SlateFixtures.bytes(path), strict: true)
        #expect(reading.isValid)
        #expect(!reading.diagnostics.isEmpty)
        let places = reading.diagnostics.compactMap(\.pointer)
        #expect(places.count == reading.diagnostics.count)
        #expect(Set(places).count == places.count, "\(places)")
        for place in places { #expect(reading.document?.root[place] != nil, "\(place)") }
    }

    /// A file of an older version is held against two schemas, and what both do not know is said once.
    @Test func aMemberThatNoVersionKnowsIsReportedOnce() throws {
        var document = try SlateFixtures.value("v1/seed-example-completed.json")
        document["mood"] = "calm"
        let reading = SlateFormat.read(document.encoded(.compact), strict: true)
        #expect(reading.diagnostics.map(\.pointer?.description) == ["/mood"])
    }

    // MARK: Hostile input

    /// What the migration adds does not count against the depth of the file.
    @Test(arguments: [1, 2])
    func aFileOfTheGreatestDepthIsRead(version: Int) throws {
        func read(_ depth: Int) throws -> ParseResult<SlateContent> {
            var document = try SlateFixtures.value("v\(version)/autumn-week.json")
            var nested: JSONValue = []
            for _ in 2..<depth { nested = [nested] }
            document["deep"] = nested
            return SlateFormat.read(document.encoded(.compact))
        }
        #expect(try read(128).isValid)
        #expect(try read(129).diagnostics.map(\.code) == ["json.depth"])
    }

    @Test func noTruncationTraps() throws {
        let bytes = try SlateFixtures.bytes("v2/unknown-members.json")
        for length in 0..<bytes.count - 1 { #expect(!SlateFormat.read(Array(bytes[..<length]), repair: true).isValid) }
    }

    @Test(arguments: ["v1/own-members.json", "v1/autumn-week.json", "v2/autumn-week.json"])
    func noSubstitutionTraps(path: String) throws {
        let seed: UInt64 = 11
        var random = SeededGenerator(seed: seed)
        let bytes = try SlateFixtures.bytes(path)
        for round in 0..<1000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(Array("\"{}[]:,0-9eatn\\".utf8))
            }
            let reading = SlateFormat.read(changed, repair: round.isMultiple(of: 2))
            #expect(
                reading.isValid == reading.diagnostics.allSatisfy { $0.severity != .error },
                "seed \(seed), round \(round)"
            )
        }
    }

    /// Whatever a document holds, it is read or refused, and what is read is written as the same.
    @Test(arguments: [1, 2])
    func generatedDocumentsAreReadOrRefused(version: Int) throws {
        for seed in UInt64(1)...300 {
            var source = RandomSlateDocument(seed: seed)
            let document = source.document(version: version)
            let reading = SlateFormat.read(document.encoded(.compact), repair: true)
            let written = try #require(reading.content, "seed \(seed): \(reading.diagnostics)").encoded()
            let again = SlateFormat.read(written)
            #expect(again.isValid, "seed \(seed): \(again.diagnostics)")
            #expect(try again.content?.encoded() == written, "seed \(seed)")
        }
    }
}
