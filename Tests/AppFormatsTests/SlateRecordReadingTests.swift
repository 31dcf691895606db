import FormatKit
import Slate
import StrictJSON
import Testing

/// Checking a record alone and checking a document of only that record give the same.
@Suite struct SlateRecordReadingTests {
    private static let records: [String: JSONObject] = [
        "": ["storage": ["a": "b"]],
        "meta": [
            "schema_version": "2", "last_open_date": "2026-01-02", "day_start": "04:00",
            "installed_at": "2025-09-22T15:04:05-07:00",
        ],
        "tasks": [
            "id": "t1", "title": "Water the plants", "notes": nil, "due_date": "2026-01-02", "scheduled_for": nil,
            "is_done": true, "done_at": "2026-01-02T10:00:00Z", "created_at": "2026-01-01T10:00:00Z",
            "updated_at": "2026-01-02T10:00:00Z", "archived": 0, "depends_on_task_id": "t2",
        ],
        "habits": [
            "id": "h1", "title": "Walk", "notes": "daily", "active": true, "reminder_time": "08:30",
            "created_at": "2026-01-01T10:00:00Z", "updated_at": "2026-01-02T10:00:00Z",
        ],
        "habit_completions": [
            "id": "c1", "habit_id": "h1", "date": "2026-01-02", "completed_at": "2026-01-02T10:00:00Z",
        ],
        "day_plan": ["date": "2026-01-02", "perfect_day": 1],
        "day_plan_items": ["id": "i1", "date": "2026-01-02", "entity_type": "task", "entity_id": "t1"],
        "activity_log": [
            "id": "l1", "timestamp": "2026-01-02T10:00:00Z", "entity_type": "habit", "entity_id": "h1",
            "action_type": "completed", "details": ["from": nil],
        ],
        "day_snapshots": [
            "date": "2026-01-02", "day_plan_tasks": [["id": "t1"]], "slate_tasks": "no list", "habits": nil,
            "completed_task_ids": ["t1"], "completed_habit_ids": [],
        ],
    ]

    private static let values: [JSONValue] = [
        nil, true, 0, 1, 2, -7, .number(JSONNumber(validToken: "1.5")), "", "x", "2026-02-30", "2026-02-28",
        "2026-02-28T25:00:00Z", "2026-02-28T23:00:00Z", "24:00", "23:59", "task", "é\u{0}\"\\\n😀", [], ["x"], [:],
        ["a": ["b": [1]]],
    ]

    @Test(arguments: records.keys.sorted())
    func aRecordAloneIsJudgedAsInADocument(collection: String) throws {
        let record = try #require(Self.records[collection])
        #expect(RecordReading.slateFault(of: record, in: collection) == nil)
        #expect(SlateRecordCheck.isSurelyValid(record, in: collection) == !collection.isEmpty)
        var variants: [JSONObject] = [[:], record]
        for name in record.names + ["unknown", "x-preserved"] {
            variants += Self.values.map { value in
                var variant = record
                variant[name] = value
                return variant
            }
            var variant = record
            variant[name] = nil
            variants.append(variant)
        }
        for variant in variants { compare(variant, collection) }
    }

    /// The document has two more levels than a row and one more than the settings.
    @Test(arguments: ["tasks", "meta"])
    func nestingIsLimitedAlike(collection: String) throws {
        var record = try #require(Self.records[collection])
        for depth in 120...132 {
            record["deep"] = (0..<depth).reduce(JSONValue.null) { value, _ in .array([value]) }
            compare(record, collection)
        }
    }

    @Test func manyNamesAndLargeRecordsAreJudgedAlike() throws {
        var record = try #require(Self.records["tasks"])
        for number in 0..<3_000 {
            var variant = record
            variant["name \(number)"] = .string("\(number)")
            if number.isMultiple(of: 500) { variant["title"] = .number(number) }
            if number.isMultiple(of: 50) { compare(variant, "tasks") }
            #expect(SlateRecordCheck.isSurelyValid(variant, in: "tasks") == !number.isMultiple(of: 500))
        }
        record["notes"] = .string(String(repeating: "long ", count: 300_000))
        compare(record, "tasks")
        record["notes"] = "short"
        compare(record, "tasks")
    }

    @Test func anUnknownCollectionHasNoFault() {
        compare(["id": 1], "laps")
        #expect(RecordReading.slateFault(of: ["id": 1], in: "laps") == nil)
    }

    private func compare(_ record: JSONObject, _ collection: String) {
        let slow = RecordReading.slateFaultOfDocument(record, in: collection)
        let text = JSONValue.object(record).text(.compact).prefix(300)
        #expect(RecordReading.slateFault(of: record, in: collection) == slow, "\(collection): \(text)")
        let isSmall = JSONValue.object(record).encoded(.compact).count < 1 << 20
        guard !collection.isEmpty, collection != "laps", isSmall else { return }
        #expect(SlateRecordCheck.isSurelyValid(record, in: collection) == (slow == nil), "\(collection): \(text)")
    }
}
