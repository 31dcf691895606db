import FormatKit
import CivilTime
import StrictJSON
import TestSupport
import Testing
import TimeTracker

@Suite struct TrackerMigrationTests {
    private static let seeds: [UInt64] = Array(1...400)

    @Test(arguments: TrackerFixtures.released)
    func releasedFilesSurviveTheRoundTrip(path: String) throws {
        let document = try TrackerFixtures.value(path)
        let version = TrackerFixtures.version(path)
        let there = try TrackerFormat.migrate(document, from: version, to: 3 - version)
        #expect(try TrackerFormat.migrate(there.value, from: 3 - version, to: version).value == document)
    }

    @Test func vectors() throws {
        let vectors = try TrackerFixtures.value("vectors/migrations.json").array ?? []
        #expect(vectors.count == 9)
        for vector in vectors {
            let name = vector["name"]?.string ?? ""
            let (older, newer) = (vector["v1"] ?? .null, vector["v2"] ?? .null)
            let direction = vector["direction"]?.string
            if direction != "down" {
                #expect(try TrackerFormat.migrate(older, from: 1, to: 2).value == newer, "\(name)")
            }
            if direction != "up" {
                let down = try TrackerFormat.migrate(newer, from: 2, to: 1)
                #expect(down.value == older, "\(name): \(down.value.text(.compact))")
                let losses = (down.losses + down.notes).map { JSONValue.string($0.description) }
                #expect(losses == vector["losses"]?.array ?? [], "\(name)")
            }
        }
    }

    @Test(arguments: [[], nil, 5, [1], ["activities": 5], ["activities": [1], "buttons": [2]]] as [JSONValue])
    func invalidDocumentsDoNotTrap(document: JSONValue) {
        for (from, to) in [(1, 2), (2, 1)] { _ = try? TrackerFormat.migrate(document, from: from, to: to) }
    }

    @Test(arguments: [(1, 2), (2, 1)])
    func thereAndBackGivesTheSame(from: Int, to: Int) throws {
        for seed in Self.seeds {
            var source = RandomTracker(seed: seed)
            let document = source.document(version: from)
            let there = try TrackerFormat.migrate(document, from: from, to: to)
            let back = try TrackerFormat.migrate(there.value, from: to, to: from)
            #expect(
                back.value == document,
                "seed \(seed): \(document.text(.compact)) became \(there.value.text(.compact))"
            )
            #expect(from == 2 || there.losses.isEmpty)
            let reading = TrackerFormat.read(there.value.encoded(.compact))
            #expect(reading.version == to)
            #expect(reading.isValid, "seed \(seed): \(reading.diagnostics) in \(there.value.text(.compact))")
        }
    }

    /// What the reader and the writer do row by row is what the migration does with the whole document.
    @Test(arguments: [1, 2])
    func rowsAreMigratedAsDocumentsAre(version: Int) throws {
        for seed in Self.seeds {
            var source = RandomTracker(seed: seed)
            let document = source.document(version: version)
            let content = try #require(TrackerFormat.read(document.encoded(.compact)).content, "seed \(seed)")
            let current = try TrackerFormat.migrate(document, from: version, to: 2).value
            let export = try #require(TrackerFormat.read(current.encoded(.compact)).content?.export, "seed \(seed)")
            #expect(content.export == export, "seed \(seed): \(document.text(.compact))")
            // Times in the spelling of the writer, so that only what cannot be held is parked.
            let written = try JSONDocument(parsing: export.encoded().bytes).root.value
            let older = try TrackerFormat.migrate(written, from: 2, to: 1)
            let outcome = try export.encoded(version: 1, style: .indented)
            #expect(outcome.bytes == older.value.encoded(.indented), "seed \(seed): \(written.text(.compact))")
            #expect(outcome.outcome.losses.count == older.losses.count)
        }
    }
}

