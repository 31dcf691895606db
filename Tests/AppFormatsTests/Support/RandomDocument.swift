import StrictJSON
import TestSupport

/// Valid `.bztimer` documents of each version, with all that may go wrong in a migration: unknown members at every level,
/// some of them with names that other versions give a meaning, and members `x-preserved` of every form.
struct RandomDocument {
    var random: SeededGenerator
    private var nextID = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func document(version: Int) -> JSONValue {
        switch version {
        case 1: return .object(session(version: 1))
        case 2:
            var object: JSONObject = ["format": "bztimer", "version": 2]
            if random.chance(80) { object["exportedAt"] = "2025-03-09T06:58:12.406Z" }
            object["session"] = .object(session(version: 2))
            addUnknown(to: &object, ["generator", "categories", "sessions", "activities"])
            return .object(object)
        default:
            var object: JSONObject = ["format": "bztimer", "version": .number(version)]
            if random.chance(80) { object["generator"] = string() }
            if random.chance(80) { object["exportedAt"] = "2025-11-02T17:20:00+01:00" }
            object["categories"] = .array(distinct(["Knee", "knee", "Übung", "Idle", "Exercise"]))
            object["sessions"] = [.object(session(version: version))]
            if random.chance(40) {
                object["activities"] = .array(several { .object($0.block(version: version, isTemplate: true)) })
            }
            addUnknown(to: &object, ["session"])
            return .object(object)
        }
    }

    private mutating func session(version: Int) -> JSONObject {
        var object: JSONObject = ["id": id(), "name": string()]
        object["items"] = .array(several { .object($0.block(version: version, isTemplate: false)) })
        if random.chance(version == 1 ? 10 : 50) { object["tags"] = .array(several { $0.string() }) }
        if random.chance(50) { object["scheduledDaysOfWeek"] = .array(distinct([1, 2, 3, 7])) }
        addUnknown(to: &object, version == 1 ? ["session", "sessions", "exportedAt", "envelope"] : ["envelope"])
        return object
    }

    private mutating func block(version: Int, isTemplate: Bool) -> JSONObject {
        let type = isTemplate ? "activity" : random.pick(["activity", "activity", "rest", "transition"])
        let mode = random.pick(["duration", "reps"])
        var object: JSONObject = ["id": id()]
        if !isTemplate, random.chance(30) { object["templateId"] = random.pick([.null, "t1"]) }
        object["label"] = string()
        object["type"] = .string(type)
        object["mode"] = .string(mode)
        for name in ["durationSeconds", "reps", "perRepSeconds"] {
            if (name == "durationSeconds") == (mode == "duration") {
                object[name] = random.pick([1, 30, 86_400])
            } else if version == 1 {
                object[name] = random.pick([0, 0, 0, 12, -1, .number(JSONNumber(2.5) ?? JSONNumber(0))])
            }
        }
        if version > 1 || random.chance(20) {
            let categories: [JSONValue] = ["Exercise", "Uncategorized", "Knee", "knee", "Übung", .null]
            object["category"] =
                type == "activity" ? random.pick(categories) : version == 1 ? random.pick(categories) : .null
        }
        if random.chance(20) { object["color"] = string() }
        addUnknown(to: &object, [])
        return object
    }

    // MARK: Unknown members

    private mutating func addUnknown(to object: inout JSONObject, _ tempting: [String]) {
        for name in ["x", "unknown é", "unknown e\u{301}", "1"] + tempting
        where random.chance(15) && object[name] == nil {
            object[name] = value(depth: 2)
        }
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
        let names = [
            "reps", "perRepSeconds", "durationSeconds", "category", "tags", "envelope", "generator", "session", "y",
        ]
        for name in names where random.chance(25) {
            object[name] = random.pick([
                0, 5, true, .null, "Knee", "Uncategorized", "", " ", ["a"], ["exportedAt": "soon"], ["k": 1],
            ])
        }
        if random.chance(10) { object["aside"] = .object(parked()) }
        for name in ["activities", "categories"] where random.chance(15) {
            object[name] = random.pick([
                [], ["Knee"], [1], 7, ["listed": ["Idle"], "used": []],
                ["listed": ["Idle", "Knee"], "used": ["Knee"]],
                [Self.activity], [Self.activity, Self.activity],
            ])
        }
        return object
    }

    private static let activity: JSONValue = [
        "id": "a", "label": "Plank", "type": "activity", "mode": "duration", "durationSeconds": 5, "category": "Knee",
    ]

    // MARK: Values

    private mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2: .number(Int.random(in: -9...9_007_199_254_740_991, using: &random))
        case 3: .number(JSONNumber(0.25) ?? JSONNumber(0))
        case 4: string()
        case 5: .array(several { $0.value(depth: depth - 1) })
        default: ["a": value(depth: depth - 1), "": value(depth: depth - 1)]
        }
    }

    private mutating func string() -> JSONValue {
        random.pick([
            "Run", "é", "e\u{301}", "\u{1F9D8}\u{200D}\u{2640}\u{FE0F}", "a\"b\\c\n\u{2028}", "\u{FFFF}", "𝄞", "ſß",
        ])
    }

    private mutating func id() -> JSONValue {
        nextID += 1
        return .string("id-\(nextID)")
    }

    private mutating func several(_ make: (inout Self) -> JSONValue) -> [JSONValue] {
        var values: [JSONValue] = []
        for _ in 0..<Int.random(in: 0...4, using: &random) { values.append(make(&self)) }
        return values
    }

    private mutating func distinct(_ choices: [JSONValue]) -> [JSONValue] {
        var values: [JSONValue] = []
        for choice in choices where random.chance(40) { values.append(choice) }
        return values
    }
}
