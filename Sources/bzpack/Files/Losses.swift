internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

/// Reports what a reader of an older version will not see.
enum Losses {
    /// Writes what is lost as warnings to the standard error stream, and what only an older program misses as notes.
    ///
    /// - Parameter code: The code of what is lost.
    static func report(
        _ losses: [MigrationLoss],
        notes: [MigrationLoss],
        code: String = "migration.loss",
        file: String?,
        position: (JSONPointer) -> TextPosition? = { _ in nil }
    ) {
        func diagnostic(_ severity: Diagnostic.Severity, _ code: String, _ loss: MigrationLoss) -> Diagnostic {
            Diagnostic(
                severity,
                code: code,
                message: loss.text,
                file: file,
                position: position(loss.pointer),
                pointer: loss.pointer
            )
        }
        let diagnostics =
            losses.map { diagnostic(.warning, code, $0) }
            + notes.map { diagnostic(.note, "migration.note", $0) }
        StandardError.write(DiagnosticRenderer().render(diagnostics))
    }

    /// Tells whether there is a valid `.bztimer` file at that path, which a new one may replace without a question.
    static func isBztimer(_ output: OutputFile) -> Bool {
        BztimerInput.read(output.path).reading?.isValid == true
    }
}
