import CivilTime
import RecordStore
@testable import Slate
import SQLiteDatabase
import TestSupport
import Testing

@Suite("Changing single records")
struct SlateEditTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func edit<Result>(_ now: String = "2026-01-07T12:00:00Z", _ body: (SlateEditor) throws -> Result) throws
        -> Result
    {
        var number = 0
        return try sandbox.writer(upgrading: true).editing(
            now: try #require(Timestamp(now)),
            clock: .utc,
            newID: {
                number += 1
                return "new-\(number)"
            },
            body
        )
    }

    @Test func aDatabaseOfVersionOneKeepsItsVersion() throws {
        try sandbox.appDatabase(version: 1)
        try edit { editor in
            let id = try editor.addTask(title: "First", due: CivilDay("2026-01-09"))
            #expect(try editor.plan(id, on: editor.today))
            #expect(try !editor.plan(id, on: editor.today))
            #expect(try editor.complete(id, true))
            #expect(try !editor.complete(id, true))
        }
        #expect(try sandbox.rows("SELECT value FROM meta WHERE key = 'schema_version'") == ["1"])
        let task = try sandbox.rows("SELECT title, due_date, is_done, done_at FROM tasks")
        #expect(task == ["First|2026-01-09|1|2026-01-07T12:00:00+00:00"])
        #expect(try sandbox.rows("SELECT date, entity_id FROM day_plan_items") == ["2026-01-07|new-1"])
    }

    @Test func aTaskThatWaitsIsRefusedWhereVersionOneCannotHoldIt() throws {
        try sandbox.appDatabase(version: 1)
        _ = try edit { try $0.addTask(title: "First") }
        // The identifiers of the next edit begin anew.
        try sandbox.sql("UPDATE tasks SET id = 'first'")
        let error = try storeError {
            try edit { editor in
                _ = try editor.addTask(title: "Other")
                _ = try editor.addTask(title: "Second", dependsOn: "first")
            }
        }
        #expect(error?.code == .olderVersion)
        #expect(error?.message.contains("version 1 ") == true && error?.message.contains("nothing was changed") == true)
        #expect(error?.message.contains("or an import that changes something, upgrades it to version 2") == true)
        #expect(try sandbox.rows("SELECT title FROM tasks") == ["First"])
    }

    /// The app carries over from the day on which it was last open, which may be before the last plan.
    @Test func aRolloverOfVersionOneLeavesTheDayOnWhichTheAppWasLastOpen() throws {
        try sandbox.appDatabase(version: 1)
        try sandbox.sql("INSERT INTO meta VALUES ('last_open_date', '2026-01-05')")
        let task = try edit("2026-01-06T12:00:00Z") { editor in
            let task = try editor.addTask(title: "First")
            _ = try editor.plan(task, on: editor.today)
            return task
        }
        let rollover = try sandbox.writer(upgrading: true).rollover(
            now: try #require(Timestamp("2026-01-07T12:00:00Z")),
            clock: .utc,
            newID: { "item" },
            confirm: { _, _ in }
        )
        #expect(rollover.tasks.map(\.title) == ["First"])
        #expect(try sandbox.rows("SELECT value FROM meta WHERE key = 'last_open_date'") == ["2026-01-05"])
        // Without a log nobody knows what was taken out.
        _ = try edit { try $0.unplan(task, on: $0.today) }
        #expect(try edit { try $0.records.agenda(today: $0.today).leftOver.map(\.title) } == ["First"])
    }

    @Test func aRolloverLeavesWhatWasTakenOutOfTodaysPlan() throws {
        try sandbox.appDatabase()
        let leftOver = try edit { editor in
            let (first, second) = (try editor.addTask(title: "First"), try editor.addTask(title: "Second"))
            let (earlier, before) = (editor.today.adding(days: -2), editor.today.adding(days: -1))
            for day in [earlier, editor.today] { _ = try editor.plan(first, on: day) }
            // A day of which all was taken out has no plan.
            for day in [earlier, before] { _ = try editor.plan(second, on: day) }
            _ = try editor.unplan(second, on: before)
            _ = try editor.unplan(first, on: editor.today)
            return try editor.records.agenda(today: editor.today).leftOver.map(\.title)
        }
        #expect(leftOver == ["Second"])
    }

    @Test func theDayBeginsAtDayStart() throws {
        try sandbox.appDatabase()
        let early = try edit("2026-01-07T03:59:00Z") { $0.today }
        let late = try edit("2026-01-07T04:00:00Z") { $0.today }
        #expect(early.description == "2026-01-06" && late.description == "2026-01-07")
    }

    @Test func whatFailsIsTakenBack() throws {
        struct Stop: Error {}
        try sandbox.appDatabase()
        let before = try sandbox.exported()
        #expect(throws: Stop.self) {
            try edit { editor in
                _ = try editor.addTask(title: "First")
                throw Stop()
            }
        }
        #expect(try sandbox.exported() == before)
    }

    @Test func whatIsDoneIsLogged() throws {
        try sandbox.appDatabase()
        try edit { editor in
            let id = try editor.addTask(title: "First")
            _ = try editor.complete(id, true)
            _ = try editor.complete(id, false)
            _ = try editor.plan(id, on: editor.today)
            _ = try editor.unplan(id, on: editor.today)
        }
        let actions = try sandbox.rows("SELECT action_type FROM activity_log ORDER BY rowid")
        #expect(actions == ["created", "completed", "reopened", "planned", "unplanned"])
    }

    /// With a snapshot it is known which habits count, without one it is not.
    @Test(arguments: [false, true])
    func takingATickBackLeavesTheDayAsItWas(_ hasSnapshot: Bool) throws {
        try sandbox.appDatabase()
        let moment = "2025-01-01T08:00:00Z"
        for (id, isActive) in [("a", 1), ("b", 1), ("paused", 0)] {
            let values = "'\(id)', 'Habit', NULL, \(isActive), NULL, '\(moment)', '\(moment)'"
            try sandbox.sql("INSERT INTO habits VALUES (\(values))")
        }
        let now = try #require(Timestamp("2026-01-07T12:00:00Z"))
        var day = try #require(CivilDay("2025-06-01"))
        var number = 0
        let newID = { () -> String in
            number += 1
            return "new-\(number)"
        }
        let states: [(flag: Bool, done: [String])] = [
            (false, []), (false, ["a"]), (false, ["b"]), (false, ["a", "b"]),
            (true, []), (true, ["a"]), (true, ["b"]), (true, ["a", "b"]),
        ]
        for (flag, done) in states {
            for (habit, isDone) in [("b", true), ("b", false), ("paused", true), ("paused", false)] {
                day = day.adding(days: 1)
                try sandbox.sql("INSERT INTO day_plan VALUES ('\(day)', \(flag ? 1 : 0))")
                let list = "'[\"a\"]'"
                if hasSnapshot {
                    try sandbox.sql("INSERT INTO day_snapshots (date, habits) VALUES ('\(day)', \(list))")
                }
                for id in done {
                    let values = "'\(id)-\(day)', '\(id)', '\(day)', '\(moment)'"
                    try sandbox.sql("INSERT INTO habit_completions VALUES (\(values))")
                }
                let (tick, back) = try sandbox.writer().editing(now: now, clock: .utc, newID: newID) { editor in
                    let tick = try editor.tick(habit, on: day, isDone)
                    let named = tick.restoresDay ? nil : tick.wasPerfect
                    let back = try editor.tick(habit, on: day, tick.isMarked ? !isDone : isDone, marking: named)
                    return (tick, back)
                }
                let comment: Comment = "\(habit) \(isDone), flag \(flag), done \(done): \(tick), \(back)"
                #expect(tick.wasPerfect == flag && back.isPerfect == flag, comment)
                let stored = try sandbox.rows("SELECT perfect_day FROM day_plan WHERE date = '\(day)'")
                #expect(stored == [flag ? "1" : "0"], comment)
                // A day that was perfect by other habits stays so.
                if !hasSnapshot, flag, done != ["a", "b"] { #expect(tick.isPerfect, comment) }
            }
        }
    }

    /// Sync compares the flags of devices that marked one day: a day without a row has none.
    @Test func aDayThatIsMarkedHasItsRowAsInTheApp() throws {
        try sandbox.appDatabase()
        let moment = "2025-01-01T08:00:00Z"
        for id in ["a", "b"] {
            try sandbox.sql("INSERT INTO habits VALUES ('\(id)', 'Habit', NULL, 1, NULL, '\(moment)', '\(moment)')")
        }
        let rows = { try sandbox.rows("SELECT date, perfect_day FROM day_plan ORDER BY date") }
        let earlier = try #require(CivilDay("2026-01-02"))
        let tick = try edit { try $0.tick("a", on: $0.today, true) }
        #expect(!tick.isPerfect && tick.restoresDay)
        #expect(try rows() == ["2026-01-07|0"])
        try edit { _ = try $0.tick("b", on: earlier, false) }
        #expect(try rows() == ["2026-01-07|0"], "nothing was marked")
        // The row can lack where another program ticked.
        for table in ["day_plan", "activity_log"] { try sandbox.sql("DELETE FROM \(table)") }
        try edit { _ = try $0.tick("a", on: $0.today, false) }
        #expect(try rows() == ["2026-01-07|0"])
        try edit { _ = try $0.tick("a", on: earlier, true) }
        #expect(try rows() == ["2026-01-02|0", "2026-01-07|0"])
    }

    @Test func theAgendaNamesEachTaskOnce() throws {
        try sandbox.appDatabase()
        try edit { editor in
            let day = { CivilDay(number: editor.today.number + $0) }
            _ = try editor.addTask(title: "overdue", due: day(-2))
            _ = try editor.addTask(title: "earlier", due: day(-3), scheduled: day(0))
            _ = try editor.addTask(title: "due", due: day(0))
            _ = try editor.addTask(title: "later", due: day(1))
            _ = try editor.addTask(title: "scheduled", due: day(5), scheduled: day(-1))
            let planned = try editor.addTask(title: "planned", due: day(-1))
            _ = try editor.plan(planned, on: editor.today)
            let left = try editor.addTask(title: "left")
            _ = try editor.plan(left, on: day(-4))
            let ahead = try editor.addTask(title: "ahead")
            _ = try editor.plan(ahead, on: day(-4))
            _ = try editor.plan(ahead, on: day(3))
            let agenda = try editor.records.agenda(today: editor.today)
            #expect(agenda.planned.map(\.title) == ["planned"])
            #expect(agenda.overdue.map(\.title) == ["earlier", "overdue"])
            #expect(agenda.due.map(\.title) == ["due"])
            #expect(agenda.scheduled.map(\.title) == ["scheduled"])
            #expect(agenda.leftOver.map(\.title) == ["left"])
            #expect(!agenda.isPerfect)
        }
    }
}
