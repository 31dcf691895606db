import StrictJSON
import TestSupport

/// Valid exports of Slate of each version, as the schemas have it, with all that may go wrong in a migration.
///
/// That is unknown members at every level, some with the names that the other version gives a meaning, and members
/// `x-preserved` of every form. References and unique values are not heeded, as a migration does not look at them.
struct RandomSlateDocument {
    var random: SeededGenerator
    private var nextID = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document(version: Int) -> JSONValue {
        var object: JSONObject = ["schema_version": .number(version), "exported_at": stamp()]
        object["meta"] = .object(meta())
        object["tasks"] = .array(several { .object($0.task(version: version)) })
        object["habits"] = .array(several { .object($0.habit()) })
        object["habit_completions"] = .array(
            several { source in
                var row: JSONObject = ["id": source.id(), "habit_id": "id-1", "date": source.day()]
                if source.random.chance(80) { row["completed_at"] = source.stamp() }
                source.addUnknown(to: &row, [])
                return .object(row)
            }
        )
        object["day_plan"] = .array(several { ["date": $0.day(), "perfect_day": $0.flag()] })
        object["day_plan_items"] = .array(
            several { ["id": $0.id(), "date": $0.day(), "entity_type": "task", "entity_id": $0.id()] }
        )
        if version > 1 {
            object["activity_log"] = .array(several { $0.logEntry() })
            object["day_snapshots"] = .array(several { $0.snapshot() })
        }
        addUnknown(to: &object, version == 1 ? ["activity_log", "day_snapshots"] : [])
        return .object(object)
    }

    // MARK: Rows

    private mutating func meta() -> JSONObject {
        var meta: JSONObject = [:]
        if random.chance(50) { meta["schema_version"] = random.pick(["1", "2", 2, .null]) }
        if random.chance(50) { meta["day_start"] = random.pick(["04:00", .null]) }
        addUnknown(to: &meta, ["activity_log"])
        return meta
    }

    private mutating func task(version: Int) -> JSONObject {
        var task: JSONObject = ["id": id(), "title": string()]
        if random.chance(50) { task["notes"] = random.pick([.null, string()]) }
        if random.chance(50) { task["due_date"] = random.pick([.null, day()]) }
        if random.chance(50) { task["is_done"] = flag() }
        if random.chance(80) { task["created_at"] = stamp() }
        if version > 1, random.chance(70) { task["depends_on_task_id"] = random.pick([.null, "id-1", string()]) }
        addUnknown(to: &task, version == 1 ? ["depends_on_task_id"] : [])
        return task
    }

    private mutating func habit() -> JSONObject {
        var habit: JSONObject = ["id": id(), "title": string(), "active": flag()]
        if random.chance(50) { habit["reminder_time"] = random.pick([.null, "08:00"]) }
        addUnknown(to: &habit, ["depends_on_task_id"])
        return habit
    }

    private mutating func logEntry() -> JSONValue {
        var entry: JSONObject = [
            "id": id(), "timestamp": stamp(), "entity_type": "habit", "entity_id": id(), "action_type": "completed",
        ]
        if random.chance(70) { entry["details"] = random.pick([.null, [:], ["from": value(depth: 2)]]) }
        addUnknown(to: &entry, [])
        return .object(entry)
    }

    private mutating func snapshot() -> JSONValue {
        var row: JSONObject = ["date": day()]
        if random.chance(70) { row["day_plan_tasks"] = random.pick([.null, [.object(task(version: 2))]]) }
        if random.chance(70) { row["habits"] = random.pick([.null, [.object(habit())]]) }
        if random.chance(70) { row["completed_task_ids"] = [id()] }
        addUnknown(to: &row, ["activity_log"])
        return .object(row)
    }

    // MARK: Unknown members

    private mutating func addUnknown(to object: inout JSONObject, _ tempting: [String]) {
        for name in ["x", "unknown é", "unknown e\u{301}", "2"] where random.chance(12) && object[name] == nil {
            object[name] = value(depth: 2)
        }
        for name in tempting where random.chance(30) && object[name] == nil { object[name] = parkedValue() }
        if random.chance(35) { object["x-preserved"] = preserved(depth: 2) }
    }

    /// Foreign values of that name, and some of the very form that a migration writes.
    private mutating func preserved(depth: Int) -> JSONValue {
        guard depth > 0, random.chance(75) else {
            return random.pick([.null, "text", [], [:], 1, ["own": 1], ["2": [:]]])
        }
        var object = JSONObject()
        for key in ["1", "2", "3", "own", "01", "x"] where random.chance(25) {
            object[key] = key == "own" || random.chance(20) ? preserved(depth: depth - 1) : .object(parked())
        }
        if random.chance(40) { object["aside"] = aside(depth: 3) }
        return .object(object)
    }

    /// Also values that would fit the object, and members "aside" within each other.
    private mutating func aside(depth: Int) -> JSONValue {
        var object = random.chance(60) ? parked() : JSONObject()
        if depth > 0, random.chance(40) { object["aside"] = aside(depth: depth - 1) }
        return .object(object)
    }

    private mutating func parked() -> JSONObject {
        var object = JSONObject()
        for name in ["depends_on_task_id", "activity_log", "day_snapshots", "y"] where random.chance(40) {
            object[name] = parkedValue()
        }
        if random.chance(10) { object["aside"] = .object(parked()) }
        return object
    }

    private mutating func parkedValue() -> JSONValue {
        random.pick([
            false, true, .null, "", "id-1", 7, [], [:], [1], [Self.entry], [Self.entry, 1],
            [["date": "2026-02-28", "habits": nil, "x": 1]], ["date": "2026-02-28"], [["date": "2026-02-30"]],
            value(depth: 2),
        ])
    }

    private static let entry: JSONValue = [
        "id": "e", "timestamp": "2025-09-22T15:04:05Z", "entity_type": "task", "entity_id": "a", "action_type": "done",
    ]

    // MARK: Values

    private mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: .number(Int.random(in: -9...9_007_199_254_740_993, using: &random))
        case 3: .number(JSONNumber(0.25) ?? JSONNumber(0))
        case 4: string()
        case 5: .array(several { $0.value(depth: depth - 1) })
        default: ["a": value(depth: depth - 1), "": value(depth: depth - 1)]
        }
    }

    private mutating func string() -> JSONValue {
        random.pick([
            "Run", "é", "e\u{301}", "\u{1F9D8}\u{200D}\u{2640}\u{FE0F}", "a\"b\\c\n\u{2028}", "\u{FFFF}", "לחם",
        ])
    }

    private mutating func id() -> JSONValue {
        nextID += 1
        return .string("id-\(nextID)")
    }

    private mutating func day() -> JSONValue { random.pick(["2025-09-22", "2024-02-29", "2026-03-08"]) }

    private mutating func stamp() -> JSONValue {
        random.pick(["2025-09-22T15:04:05-07:00", "2025-12-31T23:59:60Z", "2026-01-01T00:00:00.125+14:00"])
    }

    private mutating func flag() -> JSONValue { random.pick([true, false, 0, 1]) }

    private mutating func several(_ make: (inout Self) -> JSONValue) -> [JSONValue] {
        var values: [JSONValue] = []
        for _ in 0..<Int.random(in: 0...3, using: &random) { values.append(make(&self)) }
        return values
    }
}
