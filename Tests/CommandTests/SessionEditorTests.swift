import Foundation
import Subprocess
import Testing
import TestSupport

/// What is typed in the editor; `script` of util-linux plays the terminal, and a shell script the editor.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "this machine lacks script"))
struct SessionEditorTests {
    let sandbox: Sandbox
    let store: String

    init() async throws {
        sandbox = try Sandbox()
        store = try await sandbox.client(pro: true)
        try FileManager.default.createDirectory(atPath: sandbox.path("tmp"), withIntermediateDirectories: true)
    }

    /// Runs bzpack with an editor that writes a text.
    private func edit(
        _ arguments: String,
        typing text: String,
        then command: String = "true",
        editor: String = "sh ./editor.sh"
    ) async throws -> Outcome {
        try sandbox.write("typed.txt", text)
        try sandbox.write("editor.sh", "touch opened; ls -l \"$1\" >modes; cat typed.txt >\"$1\"; \(command)\n")
        try sandbox.remove("opened")
        return try await sandbox.run(
            "/bin/sh",
            ["-c", "script -qec \"$1\" /dev/null </dev/null", "sh", "'\(Built.path("bzpack"))' \(arguments)"],
            environment: [
                "VISUAL": "", "EDITOR": .some(editor), "TMPDIR": .some(sandbox.path("tmp")), "COLUMNS": "400",
            ]
        )
    }

    /// The files of the temporary folder with their content.
    private func kept() throws -> [String: String] {
        var kept: [String: String] = [:]
        for name in try sandbox.names() where name.hasPrefix("tmp/satchel-") {
            kept[sandbox.path(name)] = String(decoding: try sandbox.bytes(name), as: UTF8.self)
        }
        return kept
    }

    @Test("A text that the store takes leaves no file, and only its owner could read it")
    func taken() async throws {
        let outcome = try await edit("new --store '\(store)'", typing: "name: Legs\nSquats 45 s\n")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(try kept().isEmpty)
        #expect(String(decoding: try sandbox.bytes("modes"), as: UTF8.self).hasPrefix("-rw-------"))
        #expect(try await sandbox.bzpack("show", "Legs", "--store", store).status == 0)
    }

    @Test("A text that is refused stays in a file that the message names")
    func refused() async throws {
        #expect(try await sandbox.bzpack("new", "Legs", "--text", "Squats 45 s", "--store", store).status == 0)
        let typed = "name: Legs\nSquats 20 x 3 s -- an evening of typing\n"
        let change = "'\(Built.path("bzpack"))' edit Legs --text 'Squats 60 s' --store '\(store)' >/dev/null"
        let runs: [(arguments: String, command: String, status: Int32)] = [
            ("new --store '\(store)'", "true", 64), ("edit Legs --store '\(store)'", "exit 1", 64),
            ("edit Legs --store '\(store)'", change, 65),
        ]
        for run in runs {
            let outcome = try await edit(run.arguments, typing: typed, then: run.command)
            #expect(outcome.status == run.status, "\(outcome.output)")
            let kept = try kept()
            #expect(kept.values.sorted() == [typed])
            for path in kept.keys {
                #expect(outcome.output.contains(path), "\(outcome.output)")
                try FileManager.default.removeItem(atPath: path)
            }
        }
    }

    @Test("On the Free plan the sixth session is refused before the editor opens")
    func limit() async throws {
        let free = try await sandbox.client("free.db")
        for number in 1...5 {
            let made = try await sandbox.bzpack("new", "S\(number)", "--text", "A 10 s", "--store", free)
            #expect(made.status == 0)
        }
        let outcome = try await edit("new --store '\(free)'", typing: "name: Legs\nSquats 45 s\n")
        #expect(outcome.status == 77, "\(outcome.output)")
        #expect(!sandbox.has("opened"))
        #expect(try kept().isEmpty)
    }

    @Test("An example that is left as it is adds nothing")
    func unchanged() async throws {
        let outcome = try await edit("new Abandoned --store '\(store)'", typing: "", editor: "true")
        #expect(outcome.status == 64 && outcome.output.contains("no session was added"), "\(outcome.output)")
        #expect(try kept().isEmpty)
        #expect(try await sandbox.bzpack("show", "Abandoned", "--store", store).status == 66)
        // A session that is looked at stays as it is.
        #expect(try await sandbox.bzpack("new", "Legs", "--text", "A 10 s", "--store", store).status == 0)
        #expect(try await edit("edit Legs --store '\(store)'", typing: "", editor: "true").status == 0)
        let both = ["edit", "Legs", "--text", "A 20 s", "--file", "legs.txt", "--store", store]
        #expect(try await sandbox.bzpack(both).status == 64)
    }
}
