import FormatKit
import CivilTime
import RecordStore
import StrictJSON
import TestSupport
import Testing
import TimeTracker

@Suite struct TrackerReadingTests {
    private static let samples = ["invalid", "findings"].flatMap { folder in
        TrackerFixtures.names(folder).map { "\(folder)/\($0)" }
    }

    @Test(arguments: TrackerFixtures.released)
    func releasedFilesAreRead(path: String) throws {
        let reading = TrackerFormat.read(try TrackerFixtures.bytes(path), name: path, strict: path.contains("night"))
        #expect(reading.diagnostics.filter { $0.severity != .note } == [])
        #expect(reading.version == TrackerFixtures.version(path))
        #expect(reading.isValid)
    }

    @Test(arguments: TrackerFixtures.released)
    func filesAreWrittenAsTheyWere(path: String) throws {
        let bytes = try TrackerFixtures.bytes(path)
        let content = try #require(TrackerFormat.read(bytes).content)
        let written = try content.encoded(version: TrackerFixtures.version(path))
        // Nulls of version 1 are absent members.
        if !path.contains("own-members") { #expect(written.bytes == bytes) }
        #expect(try content.export.encoded().bytes == content.encoded().bytes)
        #expect(try content.export.encoded(version: 1).bytes == content.encoded(version: 1).bytes)
    }

    @Test(arguments: Self.samples)
    func findingsAreExact(path: String) throws {
        let reading = TrackerFormat.read(try TrackerFixtures.bytes(path + ".json"))
        #expect(lines(reading) == TrackerFormat.versions.expected { try TrackerFixtures.text(path + ".expected.txt") })
        #expect(reading.isValid == path.hasPrefix("findings"))
    }

    /// What can be mended is said in the file beside it; of everything else a repair says what reading says.
    @Test(arguments: Self.samples)
    func repairsAreExact(path: String) throws {
        let reading = TrackerFormat.read(try TrackerFixtures.bytes(path + ".json"), repair: true)
        let mended = try? TrackerFixtures.text(path + ".repaired.txt")
        #expect(
            lines(reading) == mended
                ?? TrackerFormat.versions.expected { try TrackerFixtures.text(path + ".expected.txt") }
        )
        #expect(reading.isValid == (mended != nil || path.hasPrefix("findings")))
        #expect(reading.repairCount == (mended == nil ? 0 : 1))
        guard let content = reading.content else { return }
        // What was mended stays so, in both versions.
        for version in 1...2 {
            let again = TrackerFormat.read(try content.encoded(version: version).bytes)
            #expect(again.isValid, "\(again.diagnostics)")
            #expect(try again.content?.encoded(version: version).bytes == content.encoded(version: version).bytes)
        }
    }

    private func lines(_ reading: ParseResult<TrackerContent>) -> String {
        reading.diagnostics.map { "\($0)\n" }.joined()
    }

    @Test func fixturesAreThere() {
        #expect(TrackerFixtures.released.count == 7)
        #expect(TrackerFixtures.names("invalid").count == 55)
        #expect(TrackerFixtures.names("findings").count == 8)
    }

    // MARK: Content

    @Test func bothVersionsOfAFileAreTheSame() throws {
        let old = try #require(TrackerFormat.read(try TrackerFixtures.bytes("v1/spring-night.json")).content)
        let new = try #require(TrackerFormat.read(try TrackerFixtures.bytes("v2/spring-night.json")).content)
        #expect(old.export == new.export)
        #expect(old.count == 5)
        #expect(old.export.activities[3].durationMilliseconds == 4 * 3_600_000 + 123)
        #expect(old.export.activities[4].isRunning)
        #expect(old.export.activities[3].end == moment("2026-03-29T11:00:00.123Z"))
    }

    @Test func whatVersionOneCannotHoldComesBack() throws {
        let content = try #require(TrackerFormat.read(try TrackerFixtures.bytes("v2/offsets.json")).content)
        let (bytes, outcome) = try content.encoded(version: 1)
        #expect(
            outcome.losses.map(\.text) == [
                "cannot hold offsets from UTC: those of 3 activities are preserved, and an older app does not show them",
                "cannot hold parts of a millisecond: those of 1 activity are preserved, and an older app does not show them",
            ]
        )
        #expect(outcome.notes.count == 2)
        let old = TrackerFormat.read(bytes)
        #expect(old.version == 1)
        #expect(try old.content?.encoded().bytes == content.encoded().bytes)
        let value = try JSONDocument(parsing: bytes).root
        #expect(value["activities"]?[1]?["startTime"]?.int == 1_774_767_600_123)
    }

    @Test func unknownMembersAreFound() throws {
        let reading = TrackerFormat.read(try TrackerFixtures.bytes("v2/unknown-members.json"))
        let places = ["/buttons/0/shortcut", "/activities/0/place", "/activities/0/tags", "/device"]
        #expect(reading.unknownMembers().map(\.description).sorted() == places.sorted())
        #expect(reading.content?.unknownMembers.names == ["device", "x-preserved"])
    }

    @Test func numbersOfVersionOneAreReadExactly() throws {
        for token in ["-62167219200000", "253402300799999", "0", "-1", "1.774731600000e12", "17747316000000e-1", "1.0"]
        {
            let text = #"{"activities":[{"id":"a","name":"b","startTime":\#(token)}],"buttons":[]}"#
            let reading = TrackerFormat.read(Array(text.utf8))
            let activity = try #require(reading.content?.export.activities.first, "\(token): \(reading.diagnostics)")
            #expect(activity.start.moment.milliseconds == JSONNumber(Double(token) ?? 0)?.int, "\(token)")
            // The spelling comes back.
            #expect(try reading.content?.encoded(version: 1, style: .compact).bytes == Array(text.utf8))
        }
    }

    @Test func manyRepairsAreCounted() throws {
        var activities: [JSONValue] = []
        for index in 0..<500 {
            activities.append(["id": "same", "name": .string("n\(index)"), "startTime": .number(index)])
        }
        let document: JSONValue = ["activities": .array(activities), "buttons": []]
        let reading = TrackerFormat.read(document.encoded(.compact), repair: true)
        #expect(reading.repairCount == 499 + 499)
        #expect(reading.findingCount == 998)
        #expect(reading.diagnostics.count == 100)
        let export = try #require(reading.content?.export)
        #expect(Set(export.activities.map(\.id)).count == 500)
        #expect(export.activities.filter(\.isRunning).map(\.name) == ["n499"])
        #expect(export.activities[7].end?.moment.milliseconds == 8)
        #expect(TrackerFormat.read(try export.encoded().bytes).isValid)
    }

    // MARK: Hostile input

    @Test func noTruncationOrSubstitutionTraps() throws {
        var random = SeededGenerator(seed: 11)
        for path in ["v2/unknown-members.json", "v1/own-members.json"] {
            let bytes = try TrackerFixtures.bytes(path)
            for length in 0..<bytes.count - 1 {
                #expect(!TrackerFormat.read(Array(bytes[..<length]), repair: true).isValid)
            }
            for _ in 0..<2000 {
                var changed = bytes
                for _ in 0..<3 {
                    changed[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(
                        Array("\"{}[]:,0-9eatn\\".utf8)
                    )
                }
                let reading = TrackerFormat.read(changed, repair: true)
                #expect(reading.isValid == reading.diagnostics.allSatisfy { $0.severity != .error })
                _ = try reading.content?.encoded(version: 1)
            }
        }
    }
}
