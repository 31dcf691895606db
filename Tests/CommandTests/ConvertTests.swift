import StrictJSON
import TestSupport
import Testing

struct ConvertTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Presets become sessions, and come back the same")
    func thereAndBack() async throws {
        let path = Fixtures.path("presets/v2/first-timers.json")
        let there = try await sandbox.bzpack("convert", path, "-o", "timers.bztimer", "--now", "2026-01-01T00:00:00Z")
        #expect(there.status == 0, "\(there.errors)")
        let validate = try await sandbox.bzpack("validate", "--strict", "timers.bztimer")
        #expect(validate.output == "timers.bztimer: valid (version 3)\n")
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
}
