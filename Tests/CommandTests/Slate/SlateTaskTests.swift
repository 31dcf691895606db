import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// Tasks and habits without the app.
struct SlateTaskTests {
    let sandbox: Sandbox
    let database: String

    init() async throws {
        sandbox = try Sandbox()
        database = try await sandbox.sampleDatabase()
    }

    /// Runs a command on the database at the tests' moment; the day is 2026-01-07.
    private func slate(_ arguments: String...) async throws -> Outcome {
        try await sandbox.slate(arguments + ["--db", database, "--now", slateNow, "--time-zone", "UTC"])
    }

    private func json(_ arguments: String...) async throws -> JSONValue {
        let all = arguments + ["--db", database, "--now", slateNow, "--time-zone", "UTC", "--format", "json"]
        let outcome = try await sandbox.slate(all)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.json
    }

    private func titles(_ tasks: JSONValue?) -> [String] { (tasks?.array ?? []).compactMap { $0["title"]?.string } }

    @Test("A task is added with a day in words, planned, done and taken back")
    func life() async throws {
        let added = try await slate("add", "Buy", "oat", "milk", "--due", "tomorrow", "--plan", "today")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.errors.contains("tomorrow = Thu 8 Jan 2026"))
        let agenda = try await json("today")
        #expect(titles(agenda["planned"]).contains("Buy oat milk"))
        let done = try await json("done", "OAT")
        #expect(done["changed"] == true && done["task"]?["done"] == true && done["task"]?["doneAt"]?.string != nil)
        #expect(try await json("done", "oat")["changed"] == false)
        #expect(try await json("undone", "oat")["task"]?["done"] == false)
        #expect(try await json("unplan", "oat")["changed"] == true)
        #expect(try await json("unplan", "oat")["changed"] == false)
        #expect(try await json("plan", "oat", "next friday")["day"] == "2026-01-09")
        // The database is still one that exports and imports.
        try await sandbox.exported(database)
        #expect(try await sandbox.slate("verify", "--restore", "export.json").status == 0)
    }

    @Test("A name that fits several tasks lists them; one that fits none is refused with a similar one")
    func names() async throws {
        let ambiguous = try await slate("done", "paint")
        #expect(ambiguous.status == 64)
        #expect(ambiguous.errors.contains("\"Buy paint\"") && ambiguous.errors.contains("\"Paint the fence\""))
        let missing = try await slate("done", "pasport")
        #expect(missing.status == 66 && missing.errors.contains("did you mean \"Renew the passport\"?"))
        let foreign = try await slate("done", "zebra")
        #expect(foreign.status == 66 && !foreign.errors.contains("did you mean"))
        // Emoji are a name of their own, which no task has; nothing at all is none.
        #expect(try await slate("done", "🎉").status == 66)
        #expect(try await slate("done", " ").status == 64)
        #expect(try await json("done", "task-2")["task"]?["title"] == "Buy paint")
    }

    @Test("The command that takes a change back acts on what was changed, in the same database")
    func wayBack() async throws {
        try await DatabaseQueue(path: database).write { database in
            try database.execute(sql: "UPDATE tasks SET title = 'Call' WHERE id IN ('task-1', 'task-2')")
            try database.execute(sql: "UPDATE habits SET title = 'at \"$HOME\"' WHERE id = 'habit-1'")
        }
        let done = try await sandbox.slate("done", "task-2", "--store", database, "--now", slateNow)
        #expect(done.output == "\"Call\" is done. Take it back: slate-backup undone task-2 --store \(database)\n")
        let undone = try await sandbox.slate("undone", "task-2", "--store", database, "--now", slateNow)
        let back = "slate-backup done \"Call\" --at 2026-01-07T20:30:00+00:00 --store \(database)"
        #expect(undone.output.hasSuffix("Take it back: \(back)\n"), "\(undone.output)")
        let tick = try await sandbox.slate("habit", "untick", "habit-1", "--store", database, "--now", slateNow)
        #expect(tick.output.contains("slate-backup habit tick habit-1 2026-01-07"), "\(tick.output)")
    }

    @Test("A task that is done again gets the moment back at which it was done")
    func doneAgain() async throws {
        let moment = "2024-03-05T10:00:00.5+13:00"
        try await DatabaseQueue(path: database).write { database in
            try database.execute(
                sql: "UPDATE tasks SET is_done = 1, done_at = ? WHERE id = 'task-2'",
                arguments: [moment]
            )
        }
        let undone = try await slate("undone", "task-2")
        #expect(undone.output.contains(" --at \(moment)"), "\(undone.output)")
        #expect(try await json("done", "task-2", "--at", moment)["task"]?["doneAt"] == .string(moment))
        _ = try await slate("undone", "task-2")
        let local = try await json("done", "task-2", "--at", "yesterday 14:30")
        #expect(local["task"]?["doneAt"] == "2026-01-06T14:30:00+00:00")
        #expect(try await slate("done", "task-2", "--at", "some day").status == 64)
    }

    @Test("A task is done on the day of the person, which goes on until 04:00, and never in the future")
    func doneAt() async throws {
        let night = ["--store", database, "--now", "2026-01-08T01:30:00Z", "--time-zone", "UTC", "--format", "json"]
        func done(_ moment: String) async throws -> Outcome {
            _ = try await slate("undone", "task-2")
            return try await sandbox.slate(["done", "task-2", "--at", moment] + night)
        }
        for (text, expected) in [
            ("yesterday", "2026-01-06T04:00:00+00:00"), ("today", "2026-01-07T04:00:00+00:00"),
            ("23:50", "2026-01-07T23:50:00+00:00"), ("01:00", "2026-01-08T01:00:00+00:00"),
        ] {
            #expect(try await done(text).json["task"]?["doneAt"] == .string(expected), "\(text)")
        }
        for text in ["03:00", "tomorrow", "+1h", "2026-01-08T01:30:01Z"] {
            let refused = try await done(text)
            #expect(refused.status == 64 && refused.errors.contains("is in the future"), "\(text): \(refused.errors)")
        }
        let days = try await DatabaseQueue(path: database).read { database in
            try String.fetchAll(database, sql: "SELECT details FROM activity_log WHERE action_type = 'completed'")
        }
        #expect(days.contains("{\"date\":\"2026-01-06\"}"), "\(days)")
    }

    @Test(
        "A title that a terminal shows otherwise is named by its identifier",
        arguments: ["Drink\u{200F}", "a\tb", "soft\u{AD}hyphen", "say \"\u{301}hi"]
    )
    func strangeTitles(_ title: String) async throws {
        try await DatabaseQueue(path: database).write { database in
            try database.execute(sql: "UPDATE tasks SET title = ? WHERE id = 'task-2'", arguments: [title])
        }
        let done = try await slate("done", "task-2")
        #expect(done.output.contains("Take it back: slate-backup undone task-2"), "\(done.output)")
    }

    @Test("The last habit makes the day perfect, and taking it back ends that")
    func habits() async throws {
        #expect(try await json("today")["perfect"] == false)
        let tick = try await json("habit", "tick", "water")
        #expect(tick["changed"] == true && tick["perfect"] == true && tick["day"] == "2026-01-07")
        #expect(try await json("today")["perfect"] == true)
        #expect(try await json("stats")["todayIsPerfect"] == true)
        #expect(try await json("habit", "tick", "water")["changed"] == false)
        #expect(try await json("habit", "untick", "water")["perfect"] == false)
        let again = try await slate("habit", "untick", "water")
        #expect(again.output.contains("was not done on Wed 7 Jan 2026 anyway. Nothing was changed."), "\(again.output)")
        #expect(try await slate("habit", "tick", "water", "tomorrow").status == 64)
        let habits = try #require(try await json("habit")["habits"]?.array)
        #expect(habits.count == 3 && habits.allSatisfy { $0["streak"] != nil })
    }

    @Test("A past day becomes perfect by its last habit, and its flag is stored")
    func pastDay() async throws {
        #expect(try await flag("2026-01-02") == 0)
        #expect(try await json("habit", "tick", "read", "2026-01-02")["perfect"] == true)
        #expect(try await flag("2026-01-02") == 1)
        let untick = try await slate("habit", "untick", "read", "2026-01-02")
        #expect(untick.output.contains("The day is perfect no more. Take it back: slate-backup habit tick \"Read"))
        #expect(try await flag("2026-01-02") == 0)
    }

    /// The flag `perfect_day` of a day.
    private func flag(_ day: String) async throws -> JSONValue? {
        try await sandbox.exported(database)
        let export = try JSONDocument(parsing: try sandbox.bytes("export.json")).root.value
        return export["day_plan"]?.array?.first { $0["date"]?.string == day }?["perfect_day"]
    }

    @Test("A past day that was perfect by other habits stays so, and what a command prints takes all of it back")
    func earnedDay() async throws {
        let (day, water) = ("2026-01-01", "\"Water the plants\" 2026-01-01")
        let queue = try DatabaseQueue(path: database)
        try await queue.write { database in
            try database.execute(sql: "UPDATE day_plan SET perfect_day = 1 WHERE date = '2026-01-01'")
        }
        try queue.close()
        // The habit was paused then: that it is done makes the day no less its own.
        let tick = try await slate("habit", "tick", "water", day)
        let back = "Take it back: slate-backup habit untick \(water) --perfect-day"
        #expect(tick.output.contains(back), "\(tick.output)")
        #expect(try await json("habit", "untick", "water", day, "--perfect-day")["perfect"] == true)
        #expect(try await flag(day) == 1)
        let untick = try await slate("habit", "untick", "stretch", day)
        #expect(untick.output.contains("The day stays perfect; --no-perfect-day changes that."), "\(untick.output)")
        #expect(try await json("habit", "tick", "stretch", day)["perfect"] == true)
        #expect(try await flag(day) == 1)
        // The flag can be named, also where the habit is so already.
        #expect(try await json("habit", "tick", "stretch", day)["changed"] == false)
        let named = try await slate("habit", "tick", "stretch", day, "--no-perfect-day")
        #expect(named.output.contains("habit tick \"Stretch\" 2026-01-01 --perfect-day"), "\(named.output)")
        #expect(try await flag(day) == 0)
    }

    @Test("A rollover takes what the app would: nothing that was put off, or taken out of a plan since")
    func rolloverOfTheLastPlan() async throws {
        func rollover(on day: String) async throws -> [String] {
            let options = ["--yes", "--db", database, "--now", "\(day)T12:00:00Z", "--time-zone", "UTC"]
            return titles(try await sandbox.slate(["rollover", "--format", "json"] + options).json["tasks"])
        }
        func sql(_ sql: String) async throws {
            try await DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
        }
        #expect(try await rollover(on: "2026-01-07") == [], "the app was opened on that day")
        try await sql("UPDATE tasks SET scheduled_for = '2026-01-20' WHERE id = 'task-2'")
        #expect(try await rollover(on: "2026-01-08") == ["Paint the fence"])
        _ = try await slate("unplan", "fence", "2026-01-08")
        #expect(try await rollover(on: "2026-01-08") == [], "somebody took it out")
        #expect(try await rollover(on: "2026-01-09") == [], "the plan of the day before is empty")
        // The app was opened meanwhile, and what it carried over is put off.
        _ = try await slate("plan", "fence", "2026-01-10")
        try await sql("UPDATE meta SET value = '2026-01-11' WHERE key = 'last_open_date'")
        #expect(try await rollover(on: "2026-01-12") == [])
        _ = try await slate("plan", "fence", "2026-01-11")
        #expect(try await rollover(on: "2026-01-12") == ["Paint the fence"])
    }

    @Test("A rollover asks, takes the unfinished tasks of earlier plans once, and is undone")
    func rollover() async throws {
        let later = ["--db", database, "--now", "2026-01-09T12:00:00Z", "--time-zone", "UTC"]
        let before = try await sandbox.exported(database)
        let asked = try await sandbox.slate(["rollover"] + later)
        #expect(asked.status == 64 && asked.output.contains("Buy paint"))
        let dry = try await sandbox.slate(["rollover", "--dry-run", "--format", "json"] + later)
        #expect(titles(try dry.json["tasks"]) == ["Buy paint", "Paint the fence"])
        #expect(try await sandbox.exported(database) == before)
        let done = try await sandbox.slate(["rollover", "--yes", "--format", "json"] + later)
        #expect(try done.json["safetyCopy"]?.string != nil)
        let today = try await sandbox.slate(["today", "--format", "json"] + later).json
        #expect(titles(today["planned"]) == ["Buy paint", "Paint the fence"] && today["leftOver"]?.array == [])
        let again = try await sandbox.slate(["rollover", "--yes", "--format", "json"] + later)
        #expect(try again.json["tasks"]?.array == [])
        #expect(try await sandbox.slate("undo", "--yes", "--db", database).status == 0)
        #expect(try await sandbox.exported(database) == before)
    }

    @Test("Search finds titles and notes, case aside")
    func search() async throws {
        _ = try await slate("add", "🎂 Cake", "--notes", "For the PASSPORT office")
        #expect(Set(titles(try await json("search", "passport")["tasks"])) == ["🎂 Cake", "Renew the passport"])
        #expect(titles(try await json("search", "plants")["habits"]) == ["Water the plants"])
        #expect(try await json("search", "zebra")["tasks"]?.array == [])
    }

    @Test("What fails changes nothing")
    func failures() async throws {
        let before = try await sandbox.exported(database)
        for arguments in [
            ["add", " "], ["add", "x", "--due", "someday"], ["add", "x", "--after", "zebra"],
            ["plan", "passport", "14:30"],
            ["habit", "tick", "zebra"], ["done", ""],
        ] {
            #expect(try await sandbox.slate(arguments + ["--db", database]).status != 0)
        }
        #expect(try await sandbox.exported(database) == before)
        #expect(try await sandbox.slate("today", "--db", sandbox.path("missing.db")).status == 66)
        #expect(!sandbox.has("missing.db"))
    }
}
