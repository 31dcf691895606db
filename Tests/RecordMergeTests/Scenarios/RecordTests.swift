import Slate
import RecordMerge
import StrictJSON
import Testing

/// The scenarios of folder sync that concern whole records and devices.
@Suite struct RecordScenarioTests {
    private let key = RecordKey("tasks", "t1")
    private let other = RecordKey("tasks", "t2")

    private func some(_ names: [String]) throws -> [Device] {
        let tasks: [JSONObject] = [["id": "t1", "title": "Milk", "notes": "two"], ["id": "t2", "title": "Bread"]]
        return try devices(names, try Schemas.slate(), RecordSet("tasks", tasks), .slate)
    }

    @Test func `29 a record that one deletes and another changes survives whole and is flagged`() throws {
        var devices = try some(["a", "b", "c"])
        devices[0].store[key] = nil
        devices[1].store.objects[key]?["title"] = "Oat milk"
        try exchange(&devices, at: [999, 1, 1])
        #expect(devices[2].store[key] == ["id": "t1", "title": "Oat milk", "notes": "two"])
        #expect(told(devices[2].conflicts) == ["deleted-record tasks t1"])
        // Whoever writes it having seen that, decides.
        devices[2].store.objects[key]?["title"] = "kept"
        try exchange(&devices)
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `29 who changes what came back of a record takes no member from it that others kept`() throws {
        var devices = try some(["a", "b", "c"])
        devices[0].store.objects[key]?["title"] = "Oat milk"
        let renamed = try #require(try devices[0].detectChanges())
        try devices[2].receive([renamed])
        devices[0].store[key] = nil
        let deleted = try #require(try devices[0].detectChanges())
        // One who knows neither of these changes it, so that it comes back as it was before.
        devices[1].store.objects[key]?["notes"] = "three"
        let changed = try #require(try devices[1].detectChanges())
        try devices[0].receive([changed])
        #expect(devices[0].store[key]?["title"] == "Milk")
        devices[0].store.objects[key]?["due_date"] = "2026-01-01"
        let dated = try #require(try devices[0].detectChanges())
        devices[2].store.objects[key]?["scheduled_for"] = "2026-01-02"
        let scheduled = try #require(try devices[2].detectChanges())
        for index in devices.indices {
            try devices[index].receive([renamed, deleted, changed, dated, scheduled])
            #expect(devices[index].store[key]?["title"] == "Oat milk")
            #expect(devices[index].document == devices[0].document)
        }
    }

    @Test func `29 a contested record that one deletes again and another changes again is flagged again`() throws {
        var devices = try some(["a", "b", "c"])
        for title in ["Oat milk", "Soy milk", "Rice milk"] {
            devices[0].store.objects[key]?["title"] = .string(title)
            devices[1].store[key] = nil
            try exchange(&devices)
            #expect(devices[2].store[key]?["title"] == .string(title))
            #expect(told(devices[2].conflicts) == ["deleted-record tasks t1"])
        }
        devices[1].store[key] = nil
        try exchange(&devices)
        #expect(devices[0].store[key] == nil)
    }

    @Test func `29 a contested record that one keeps and another lets go is flagged again`() throws {
        var devices = try some(["a", "b"])
        devices[0].store.objects[key]?["title"] = "Oat milk"
        devices[1].store[key] = nil
        try exchange(&devices)
        let kept = try #require(try devices[0].detectChanges(decided: [key: [[]]]))
        devices[1].store[key] = nil
        let removed = try #require(try devices[1].detectChanges())
        for index in 0...1 { try devices[index].receive([kept, removed]) }
        for device in devices { #expect(told(device.conflicts) == ["deleted-record tasks t1"]) }
        // Who keeps it then, having seen both, ends it.
        let applied = try #require(try devices[1].detectChanges(decided: [key: [[]]]))
        try devices[0].receive([applied])
        for device in devices {
            #expect(device.conflicts.isEmpty)
            #expect(device.store[key]?["title"] == "Oat milk")
        }
    }

    @Test func `29 a deletion that saw the change wins`() throws {
        var devices = try some(["a", "b"])
        devices[1].store.objects[key]?["title"] = "Oat milk"
        try exchange(&devices)
        devices[0].store[key] = nil
        try exchange(&devices)
        #expect(devices[1].store[key] == nil)
        #expect(devices[1].state.record(key) == nil)
    }

    @Test func `30 a record that both delete stays deleted, and one that comes back is new`() throws {
        var devices = try some(["a", "b"])
        for index in 0...1 { devices[index].store[key] = nil }
        try exchange(&devices)
        #expect(devices[0].store[key] == nil)
        #expect(devices[0].conflicts.isEmpty)
        devices[0].store[key] = ["id": "t1", "title": "Milk", "notes": "two"]
        try exchange(&devices)
        #expect(devices[1].store[key]?["title"] == "Milk")
        #expect(devices[1].conflicts.isEmpty)
    }

    @Test func `30 a deletion that is undone between two synchronisations is no change`() throws {
        var devices = try some(["a", "b"])
        let task = devices[0].store[key]
        devices[0].store[key] = nil
        devices[0].store[key] = task
        #expect(try devices[0].detectChanges() == nil)
    }

    @Test func `31 a session that one deletes and another adds a block to survives with all blocks`() throws {
        let session = RecordKey("sessions", "s")
        let items: JSONValue = [["id": "1", "label": "one"], ["id": "2", "label": "two"]]
        var devices = try devices(
            ["a", "b"],
            try Schemas.bztimer(),
            RecordSet("sessions", [["id": "s", "name": "Legs", "items": items]])
        )
        devices[0].store[session] = nil
        devices[1].store.objects[session]?["items"] = [
            ["id": "1", "label": "one"], ["id": "3", "label": "three"], ["id": "2", "label": "two"],
        ]
        try exchange(&devices)
        #expect(devices[0].store[session]?["items"]?.array?.map { $0["id"] } == ["1", "3", "2"])
        #expect(told(devices[0].conflicts) == ["deleted-record sessions s"])
    }

    @Test func `31 a plan item of a deleted task is held, not shown, and comes back with it`() throws {
        var devices = try some(["a", "b"])
        let item = RecordKey("day_plan_items", #"["2025-01-01","task","t1"]"#)
        devices[0].store[key] = nil
        devices[1].store[item] = ["id": "p", "date": "2025-01-01", "entity_type": "task", "entity_id": "t1"]
        try exchange(&devices)
        #expect(devices[0].store[item] == nil)
        #expect(devices[0].state.record(item) != nil)
        #expect(try devices[0].detectChanges() == nil)
        devices[0].store[key] = ["id": "t1", "title": "again"]
        try exchange(&devices)
        #expect(devices[1].store[item] != nil)
    }

    @Test func `36 a circle that two devices make is cut at one edge and flagged`() throws {
        var devices = try some(["a", "b"])
        devices[0].store.objects[key]?["depends_on_task_id"] = "t2"
        devices[1].store.objects[other]?["depends_on_task_id"] = "t1"
        try exchange(&devices, at: [10, 20])
        #expect(devices[0].store[key]?["depends_on_task_id"] == "t2")
        #expect(devices[0].store[other]?["depends_on_task_id"] == .null)
        #expect(told(devices[0].conflicts) == ["repaired tasks t2 depends_on_task_id"])
        // The repair is no change.
        #expect(try devices[0].detectChanges() == nil)
        #expect(try devices[1].detectChanges() == nil)
        devices[0].store.objects[key]?["depends_on_task_id"] = .null
        try exchange(&devices)
        #expect(devices[0].store[other]?["depends_on_task_id"] == "t1")
    }

    @Test func `38 a habit that both tick on one day is one completion`() throws {
        var devices = try some(["a", "b"])
        let tick = RecordKey("habit_completions", #"["h","2025-01-01"]"#)
        devices[0].store[tick] = [
            "id": "z", "habit_id": "h", "date": "2025-01-01", "completed_at": "2025-01-01T08:00:00Z",
        ]
        devices[1].store[tick] = [
            "id": "y", "habit_id": "h", "date": "2025-01-01", "completed_at": "2025-01-01T07:00:00Z",
        ]
        try exchange(&devices)
        #expect(devices[0].store.order["habit_completions"]?.count == 1)
        #expect(devices[0].store[tick]?["id"] == "y")
        #expect(devices[0].store[tick]?["completed_at"] == "2025-01-01T07:00:00Z")
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `23 a device that was away for five years brings nothing back`() throws {
        var devices = try some(["a", "b", "c"])
        var away = devices.removeLast()
        for round in 0..<50 {
            devices[round % 2].store.objects[other]?["title"] = .string("title \(round)")
            if round == 20 { devices[0].store[key] = nil }
            try exchange(&devices)
        }
        away.store.objects[other]?["notes"] = "from long ago"
        let late = try #require(try away.detectChanges(now: 3))
        // The others kept a checkpoint only.
        let checkpoint = try MergeState(decoding: devices[0].state.encoded())
        try away.receive(checkpoint, devices[0].clock)
        for index in 0...1 { try devices[index].receive([late]) }
        #expect(away.store[key] == nil)
        #expect(away.store[other]?["title"] == "title 49")
        #expect(away.store[other]?["notes"] == "from long ago")
        #expect(away.state.encoded() == devices[0].state.encoded())
    }

    @Test func `24 a device that is gone for ever blocks nothing`() throws {
        var devices = try some(["a", "b", "c"])
        devices[2].store.objects[key]?["title"] = "never published"
        devices.removeLast()
        devices[0].store[key] = nil
        try exchange(&devices)
        #expect(devices[1].store[key] == nil)
        #expect(!String(decoding: devices[1].state.encoded(), as: UTF8.self).contains("t1"))
    }

    @Test func `25 two devices that began apart have no duplicates once they are joined`() throws {
        let schema = try Schemas.slate()
        var a = Device("a", schema, .slate)
        var b = Device("b", schema, .slate)
        let tasks: [JSONObject] = [["id": "t1", "title": "Milk"], ["id": "t2", "title": "Bread"]]
        a.store = RecordSet("tasks", tasks)
        b.store = RecordSet("tasks", tasks)
        b.store.objects[key]?["title"] = "Oat milk"
        var both = [a, b]
        try exchange(&both)
        #expect(both[0].store.order["tasks"] == ["t1", "t2"])
        #expect(told(both[0].conflicts) == ["value tasks t1 title"])
    }

    @Test func `20 idle devices detectChanges nothing`() throws {
        var devices = try some(["a", "b"])
        devices[0].store.objects[key]?["title"] = "x"
        try exchange(&devices)
        for index in 0...1 {
            #expect(try devices[index].detectChanges() == nil)
            devices[index].show()
            #expect(try devices[index].detectChanges() == nil)
        }
    }

    @Test func `19 a store that was set back is detected as edits`() throws {
        var devices = try some(["a", "b"])
        let backup = devices[0].store
        devices[1].store.objects[key]?["title"] = "newer"
        try exchange(&devices)
        devices[0].store = backup
        let change = try #require(try devices[0].detectChanges())
        // What a guard against mass changes counts.
        #expect(change.changeCount == 1)
        try devices[1].receive([change])
        #expect(devices[1].store[key]?["title"] == "Milk")
    }
}
