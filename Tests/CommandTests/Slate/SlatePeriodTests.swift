import Foundation
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// A period's statistics, and the calendar.
struct SlatePeriodTests {
    let sandbox: Sandbox
    let database: String
    private let moment = ["--now", slateNow, "--time-zone", "UTC"]

    init() async throws {
        sandbox = try Sandbox()
        database = try await sandbox.sampleDatabase()
    }

    @Test("A period is counted against the one before, of a backup as of the database")
    func period() async throws {
        let arguments = ["--from", "-6d", "--format", "json"] + moment
        let result = try await sandbox.slate(["stats", "--db", database] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        let period = try result.json["period"]
        #expect(period?["from"] == "2026-01-01" && period?["to"] == "2026-01-07" && period?["days"] == 7)
        // "Water the plants" was left out today, and 6 and 7 days ago.
        let habits = try #require(period?["habits"]?.array)
        let water = habits.first { $0["title"] == "Water the plants" }
        #expect(water?["days"]?["count"] == 5 && water?["days"]?["before"] == 6)
        #expect(period?["tasksDone"]?["count"] == 1)
        try await sandbox.exported(database)
        let backup = try await sandbox.slate(["stats", sandbox.path("export.json")] + arguments)
        #expect(try backup.json == result.json)
        let copy = try await sandbox.slate(["stats", database] + arguments)
        #expect(try copy.json == result.json)
    }

    @Test("The days of a habit begin with its creation, or an earlier tick, and end with today")
    func habitDays() async throws {
        let week = ["--from", "2026-01-05", "--to", "2026-01-11", "--db", database] + moment
        let sql = """
            INSERT INTO habits (id, title, active, created_at, updated_at) VALUES
                ('new', 'New', 1, '2026-01-07T03:00:00Z', '2026-01-07T03:00:00Z'),
                ('ahead', 'Ahead', 1, '2026-02-01T09:00:00Z', '2026-02-01T09:00:00Z'),
                ('made', 'Made later', 1, '2026-01-07T09:00:00Z', '2026-01-07T09:00:00Z');
            INSERT INTO habit_completions (id, habit_id, date, completed_at) VALUES
                ('tick', 'made', '2026-01-02', '2026-01-07T09:00:00Z');
            """
        try await DatabaseQueue(path: database).write { try $0.execute(sql: sql) }
        func possible(_ title: String) async throws -> JSONValue? {
            let period = try await sandbox.slate(["stats", "--format", "json"] + week).json["period"]
            return period?["habits"]?.array?.first { $0["title"] == .string(title) }?["possible"]
        }
        // It was created before 4 in the morning, so on the day before.
        #expect(try await possible("New") == 2)
        #expect(try await possible("Ahead") == 0)
        // It was ticked for a day before the period, too.
        #expect(try await possible("Made later") == 3)
        #expect(try await possible("Water the plants") == 3)
        let text = try await sandbox.slate(["stats"] + week).output
        #expect(text.contains("0/2") && text.contains("0 %") && text.contains("0/0"), "\(text)")
        for day in ["2026-01-05", "2026-01-06"] {
            #expect(try await sandbox.slate(["habit", "tick", "new", day, "--db", database] + moment).status == 0)
        }
        #expect(try await possible("New") == 3)
        #expect(try await sandbox.slate(["stats"] + week).output.contains("2/3"))
    }

    @Test("A task was done on the day of the place where it was done, wherever the person is now")
    func travelling() async throws {
        func done(_ title: String, at moment: String) async throws {
            for command in [["add", title], ["done", title]] {
                let zone = ["--now", moment, "--time-zone", "Pacific/Auckland", "--db", database]
                #expect(try await sandbox.slate(command + zone).status == 0)
            }
        }
        try await done("Passport photo", at: "2025-06-02T10:00:00+12:00")
        // Before the day began there.
        try await done("Pack", at: "2025-06-03T02:00:00+12:00")
        for zone in ["Pacific/Auckland", "Pacific/Honolulu"] {
            for (day, count) in [("2025-06-01", 0), ("2025-06-02", 2), ("2025-06-03", 0)] {
                let days = ["--from", day, "--to", day, "--now", slateNow, "--time-zone", zone, "--format", "json"]
                let period = try await sandbox.slate(["stats", "--db", database] + days).json["period"]
                #expect(period?["tasksDone"]?["count"] == .number(count), "\(zone) \(day)")
            }
        }
    }

    @Test("Periods that contradict each other are refused")
    func refusals() async throws {
        for arguments in [["--week", "--month"], ["--to", "today"], ["--from", "tomorrow"], ["--from", "14:30"]] {
            #expect(try await sandbox.slate(["stats", "--db", database] + arguments).status == 64)
        }
        #expect(try await sandbox.slate("stats", "missing.json").status == 66)
    }

    @Test("Open tasks with a due date and habits with a reminder are events, and a new calendar replaces the old one")
    func calendar() async throws {
        let due = ["add", "Licence; renew", "--due", "2026-01-09", "--db", database] + moment
        #expect(try await sandbox.slate(due).status == 0)
        for _ in 0..<2 {
            let file = ["calendar", "--db", database, "-o", sandbox.path("slate.ics")] + moment
            #expect(try await sandbox.slate(file).status == 0)
        }
        let text = String(decoding: try sandbox.bytes("slate.ics"), as: UTF8.self)
        #expect(text.contains("SUMMARY:Licence\\; renew\r\n") && text.contains("DTSTART;VALUE=DATE:20260109\r\n"))
        #expect(text.contains("SUMMARY:Stretch\r\n") && text.contains("DTSTART:20260107T073000\r\n"))
        #expect(!text.contains("Read ten pages"))
        try sandbox.write("other.ics", "BEGIN:VCALENDAR")
        let other = try await sandbox.slate("calendar", "--db", database, "-o", sandbox.path("other.ics"))
        #expect(other.status == 64)
        #expect(try await sandbox.slate(["done", "licence", "--db", database] + moment).status == 0)
        let later = try await sandbox.slate(["calendar", "--db", database] + moment)
        #expect(!later.output.contains("Licence"))
    }
}
