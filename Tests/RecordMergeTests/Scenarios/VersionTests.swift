import RecordMerge
import StrictJSON
import Testing

/// The scenarios of folder sync that concern copied devices and mixed versions.
@Suite struct VersionScenarioTests {
    private let key = RecordKey("things", "x")

    private func things(_ object: JSONObject) -> RecordSet { RecordSet("things", [object]) }

    /// A device that was copied without noticing: both go on under one name.
    private func forked() throws -> (other: Device, a: Device, copy: Device, fork: [WriterFork]) {
        var devices = try devices(["b", "a"], try AllRules.schema(), things(["id": "x", "name": "one", "made": 3]))
        var copy = devices[1]
        devices[1].store.objects[key]?["name"] = "a went on"
        copy.store.objects[key]?["tags"] = [1]
        let writer = devices[1].writer
        let forks = ["11", "22"].compactMap { WriterFork(writer, from: 1, mark: $0) }
        return (devices[0], devices[1], copy, forks)
    }

    @Test func `17 both branches of a copied device are kept, and little is sent`() throws {
        var (other, a, copy, forks) = try forked()
        let first = try #require(try a.detectChanges(now: 10))
        let second = try #require(try copy.detectChanges(now: 20))
        #expect(first.stamp.dot == second.stamp.dot)
        #expect(second.changeCount <= 2)
        // Somebody has read one branch under the old name before the other comes.
        try other.receive([first])
        other.state.rename(forks[0])
        a.state.rename(forks[0])
        copy.state.rename(forks[1])
        let renamed = [first.renamed(forks[0]), second.renamed(forks[1])]
        for change in renamed { #expect(try Change(decoding: change.encoded()) == change) }
        try other.receive(renamed)
        try a.receive(renamed)
        try copy.receive(renamed)
        #expect(other.state.encoded() == a.state.encoded())
        #expect(other.state.encoded() == copy.state.encoded())
        #expect(other.store[key] == ["id": "x", "name": "a went on", "made": 3, "tags": [1]])
        #expect(other.conflicts.isEmpty)
    }

    /// Adds to a counter on a copied device and its copy; returns the sum that a third device shows.
    private func count(before: Int, _ one: Int, _ two: Int) throws -> Int? {
        let schema = try AllRules.schema()
        var devices = try devices(["b", "a"], schema, things(["id": "x", "count": 0]))
        var now = 0
        func add(_ device: inout Device, _ times: Int) throws -> [Change] {
            try (0..<times).compactMap { _ in
                now += 10
                let next = (device.store[key]?["count"]?.int ?? 0) + 1
                device.store.objects[key]?["count"] = .number(next)
                return try device.detectChanges(now: now)
            }
        }
        let first = try add(&devices[1], before)
        var copy = devices[1]
        let sequence = devices[1].state.seen[copy.writer] + 1
        let forks = ["11", "22"].compactMap { WriterFork(copy.writer, from: sequence, mark: $0) }
        let branches = [try add(&devices[1], one), try add(&copy, two)]
        for change in first { try devices[0].receive([change]) }
        for (fork, changes) in zip(forks, branches) {
            for change in changes { try devices[0].receive([change.renamed(fork)]) }
        }
        return devices[0].store[key]?["count"]?.int
    }

    @Test func `17 what both branches of a copied device add to a counter is added up`() throws {
        #expect(try count(before: 0, 1, 1) == 2)
        #expect(try count(before: 0, 3, 2) == 5)
        #expect(try count(before: 1, 2, 1) == 4)
        #expect(try count(before: 5, 2, 3) == 10)
        #expect(try count(before: 30, 15, 16) == 61)
        // One branch tells what both have in common.
        #expect(try count(before: 30, 40, 2) == 72)
        #expect(try count(before: 30, 2, 40) == 72)
        #expect(try count(before: 0, 2, 40) == 42)
    }

    @Test func `17 of branches that added too often to know what they share, the larger sum counts`() throws {
        #expect(try count(before: 5, 17, 18) == 23)
    }

    @Test func `18 a device that was set back reads its own old changes again under a new name`() throws {
        var devices = try devices(["a", "b"], try AllRules.schema(), things(["id": "x", "name": "one"]))
        let old = devices[0]
        devices[0].store.objects[key]?["name"] = "published and forgotten"
        let published = try #require(try devices[0].detectChanges(now: 10))
        try devices[1].receive([published])
        var back = old
        // What was published under its name is more than it knows of.
        #expect(published.stamp.dot.sequence > back.state.seen[back.writer])
        back.writer = .named("a2")
        back.store.objects[key]?["tags"] = [7]
        let late = try #require(try back.detectChanges(now: 5))
        try back.receive([published])
        try devices[1].receive([late])
        #expect(back.state.encoded() == devices[1].state.encoded())
        #expect(back.store[key] == ["id": "x", "name": "published and forgotten", "tags": [7]])
        #expect(back.conflicts.isEmpty)
    }

    @Test func `42 unknown members survive a device that does not know them`() throws {
        let full = try #require(
            json(
                #"{"id":"x","name":"one","newer":{"deep":[1,2.50,"é"]},"newerTags":[1,2],"#
                    + #""newerItems":[{"id":"i","label":"l","newer":1e2}],"items":[{"id":"j","label":"k","newer":"n"}]}"#
            ).object
        )
        var devices = try devices(["new", "other"], try AllRules.schema(), things(full))
        var old = Device("old", try AllRules.older())
        let all = try MergeState(decoding: devices[0].state.encoded())
        try old.receive(all, devices[0].clock)
        #expect(old.store[key] == full)
        old.store.objects[key]?["name"] = "renamed"
        old.store.objects[key]?["items"] = [["id": "j", "label": "changed", "newer": "n"]]
        let change = try #require(try old.detectChanges())
        #expect(change.changeCount == 2)
        for index in 0...1 { try devices[index].receive([change]) }
        #expect(devices[1].store[key]?["newer"] == full["newer"])
        #expect(devices[1].store[key]?["newer"]?.text(.compact) == full["newer"]?.text(.compact))
        #expect(devices[1].store[key]?["newerTags"] == [1, 2])
        #expect(devices[1].store[key]?["newerItems"] == full["newerItems"])
        #expect(devices[1].store[key]?["items"] == [["id": "j", "label": "changed", "newer": "n"]])
    }

