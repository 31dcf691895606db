import BZTimer
import CivilTime
import FormatKit
import GymPulse
import RecordStore
import StrictJSON
import Testing

@Suite struct ModelTests {
    @Test func membersAreWrittenInSchemaOrder() throws {
        let block = BlockInstance(
            id: "b",
            templateId: "t",
            label: "L",
            kind: .activity,
            timing: .reps(count: 2, secondsEach: 3),
            category: "Work",
            color: "c",
            icon: "i",
            notes: "n",
            extra: ["x-preserved": ["1": ["durationSeconds": 9]], "z": 1, "a": 2, "label": "ignored"]
        )
        #expect(
            block.json.object?.names == [
                "id", "templateId", "label", "type", "mode", "reps", "perRepSeconds", "category", "color", "icon",
                "notes", "z", "a", "x-preserved",
            ]
        )
        #expect(block.json["label"] == "L")
        var session = Samples.session("A", days: [1])
        session.tags = ["t"]
        session.extra = ["q": 1]
        #expect(session.json.object?.names == ["id", "name", "items", "tags", "scheduledDaysOfWeek", "q"])
        let file = Samples.file([session], [Samples.activity("R")])
        #expect(
            file.json.object?.names
                == ["format", "version", "generator", "exportedAt", "categories", "sessions", "activities"]
        )
        #expect(file.exportedAt == "2001-09-09T01:46:40Z")
    }

    @Test func valuesAreTheSameAfterARoundTrip() throws {
        let entry = SessionHistoryEntry(
            id: "h",
            sessionId: nil,
            sessionName: "Leg day",
            completedAt: "2026-03-01T06:30:00.000Z",
            totalDurationSeconds: 95,
            extra: ["mood": "😀"]
        )
        #expect(try SessionHistoryEntry(json: entry.json) == entry)
        #expect(
            entry.json.object?.names == [
                "id", "sessionId", "sessionName", "completedAt", "totalDurationSeconds", "mood",
            ]
        )
        #expect(entry.completed == Timestamp("2026-03-01T06:30:00Z"))
        let activity = Samples.activity("Read", category: nil)
        #expect(try BlockTemplate(json: activity.json) == activity)
        #expect(activity.json["category"] == .null)
        let session = Samples.session("A", [Samples.block("r", category: nil, kind: .rest)], days: [7, 1])
        #expect(try SessionTemplate(json: session.json) == session)
    }

    @Test(
        arguments: [
            ([], "expected an object", ""), (["id": 1], "expected a string", "/id"),
            (["id": "a", "label": "b"], "the member \"type\" is missing", ""),
            (["id": "a", "label": "b", "type": "rest"], "expected \"activity\"", "/type"),
            (["id": "a", "label": "b", "type": "activity", "mode": "x"], "expected \"duration\" or \"reps\"", "/mode"),
            (
                ["id": "a", "label": "b", "type": "activity", "mode": "duration", "durationSeconds": 604_801],
                "expected an integer from 1 to 604800", "/durationSeconds"
            ),
        ] as [(JSONValue, String, String)]
    )
    func faultsHaveTheirPlace(value: JSONValue, message: String, pointer: String) {
        let error = #expect(throws: AppFormatError.self) { try BlockTemplate(json: value) }
        #expect(error?.code == .member)
        #expect(error?.message == message)
        #expect(error?.pointer?.description == pointer)
    }

    @Test func restHasNoCategory() {
        var json = Samples.block("r", category: nil, kind: .rest).json
        json["category"] = "Work"
        let error = #expect(throws: AppFormatError.self) { try BlockInstance(json: json) }
        #expect(error?.message == "a rest has no category; expected null")
    }

    @Test(arguments: [[0], [8], [1, 1], ["1"], 1, [.number(JSONNumber(1.5) ?? JSONNumber(0))]] as [JSONValue])
    func weekdaysAreISO(days: JSONValue) {
        var json = Samples.session("A").json
        json["scheduledDaysOfWeek"] = days
        let error = #expect(throws: AppFormatError.self) { try SessionTemplate(json: json) }
        #expect(error?.pointer?.description == "/scheduledDaysOfWeek")
    }

    @Test(arguments: ["2026-02-30T00:00:00Z", "yesterday", ""])
    func historyNeedsARealMoment(text: String) {
        var json = Samples.entry("2026-01-01T00:00:00Z").json
        json["completedAt"] = .string(text)
        #expect(throws: AppFormatError.self) { try SessionHistoryEntry(json: json) }
    }

    @Test func lengthsAreAddedWithoutOverflow() {
        var session = Samples.session("A", [Samples.block(), Samples.block()])
        #expect(session.totalSeconds == 120)
        session.items[0].timing = .reps(count: 12, secondsEach: 4)
        #expect(session.totalSeconds == 108)
        session.items[0].timing = .duration(seconds: .max)
        #expect(session.totalSeconds == nil)
        session.items[0].timing = .reps(count: .max, secondsEach: 2)
        #expect(session.totalSeconds == nil)
        session.items = []
        #expect(session.totalSeconds == 0)
    }
}
