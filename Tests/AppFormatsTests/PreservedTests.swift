import FormatKit
import BZTimer
import GymPulse
import StrictJSON
import Testing

/// What happens when an older program edits a file that was exported for it.
@Suite struct PreservedTests {
    /// The session of v3/leg-day.json as version 1, edited, and read again.
    private func afterEditing(_ edit: (inout JSONValue) -> Void) throws -> BztimerFile {
        var document = try Fixtures.value("v1/leg-day.json")
        edit(&document)
        return try #require(BztimerFormat.read(document.encoded(.compact)).content)
    }

    private func categories(_ file: BztimerFile) -> [String?] { file.sessions[0].items.map(\.category) }

    private func at(_ tokens: String...) -> JSONPointer { JSONPointer(tokens: tokens) }

    private func items(_ document: JSONValue) -> [JSONValue] { document["items"]?.array ?? [] }

    @Test func aDeletedBlockStaysDeleted() throws {
        let file = try afterEditing { $0["items"] = .array(items($0).filter { $0["label"] != "Squats" }) }
        #expect(file.sessions[0].items.map(\.label) == ["Warm up", "Get ready", "Rest", "Lunges"])
        #expect(categories(file) == ["Exercise", nil, nil, "PT – Knee Mobility"])
    }

    @Test func categoriesFollowTheirBlocks() throws {
        let file = try afterEditing { $0["items"] = .array(items($0).reversed()) }
        #expect(categories(file) == ["PT – Knee Mobility", nil, "PT – Knee Mobility", nil, "Exercise"])
    }

    @Test func aCopiedBlockCopiesItsCategory() throws {
        let file = try afterEditing { document in
            var copy = items(document)[0]
            copy["id"] = "copy"
            document["items"] = .array(items(document) + [copy])
        }
        #expect(categories(file).last == "Exercise")
    }

    @Test func aNewBlockIsUncategorized() throws {
        let file = try afterEditing { document in
            let block: JSONValue = [
                "id": "new", "label": "New", "type": "activity", "mode": "duration", "durationSeconds": 5, "reps": 0,
                "perRepSeconds": 0,
            ]
            document["items"] = .array([block] + items(document))
        }
        #expect(categories(file).first == "Uncategorized")
    }

    @Test func theOlderProgramsEditsWin() throws {
        let file = try afterEditing { document in
            document["name"] = "Leg day, shorter"
            document["scheduledDaysOfWeek"] = [7]
            var blocks = items(document)
            blocks[0]["durationSeconds"] = 120
            blocks[0]["type"] = "rest"
            blocks[2]["mode"] = "duration"
            blocks[2]["durationSeconds"] = 45
            document["items"] = .array(blocks)
        }
        let session = file.sessions[0]
        #expect(session.name == "Leg day, shorter")
        #expect(session.scheduledDaysOfWeek == [7])
        #expect(session.tags == ["legs", "client Sarah"])
        #expect(session.items[0].timing == .duration(seconds: 120))
        #expect(session.items[0].kind == .rest)
        #expect(session.items[0].category == nil)
        #expect(session.items[2].timing == .duration(seconds: 45))
        #expect(session.items[2].category == "PT – Knee Mobility")
    }

    @Test func categoriesThatAreNoLongerUsedAreNotDeclared() throws {
        let file = try afterEditing { $0["items"] = .array(items($0).filter { $0["x-preserved"] == nil }) }
        #expect(file.categories.isEmpty)
    }

    @Test func aProgramThatDropsEverythingUnknownLosesNothingElse() throws {
        let file = try afterEditing { document in
            document["x-preserved"] = nil
            document["items"] = .array(
                items(document).map { block in
                    var block = block
                    block["x-preserved"] = nil
                    return block
                }
            )
        }
        #expect(categories(file) == ["Uncategorized", nil, "Uncategorized", nil, "Uncategorized"])
        #expect(file.generator == nil)
        #expect(file.exportedAt == nil)
        #expect(file.sessions[0].tags == nil)
    }

    @Test func anActivityAddedInVersion2IsDeclared() throws {
        var document = try Fixtures.value("v3/foreign-preserved.json")
        document = try BztimerFormat.migrate(document, from: 3, to: 2).value
        document["session"]?["items"] = [
            [
                "id": "n", "label": "New", "type": "activity", "mode": "duration", "durationSeconds": 5,
                "category": "Brand new",
            ]
        ]
        let up = try BztimerFormat.migrate(document, from: 2, to: 3).value
        #expect(up["categories"] == ["Brand new"])
        #expect(up[at("x-preserved", "aside", "categories", "listed")] != nil)
        #expect(try BztimerFormat.migrate(up, from: 3, to: 2).value == document)
    }

    /// An edit in the current version that makes a parked value meaningless keeps it parked, and loses nothing.
    @Test func parkedTimingsThatDoNotFitStayAside() throws {
        let old = try Fixtures.value("v1/unused-timings.json")
        var new = try BztimerFormat.migrate(old, from: 1, to: 3).value
        let fraction = JSONValue.number(try #require(JSONNumber(2.5)))
        #expect(new[at("sessions", "0", "items", "0", "x-preserved")] == ["1": ["reps": 8, "perRepSeconds": fraction]])
        var session = try SessionTemplate(json: new[at("sessions", "0")] ?? .null)
        session.items[0].timing = .reps(count: 30, secondsEach: 2)
        new["sessions"] = [session.json]
        let down = try BztimerFormat.migrate(new, from: 3, to: 1).value
        let block = try #require(down[at("items", "0")])
        #expect(block["reps"] == 30)
        #expect(block["perRepSeconds"] == 2)
        #expect(block["durationSeconds"] == 0)
        #expect(try BztimerFormat.migrate(down, from: 1, to: 3).value == new)
    }
}
