import Testing
import TestSupport

/// The wording of messages, in one file that reads like a session at a terminal.
struct WordingTests {
    @Test func `messages read as the file has them`() async throws {
        try await Transcript("Wording/messages.txt").compare(in: Sandbox())
    }
}
