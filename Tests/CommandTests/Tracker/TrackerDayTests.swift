import Foundation
import StrictJSON
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

    @Test("A store that is there is not made again, and none is needed to be told so")
    func stores() async throws {
        #expect(try await at("2026-03-07T06:00:00Z", "status").status == 66)
        #expect(try await at("2026-03-07T06:00:00Z", "init").status == 0)
        #expect(try await at("2026-03-07T06:00:00Z", "init", "--sample").status == 73)
        try sandbox.write("other.db", "no database at all, but a text that is long enough to be looked at twice")
        #expect(try await sandbox.tracker("status", "--store", sandbox.path("other.db")).status == 65)
    }
}
