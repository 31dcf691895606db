import Foundation
import Testing
import TestSupport

/// The ways of six people, at a terminal, from the first command to what they came for; and what a terminal shows.
@Suite("Journeys")
struct JourneyTests {
    static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

    @Test(
        "A person's way ends where it should, and reads as the file has it",
        .enabled(if: hasTerminals, "script of bsdutils gives programs a terminal, and is not installed"),
        arguments: ["trainer", "client", "slate", "toggl", "student", "family", "terminal"]
    )
    func way(_ name: String) async throws {
        try await Transcript("Journeys/\(name).txt", usesTerminal: true).compare(in: Sandbox())
    }
}
