import BZTimer
import FormatKit
import StrictJSON
import Testing
import TestSupport

struct ConvertTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Presets become sessions, and come back the same")
    func thereAndBack() async throws {
        let path = Fixtures.path("presets/v2/first-timers.json")
        let there = try await sandbox.bzpack("convert", path, "-o", "timers.bztimer", "--now", "2026-01-01T00:00:00Z")
        #expect(there.status == 0, "\(there.errors)")
        let validate = try await sandbox.bzpack("validate", "--strict", "timers.bztimer")
        #expect(validate.output == "timers.bztimer: valid (version \(BztimerFormat.currentVersion))\n")
        #expect(try await sandbox.bzpack("convert", "timers.bztimer", "-o", "back.json").status == 0)
        #expect(try sandbox.bytes("back.json") == Fixtures.bytes("presets/v2/first-timers.json"))
        let again = try await sandbox.bzpack("convert", path, "--now", "2026-01-01T00:00:00Z")
        #expect(Array(again.output.utf8) == (try sandbox.bytes("timers.bztimer")))
    }

    @Test("What is lost is said with its place in the file")
    func losses() async throws {
        let path = Fixtures.path("presets/v2/unknown-members.json")
        let outcome = try await sandbox.bzpack("convert", path, "--only", "Silent boxing")
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[conversion.loss]: the member \"device\" is left out (at /device)"))
        #expect(
            outcome.errors.contains(
                ":13:23: warning[conversion.loss]: preset \"Silent boxing\": sound is off, which a session cannot say "
                    + "(at /presets/0/soundEnabled)"
            )
        )
        #expect(try outcome.json["sessions"]?.array?.count == 1)
    }

    @Test("A session that is no preset is refused, with the block that breaks the pattern", arguments: [1, 2, 3])
    func pattern(_ version: Int) async throws {
        let path = Fixtures.path("bztimer/v\(version)/leg-day.json")
        let outcome = try await sandbox.bzpack("convert", path, "-o", "out.json")
        #expect(outcome.status == 65)
        #expect(
            outcome.errors.contains(
                "error[conversion.pattern]: the session is no preset: block 2, \"Get ready\", is a transition; expected a rest"
            )
        )
        #expect(outcome.errors.contains("items/1)"))
        #expect(!sandbox.has("out.json"))
    }

    @Test("Other files are refused")
    func refusals() async throws {
        #expect(try await sandbox.bzpack("convert", "missing.json").status == 66)
        #expect(try await sandbox.bzpack("convert", Fixtures.path("presets/invalid/sets-zero.json")).status == 65)
        let path = Fixtures.path("presets/v2/first-timers.json")
        #expect(try await sandbox.bzpack("convert", path, "--only", "Nobody").status == 66)
        try sandbox.write("notes.txt", "mine")
        #expect(try await sandbox.bzpack("convert", path, "-o", "notes.txt").status == 64)
        #expect(try sandbox.bytes("notes.txt") == Array("mine".utf8))
    }

    @Test("A workout of Zwift becomes a session, and a session a workout")
    func workouts() async throws {
        let path = Fixtures.path("zwift/intervals.zwo")
        let there = try await sandbox.bzpack("convert", path, "-o", "hill.bztimer", "--now", "2026-01-01T00:00:00Z")
        #expect(there.status == 3)
        #expect(
            there.errors.contains(
                "intervals.zwo:21:13: warning[conversion.loss]: the element <gameplayevent> is left out"
            )
        )
        #expect(try await sandbox.bzpack("validate", "--strict", "hill.bztimer").status == 0)
        #expect(try await sandbox.bzpack("convert", "hill.bztimer", "--to", "zwo", "-o", "hill.zwo").status == 0)
        #expect(
            try await sandbox.bzpack("convert", "hill.zwo", "-o", "hill.bztimer", "--now", "2026-01-01T00:00:00Z")
                .status == 0
        )
        let unasked = try await sandbox.bzpack("convert", "hill.bztimer", "-o", "other.zwo")
        #expect(unasked.status == 64 && unasked.errors.contains("add --to zwo"), "\(unasked.errors)")
        let again = try await sandbox.bzpack("convert", "hill.bztimer", "--to", "zwo")
        #expect(Array(again.output.utf8) == (try sandbox.bytes("hill.zwo")))
        #expect(try await sandbox.bzpack("validate", "hill.zwo").output == "hill.zwo: valid\n")
        #expect(try await sandbox.bzpack("timeline", "--file", "hill.zwo").output.contains("Settle in"))
    }

    @Test("A session that no workout can be is refused with its place, and nothing is written")
    func unwritableWorkouts() async throws {
        let block =
            #"{"id":"b","label":"B","type":"rest","mode":"reps","reps":100000,"perRepSeconds":86400,"category":null}"#
        for (items, fault) in [
            (block, "error[zwo.length]: the session is no workout: block 1, \"B\", takes 8640000000 s;"),
            ("", "error[zwo.empty]: the session is no workout: it has no blocks (at /sessions/0/items)"),
        ] {
            let head = #""format":"bztimer","version":3,"exportedAt":"2026-01-01T00:00:00Z","categories":[]"#
            try sandbox.write("s.bztimer", #"{\#(head),"sessions":[{"id":"s","name":"S","items":[\#(items)]}]}"#)
            let outcome = try await sandbox.bzpack("convert", "s.bztimer", "--to", "zwo", "-o", "s.zwo")
            #expect(outcome.status == 65 && outcome.errors.contains(fault), "\(outcome.errors)")
            #expect(!sandbox.has("s.zwo"))
        }
    }

    @Test("What does not become a workout or is none is refused")
    func otherWorkouts() async throws {
        try sandbox.write("other.xml", "<gpx/>")
        let other = try await sandbox.bzpack("convert", "other.xml")
        #expect(other.status == 65 && other.errors.contains("<gpx>, expected a workout of Zwift"), "\(other.errors)")
        let path = Fixtures.path("zwift/intervals.zwo")
        let presets = try await sandbox.bzpack("convert", path, "--to", "presets")
        #expect(presets.status == 64 && presets.errors.contains("then bzpack convert FILE.bztimer --to presets"))
        #expect(
            try await sandbox.bzpack("convert", Fixtures.path("presets/v2/first-timers.json"), "--to", "zwo").status
                == 64
        )
        #expect(try await sandbox.bzpack("inspect", path).status == 65)
        #expect(try await sandbox.bzpack("migrate", "--to", "1", path).status == 64)
        try sandbox.write("hill.zwo", "mine")
        let kept = try await sandbox.bzpack(
            "convert",
            Fixtures.path("bztimer/v3/leg-day.json"),
            "--to",
            "zwo",
            "-o",
            "hill.zwo"
        )
        #expect(kept.status == 64)
    }
}
