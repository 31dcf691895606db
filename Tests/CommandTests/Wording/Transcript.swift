import Foundation
import Subprocess
import Testing
import TestSupport

/// A file that reads like a session at a terminal: commands behind `$`, and what they print, indented.
///
/// The escape character is shown as `\e`. `SATCHEL_WRITE_WORDING=1` writes what the programs print now into the file.
struct Transcript {
    private let file: URL
    /// Whether the commands run at a terminal of their own.
    private let usesTerminal: Bool

    /// - Parameter name: The file's path beside this one's folder.
    init(_ name: String, usesTerminal: Bool = false) {
        file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: name)
        self.usesTerminal = usesTerminal
    }

    /// Runs the commands one after the other, and reports each line that differs.
    func compare(in sandbox: Sandbox) async throws {
        let text = try String(contentsOf: file, encoding: .utf8)
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
        try Self.report(written, of: text, in: file)
    }

    /// Writes what the programs print now into a file, where that is asked for, and reports each line that differs.
    static func report(_ written: String, of text: String, in file: URL) throws {
        if ProcessInfo.processInfo.environment["SATCHEL_WRITE_WORDING"] != nil {
            try Data(written.utf8).write(to: file)
        }
        let (old, new) = (text.split(separator: "\n"), written.split(separator: "\n"))
        for change in new.difference(from: old) {
            switch change {
            case .insert(_, let line, _): Issue.record("said and not in the file: \(line)")
            case .remove(_, let line, _): Issue.record("in the file and not said: \(line)")
            }
        }
    }

    /// A program's text with a word in place of each name that is made at random, and of the folder of fixtures.
    static func comparable(_ text: String) -> String {
        text.replacingOccurrences(of: Fixtures.folder.path, with: "fixtures")
            .replacing(#/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/#, with: "UUID")
            .replacing(#/\b(?=[a-z]*[0-9])[a-z0-9]{16}\b/#, with: "ID")
    }

    /// What a command prints, indented, with its exit code where that is not 0.
    private func answer(_ command: String, in sandbox: Sandbox) async throws -> String {
        // The names are links, which the first use makes.
        for name in ["slate-backup", "tracker-export", "foldersync"] { _ = Built.path(name) }
        let programs = URL(filePath: Built.path("bzpack")).deletingLastPathComponent().path
        let fixtures = URL(filePath: Fixtures.path("bztimer")).deletingLastPathComponent().path
        let home = sandbox.path("").trimmingSuffix("/")
        let setUp = "PATH='\(programs)':$PATH; FIXTURES='\(fixtures)'; cd '\(home)'"
        var arguments = ["-c", "\(setUp); { \(command); } 2>&1"]
        if usesTerminal {
            // The terminal turns each new line into two characters.
            let script =
                "\(setUp); export PATH FIXTURES; script -qec \"$COMMAND\" /dev/null </dev/null | tr -d '\\r'; exit ${PIPESTATUS[0]}"
            arguments = ["-c", script]
        }
        let outcome = try await sandbox.run(
            usesTerminal ? "/bin/bash" : "/bin/sh",
            arguments,
            // So wide that no line is broken, wherever the sandbox's folder lies.
            environment: [
                "COMMAND": command, "XDG_STATE_HOME": sandbox.path("state"), "SHELL": "/bin/bash", "COLUMNS": "400",
            ]
        )
        let text = Self.comparable(
            outcome.output.replacingOccurrences(of: home, with: "~").replacingOccurrences(
                of: fixtures,
                with: "fixtures"
            )
            .replacingOccurrences(of: "\u{1B}", with: "\\e")
        )
        let lines = text.split(separator: "\n").map { "    \($0)\n" }.joined()
        return lines + (outcome.status == 0 ? "" : "    (\(outcome.status))\n")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
