import Foundation
import Testing
import TestSupport

/// The wording of messages, in one file that reads like a session at a terminal.
struct WordingTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "messages.txt")

    @Test func `messages read as the file has them`() async throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        let sandbox = try Sandbox()
        var written = ""
        var isAnswer = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("$ ") {
                written += line + "\n" + (try await answer(String(line.dropFirst(2)), in: sandbox))
                isAnswer = true
            } else if line.hasPrefix("#") || line.isEmpty && !isAnswer {
                if isAnswer { written += "\n" }
                isAnswer = false
                written += line + "\n"
            }
        }
        if ProcessInfo.processInfo.environment["SATCHEL_WRITE_WORDING"] != nil {
            try Data(written.utf8).write(to: Self.file)
        }
        let (old, new) = (text.split(separator: "\n"), written.split(separator: "\n"))
        for change in new.difference(from: old) {
            switch change {
            case .insert(_, let line, _): Issue.record("said and not in the file: \(line)")
            case .remove(_, let line, _): Issue.record("in the file and not said: \(line)")
            }
        }
    }

    /// What a command prints, indented, with its exit code where that is not 0.
    private func answer(_ command: String, in sandbox: Sandbox) async throws -> String {
        let programs = URL(filePath: Built.path("bzpack")).deletingLastPathComponent().path
        let fixtures = URL(filePath: Fixtures.path("bztimer")).deletingLastPathComponent().path
        let script = "PATH='\(programs)':$PATH; FIXTURES='\(fixtures)'; cd '\(sandbox.path(""))'; { \(command); } 2>&1"
        let outcome = try await sandbox.run("/bin/sh", ["-c", script])
        let text = outcome.output.replacingOccurrences(of: sandbox.path("").trimmingSuffix("/"), with: "~")
            .replacingOccurrences(of: fixtures, with: "fixtures")
            .replacing(#/\b(?=[a-z]*[0-9])[a-z0-9]{16}\b/#, with: "ID")
        let lines = text.split(separator: "\n").map { "    \($0)\n" }.joined()
        return lines + (outcome.status == 0 ? "" : "    (\(outcome.status))\n")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
