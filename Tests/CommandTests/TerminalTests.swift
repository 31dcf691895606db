import FormatKit
import Foundation
import Testing
import TestSupport

@testable import CommandSupport

/// What the options that every command takes, the terminal and the environment make of what is printed.
@Suite("Terminals")
struct TerminalTests {
    @Test("The common options are taken from anywhere before --, and the rest stays as it is")
    func options() throws {
        let given = try CommandLineOptions(["list", "-q", "--color", "never", "--no-pager", "x", "--", "-v"])
        #expect(given.printing.isQuiet && !given.printing.usesPager && given.printing.color == .never)
        #expect(!given.printing.isVerbose)
        #expect(given.rest == ["list", "x", "--", "-v"])
        let joined = try CommandLineOptions(["import", "-vy", "-yq2", "--color=always"])
        #expect(joined.printing.isVerbose && joined.printing.color == .always)
        #expect(joined.rest == ["import", "-y", "-yq2"])
    }

    @Test("The buttons of Time Tracker keep an option --color of their own")
    func buttons() throws {
        let given = try CommandLineOptions(["buttons", "add", "Garden", "--color", "#4CAF50"])
        #expect(given.rest == ["buttons", "add", "Garden", "--color", "#4CAF50"])
        let both = try CommandLineOptions(["--color", "never", "buttons", "add", "Garden", "--color", "#4CAF50"])
        #expect(both.printing.color == .never)
        #expect(both.rest == ["buttons", "add", "Garden", "--color", "#4CAF50"])
    }

