import Foundation
import StrictJSON
import Subprocess
import Testing
import TestSupport

struct TrackerDayTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func at(_ now: String, _ arguments: String...) async throws -> Outcome {
        let zone = arguments == ["status"] ? [] : ["--time-zone", "Europe/Berlin"]
        return try await sandbox.tracker(arguments + ["--store", sandbox.path("log.db"), "--now", now] + zone)
    }

    @Test("Starting an activity ends the one that is running, and a day adds up")
    func running() async throws {
        #expect(try await at("2026-03-07T06:00:00Z", "init").status == 0)
        #expect(try await at("2026-03-07T07:00:00Z", "start", "work").output.hasPrefix("Started \"Work\""))
        let same = try await at("2026-03-07T07:30:00Z", "start", "Work")
        #expect(same.status == 65)
        #expect(same.errors.contains("running already"))
        let next = try await at("2026-03-07T08:00:00Z", "start", "Meal")
        #expect(next.output.hasPrefix("Stopped \"Work\", since 2026-03-07T08:00:00+01:00, 1 h.\nStarted \"Meal\""))
        let status = try await at("2026-03-07T08:20:00Z", "status").output
        #expect(status == "Running \"Meal\", since 2026-03-07T09:00:00+01:00, 20 min.\n")
        let day = try await sandbox.tracker([
            "summary", "--store", sandbox.path("log.db"), "--now", "2026-03-07T08:20:00Z", "--time-zone",
            "Europe/Berlin", "--format", "json",
        ]).json
        #expect(day["trackedSeconds"]?.int == 80 * 60)
        #expect(day["lengthSeconds"]?.int == (9 * 60 + 20) * 60)
        #expect(day["unaccountedSeconds"]?.int == 8 * 3600)
        #expect(try await at("2026-03-07T09:00:00Z", "stop").output.hasPrefix("Stopped \"Meal\""))
        #expect(try await at("2026-03-07T09:00:00Z", "stop").status == 65)
        #expect(try await at("2026-03-07T09:00:00Z", "status").output == "Nothing is running.\n")
    }

    @Test("A button that is not there is named with those that are, and may be added")
    func buttons() async throws {
        #expect(try await at("2026-03-07T06:00:00Z", "init").status == 0)
        let missing = try await at("2026-03-07T07:00:00Z", "start", "Gardening")
        #expect(missing.status == 66)
        #expect(missing.errors.contains("\"Sleep\", \"Work\""))
        #expect(try await at("2026-03-07T07:00:00Z", "start", "Gardening", "--new").status == 0)
        #expect(try await at("2026-03-07T08:00:00Z", "start", " ", "--new").status == 64)
        // An undo takes the button back as well.
        let buttons = ["buttons", "--store", sandbox.path("log.db")]
        #expect(try await sandbox.tracker(buttons).output.contains("Gardening"))
        #expect(try await at("2026-03-07T08:00:00Z", "undo").status == 0)
        #expect(try await !sandbox.tracker(buttons).output.contains("Gardening"))
    }

    @Test("Days of 23 and 25 hours", arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-03-28", 24)])
    func daylightSaving(_ day: (date: String, hours: Int)) async throws {
        #expect(try await at("2026-03-07T06:00:00Z", "init").status == 0)
        let outcome = try await sandbox.tracker([
            "summary", "--date", day.date, "--store", sandbox.path("log.db"), "--now", "2027-01-01T00:00:00Z",
            "--time-zone", "Europe/Berlin", "--format", "json",
        ])
        #expect(try outcome.json["unaccountedSeconds"]?.int == day.hours * 3600)
        #expect(outcome.status == 0)
    }

    @Test("Pages are reckoned in the zone of the store, which they name, wherever this machine is")
    func zoneOfPages() async throws {
        let store = ["--store", sandbox.path("log.db"), "--now", "2026-03-06T03:00:00Z"]
        #expect(try await sandbox.tracker(["init", "--time-zone", "Asia/Tokyo"] + store).status == 0)
        let entry = ["--start", "2026-03-05T23:00:00Z", "--end", "2026-03-06T01:00:00Z"]
        #expect(try await sandbox.tracker(["entries", "add", "Work"] + entry + store).status == 0)
        let opened = try await sandbox.run(
            Built.path("tracker-export"),
            ["open", "--export", sandbox.path("pages")] + store,
            environment: ["TZ": "America/New_York"]
        )
        #expect(opened.status == 0, "\(opened.errors)")
        let page = String(decoding: try sandbox.bytes("pages/time.html"), as: UTF8.self)
        #expect(page.contains("Friday, 6 March 2026") && page.contains("08:00–10:00"), "\(page)")
        #expect(page.contains("Times of Asia/Tokyo."))
    }

    @Test("What lies ahead is planned in summary, report and pages, and counts nowhere; sums say what they lack")
    func planned() async throws {
        let table = try sandbox.write(
            "table.csv",
            """
            Project,Start date,Start time,End date,End time,Duration,Billable,Amount (EUR)
            Work,2026-03-02,09:00:00,2026-03-02,17:00:00,08:00:00,Yes,240.00
            Talk,2026-03-02,18:00:00,2026-03-02,19:00:00,01:00:00,Yes,"1,250"
            Work,2026-03-05,09:00:00,2026-03-05,17:00:00,08:00:00,Yes,160.00

            """
        )
        let store = ["--store", sandbox.path("log.db"), "--time-zone", "Europe/Berlin"]
        let made = try await sandbox.tracker(["import", table, "--yes"] + store)
        #expect([0, 3].contains(made.status), "\(made.errors)")
        let options = store + ["--now", "2026-03-03T12:00:00+01:00"]
        let text = try await sandbox.tracker(["summary", "--week"] + options).output
        for line in [
            "168 h, of which 36 h are over", "Tracked:      9 h", "Unaccounted:  27 h", "Billable:     9 h",
            "Amount:       240.00 EUR and 1 unreadable amount", "Planned:      8 h ahead of now, in no sum",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        let talk = text.split(separator: "\n").filter { $0.hasPrefix("Talk") }
        #expect(!talk.isEmpty && talk.allSatisfy { $0.hasSuffix("1 unreadable amount") }, "\(text)")
        let week = try await sandbox.tracker(["summary", "--week", "--format", "json"] + options).json
        #expect(week["plannedSeconds"] == 28800 && week["plannedCount"] == 1 && week["unreadableAmounts"] == 1)
        #expect(week["totals"]?.array?.first?["seconds"] == 28800)
        let thursday = ["summary", "--date", "2026-03-05", "--format", "json"]
        let day = try await sandbox.tracker(thursday + options).json
        #expect(day["trackedSeconds"] == 0 && day["lengthSeconds"] == 0 && day["isToday"] == false)
        #expect(day["plannedSeconds"] == 28800 && day["amounts"] == [])
        #expect(day["activities"] == [] && day["planned"]?.array?.count == 1)
        #expect(day["planned"]?.array?.first?["seconds"] == 28800)
        let listed = try await sandbox.tracker(["summary", "--date", "2026-03-05"] + options).output
        #expect(listed.contains("Nothing was tracked.\n\nPlanned:\nFROM"), "\(listed)")
        #expect(listed.contains("160.00 EUR"), "\(listed)")
        let ahead = try await sandbox.tracker(["report", "--date", "2026-03-05", "-o", "-"] + options).output
        #expect(ahead.contains("<p>This day is ahead of now</p>\n<p>8 h planned ahead of now"), "\(ahead)")
        let report = try await sandbox.tracker(["report", "--week", "-o", "-"] + options)
        #expect(report.output.contains("<p>8 h planned ahead of now"))
        #expect(report.errors.contains("8 h planned ahead of now"), "\(report.errors)")
        #expect(report.output.contains("9:00 tracked · 27:00 not accounted for · as of 12:00 · 9:00 billable"))
        #expect(report.output.contains("240.00 EUR and 1 unreadable amount"))
        #expect(try await sandbox.tracker(["open", "--export", sandbox.path("pages")] + options).status == 0)
        let page = String(decoding: try sandbox.bytes("pages/time-view-week.html"), as: UTF8.self)
        #expect(page.contains("8 h planned ahead of now") && page.contains("9:00 tracked"), "\(page)")
        let kept = try sandbox.bytes("pages/time-entries-csv-view-week-date-2026-03-02.csv")
        #expect(String(decoding: kept, as: UTF8.self).contains("Work,,,,,yes,160.00 EUR"))
    }

    @Test("A store that is there is not made again, and none is needed to be told so")
    func stores() async throws {
        #expect(try await at("2026-03-07T06:00:00Z", "status").status == 66)
        #expect(try await at("2026-03-07T06:00:00Z", "init").status == 0)
        #expect(try await at("2026-03-07T06:00:00Z", "init", "--sample").status == 73)
        try sandbox.write("other.db", "no database at all, but a text that is long enough to be looked at twice")
        #expect(try await sandbox.tracker("status", "--store", sandbox.path("other.db")).status == 65)
    }
}
