@testable import FormatKit
import FormatKit
@testable import RecordStore
@testable import Slate
import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing

@Suite struct SlateMigrationTests {
    private static let seeds: [UInt64] = Array(1...600)

    @Test func schemasCompile() throws {
        for version in 1...2 { #expect(try SlateFormat.versions.schema(version).isValid(document([:])) == false) }
        #expect(throws: AppFormatError.self) { try SlateFormat.versions.schema(3) }
        #expect(SlateFormat.versions.schemaText(2)?.isEmpty == false)
        #expect(SlateFormat.versions.schemaText(3) == nil)
    }

    // MARK: Vectors and files

    /// The migrations that fixtures/slate/vectors/migrations.json describes.
    @Test func vectors() throws {
        let vectors = try #require(SlateFixtures.value("vectors/migrations.json").array)
        #expect(vectors.count == 15)
        for vector in vectors {
            let name = vector["name"]?.string ?? ""
            let from = try #require(vector["from"]?.int)
            let to = try #require(vector["to"]?.int)
            let before = try #require(vector["before"])
            let after = try #require(vector["after"])
            let migrated = try SlateFormat.migrate(before, from: from, to: to)
            #expect(migrated.value == after, "\(name)")
            #expect(migrated.value.encoded(.compact) == after.encoded(.compact), "\(name)")
            #expect(json(migrated.losses) == vector["losses"], "\(name)")
            #expect(json(migrated.notes) == vector["notes"], "\(name)")
            #expect(try SlateFormat.migrate(migrated.value, from: to, to: from).value == before, "\(name)")
            for (version, value) in [(from, before), (to, after)] {
                #expect(try SlateFormat.versions.schema(version).isValid(document(value)), "\(name)")
            }
        }
    }

    private func json(_ losses: [MigrationLoss]) -> JSONValue {
        .array(losses.map { ["pointer": .string($0.pointer.description), "text": .string($0.text)] })
    }

    @Test(arguments: SlateFixtures.released)
    func filesSurviveEveryRoundTrip(path: String) throws {
        let value = try SlateFixtures.value(path)
        let version = SlateFixtures.version(path)
        let report = try SlateFormat.versions.schema(version).validate(document(value))
        #expect(report.isValid, "\(report.findings)")
        for target in 1...2 {
            let there = try SlateFormat.migrate(value, from: version, to: target).value
            #expect(try SlateFormat.migrate(there, from: target, to: version).value == value)
        }
    }

    /// One export in both versions, byte for byte.
    @Test(arguments: [(1, 2), (2, 1)])
    func oneExportInBothVersions(from: Int, to: Int) throws {
        let value = try SlateFixtures.value("v\(from)/autumn-week.json")
        let migrated = try SlateFormat.migrate(value, from: from, to: to).value
        #expect(try migrated.encoded(.indented) == SlateFixtures.bytes("v\(to)/autumn-week.json"))
    }

    /// The example of the app's description has all members that the schema demands.
    @Test func theAppsOwnExampleIsValid() throws {
        let example = try SlateFixtures.value("v1/seed-example.json")
        #expect(example["tasks"] == [["id": "…", "title": "…", "due_date": "2025-09-25"]])
        let up = try SlateFormat.migrate(example, from: 1, to: 2).value
        #expect(try SlateFormat.versions.schema(2).isValid(document(up)))
    }

    // MARK: Properties

    @Test(arguments: [(1, 2), (2, 1)])
    func thereAndBackGivesTheSame(from: Int, to: Int) throws {
        for seed in Self.seeds {
            var source = RandomSlateDocument(seed: seed)
            let document = source.document(version: from)
            let there = try SlateFormat.migrate(document, from: from, to: to)
            let back = try SlateFormat.migrate(there.value, from: to, to: from)
            #expect(from > to || there.losses.isEmpty)
            #expect(there.notes.isEmpty)
            #expect(back.value == document, "seed \(seed): \(text(document)) became \(text(there.value))")
        }
    }

    /// Each migrated document is a valid one of its version, and so is each that was generated.
    @Test(arguments: [1, 2], [1, 2])
    func migratedDocumentsAreValid(from: Int, to: Int) throws {
        for seed in Self.seeds {
            var source = RandomSlateDocument(seed: seed)
            let document = source.document(version: from)
            let migrated = try SlateFormat.migrate(document, from: from, to: to).value
            let report = try SlateFormat.versions.schema(to).validate(self.document(migrated))
            #expect(report.isValid, "seed \(seed): \(report.findings) in \(text(migrated))")
        }
    }

    /// What is lost is counted, and stands where the loss says.
    @Test func lossesHaveAPlace() throws {
        for seed in Self.seeds {
            var source = RandomSlateDocument(seed: seed)
            let document = source.document(version: 2)
            let losses = try SlateFormat.migrate(document, from: 2, to: 1).losses
            for loss in losses { #expect(document[loss.pointer] != nil, "seed \(seed)") }
            let tasks = document["tasks"]?.array ?? []
            let expected = [
                tasks.contains { $0["depends_on_task_id"]?.string != nil }, document["activity_log"] != [],
                document["day_snapshots"] != [],
            ]
            #expect(losses.count == expected.count { $0 }, "seed \(seed)")
        }
    }

    @Test func aPlainDowngradeLosesNothing() throws {
        let document: JSONValue = [
            "schema_version": 2, "exported_at": "2025-09-22T15:04:05-07:00", "meta": ["schema_version": "2"],
            "tasks": [["id": "a", "title": "A", "depends_on_task_id": nil]], "habits": [], "habit_completions": [],
            "day_plan": [], "day_plan_items": [], "activity_log": [], "day_snapshots": [],
        ]
        let down = try SlateFormat.migrate(document, from: 2, to: 1)
        #expect(down.losses.isEmpty)
        #expect(down.value["tasks"] == [["id": "a", "title": "A"]])
        #expect(down.value["x-preserved"] == nil)
        #expect(down.value["meta"] == ["schema_version": "2"])
    }

    @Test func membersComeInSchemaOrder() throws {
        let document: JSONValue = [
            "x-preserved": ["2": ["activity_log": [Self.entry]]], "own": 1,
            "tasks": [["title": "A", "y": 1, "id": "a"]],
            "meta": ["zebra": "1", "Zebra": "2", "day_start": "04:00", "schema_version": "1"], "habits": [],
            "day_plan_items": [], "day_plan": [["perfect_day": 1, "date": "2025-09-22"]], "habit_completions": [],
            "exported_at": "2025-09-22T15:04:05-07:00", "schema_version": 1,
        ]
        let up = try SlateFormat.migrate(document, from: 1, to: 2).value
        #expect(
            up.object?.names == [
                "schema_version", "exported_at", "meta", "tasks", "habits", "habit_completions", "day_plan",
                "day_plan_items", "activity_log", "day_snapshots", "own",
            ]
        )
        #expect(up["meta"]?.object?.names == ["schema_version", "day_start", "Zebra", "zebra"])
        #expect(up["tasks"]?.array?[0].object?.names == ["id", "title", "depends_on_task_id", "y"])
        #expect(up["day_plan"]?.array?[0].object?.names == ["date", "perfect_day"])
        #expect(up["activity_log"] == [Self.entry])
        let down = try SlateFormat.migrate(up, from: 2, to: 1).value
        #expect(down.object?.names.suffix(3) == ["day_plan_items", "own", "x-preserved"])
    }

    /// What an older reader of a file points at is where the file has it.
    @Test(
        arguments: [
            ("/activity_log/3/details", "/x-preserved/2/activity_log/3/details"),
            ("/day_snapshots/0", "/x-preserved/2/day_snapshots/0"),
            ("/tasks/7/depends_on_task_id", "/tasks/7/x-preserved/2/depends_on_task_id"),
            ("/tasks/7/title", "/tasks/7/title"), ("/habits/1/depends_on_task_id", "/habits/1/depends_on_task_id"),
            ("", ""),
        ]
    )
    func placesInAnOlderFile(current: String, older: String) throws {
        let pointer = try #require(JSONPointer(current))
        #expect(try SlateFormat.versions.chain().pointer(pointer, ofCurrentIn: 1).description == older)
        #expect(try SlateFormat.versions.chain().pointer(pointer, ofCurrentIn: 2).description == current)
    }

    /// A migration passes on what it does not understand; saying so is the schema's task.
    @Test(
        arguments: [
            [], nil, 5, "x", ["tasks": 5], ["tasks": [1]], ["activity_log": 5, "tasks": [["depends_on_task_id": 5]]],
            ["x-preserved": ["1": ["tasks": 1], "2": ["activity_log": "x"]]],
        ] as [JSONValue]
    )
    func invalidDocumentsDoNotTrap(document: JSONValue) {
        for (from, to) in [(1, 2), (2, 1)] { _ = try? SlateFormat.migrate(document, from: from, to: to) }
    }

    @Test func unknownVersionsAreRefused() {
        let error = #expect(throws: AppFormatError.self) { try SlateFormat.migrate([:], from: 3, to: 2) }
        #expect(
            error?.message
                == "version 3 of slate is newer than 2, the newest that this program knows; update the program"
        )
        #expect(throws: AppFormatError.self) { try SlateFormat.migrate([:], from: 0, to: 2) }
    }

    private static let entry: JSONValue = [
        "id": "l", "timestamp": "2025-09-22T15:04:05Z", "entity_type": "task", "entity_id": "a", "action_type": "done",
    ]

    private func document(_ value: JSONValue) throws -> JSONDocument {
        try JSONDocument(parsing: value.encoded(.compact))
    }

    private func text(_ value: JSONValue) -> String { String(decoding: value.encoded(.compact), as: UTF8.self) }
}