/// Valid documents with all that may go wrong in a migration.
private struct RandomTracker {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document(version: Int) -> JSONValue {
        var activities: [JSONValue] = []
        var milliseconds = Int.random(in: -10_000_000_000_000...10_000_000_000_000, using: &random)
        let count = Int.random(in: 0...4, using: &random)
        for index in 0..<count {
            var activity: JSONObject = ["id": .string("a\(index)"), "name": random.pick(["Work", "Übung", "🏋️"])]
            if random.chance(70) { activity["buttonId"] = random.pick(["b", .null]) }
            activity["startTime"] = time(milliseconds, version)
            if index < count - 1 || random.chance(70) {
                milliseconds += Int.random(in: 1...100_000_000, using: &random)
                activity["endTime"] = time(milliseconds, version)
            } else if random.chance(50) {
                activity["endTime"] = .null
            }
            milliseconds += 2
            if random.chance(50) { activity["color"] = "#AABBCC" }
            if random.chance(30) { activity["duration"] = 1 }
            addUnknown(to: &activity, milliseconds)
            activities.append(.object(activity))
        }
        let button = ActivityButton(id: "b", name: "Work", color: "#112233", icon: "", position: 0)
        var document: JSONObject = ["activities": .array(activities), "buttons": [button.json]]
        if version == 2 {
            document["format"] = "tracker-export"
            document["version"] = 2
            if random.chance(50) { document["exportedAt"] = random.pick(["2026-01-01T00:00:00Z", .null]) }
            if random.chance(50) { document["timeZone"] = random.pick(["Europe/Berlin", .null]) }
        } else {
            if random.chance(20) { document["version"] = 1 }
            for name in ["format", "exportedAt", "timeZone"] where random.chance(20) {
                document[name] =
                    name == "format" ? random.pick([1, .null]) : random.pick([1, "x", .null, "2026-01-01T00:00:00Z"])
            }
        }
        addUnknown(to: &document, milliseconds)
        return .object(document)
    }

    private mutating func time(_ milliseconds: Int, _ version: Int) -> JSONValue {
        let moment =
            Timestamp(milliseconds: milliseconds, nanoseconds: random.chance(30) ? 5 : 0) ?? Timestamp(seconds: 0)
        if version == 2 {
            let time = ZonedTimestamp(moment, offsetMinutes: random.pick([nil, 0, 60, -570]))
            return .string(random.chance(20) ? time.description.lowercased() : time.description)
        }
        guard random.chance(20) else { return .number(milliseconds) }
        return (try? JSONDocument(parsing: "\(milliseconds).0").root.value) ?? .null
    }

    private mutating func addUnknown(to object: inout JSONObject, _ milliseconds: Int) {
        for name in ["x", "1"] where random.chance(20) && object[name] == nil { object[name] = value(milliseconds) }
        if random.chance(40) { object["x-preserved"] = preserved(milliseconds, depth: 2) }
    }

    private mutating func value(_ milliseconds: Int) -> JSONValue {
        let text = Timestamp(milliseconds: milliseconds).map { ZonedTimestamp($0, offsetMinutes: 60).description } ?? ""
        return random.pick([true, 1, "text", .null, [], .string(text), .number(milliseconds), ["a": 1]])
    }

    /// Foreign values of that name, and some of the very form that a migration writes.
    private mutating func preserved(_ milliseconds: Int, depth: Int) -> JSONValue {
        guard depth > 0, random.chance(80) else { return random.pick([.null, [:], ["own": 1], ["2": [:]]]) }
        var object = JSONObject()
        for key in ["1", "2", "own", "aside"] where random.chance(40) {
            object[key] =
                key == "own" ? preserved(milliseconds, depth: depth - 1) : .object(parked(milliseconds, depth))
        }
        return .object(object)
    }

    private mutating func parked(_ milliseconds: Int, _ depth: Int) -> JSONObject {
        var object = JSONObject()
        for name in ["startTime", "endTime", "exportedAt", "timeZone", "version", "x"] where random.chance(40) {
            object[name] = value(milliseconds)
        }
        if depth > 0, random.chance(30) { object["aside"] = .object(parked(milliseconds, depth - 1)) }
        return object
    }
}
