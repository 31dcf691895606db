import Slate
import RecordMerge
import StrictJSON
import Testing

/// The scenarios of folder sync that concern members of records.
@Suite struct FieldScenarioTests {
    private let key = RecordKey("tasks", "t1")

    private func two(_ task: JSONObject = ["id": "t1", "title": "Milk", "due_date": "2025-01-01"]) throws -> [Device] {
        try devices(["a", "b"], try Schemas.slate(), RecordSet("tasks", [task]), .slate)
    }

    @Test func `26 different members of a record come together`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["title"] = "Oat milk"
        devices[1].store.objects[key]?["due_date"] = "2025-02-02"
        try exchange(&devices)
        #expect(devices[0].store[key] == ["id": "t1", "title": "Oat milk", "due_date": "2025-02-02"])
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `27 the later of two values is shown, the other conflicts until someone decides`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["title"] = "Oat milk"
        devices[1].store.objects[key]?["title"] = "Soy milk"
        try exchange(&devices, at: [30, 20])
        #expect(devices[0].store[key]?["title"] == "Oat milk")
        #expect(devices[0].conflicts.map(\.others).flatMap(\.self).map(\.value) == ["Soy milk"])
        // An edit of another member carries the conflict along.
        devices[1].store.objects[key]?["archived"] = true
        try exchange(&devices)
        #expect(told(devices[0].conflicts) == ["value tasks t1 title"])
        devices[1].store.objects[key]?["title"] = "Soy milk"
        try exchange(&devices)
        #expect(devices[0].store[key]?["title"] == "Soy milk")
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `27 the value that is shown can be decided for`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["title"] = "Oat milk"
        devices[1].store.objects[key]?["title"] = "Soy milk"
        try exchange(&devices, at: [30, 20])
        let change = try #require(try devices[1].detectChanges(decided: [key: [["title"]]]))
        try devices[0].receive([change])
        #expect(devices[0].conflicts.isEmpty)
        #expect(devices[0].store[key]?["title"] == "Oat milk")
        #expect(devices[0].state == devices[1].state)
    }

    @Test func `28 the same value twice is no conflict`() throws {
        var devices = try two()
        for index in 0...1 { devices[index].store.objects[key]?["title"] = "Oat milk" }
        try exchange(&devices)
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `21 and 22 a wrong clock neither stops anything nor makes an edit irreplaceable`() throws {
        var devices = try two()
        let year = 365 * 86_400_000
        devices[0].store.objects[key]?["title"] = "from the future"
        try exchange(&devices, at: [100 * year, 1000])
        devices[1].store.objects[key]?["title"] = "corrected"
        try exchange(&devices, at: [0, 0])
        #expect(devices[0].store[key]?["title"] == "corrected")
        devices[0].store.objects[key]?["title"] = "clock back"
        try exchange(&devices, at: [-5 * year, 0])
        #expect(devices[1].store[key]?["title"] == "clock back")
        #expect(devices[1].conflicts.isEmpty)
    }

    @Test func `22 seventy thousand changes in one tick are all in order`() {
        var clock = HybridClock(milliseconds: 5)
        let start = clock
        for _ in 0..<70_000 {
            let next = clock.next(now: start)
            #expect(next > clock)
            clock = next
        }
        let last = HybridClock(bits: .max)
        #expect(last.next(now: start) == last)
        #expect(HybridClock(milliseconds: .max).next(now: start) > HybridClock(milliseconds: .max))
        #expect(HybridClock(milliseconds: -1) == HybridClock(bits: 0))
    }

    @Test func `members of a group change together`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["is_done"] = true
        devices[0].store.objects[key]?["done_at"] = "2025-01-01T10:00:00Z"
        devices[1].store.objects[key]?["done_at"] = .null
        devices[1].store.objects[key]?["is_done"] = false
        try exchange(&devices, at: [10, 20])
        #expect(devices[0].store[key]?["is_done"] == false)
        #expect(devices[0].store[key]?["done_at"] == .null)
        #expect(told(devices[0].conflicts) == ["value tasks t1 is_done"])
    }

    @Test func `a member that one removes and another changes is a conflict`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["due_date"] = JSONValue?.none
        devices[1].store.objects[key]?["due_date"] = "2025-03-03"
        try exchange(&devices, at: [20, 10])
        #expect(devices[0].store[key]?["due_date"] == nil)
        #expect(devices[0].conflicts.first?.others.map(\.value) == ["2025-03-03"])
    }

    @Test func `texts come together by words where that is clean`() throws {
        var devices = try two(["id": "t1", "title": "x", "notes": "buy milk and bread today"])
        devices[0].store.objects[key]?["notes"] = "buy oat milk and bread today"
        devices[1].store.objects[key]?["notes"] = "buy milk and bread tomorrow"
        try exchange(&devices)
        #expect(devices[0].store[key]?["notes"] == "buy oat milk and bread tomorrow")
        #expect(devices[0].conflicts.isEmpty)
        devices[0].store.objects[key]?["notes"] = "buy oat milk and rye tomorrow"
        devices[1].store.objects[key]?["notes"] = "buy oat milk and rolls tomorrow"
        try exchange(&devices)
        #expect(told(devices[0].conflicts) == ["value tasks t1 notes"])
    }

    @Test func `the greatest moment wins, whatever its offset`() throws {
        var devices = try two(["id": "t1", "title": "x", "updated_at": "2025-01-01T00:00:00Z"])
        devices[0].store.objects[key]?["updated_at"] = "2025-06-01T12:00:00+09:00"
        devices[1].store.objects[key]?["updated_at"] = "2025-06-01T04:00:00.5Z"
        try exchange(&devices, at: [90, 10])
        #expect(devices[0].store[key]?["updated_at"] == "2025-06-01T04:00:00.5Z")
        #expect(devices[0].conflicts.isEmpty)
        devices[0].store.objects[key]?["updated_at"] = "2024-01-01T00:00:00Z"
        #expect(try devices[0].detectChanges() == nil)
    }

    @Test func `37 counters add up, and laps are kept`() throws {
        let schema = try AllRules.schema()
        let key = RecordKey("things", "x")
        var devices = try devices(
            ["a", "b", "c"],
            schema,
            RecordSet("things", [["id": "x", "count": 5, "laps": [1]]])
        )
        devices[0].store.objects[key]?["count"] = 8
        devices[1].store.objects[key]?["count"] = 4
        devices[0].store.objects[key]?["laps"] = [1, 2]
        devices[1].store.objects[key]?["laps"] = [3]
        try exchange(&devices)
        #expect(devices[2].store[key]?["count"] == 7)
        #expect(Set(devices[2].store[key]?["laps"]?.array ?? []) == [1, 2, 3])
        devices[2].store.objects[key]?["count"] = 0
        devices[0].store.objects[key]?["count"] = 8
        try exchange(&devices)
        #expect(devices[2].store[key]?["count"] == 1)
        devices[2].store.objects[key]?["count"] = .number(Int.max)
        devices[0].store.objects[key]?["count"] = .number(Int.max)
        try exchange(&devices)
        #expect(devices[1].store[key]?["count"] == .number(Int.max))
    }

    @Test func `adding to a set wins over removing`() throws {
        let key = RecordKey("sessions", "s")
        var devices = try devices(
            ["a", "b"],
            try Schemas.bztimer(),
            RecordSet("sessions", [["id": "s", "name": "x", "tags": ["leg", "arm"]]])
        )
        devices[0].store.objects[key]?["tags"] = ["arm", "new"]
        devices[1].store.objects[key]?["tags"] = ["leg", "arm", "other"]
        try exchange(&devices)
        #expect(devices[0].store[key]?["tags"] == ["arm", "new", "other"])
        devices[0].store.objects[key]?["tags"] = JSONValue?.none
        devices[1].store.objects[key]?["tags"] = ["arm", "new", "other", "leg"]
        try exchange(&devices)
        #expect(devices[0].store[key]?["tags"] == ["leg"])
        devices[0].store.objects[key]?["tags"] = []
        try exchange(&devices)
        #expect(devices[1].store[key]?["tags"] == [])
        #expect(devices[1].conflicts.isEmpty)
    }

    @Test func `40 a conflict that is resolved differently twice is an ordinary conflict`() throws {
        var devices = try two()
        devices[0].store.objects[key]?["title"] = "one"
        devices[1].store.objects[key]?["title"] = "two"
        try exchange(&devices)
        devices[0].store.objects[key]?["title"] = "three"
        devices[1].store.objects[key]?["title"] = "four"
        try exchange(&devices, at: [20, 10])
        #expect(devices[0].store[key]?["title"] == "three")
        #expect(devices[0].conflicts.flatMap(\.others).map(\.value) == ["four"])
    }

    @Test func `41 what the app writes during a synchronisation is found by the next`() throws {
        var devices = try two()
        devices[1].store.objects[key]?["title"] = "from b"
        let change = try #require(try devices[1].detectChanges(now: 5))
        let before = devices[0]
        try devices[0].receive([change])
        // Before the store was given what is shown now, the app wrote: it is not what it was given last.
        var written = before.store
        written.objects[key]?["due_date"] = "2025-09-09"
        written.objects[key]?["title"] = "from a"
        let stamp = Stamp(Dot(before.writer, 2), before.clock.next(now: HybridClock(milliseconds: 99)))
        // Stamped with what the store was shown of, so that the title is not taken for one that saw b's.
        let late = try ChangeDetection(before.schema, stamp).change(from: before.base, to: written, in: before.state)
        try devices[0].receive([late])
        #expect(devices[0].store[key] == ["id": "t1", "title": "from a", "due_date": "2025-09-09"])
        #expect(devices[0].conflicts.flatMap(\.others).map(\.value) == ["from b"])
    }
}
