import CommandSupport
import Foundation
import StrictJSON
import Testing
import TestSupport

struct RenderingTests {
    @Test(
        "Columns on a terminal",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🧘", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("ﾊ", 1),
            ("\u{200B}", 0),
        ]
    )
    func width(_ text: String, _ expected: Int) {
        #expect(TerminalText.width(text) == expected)
    }

    @Test("Control and direction characters are shown, not obeyed")
    func safe() {
        #expect(TerminalText.safe("a\u{1B}[31m\n\u{202E}b\u{9B}") == "a\\u{1b}[31m\\u{a}\\u{202e}b\\u{9b}")
        #expect(TerminalText.safe("Übung 🏋️ – ok") == "Übung 🏋️ – ok")
        #expect(TerminalText.safe("Mi\u{200B}lk\u{AD}\u{FEFF}\u{2060}") == "Mi\\u{200b}lk\\u{ad}\\u{feff}\\u{2060}")
        #expect(TerminalText.safe("a\u{200D}b\u{FE0F}\u{3164}\u{E0041}") == "a\\u{200d}b\u{FE0F}\\u{3164}\\u{e0041}")
        // What joins the parts of an emoji, and letters of scripts that need it, is seen.
        for text in ["👨‍👩‍👧", "می‌خواهم", "🏳️‍🌈"] { #expect(TerminalText.safe(text) == text) }
    }

    @Test("Tables line up")
    func table() {
        var table = TextTable([.left("NAME"), .right("N"), .left("X")])
        table.add(["日本", "1", "a"])
        table.add(["abc", "12"])
        #expect(table.render(width: nil) == "NAME   N  X\n日本   1  a\nabc   12\n")
    }

    @Test("Findings are capped, and the rest is counted")
    func diagnostics() {
        let findings = (0..<5).map { Diagnostic(code: "a.b", message: "m\($0)", file: "f") }
        let renderer = DiagnosticRenderer(limit: 2)
        #expect(renderer.render(findings) == "f: error[a.b]: m0\nf: error[a.b]: m1\n… and 3 more findings\n")
        #expect(renderer.render(Array(findings.prefix(2)), total: 3).hasSuffix("… and 1 more finding\n"))
        #expect(renderer.render([]).isEmpty)
    }

    @Test("A file is replaced whole and keeps its mode")
    func outputFile() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("f", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try OutputFile(path).write(Array("new content".utf8))
        #expect(try sandbox.bytes("f") == Array("new content".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o640)
        #expect(try sandbox.names() == ["f"])
    }

    @Test("Input beyond the limit is refused")
    func limit() throws {
        let sandbox = try Sandbox()
        let path = try sandbox.write("f", String(repeating: "x", count: 1000))
        #expect(try InputFile(reading: path, limit: 1000).bytes.count == 1000)
        #expect(throws: CommandFailure.self) { try InputFile(reading: path, limit: 999) }
        #expect(throws: CommandFailure.self) { try InputFile(reading: "/dev/zero", limit: 1 << 20) }
    }
}
