import BZTimer
import CivilTime
import FormatKit
import StrictJSON
import Testing

@Suite struct MigrationVectorTests {
    /// The migrations that fixtures/bztimer/vectors/migrations.json describes.
    @Test func vectors() throws {
        let vectors = try #require(Fixtures.value("vectors/migrations.json").array)
        #expect(vectors.count > 10)
        for vector in vectors {
            let name = vector["name"]?.string ?? ""
            let from = try #require(vector["from"]?.int)
            let to = try #require(vector["to"]?.int)
            let before = try #require(vector["before"])
            let migrated = try BztimerFormat.migrate(before, from: from, to: to)
            #expect(migrated.value == vector["after"], "\(name)")
            #expect(json(migrated.losses) == vector["losses"], "\(name)")
            #expect(json(migrated.notes) == vector["notes"], "\(name)")
            for loss in migrated.losses + migrated.notes { #expect(before[loss.pointer] != nil, "\(name)") }
            #expect(try BztimerFormat.migrate(migrated.value, from: to, to: from).value == before, "\(name)")
        }
    }

    private func json(_ losses: [MigrationLoss]) -> JSONValue {
        .array(losses.map { ["pointer": .string($0.pointer.description), "text": .string($0.text)] })
    }

    /// Of a simple session an older reader misses nothing that a person wrote.
    @Test(arguments: [1, 2])
    func aPlainDowngradeLosesNothing(version: Int) throws {
        let session = Samples.session("One", [Samples.block(category: "Uncategorized")])
        var tagged = session
        tagged.tags = []
        for session in [session, tagged] {
            let output = try Samples.file([session]).encoded(version: version)
            #expect(output.losses.isEmpty)
            #expect(output.notes.count == 3 - version)
        }
    }

    @Test(arguments: Fixtures.released)
    func releasedFilesSurviveEveryRoundTrip(path: String) throws {
        let document = try Fixtures.value(path)
        let version = Fixtures.version(path)
        for target in 1...BztimerFormat.currentVersion {
            do {
                let there = try BztimerFormat.migrate(document, from: version, to: target)
                let back = try BztimerFormat.migrate(there.value, from: target, to: version)
                // Of version 1 what had no place of its own, or was parked, has one now.
                #expect(version == 1 || back.value == document)
                #expect(try BztimerFormat.migrate(back.value, from: version, to: target).value == there.value)
            } catch {
                #expect(error.code == .sessionCount)
                #expect(path.hasSuffix("/library.json") && target < 3)
            }
        }
    }

    /// The files that bzpack wrote of one session are what it still writes, byte for byte.
    @Test(arguments: 1...BztimerFormat.currentVersion)
    func exportsAreTheSameBytes(version: Int) throws {
        let reading = BztimerFormat.read(try Fixtures.bytes("v\(BztimerFormat.currentVersion)/leg-day.json"))
        let file = try #require(reading.content)
        // The file of version 1 that early versions wrote had categories and tags parked, where no app reads them.
        let bytes = try Fixtures.bytes(version == 1 ? "v1/leg-day-categories.json" : "v\(version)/leg-day.json")
        #expect(try file.encoded(version: version).bytes == bytes)
        let again = try reading.migrated(to: version)
        #expect(again.value.encoded(.indented) == bytes)
    }

    @Test(arguments: [(0, "no session"), (2, "2 sessions"), (4, "4 sessions")], [1, 2])
    func olderVersionsHoldOneSession(count: (Int, String), version: Int) throws {
        let session = SessionTemplate(id: "s", name: "One", items: [])
        let sessions = Array(repeating: session, count: count.0)
        let file = BztimerFile(exporting: sessions, generator: "test", exportedAt: Timestamp(seconds: 0))
        let error = #expect(throws: AppFormatError.self) { try file.encoded(version: version) }
        #expect(error?.code == .sessionCount)
        #expect(
            error?.message == "version 2 holds exactly one session and this file has \(count.1); export one at a time"
        )
        #expect(error?.pointer?.description == "/sessions")
    }

    @Test func unknownVersionsAreRefused() {
        let newest = BztimerFormat.currentVersion
        #expect(throws: AppFormatError.self) { try BztimerFormat.migrate([:], from: newest, to: newest + 1) }
        #expect(throws: AppFormatError.self) { try BztimerFormat.migrate([:], from: 0, to: newest) }
        let error = #expect(throws: AppFormatError.self) { try BztimerFormat.migrate([:], from: 99, to: newest) }
        #expect(
            error?.message
                == "version 99 of bztimer is newer than \(newest), the newest that this program knows; update the program"
        )
    }

    /// A migration passes on what it does not understand; saying so is the schema's task.
    @Test(
        arguments: [[], nil, 5, "x", ["items": 5], ["items": [1]], ["session": []], ["sessions": [1]]] as [JSONValue]
    )
    func invalidDocumentsDoNotTrap(document: JSONValue) {
        for (from, to) in [(1, 3), (3, 1), (2, 3), (2, 1)] {
            _ = try? BztimerFormat.migrate(document, from: from, to: to)
        }
    }
}