    @Test(
        "Common options that make no sense are refused",
        arguments: [["-q", "-v"], ["--color", "red"], ["--color"]]
    )
    func refused(_ arguments: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try CommandLineOptions(arguments) }
        #expect(failure?.status == .usage)
    }

    @Test(
        "Who decides about colours",
        arguments: [
            (Printing.Color.auto, true, ["TERM": "xterm"], true), (.auto, false, ["TERM": "xterm"], false),
            (.auto, true, ["TERM": "dumb"], false), (.auto, true, [:], false),
            (.auto, true, ["TERM": "xterm", "NO_COLOR": "1"], false),
            (.auto, true, ["TERM": "xterm", "NO_COLOR": ""], true),
            (.auto, true, ["TERM": "xterm", "CLICOLOR": "0"], false),
            (.auto, false, ["CLICOLOR_FORCE": "1"], true), (.auto, false, ["FORCE_COLOR": "0"], false),
            (.auto, false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
            (.always, false, ["NO_COLOR": "1"], true), (.never, true, ["TERM": "xterm", "FORCE_COLOR": "1"], false),
        ] as [(Printing.Color, Bool, [String: String], Bool)]
    )
    func colors(_ option: Printing.Color, _ isTerminal: Bool, _ environment: [String: String], _ expected: Bool) {
        #expect(Painter.hasColors(option, isTerminal: isTerminal) { environment[$0] } == expected)
    }

    @Test("A finding's severity is painted, and a text that looks like one is not")
    func finding() {
        let painter = Painter(hasColors: true)
        #expect(painter.paintFinding("f: error[a.b]: m") == "f: \u{1B}[31merror[a.b]\u{1B}[0m: m")
        #expect(painter.paintFinding("warning[a.b]: m") == "\u{1B}[33mwarning[a.b]\u{1B}[0m: m")
        #expect(painter.paintFinding("an error of somebody") == "an error of somebody")
        #expect(Painter.plain.paintFinding("f: error[a.b]: m") == "f: error[a.b]: m")
    }

    @Test(
        "The pager",
        arguments: [
            (["SATCHEL_PAGER": "more", "PAGER": "less"], "more"), (["PAGER": "less -S"], "less -S"),
            (["SATCHEL_PAGER": "", "PAGER": "less"], nil), (["PAGER": " cat"], nil), (["PATH": "/nowhere"], nil),
            ([:], nil),
        ] as [([String: String], String?)]
    )
    func pager(_ environment: [String: String], _ expected: String?) {
        #expect(Pager.command(environment) == expected)
    }

    @Test("Names come in the order that people expect")
    func order() {
        let names = ["Item 10", "item 2", "Item 02", "Item", "10 k", "9 k", "Ärger", "Item 2 b", "Item 2 a"]
        let sorted = names.sorted(by: NaturalOrder.precedes)
        #expect(
            sorted == ["9 k", "10 k", "Item", "Item 02", "item 2", "Item 2 a", "Item 2 b", "Item 10", "Ärger"]
        )
    }

    @Test(
        "Lengths in words",
        arguments: [
            (0, "0 min"), (20, "20 s"), (60, "1 min"), (250, "4 min 10 s"), (17_700, "4 h 55 min"), (3_601, "1 h 1 s"),
            (604_800, "168 h"), (-90, "-1 min 30 s"),
        ]
    )
    func lengths(_ seconds: Int, _ expected: String) {
        #expect(Words.length(seconds) == expected)
    }

    @Test("A table is as wide as the terminal: texts are cut, numbers and what is fixed are not")
    func width() {
        var table = TextTable([.left("NAME"), .right("N"), .fixed("WHEN")])
        table.add(["日本語の長い名前 that goes on", "1234567", "2026-01-07"])
        table.add(["🧘‍♀️ calm", "1", ""])
        for width in 29...60 {
            for line in table.render(width: width).split(separator: "\n") {
                #expect(TerminalText.width(String(line)) <= width, "\(width): \(line)")
            }
            #expect(table.render(width: width).contains("1234567  2026-01-07\n"))
        }
        // The last cell that fits is half of a wide character, which is left out.
        #expect(table.render(width: 29).hasPrefix("NAME            N  WHEN\n日本語…   1234567  2026-01-07\n"))
        #expect(table.render(width: nil).contains("that goes on"))
        #expect(table.render(width: 60, indent: 2).hasPrefix("  NAME "))
    }

    @Test("Where columns do not fit, a record is shown as lines")
    func records() {
        var table = TextTable([.left("NAME"), .right("N"), .fixed("ID")])
        table.add(["A name of some length", "1234567", "0123456789abcdef"])
        table.add(["B", "1", ""])
        #expect(
            table.render(width: 20)
                == "NAME  A name of some\n      length\nN     1234567\nID\n  0123456789abcdef\n\nNAME  B\nN     1\n"
        )
    }

    @Test("Text is broken at spaces, else between characters, and never within one")
    func wrap() {
        #expect(TerminalText.wrap("one two three", to: 8) == ["one two", "three"])
        #expect(TerminalText.wrap("日本語", to: 5) == ["日本", "語"])
        #expect(TerminalText.wrap("👩‍👩‍👧👩‍👩‍👧", to: 1) == ["👩‍👩‍👧", "👩‍👩‍👧"])
        #expect(TerminalText.wrap("", to: 5).isEmpty)
        #expect(TerminalText.wrap("a\u{1B}b", to: 20) == ["a\\u{1b}b"])
    }

    @Test(
        "A command that takes long shows so on a terminal, and wipes the line",
        .enabled(if: JourneyTests.hasTerminals, "this machine lacks script")
    )
    func progress() async throws {
        let sandbox = try Sandbox()
        let writer = "mkfifo pipe; (sleep 4; printf '{}') > pipe &"
        let reader = "TERM=xterm script -qec \"'$0' timer validate pipe\" /dev/null"
        let outcome = try await sandbox.run("/bin/sh", ["-c", "\(writer) \(reader)", Built.path("satchel")])
        #expect(outcome.output.contains("\r\u{1B}[KChecking\r\u{1B}[K"), "\(outcome.output)")
        #expect(outcome.status == 65)
    }

    @Test("Every command's help lists the common options")
    func help() async throws {
        let sandbox = try Sandbox()
        for arguments in [["--help"], ["list", "--help"], ["help", "history", "add"], ["schema", "check", "-h"]] {
            let help = try await sandbox.bzpack(arguments)
            #expect(help.status == 0)
            for option in ["--quiet", "--verbose", "--color", "--no-pager"] {
                #expect(help.output.contains(option), "\(arguments)")
            }
        }
    }

    @Test("A name of emoji alone is named by them")
    func emoji() throws {
        let names = ["🏋️", "🧘‍♀️ Calm", "Legs 🏋️"]
        let choice = NameChoice("task", names, id: { $0 }, name: { $0 })
        #expect(try choice("🏋") == "🏋️")
        #expect(try choice("🧘‍♀️") == "🧘‍♀️ Calm")
        #expect(try choice("calm") == "🧘‍♀️ Calm")
        #expect(throws: CommandFailure.self) { try choice("🎸") }
        #expect(NameText.contains("Legs 🏋️", "🏋️") && !NameText.contains("🏋️", "legs"))
    }

    @Test("Long lines are broken at spaces, and nothing else is")
    func broken() {
        let line = "2026-11-21T14:30:00+01:00  Slate  Laptop: changed task \"Renew the passport\" (title \"Renew\")"
        let broken = TerminalText.broken(line + "\nshort\n", to: 40)
        for part in broken.split(separator: "\n") { #expect(TerminalText.width(String(part)) <= 40, "\(part)") }
        #expect(broken.hasSuffix("\nshort\n"))
        #expect(broken.split(separator: "\n").dropFirst().dropLast().allSatisfy { $0.hasPrefix("  ") })
        #expect(broken.split { " \n".contains($0) } == (line + "\nshort\n").split { " \n".contains($0) })
        let path = "cannot read /\(String(repeating: "a", count: 60)): no such file"
        #expect(TerminalText.broken(path, to: 40).contains("/\(String(repeating: "a", count: 60)):"))
        // Colours take no columns, and a question keeps the space behind it.
        let painted = "\u{1B}[31merror:\u{1B}[0m \(String(repeating: "word ", count: 6))"
        #expect(TerminalText.broken(painted, to: 40) == painted)
        #expect(
            TerminalText.broken("Keep 1 or 2, (o)ther: type a value, (s)kip, (q)uit? ", to: 30).hasSuffix("(q)uit? ")
        )
    }

    @Test("Completions offer the options that every command takes", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        let sandbox = try Sandbox()
        let script = try await sandbox.run(Built.path("satchel"), ["--generate-completion-script", shell]).output
        for name in ["quiet", "verbose", "no-pager", "color"] { #expect(script.contains(name), "\(name)") }
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash"), "this machine lacks bash")
    )
    func `bash completes with the script`() async throws {
        let sandbox = try Sandbox()
        let script = try await sandbox.run(Built.path("satchel"), ["--generate-completion-script", "bash"]).output
        let path = try sandbox.write("completion", script)
        func offered(_ words: String...) async throws -> Set<Substring> {
            let list = words.map { "'\($0)'" }.joined(separator: " ")
            let command = """
                source '\(path)'; COMP_WORDS=(satchel \(list)); COMP_CWORD=\(words.count)
                COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                _satchel satchel "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let outcome = try await sandbox.run("/bin/bash", ["--norc", "-c", command])
            return Set(outcome.output.split(separator: "\n"))
        }
        #expect(
            try await offered("timer", "list", "--").isSuperset(of: ["--quiet", "--verbose", "--no-pager", "--color"])
        )
        #expect(try await offered("timer", "list", "--color", "") == ["auto", "always", "never"])
    }
}
