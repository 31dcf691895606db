import BZTimer
import TimeTracker
import RecordMerge
import StrictJSON
import Testing

/// What each app's records need beyond the rules of their members.
@Suite struct DomainTests {
    private func button(_ id: String, _ name: String, isDefault: Bool = true) -> JSONObject {
        ["id": .string(id), "name": .string(name), "isDefault": .bool(isDefault), "color": "#000000"]
    }

    private func tracker(_ name: String, _ buttons: [JSONObject], _ activities: [JSONObject] = []) throws -> Device {
        let schema = try Schemas.tracker()
        var device = Device(name, schema, .tracker)
        device.store = try schema.records(
            of: [
                "buttons": .array(buttons.map { .object($0) }), "activities": .array(activities.map { .object($0) }),
            ]
        )
        return device
    }

    @Test func `38 default buttons of two fresh devices are one each, and activities refer to them`() throws {
        let names = ["Sleep", "Work", "Meal"]
        let mine = names.enumerated().map { button("a\($0)", $1) } + [button("own", "Work", isDefault: false)]
        let theirs = names.enumerated().map { button("b\($0)", $1) }
        var devices = [
            try tracker(
                "a",
                mine,
                [["id": "1", "name": "Work", "buttonId": "a1", "startTime": "2025-01-01T08:00:00Z"]]
            ),
            try tracker(
                "b",
                theirs,
                [
                    [
                        "id": "2", "name": "Work", "buttonId": "b1", "startTime": "2025-01-01T07:00:00Z",
                        "endTime": "2025-01-01T07:30:00Z",
                    ]
                ]
            ),
        ]
        try exchange(&devices)
        let buttons = devices[0].document["buttons"]?.array ?? []
        #expect(buttons.count == 4)
        #expect(buttons.map { $0["position"] } == [0, 1, 2, 3])
        let activities = devices[0].document["activities"]?.array ?? []
        #expect(activities.map { $0["buttonId"] } == ["a1", "a1"])
        #expect(devices[0].conflicts.isEmpty, "\(told(devices[0].conflicts))")
        // Nothing of that is a change.
        #expect(try devices[0].detectChanges() == nil)
        #expect(try devices[1].detectChanges() == nil)
        // A default button that was renamed stays the same one.
        let key = try #require(devices[1].store.objects.first { $0.value["name"] == "Meal" }?.key)
        devices[1].store.objects[key]?["name"] = "Food"
        devices[1].store = try devices[1].schema.records(of: devices[1].document, known: devices[1].base)
        try exchange(&devices)
        #expect(devices[0].document["buttons"]?.array?.count == 4)
        #expect(devices[0].store[key]?["name"] == "Food")
    }

    @Test func `buttons with one identifier that are not the same are told apart`() throws {
        var devices = [
            try tracker("a", [button("1", "Sleep"), button("1-2", "Own", isDefault: false)]),
            try tracker("b", [button("1", "Schlafen")]),
        ]
        try exchange(&devices)
        for device in devices {
            let buttons = device.document["buttons"]?.array ?? []
            let found = Dictionary(uniqueKeysWithValues: buttons.map { ($0["name"]?.string ?? "", $0["id"]?.string) })
            #expect(found == ["Schlafen": "1", "Sleep": "1-3", "Own": "1-2"])
        }
        // Nothing of that is a change, and each goes on by itself.
        #expect(try devices[0].detectChanges() == nil)
        #expect(try devices[1].detectChanges() == nil)
        let key = try #require(devices[0].store.objects.first { $0.value["name"] == "Sleep" }?.key)
        devices[0].store.objects[key]?["color"] = "#FFFFFF"
        try exchange(&devices)
        let colors = (devices[1].document["buttons"]?.array ?? []).filter { $0["color"] == "#FFFFFF" }
        #expect(colors.map { $0["name"] } == ["Sleep"])
    }

