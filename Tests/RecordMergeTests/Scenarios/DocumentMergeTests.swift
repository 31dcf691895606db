import Slate
import StudyTimer
import RecordMerge
import StrictJSON
import Testing

@Suite struct DocumentMergeTests {
    private let base =
        #"{"format":"gympulse-presets","version":2,"presets":[{"id":"1","name":"a"},{"id":"2","name":"b"}]}"#

    private func merge(_ base: String?, _ ours: String, _ theirs: String) throws -> DocumentMerge {
        try DocumentMerge(
            base: try base.map(json),
            ours: try json(ours),
            theirs: try json(theirs),
            try Schemas.presets()
        )
    }

    @Test func `what nobody changed comes out as it was`() throws {
        let merge = try merge(base, base, base)
        #expect(try merge.document.text(.compact) == json(base).text(.compact))
        #expect(merge.conflicts.isEmpty)
    }

    @Test func `changes of both sides come together`() throws {
        let ours = #"{"format":"gympulse-presets","version":2,"presets":[{"id":"2","name":"b"},{"id":"1","name":"a"}]}"#
        let theirs =
            #"{"format":"gympulse-presets","version":2,"presets":[{"id":"1","name":"a","x":1},{"id":"2","name":"b"},{"id":"3"}]}"#
        let merge = try merge(base, ours, theirs)
        #expect(
            merge.document.text(.compact)
                == #"{"format":"gympulse-presets","version":2,"presets":[{"id":"2","name":"b"},{"id":"1","name":"a","x":1},{"id":"3"}]}"#
        )
        #expect(merge.conflicts.isEmpty)
    }

    @Test func `ours is kept where both changed the same`() throws {
        let merge = try merge(
            base,
            base.replacing(#""a""#, with: #""ours""#),
            base.replacing(#""a""#, with: #""theirs""#)
        )
        #expect(merge.document["presets"]?.array?.first?["name"] == "ours")
        #expect(told(merge.conflicts) == ["value presets 1 name"])
        #expect(merge.conflicts[0].others.map(\.value) == ["theirs"])
    }

    @Test func `a side with nothing to merge gives the other`() throws {
        let other = base.replacing(#""a""#, with: #""z""#)
        #expect(try merge(base, base, other).document == json(other))
        #expect(try merge(base, other, base).document == json(other))
        #expect(try merge(base, other, other).conflicts.isEmpty)
    }

    @Test func `records are in the order of the side that changed it`() throws {
        func document(_ ids: [String]) throws -> JSONValue {
            try json(#"{"sessions":[\#(ids.map { #"{"id":"\#($0)","name":"n"}"# }.joined(separator: ","))]}"#)
        }
        func order(_ base: [String]?, _ ours: [String], _ theirs: [String]) throws -> [String] {
            let base = try base.map(document)
            let (ours, theirs) = try (document(ours), document(theirs))
            let merge = try DocumentMerge(base: base, ours: ours, theirs: theirs, try Schemas.bztimer())
            return (merge.document["sessions"]?.array ?? []).compactMap { $0["id"]?.string }
        }
        let base = ["1", "2", "3", "4"]
        #expect(try order(base, base, ["4", "2", "1", "3"]) == ["4", "2", "1", "3"])
        #expect(try order(base, ["4", "2", "1", "3"], base) == ["4", "2", "1", "3"])
        #expect(try order(base, ["2", "1", "3", "4"], ["4", "3", "2", "1"]) == ["2", "1", "3", "4"])
        #expect(try order(base, ["1", "5", "2", "3"], ["4", "2", "1", "3"]) == ["2", "1", "5", "3"])
        #expect(try order(nil, base, ["4", "3", "2", "1"]) == base)
        // A record that one side inserted stands behind its neighbour, whichever side that is.
        let inserted = ["5", "1", "6", "7", "2", "3", "4"]
        #expect(try order(base, base, inserted) == inserted && order(base, inserted, base) == inserted)
        #expect(try order(base, base + ["8"], base + ["9"]) == base + ["8", "9"])
        #expect(try order(base, ["1", "8", "2", "3", "4"], ["1", "9", "4"]) == ["1", "8", "9", "4"])
        #expect(try order(base, ["1", "3", "4"], ["1", "2", "9", "3", "4"]) == ["1", "9", "3", "4"])
        #expect(try order(nil, base, ["1", "9", "2", "3", "4"]) == ["1", "9", "2", "3", "4"])
        // Names that Swift takes for one text are two.
        let accents = ["e\u{301}", "\u{e9}"]
        #expect(try order(accents, accents, accents).map { Array($0.utf8) } == accents.map { Array($0.utf8) })
    }

    @Test func `without a base everything that differs is reported, and nothing is dropped`() throws {
        let ours = #"{"format":"gympulse-presets","version":2,"presets":[{"id":"1","name":"a"},{"id":"2","name":"b"}]}"#
        let theirs = #"{"format":"gympulse-presets","version":2,"presets":[{"id":"3"},{"id":"1","name":"c"}]}"#
        let merge = try merge(nil, ours, theirs)
        #expect(Set(merge.document["presets"]?.array?.compactMap { $0["id"]?.string } ?? []) == ["1", "2", "3"])
        #expect(Set(told(merge.conflicts)) == ["value presets 1 name", "one-sided presets 2", "one-sided presets 3"])
        #expect(try self.merge(nil, ours, ours).conflicts.isEmpty)
        #expect(try self.merge(nil, ours, ours).document == json(ours))
    }

    @Test func `without a base lists and sets are compared by element`() throws {
        let ours = #"{"sessions":[{"id":"s","tags":["x","y"],"items":[{"id":"1","label":"a"},{"id":"2"},{"id":"3"}]}]}"#
        let theirs =
            #"{"sessions":[{"id":"s","tags":["y","z"],"items":[{"id":"2"},{"id":"1","label":"b"},{"id":"4"}]}]}"#
        let merge = try DocumentMerge(base: nil, ours: try json(ours), theirs: try json(theirs), try Schemas.bztimer())
        #expect(
            Set(told(merge.conflicts)) == [
                "one-sided sessions s tags \"x\"".replacing("\"x\"", with: "\n\n\"x\""),
                "one-sided sessions s tags \n\n\"z\"", "one-sided sessions s items 3", "one-sided sessions s items 4",
                "moved sessions s items", "value sessions s items 1 label",
            ]
        )
        let session = merge.document["sessions"]?.array?.first
        #expect(Set(session?["tags"]?.array ?? []) == ["x", "y", "z"])
        #expect(session?["items"]?.array?.count == 4)
    }

    @Test func `a perfect day follows from the completions of both`() throws {
        let schema = try Schemas.slate()
        let base = try json(
            #"{"tasks":[],"habits":[{"id":"h","title":"x","active":true},{"id":"i","title":"y","active":1}],"#
                + #""habit_completions":[],"day_plan":[{"date":"2026-01-02","perfect_day":0}]}"#
        )
        var (ours, theirs) = (base, base)
        ours["habit_completions"] = [["id": "1", "habit_id": "h", "date": "2026-01-02"]]
        theirs["habit_completions"] = [["id": "2", "habit_id": "i", "date": "2026-01-02"]]
        let merge = try DocumentMerge(base: base, ours: ours, theirs: theirs, schema, .slate)
        #expect(merge.document["day_plan"] == [["date": "2026-01-02", "perfect_day": 1]])
        #expect(merge.document["habit_completions"]?.array?.count == 2)
        #expect(merge.conflicts.isEmpty)
    }

    @Test func `a habit that was ticked anew has its new moment, and of two the earlier one`() throws {
        let schema = try Schemas.slate()
        func document(_ id: String, _ time: String) -> JSONValue {
            var tick: JSONObject = ["id": .string(id), "habit_id": "h", "date": "2026-01-02"]
            tick["completed_at"] = .string(time)
            return ["habits": [["id": "h", "title": "x"]], "habit_completions": [.object(tick)]]
        }
        let base = document("b", "2026-01-02T08:00:00Z")
        let later = document("c", "2026-01-02T22:00:00Z")
        for (theirs, moment) in [(base, "22"), (document("a", "2026-01-02T20:00:00Z"), "20")] {
            for (left, right) in [(later, theirs), (theirs, later)] {
                let merge = try DocumentMerge(base: base, ours: left, theirs: right, schema, .slate)
                let found = merge.document["habit_completions"]?.array?.first?["completed_at"]
                #expect(found == .string("2026-01-02T\(moment):00:00Z"))
                #expect(merge.conflicts.isEmpty)
            }
        }
    }

    @Test func `what is worked out anew, and what goes with a deleted record, is told`() throws {
        let schema = try Schemas.slate()
        let base = try json(#"{"habits":[{"id":"h","title":"x"}],"day_plan":[{"date":"2026-01-02","perfect_day":0}]}"#)
        var (ours, theirs) = (base, base)
        ours["day_plan"] = [["date": "2026-01-02", "perfect_day": 1]]
        theirs["day_snapshots"] = [["date": "2026-01-02", "habits": [["id": "h"]]]]
        for origin in [Optional(base), .none] {
            let merge = try DocumentMerge(base: origin, ours: ours, theirs: theirs, schema, .slate)
            #expect(merge.document["day_plan"] == [["date": "2026-01-02", "perfect_day": 0]])
            #expect(told(merge.conflicts).contains("repaired day_plan 2026-01-02 perfect_day"))
        }
        (ours, theirs) = (base, base)
        ours["habits"] = []
        theirs["day_plan_items"] = [
            ["date": "2026-01-02", "entity_type": "habit", "entity_id": "h", "position": 0]
        ]
        let merge = try DocumentMerge(base: base, ours: ours, theirs: theirs, schema, .slate)
        #expect(merge.document["day_plan_items"]?.array ?? [] == [])
        #expect(told(merge.conflicts).map { $0.prefix(23) } == ["repaired day_plan_items"])
    }

    /// A session with a pause; `except` names events that are not there.
    private func log(_ title: String = "Maths", except: Set<String> = []) throws -> JSONValue {
        let events = try json(
            #"""
            [{"id":"1","session_id":"s","event_type":"started","created_at":"2026-01-01T08:00:00Z"},
             {"id":"2","session_id":"s","event_type":"paused","created_at":"2026-01-01T08:20:00Z"},
             {"id":"3","session_id":"s","event_type":"stopped","created_at":"2026-01-01T09:00:00Z"}]
            """#
        )
        let session: JSONValue = [
            "id": "s", "device_id": "d", "title": .string(title), "status": "completed",
            "start_time": "2026-01-01T08:00:00Z", "end_time": "2026-01-01T09:00:00Z", "accumulated_seconds": 1200,
        ]
        let kept = (events.array ?? []).filter { !except.contains($0["id"]?.string ?? "") }
        return ["format": "study-log", "version": 2, "sessions": [session], "events": .array(kept)]
    }

    @Test func `a session that one document lacks and the other changed stays with its events`() throws {
        var deleted = try log(except: ["1", "2", "3"])
        deleted["sessions"] = []
        let sides = (try log("Algebra"), deleted)
        for (ours, theirs) in [(sides.0, sides.1), (sides.1, sides.0)] {
            let merge = try DocumentMerge(base: log(), ours: ours, theirs: theirs, try Schemas.study(), .study)
            #expect(merge.document["sessions"]?.array?.map { $0["title"] } == ["Algebra"])
            #expect(merge.document["events"]?.array?.map { $0["id"] } == ["1", "2", "3"])
            #expect(merge.conflicts.map(\.kind) == [.deletedRecord])
            #expect(merge.conflicts.map(\.key) == [RecordKey("sessions", "s")])
        }
    }

    @Test func `an event that one document lacks is gone where the other changed the session`() throws {
        let sides = (try log("Algebra"), try log(except: ["2"]))
        for (ours, theirs) in [(sides.0, sides.1), (sides.1, sides.0)] {
            let merge = try DocumentMerge(base: log(), ours: ours, theirs: theirs, try Schemas.study(), .study)
            #expect(merge.document["sessions"]?.array?.map { $0["title"] } == ["Algebra"])
            #expect(merge.document["events"]?.array?.map { $0["id"] } == ["1", "3"])
            #expect(merge.conflicts.isEmpty)
        }
    }

    @Test func `a perfect day that one document earned stays, whatever became of the habits`() throws {
        let schema = try Schemas.slate()
        let ours = try json(
            #"{"habits":[{"id":"h","created_at":"2026-01-01T08:00:00Z","active":true}],"#
                + #""habit_completions":[{"id":"1","habit_id":"h","date":"2026-01-02"}],"#
                + #""day_plan":[{"date":"2026-01-02","perfect_day":1},{"date":"2026-01-01","perfect_day":1}]}"#
        )
        // Another habit since; an old copy that lacks the completion, and calls the day so.
        var theirs = ours
        theirs["habits"] = [
            ["id": "h", "created_at": "2026-01-01T08:00:00Z", "active": true],
            ["id": "i", "created_at": "2026-02-01T08:00:00Z", "active": true],
        ]
        theirs["habit_completions"] = []
        theirs["day_plan"] = [["date": "2026-01-02", "perfect_day": 0], ["date": "2026-01-01", "perfect_day": 1]]
        for base in [JSONValue?.none, ours] {
            for (one, other) in [(ours, theirs), (theirs, ours)] {
                let merge = try DocumentMerge(base: base, ours: one, theirs: other, schema, .slate)
                let days = merge.document["day_plan"]?.array ?? []
                let flag = days.first { $0["date"] == "2026-01-02" }?["perfect_day"]
                // With a base the other document took the completion back, having seen it.
                #expect(flag == (base == nil ? 1 : 0))
                #expect(days.first { $0["date"] == "2026-01-01" }?["perfect_day"] == 1)
            }
        }
    }

    @Test func `a perfect day stays where another device only opened the app, and its habits are gone since`() throws {
        let schema = try Schemas.slate()
        let earned = try json(
            #"{"habits":[],"habit_completions":[{"id":"1","habit_id":"h","date":"2026-01-02"}],"#
                + #""day_plan":[{"date":"2026-01-02","perfect_day":1}]}"#
        )
        let opened = try json(
            #"{"habits":[],"habit_completions":[],"day_plan":[{"date":"2026-01-02","perfect_day":0}],"#
                + #""day_snapshots":[{"date":"2026-01-02","habits":[]}]}"#
        )
        for (one, other) in [(earned, opened), (opened, earned)] {
            let merge = try DocumentMerge(base: nil, ours: one, theirs: other, schema, .slate)
            #expect(merge.document["day_plan"] == [["date": "2026-01-02", "perfect_day": 1]])
        }
        // Nobody called it perfect, or nothing was done on it: then it is not.
        for flag in [0, 1] {
            var other = earned
            other["day_plan"] = [["date": "2026-01-02", "perfect_day": .number(flag)]]
            if flag == 1 { other["habit_completions"] = [] }
            let merge = try DocumentMerge(base: nil, ours: opened, theirs: other, schema, .slate)
            #expect(merge.document["day_plan"] == [["date": "2026-01-02", "perfect_day": 0]])
        }
    }

    @Test func `whoever merges, a day is what the one said of it who knew all of it`() throws {
        let schema = try Schemas.slate()
        func document(_ day: Int?, isTicked: Bool, isActive: Bool) throws -> JSONValue {
            let since = #""created_at":"2025-01-01T08:00:00Z","updated_at":"2025-0"#
            let run = #"{"id":"run",\#(since)\#(isActive ? 6 : 1)-01T08:00:00Z","active":\#(isActive)}"#
            let tick = #"{"id":"1","habit_id":"read","date":"2025-03-01"}"#
            let row = day.map { #"{"date":"2025-03-01","perfect_day":\#($0)}"# } ?? ""
            return try json(
                #"{"habits":[{"id":"read",\#(since)1-01T08:00:00Z","active":true},\#(run)],"#
                    + #""habit_completions":[\#(isTicked ? tick : "")],"day_plan":[\#(row)]}"#
            )
        }
        func flag(_ base: JSONValue?, _ ours: JSONValue, _ theirs: JSONValue) throws -> [JSONValue?] {
            try [(ours, theirs), (theirs, ours)].map { one, other in
                let merge = try DocumentMerge(base: base, ours: one, theirs: other, schema, .slate)
                return merge.document["day_plan"]?.array?.first?["perfect_day"]
            }
        }
        // Read alone made the day perfect; Run was woken since. The other file's app was merely opened on the day.
        let paused = try document(nil, isTicked: false, isActive: false)
        let earned = try document(1, isTicked: true, isActive: true)
        let opened = try document(0, isTicked: false, isActive: false)
        #expect(try flag(paused, earned, opened) == [1, 1])
        #expect(try flag(nil, earned, opened) == [1, 1])
        // Run was not done, and was paused since in one file: that makes no perfect day.
        let active = try document(nil, isTicked: false, isActive: true)
        let open = try document(0, isTicked: true, isActive: true)
        #expect(try flag(active, open, opened) == [0, 0])
        #expect(try flag(nil, open, opened) == [0, 0])
    }

    @Test func `a task that both did is done since the earlier moment, without a conflict`() throws {
        let schema = try Schemas.slate()
        func document(_ isDone: Bool, _ moment: JSONValue) -> JSONValue {
            ["tasks": [["id": "t", "title": "Milk", "is_done": .bool(isDone), "done_at": moment]]]
        }
        let (base, early) = (document(false, .null), document(true, "2026-01-02T09:00:00+02:00"))
        for late in ["2026-01-02T08:00:00Z", JSONValue.null] {
            for (one, other) in [(early, document(true, late)), (document(true, late), early)] {
                let merge = try DocumentMerge(base: base, ours: one, theirs: other, schema, .slate)
                #expect(merge.document["tasks"] == early["tasks"])
                #expect(merge.conflicts.isEmpty)
            }
        }
        // Whether it is done at all they do not agree on here.
        let open = document(false, "2026-01-02T08:00:00Z")
        #expect(try DocumentMerge(base: base, ours: early, theirs: open, schema, .slate).conflicts.count == 1)
    }

    @Test("The same insertion or order in both is no conflict, and what one side adds beside it has its place")
    func sameChanges() throws {
        func document(_ sessions: [(id: String, blocks: [String])]) throws -> JSONValue {
            let list = sessions.map { session in
                let items = session.blocks.map { #"{"id":"\#($0)","label":"\#($0)"}"# }.joined(separator: ",")
                return #"{"id":"\#(session.id)","name":"n","items":[\#(items)]}"#
            }
            return try json(#"{"sessions":[\#(list.joined(separator: ","))]}"#)
        }
        func merge(_ sides: [[(id: String, blocks: [String])]]) throws -> DocumentMerge {
            let documents = try sides.map(document)
            return try DocumentMerge(base: documents[0], ours: documents[1], theirs: documents[2], Schemas.bztimer())
        }
        func blocks(_ merge: DocumentMerge) -> [String] {
            (merge.document["sessions"]?.array ?? []).flatMap { session in
                (session["items"]?.array ?? []).compactMap { $0["id"]?.string }
            }
        }
        let cases: [(base: [String], ours: [String], theirs: [String], merged: [String])] = [
            (["a", "b"], ["a", "n", "b"], ["a", "n", "b"], ["a", "n", "b"]),
            (["a", "b", "c"], ["c", "b", "a"], ["c", "b", "a"], ["c", "b", "a"]),
            (["a", "b"], ["a", "n", "b"], ["a", "x", "n", "b"], ["a", "x", "n", "b"]),
            (["a", "b"], ["a", "n", "b"], ["a", "n", "x", "b"], ["a", "n", "x", "b"]),
            (["a", "b", "c"], ["a", "n", "c"], ["a", "n", "b", "c"], ["a", "n", "c"]),
            (["a", "b"], ["a", "n", "m", "b"], ["a", "n", "m", "b", "z"], ["a", "n", "m", "b", "z"]),
        ]
        for (base, ours, theirs, merged) in cases {
            let found = try merge([base, ours, theirs].map { [(id: "s", blocks: $0)] })
            #expect(told(found.conflicts) == [] && blocks(found) == merged, "\(ours) \(theirs): \(blocks(found))")
        }
        let added = try merge([[], [("s", ["a", "b"])], [("s", ["a", "b", "c"])]])
        #expect(told(added.conflicts) == [] && blocks(added) == ["a", "b", "c"], "\(told(added.conflicts))")
        // Different places are one still.
        let moved = try merge([["a", "b"], ["a", "n", "b"], ["a", "b", "n"]].map { [(id: "s", blocks: $0)] })
        #expect(told(moved.conflicts) == ["moved sessions s items n"] && blocks(moved) == ["a", "n", "b"])
        let orders = try ["1 2 3", "3 1 2", "3 1 2"].map { ids in
            let presets = ids.split(separator: " ").map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            return try json(#"{"format":"gympulse-presets","version":2,"presets":[\#(presets)]}"#)
        }
        let presets = try DocumentMerge(base: orders[0], ours: orders[1], theirs: orders[2], Schemas.presets())
        #expect(presets.conflicts.isEmpty && presets.document == orders[1])
    }
}
