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
                "HIIT: 8 min 10 s", "", "#  START  LENGTH  PHASE      SET  ROUND", "1   0:00    10 s  Get Ready",
                "2   0:10   1 min  Work         1      1",
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

    @Test("Where one is at a time: phase or block, round, what is left")
    func place() async throws {
        let at = try await sandbox.bzpack(["timeline", "HIIT", "--at", "3:20", "--format", "json"] + presets).json["at"]
        #expect(at?["entry"]?["phase"] == "rest" && at?["entry"]?["round"] == 2)
        #expect(at?["entryRemainingSeconds"] == 50 && at?["remainingSeconds"] == 290)
        #expect(at?["next"]?["round"] == 3)
        let text = try await sandbox.bzpack(["timeline", "HIIT", "--at", "200"] + presets)
        #expect(
            text.output
                == "At 3:20: phase 5 of 9, Rest (round 2 of 4), 50 s left, 4 min 50 s in all, then Work (round 3 of 4).\n"
        )
        let over = try await sandbox.bzpack(["timeline", "HIIT", "--at", "1:00:00", "--format", "json"] + presets).json[
            "at"
        ]
        #expect(over?["entry"] == .null && over?["remainingSeconds"] == 0)
        let store = try await sandbox.client(pro: true)
        #expect(
            try await sandbox.bzpack("new", "Tabata", "--text", "8 x (Work 20 s / Rest 10 s)", "--store", store).status
                == 0
        )
        let block = try await sandbox.bzpack("timeline", "tabata", "--at", "1:35", "--format", "json", "--store", store)
        let place = try block.json["at"]
        #expect(place?["number"] == 7 && place?["occurrence"] == 4 && place?["occurrences"] == 8)
        #expect(place?["entryRemainingSeconds"] == 15)
        for wrong in ["1:60", "x", "-5", "1:2:3:4", ""] {
            #expect(try await sandbox.bzpack(["timeline", "HIIT", "--at=\(wrong)"] + presets).status == 64, "\(wrong)")
        }
    }

    @Test("Every cue of the apps: beep, voice, almost done, the ends of blocks and of the session; switches count")
    func cues() async throws {
        func cues(_ arguments: [String]) async throws -> [String] {
            let outcome = try await sandbox.bzpack(["timeline", "--format", "json"] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            return try outcome.json["cues"]?.array?.map { cue in
                "\(cue["second"]?.int ?? -1) \(cue["kind"]?.string ?? "") \(cue["text"]?.string ?? "")"
            } ?? []
        }
        let preset = try await cues(["HIIT"] + presets)
        #expect(preset.prefix(4) == ["10 beep Beep", "10 voice Go", "70 beep Beep", "70 voice Rest"])
        #expect(preset.suffix(2) == ["490 beep Beep", "490 voice Workout complete"])
        let store = ["--store", try await sandbox.client(pro: true)]
        let text = "A 30 s / Rest 10 s / B 20 s"
        #expect(try await sandbox.bzpack(["new", "Short", "--text", text] + store).status == 0)
        #expect(
            try await cues(["Short"] + store) == [
                "20 almostDone Almost done: A", "30 blockComplete A complete, next: Rest",
                "40 blockComplete Rest complete, next: B", "50 almostDone Almost done: B",
                "60 sessionComplete Session complete",
            ]
        )
        #expect(try await sandbox.bzpack(["settings", "set", "warningSecondsBeforeEnd", "0"] + store).status == 0)
        #expect(try await cues(["Short"] + store).count == 3)
        let listed = try await sandbox.bzpack(["timeline", "Short", "--cues"] + store)
        #expect(listed.output.contains("Session complete"))
        for name in ["enableSounds", "enableVibration"] {
            #expect(try await sandbox.bzpack(["settings", "set", name, "false"] + store).status == 0)
        }
        #expect(try await cues(["Short"] + store).isEmpty)
        #expect(try await sandbox.bzpack(["timeline", "Short", "--cues", "--at", "1"] + store).status == 64)
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
