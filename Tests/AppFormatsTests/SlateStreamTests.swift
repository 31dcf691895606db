import CivilTime
import FormatKit
import Foundation
import JSONSchemaValidation
import RecordStore
import Slate
import StrictJSON
import Testing
import TestSupport

struct SlateStreamTests {
    static let files = ["slate/v1", "slate/v2"].flatMap { (try? TestSupport.Fixtures.names(in: $0)) ?? [] }
        .filter { $0.hasSuffix(".json") }

    @Test("What is told while reading is what the reader tells, whatever the pieces", arguments: files)
    func outline(_ file: String) throws {
        let bytes = try TestSupport.Fixtures.bytes(file)
        let reading = SlateFormat.read(bytes)
        let content = try #require(reading.content)
        let tables = SlateTable.allCases.filter { $0.firstVersion <= reading.version ?? 0 }
        for piece in [1, 7, 4096, Int.max] {
            let outline = try SlateStream.outline(JSONByteSource(bytes, piece: piece))
            #expect(outline.version == reading.version)
            #expect(outline.exportedAt == content.exportedAt)
            #expect(tables.allSatisfy { outline.counts[$0] ?? 0 == content.count($0) })
            #expect(outline.count == tables.reduce(0) { $0 + content.count($1) })
        }
        let version = try #require(reading.version)
        #expect(try SlateStream.validate(JSONByteSource(bytes), version: version).isValid)
        #expect(throws: AppFormatError.self) { try SlateStream.validate(JSONByteSource(bytes), version: 3) }
    }

    @Test("Rows read one by one are those of the document, with the same warnings in the same places", arguments: whole)
    func rows(_ file: String) throws {
        let bytes = try TestSupport.Fixtures.bytes(file)
        for repair in [false, true] {
            let reading = SlateFormat.read(bytes, name: file, repair: repair)
            for piece in [7, 4096, Int.max] {
                let source = JSONByteSource(bytes, piece: piece)
                let rows = SlateFormat.readRows(source, name: file, repair: repair)
                // What cannot be used, is older or begins with a mark is told by the reading of the whole.
                let isTold = reading.version != SlateFormat.currentVersion || bytes.starts(with: [0xEF])
                guard let content = reading.content, !isTold else {
                    #expect(rows == nil)
                    continue
                }
                let found = try #require(rows)
                #expect(found.diagnostics == reading.diagnostics)
                #expect(found.findingCount == reading.findingCount)
                #expect(found.repairCount == reading.repairCount)
                #expect(found.version == reading.version)
                #expect(found.identity == reading.identity)
                #expect(try found.content?.encoded() == content.encoded())
            }
        }
    }

    static let whole = ["slate/v1", "slate/v2", "slate/invalid"].flatMap { folder in
        (try? TestSupport.Fixtures.names(in: folder)) ?? []
    }.filter { $0.hasSuffix(".json") }

    @Test("Rows with long texts, escapes, members of their own, numbers as flags and deep JSON are as in the document")
    func unusualRows() throws {
        let long = String(repeating: "é", count: 70_000)
        let short = String(repeating: "t", count: 249)
        let deep = String(repeating: "[", count: 120) + "1e2" + String(repeating: "]", count: 120)
        let text = """
            {"exported_at": "2026-01-07T20:30:00Z", "x": {"deep": \(deep), "y": 1.50}, "schema_version": 2, "meta": {},
            "tasks": [{"id": "b\\u0000\\"", "title": "\(long)", "is_done": true, "z": [1.0, {"\\n": "\\ud83d\\ude00"}],
            "due_date": null, "": {}, "created_at": "2026-01-07T20:30:00Z", "updated_at": "2026-01-07T20:30:00Z"},
            {"title": "\(short)", "id": "a", "notes": "\(short)n"},
            {"title": "", "id": "\\u0061b"}],
            "habits": [], "habit_completions": [{"id": "c", "habit_id": "gone", "date": "2026-01-07"}],
            "day_plan": [{"date": "2026-01-07", "perfect_day": 1}, {"date": "2026-01-06", "perfect_day": 0}],
            "day_plan_items": [],
            "day_snapshots": [{"date": "2026-01-06", "habits": [ 1 , {"a" : [ ] } ], "slate_tasks": "x"}],
            "activity_log": [{"id": "l", "timestamp": "2026-01-07T20:30:00Z", "entity_type": "task", "entity_id": "a",
            "action_type": "created", "details": {"a" : "\\u00e9\\/" , "b" : 1.50}}]}
            """
        let bytes = Array(text.utf8)
        let reading = SlateFormat.read(bytes)
        let content = try #require(reading.content, "\(reading.diagnostics)")
        let rows = try #require(SlateFormat.readRows(JSONByteSource(bytes, piece: 1000)))
        #expect(rows.diagnostics == reading.diagnostics)
        #expect(!rows.diagnostics.isEmpty)
        #expect(rows.diagnostics.allSatisfy { $0.position != nil })
        #expect(try rows.content?.encoded() == content.encoded())
        let written = try JSONDocument(parsing: content.encoded()).root
        #expect(written["tasks"]?[2]?["z"]?.value.text(.compact) == #"[1.0,{"\n":"😀"}]"#)
        #expect(written["tasks"]?[2]?["title"]?.string == long)
        #expect(written["day_plan"]?[1]?["perfect_day"]?.int == 1)
        #expect(written["day_snapshots"]?[0]?["habits"]?.value == [1, ["a": []]])
        #expect(written["x"]?["deep"]?.value.text(.compact) == deep)
    }

    @Test("What is no export has no version", arguments: ["[]", "3", "{\"schema_version\": \"2\"}", "{\"tasks\": {}}"])
    func other(_ text: String) throws {
        let outline = try SlateStream.outline(JSONByteSource(Array(text.utf8)))
        #expect(outline.version == nil)
        #expect(outline.count == 0)
    }

    @Test("2.0 is version 2")
    func decimal() throws {
        let text = "{\"tasks\": [1, 2], \"schema_version\": 2.0}"
        let outline = try SlateStream.outline(JSONByteSource(Array(text.utf8)))
        #expect(outline.version == 2)
        #expect(outline.counts == [.tasks: 2])
    }

    @Test("Stored content differs in the version of the tables alone")
    func stored() throws {
        let bytes = try TestSupport.Fixtures.bytes("slate/v1/seed-example.json")
        let content = try #require(SlateFormat.read(bytes).content)
        let stored = try #require(SlateFormat.read(try content.encodedAsStored()).content)
        #expect(stored.meta["schema_version"] == "2")
        var differences: [String] = []
        try SlateDiff(content, stored).forEach { differences.append($0.key) }
        #expect(differences.isEmpty || differences == ["schema_version"])
    }
}

struct LocalClockTextTests {
    @Test(
        "A moment with the offset of its zone",
        arguments: [
            (0, "2026-01-07T20:30:00+00:00"), (3600, "2026-01-07T21:30:00+01:00"),
            (-12600, "2026-01-07T17:00:00-03:30"), (50400, "2026-01-08T10:30:00+14:00"),
            (-43200, "2026-01-07T08:30:00-12:00"), (-3628, "2026-01-07T19:30:00-01:00"),
        ]
    )
    func text(_ offset: Int, _ expected: String) throws {
        let moment = try #require(Timestamp("2026-01-07T20:30:00.75Z"))
        let text = LocalClock { _ in offset }.text(of: moment)
        #expect(text == expected)
        #expect(Timestamp(text).map { abs($0.seconds - moment.seconds) <= 59 } == true)
    }
}
