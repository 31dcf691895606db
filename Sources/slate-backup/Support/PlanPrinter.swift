internal import CommandSupport
internal import StrictJSON

/// Shows what will be done, asks, and says what was done.
///
/// The plan comes before the question; in JSON, where it is one value at the end, a person who is asked reads it on the
/// standard error stream.
struct PlanPrinter {
    let output: FormatOption
    let confirmation: ConfirmationOption
    let isDryRun: Bool

    /// Shows the plan.
    func show(_ lines: [String]) throws(CommandFailure) {
        let text = lines.map { TerminalText.safe($0) + "\n" }.joined()
        switch output.format {
        case .text:
            try StandardOutput.shared.write(text)
            try StandardOutput.shared.flush()
        case .json: if !isDryRun, !confirmation.yes { StandardError.write(text) }
        }
    }

    /// Asks for consent to the plan.
    ///
    /// - Throws: 64 where nobody is there to ask, and where the answer is no.
    func require(_ question: String) throws(CommandFailure) { try confirmation.require(question) }

    /// Says what was done, or would be.
    func finish(_ line: String, _ json: @autoclosure () -> JSONValue) throws(CommandFailure) {
        do throws(CommandFailure) {
            try output.print(TerminalText.safe(line) + "\n", json())
            try StandardOutput.shared.flush()
        } catch {
            guard !isDryRun else { throw error }
            let message = error.message ?? "cannot write"
            throw CommandFailure(
                error.status,
                "\(message); what was asked for is done, only the report could not be written"
            )
        }
    }
}