    @Test func `39 of two running activities the earlier ends where the later begins`() throws {
        var devices = [
            try tracker(
                "a",
                [],
                [["id": "1", "name": "Work", "startTime": "2025-01-01T09:00:00+02:00", "endTime": .null]]
            ),
            try tracker("b", [], [["id": "2", "name": "Meal", "startTime": "2025-01-01T08:00:00Z"]]),
        ]
        try exchange(&devices)
        #expect(devices[0].store[RecordKey("activities", "1")]?["endTime"] == "2025-01-01T08:00:00Z")
        #expect(devices[0].store[RecordKey("activities", "2")]?["endTime"] == nil)
        #expect(told(devices[0].conflicts) == ["repaired activities 1 endTime"])
        #expect(try devices[0].detectChanges() == nil)
        devices[1].store.objects[RecordKey("activities", "2")]?["endTime"] = "2025-01-01T08:30:00Z"
        devices[0].store.objects[RecordKey("activities", "1")]?["endTime"] = "2025-01-01T07:45:00Z"
        try exchange(&devices)
        #expect(devices[1].store[RecordKey("activities", "1")]?["endTime"] == "2025-01-01T07:45:00Z")
        #expect(devices[1].conflicts.isEmpty)
    }

    @Test func `a completed study session stays completed`() throws {
        let key = RecordKey("sessions", "s")
        var devices = try devices(
            ["a", "b"],
            try Schemas.study(),
            RecordSet("sessions", [["id": "s", "status": "active"]])
        )
        devices[0].store.objects[key]?["status"] = "completed"
        devices[1].store.objects[key]?["status"] = "paused"
        try exchange(&devices, at: [10, 99])
        #expect(devices[1].store[key]?["status"] == "completed")
        #expect(devices[1].conflicts.isEmpty)
        devices[1].store.objects[key]?["status"] = "active"
        #expect(try devices[1].detectChanges() == nil)
    }

    @Test func `an event of a study session that someone deletes is gone, and others are added`() throws {
        let event = RecordKey("events", "e")
        var devices = try devices(
            ["a", "b"],
            try Schemas.study(),
            RecordSet("events", [["id": "e", "event_type": "started"]])
        )
        devices[0].store[event] = nil
        devices[1].store[RecordKey("events", "f")] = ["id": "f", "event_type": "paused"]
        try exchange(&devices)
        #expect(devices.map { $0.store.order["events"] } == [["f"], ["f"]])
    }

    @Test func `history loses a session that is deleted, and an entry that is deleted is gone everywhere`() throws {
        let session = RecordKey("sessions", "s")
        let entry = RecordKey("history", "h")
        var records = RecordSet("sessions", [["id": "s", "name": "Legs"]])
        records[entry] = ["id": "h", "sessionId": "s", "sessionName": "Legs"]
        records[RecordKey("settings", "")] = ["historyRetention": "unlimited", "isProUser": true]
        var devices = try devices(["a", "b"], try Schemas.store(), records, .bztimer)
        // What concerns one device is not sent.
        #expect(devices[1].store[RecordKey("settings", "")] == ["historyRetention": "unlimited"])
        devices[1].store[session] = nil
        try exchange(&devices)
        #expect(devices.map { $0.store[entry]?["sessionId"] } == [.null, .null])
        #expect(try devices[1].detectChanges() == nil)
        devices[0].store[entry] = nil
        try exchange(&devices)
        #expect(devices.map { $0.store[entry] } == [nil, nil])
    }

    @Test func `blocks keep the members together that a mode needs`() throws {
        let key = RecordKey("sessions", "s")
        let block: JSONValue = ["id": "1", "mode": "duration", "durationSeconds": 30]
        var devices = try devices(
            ["a", "b"],
            try Schemas.bztimer(),
            RecordSet("sessions", [["id": "s", "items": [block]]])
        )
        devices[0].store.objects[key]?["items"] = [["id": "1", "mode": "reps", "reps": 10, "perRepSeconds": 2]]
        devices[1].store.objects[key]?["items"] = [["id": "1", "mode": "duration", "durationSeconds": 45]]
        try exchange(&devices, at: [20, 10])
        #expect(devices[0].store[key]?["items"] == [["id": "1", "mode": "reps", "reps": 10, "perRepSeconds": 2]])
        #expect(told(devices[0].conflicts) == ["value sessions s items 1 mode"])
    }
}