    @Test func `43 what a store leaves out is not cleared, what it knows and removes is`() throws {
        var devices = try devices(
            ["new"],
            try AllRules.schema(),
            things(["id": "x", "name": "one", "newer": 1, "newerTags": [1], "tags": [3], "count": 4])
        )
        var old = Device("old", try AllRules.older())
        try old.receive(devices[0].state, devices[0].clock)
        old.store.objects[key] = ["id": "x", "tags": [3], "count": 4]
        let change = try #require(try old.detectChanges())
        try devices[0].receive([change])
        #expect(devices[0].store[key] == ["id": "x", "newer": 1, "newerTags": [1], "tags": [3], "count": 4])
    }

    @Test func `43 what a store keeps and no longer has was removed, also where no rule names it`() throws {
        let full = try #require(
            json(
                #"{"id":"x","name":"one","newer":1,"newerTags":[1,2],"newerItems":[{"id":"i","newer":1}],"#
                    + #""items":[{"id":"j","label":"k","newer":"n"}],"tags":[3]}"#
            ).object
        )
        var devices = try devices(["new"], try AllRules.schema(), things(full))
        var old = Device("old", try AllRules.older())
        try old.receive(devices[0].state, devices[0].clock)
        let rest: JSONObject = ["id": "x", "name": "one", "items": [["id": "j", "label": "k"]], "tags": [3]]
        old.store.objects[key] = rest
        let change = try #require(try old.detectChanges(keepsUnknown: true))
        try devices[0].receive([change])
        #expect(devices[0].store[key] == rest && old.store[key] == rest)
        #expect(devices[0].state.encoded() == old.state.encoded() && devices[0].conflicts.isEmpty)
        old.store.objects[key]?["newer"] = 2
        let again = try #require(try old.detectChanges(keepsUnknown: true))
        try devices[0].receive([again])
        #expect(devices[0].store[key]?["newer"] == 2)
    }

    @Test func `44 and 45 a change that is too new holds its writer up, and applies after the upgrade`() throws {
        var devices = try devices(["a", "b", "c"], try AllRules.schema(), things(["id": "x", "name": "one"]))
        devices[0].store.objects[key]?["name"] = "too new"
        let new = try #require(try devices[0].detectChanges())
        devices[0].store.objects[key]?["made"] = 5
        let after = try #require(try devices[0].detectChanges())
        devices[1].store[RecordKey("things", "y")] = ["id": "y"]
        let others = try #require(try devices[1].detectChanges())
        try devices[2].receive([after, others])
        devices[2].buffer.insert(new, minimumReader: 2)
        try devices[2].receive([])
        #expect(devices[2].store[key]?["name"] == "one")
        #expect(devices[2].store[RecordKey("things", "y")] != nil)
        let waiting = devices[2].buffer.waiting(after: devices[2].state.seen, reader: 1)
        #expect(waiting.map(\.reason) == [.tooNew(2), .missing(new.stamp.dot)])
        // Publishing goes on.
        devices[2].store.objects[key]?["tags"] = [1]
        #expect(try devices[2].detectChanges() != nil)
        devices[2].reader = 2
        try devices[2].receive([])
        #expect(devices[2].store[key] == ["id": "x", "name": "too new", "made": 5, "tags": [1]])
        #expect(devices[2].buffer.waiting(after: devices[2].state.seen, reader: 2).isEmpty)
    }

    @Test func `a change is applied once, and not before those that it builds on`() throws {
        var devices = try devices(["a", "b"], try AllRules.schema(), things(["id": "x", "name": "one"]))
        devices[0].store.objects[key]?["name"] = "two"
        let first = try #require(try devices[0].detectChanges())
        devices[0].store.objects[key]?["name"] = "three"
        let second = try #require(try devices[0].detectChanges())
        var state = devices[1].state
        let error = #expect(throws: MissingChange.self) { try state.apply(second) }
        #expect(error == MissingChange(missing: first.stamp.dot, waiting: second.stamp.dot))
        #expect(state == devices[1].state)
        #expect(try state.apply(first) == [key])
        #expect(try state.apply(first) == [])
        #expect(try state.apply(second) == [key])
        #expect(state == devices[0].state)
    }
}
