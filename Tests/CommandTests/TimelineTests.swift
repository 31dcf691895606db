import StrictJSON
import Testing
import TestSupport

struct TimelineTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private let presets = ["--file", Fixtures.path("presets/v1/first-timers.json")]

    @Test("A preset of a file, as text")
    func preset() async throws {
        let outcome = try await sandbox.bzpack(["timeline", "HIIT"] + presets)
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(5) == [
                "HIIT: 8:10", "", "#  START  LENGTH  PHASE      SET  ROUND", "1   0:00    0:10  Get Ready",
                "2   0:10    1:00  Work         1      1",
            ]
        )
        #expect(lines.count == 3 + 9 + 1)
    }

    @Test("A session of the store, with the countdown of its settings")
    func session() async throws {
        let store = try await sandbox.trainer()
        let plain = try await sandbox.bzpack("timeline", "--format", "json", "--store", store).json
        #expect(plain["kind"] == "session")
        #expect(plain["totalSeconds"] == 211)
        #expect(plain["start"]?.isNull == true)
        try await sandbox.bzpack("settings", "set", "preCountdownSeconds", "5", "--store", store)
        let counted = try await sandbox.bzpack("timeline", "--countdown", "--format", "json", "--store", store).json
        #expect(counted["totalSeconds"] == 216)
        #expect(counted["entries"]?.array?.first?["phase"] == "countdown")
    }

    @Test("CSV and iCalendar from a start")
    func files() async throws {
        let start = ["--start", "2026-03-01T07:30:00+01:00", "--now", "2026-02-01T00:00:00Z"]
        let csv = try await sandbox.bzpack(["timeline", "tabata", "--format", "csv"] + start + presets)
        #expect(csv.output.contains("1,work,Work,1,1,0,20,2026-03-01T06:30:00Z,2026-03-01T06:30:20Z\r\n"))
        let ical = try await sandbox.bzpack(["timeline", "Tabata", "--format", "ical"] + start + presets)
        #expect(ical.status == 0)
        #expect(
            ical.output.contains("DTSTAMP:20260201T000000Z\r\nDTSTART:20260301T063000Z\r\nDTEND:20260301T063020Z\r\n")
        )
        let again = try await sandbox.bzpack(["timeline", "Tabata", "--format", "ical"] + start + presets)
        #expect(again.output == ical.output)
    }

    @Test("What cannot be shown is refused")
    func refusals() async throws {
        #expect(try await sandbox.bzpack(["timeline", "HIIT", "--format", "ical"] + presets).status == 64)
        #expect(try await sandbox.bzpack(["timeline", "HIIT", "--start", "someday"] + presets).status == 64)
        let late = try await sandbox.bzpack(["timeline", "HIIT", "--start", "9999-12-31T23:59:00Z"] + presets)
        #expect(late.status == 64)
        #expect(late.errors.contains("9999"))
        let unnamed = try await sandbox.bzpack(["timeline"] + presets)
        #expect(unnamed.status == 64)
        #expect(unnamed.errors.contains("the file has 2 of them: name one of \"HIIT\", \"Tabata\""))
        let missing = try await sandbox.bzpack(["timeline", "Leg day"] + presets)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("the file has no session or preset \"Leg day\""))
        #expect(try await sandbox.bzpack("timeline", "x", "--file", "missing.json").status == 66)
        #expect(
            try await sandbox.bzpack("timeline", "--file", Fixtures.path("presets/invalid/sets-zero.json")).status == 65
        )
        #expect(try await sandbox.bzpack("timeline", "HIIT").status == 66)
    }
}
