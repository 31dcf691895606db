import CivilTime
import FormatKit
import GymPulse
import RecordStore
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct TrackerImportTests {
    private let box: TrackerSandbox

    init() throws { box = try TrackerSandbox() }

    private func activity(_ id: String, _ name: String, _ start: String, _ end: String?) -> TrackerActivity {
        TrackerActivity(
            id: id,
            name: name,
            start: moment("2026-03-01T\(start)Z"),
            end: end.map { moment("2026-03-01T\($0)Z") }
        )
    }

    private func entry(_ name: String, _ start: String, _ end: String?, identity: String? = nil, row: Int = 1)
        -> TimeEntry
    {
        TimeEntry(
            name: name,
            start: moment("2026-03-01T\(start)Z"),
            end: end.map { moment("2026-03-01T\($0)Z") },
            identity: identity,
            place: EntryPlace(record: row, kind: "row", line: row + 1)
        )
    }

    @discardableResult
    private func add(
        _ entries: [TimeEntry],
        source: String = "toggl",
        _ name: String = "tracker.db",
        options: TrackerImportOptions = TrackerImportOptions()
    ) throws -> TrackerImportPlan {
        try box.writing(name).importing(entriesOf: source, options: options) { take in try entries.forEach(take) }.plan
    }

    @discardableResult
    private func add(_ activities: [TrackerActivity], buttons: [ActivityButton] = [], update: Bool = false) throws
        -> TrackerImportPlan
    {
        let content = try TrackerContent.made(activities, buttons: buttons)
        return try box.writing().importing(content, options: TrackerImportOptions(update: update)).plan
    }

    // MARK: What else a record says

    @Test func whatElseARecordSaysIsKept() throws {
        func entries(_ preserved: JSONObject, identity: String? = nil) -> [TimeEntry] {
            var first = entry("Work", "08:00:00", "09:00:00", identity: identity)
            first.preserved = preserved
            return [first]
        }
        for (name, identity) in [("a.db", nil), ("b.db", "uid")] as [(String, String?)] {
            // A store from before these were kept.
            try add(entries([:], identity: identity), name)
            let whole: JSONObject = ["client": "Big Company", "billable": true, "columns": ["Amount (EUR)": "111.11"]]
            let kept = try add(entries(whole, identity: identity), name)
            #expect(kept.count(.conflict, .activity) == 1)
            #expect(try box.activities(name).map(\.unknownMembers) == [[:]])
            let update = TrackerImportOptions(update: true)
            #expect(
                try add(entries(whole, identity: identity), name, options: update).count(.update, .activity) == 1
            )
            #expect(try box.activities(name).map(\.unknownMembers) == [whole])
            // Again, and with less, there is nothing to do.
            #expect(try add(entries(whole, identity: identity), name).line == "activity: skip 1")
            #expect(try add(entries(["billable": true], identity: identity), name).line == "activity: skip 1")
            #expect(try box.activities(name).map(\.unknownMembers) == [whole])
        }
    }

    @Test func twiceWithAnotherDescriptionIsNotCountedTwice() throws {
        var first = entry("Work", "08:00:00", "09:00:00", identity: "u")
        var second = first
        (first.preserved, second.preserved) = (["description": "a"], ["description": "b"])
        let plan = try add([first, second])
        #expect(plan.count(.create, .activity) == 1 && plan.count(.conflict, .activity) == 1)
        #expect(try box.activities().map(\.unknownMembers) == [["description": "a"]])
        // Without ids they are two, as before.
        (first.identity, second.identity) = (nil, nil)
        #expect(try add([first, second], source: "toggl", "c.db").count(.create, .activity) == 2)
        #expect(try box.activities("c.db").map(\.unknownMembers).count == 2)
    }

    @Test func whatASourceLeavesEmptyIsNamedAndTakenOnRequest() throws {
        let whole: JSONObject = [
            "client": "Big Company", "description": "Cards", "task": "Own",
            "columns": ["User": "Ada", "Amount (EUR)": "111.11", "Rate": "80"],
        ]
        let places = SourcePlaces(members: ["client", "description", "tags"], columns: ["User", "Amount (EUR)"])
        for (name, identity) in [("a.db", nil), ("b.db", "uid")] as [(String, String?)] {
            var found = entry("Work", "08:00:00", "09:00:00", identity: identity)
            (found.preserved, found.places) = (whole, places)
            try add([found], name)
            #expect(try add([found], name).line == "activity: skip 1")
            found.preserved = ["client": "Other", "columns": ["User": "Ada"]]
            let kept = try add([found], name)
            #expect(kept.line == "activity: conflict 1")
            let reason = kept.actions.first?.reason ?? ""
            #expect(["client", "description", "Amount (EUR)"].allSatisfy { reason.contains($0) }, "\(reason)")
            #expect(!reason.contains("task") && !reason.contains("Rate"), "\(reason)")
            #expect(try box.activities(name).map(\.unknownMembers) == [whole])
            let update = TrackerImportOptions(update: true)
            #expect(try add([found], name, options: update).line == "activity: update 1")
            // What the source has no place for stays.
            let left: JSONObject = ["client": "Other", "task": "Own", "columns": ["User": "Ada", "Rate": "80"]]
            #expect(try box.activities(name).map(\.unknownMembers) == [left])
            #expect(try add([found], name).line == "activity: skip 1")
        }
    }

    @Test func anEventThatComesTwiceMayLeaveSomethingEmptyTheSecondTime() throws {
        var whole = entry("Call", "08:00:00", "09:00:00", identity: "uid")
        whole.places = SourcePlaces(members: ["description"])
        var less = whole
        whole.preserved = ["description": "secret"]
        less.place = EntryPlace(record: 2, kind: "row", line: 3)
        for rows in [[whole, less], [less, whole]] {
            try add([whole], "twice.db")
            let plan = try add(rows, "twice.db")
            #expect(plan.line == "activity: skip 2", "\(plan.actions.map(\.reason))")
        }
    }

    /// A table without some columns says nothing of what would stand there.
    @Test func whatATableHasNoColumnForStays() throws {
        func take(_ activities: [TrackerActivity], _ places: SourcePlaces, update: Bool) throws -> TrackerImportPlan {
            let options = TrackerImportOptions(update: update)
            return try box.writing().importing(itemsOf: "tracker-csv", options: options) { take in
                try take(.heading(TrackerHeading(places: places)))
                for row in activities { try take(.activity(row, EntryPlace(kind: "row"))) }
            }.plan
        }
        var first = activity("a", "Work", "08:00:00", "09:00:00")
        (first.buttonID, first.color) = ("b", "#123456")
        first.unknownMembers = ["client": "Big", "tags": ["x"], "columns": ["Amount (EUR)": "50.00"], "mood": 3]
        try add([first])
        var row = activity("a", "Work", "08:00:00", "09:00:00")
        let none = SourcePlaces(members: ["description"])
        #expect(try take([row], none, update: true).line == "activity: skip 1")
        row.unknownMembers = ["description": "Tables"]
        let conflict = try take([row], none, update: false)
        #expect(conflict.actions.map(\.reason).first?.hasSuffix("; differing: description") == true)
        let update = try take([row], none, update: true)
        #expect(update.actions.map(\.reason).first?.hasSuffix("; changed: description") == true)
        first.unknownMembers["description"] = "Tables"
        #expect(try box.activities() == [first])
        // An empty cell removes, and the plan names what goes.
        let some = SourcePlaces(members: ["client", "amount"])
        row.unknownMembers = ["amount": "50.00 EUR"]
        let removal = try take([row], some, update: true)
        #expect(removal.actions.map(\.reason).first?.hasSuffix("; removed: client") == true)
        first.unknownMembers["client"] = nil
        #expect(try box.activities() == [first])
        // The cell of the amount shows that of the report, and an empty one hides it.
        row.unknownMembers = [:]
        #expect(try take([row], some, update: true).line == "activity: update 1")
        #expect(try box.activities().first?.detail(.amount) == nil)
        #expect(try take([row], some, update: true).line == "activity: skip 1")
        // A copied row is an entry of its own, which gets nothing of the original.
        let copy = activity("a", "Work", "10:00:00", "11:00:00")
        #expect(try take([row, copy], some, update: false).line == "activity: create 1, skip 1")
        #expect(try box.activities().last?.unknownMembers == [:])
    }

    /// The app knows no client: what a person added stays when its own log comes again with another end.
    @Test func whatTheAppsLogHasNoPlaceForStays() throws {
        func log(end: Int, _ more: String = "") throws -> TrackerContent {
            let first = #"{"id":"a","name":"Work","startTime":1772352000000,"endTime":\#(end)\#(more)}"#
            let second = #"{"id":"b","name":"Work","startTime":1772366400000,"endTime":1772370000000}"#
            return try .read(Array(#"{"activities":[\#(first),\#(second)],"buttons":[]}"#.utf8))
        }
        func take(_ content: TrackerContent, update: Bool) throws -> TrackerImportPlan {
            try box.writing().importing(content, options: TrackerImportOptions(update: update)).plan
        }
        var first = activity("a", "Work", "08:00:00", "09:00:00")
        var second = activity("b", "Work", "12:00:00", "13:00:00")
        (first.buttonID, first.color) = ("b", "#123456")
        first.unknownMembers = ["client": "Acme", "billable": true, "amount": "200 EUR", "mood": 3]
        second.unknownMembers = first.unknownMembers
        try add([first, second])
        let conflict = try take(try log(end: 1_772_359_200_000), update: false)
        #expect(conflict.line == "activity: skip 1, conflict 1")
        #expect(conflict.actions.first?.reason.hasSuffix("; differing: end, button, colour") == true)
        let update = try take(try log(end: 1_772_359_200_000), update: true)
        #expect(update.line == "activity: update 1, skip 1")
        (first.end, first.buttonID, first.color) = (moment("2026-03-01T10:00:00Z"), nil, nil)
        #expect(try box.activities() == [first, second])
        // The app writes no offsets: a time that it has as it was keeps its own.
        var local = first
        local.start = ZonedTimestamp(first.start.moment, offsetMinutes: 60)
        local.name = "Wrok"
        try add([local, second], update: true)
        let renamed = try take(try log(end: 1_772_359_200_000), update: true)
        #expect(renamed.actions.first { $0.verb == .update }?.reason.hasSuffix("; changed: name") == true)
        #expect(try box.activities().first?.start == local.start)
        // A member that an activity of the file has is one that the others are without.
        let member = try take(try log(end: 1_772_359_200_000, #","client":"Big""#), update: true)
        #expect(member.line == "activity: update 2")
        #expect(member.actions.map(\.reason).last?.hasSuffix("; removed: client") == true)
        #expect(try box.activities().map { $0.detail(.client) } == ["Big", nil])
        #expect(try box.activities().map { $0.detail(.amount) } == ["200 EUR", "200 EUR"])
    }

    /// An event that comes back in whole seconds and without an end is not another one for that.
    @Test func whatAStrippedEventCannotSayStays() throws {
        var stored = activity("a", "Work", "08:00:00.250", "09:00:00.750")
        stored.start = ZonedTimestamp(stored.start.moment, offsetMinutes: 60)
        stored.unknownMembers = ["client": "Acme", "description": "Cards\r\nand \u{1}more"]
        try add([stored, activity("r", "Work", "12:00:00", nil)])
        var event = entry("Work", "08:00:00", "09:00:00", identity: "a")
        event.preserved = ["description": "Cards\nand more"]
        event.places = SourcePlaces(members: ["description"])
        var running = entry("Work", "12:00:00", "12:00:00", identity: "r")
        running.places = event.places
        (event.places.isInSeconds, running.places.isInSeconds) = (true, true)
        let update = TrackerImportOptions(update: true)
        #expect(try add([event, running], options: update).line == "activity: skip 2")
        // Who moves the event has moved it.
        event.start = moment("2026-03-01T07:00:00Z")
        let moved = try add([event, running], options: update)
        #expect(moved.line == "activity: update 1, skip 1")
        #expect(moved.actions.contains { $0.reason.hasSuffix("; changed: start") })
        stored.start = event.start
        #expect(try box.activities().first == stored)
    }

    // MARK: Records with the same name and times

    @Test func anEqualActivityIsMatchedFirst() throws {
        func person(_ name: String, _ amount: String) -> TimeEntry {
            var found = entry("Web", "09:00:00", "10:00:00")
            found.preserved = ["columns": ["User": .string(name), "Amount (EUR)": .string(amount)]]
            return found
        }
        let (ada, bob) = (person("Ada", "100.00"), person("Bob", "50.00"))
        for (name, rows) in [("a.db", [bob, ada]), ("b.db", [ada, bob])] {
            try add([ada], name)
            #expect(try add(rows, name).line == "activity: create 1, skip 1")
            #expect(try add(rows, name).line == "activity: skip 2")
            #expect(try box.activities(name).map { $0.detail(.amount) ?? "" }.sorted() == ["100.00 EUR", "50.00 EUR"])
        }
        // Of those that differ, the one that differs least is the same, changed since.
        let changed = person("Ada", "120.00")
        try add([ada], "c.db")
        let update = TrackerImportOptions(update: true)
        #expect(try add([bob, changed], "c.db", options: update).line == "activity: create 1, update 1")
        #expect(try box.activities("c.db").map { $0.detail(.amount) ?? "" }.sorted() == ["120.00 EUR", "50.00 EUR"])
    }

    @Test func anEntryOfAnotherPersonIsAnotherEntry() throws {
        func row(_ user: String, _ email: String, _ note: String, _ end: String) -> TimeEntry {
            var found = entry("Engine", "10:00:00", end)
            found.preserved = ["description": .string(note), "columns": ["User": .string(user)]]
            if !email.isEmpty { found.preserved["columns"] = ["User": .string(user), "Email": .string(email)] }
            return found
        }
        let update = TrackerImportOptions(update: true)
        let (ada, bob) = (row("Ada", "ada@x", "tables", "12:00:00"), row("Bob", "bob@x", "cards", "15:00:00"))
        try add([ada])
        #expect(try add([bob], options: update).line == "activity: create 1")
        for rows in [[bob], [ada], [bob, ada]] { #expect(try add(rows, options: update).isEmpty) }
        #expect(try box.activities().map { $0.detail(.description) ?? "" }.sorted() == ["cards", "tables"])
        // With the same times as well, and with the first one's row after it.
        let same = row("Bob", "bob@x", "tables", "12:00:00")
        try add([ada], "same.db")
        #expect(try add([same, ada], "same.db", options: update).line == "activity: create 1, skip 1")
        #expect(try add([same, ada], "same.db", options: update).line == "activity: skip 2")
        // A person with a new address looks like another one: who reads the plan has to see it.
        try add([ada], "remark.db")
        let remark = "the store has \"Engine\" from the same start to the same end"
        #expect(try add([same], "remark.db").actions.first?.reason.contains(remark) == true)
        // Somebody with one address and another name is the same person; without addresses the names count.
        #expect(try add([row("Ada B", "ADA@x", "tables", "12:00:00")], "same.db").line == "activity: conflict 1")
        try add([row("Ada", "", "tables", "12:00:00")], "names.db")
        #expect(try add([row("Bob", "", "tables", "12:00:00")], "names.db").line == "activity: create 1")
        // An overlap with another person's entry is no correction.
        var later = row("Bob", "", "tables", "13:00:00")
        later.start = moment("2026-03-01T11:00:00Z")
        try add([row("Ada", "", "tables", "12:00:00")], "overlap.db")
        #expect(try add([later], "overlap.db").notes == [])
        // Also under ids, as an export has them.
        var stored = activity("x", "Engine", "10:00:00", "12:00:00")
        stored.unknownMembers = same.preserved
        try add([ada], "export.db")
        let result = try box.writing("export.db").importing(buttons: []) { try $0(stored, EntryPlace(kind: "row")) }
        #expect(result.plan.line == "activity: create 1")
    }

    /// Two people who import their reports at home get two entries where their stores meet.
    @Test func thePersonIsPartOfTheID() throws {
        func row(_ address: String, untimed: Bool) -> TimeEntry {
            var found = entry("Web", "09:00:00", "10:00:00")
            if !address.isEmpty { found.preserved = ["columns": ["User": "Kim", "Email": .string(address)]] }
            guard untimed else { return found }
            let day = moment("2026-03-01T00:00:00Z").moment
            found.untimed = TimeEntry.Untimed(source: "harvest", day: day, words: ["2026-03-01", "Web", "3600"])
            return found
        }
        let update = TrackerImportOptions(update: true)
        for untimed in [false, true] {
            let (ada, bob) = (row("ada@x", untimed: untimed), row("bob@x", untimed: untimed))
            func ids(_ name: String) throws -> Set<String> { Set(try box.activities("\(untimed)-\(name)").map(\.id)) }
            try add([ada], "\(untimed)-ada.db")
            try add([bob], "\(untimed)-bob.db")
            let both = try ids("ada.db").union(ids("bob.db"))
            #expect(both.count == 2)
            try add([bob, row("ADA@x", untimed: untimed)], "\(untimed)-both.db")
            #expect(try ids("both.db") == both)
            // The id of an earlier version says nothing of the person.
            let name = "\(untimed)-former.db"
            try add([row("", untimed: untimed)], name)
            #expect(try add([ada], name, options: update).line == "activity: update 1")
            #expect(try add([ada, ada], name).line == "activity: create 1, skip 1")
            #expect(try add([ada, bob, ada], name).line == "activity: create 1, skip 2")
            #expect(try add([ada, ada, bob], name).line == "activity: skip 3")
            #expect(try ids("former.db").isSuperset(of: both))
        }
    }

    /// A part of a report and then the whole give the whole, in whatever order the rows come.
    @Test func aPartAndTheWholeGiveTheWhole() throws {
        func line(_ name: String, _ end: ZonedTimestamp?, _ details: JSONObject) -> String {
            "\(name) \(end?.moment.seconds ?? 0) \(JSONValue.object(details).text(.canonical))"
        }
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            let rows = (0..<12).map { row in
                let end = ["10:00:00", "11:00:00"][Int(random.next() % 2)]
                var found = entry(["Web", "Ops"][Int(random.next() % 2)], "09:00:00", end, row: row)
                for detail in ["description", "client"] where random.next() % 3 > 0 {
                    found.preserved[detail] = .string("\(random.next() % 2)")
                }
                return found
            }
            let name = "\(seed).db"
            try add(Array(rows.shuffled(using: &random).prefix(5)), name)
            let whole = try add(rows.shuffled(using: &random), name)
            #expect(whole.count(.create, .activity) == 7 && whole.count(.skip, .activity) == 5, "seed \(seed)")
            #expect(try add(rows.shuffled(using: &random), name).line == "activity: skip 12", "seed \(seed)")
            let stored = try box.activities(name).map { line($0.name, $0.end, $0.unknownMembers) }
            #expect(stored.sorted() == rows.map { line($0.name, $0.end, $0.preserved) }.sorted(), "seed \(seed)")
        }
    }

    /// A corrected entry is one more, and named; an entry beside another one that the report has too is not.
    @Test func aCorrectedEntryIsNamed() throws {
        try add([entry("Web", "09:00:00", "10:00:00"), entry("Ops", "09:00:00", "10:00:00")])
        let corrected = try add([entry("Web", "09:30:00", "10:00:00", row: 2), entry("Ops", "09:00:00", "10:00:00")])
        #expect(corrected.line == "activity: create 1, skip 1")
        #expect(corrected.notes.count == 1)
        let id = try #require(try box.activities().first { $0.name == "Web" }?.id)
        #expect(corrected.notes.first?.hasPrefix("row 2 (line 3): \"Web\" from 2026-03-01T09:30:00Z") == true)
        #expect(corrected.notes.first?.hasSuffix(": tracker-export entries delete \(id)") == true)
        let beside = try add([entry("Ops", "09:30:00", "09:45:00"), entry("Ops", "09:00:00", "10:00:00")])
        #expect(beside.line == "activity: create 1, skip 1" && beside.notes == [])
        // One that follows does not overlap.
        #expect(try add([entry("Web", "10:00:00", "11:00:00")]).notes == [])
    }

    /// A project that gets another name in the other program would double the month.
    @Test func anEntryWithAnotherNameIsCountedAndRenamedOnRequest() throws {
        func row(_ hour: Int, _ project: String?, _ note: String = "a", rate: String = "80", user: String = "ada")
            -> TimeEntry
        {
            var found = entry(project ?? note, "\(hour):00:00", "\(hour + 1):00:00", row: hour)
            found.preserved = [
                "description": .string(note),
                "columns": ["User": "Kim", "Email": .string("\(user)@x"), "Rate": .string(rate)],
            ]
            found.preserved["project"] = project.map(JSONValue.string)
            found.places = SourcePlaces(members: ["project", "description"], columns: ["Rate"])
            return found
        }
        let update = TrackerImportOptions(update: true)
        let old = [row(10, "Webiste"), row(12, "Webiste"), row(14, nil)]
        let new = [row(10, "Website"), row(12, "Website"), row(14, "Website"), row(16, "Website")]
        try add(old, "a.db")
        let doubled = try add(new, "a.db")
        #expect(doubled.line == "button: create 1; activity: create 4")
        #expect(doubled.notes.count == 1)
        #expect(doubled.notes.first?.hasPrefix("3 new entries have the start and end") == true, "\(doubled.notes)")
        #expect(doubled.notes.first?.contains("\"Webiste\"") == true, "\(doubled.notes)")
        try add(old, "b.db")
        let dry = TrackerImportOptions(update: true, isDryRun: true)
        let planned = try box.reading("b.db").importing(entriesOf: "toggl", options: dry) { try new.forEach($0) }.plan
        let taken = try add(new, "b.db", options: update)
        #expect(taken == planned && taken.notes == [])
        #expect(taken.line == "button: create 1; activity: create 1, update 3")
        #expect(try box.activities("b.db").map(\.name) == Array(repeating: "Website", count: 4))
        #expect(try Set(box.activities("b.db").map(\.buttonID)).count == 1)
        #expect(try add(new, "b.db").line == "activity: skip 4")
        // Earlier versions took the dash of an empty cell for a name.
        try add([row(10, "-", "tables")], "dash.db")
        #expect(try add([row(10, nil, "tables")], "dash.db", options: update).count(.update, .activity) == 1)
        #expect(try box.activities("dash.db").map(\.name) == ["tables"])
        #expect(try box.activities("dash.db").first?.unknownMembers["project"] == nil)
        // So it is without a request, with the button of the name.
        try add([row(10, "-", "tables")], "button.db")
        #expect(try add([row(10, nil, "tables")], "button.db").count(.update, .activity) == 1)
        let buttons = try box.reading("button.db").read { try $0.buttons() }
        #expect(try box.activities("button.db").map(\.buttonID) == [buttons.first { $0.name == "tables" }?.id])
        // What the file has under both names is two, and so is what differs otherwise or may be one of two.
        for (number, rows) in [
            [row(10, "Website"), row(10, "Webiste")], [row(10, "Website", rate: "90")],
            [row(10, "Website", "b")], [row(10, "Website"), row(10, "Wiki")],
        ].enumerated() {
            try add([row(10, "Webiste")], "\(number).db")
            let plan = try add(rows, "\(number).db", options: update)
            #expect(plan.count(.update, .activity) == 0, "\(number)")
            #expect(try box.activities("\(number).db").count == (number == 3 ? 3 : 2))
            #expect(plan.notes.count == (number == 0 ? 0 : 1), "\(number): \(plan.notes)")
        }
        // Another program's report may call the same time otherwise.
        try add([row(10, "Webiste")], "c.db")
        let other = try add([row(10, "Website")], source: "clockify", "c.db", options: update)
        #expect(other.line == "button: create 1; activity: create 1")
        // A person's new address, and another person.
        try add([row(10, "Web")], "d.db")
        let address = try add([row(10, "Web", user: "ada2")], "d.db", options: update)
        #expect(address.line == "activity: create 1" && address.notes.count == 1)
        #expect(address.notes.first?.contains("another address") == true, "\(address.notes)")
        var bob = row(10, "Web", user: "bob")
        bob.preserved["columns"] = ["User": "Bob", "Email": "bob@x", "Rate": "80"]
        #expect(try add([bob], "d.db", options: update).notes == [])
    }

    @Test func entriesWithoutTimesAreMatchedByWhatTheySay() throws {
        func row(_ person: String, _ start: String, _ end: String) -> TimeEntry {
            var found = entry("Web", start, end)
            found.untimed = TimeEntry.Untimed(
                source: "harvest",
                day: moment("2026-03-01T00:00:00Z").moment,
                words: ["2026-03-01", "Web", "3600"]
            )
            found.preserved = ["columns": ["First Name": .string(person)]]
            return found
        }
        try add([row("Ada", "09:00:00", "10:00:00")], source: "harvest")
        let team = [row("Bob", "09:00:00", "10:00:00"), row("Ada", "10:00:00", "11:00:00")]
        // The report lays Ada's entry otherwise, and the store's stays as it is.
        #expect(try add(team, source: "harvest").line == "activity: create 1, conflict 1")
        let people = try box.activities().map { $0.unknownMembers["columns"]?["First Name"]?.string ?? "" }
        #expect(people.sorted() == ["Ada", "Bob"])
        #expect(try add(team, source: "harvest").line == "activity: skip 1, conflict 1")
    }

    /// An import with another zone means other times of the same entry.
    @Test func entriesWithoutTimesAreTheSameInAnyTimeZone() throws {
        func row(_ start: String, _ end: String, from zonedDay: String, day: String) -> TimeEntry {
            var found = entry("Web", start, end)
            found.untimed = TimeEntry.Untimed(
                source: "harvest",
                day: moment(day).moment,
                words: ["2026-03-01", "Web", "3600"]
            )
            found.untimed?.zonedDay = moment(zonedDay).moment
            return found
        }
        let day = "2026-03-01T00:00:00Z"
        let berlin = row("08:00:00", "09:00:00", from: "2026-02-28T23:00:00Z", day: day)
        let york = row("14:00:00", "15:00:00", from: "2026-03-01T05:00:00Z", day: day)
        try add([berlin], source: "harvest")
        #expect(try add([berlin], source: "harvest").line == "activity: skip 1")
        #expect(try add([york], source: "harvest").line == "activity: conflict 1")
        // The id of an earlier version of the program began with the day's start in the zone.
        var former = berlin
        former.untimed?.day = moment("2026-02-28T23:00:00Z").moment
        try add([former], source: "harvest", "former.db")
        let id = try box.activities("former.db").first?.id
        #expect(try id != box.activities().first?.id)
        #expect(try add([berlin], source: "harvest", "former.db").line == "activity: skip 1")
        #expect(try add([berlin, berlin], source: "harvest", "former.db").line == "activity: create 1, skip 1")
        #expect(try box.activities("former.db").count == 2)
    }

    // MARK: Activities

    @Test func anOverlappingExportAddsWhatIsNew() throws {
        let all = (0..<100).map {
            activity("a\($0)", "Work", "00:\($0 % 60 < 10 ? "0" : "")\($0 % 60):\($0 / 60)0", "02:00:00")
        }
        #expect(try add(Array(all[..<60])).line == "activity: create 60")
        #expect(try add(Array(all[40...])).line == "activity: create 40, skip 20")
        #expect(try add(all).isEmpty)
        #expect(try box.activities().count == 100)
    }

    @Test func anIDWithOtherContentIsAConflict() throws {
        let first = activity("a", "Work", "08:00:00", "09:00:00")
        let second = activity("a", "Meal", "08:00:00", "10:00:00")
        try add([first])
        let plan = try add([second])
        #expect(plan.line == "activity: conflict 1")
        #expect(
            plan.actions.first?.reason
                == "the store has \"Work\" from 2026-03-01T08:00:00Z with that id, which is kept as it is; "
                + "differing: name, end"
        )
        #expect(plan.actions.first?.place == .pointer(JSONPointer(tokens: ["activities", "0"])))
        #expect(try box.activities() == [first])
        #expect(try add([second], update: true).line == "activity: update 1")
        #expect(try box.activities() == [second])
        // The same moments with another offset are the same.
        var third = second
        third.start = moment("2026-03-01T09:00:00+01:00")
        #expect(try add([third]).line == "activity: skip 1")
    }

    @Test func theSameContentWithAnotherIDIsThereAlready() throws {
        try add([activity("a", "Work", "08:00:00", "09:00:00")])
        let plan = try add([
            activity("b", "Work", "08:00:00", "09:00:00"), activity("c", "Work", "08:00:00", "09:00:00"),
        ])
        // One of the store stands for one of the file.
        #expect(plan.line == "activity: create 1, skip 1")
        #expect(try box.activities().map(\.id) == ["a", "c"])
    }

    /// A report has a running entry with a price of 0 and no description yet.
    @Test(arguments: [nil, "uid"] as [String?])
    func whatEndedTakesWhatItsSourceSaysNow(identity: String?) throws {
        let places = SourcePlaces(members: ["description", "client"], columns: ["Price", "Note", "Rate"])
        for update in [true, false] {
            let name = "\(update).db"
            var running = entry("Work", "08:00:00", nil, identity: identity)
            running.preserved = ["client": "Own", "columns": ["Price": "0", "Note": "a"]]
            running.places = places
            try add([running], source: "kimai", name)
            var ended = entry("Work", "08:00:00", "09:00:00", identity: identity)
            ended.preserved = ["description": "Cards", "client": "Other", "columns": ["Price": "120", "Rate": "80"]]
            ended.places = places
            let options = TrackerImportOptions(update: update)
            let plan = try add([ended], source: "kimai", name, options: options)
            #expect(plan.line == "activity: update 1")
            let reason = plan.actions.first?.reason ?? ""
            let words = update ? ["changed:", "client", "removed: Note"] : ["it keeps", "client", "Note"]
            #expect((words + ["Price"]).allSatisfy { reason.contains($0) }, "\(reason)")
            #expect(reason.contains("description") == update, "\(reason)")
            let stored = try #require(try box.activities(name).first)
            let columns: JSONObject =
                update ? ["Price": "120", "Rate": "80"] : ["Price": "0", "Note": "a", "Rate": "80"]
            #expect(stored.end == ended.end)
            #expect(stored.unknownMembers["client"] == (update ? "Other" : "Own"))
            #expect(stored.unknownMembers["description"] == "Cards")
            #expect(stored.unknownMembers["columns"] == .object(columns))
            #expect(try add([ended], source: "kimai", name).line == "activity: \(update ? "skip" : "conflict") 1")
        }
    }

    @Test func whatWasRunningGetsItsEnd() throws {
        try add([activity("a", "Work", "08:00:00", nil)])
        #expect(try add([activity("a", "Work", "08:00:00", "09:00:00")]).line == "activity: update 1")
        #expect(try box.activities().first?.end == moment("2026-03-01T09:00:00Z"))
        // An older export does not make it run again.
        #expect(try add([activity("a", "Work", "08:00:00", nil)]).line == "activity: skip 1")
        #expect(try add([entry("Work", "10:00:00", nil)]).line == "button: create 1; activity: create 1")
        #expect(try add([entry("Work", "10:00:00", "11:00:00")]).line == "activity: update 1")
        #expect(try add([entry("Work", "10:00:00", "11:00:00")]).line == "activity: skip 1")
        #expect(try box.activities().count == 2)
    }

    @Test func ofSeveralThatRunTheEarlierEnd() throws {
        try add([activity("a", "Work", "08:00:00", nil)])
        let plan = try add([activity("b", "Meal", "12:00:00", nil)])
        #expect(plan.line == "activity: create 1, update 1")
        #expect(
            plan.actions.last?.reason
                == "it ends at 2026-03-01T12:00:00Z, as \"Meal\" begins then and one runs at a time"
        )
        #expect(try box.activities().map(\.end) == [moment("2026-03-01T12:00:00Z"), nil])
        // The one that the file has began earlier.
        #expect(try add([entry("Study", "07:00:00", nil)]).line == "button: create 1; activity: create 1, update 1")
        #expect(try box.activities().map(\.isRunning) == [false, false, true])
        #expect(try box.activities().first?.end == moment("2026-03-01T12:00:00Z"))
    }

    // MARK: Buttons

    @Test func buttonsAreMatchedByName() throws {
        _ = try box.writing().write { try $0.addPresets() }
        let buttons = [
            ActivityButton(id: "x1", name: "WORK", color: "#000000", icon: "", position: 0),
            ActivityButton(id: "x2", name: "Gärten", color: "#000000", icon: "", position: 1),
            ActivityButton(id: "x3", name: "work", color: "#111111", icon: "", position: 2, isVisible: false),
        ]
        var work = activity("a", "Work", "08:00:00", "09:00:00")
        work.buttonID = "x1"
        var old = activity("b", "Work", "07:00:00", "08:00:00")
        old.buttonID = "x3"
        let plan = try add([work, old], buttons: buttons)
        #expect(plan.line == "button: create 2, skip 1; activity: create 2")
        #expect(try box.activities().map(\.buttonID) == ["x3", "preset-work"])
        #expect(try add([work, old], buttons: buttons).isEmpty)
        #expect(try add([entry("Ga\u{308}RTEN", "10:00:00", "11:00:00")]).line == "activity: create 1")
        #expect(try box.activities().last?.buttonID == "x2")
        // Into a store with activities, row by row.
        var more = activity("c", "Work", "12:00:00", "13:00:00")
        more.buttonID = "x1"
        #expect(try add([more], buttons: buttons).line == "button: skip 3; activity: create 1")
        #expect(try box.activities().last?.buttonID == "preset-work")
    }

    @Test func buttonsThatDifferInCaseComeOnce() throws {
        func button(_ id: String, _ name: String, _ position: Int) -> ActivityButton {
            ActivityButton(id: id, name: name, color: "#000000", icon: "", position: position)
        }
        try add([], buttons: [button("q", "Yoga", 5)])
        let file = [button("p1", "Yoga", 0), button("p2", "yoga", 1)]
        #expect(try add([], buttons: file).line == "button: create 1, skip 1")
        for _ in 1...2 { #expect(try add([], buttons: file).line == "button: skip 2") }
        #expect(try box.reading().read { try $0.buttons() }.map(\.id) == ["p2", "q"])
    }

    @Test func aButtonWithAnotherContentIsAConflict() throws {
        let button = ActivityButton(id: "x", name: "Work", color: "#000000", icon: "", position: 0)
        var other = button
        other.color = "#FFFFFF"
        try add([], buttons: [button])
        #expect(try add([], buttons: [other]).line == "button: conflict 1")
        #expect(try add([], buttons: [other], update: true).line == "button: update 1")
        #expect(try box.reading().read { try $0.buttons() } == [other])
    }

    @Test func aButtonKeepsWhatTheFileHasNothingOf() throws {
        var button = ActivityButton(id: "x", name: "Work", color: "#000000", icon: "", position: 0)
        var known = button
        known.unknownMembers = ["group": "office"]
        try add([], buttons: [known])
        #expect(try add([], buttons: [button], update: true).line == "button: skip 1")
        button.color = "#FFFFFF"
        #expect(try add([], buttons: [button], update: true).line == "button: update 1")
        known.color = button.color
        #expect(try box.reading().read { try $0.buttons() } == [known])
    }

    /// Buttons with one position stay in the order of their file, hidden ones among them.
    @Test func buttonsStayInTheirOrder() throws {
        let buttons = [("c", false), ("a", true), ("b", false), ("d", true)].map { id, isVisible in
            ActivityButton(id: id, name: id, color: "#000000", icon: "", position: 7, isVisible: isVisible)
        }
        let plan = try add([], buttons: buttons)
        #expect(plan.actions.map(\.name) == ["c", "a", "b", "d"])
        #expect(try box.reading().read { try $0.buttons() } == buttons)
        let last = ActivityButton(id: "z", name: "z", color: "#000000", icon: "", position: 2_147_483_647)
        try add([], buttons: [last])
        try add([entry("Lesen", "08:00:00", "09:00:00")])
        _ = try box.writing().write { try $0.addPresets() }
        #expect(TrackerFormat.read(try box.export()).isValid)
    }

    /// Of two buttons with one name that come one by one, the one that is shown takes the store's.
    @Test func buttonsThatComeOneByOneArePlannedTogether() throws {
        _ = try box.writing().write { try $0.addPresets() }
        let buttons = [("x", false), ("y", true)].map { id, isVisible in
            ActivityButton(id: id, name: "work", color: "#000000", icon: "", position: 0, isVisible: isVisible)
        }
        var activity = activity("a", "work", "08:00:00", "09:00:00")
        activity.buttonID = "y"
        let place = EntryPlace(kind: "row")
        let result = try box.writing().importing(itemsOf: "xml") { take in
            for button in buttons { try take(.button(button, place)) }
            try take(.activity(activity, place))
        }
        #expect(result.plan.line == "button: create 1, skip 1; activity: create 1")
        #expect(try box.activities().map(\.buttonID) == ["preset-work"])
    }

    @Test func coloursThatAreNoneAreNotStored() throws {
        var odd = entry("Lesen", "08:00:00", "09:00:00")
        odd.color = "rgb(1,2,3)"
        try add([odd])
        #expect(try box.activities().first?.color?.hasPrefix("#") == true)
        var activity = activity("a", "Work", "10:00:00", "11:00:00")
        activity.color = "red"
        var other = activity
        (other.id, other.color) = ("", nil)
        let result = try box.writing().importing(buttons: []) { take in
            try take(activity, EntryPlace(kind: "row"))
            try take(other, EntryPlace(kind: "row"))
        }
        #expect(result.plan.line == "activity: refuse 2")
        #expect(
            result.plan.actions.map(\.reason) == [
                "its colour is \"red\", which is none such as #3366CC", "it has no id",
            ]
        )
        #expect(TrackerFormat.read(try box.export()).isValid)
    }

    @Test func entriesMakeButtons() throws {
        #expect(
            try add([entry("exercise", "08:00:00", "09:00:00"), entry("Lesen", "09:00:00", "10:00:00")]).line
                == "button: create 2; activity: create 2"
        )
        let buttons = try box.reading().read { try $0.buttons() }
        #expect(buttons.map(\.name) == ["Exercise", "Lesen"])
        #expect(buttons.map(\.icon) == ["🏃", ""])
        #expect(buttons.map(\.isDefault) == [true, false])
        #expect(try box.activities().map(\.color) == buttons.map(\.color))
    }

    // MARK: Entries of other programs

    @Test func theSameFileTwiceAddsNothing() throws {
        let entries = [
            entry("Work", "08:00:00", "09:00:00"), entry("Work", "08:00:00", "09:00:00", row: 2),
            entry("Work", "08:00:00", "09:00:00", row: 3), entry("Meal", "12:00:00", "13:00:00", row: 4),
        ]
        #expect(try add(entries).line == "button: create 2; activity: create 4")
        #expect(try add(entries).line == "activity: skip 4")
        #expect(try add(Array(entries[1...])).line == "activity: skip 3")
        #expect(try add(entries + [entries[0]]).line == "activity: create 1, skip 4")
        #expect(try Set(box.activities().map(\.id)).count == 5)
        // The same from another program is there already.
        #expect(try add(entries, source: "clockify").line == "activity: skip 4")
        // Under another name it is not known to be the same.
        let plan = try add([entry("Lunch", "12:00:00", "13:00:00")], source: "clockify")
        #expect(plan.line == "button: create 1; activity: create 1")
        let reason = "1 h; the store has \"Meal\" from the same start to the same end"
        #expect(plan.actions.last?.reason == reason)
    }

    @Test func columnsOfTwoReportsStandBesideEachOther() throws {
        var entry = entry("Work", "08:00:00", "09:00:00")
        entry.preserved = ["billable": true, "columns": ["User": "Ada", "Amount (EUR)": "80.00"]]
        try add([entry])
        entry.preserved = ["billable": true, "columns": ["User": "Ada", "Billable Amount (EUR)": "80.00"]]
        let kept = try add([entry], source: "clockify")
        #expect(kept.count(.conflict, .activity) == 1)
        let reason = "the store has it, but not with this Billable Amount (EUR); it is kept as it is"
        #expect(kept.actions.last?.reason == reason)
        try add([entry], source: "clockify", options: TrackerImportOptions(update: true))
        let columns = try box.activities().first?.unknownMembers["columns"]?.object
        #expect(columns?.names == ["User", "Amount (EUR)", "Billable Amount (EUR)"])
        #expect(try add([entry], source: "clockify").line == "activity: skip 1")
    }

    /// A corrected report decides the amount, also where that stands under another heading or a person entered one.
    @Test(arguments: [
        ["Amount (USD)", "Amount (EUR)"], ["Amount ()", "Amount (EUR)"], ["Billable Amount (EUR)", "Amount (EUR)"],
    ])
    func anUpdateTakesTheAmountThatCounts(headings: [String]) throws {
        let update = TrackerImportOptions(update: true)
        func row(_ heading: String, _ amount: String) -> TimeEntry {
            var row = entry("Work", "08:00:00", "09:00:00")
            row.preserved = ["columns": ["User": "Ada", heading: .string(amount)]]
            row.places = SourcePlaces(columns: ["User", heading])
            return row
        }
        func amount() throws -> String? { try box.activities().first?.detail(.amount) }
        let (old, new) = (row(headings[0], "240.00"), row(headings[1], "300.00"))
        try add([old])
        let before = try amount()
        let kept = try add([new])
        #expect(kept.line == "activity: conflict 1")
        #expect(kept.actions.first?.reason.contains("\(headings[1]), amount") == true, "\(kept.actions)")
        #expect(try amount() == before)
        let taken = try add([new], options: update)
        #expect(taken.actions.first?.reason == "it gets from the source: \(headings[1]), amount")
        #expect(try amount() == "300.00 EUR")
        #expect(try add([new]).line == "activity: skip 1")
        // And back, without a member of its own.
        #expect(try add([old], options: update).line == "activity: update 1")
        #expect(try amount() == before)
        #expect(try box.activities().first?.unknownMembers["amount"] == nil)
        // What a person entered is a difference, unless it is the same amount or none.
        var mine = try #require(try box.activities().first)
        for (text, conflicts) in [("99 EUR", 1), ("240 \(before?.dropFirst(7) ?? "")", 0), ("", 0)] {
            mine.unknownMembers["amount"] = .string(text)
            try add([mine], update: true)
            #expect(try add([old]).count(.conflict, .activity) == conflicts, "\(text)")
        }
        // A removed amount comes back with another one of the report only.
        #expect(try add([old], options: update).line == "activity: skip 1")
        #expect(try amount() == nil)
        let corrected = row(headings[0], "250.00")
        #expect(try add([corrected]).line == "activity: conflict 1")
        try add([corrected], options: update)
        #expect(try amount()?.hasPrefix("250.00") == true)
        #expect(try box.activities().first?.unknownMembers["amount"] == nil)
    }

    /// What a report writes off is an amount as well; a zero that was there before changes nothing.
    @Test func anUpdateTakesAnAmountOfZero() throws {
        let update = TrackerImportOptions(update: true)
        func row(_ heading: String, _ amount: String) -> TimeEntry {
            var row = entry("Work", "08:00:00", "09:00:00")
            row.preserved = ["columns": ["User": "Ada", heading: .string(amount)]]
            return row
        }
        func enter(_ amount: String, _ name: String) throws {
            var mine = try #require(try box.activities(name).first)
            mine.unknownMembers["amount"] = .string(amount)
            let content = try TrackerContent.made([mine], buttons: [])
            _ = try box.writing(name).importing(content, options: update)
        }
        func amount(_ name: String) throws -> String? { try box.activities(name).first?.detail(.amount) }
        let zero = row("Amount (EUR)", "0.00")
        try add([row("Amount (USD)", "240.00")], "usd.db")
        #expect(try add([zero], "usd.db").line == "activity: conflict 1")
        let plan = try add([zero], "usd.db", options: update)
        #expect(plan.actions.first?.reason == "it gets from the source: Amount (EUR), amount")
        #expect(try amount("usd.db") == "0.00 EUR")
        #expect(try add([zero], "usd.db", options: update).line == "activity: skip 1")
        // The report's own column is corrected, and the amount that a person entered gives way.
        try add([row("Amount (EUR)", "240.00")], "eur.db")
        try enter("99 EUR", "eur.db")
        try add([zero], "eur.db", options: update)
        #expect(try amount("eur.db") == "0.00 EUR")
        #expect(try box.activities("eur.db").first?.unknownMembers["amount"] == nil)
        // An amount that a person enters beside that zero stays.
        try enter("50 EUR", "eur.db")
        #expect(try add([zero], "eur.db", options: update).line == "activity: skip 1")
        #expect(try amount("eur.db") == "50 EUR")
        // Two zeros are no difference.
        try add([row("Amount (USD)", "0.00")], "none.db")
        let names = try add([zero], "none.db").actions.first?.reason
        #expect(names == "the store has it, but not with this Amount (EUR); it is kept as it is")
    }

    /// A moved event of a series had another identity before, and has one where its series is missing.
    @Test func aMovedEventIsFoundUnderItsFormerIdentity() throws {
        let update = TrackerImportOptions(update: true)
        try add([entry("Call", "11:00:00", "12:00:00", identity: "u/20260301T080000Z")])
        var moved = entry("Call", "12:00:00", "13:00:00", identity: "u/20260301T090000")
        moved.formerIdentity = "u/20260301T080000Z"
        #expect(try add([moved]).line == "activity: conflict 1")
        #expect(try add([moved], options: update).line == "activity: update 1")
        #expect(try box.activities().map(\.id) == ["u/20260301T080000Z"])
        #expect(try box.activities().map(\.start) == [moved.start])
        #expect(try add([moved], options: update).line == "activity: skip 1")
        // One that the store has with the present identity comes first, and two of a source are two.
        var other = entry("Call", "15:00:00", "16:00:00", identity: "v")
        other.formerIdentity = moved.formerIdentity
        #expect(try add([moved, other], options: update).line == "activity: create 1, skip 1")
        #expect(try add([other, moved], options: update).line == "activity: skip 2")
    }

    /// Half of a split entry gets its whole length back; the other half would be billed twice.
    @Test(arguments: [nil, "uid"] as [String?])
    func anUpdateThatOverlapsIsNamed(identity: String?) throws {
        let update = TrackerImportOptions(update: true)
        let whole = entry("Web", "09:00:00", "12:00:00", identity: identity)
        try add([whole])
        var first = try #require(try box.activities().first)
        first.end = moment("2026-03-01T11:00:00Z")
        try add([first, activity("second", "Web", "11:00:00", "12:00:00")], update: true)
        #expect(try add([whole]).notes == [])
        let plan = try add([whole], options: update)
        #expect(plan.count(.update, .activity) == 1 && plan.notes.count == 1, "\(plan.notes)")
        #expect(plan.notes.first?.contains("overlaps that of the store from 2026-03-01T11:00:00Z") == true)
        #expect(plan.notes.first?.hasSuffix(": tracker-export entries delete second") == true, "\(plan.notes)")
    }

    /// A report without times may correct any entry of the day, whose id follows from what it says.
    @Test func aNewEntryWithoutTimesNamesThoseOfItsDayThatTheFileLacks() throws {
        func row(_ name: String, _ note: String, _ start: String, _ end: String) -> TimeEntry {
            var found = entry(name, start, end)
            let day = moment("2026-03-01T00:00:00Z").moment
            found.untimed = TimeEntry.Untimed(source: "harvest", day: day, words: [name, note])
            found.untimed?.zonedDay = day
            found.preserved = ["description": .string(note)]
            return found
        }
        let site = row("Site", "Login", "09:00:00", "11:00:00")
        try add([site, row("Office", "", "11:00:00", "12:00:00")], source: "harvest")
        let later = [site, row("Office", "Mails", "13:00:00", "14:00:00")]
        let plan = try add(later, source: "harvest", options: TrackerImportOptions(update: true))
        #expect(plan.count(.create, .activity) == 1 && plan.notes.count == 1, "\(plan.notes)")
        #expect(plan.notes.first?.contains("shares the day with that of the store") == true, "\(plan.notes)")
        #expect(try add([site, row("Ops", "x", "15:00:00", "16:00:00")], source: "harvest").notes == [])
    }

    @Test func idsAreMadeOfTheContent() throws {
        try add([entry("Work", "08:00:00", "09:00:00"), entry("Work", "08:00:00", "09:00:00", row: 2)])
        #expect(
            try box.activities().map(\.id).sorted() == [
                "019ca869-5000-86d9-aa9d-839978956dff", "019ca869-5000-8844-b705-1a5a387fd69b",
            ]
        )
        #expect(try box.reading().read { try $0.buttons() }.map(\.id) == ["69c761c5-ef95-85c8-8dcc-4e50e3414420"])
    }

    @Test func identitiesAreKept() throws {
        #expect(
            try add([entry("Work", "08:00:00", "09:00:00", identity: "u@x")]).line
                == "button: create 1; activity: create 1"
        )
        #expect(try add([entry("Work", "08:00:00", "09:00:00", identity: "u@x")]).line == "activity: skip 1")
        let changed = entry("Meal", "08:30:00", "09:00:00", identity: "u@x")
        #expect(try add([changed]).line == "activity: conflict 1")
        #expect(
            try add([changed], options: TrackerImportOptions(update: true)).line
                == "button: create 1; activity: update 1"
        )
        let stored = try #require(try box.activities().first)
        #expect(stored.id == "u@x" && stored.name == "Meal" && stored.start == moment("2026-03-01T08:30:00Z"))
        #expect(try box.reading().read { try $0.button(named: "Meal") }?.id == stored.buttonID)
    }

    @Test func whatCannotBeIsRefusedAndTheRestIsTaken() throws {
        let plan = try add([
            entry("Work", "09:00:00", "08:00:00", row: 7), entry(" ", "08:00:00", "09:00:00", row: 8),
            entry("Meal", "08:00:00", "09:00:00", row: 9),
        ])
        #expect(plan.line == "button: create 1; activity: create 1, refuse 2")
        #expect(
            plan.actions.map(\.place.description) == [
                "row 7 (line 8)", "row 8 (line 9)", "row 9 (line 10)", "row 9 (line 10)",
            ]
        )
        #expect(plan.actions.first?.reason == "it ends at 2026-03-01T08:00:00Z, before its start 2026-03-01T09:00:00Z")
    }

    @Test func activitiesMayComeOneByOne() throws {
        let rows = [
            activity("a", "Work", "08:00:00", "09:00:00"), activity("a", "Work", "08:00:00", "09:00:00"),
            activity("b", "Work", "10:00:00", "09:00:00"),
        ]
        let result = try box.writing().importing(buttons: TrackerPresets.buttons, timeZone: "Asia/Tokyo") { take in
            for (index, row) in rows.enumerated() { try take(row, EntryPlace(record: index + 1, kind: "row")) }
        }
        #expect(result.plan.line == "button: create 8; activity: create 1, skip 1, refuse 1")
        #expect(try box.reading().read { try $0.timeZone() } == "Asia/Tokyo")
        let other = try box.writing().importing(buttons: [], timeZone: "Asia/Seoul") { _ in }
        #expect(other.plan.notes == ["the store's time zone Asia/Tokyo is kept; the file has Asia/Seoul"])
        #expect(other.plan.isEmpty)
    }

    @Test func aLargePlanIsCountedAndNotKept() throws {
        var visited = 0
        let options = TrackerImportOptions(isDryRun: true, visit: { _ in visited += 1 })
        let store = try TrackerStore(path: "nothing", for: .nothing)
        let plan = try store.importing(entriesOf: "test", options: options) { take in
            for index in 0..<3000 {
                try take(
                    TimeEntry(
                        name: "Work",
                        start: ZonedTimestamp(Timestamp(seconds: index)),
                        place: EntryPlace(kind: "row")
                    )
                )
            }
        }.plan
        #expect(plan.line == "button: create 1; activity: create 3000, update 2999")
        #expect(plan.actions.count == 2000 && plan.dropped == 4000)
        #expect(visited == 6000)
    }

    // MARK: Properties

    /// A dry run says what the import does; and after the import the same source has nothing to add.
    @Test func dryRunsAreExact() throws {
        for seed in UInt64(1)...60 {
            var random = SeededGenerator(seed: seed)
            let name = "\(seed).db"
            for step in 0..<4 {
                let entries = (0..<Int.random(in: 1...12, using: &random)).map { row in
                    let start = Timestamp(seconds: Int.random(in: 0...6, using: &random) * 3600)
                    let end =
                        random.next() % 5 == 0
                        ? nil : start.adding(seconds: Int.random(in: -1...2, using: &random) * 1800)
                    return TimeEntry(
                        name: ["Work", "Meal", ""][Int(random.next() % 7) / 3],
                        start: ZonedTimestamp(start),
                        end: end.map { ZonedTimestamp($0) },
                        identity: random.next() % 4 == 0 ? "i\(random.next() % 3)" : nil,
                        place: EntryPlace(record: row, kind: "row")
                    )
                }
                let update = random.next() % 3 == 0
                if step == 0 { try box.writing(name).makeTables() }
                let dry = try box.reading(name).importing(
                    entriesOf: "test",
                    options: TrackerImportOptions(update: update, isDryRun: true)
                ) { try entries.forEach($0) }
                let before = try box.activities(name)
                let plan = try add(entries, source: "test", name, options: TrackerImportOptions(update: update))
                #expect(dry.plan == plan, "seed \(seed), step \(step)")
                let after = try box.activities(name)
                #expect(after.count == before.count + plan.count(.create, .activity), "seed \(seed), step \(step)")
                #expect(after.filter(\.isRunning).count <= 1)
                #expect(after.allSatisfy { $0.end.map { end in end.moment >= Timestamp(seconds: 0) } ?? true })
            }
        }
    }
}
