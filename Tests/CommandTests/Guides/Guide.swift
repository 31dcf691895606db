import Foundation
import Subprocess
import Testing
import TestSupport

/// A Markdown file with commands, each in a block of the kind `console`, and what they print.
///
/// A command stands behind `$`, or behind the name of a device and `$`: each device has a home folder of its own, and all
/// have `~/Sync` in common. A comment `<!-- now TIME -->` sets the time from there on. A comment `<!-- $ COMMAND -->` is a
/// command that the reader does not see. `SATCHEL_WRITE_WORDING=1` writes what the programs print now into the file.
struct Guide {
    private let file: URL
    private let sandbox: Sandbox
    private var now = ""

    init(_ file: URL, in sandbox: Sandbox) {
        self.file = file
        self.sandbox = sandbox
    }

    /// Runs the commands one after the other, and reports each line that differs.
    mutating func compare() async throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        var written: [String] = []
        var isConsole = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let match = line.wholeMatch(of: #/<!-- now (\S+) -->/#) {
                now = String(match.1)
            } else if let match = line.wholeMatch(of: #/<!-- (\w*)\$ (.*) -->/#) {
                let lines = try await run(String(match.2), on: String(match.1))
                if lines.last?.hasPrefix("(exit code") == true { Issue.record("\(line): \(lines)") }
            } else if let match = line.wholeMatch(of: #/ *```(.*)/#) {
                isConsole = match.1 == "console"
            } else if isConsole {
                // What the programs printed before is left out.
                guard let match = line.wholeMatch(of: #/( *)(\w*)\$ (.*)/#) else { continue }
                let lines = try await run(String(match.3), on: String(match.2))
                let indent = String(match.1)
                written.append(line)
                written += lines.map { $0.isEmpty ? "" : indent + $0 }
                continue
            }
            written.append(line)
        }
        try Transcript.report(written.joined(separator: "\n"), of: text, in: file)
    }

    /// What a command prints, line by line, with its exit code where that is not 0.
    private func run(_ command: String, on device: String) async throws -> [String] {
        let programs = URL(filePath: Built.path("satchel")).deletingLastPathComponent().path
        let home = sandbox.path(device.isEmpty ? "home" : device)
        // Commands that take a time get the guide's.
        let script = """
            PATH='\(programs)':$PATH; mkdir -p "$HOME" "$COMMON"; ln -sfn "$COMMON" "$HOME/Sync"; cd "$HOME"
            satchel() {
                if [ -n "$NOW" ] &&
                    { [ "$*" = sync ] || command satchel "$@" --help 2>/dev/null | grep -q -e '^  --now '; }; then
                    set -- "$@" --now "$NOW"
                fi
                command satchel "$@"
            }
            { \(command)
            } 2>&1
            """
        let outcome = try await sandbox.run(
            "/bin/sh",
            ["-c", script],
            environment: [
                "HOME": home, "COMMON": sandbox.path("Sync"), "NOW": now, "FIXTURES": Fixtures.folder.path,
                "XDG_DATA_HOME": "\(home)/.local/share", "XDG_STATE_HOME": "\(home)/.local/state",
                "SATCHEL_FOLDERSYNC": nil, "SHELL": "/bin/bash",
            ]
        )
        if !outcome.errors.isEmpty { Issue.record("\(command): \(outcome.errors)") }
        let text = outcome.output.replacingOccurrences(of: home, with: "~")
            .replacingOccurrences(of: sandbox.path("Sync"), with: "~/Sync")
            // Tables end their lines with both.
            .replacingOccurrences(of: "\r\n", with: "\n")
        // Editors remove spaces at the end of a line.
        var lines = Transcript.comparable(text).split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.replacing(#/ +$/#, with: "")) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines + (outcome.status == 0 ? [] : ["(exit code \(outcome.status))"])
    }
}
