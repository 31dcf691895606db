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
