import BZTimer
import TestSupport
import TimeTracker
import Slate
import RecordMerge
import StrictJSON
import Testing

/// Showing the records that a change concerns has to give what showing all records gives.
@Suite struct LinksTests {
    /// The records of a state with their links, found by looking at all of them.
    private struct AllLinks: LinkedRecords {
        var links: [RecordKey: RecordLinks] = [:]

        init(_ state: MergeState, _ schema: MergeSchema, _ domain: MergeDomain) {
            for (key, record) in state.records {
                links[key] = domain.links(key, ResolvedRecord(key, record, schema.record(in: key.collection)))
            }
        }

        func links(_ key: RecordKey) -> RecordLinks? { links[key] }

        func keys(referringTo text: String) -> [RecordKey] {
            links.filter { $0.value.references.contains(text) }.map(\.key)
        }

        func keys(named text: String) -> [RecordKey] {
            links.filter { $0.value.names.contains { $0.text == text } }.map(\.key)
        }
    }

    private struct App: Sendable {
        let name: String
        let domain: MergeDomain
        let schema: MergeSchema
        let edit: @Sendable (inout RecordSet, inout SeededGenerator) -> Void
    }

    private func apps() throws -> [App] {
        [
            App(name: "slate", domain: .slate, schema: try Schemas.slate(), edit: Self.editSlate),
            App(name: "tracker", domain: .tracker, schema: try Schemas.tracker(), edit: Self.editTracker),
            App(name: "bztimer", domain: .bztimer, schema: try Schemas.store(), edit: Self.editTimer),
        ]
    }

    @Test(arguments: ["slate", "tracker", "bztimer"])
    func `what is shown together is shown as all is`(name: String) throws {
        let app = try #require(try apps().first { $0.name == name })
        var told: Set<Conflict.Kind> = []
        var leftOut = 0
        for seed in 1...60 {
            var world = World(app, seed: UInt64(seed))
            for step in 0..<12 {
                try world.step()
                let (before, after) = try world.synchronise()
                let failure = try Self.difference(before, after, app, &leftOut)
                told.formUnion(ResolvedSet(after, app.schema, app.domain).conflicts.map(\.kind))
                if let failure {
                    Issue.record("seed \(seed), step \(step): \(failure)")
                    return
                }
            }
        }
        // Else nothing was tried.
        #expect(leftOut > 1000)
        #expect(told.contains(.repaired) || name == "bztimer", "\(told)")
    }

    @Test(arguments: ["slate", "tracker"])
    func `who refers to nothing that is there is shown as by himself`(name: String) throws {
        let app = try #require(try apps().first { $0.name == name })
        var (alone, entangled) = (0, 0)
        for seed in 1...40 {
            var world = World(app, seed: UInt64(seed))
            for step in 0..<12 {
                try world.step()
                let state = try world.synchronise().1
                let links = AllLinks(state, app.schema, app.domain)
                let all = ResolvedSet(state, app.schema, app.domain)
                for (key, record) in state.records where app.schema.collection(key.collection)?.rule != .list {
                    let own = try #require(links.links(key))
                    guard app.domain.isShownAlone(own, { !links.keys(named: $0).isEmpty }) else {
                        entangled += 1
                        continue
                    }
                    alone += 1
                    let shown = ResolvedRecord(key, record, app.schema.record(in: key.collection))
                    let conflicts = all.conflicts.filter { $0.key == key }
                    #expect(all.records.objects[key] == shown.object, "seed \(seed), step \(step): \(key)")
                    #expect(conflicts == shown.conflicts, "seed \(seed), step \(step): \(key)")
                }
            }
        }
        #expect(alone > 500 && entangled > 500, "\(alone) alone, \(entangled) not")
    }

    /// What differs between showing all and showing what has to be shown together.
    private static func difference(
        _ before: MergeState,
        _ after: MergeState,
        _ app: App,
        _ leftOut: inout Int
    ) throws -> String? {
        let old = AllLinks(before, app.schema, app.domain)
        let new = AllLinks(after, app.schema, app.domain)
        var changed: [RecordKey: RecordLinks] = [:]
        for key in Set(before.records.keys).union(after.records.keys) where before.record(key) != after.record(key) {
            changed[key] = old.links(key) ?? RecordLinks()
        }
        let keys = try app.domain.resolvedTogether(changed, in: new)
        let some = ResolvedSet(after.records.filter { keys.contains($0.key) }, app.schema, app.domain)
        let all = ResolvedSet(after, app.schema, app.domain)
        let earlier = ResolvedSet(before, app.schema, app.domain)
        for key in Set(before.records.keys).union(after.records.keys) {
            let isSome = keys.contains(key)
            if !isSome { leftOut += 1 }
            let expected = all.records.objects[key]
            let found = isSome ? some.records.objects[key] : changed[key] == nil ? earlier.records.objects[key] : nil
            if text(expected) != text(found) {
                return "\(key) \(isSome ? "together" : "left out"): expected \(text(expected)), found \(text(found))"
            }
            let conflicts = (isSome || changed[key] != nil ? some : earlier).conflicts.filter { $0.key == key }
            if conflicts != all.conflicts.filter({ $0.key == key }) { return "\(key): \(told(conflicts))" }
        }
        return nil
    }

