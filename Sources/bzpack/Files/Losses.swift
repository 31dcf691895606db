internal import AppFormats
internal import CommandSupport
internal import StrictJSON

/// Reports what a reader of an older version will not see.
enum Losses {
    /// Writes the losses to the standard error stream.
    static func report(
        _ losses: [MigrationLoss],
        file: String?,
        position: (JSONPointer) -> TextPosition? = { _ in nil }
    ) {
        let diagnostics = losses.map { loss in
            Diagnostic(
                .warning,
                code: "migration.loss",
                message: loss.text,
                file: file,
                position: position(loss.pointer),
                pointer: loss.pointer
            )
        }
        StandardError.write(DiagnosticRenderer().render(diagnostics))
    }

    /// Whether there is a valid `.bztimer` file at that path, which a new one may replace without a question.
    static func isBztimer(_ output: OutputFile) -> Bool {
        BztimerInput.read(output.path).reading?.isValid == true
    }
}
