import Foundation
import Testing
import TestSupport

/// What is asked where a person is there to answer; `script` of util-linux plays the terminal.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "this machine lacks script"))
struct SlateTerminalTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func onTerminal(_ arguments: String, answer: String) async throws -> Outcome {
        // Written by a shell: were it this process, a program that ends without reading would end it with SIGPIPE.
        let command = "'\(Built.path("slate-backup"))' \(arguments)"
        return try await sandbox.run(
            "/bin/sh",
            ["-c", "echo \"$1\" | script -qec \"$2\" /dev/null", "sh", answer, command]
        )
    }

    @Test("The plan comes before the question; no changes nothing, yes does it")
    func asks() async throws {
        try sandbox.backup("Slate-20260107.json", tasks: 2)
        let no = try await onTerminal("import --from . --db x.db", answer: "n")
        #expect(no.status == 64)
        #expect(!sandbox.has("x.db"))
        let parts = no.output.split(separator: "Import ./Slate-20260107.json into x.db (replace: 3 created)? [y/N]")
        #expect(parts.first?.contains("create tasks t0 \"Task 0\": new") == true)
        #expect(no.output.contains("nothing was changed"))

        let yes = try await onTerminal("import --from . --db x.db", answer: "y")
        #expect(yes.status == 0, "\(yes.output)")
        #expect(yes.output.contains("Imported: 3 created."))
        try sandbox.backup("Slate-20260108.json", tasks: 3)
        let next = try await onTerminal("import --from . --db x.db", answer: "y")
        #expect(next.status == 0, "\(next.output)")
        let undone = try await onTerminal("undo --db x.db --format json", answer: "yes")
        #expect(undone.status == 0, "\(undone.output)")
        #expect(undone.output.contains("\"dryRun\": false"))
    }

    @Test("An archive is not written to a terminal")
    func archive() async throws {
        let database = try await sandbox.sampleDatabase()
        let outcome = try await onTerminal("export --output - --archive zip --db '\(database)'", answer: "")
        #expect(outcome.status == 64)
    }
}
