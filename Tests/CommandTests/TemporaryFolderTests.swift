import Foundation
import Subprocess
import Testing
import TestSupport

/// The databases that commands make for a trial, whatever ends them.
struct TemporaryFolderTests {
    private static let signals = ["TERM", "HUP", "KILL"]

    @Test("A trial's database goes with a signal, and one that a kill left with the next trial", arguments: signals)
    func ended(by signal: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.backup("many.json", tasks: 30_000)
        try sandbox.backup("few.json", tasks: 1)
        try FileManager.default.createDirectory(atPath: sandbox.path("t"), withIntermediateDirectories: false)
        // A folder of that name that somebody holds, or that is none of ours, stays.
        let script = """
            mkdir t/satchel-trial-mine
            "$0" verify --restore many.json & p=$!
            until [ -s t/satchel-trial-*/slate.db ]; do kill -0 $p || exit 9; done
            if [ \(signal) = KILL ]; then kill -STOP $p; "$0" verify --restore few.json; ls t/satchel-trial-*/slate.db; fi
            kill -\(signal) $p; wait $p; echo "ended with $?"
            [ \(signal) = KILL ] && ls t/satchel-trial-*/slate.db && "$0" verify --restore few.json
            ls -A t
            """
        let outcome = try await sandbox.run(
            "/bin/sh",
            ["-c", script, Built.path("slate-backup")],
            environment: ["TMPDIR": sandbox.path("t")]
        )
        let number = ["TERM": 143, "HUP": 129, "KILL": 137][signal] ?? 0
        #expect(outcome.output.contains("ended with \(number)\n"), "\(outcome.output)\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.last == "satchel-trial-mine", "\(outcome.output)\(outcome.errors)")
        if signal == "KILL" { #expect(lines.filter { $0.hasSuffix("slate.db") }.count == 2) }
    }
}
