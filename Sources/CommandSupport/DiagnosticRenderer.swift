package import StrictJSON

/// Findings as lines for people and as JSON for programs; at most a hundred of them, and the count of the rest.
package struct DiagnosticRenderer: Sendable {
    /// The most findings that are shown.
    package let limit: Int

    /// Makes a renderer.
    package init(limit: Int = 100) { self.limit = limit }

    /// Returns the findings, one line each, and a last line that counts those left out.
    ///
    /// - Parameter total: The number of all findings, where `diagnostics` are but the first of them.
    package func lines(_ diagnostics: [Diagnostic], total: Int = 0) -> [String] {
        var lines = diagnostics.prefix(limit).map { TerminalText.safe(FileGuess.explaining($0).description) }
        let rest = max(total, diagnostics.count) - lines.count
        if rest > 0 { lines.append("… and \(rest) more \(rest == 1 ? "finding" : "findings")") }
        return lines
    }

    /// Returns the findings as text for the standard error stream.
    ///
    /// It ends with a newline, or is empty where there are no findings.
    ///
    /// With `--quiet` there are errors alone.
    package func render(_ diagnostics: [Diagnostic], total: Int = 0) -> String {
        let painter = Painter.errors
        let isQuiet = Printing.current.isQuiet
        let shown = isQuiet ? diagnostics.filter { $0.severity == .error } : diagnostics
        return lines(shown, total: isQuiet ? 0 : total).map { painter.paintFinding($0) + "\n" }.joined()
    }

    /// Returns the findings as an array of objects.
    ///
    /// They have `severity`, `code`, `message` and, where known, `file`, `line`, `column`, `offset` and `pointer`.
    package func json(_ diagnostics: [Diagnostic]) -> JSONValue {
        .array(diagnostics.prefix(limit).map { Self.json(FileGuess.explaining($0)) })
    }

    private static func json(_ diagnostic: Diagnostic) -> JSONValue {
        var object: JSONObject = [
            "severity": .string(diagnostic.severity.rawValue),
            "code": .string(diagnostic.code),
            "message": .string(diagnostic.message),
        ]
        object["file"] = diagnostic.file.map { .string($0) }
        if let position = diagnostic.position {
            object["line"] = .number(position.line)
            object["column"] = .number(position.column)
            object["offset"] = .number(position.offset)
        }
        object["pointer"] = diagnostic.pointer.map { .string($0.description) }
        return .object(object)
    }
}
