import RecordMerge
import StrictJSON
import TestSupport
import Testing

/// The scenarios of folder sync that concern the order of lists.
@Suite struct ListScenarioTests {
    private let key = RecordKey("sessions", "s")

    private func block(_ name: String) -> JSONValue { ["id": .string(name), "label": .string("block \(name)")] }

    private func some(_ names: [String], _ blocks: [String]) throws -> [Device] {
        let session: JSONObject = ["id": "s", "name": "Legs", "items": .array(blocks.map(block))]
        return try devices(names, try Schemas.bztimer(), RecordSet("sessions", [session]))
    }

    private func order(_ device: Device) -> [String] {
        device.store[key]?["items"]?.array?.compactMap { $0["id"]?.string } ?? []
    }

    private func arrange(_ device: inout Device, _ blocks: [String]) {
        let old = device.store[key]?["items"]?.array ?? []
        device.store.objects[key]?["items"] = .array(
            blocks.map { name in old.first { $0["id"]?.string == name } ?? block(name) }
        )
    }

    @Test func `32 a block that two devices move has one place, and the moves conflict`() throws {
        var devices = try some(["a", "b"], ["1", "2", "3", "4"])
        arrange(&devices[0], ["2", "3", "1", "4"])
        arrange(&devices[1], ["2", "3", "4", "1"])
        try exchange(&devices, at: [10, 20])
        #expect(order(devices[0]) == ["2", "3", "4", "1"])
        #expect(told(devices[0].conflicts) == ["moved sessions s items 1"])
        arrange(&devices[0], ["1", "2", "3", "4"])
        try exchange(&devices)
        #expect(order(devices[1]) == ["1", "2", "3", "4"])
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `32 a move that two devices make alike is no conflict`() throws {
        var devices = try some(["a", "b"], ["1", "2", "3", "4"])
        for index in devices.indices { arrange(&devices[index], ["2", "3", "1", "4"]) }
        try exchange(&devices)
        #expect(order(devices[1]) == ["2", "3", "1", "4"])
        #expect(devices[1].conflicts.isEmpty)
        arrange(&devices[0], ["2", "1", "3", "4"])
        try exchange(&devices)
        #expect(order(devices[1]) == ["2", "1", "3", "4"])
        #expect(devices[1].conflicts.isEmpty)
    }

    @Test func `32 a conflict of moves stands until somebody moves, whatever else changes`() throws {
        var devices = try some(["a", "b"], ["1", "2", "3", "4"])
        arrange(&devices[0], ["2", "3", "1", "4"])
        arrange(&devices[1], ["2", "3", "4", "1"])
        try exchange(&devices, at: [10, 20])
        devices[0].store.objects[key]?["name"] = "Leg day"
        try exchange(&devices)
        #expect(told(devices[1].conflicts) == ["moved sessions s items 1"])
    }

    /// Who makes a session alone gives all of its blocks positions.
    @Test(arguments: [["a", "b"], ["b", "a"]], [[10, 20], [20, 10]])
    func `a session that two devices made has the order of both`(names: [String], moments: [Int]) throws {
        let lists = [["1", "w", "2", "3", "s"], ["u", "1", "2", "v", "3"]]
        var devices = try names.map { Device($0, try Schemas.bztimer()) }
        for index in devices.indices {
            let session: JSONObject = ["id": "s", "name": "Legs", "items": .array(lists[index].map(block))]
            devices[index].store = RecordSet("sessions", [session])
        }
        try exchange(&devices, at: moments)
        for round in 0..<3 {
            #expect(order(devices[0]).filter { $0 != "s" } == ["u", "1", "w", "2", "v", "3"])
            #expect(order(devices[0]).last == "s")
            #expect(devices[0].conflicts.isEmpty)
            // Places that nobody made are one from the first change on.
            devices[round % 2].store.objects[key]?["name"] = .string("Legs \(round)")
            devices[1].store.objects[key]?["tags"] = [.number(round)]
            try exchange(&devices)
        }
    }

    @Test func `33 a block that is moved and removed stays, one that is moved and renamed is both`() throws {
        var devices = try some(["a", "b"], ["1", "2", "3"])
        arrange(&devices[0], ["3", "1", "2"])
        arrange(&devices[1], ["1", "2"])
        try exchange(&devices)
        #expect(order(devices[0]) == ["3", "1", "2"])
        #expect(told(devices[0].conflicts) == ["removed-element sessions s items 3"])
        arrange(&devices[0], ["1", "2", "3"])
        devices[1].store.objects[key]?["items"] = [["id": "3", "label": "renamed"], block("1"), block("2")]
        try exchange(&devices)
        #expect(order(devices[0]) == ["1", "2", "3"])
        #expect(devices[0].store[key]?["items"]?.array?.last == ["id": "3", "label": "renamed"])
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `33 a block that is changed and removed survives whole`() throws {
        var devices = try some(["a", "b"], ["1", "2", "3"])
        arrange(&devices[0], ["1", "3"])
        devices[1].store.objects[key]?["items"] = [
            block("1"), ["id": "2", "label": "block 2", "notes": "new"], block("3"),
        ]
        try exchange(&devices)
        #expect(devices[0].store[key]?["items"]?.array?[1] == ["id": "2", "label": "block 2", "notes": "new"])
        #expect(told(devices[0].conflicts) == ["removed-element sessions s items 2"])
    }

    @Test func `34 runs that are put in at one place do not mix, in several synchronisations either`() throws {
        var devices = try some(["a", "b", "c"], ["1", "2"])
        arrange(&devices[0], ["1", "a1", "a2", "a3", "2"])
        arrange(&devices[1], ["1", "b1", "b2", "b3", "2"])
        arrange(&devices[2], ["1", "c3", "2"])
        var changes = [try #require(try devices[0].detectChanges()), try #require(try devices[1].detectChanges())]
        changes.append(try #require(try devices[2].detectChanges()))
        arrange(&devices[0], ["1", "a1", "a2", "a3", "a4", "2"])
        arrange(&devices[1], ["1", "b0", "b1", "b2", "b3", "2"])
        arrange(&devices[2], ["1", "c2", "c3", "2"])
        for index in 0...2 { changes.append(try #require(try devices[index].detectChanges())) }
        for index in 0...2 { try devices[index].receive(changes) }
        let merged = order(devices[0]).joined(separator: " ")
        #expect(order(devices[1]) == order(devices[0]) && order(devices[2]) == order(devices[0]))
        for run in ["a1 a2 a3 a4", "b0 b1 b2 b3", "c2 c3"] { #expect(merged.contains(run), "\(merged)") }
        #expect(order(devices[0]).first == "1" && order(devices[0]).last == "2")
        #expect(devices[0].conflicts.isEmpty)
    }

    @Test func `35 one of five hundred that is moved is one change`() throws {
        let names = (0..<500).map { "b\($0)" }
        var devices = try some(["a", "b"], names)
        for (from, to) in [(499, 0), (0, 499), (250, 3), (10, 400)] {
            var moved = order(devices[0])
            moved.insert(moved.remove(at: from), at: to)
            arrange(&devices[0], moved)
            let change = try #require(try devices[0].detectChanges())
            #expect(change.changeCount == 1)
            try devices[1].receive([change])
            #expect(order(devices[1]) == moved)
        }
    }

    @Test func `an order of presets is kept and merged`() throws {
        let presets = ["1", "2", "3"].map { JSONObject(dictionaryLiteral: ("id", .string($0)), ("name", "x")) }
        var devices = try devices(["a", "b"], try Schemas.presets(), RecordSet("presets", presets))
        devices[0].store.move(RecordKey("presets", "3"), to: 0)
        devices[1].store[RecordKey("presets", "4")] = ["id": "4", "name": "new"]
        devices[1].store[RecordKey("presets", "1")] = nil
        try exchange(&devices)
        #expect(devices[0].store.order["presets"] == ["3", "2", "4"])
    }

    @Test func `elements without keys and with the same key are kept`() throws {
        var devices = try some(["a", "b"], ["1"])
        let odd: JSONValue = [
            ["id": "1", "label": "x"], ["id": "1", "label": "y"], ["label": "none"], ["label": "none"], 5, 5, "1", [:],
            ["id": 1],
        ]
        devices[0].store.objects[key]?["items"] = odd
        try exchange(&devices)
        #expect(devices[1].store[key]?["items"] == odd)
        #expect(try devices[1].detectChanges() == nil)
    }

    /// Runs stay together and elements stay between their neighbours, whoever puts in what.
    @Test(arguments: 0..<16)
    func `random runs do not mix`(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        var devices = try some(["m", "b", "x", "a"], ["1", "2", "3"])
        var runs: [[String]] = []
        for round in 0..<6 {
            for index in devices.indices {
                var names = order(devices[index])
                let run = (0...dice.below(4)).map { "r\(round)\(index)-\($0)" }
                names.insert(contentsOf: run, at: dice.below(names.count + 1))
                runs.append(run)
                arrange(&devices[index], names)
            }
            let before = devices.map { (order($0)) }
            try exchange(&devices)
            let merged = order(devices[0])
            #expect(Set(merged).count == merged.count)
            for names in before {
                #expect(merged.filter(Set(names).contains) == names, "seed \(seed)")
            }
            for run in runs.suffix(4) {
                let start = try #require(merged.firstIndex(of: run[0]))
                #expect(Array(merged[start...].prefix(run.count)) == run, "seed \(seed): \(merged)")
            }
        }
    }
}