    private static func text(_ object: JSONObject?) -> String {
        object.map { JSONValue.object($0).text(.compact) } ?? "nothing"
    }

    /// Devices that edit and hear of each other now and then.
    private struct World {
        let app: App
        var devices: [Device]
        var changes: [Change] = []
        var dice: SeededGenerator
        var now = 0

        init(_ app: App, seed: UInt64) {
            self.app = app
            dice = SeededGenerator(seed: seed)
            devices = ["a", "b", "c"].map { Device($0, app.schema, app.domain) }
        }

        mutating func step() throws {
            for _ in 0..<3 {
                let index = dice.below(devices.count)
                for _ in 0...dice.below(3) { app.edit(&devices[index].store, &dice) }
                now += dice.below(3)
                if let change = try devices[index].detectChanges(now: now) { changes.append(change) }
            }
        }

        /// Brings one device up to date, as far as it is told; returns its state before and after.
        mutating func synchronise() throws -> (MergeState, MergeState) {
            let index = dice.below(devices.count)
            let before = devices[index].state
            app.edit(&devices[index].store, &dice)
            if let change = try devices[index].detectChanges(now: now) { changes.append(change) }
            try devices[index].receive(changes.filter { _ in dice.chance(70) })
            return (before, devices[index].state)
        }
    }

    private static func editSlate(_ store: inout RecordSet, _ dice: inout SeededGenerator) {
        let task = RecordKey("tasks", "t\(dice.below(6))")
        let other = "t\(dice.below(6))"
        switch dice.below(8) {
        case 0: store[task] = nil
        case 1: store[RecordKey("habits", "h\(dice.below(2))")] = nil
        case 2: store[RecordKey("habits", "h\(dice.below(2))")] = ["id": "h", "name": .string("n\(dice.below(3))")]
        case 3:
            let kind = dice.chance(40) ? "habit" : "task"
            let entity = kind == "habit" ? "h\(dice.below(2))" : other
            let key = JSONValue.array(["2025-01-01", .string(kind), .string(entity)]).text(.canonical)
            store[RecordKey("day_plan_items", key)] = [
                "id": .string("p\(dice.below(9))"), "date": "2025-01-01", "entity_type": .string(kind),
                "entity_id": .string(entity), "position": .number(dice.below(4)),
            ]
        case 4: store[task] = ["id": .string(task.key), "title": .string("title \(dice.below(5))")]
        default:
            var object = store[task] ?? ["id": .string(task.key), "title": "new"]
            object["depends_on_task_id"] = dice.chance(20) ? .null : .string(other)
            store[task] = object
        }
    }

    private static func editTracker(_ store: inout RecordSet, _ dice: inout SeededGenerator) {
        let activity = RecordKey("activities", "\(dice.below(9))")
        // Two devices make one default button under its name, each with an identifier of its own.
        let name = ["Sleep", "Work", "Meal"][dice.below(3)]
        let button = RecordKey("buttons", JSONValue.array([.string(name)]).text(.canonical))
        switch dice.below(8) {
        case 0: store[activity] = nil
        case 1 where dice.chance(40): store[button] = nil
        case 2...3:
            let new: JSONObject = ["id": .string("i\(dice.below(4))"), "name": .string(name), "isDefault": true]
            var object = store[button] ?? new
            object["color"] = .string("#\(dice.below(3))")
            if dice.chance(15) { object["id"] = .string("i\(dice.below(4))") }
            store[button] = object
        case 4: store.move(button, to: dice.below(3))
        default:
            var object = store[activity] ?? ["id": .string(activity.key), "name": "x"]
            object["startTime"] = .string("2025-01-01T0\(dice.below(10)):00:00Z")
            object["endTime"] = dice.chance(50) ? .null : "2025-01-02T00:00:00Z"
            object["buttonId"] = .string("i\(dice.below(4))")
            store[activity] = object
        }
    }

    private static func editTimer(_ store: inout RecordSet, _ dice: inout SeededGenerator) {
        let session = RecordKey("sessions", "s\(dice.below(4))")
        let entry = RecordKey("history", "h\(dice.below(12))")
        switch dice.below(5) {
        case 0: store[session] = nil
        case 1: store[session] = ["id": .string(session.key), "name": .string("n\(dice.below(4))")]
        default: store[entry] = ["id": .string(entry.key), "sessionId": .string("s\(dice.below(4))")]
        }
    }

    @Test func `the order of a collection follows from its records' places`() throws {
        let app = try #require(try apps().first { $0.name == "tracker" })
        var world = World(app, seed: 7)
        for _ in 0..<40 {
            try world.step()
            _ = try world.synchronise()
        }
        let state = world.devices[0].state
        let rules = app.schema.record(in: "buttons")
        let places = state.records.filter { $0.key.collection == "buttons" }
            .map { RecordPlace($0.key, ResolvedRecord($0.key, $0.value, rules).place) }
        #expect(places.count == 3)
        #expect(places.sorted().map(\.key.key) == ResolvedSet(state, app.schema, .tracker).records.order["buttons"])
    }
}
